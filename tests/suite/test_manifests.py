"""Manifests: what is wrong is said with file, line and the nearest key."""

from pathlib import Path

import pytest

from deadheat.errors import UserError
from deadheat.suite.suite import load

WORKLOAD = """\
title = "Echo"
question = "Who echoes fastest?"
kind = "http"
metric = "throughput_rps"
reference = "one"

[request]
path = "/{token}"

[[conformance]]
path = "/{token}"
status = 200
body = "{token}"
"""
CONTENDER = """\
title = "One"
language = "C"
class = "idiomatic"
run = "./one {port}"
default = true

[variants.fast]
run = "./one --fast {port}"

[variants.tuned]
class = "tuned"
default = true
title = "One, tuned"
"""


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    (tmp_path / "echo" / "one").mkdir(parents=True)
    (tmp_path / "echo" / "workload.toml").write_text(WORKLOAD)
    (tmp_path / "echo" / "one" / "contender.toml").write_text(CONTENDER)
    return tmp_path


def _broken(suite: Path, file: str, old: str, new: str) -> str:
    path = suite / file
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    with pytest.raises(UserError) as caught:
        load(suite)
    return caught.value.message.replace(str(suite), "suite")


def test_variants_inherit_what_they_do_not_change(suite: Path) -> None:
    one, fast, tuned = load(suite).contenders["echo"]
    assert (one.id, fast.id, tuned.id) == ("one", "one:fast", "one:tuned")
    assert (fast.language, fast.run, fast.title) == ("C", "./one --fast {port}", "One, fast")
    assert (tuned.class_, tuned.run, tuned.title) == ("tuned", one.run, "One, tuned")


def test_a_variant_is_raced_by_default_only_where_it_says_so(suite: Path) -> None:
    assert [c.default for c in load(suite).contenders["echo"]] == [True, False, True]


def test_an_unknown_key_is_named_with_its_line_and_the_nearest(suite: Path) -> None:
    message = _broken(suite, "echo/one/contender.toml", "run =", "rum =")
    assert message == 'suite/echo/one/contender.toml:4: unknown key "rum"; did you mean "run"?'


def test_an_unknown_key_in_a_variant(suite: Path) -> None:
    message = _broken(suite, "echo/one/contender.toml", 'class = "tuned"', 'clas = "tuned"')
    assert message == 'suite/echo/one/contender.toml:11: unknown key "clas"; did you mean "class"?'


def test_an_unknown_key_in_an_array_of_tables(suite: Path) -> None:
    message = _broken(suite, "echo/workload.toml", "status = 200", "statos = 200")
    assert message == 'suite/echo/workload.toml:12: unknown key "statos"; did you mean "status"?'


def test_a_wrong_value_is_placed(suite: Path) -> None:
    message = _broken(suite, "echo/one/contender.toml", '"idiomatic"', '"fast"')
    assert message.startswith("suite/echo/one/contender.toml:3: class: ")


def test_a_missing_key_is_named(suite: Path) -> None:
    message = _broken(suite, "echo/one/contender.toml", 'language = "C"\n', "")
    assert message == 'suite/echo/one/contender.toml:1: key "language" is missing'


def test_what_is_not_toml(suite: Path) -> None:
    message = _broken(suite, "echo/one/contender.toml", 'language = "C"', "language = C")
    assert message.startswith("suite/echo/one/contender.toml:2: not TOML: ")


def test_a_reference_that_is_no_contender(suite: Path) -> None:
    message = _broken(suite, "echo/workload.toml", '"one"', '"won"')
    assert message == 'suite/echo/workload.toml:5: reference "won" is no contender; did you mean "one"?'


def test_a_kind_without_its_section(suite: Path) -> None:
    message = _broken(suite, "echo/workload.toml", 'kind = "http"', 'kind = "program"')
    assert 'kind "program" needs a [program] section' in message


def test_a_load_that_no_case_answers(suite: Path) -> None:
    message = _broken(suite, "echo/workload.toml", 'path = "/{token}"', 'path = "/x/{token}"')
    assert "no [[conformance]] case says what /x/{token} answers" in message


def test_an_empty_suite(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="holds no workload"):
        load(tmp_path)


def test_a_suite_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no such suite"):
        load(tmp_path / "nowhere")


def test_the_built_in_suite_is_whole() -> None:
    suite = load(Path(__file__).parents[2] / "suite")
    assert {"fib", "http-hello"} <= set(suite.workloads)
    for name, workload in suite.workloads.items():
        assert workload.reference in {c.id for c in suite.contenders[name] if c.default}
