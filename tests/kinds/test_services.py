"""Services beside contenders: which of them race, their data, their CPUs, and how their address is told."""

from __future__ import annotations

import socket
from contextlib import ExitStack
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from deadheat.hosts.local import LocalHost
from deadheat.kinds.services import start as services
from deadheat.kinds.services.running import AllRunning, Running
from deadheat.model.service import Service, chosen
from deadheat.run.kind import RaceUnavailableError, Stage
from tests.kinds.test_redis_server import stage

# Says what its data folder holds, and then how often it was asked.
KEEPER = """\
import pathlib, socketserver, sys

class Keeper(socketserver.StreamRequestHandler):
    def handle(self):
        told = pathlib.Path(sys.argv[2], "told")
        match self.rfile.readline().strip():
            case b"READY":
                self.wfile.write(b"yes\\n")
            case b"FORGET":
                told.write_text("nothing")
                self.wfile.write(b"done\\n")
            case b"WHAT":
                held = told.read_bytes()
                told.write_text("something")  # before the answer: the next may be asked beside this one
                self.wfile.write(held + b"\\n")

class Server(socketserver.ThreadingTCPServer):
    daemon_threads = True

Server(("127.0.0.1", int(sys.argv[1])), Keeper).serve_forever()
"""


def keeper(folder: Path, **more: object) -> Service:
    """A service that tells what its data folder holds."""
    (folder / "keeper.py").write_text(KEEPER)
    prepare = "import pathlib, sys; pathlib.Path(sys.argv[1], 'told').write_text('prepared')"
    (folder / "prepare.py").write_text(prepare)
    return Service.model_validate(
        {
            "name": "keeper",
            "prepare": f"{{python}} {folder / 'prepare.py'} {{data}}",
            "run": f"{{python}} {folder / 'keeper.py'} {{port}} {{data}}",
            "ready": {"send": "READY", "expect": "yes"},
            "reset": {"send": "FORGET", "expect": "done"},
            **more,
        }
    )


def of_services(host: LocalHost, logs: Path, these: tuple[Service, ...]) -> Stage:
    """As much of a race as these services need."""
    bare = stage(host, logs)
    made: dict[str, Any] = dict.fromkeys(("view", "workload_folder", "builds"))
    race: Any = SimpleNamespace(values={}, key="race")
    workload: Any = SimpleNamespace(services_at=lambda _: these)
    return Stage(**made, plan=bare.plan, race=race, workload=workload, host=host, stop=bare.stop, logs=logs)


def asked(running: Running) -> str:
    """What it answers to WHAT."""
    with socket.create_connection(("127.0.0.1", running.port), timeout=60) as connection:
        connection.sendall(b"WHAT\n")
        with connection.makefile("rb") as reader:
            return reader.readline().decode().strip()


def test_each_start_has_a_copy_of_what_was_prepared_and_leaves_nothing(tmp_path: Path) -> None:
    service = keeper(tmp_path)
    with LocalHost() as host:
        for _ in range(2):
            with ExitStack() as stack:
                running = services.start(stage(host, tmp_path), service, stack)
                assert asked(running) == "prepared"
                assert asked(running) == "something"
                running.reset()
                assert asked(running) == "nothing"
            assert not list(tmp_path.glob("*.data"))


def test_one_that_lets_anybody_in_has_no_machine_of_its_own(tmp_path: Path) -> None:
    """Whoever reaches the machine would reach it."""
    with LocalHost() as host, LocalHost() as far:
        bare = of_services(host, tmp_path, (keeper(tmp_path),))
        apart = Stage(**{**vars(bare), "services_on": far})
        assert services.lacking(bare) is None
        assert "no line of it says {client}" in str(services.lacking(apart))


def test_a_command_may_say_whether_it_serves(tmp_path: Path) -> None:
    probe = tmp_path / "probe.py"
    probe.write_text("import socket, sys; socket.create_connection(('127.0.0.1', int(sys.argv[1])))")
    ready = {"command": f"{{python}} {probe} {{port}}"}
    with LocalHost() as host, ExitStack() as stack:
        running = services.start(stage(host, tmp_path), keeper(tmp_path, ready=ready), stack)
        assert asked(running) == "prepared"


# Tells the keeper to forget, and what that was: as often as it did so is how often a fixture ran.
FIXTURE = """\
import pathlib, socket, sys
with socket.create_connection(("127.0.0.1", int(sys.argv[1]))) as connection:
    connection.sendall(b"FORGET\\n")
    assert connection.makefile("rb").readline() == b"done\\n"
with open("fixtures", "a") as ran:
    ran.write("once ")
"""


@pytest.mark.parametrize(("prepare", "often"), [(True, 1), (False, 2)])
def test_a_fixture_fills_what_was_prepared_once_and_else_each_start(
    tmp_path: Path, prepare: bool, often: int
) -> None:
    (tmp_path / "fixture.py").write_text(FIXTURE)
    service = keeper(tmp_path, fixture="{python} fixture.py {keeper_port}")
    service = service if prepare else service.replaced(prepare=None)
    with LocalHost() as host:
        for _ in range(2):
            with ExitStack() as stack:
                at = stage(host, tmp_path)
                at.workload_folder = tmp_path  # type: ignore[misc]
                assert asked(services.start(at, service, stack)) == "nothing"
    assert (tmp_path / "fixtures").read_text() == "once " * often


