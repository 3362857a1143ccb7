"""Deadheat settles which of several implementations of the same service is faster, or shows a dead heat."""

__version__ = "0.2.0"
