"""Observations become results by gates and statistics. Nothing is run, and nothing is worded."""