def test_a_fixture_that_fails_makes_the_race_unavailable(tmp_path: Path) -> None:
    service = keeper(tmp_path, fixture="{python} -c 'raise SystemExit(\"no schema\")'")
    with LocalHost() as host, ExitStack() as stack:
        at = stage(host, tmp_path)
        at.workload_folder = tmp_path  # type: ignore[misc]
        with pytest.raises(RaceUnavailableError, match=r"its fixture: .*: no schema"):
            services.start(at, service, stack)
    assert not list(tmp_path.glob("*.template"))


def test_one_that_says_nothing_serves_as_soon_as_it_listens(tmp_path: Path) -> None:
    with LocalHost() as host, ExitStack() as stack:
        running = services.start(stage(host, tmp_path), keeper(tmp_path, ready=None), stack)
        assert asked(running) == "prepared"


def test_each_entry_may_have_one_of_its_own(tmp_path: Path) -> None:
    shared, own = keeper(tmp_path), keeper(tmp_path, name="own", of_each=True)
    with LocalHost() as host, ExitStack() as stack:
        at = of_services(host, tmp_path, (shared, own))
        at, running = services.beside(at, stack, ("a", "b"))
        assert [(one.service.name, one.entry) for one in running.each] == [
            ("keeper", None),
            ("own", "a"),
            ("own", "b"),
        ]
        assert at.of_entries["a"]["own"] != at.of_entries["b"]["own"]
        assert "own" not in at.addresses and "keeper" in at.addresses
        assert [asked(one) for one in running.each] == ["prepared"] * 3
        with (
            pytest.raises(RaceUnavailableError, match="while b ran"),
            running.beside("b"),
        ):
            raise OSError("it is gone")
        with pytest.raises(OSError, match="it is gone"), AllRunning(running.each[1:]).beside("other"):
            raise OSError("it is gone")


@pytest.mark.parametrize(
    ("broken", "says"),
    [
        ({"run": "{python} -c pass"}, "exited"),
        ({"prepare": "{python} -c 'raise SystemExit(\"no room\")'"}, "no room"),
        ({"needs": ("no-such-database",)}, "no-such-database"),
    ],
    ids=["it ends at once", "its data cannot be made", "it is not installed"],
)
def test_one_that_cannot_run_makes_the_race_unavailable(
    tmp_path: Path, broken: dict[str, object], says: str
) -> None:
    with (
        LocalHost() as host,
        ExitStack() as stack,
        pytest.raises(RaceUnavailableError) as raised,
    ):
        services.start(stage(host, tmp_path), keeper(tmp_path, **broken), stack)
    assert says in str(raised.value)


def test_contenders_are_told_its_address_under_its_name(tmp_path: Path) -> None:
    with LocalHost() as host, ExitStack() as stack:
        running = services.start(stage(host, tmp_path), keeper(tmp_path), stack)
        port = running.port
        assert services.addresses([running]) == {
            "keeper": f"127.0.0.1:{port}",
            "keeper_host": "127.0.0.1",
            "keeper_port": port,
        }


def test_it_is_metered_apart_and_its_version_is_recorded(tmp_path: Path) -> None:
    with LocalHost() as host, ExitStack() as stack:
        running = services.start(stage(host, tmp_path), keeper(tmp_path, needs=("python3",)), stack)
        assert running.cpu_ns() > 0
        assert (running.version or "").startswith("3.")


def test_those_of_one_name_stand_for_one_another() -> None:
    ready = {"send": "PING", "expect": "+PONG"}
    one, other, third = (
        Service.model_validate({"name": name, "when": when, "run": run, "ready": ready})
        for name, when, run in (
            ("db", {"server": "a"}, "a"),
            ("db", {"server": "b"}, "b"),
            ("queue", {}, "q"),
        )
    )
    assert chosen([one, other, third], {"server": "a", "depth": 3}) == (one, third)
    assert chosen([one, other, third], {"server": "b"}) == (other, third)
    assert chosen([one, other, third], {}) == (third,)
    with pytest.raises(ValueError, match="two services are called db"):
        chosen([one, one], {"server": "a"})


def test_services_have_cpus_of_their_own_where_there_are_enough() -> None:
    assert services.shared_out((4, 5, 6), 2) == (frozenset({4, 6}), frozenset({5}))
    assert services.shared_out((1,), 2) == (frozenset({1}), frozenset({1}))
    assert services.shared_out((1, 2), 1) == (frozenset({1, 2}),)


def on_cpus(race_has: tuple[int, ...] | None = None, **changed: object) -> Stage:
    """Servers on CPU 0, the load on 1, 2 and 3 planned for services; `race_has`: the servers' of the race."""
    plan = SimpleNamespace(server_cpus=(0,), generator_cpus=(1,), services_cpus=(2, 3))
    made: dict[str, Any] = dict.fromkeys(
        ("view", "workload", "workload_folder", "builds", "host", "stop", "logs")
    )
    race: Any = SimpleNamespace(server_cpus=race_has)
    return Stage(**{**made, "plan": plan, "race": race} | changed)


def test_they_have_the_plans_cpus_that_the_servers_leave_or_those_of_the_load() -> None:
    assert on_cpus().services_cpus == (2, 3)
    assert on_cpus(race_has=(0, 2)).services_cpus == (3,)
    assert on_cpus(race_has=(0, 2, 3)).services_cpus == (1,)
    alone = SimpleNamespace(server_cpus=(0,), generator_cpus=(1,), services_cpus=())
    assert on_cpus(plan=alone).services_cpus == (1,)


def test_whether_the_load_is_beside_them() -> None:
    assert on_cpus().loads_beside({1})
    assert not on_cpus().loads_beside({2, 3})
    assert not on_cpus(load_from=(SimpleNamespace(),)).loads_beside({1})
    assert not on_cpus(services_on=SimpleNamespace()).loads_beside({1})
