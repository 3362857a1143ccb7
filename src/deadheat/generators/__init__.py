"""Load generators, our engine and those of others."""
