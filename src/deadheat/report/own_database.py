"""What is said of somebody's own PostgreSQL: what a race cannot meter or set there."""

from __future__ import annotations

from collections.abc import Iterator

from deadheat.model.own_database import OwnDatabase


def sentences(own: OwnDatabase) -> Iterator[str]:
    """What it is, then what is not known of it, a sentence each."""
    over = "without TLS" if own.tls == "disable" else f"with sslmode={own.tls}"
    yield (
        f"the database is somebody's own, PostgreSQL {own.version} at {own.address}, {over}: each contender "
        "has one there in each block, which is dropped at its end"
    )
    yield (
        "not metered there: CPU time of its backends, and which CPUs they have, maybe the contenders'; so no "
        "gate services-cpu, and whether the database was the limit is not known (--metric cpu judges by the "
        "contenders' own)"
    )
    settings = ", ".join(f"{name} {value}" for name, value in own.settings.items())
    yield f"not set there, but as it is: {settings}"
    yield (
        "not read there: its log of statements, so how several rows are asked for (over how many sessions, "
        "by how many Syncs) is not seen"
    )
    if own.counts_statements:
        yield "it counts statements (pg_stat_statements): the gate database-statements holds them to replies"
    else:
        yield (
            "it counts no statements (pg_stat_statements is not loaded, or not for this user), so no gate "
            "database-statements: a row that is kept, skipped or read ahead under load is not found"
        )
