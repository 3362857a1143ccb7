"""A contender's folder becomes an artifact."""
