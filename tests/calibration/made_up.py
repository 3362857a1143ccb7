"""Races of a calibration whose figures are made up."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from deadheat.calibration.steps import Step
from deadheat.model.calibration import CalibrationRace, MachineId

HERE = MachineId(kernel="6.1", cpu_model="Some CPU", cores=2)


def race(
    step: Step, *, spread: float = 0.01, seed: int = 1, bias: float = 0.0, **more: Any
) -> CalibrationRace:
    """A race that came out as planted, its blocks `spread` apart; `bias` is on top, log units."""
    effects = (
        math.log1p(step.planted) + bias + spread * np.random.default_rng(seed).standard_normal(step.blocks)
    )
    ratio = math.exp(float(effects.mean()))
    usual: dict[str, Any] = {
        "step": step.name,
        "kind": step.kind,
        "planted": step.planted,
        "margin": step.margin,
        "neighbour": step.neighbour,
        "lead_in_ms": step.lead_in_ms,
        "counted_ms": step.counted_ms,
        "blocks_planned": step.blocks,
        "rounds": step.rounds,
        "seed": seed,
        "at": "2026-01-02T03:04:05Z",
        "seconds": step.estimated_s,
        "load_s": step.load_s,
        "iterations": (100, 110),
        "effects": tuple(effects),
        "start_variance": 1e-4,
        "slice_variance": 4e-4,
        "ratio": ratio,
        "ci": (ratio / 1.01, ratio * 1.01),
        "verdict": "inconclusive",
        "printed": "inconclusive",
        "truth": 1 + step.planted,
        "truth_ci": None,
        "cpu_us": (20.0, 22.0),
        "machine": HERE,
    }
    return CalibrationRace(**(usual | more))
