"""Parameters that workloads declare, as a race sets them or runs through them (`--set`, `--sweep`)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product

from deadheat.errors import UserError
from deadheat.model.parameter import Parameter, Setting
from deadheat.model.plan import RacePlan
from deadheat.model.workload import Preset, Workload
from deadheat.util.registry import nearest

# Words of the command line by the name of a parameter, each value a race of its own.
Wanted = Mapping[str, tuple[str, ...]]
Values = dict[str, Setting | None]


def refuse_unknown(wanted: Wanted, workloads: Iterable[Workload]) -> None:
    """Raises UserError for a parameter that none of these workloads declares, telling the nearest."""
    declared = {name: one.name for one in workloads for name in one.parameters}
    for name in wanted:
        if name in declared:
            continue
        near = nearest(name, declared)
        known = ", ".join(f"{parameter} ({workload})" for parameter, workload in declared.items())
        raise UserError(
            f'no workload raced here has a parameter "{name}"',
            hint=(f'did you mean "{near}"? ' if near else "")
            + (f"there are {known}" if known else "only redis-pipeline of the built-in suite has parameters"),
        )


def combinations(workload: Workload, wanted: Wanted, preset: Preset) -> tuple[Values, ...]:
    """The values of each race of a workload, the default ones first; None: it goes without that parameter.

    Where something is asked, all else is at its default; else each preset has its own. Raises UserError for a
    value that a parameter does not take.
    """
    asked = {name: words for name, words in wanted.items() if name in workload.parameters}
    choices = [
        _read(name, parameter, asked[name]) if name in asked else _usual(parameter, preset, alone=bool(asked))
        for name, parameter in workload.parameters.items()
    ]
    return tuple(dict(zip(workload.parameters, values, strict=True)) for values in product(*choices))


def for_claims(workloads: Iterable[Workload], settings: Iterable[str | None]) -> dict[str, tuple[str, ...]]:
    """What claims need that are held against these settings: `rounds=10` beside the workload as it is."""
    declared = {name: parameter for one in workloads for name, parameter in one.parameters.items()}
    found: dict[str, tuple[str, ...]] = {}
    for setting in filter(None, settings):
        name, _, value = setting.partition("=")
        if name in declared and value:
            usual = () if declared[name].default is None else (str(declared[name].default),)
            found[name] = tuple(dict.fromkeys((*found.get(name, usual), value)))
    return found


def defaults(workload: Workload) -> dict[str, Setting]:
    """The values where nothing is asked, without those of parameters that the workload goes without."""
    of_each = {name: parameter.default for name, parameter in workload.parameters.items()}
    return {name: value for name, value in of_each.items() if value is not None}


def at(race: RacePlan, workload: Workload, values: Values) -> RacePlan:
    """The race at these values: `sink`, `rounds=10`, `valkey depth=100` is what is unlike the default in its
    setting; and its metric is what they say."""
    known = {name: value for name, value in values.items() if value is not None}
    metrics = [workload.parameters[name].metric.get(str(value)) for name, value in known.items()]
    return race.replaced(
        values=known,
        setting=joined(*_unlike(workload, values), race.setting),
        metric=next(filter(None, metrics), race.metric),
    )


def joined(*settings: str | None) -> str | None:
    """Settings as one, None for the default."""
    return " ".join(filter(None, settings)) or None


def _unlike(workload: Workload, values: Values) -> Iterator[str]:
    for name, parameter in workload.parameters.items():
        if (value := values[name]) is not None and value != parameter.default:
            # A word says what it is a value of; a number does not.
            yield f"{name}={value}" if parameter.range is not None else str(value)


def _read(name: str, parameter: Parameter, words: Sequence[str]) -> tuple[Setting | None, ...]:
    try:
        return tuple(dict.fromkeys(parameter.value(word) for word in words))
    except ValueError as error:
        raise UserError(f'{name} cannot be "{_wrong(parameter, words)}"', hint=f"it is {error}") from None


def _wrong(parameter: Parameter, words: Sequence[str]) -> str:
    for word in words:
        try:
            parameter.value(word)
        except ValueError:
            return word
    return ""


def _usual(parameter: Parameter, preset: Preset, *, alone: bool) -> tuple[Setting | None, ...]:
    return (parameter.default,) if alone else parameter.presets.get(preset, (parameter.default,))
