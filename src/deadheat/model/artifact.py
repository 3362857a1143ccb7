"""What a build leaves: its sizes, and how long building takes when it is timed."""

from deadheat.model.base import Record


class Binary(Record):
    """Sizes of an ELF file in bytes: as built, without debug data, stripped of all symbols as well
    (None where `strip` is missing); the dynamic libraries that it asks for (None where `readelf` is).
    """

    as_built: int
    without_debug: int | None = None
    stripped: int | None = None
    libraries: tuple[str, ...] | None = None


class BuildTimes(Record):
    """Seconds of repeated builds, place by place the same turn of one interleaved `session`.

    Cold: a fresh copy, the tools' caches empty where they can be told. Warm: again in the same copy, its
    sources touched, caches kept.
    """

    session: str
    cold_s: tuple[float, ...]
    warm_s: tuple[float, ...]
