"""Kinds: what each is, and who drives it."""

from __future__ import annotations

from typing import get_args

import pytest

from deadheat.errors import UserError
from deadheat.kinds.registry import KINDS, PROTOCOLS
from deadheat.model.kinds.registry import TRAITS, Kind
from deadheat.model.workload import Workload


def test_every_kind_of_a_manifest_has_traits_and_a_driver() -> None:
    assert set(get_args(Kind)) == set(TRAITS) == set(KINDS)


def test_kinds_that_serve_are_those_with_a_protocol() -> None:
    assert {name for name, traits in TRAITS.items() if traits.serves} == set(PROTOCOLS)


def test_a_kind_is_done_in_a_section_of_the_workload() -> None:
    assert {traits.section for traits in TRAITS.values()} <= set(Workload.model_fields)


def test_an_unknown_name_is_told_the_nearest() -> None:
    with pytest.raises(UserError, match='no kind is called "grcp"') as raised:
        KINDS.named("grcp")
    assert 'did you mean "grpc"?' in str(raised.value.hint)
