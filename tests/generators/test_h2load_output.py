"""What h2load prints: golden files are real outputs of h2load 1.52.0."""

from __future__ import annotations

from pathlib import Path

import pytest

from deadheat.generators import h2load
from deadheat.generators.outside import GeneratorError

GOLDEN = Path(__file__).parent / "golden"


def golden(name: str) -> str:
    return (GOLDEN / f"h2load-1.52.0-{name}.txt").read_text()


def test_figures() -> None:
    found = h2load.read(golden("plain"))
    assert found.requests == 3000
    assert found.seconds == pytest.approx(0.01183)
    assert found.throughput_rps == pytest.approx(253_592.56)
    assert found.latency_ms == pytest.approx({"mean": 0.446, "stdev": 0.107, "max": 0.825})
    assert found.bytes_in == 162810
    assert found.threads == 1
    assert found.errors == {}
    assert not any("progress" in line for line in found.shown)


def test_threads_are_counted() -> None:
    assert h2load.read(golden("threads")).threads == 2


def test_closed_connections_are_errors() -> None:
    found = h2load.read(golden("closed"))
    assert (found.requests, found.errors) == (150, {"errored": 150})


def test_each_failure_is_counted_once() -> None:
    said = "2600 succeeded, 400 failed, 150 errored, 100 timeout"
    text = golden("plain").replace("3000 succeeded, 0 failed, 0 errored, 0 timeout", said)
    assert h2load.read(text).errors == {"timeout": 100, "errored": 50, "status": 250}


def test_a_redirection_is_no_answer() -> None:
    text = golden("plain").replace("3000 2xx, 0 3xx", "2990 2xx, 10 3xx")
    assert h2load.read(text).errors == {"status": 10}


@pytest.mark.parametrize("name", ["refused", "http1"])
def test_nothing_answered(name: str) -> None:
    with pytest.raises(GeneratorError, match="no request answered, of"):
        h2load.read(golden(name))


def test_a_server_that_fails_every_call_is_not_fast() -> None:
    with pytest.raises(GeneratorError, match="ended every call with a grpc-status"):
        h2load.read(golden("grpc-status"))


def test_a_line_that_is_not_known() -> None:
    text = golden("plain").replace("status codes:", "dropped: 3\nstatus codes:")
    with pytest.raises(GeneratorError, match='not known here: "dropped: 3"'):
        h2load.read(text)


@pytest.mark.parametrize("name", [line.name for line in h2load.LINES if line.needed])
def test_a_line_that_is_missing_is_named(name: str) -> None:
    form = next(line.form for line in h2load.LINES if line.name == name)
    left = [line for line in golden("plain").splitlines() if not form.fullmatch(line)]
    with pytest.raises(GeneratorError, match=f"no {name} line"):
        h2load.read("\n".join(left))


def test_cut_off_at_any_line() -> None:
    lines = golden("plain").splitlines()
    for count in range(len(lines)):
        with pytest.raises(GeneratorError):
            h2load.read("\n".join(lines[:count]))
