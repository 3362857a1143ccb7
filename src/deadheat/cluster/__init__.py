"""Races on several machines, by Ray, which is imported only where a cluster is asked for."""
