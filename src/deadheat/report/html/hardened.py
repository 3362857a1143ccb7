"""Templates in which nothing that others wrote can do harm: names, logs and versions are hostile input."""

from functools import cache
from importlib import resources

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from deadheat.report.html import text


@cache
def static(package: str, name: str) -> str:
    """A style or a script that lies beside the templates of a package, fit to stand in a page."""
    found = (resources.files(package) / "templates" / name).read_text(encoding="utf-8")
    assert "</s" not in found, f"{name} would end its own element"
    return found


def hardened(*packages: str) -> Environment:
    """An environment of the templates of packages, the first before the next: all is escaped, a name that is
    not known is an error."""
    return Environment(
        loader=ChoiceLoader([PackageLoader(package) for package in packages]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_finalize,
    )


def _finalize(value: object) -> object:
    """All text that a template prints passes here, whoever wrote it."""
    if isinstance(value, Markup) or not isinstance(value, str):
        return value
    return escape(text.visible(value))
