"""The locks: every dependency pinned with its hashes, and no address in them."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
RUNTIME = ROOT / "requirements.lock"
DEVELOPMENT = ROOT / "requirements-dev.lock"


def write_locks() -> None:
    """Compile both locks from `pyproject.toml`; the second holds only what it adds."""
    runtime = _compiled()
    RUNTIME.write_text("".join(runtime), encoding="utf-8")
    additions = [entry for entry in _compiled("--extra", "dev") if entry not in runtime]
    DEVELOPMENT.write_text("".join(additions), encoding="utf-8")


def entries(lock: str) -> list[str]:
    """Split a lock into its entries, each a pin and the lines of its hashes."""
    found: list[str] = []
    for line in lock.splitlines(keepends=True):
        if line.startswith(" "):
            found[-1] += line
        else:
            found.append(line)
    return found


def _compiled(*options: str) -> list[str]:
    compiled = subprocess.run(
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
    # An override cannot drop a package; it can only ask for it where nobody is.
    return [entry for entry in entries(compiled) if "sys_platform == 'never'" not in entry]
