"""What pyproject.toml cannot say: the built-in suite goes into the wheel, and the wheel fits any Python 3."""

import shutil
from pathlib import Path
from typing import Any

from setuptools import setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist

# What a build in a contender's folder may have left there.
LEFTOVERS = ("node_modules", "target", "_build", ".venv", "__pycache__", ".shards")


class WithSuite(build_py):
    """Copies `suite/` into the package as `deadheat/builtin_suite`, links as what they point to."""

    def run(self) -> None:
        super().run()
        if self.editable_mode:
            return  # the checkout's own suite serves
        inside = Path(self.build_lib) / "deadheat" / "builtin_suite"
        shutil.rmtree(inside, ignore_errors=True)
        shutil.copytree("suite", inside, ignore=shutil.ignore_patterns(*LEFTOVERS))


class WithLinks(sdist):
    """Contenders that are links to another workload's: a manifest has files only."""

    def make_release_tree(self, base_dir: str, files: list[str]) -> None:
        super().make_release_tree(base_dir, files)
        for link in (path for path in Path("suite").rglob("*") if path.is_symlink() and path.is_dir()):
            (Path(base_dir) / link).symlink_to(link.readlink())


class AnyPython(bdist_wheel):
    """Two programs and pure Python: of this platform, but of no one version of Python."""

    def get_tag(self) -> tuple[str, str, str]:
        _, _, platform = super().get_tag()
        return "py3", "none", platform


commands: dict[str, Any] = {"build_py": WithSuite, "bdist_wheel": AnyPython, "sdist": WithLinks}
setup(cmdclass=commands)
