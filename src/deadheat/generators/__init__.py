"""Load generators: our engine, and (behind the same idea) those of others."""
