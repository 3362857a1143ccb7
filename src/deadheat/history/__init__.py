"""Runs over time, kept in a database: an SQLite file, or a PostgreSQL that a team shares.

What a run found stands in its own folder; the history holds a copy of its results and, apart from them,
figures from elsewhere as context. Nothing here is ever part of a verdict.
"""
