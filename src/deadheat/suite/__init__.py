"""Workloads and contenders: manifests, read with the line of every key."""
