"""The referee's side: take the port, start the page's process, and let it know when the race has ended."""

import json
import os
import secrets
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from deadheat.errors import UserError
from deadheat.model.plan import Plan
from deadheat.run.progress import View
from deadheat.storage.run_folder import RunFolder

HOST = "127.0.0.1"
LOG = "live.log"


class Watch:
    """A port of the loopback with a secret address. Raises UserError where the port is taken."""

    def __init__(self, port: int = 0) -> None:
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            self._socket.bind((HOST, port))
            self._socket.listen()
        except (OSError, OverflowError) as error:
            self._socket.close()
            why = getattr(error, "strerror", None) or error
            raise UserError(
                f"the live page cannot use port {port}: {why}",
                hint="--live-port names another; --live takes any",
            ) from error
        self._token = secrets.token_urlsafe(18)
        self.port: int = self._socket.getsockname()[1]
        self.url = f"http://{HOST}:{self.port}/{self._token}/"

    def close(self) -> None:
        """Give the port back."""
        self._socket.close()

    @contextmanager
    def on(self, folder: RunFolder, plan: Plan, view: View) -> Iterator[None]:
        """Show this run to whoever comes, until the end of the block. Nothing of it can fail the race."""
        settings = {"token": self._token, "cpus": quiet_cpus(plan), "folder": str(folder.path)}
        process = None
        try:
            with (folder.path / LOG).open("ab") as log:
                process = subprocess.Popen(
                    [sys.executable, "-m", "deadheat.live", str(self._socket.fileno())],
                    pass_fds=[self._socket.fileno()],
                    stdin=subprocess.PIPE,
                    stdout=log,
                    stderr=log,
                    start_new_session=True,  # Ctrl-C ends the race, and the race ends the page
                )
            assert process.stdin is not None
            # By a pipe, since others on this machine can read a command line. Its end is the race's end.
            process.stdin.write(json.dumps(settings).encode() + b"\n")
            process.stdin.flush()
            view.note(f"live: {self.url}")
        except OSError as error:
            view.warn(f"no live page: {error}")
        finally:
            self._socket.close()
        try:
            yield
        finally:
            if process is not None and process.stdin is not None:
                with suppress(OSError):
                    process.stdin.close()
                # It ends by itself, once its browsers have the report; a child that is not waited for must
                # not complain at our own exit.
                process.returncode = process.poll() or 0


def quiet_cpus(plan: Plan) -> list[int]:
    """CPUs where nothing is measured; where all are, those of the generator: never the contenders'."""
    free = os.sched_getaffinity(0) - {*plan.server_cpus, *plan.generator_cpus, *plan.services_cpus}
    return sorted(free or set(plan.generator_cpus) - set(plan.server_cpus) or plan.generator_cpus)
