"""Lock files: every dependency pinned with its hashes, without index addresses."""

import subprocess
import sys

from greenlight.bootstrap import DEVELOPMENT, ROOT, RUNTIME


def write_locks() -> None:
    """Compile both locks from `pyproject.toml`; the development lock holds only its additions."""
    runtime = _compile()
    RUNTIME.write_text("".join(runtime), encoding="utf-8")
    additions = [entry for entry in _compile("--extra", "dev") if entry not in runtime]
    DEVELOPMENT.write_text("".join(additions), encoding="utf-8")


def split_entries(lock: str) -> list[str]:
    """Split a lock into entries: a pin and the lines of its hashes."""
    entries: list[str] = []
    for line in lock.splitlines(keepends=True):
        if line.startswith(" "):
            entries[-1] += line
        else:
            entries.append(line)
    return entries


def _compile(*options: str) -> list[str]:
    output = subprocess.run(
        [
            *(sys.executable, "-m", "uv", "pip", "compile", "pyproject.toml", "--quiet"),
            *("--universal", "--python-version", "3.11", "--generate-hashes"),
            *("--no-header", "--no-annotate", "--upgrade", *options),
        ],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    ).stdout
    # An override cannot drop a package, only restrict it to a platform that does not exist.
    return [entry for entry in split_entries(output) if "sys_platform == 'never'" not in entry]
