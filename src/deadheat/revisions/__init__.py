"""Revisions of a user's repository: found by name, checked out, built at one path, kept."""
