"""What is kept beside a build for the next race of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from deadheat.build.built import Build
from deadheat.run import learnt
from tests.made import playing
from tests.made.observed import race


@pytest.fixture
def build(tmp_path: Path) -> Build:
    (contender, *_) = playing.suite_in(tmp_path).contenders["echo"]
    return playing.Ready(tmp_path).build(contender, None)


def test_a_lead_in_is_that_of_a_build_in_one_workload_under_one_load(build: Build) -> None:
    """One build serves several workloads; what slices need in one is not what they need in all."""
    of = race(setting="tls")
    learnt.keep_lead_in(build, of, 300)
    assert learnt.lead_in_ms(build, of) == learnt.lead_in_ms(build, race(setting="tls by=cpu")) == 300
    others = of.replaced(workload="another"), race(), race(setting="tls", connections=512)
    assert [learnt.lead_in_ms(build, one) for one in others] == [None, None, None]
    learnt.keep_lead_in(build, others[0], 700)
    assert learnt.lead_in_ms(build, of) == 300


def test_a_file_that_is_none_is_nothing_learnt(build: Build) -> None:
    assert build.folder is not None
    learnt.keep_lead_in(build, race(), 300)
    (build.folder.parent / learnt.FILE).write_text("[")
    assert learnt.lead_in_ms(build, race()) is None
