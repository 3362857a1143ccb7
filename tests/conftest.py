"""What tests of several folders need: a real browser, a real Redis, and what is made once for all."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.made.once import Once
from tests.made.pages import Opened

# No time decides a test: an example takes as long as a busy machine makes it.
hypothesis.settings.register_profile("untimed", deadline=None)
hypothesis.settings.load_profile("untimed")

ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]


# A module's, not the session's: while it is open, its event loop is the thread's, and tests with loops
# of their own could not run.
@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("chromium not found: apt-get install chromium (make test does)")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture
def opened(browser: Browser) -> Iterator[Opened]:
    """Pages of ours: alone, and silent."""
    opened = Opened(browser)
    yield opened
    opened.close()
    assert opened.complaints == []


@pytest.fixture(scope="session")
def redis_port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """The port of a redis-server that runs for as long as the tests do."""
    program = shutil.which("redis-server")
    assert program, "redis-server is missing: apt-get install redis-server"
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    folder: Path = tmp_path_factory.mktemp("redis")
    command = [program, "--bind", "127.0.0.1", "--port", str(port), "--save", "", "--appendonly", "no"]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout
        for line in server.stdout:
            if "Ready to accept connections" in line:
                break
        else:
            pytest.fail("redis-server ended at once")
        yield port
        server.terminate()
        server.communicate()


@pytest.fixture(scope="session")
def once(tmp_path_factory: pytest.TempPathFactory) -> Once:
    """Makes what all workers of this session share."""
    folder = tmp_path_factory.getbasetemp()
    return Once(folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder)
