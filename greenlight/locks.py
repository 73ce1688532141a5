"""Lock files: every dependency pinned with its hashes, without index addresses."""

import subprocess
import sys
from pathlib import Path

from greenlight.bootstrap import DEVELOPMENT, ROOT, RUNTIME

EXTRAS = ("gateway", "worker", "crew", "local", "offline")
IMAGES = {"gateway": ("gateway",), "worker": ("worker",), "crew-worker": ("worker", "crew")}
"""The images of deploy/Dockerfile, and the extras in each."""


def image_lock(image: str) -> Path:
    """Return the path of an image's lock."""
    return ROOT / f"requirements-{image}.lock"


def write_locks() -> None:
    """Compile all locks from `pyproject.toml`.

    One holds what runs on one machine, another what development adds to it, and one for each image
    what its extras take of the first.
    """
    runtime = _compile(*EXTRAS)
    RUNTIME.write_text("".join(runtime), encoding="utf-8")
    additions = [entry for entry in _compile(*EXTRAS, "dev") if entry not in runtime]
    DEVELOPMENT.write_text("".join(additions), encoding="utf-8")
    for image, extras in IMAGES.items():
        pins = _compile(*extras, options=("--constraint", RUNTIME.name))
        image_lock(image).write_text("".join(pins), encoding="utf-8")


def split_entries(lock: str) -> list[str]:
    """Split a lock into entries: a pin and the lines of its hashes."""
    entries: list[str] = []
    for line in lock.splitlines(keepends=True):
        if line.startswith(" "):
            entries[-1] += line
        else:
            entries.append(line)
    return entries


def _compile(*extras: str, options: tuple[str, ...] = ("--upgrade",)) -> list[str]:
    output = subprocess.run(
        [
            *(sys.executable, "-m", "uv", "pip", "compile", "pyproject.toml", "--quiet"),
            *("--universal", "--python-version", "3.11", "--generate-hashes"),
            *("--no-header", "--no-annotate", *options),
            *(f"--extra={extra}" for extra in extras),
        ],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    ).stdout
    # An override cannot drop a package, only restrict it to a platform that does not exist.
    return [entry for entry in split_entries(output) if "sys_platform == 'never'" not in entry]
