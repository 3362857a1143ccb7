"""Where this user's files go."""

import os
from pathlib import Path

import platformdirs

PACKAGE = Path(__file__).parents[1]
# Where a wheel has the suite, and where an installation from the sources, in place, has it.
INSTALLED = (PACKAGE / "builtin_suite", PACKAGE.parents[1] / "suite")
SUITE, RUNS = Path("suite"), Path("runs")


def cache_folder() -> Path:
    """Where builds, tools and calibrations are kept: DEADHEAT_CACHE, else the user's cache."""
    if named := os.environ.get("DEADHEAT_CACHE"):
        return Path(named).absolute()
    return platformdirs.user_cache_path("deadheat").absolute()


def suite_folder() -> Path:
    """`suite` where there is one, else the suite that came with this installation."""
    return next((folder for folder in (SUITE, *INSTALLED) if folder.is_dir()), SUITE)


def runs_folder() -> Path:
    """`runs` beside a suite or where there is one already, else in the user's data folder."""
    if SUITE.is_dir() or RUNS.is_dir():
        return RUNS
    return platformdirs.user_data_path("deadheat").absolute() / "runs"
