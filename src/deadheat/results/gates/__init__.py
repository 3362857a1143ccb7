"""Checks on the measurement itself: a broken one means no verdict."""
