"""Which build is asked everything, and which is known to answer right."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from deadheat.build.built import Build
from deadheat.model.contender import Contender
from deadheat.model.observation import Checked
from deadheat.run import answers
from deadheat.run.check import Check
from deadheat.run.kind import Stage
from tests.made import playing
from tests.made.observed import plan, race


class Asking(playing.Playing):
    """Says who was asked; `wrong` in the second case."""

    def __init__(self, *wrong: str) -> None:
        super().__init__()
        self.wrong = wrong
        self.asked: list[str] = []

    def check(self, stage: Stage, entry: str) -> Check:
        self.asked.append(entry)
        return Check(False, 1, "got 500") if entry in self.wrong else Check(True, 12, headers=("Server: it",))


class Making(playing.Ready):
    """Builds by a line; `key` is that of all."""

    def __init__(self, folder: Path, key: str = "1", line: str | None = "make") -> None:
        super().__init__(folder)
        self.key, self.line = key, line

    def build(self, contender: Contender, say: object) -> Build:
        made = super().build(contender, say)
        return replace(
            made, contender=contender.replaced(build=self.line), record=made.record.replaced(key=self.key)
        )


def checked(tmp_path: Path, kind: Asking, run: str, builder: Making | None = None) -> list[Checked]:
    """By a run of the same suite, whose builds are where those of the last one were."""
    raced = playing.suite_in(tmp_path)
    own = tmp_path / run
    own.mkdir()
    (own / "suite").symlink_to(tmp_path / "suite")
    of = plan(race(blocks=2), raced).replaced(run=run)
    observed = playing.run(own, of, kind, builder=builder or Making(tmp_path))
    return [o for o in observed if isinstance(o, Checked)]


def test_a_build_is_asked_once_and_then_known(tmp_path: Path) -> None:
    first, second = Asking(), Asking()
    before = checked(tmp_path, first, "one")
    again = checked(tmp_path, second, "two")
    assert first.asked == [o.contender for o in before]
    assert not second.asked
    assert all(o.run is None for o in before)
    assert again == [o.replaced(run="one") for o in before]


def test_another_build_is_asked(tmp_path: Path) -> None:
    checked(tmp_path, first := Asking(), "one")
    checked(tmp_path, again := Asking(), "two", Making(tmp_path, key="2"))
    assert first.asked == again.asked


def test_what_is_not_built_here_is_asked_at_every_run(tmp_path: Path) -> None:
    """A script may call a program that has changed."""
    checked(tmp_path, first := Asking(), "one", Making(tmp_path, line=None))
    checked(tmp_path, again := Asking(), "two", Making(tmp_path, line=None))
    assert first.asked == again.asked
    assert not list(tmp_path.rglob(answers.FILE))


def test_who_was_wrong_is_asked_again(tmp_path: Path) -> None:
    checked(tmp_path, Asking("fast"), "one")
    again = checked(tmp_path, kind := Asking(), "two")
    assert kind.asked == ["fast"]
    assert [o.contender for o in again if o.run is None and o.ok] == ["fast"]


def test_what_the_suite_asks_is_part_of_it(tmp_path: Path) -> None:
    """A changed workload asks anew, and so does a file of it that a fixture may read."""
    checked(tmp_path, first := Asking(), "one")
    (tmp_path / "suite" / "echo" / "rows.sql").write_text("SELECT 1")
    checked(tmp_path, again := Asking(), "two")
    assert first.asked == again.asked


def test_a_file_that_is_none_is_nothing_known(tmp_path: Path) -> None:
    checked(tmp_path, first := Asking(), "one")
    for kept in tmp_path.rglob(answers.FILE):
        kept.write_text("[")
    checked(tmp_path, again := Asking(), "two")
    assert first.asked == again.asked
