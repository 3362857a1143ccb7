"""Services that need no more than their name, where their programs are installed."""

from collections.abc import Mapping

from deadheat.model.base import Record
from deadheat.model.service import Command, Exchange, Service


class KnownService(Record):
    """A service, and what contenders have in their environment beside its address: what clients of it look
    for by themselves."""

    service: Service
    env: Mapping[str, str] = {}


def _redis(name: str, program: str, oldest: str) -> KnownService:
    return KnownService(
        service=Service(
            name=name,
            needs=(f"{program} >= {oldest}",),
            run=f"{program} --port {{port}} --bind {{host}} --dir {{data}} --save '' --appendonly no "
            "--daemonize no",
            ready=Exchange(send="PING", expect="+PONG"),
        ),
        env={"REDIS_URL": f"redis://{{{name}}}/0"},
    )


# What is written is not forced to the disk, and not vacuumed: both would be noise of others than contenders.
_POSTGRES = KnownService(
    service=Service(
        name="postgres",
        needs=("postgres >= 13", "initdb"),
        refuses_root=True,
        prepare="""sh -c 'initdb -D "$0" --username postgres --auth trust --encoding UTF8 --locale C """
        """--no-sync && echo host all all "$1" trust >> "$0"/pg_hba.conf' {data} {client}""",
        run="postgres -D {data} -h {host} -p {port} -c unix_socket_directories='' -c max_connections=500 "
        "-c fsync=off -c synchronous_commit=off -c full_page_writes=off -c autovacuum=off "
        "-c shared_buffers=128MB -c checkpoint_timeout=1d -c max_wal_size=8GB",
        env={"LC_ALL": "C"},
        ready=Command(command="pg_isready -q -h {host} -p {port} -U postgres"),
        ready_within_s=60,
        stops_within_s=10,
    ),
    env={
        "DATABASE_URL": "postgresql://postgres@{postgres}/postgres",
        "PGHOST": "{postgres_host}",
        "PGPORT": "{postgres_port}",
        "PGUSER": "postgres",
        "PGDATABASE": "postgres",
    },
)

KNOWN: dict[str, KnownService] = {
    "postgres": _POSTGRES,
    "redis": _redis("redis", "redis-server", "6"),
    "valkey": _redis("valkey", "valkey-server", "7"),
}
