"""`deadheat-load --metrics` scraped by a real Prometheus: what it then knows of the run."""

from __future__ import annotations

import contextlib
import json
import shutil
import subprocess
import time
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

import pytest

from deadheat.generators.engine import find_binary

PROMETHEUS = shutil.which("prometheus")
DELAY_S = 0.02
LIMIT_S = 60
# Buckets of the native histogram end so far apart.
BUCKET = 2 ** (1 / 16)

pytestmark = pytest.mark.skipif(PROMETHEUS is None, reason="prometheus not found: apt-get install prometheus")


def told(lines: IO[str], begin: str) -> str:
    """What a program's stderr says behind this."""
    for line in lines:
        if line.startswith(begin):
            return line.removeprefix(begin).strip()
    raise AssertionError(f"it ended without {begin!r}")


@contextlib.contextmanager
def running(*argv: str | Path) -> Iterator[IO[str]]:
    """A program, with what it says on stderr, until the end."""
    with subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        try:
            yield process.stderr
        finally:
            process.terminate()


def soon(answer: Callable[[], list[float]]) -> list[float]:
    """Its first answer that is not empty."""
    until = time.monotonic() + LIMIT_S
    while time.monotonic() < until:
        with contextlib.suppress(OSError):
            if values := answer():
                return values
        time.sleep(0.2)
    raise AssertionError(f"no answer within {LIMIT_S} s")


def test_a_native_histogram_and_its_counters_are_taken(tmp_path: Path) -> None:
    load = find_binary()
    config = tmp_path / "prometheus.yml"
    with (
        running(load, "serve", "http", "--port", "0", "--delay", "20ms") as server,
        running(
            load, f"http://{told(server, 'listening on ')}/", "-R", "200", "-c", "16", "-d", f"{LIMIT_S}s",
            "--metrics", "127.0.0.1:0",
        ) as run,
    ):  # fmt: skip
        target = urllib.parse.urlsplit(told(run, "metrics: ")).netloc
        config.write_text(
            "global: {scrape_interval: 1s}\n"
            f"scrape_configs: [{{job_name: load, static_configs: [{{targets: ['{target}']}}]}}]\n"
        )
        with running(
            str(PROMETHEUS), f"--config.file={config}", f"--storage.tsdb.path={tmp_path / 'data'}",
            "--web.listen-address=127.0.0.1:0", "--enable-feature=native-histograms", "--log.format=json",
        ) as scraper:  # fmt: skip
            address = next(
                said["address"] for said in map(json.loads, scraper) if said.get("msg") == "Listening on"
            )

            def ask(query: str) -> list[float]:
                where = f"http://{address}/api/v1/query?{urllib.parse.urlencode({'query': query})}"
                with urllib.request.urlopen(where, timeout=LIMIT_S) as reply:
                    return [float(one["value"][1]) for one in json.load(reply)["data"]["result"]]

            # Both of one scrape: what was requested and came back right is what the histogram holds.
            held = "deadheat_load_requests_total - deadheat_load_errors_total"
            latency = "deadheat_load_latency_seconds"
            assert soon(lambda: ask(f"{held} > 0"))
            assert ask(f"histogram_count({latency}) - ({held})") == [0]
            (median,) = ask(f"histogram_quantile(0.5, {latency})")
            assert DELAY_S / BUCKET <= median < LIMIT_S
            (mean,) = ask(f"histogram_sum({latency}) / histogram_count({latency})")
            assert DELAY_S / BUCKET <= mean < LIMIT_S
            assert ask("deadheat_load_received_bytes_total > 0")
