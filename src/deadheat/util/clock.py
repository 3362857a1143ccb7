"""The time of day, as it is written into files."""

import datetime


def now() -> datetime.datetime:
    """UTC, to the second."""
    return datetime.datetime.now(datetime.UTC).replace(microsecond=0)


def stamp(when: datetime.datetime | None = None) -> str:
    """RFC 3339 in UTC, of now where no time is given: 2026-11-22T10:00:00Z."""
    return (when or now()).strftime("%Y-%m-%dT%H:%M:%SZ")
