"""deadheat doctor: is everything here, and is this machine fit to measure on?"""

from __future__ import annotations

NAME = "doctor"


def run() -> None:
    """Say what is missing.

    \b
    Examples:
      deadheat doctor
      deadheat doctor --json
    """
