"""Builds the wheel: our packages are in `_greenlight`, which a one-line .pth makes importable.

So no module is renamed, and nothing of ours is a top-level name of an environment but `_greenlight`.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from activities.late_packages import LATER, select_pins
from greenlight.bootstrap import ROOT, RUNTIME
from greenlight.errors import CommandError
from greenlight.stack.page import BUILT_FROM, DIST

FOLDER = "_greenlight"
ROOMS = (
    *("activities", "api", "contracts", "domain", "greenlight"),
    *("offline", "store", "temporal", "workflows"),
)
FILES = ("settings.py", "worker.py", RUNTIME.name, LATER.name)
OF_DEVELOPERS = (
    "greenlight/development.py",
    "greenlight/generated_docs.py",
    "greenlight/page_checks.py",
    "greenlight/packaging/",
)
"""Files that only a clone needs."""
BROUGHT = ("uv",)
"""Locked packages that installers of the wheel already have, or do not need."""


def build_wheel(out: Path) -> Path:
    """Build the wheel from our rooms and the built page; return its path.

    Raises:
        CommandError: the page is not built, or the build failed.
    """
    if not BUILT_FROM.exists():
        raise CommandError(f"the page is not built: {DIST} is missing")
    with TemporaryDirectory() as folder:
        stage = Path(folder)
        for path in list_files():
            target = stage / FOLDER / path.relative_to(ROOT)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)
        for name in ("README.md", "LICENSE"):
            shutil.copyfile(ROOT / name, stage / name)
        (stage / "greenlight.pth").write_text(f"{FOLDER}\n", encoding="ascii")
        (stage / "pyproject.toml").write_text("".join(describe_project()), encoding="utf-8")
        argv = [sys.executable, "-m", "hatchling", "build", "--target", "wheel"]
        environment = {**os.environ, "SOURCE_DATE_EPOCH": str(find_epoch())}
        built = subprocess.run(
            [*argv, "--directory", str(out.absolute())],
            cwd=stage,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        if built.returncode:
            raise CommandError(f"the wheel was not built:\n{built.stderr.strip()}")
    return out / name_wheel()


def name_wheel() -> str:
    """Return the wheel's file name."""
    return f"greenlight-{_read_project()['version']}-py3-none-any.whl"


def list_files() -> list[Path]:
    """Return the wheel's files: those of our packages that git does not ignore, and the built page."""
    wanted = ("--cached", "--others", "--exclude-standard", "-z", "--")
    argv = ["git", "ls-files", *wanted, *ROOMS, *FILES]
    found = subprocess.run(argv, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    names = [name for name in found.split("\0") if name and not name.startswith(OF_DEVELOPERS)]
    page = [path for path in DIST.rglob("*") if path.is_file() and path != BUILT_FROM]
    return [*(ROOT / name for name in names if (ROOT / name).exists()), *sorted(page)]


def lock_requirements() -> str:
    """Return the lock's entries that a first run needs, with their hashes, which a wheel cannot hold."""
    entries = re.findall(r"^\S.*\n(?: .*\n)*", select_pins(RUNTIME), re.MULTILINE)
    return "".join(entry for entry in entries if entry.partition("==")[0] not in BROUGHT)


def list_requirements() -> list[str]:
    """Return the lock's pins, with markers, that a first run needs."""
    return [line.rstrip("\\ ") for line in lock_requirements().splitlines() if line[:1] != " "]


def describe_project() -> Iterator[str]:
    """Yield the lines of the pyproject.toml that the wheel is built by."""
    project = _read_project()
    fields = {
        "name": project["name"],
        "version": project["version"],
        "description": project["description"],
        "requires-python": project["requires-python"],
        "readme": "README.md",
        "license": "MIT",
        "license-files": ["LICENSE"],
        "dependencies": list_requirements(),
    }
    yield '[build-system]\nrequires = ["hatchling"]\nbuild-backend = "hatchling.build"\n[project]\n'
    for key, value in fields.items():
        yield f"{key} = {json.dumps(value)}\n"
    yield '[project.scripts]\ngreenlight = "greenlight.__main__:main"\n'
    yield "[tool.hatch.build]\nignore-vcs = true\n[tool.hatch.build.targets.wheel]\n"
    yield f'only-include = ["{FOLDER}", "greenlight.pth"]\n'
    yield 'core-metadata-version = "2.4"\n'  # readable for pip of Python 3.11


def find_epoch() -> int:
    """Return SOURCE_DATE_EPOCH, or else the time of the newest commit."""
    if named := os.environ.get("SOURCE_DATE_EPOCH"):
        return int(named)
    argv = ["git", "log", "-1", "--format=%ct"]
    return int(subprocess.run(argv, cwd=ROOT, capture_output=True, text=True, check=True).stdout)


def _read_project() -> dict[str, str]:
    project: dict[str, str] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    return project
