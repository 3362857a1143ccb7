"""What wrk prints, read to the last line: golden files are real outputs of wrk 4.0.0, 4.1.0 and 4.2.0."""

from __future__ import annotations

from pathlib import Path

import pytest

from deadheat.generators import wrk
from deadheat.generators.outside import GeneratorError

GOLDEN = Path(__file__).parent / "golden"


def golden(name: str, version: str = "4.1.0") -> str:
    return (GOLDEN / f"wrk-{version}-{name}.txt").read_text()


def printed(
    rps: str, latency: str, total: str, *, rate: str, transfer: str, test: str, threads: str, errors: str = ""
) -> str:
    """An output of wrk 4.0 from a study's figures, in wrk's own form."""
    return (
        f"Running {test} test @ http://127.0.0.1:8080/\n"
        f"  {threads} connections\n"
        "  Thread Stats   Avg      Stdev     Max   +/- Stdev\n"
        f"    Latency   {latency}\n"
        f"    Req/Sec   {rate}\n"
        f"  {total} read\n" + (f"  Socket errors: {errors}\n" if errors else "") + f"Requests/sec:  {rps}\n"
        f"Transfer/sec:     {transfer}\n"
    )


def test_a_plain_run() -> None:
    found = wrk.read(golden("plain"))
    assert found.requests == 68756
    assert found.seconds == pytest.approx(1.02)
    assert found.throughput_rps == 67596.92
    assert found.latency_ms == {"mean": 2.46, "stdev": 7.78, "max": 77.12}
    assert found.bytes_in == round(3.67 * (1 << 20))
    assert found.threads == 2
    assert found.errors == {}


def test_percentiles_where_they_are_printed() -> None:
    latency = wrk.read(golden("latency")).latency_ms
    assert latency["p50"] == pytest.approx(0.018)
    assert latency["p99"] == 22.73


@pytest.mark.parametrize(
    ("name", "errors"),
    [
        ("connect-errors", {"connect": 26}),
        ("socket-errors", {"read": 3456}),
        ("non-2xx", {"status": 7815}),
        ("timeouts", {"timeout": 8}),
    ],
)
def test_errors_are_counted_by_kind(name: str, errors: dict[str, int]) -> None:
    assert wrk.read(golden(name)).errors == errors


@pytest.mark.parametrize(
    ("version", "name", "requests", "errors"),
    [
        ("4.0.0", "plain", 60790, {}),
        ("4.0.0", "latency", 106043, {}),
        ("4.0.0", "non-2xx", 70799, {"status": 70799}),
        ("4.0.0", "timeouts", 20, {"timeout": 12}),
        ("4.0.0", "connect-errors", 51035, {"connect": 24}),
        # A connection that the server closes between replies: this version loses it without a word.
        ("4.0.0", "socket-errors", 24, {}),
        ("4.2.0", "plain", 75489, {}),
        ("4.2.0", "latency", 64123, {}),
        ("4.2.0", "non-2xx", 36839, {"status": 36839}),
        ("4.2.0", "timeouts", 20, {"timeout": 12}),
        ("4.2.0", "connect-errors", 58101, {"connect": 24}),
        ("4.2.0", "socket-errors", 16280, {"read": 5424}),
    ],
)
def test_older_and_newer_ones(version: str, name: str, requests: int, errors: dict[str, int]) -> None:
    found = wrk.read(golden(name, version))
    assert (found.requests, found.errors) == (requests, errors)
    assert found.latency_ms["mean"] > 0
    assert ("p99" in found.latency_ms) == (name == "latency")


def test_all_timed_out_has_no_latency() -> None:
    assert wrk.read(golden("timeouts")).latency_ms == {}


def test_no_request_answered() -> None:
    with pytest.raises(GeneratorError, match="no request answered"):
        wrk.read(golden("nothing-answered"))


def test_the_figures_of_go_against_crystal() -> None:
    found = wrk.read(
        printed(
            "69757.81",
            "3.56ms    2.26ms  95.31ms   92.00%",
            "4190457 requests in 1.00m, 535.51MB",
            rate="8.77k     2.24k   15.75k    64.66%",
            transfer="8.91MB",
            test="1m",
            threads="8 threads and 400",
            errors="connect 157, read 100, write 0, timeout 0",
        )
    )
    assert found.errors == {"connect": 157, "read": 100}
    assert found.seconds == 60
    assert found.throughput_rps * found.latency_ms["mean"] / 1000 == pytest.approx(248, abs=1)


def test_the_figures_of_express() -> None:
    found = wrk.read(
        printed(
            "4573.21",
            "2.27ms    1.17ms  54.06ms   99.07%",
            "134813 requests in 29.48s, 27.13MB",
            rate="4.49k   433.05     4.69k    96.01%",
            transfer="0.92MB",
            test="30s",
            threads="1 threads and 10",
            errors="connect 0, read 0, write 0, timeout 10",
        )
    )
    assert found.errors == {"timeout": 10}
    assert found.requests == 134813


def test_microseconds() -> None:
    found = wrk.read(
        printed(
            "37257.91",
            "296.47us    0.94ms  41.72ms   97.67%",
            "1121496 requests in 30.10s, 137.97MB",
            rate="9.37k     1.42k   13.81k    69.58%",
            transfer="4.58MB",
            test="30s",
            threads="4 threads and 10",
        )
    )
    assert found.latency_ms == {"mean": pytest.approx(0.29647), "stdev": 0.94, "max": 41.72}


@pytest.mark.parametrize("name", ["plain", "latency", "socket-errors", "non-2xx"])
def test_cut_off_anywhere_gives_no_figures(name: str) -> None:
    whole = golden(name)
    for length in range(len(whole) - 1):
        with pytest.raises(GeneratorError):
            wrk.read(whole[:length])


@pytest.mark.parametrize("place", range(8))
def test_a_line_that_is_not_known_is_quoted(place: int) -> None:
    lines = golden("plain").splitlines()
    lines.insert(place, "  Aborted: 17 of 17")
    with pytest.raises(GeneratorError, match=r'not known here: "  Aborted: 17 of 17"'):
        wrk.read("\n".join(lines))


def test_lines_out_of_their_place() -> None:
    lines = golden("plain").splitlines()
    lines[0], lines[1] = lines[1], lines[0]
    with pytest.raises(GeneratorError, match=r"cut off|out of its place"):
        wrk.read("\n".join(lines))


def test_twice_the_same_line() -> None:
    text = golden("non-2xx").replace("  Non-2xx", "  Non-2xx or 3xx responses: 1\n  Non-2xx")
    with pytest.raises(GeneratorError, match="out of its place"):
        wrk.read(text)
