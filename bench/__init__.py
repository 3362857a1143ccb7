"""Measurements of ourselves; never part of a test."""
