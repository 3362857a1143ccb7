"""The manual page: made from the verbs, whole, and free of what man would complain about."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from deadheat.cli import man, manual
from deadheat.cli.app import VERBS


def test_every_verb_with_every_option() -> None:
    page = man.roff().replace("\\-", "-")
    for shown in manual.pages():
        assert f'.SH "{shown.name.upper()}"' in page
        for each in (*shown.arguments, *shown.options):
            assert f".B {each.names}" in page


@pytest.mark.parametrize("verb", [None, *VERBS])
def test_man_reads_it_without_a_warning(verb: str | None) -> None:
    groff = shutil.which("groff")
    if groff is None:
        pytest.skip("groff not found: apt-get install groff-base")
    read = subprocess.run(
        [groff, "-man", "-Tutf8", "-ww", "-P-cbou"],
        input=man.roff(verb),
        capture_output=True,
        text=True,
        check=True,
    )
    assert read.stderr == ""
    reported = read.stdout
    assert "EXIT STATUS" in reported
    assert (f"deadheat {verb}" if verb else "DEADHEAT RACE") in reported
    # What roff would take for a quote or a request of its own is read as it was written.
    if verb == "race":
        assert "the studies' authors" in " ".join(reported.split())
