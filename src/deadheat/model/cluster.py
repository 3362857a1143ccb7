"""A race on several machines: which runs it is made of. `cluster.json` of its folder."""

from pydantic import Field

from deadheat.model.base import Record


class RunOfMachine(Record):
    """The `run` of one machine. `nice` (-20 to 19) and `oom_score_adj` (-1000 to 1000) are what programs
    inherited there: 0 as in a login shell, other where Ray's own could not be taken back. `instead_of`: the
    machine whose blocks it took over, which was gone when the race was taken up."""

    name: str
    run: str
    hostname: str
    address: str
    nice: int
    oom_score_adj: int
    instead_of: str | None = None


class ClusterRun(Record):
    """All of them. `unlike`: machines of several kinds were wanted; `known_different`: they are different
    machines whatever their ids say. `load`: addresses of those that loaded the servers of the one run there
    is, where they did not load their own; `services`: of the one that its services ran on, where that was
    not the servers' own."""

    schema_: int = Field(default=1, alias="schema")
    run: str
    command: tuple[str, ...]
    unlike: bool
    known_different: bool
    runs: tuple[RunOfMachine, ...]
    load: tuple[str, ...] = ()
    services: str | None = None


class ClusterHost(Record):
    """A machine to bring up: `ssh` is how it is reached (its `address` where not given), `bin` the folder of
    its `deadheat` and `ray` where it is not the cluster's, `cpus` 0 for one that only connects."""

    address: str
    ssh: str | None = None
    bin: str | None = None
    cpus: int = Field(default=1, ge=0)
    labels: dict[str, str] = {}


class ClusterFile(Record):
    """`hosts.toml`: the first host is the head, at whose `port` the cluster is asked for. `bin`: the folder
    of `deadheat` and `ray` on each, `token` the file that holds what the cluster asks for, made where it is
    not there; `object_store_mb`: memory that Ray keeps on each for what crosses the network."""

    port: int = Field(default=6379, ge=1, le=65535)
    bin: str
    token: str
    object_store_mb: int = Field(default=200, ge=80)
    host: tuple[ClusterHost, ...] = Field(min_length=1)
