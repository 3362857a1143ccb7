"""What must stay true of the gRPC contenders' sources."""

from __future__ import annotations

import json
import re

import pytest

from deadheat.suite import suite

from .servers import SUITE

WORKLOAD = SUITE / "grpc-unary"


def test_the_npm_lock_file_names_versions_and_no_address() -> None:
    packages = json.loads((WORKLOAD / "node-grpc-js" / "package-lock.json").read_text())["packages"]
    assert packages
    for name, package in packages.items():
        assert "resolved" not in package, name
        assert name == "" or package["integrity"], name


def test_every_python_requirement_is_pinned() -> None:
    lines = (WORKLOAD / "python-grpc-aio" / "requirements.txt").read_text().splitlines()
    assert lines
    assert all(re.fullmatch(r"[A-Za-z0-9_.-]+==[0-9.]+", line) for line in lines)


def test_streaming_races_the_same_programs() -> None:
    contenders = suite.load(SUITE).contenders
    unary = {contender.id: contender for contender in contenders["grpc-unary"]}
    for contender in contenders["grpc-stream"]:
        assert contender.folder.resolve() == unary[contender.id].folder.resolve()
    assert (SUITE / "grpc-stream" / "greeter.proto").read_bytes() == (WORKLOAD / "greeter.proto").read_bytes()


@pytest.mark.parametrize("id_", ["go-grpc", "go-grpc:tuned", "rust-tonic", "rust-tonic:tuned"])
def test_the_studys_stacks_race_by_default_in_both_forms(id_: str) -> None:
    contender = suite.load(SUITE).contender("grpc-unary", id_)
    assert contender.default
    assert contender.class_ == ("tuned" if contender.variant else "idiomatic")
