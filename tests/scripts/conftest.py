"""Scripts of this repository, as tests import them."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def studies() -> ModuleType:
    spec = importlib.util.spec_from_file_location("studies", ROOT / "scripts" / "studies.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
