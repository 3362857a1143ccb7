"""A PostgreSQL of somebody's own, on which a race has its databases in the place of a service."""

from deadheat.model.base import Record


class OwnDatabase(Record):
    """`url`: without a password. `address`: host and port. `settings`: as they are there, by name; the
    referee sets none. `counts_statements`: whether pg_stat_statements can be read there. `tls`: how sessions
    speak it, as `sslmode` of libpq has it."""

    url: str
    address: str
    version: str
    counts_statements: bool
    tls: str
    settings: dict[str, str] = {}
