"""The wheel, and an environment that holds it with the packages that it requires, and no others."""

import asyncio
import os
import shutil
import subprocess
import sys
import venv
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path

import pytest

from greenlight.packaging.wheel import build_wheel, list_requirements
from greenlight.stack.home import Home
from greenlight.stack.page import build_page

UV = Path(sys.executable).with_name("uv")
NO_INDEX = "http://127.0.0.1:9/simple"
"""Nobody answers here."""


@dataclass(frozen=True)
class Installation:
    """An environment with the wheel in it, in a folder that also has the user's home."""

    folder: Path

    @property
    def packages(self) -> Path:
        """Folder of the environment's packages."""
        [found] = (self.folder / "environment").glob("lib/python*/site-packages")
        return found

    @property
    def python(self) -> str:
        return str(self.folder / "environment" / "bin" / "python")

    @property
    def environment(self) -> dict[str, str]:
        """Environment variables of a user who has uv, and no package index that answers."""
        return {
            "HOME": str(self.folder),
            "XDG_STATE_HOME": str(self.folder / "state"),
            "XDG_CONFIG_HOME": str(self.folder / "config"),
            "PATH": "/usr/bin:/bin",
            "UV": str(UV),
            "UV_DEFAULT_INDEX": NO_INDEX,
            "UV_HTTP_RETRIES": "0",
            "UV_CACHE_DIR": str(self.folder / "cache"),
            "PIP_CONFIG_FILE": os.devnull,
        }

    def run(self, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
        """Run `greenlight` in an empty folder."""
        return self._execute([str(Path(self.python).with_name("greenlight")), *words], variables)

    def evaluate(self, code: str, **variables: str) -> subprocess.CompletedProcess[str]:
        """Run Python code in an empty folder."""
        return self._execute([self.python, "-P", "-c", code], variables)

    def start(self, *words: str) -> "subprocess.Popen[str]":
        """Start `greenlight` in an empty folder."""
        return subprocess.Popen(
            [str(Path(self.python).with_name("greenlight")), *words],
            cwd=self._work,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    @property
    def _work(self) -> Path:
        return self.folder / "work"

    def _execute(
        self, argv: list[str], variables: Mapping[str, str]
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            argv,
            cwd=self._work,
            env={**self.environment, **variables},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = Home(tmp_path_factory.mktemp("home"))
    with home.join():
        asyncio.run(build_page(home, with_checks=True))
    return build_wheel(tmp_path_factory.mktemp("dist"))


@pytest.fixture(scope="session")
def installation(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installation:
    """The wheel, installed by uv; what it requires is linked from this environment: no index is asked."""
    installed = Installation(tmp_path_factory.mktemp("installed"))
    (installed.folder / "work").mkdir()
    venv.create(installed.folder / "environment", symlinks=True, with_pip=False)
    for requirement in list_requirements():
        for source, target in _list_installed(requirement.partition("==")[0], installed.packages):
            target.parent.mkdir(parents=True, exist_ok=True)
            _link(source, target)
    argv = [str(UV), "pip", "install", "--quiet", "--no-deps", "--offline"]
    subprocess.run([*argv, "--python", installed.python, str(wheel)], check=True)
    return installed


def _list_installed(package: str, packages: Path) -> Iterator[tuple[Path, Path]]:
    """Yield the files of an installed package, and where they belong."""
    with suppress(PackageNotFoundError):  # one for other systems
        for file in files(package) or []:
            target = Path(os.path.normpath(packages / str(file)))
            if "__pycache__" not in target.parts and not target.exists():
                yield Path(str(file.locate())), target


def _link(source: Path, target: Path) -> None:
    try:
        target.hardlink_to(source.resolve())
    except OSError:  # on another file system
        shutil.copy2(source, target)
