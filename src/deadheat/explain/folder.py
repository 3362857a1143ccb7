"""The folder of an explanation: hidden while it is made, gone where it is not kept."""

from __future__ import annotations

import datetime
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from deadheat.util.files import explained


class Folder:
    """A folder in the making: hidden until it is kept."""

    def __init__(self, out: Path) -> None:
        now = f"{datetime.datetime.now(datetime.UTC):%Y%m%d-%H%M%S}"
        self.path = out / f"explain-{now}"
        self.work = (out / f".explain-{now}-{os.getpid()}").absolute()

    def keep(self) -> None:
        with explained(self.path):
            self.work.rename(self.path)


@contextmanager
def making(out: Path) -> Iterator[Folder]:
    """Where all files go. It is gone again where it was not kept."""
    folder = Folder(out)
    with explained(out):
        folder.work.mkdir(parents=True)
    try:
        yield folder
    finally:
        shutil.rmtree(folder.work, ignore_errors=True)
