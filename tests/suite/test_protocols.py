"""`[protocols.*]` of a contender.toml: how it is built and run to speak them, and what is refused."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from deadheat.errors import UserError
from deadheat.model.contender import Contender
from deadheat.model.suite_facts import workload_facts
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
body = "{token}"
"""
HEAD = """\
title = "One"
language = "C"
class = "idiomatic"
build = "make"
artifact = "one"
run = "./one {port}"
env = { COLOUR = "no" }
default = true
"""
CERTIFIED = 'env = { CERT = "{tls_cert}", KEY = "{tls_key}" }\n'


def contenders(folder: Path, more: str) -> dict[str, Contender]:
    (folder / "echo" / "one").mkdir(parents=True)
    (folder / "echo" / "workload.toml").write_text(WORKLOAD)
    (folder / "echo" / "one" / "contender.toml").write_text(HEAD + more)
    return {one.id: one for one in load(folder).contenders["echo"]}


def refused(folder: Path, more: str) -> str:
    with pytest.raises(UserError) as caught:
        contenders(folder, more)
    return caught.value.message.replace(str(folder), "suite")


def test_it_changes_what_it_names_and_is_otherwise_the_contender(tmp_path: Path) -> None:
    made = contenders(
        tmp_path,
        f'[protocols.https]\n{CERTIFIED}[protocols.h2]\nbuild = "make tls"\nartifact = "two"\n'
        'run = "./two {port} {tls_cert} {tls_key}"\n[protocols.h2c]\n',
    )
    one = made["one"]
    https, h2, h2c = (one.speaking(name) for name in ("https", "h2", "h2c"))
    assert https is not None and h2 is not None and h2c is not None
    assert (https.build, https.run) == ("make", "./one {port}")
    assert https.env == {"COLOUR": "no", "CERT": "{tls_cert}", "KEY": "{tls_key}"}
    assert (h2.build, h2.artifact, h2.run) == ("make tls", "two", "./two {port} {tls_cert} {tls_key}")
    assert h2.env == one.env
    assert h2c == one
    assert one.run == "./one {port}"


def test_what_it_does_not_name_it_does_not_speak(tmp_path: Path) -> None:
    one = contenders(tmp_path, f"[protocols.https]\n{CERTIFIED}")["one"]
    assert one.speaking("h2") is None and one.speaking("h2c") is None


def test_a_variant_speaks_them_too_unless_both_change_the_same_line(tmp_path: Path) -> None:
    made = contenders(
        tmp_path,
        f'[protocols.https]\n{CERTIFIED}[protocols.h2]\nrun = "./two {{port}} {{tls_cert}} {{tls_key}}"\n'
        '[variants.quiet]\nenv = { QUIET = "1" }\n[variants.fast]\nrun = "./one --fast {port}"\n'
        "[variants.own]\n[variants.own.protocols.h2c]\n",
    )
    assert set(made["one:quiet"].protocols) == {"https", "h2"}
    assert set(made["one:fast"].protocols) == {"https"}
    assert set(made["one:own"].protocols) == {"h2c"}
    fast = made["one:fast"].speaking("https")
    assert fast is not None and fast.run == "./one --fast {port}" and "CERT" in fast.env


@pytest.mark.parametrize(
    ("more", "why"),
    [
        (
            "[protocols.https]\n",
            "protocols.https needs its certificate: {tls_cert} and {tls_key} in run or env",
        ),
        ('[protocols.h2]\nrun = "./one {port} {tls_cert}"\n', "protocols.h2 needs its certificate"),
        (
            '[protocols.h2c]\nenv = { KEY = "{tls_key}" }\n',
            "protocols.h2c is without TLS, and has no {tls_key}",
        ),
        ("[protocols.http3]\n", "http3"),
        ("[variants.x.protocols.https]\n", "protocols.https needs its certificate"),
        ('[protocols.h2c]\nrun = "./one"\n', "one does not get its port"),
    ],
)
def test_what_cannot_work_is_refused(tmp_path: Path, more: str, why: str) -> None:
    assert why in refused(tmp_path, more)


def test_a_line_without_a_port_is_placed(tmp_path: Path) -> None:
    assert refused(tmp_path, '[protocols.h2c]\nrun = "./one"\n').startswith(
        "suite/echo/one/contender.toml:10: "
    )


def test_a_manifest_without_any_is_told_as_before_there_were_some(tmp_path: Path) -> None:
    """A run that was begun then can be taken up."""
    one = contenders(tmp_path, "")["one"]
    speaking = contenders(tmp_path / "other", "[protocols.h2c]\n")["one"]
    workload = load(tmp_path).workloads["echo"]
    then = hashlib.sha256(one.model_dump_json(exclude={"folder", "protocols"}).encode()).hexdigest()
    ((now,), (other,)) = (workload_facts(workload, (each,)).contenders for each in (one, speaking))
    assert then.startswith(now.digest)
    assert other.digest != now.digest
