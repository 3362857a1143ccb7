"""A run in the formats of other tools: one module a format, and their registry."""

from deadheat.export.registry import FORMATS, named

__all__ = ["FORMATS", "named"]
