"""Bootstrap: create `.venv` from the locks and run the command line in it.

Standard library only. Safe to interrupt and to run concurrently: a stamp is written last, and one
process at a time does the work. An installed Greenlight has its environment already.
"""

import fcntl
import hashlib
import importlib.util
import os
import re
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from activities.late_packages import InstallFailed, install_pins, select_pins

ROOT = Path(__file__).parent.parent
IS_CLONE = (ROOT / "pyproject.toml").exists()
"""False for an installed Greenlight, whose environment the installer made."""
COMMAND = "python3 -m greenlight" if IS_CLONE else "greenlight"
"""How users call the command line."""
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
RUNTIME = ROOT / "requirements.lock"
DEVELOPMENT = ROOT / "requirements-dev.lock"
FIRST = "first"
"""The part of the runtime lock that a first run needs; features install theirs when first used."""
DEVELOPMENT_COMMANDS = ("test", "check", "chaos", "bench", "record-history", "screenshots", "build")


def main() -> None:
    """Run the command line, in a new process if this one is outside the clone's environment."""
    if IS_CLONE:
        _prepare()
    # Thousands of modules: without bytecode every start takes seconds longer.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    if IS_CLONE and not _is_inside():
        os.execv(PYTHON, [str(PYTHON), *sys.orig_argv[1:]])  # noqa: S606 - this program, no shell
    from greenlight import cli

    cli.main()


def _prepare() -> None:
    develops = sys.argv[1:2] in ([command] for command in DEVELOPMENT_COMMANDS)
    parts = [RUNTIME.name, DEVELOPMENT.name] if develops else [FIRST]
    try:
        if not all(map(_is_installed, parts)):
            with _lock():
                for part in parts:
                    if not _is_installed(part):
                        _install(part)
    except (InstallFailed, subprocess.CalledProcessError) as error:
        sys.exit(
            f"greenlight: could not prepare {VENV}: {error}. It takes a package index: "
            "the network, or a mirror that PIP_INDEX_URL names"
        )
    except OSError as error:
        sys.exit(f"greenlight: could not prepare {VENV}: {error}")
    except KeyboardInterrupt:
        sys.exit("greenlight: interrupted; the next start goes on from here")
    make_importable(VENV, ROOT)


def _is_inside() -> bool:
    return Path(sys.prefix).resolve() == VENV.resolve()


def _is_installed(part: str) -> bool:
    """Return whether a part is installed as locked; the whole of the runtime lock includes the first part."""
    stamps = [_stamp(part), _stamp(RUNTIME.name)] if part == FIRST else [_stamp(part)]
    current = _fingerprint(part)
    return any(stamp.exists() and stamp.read_text(encoding="ascii") == current for stamp in stamps)


def _stamp(part: str) -> Path:
    return VENV / f"{part}.installed"


def _fingerprint(part: str) -> str:
    """Return what the environment depends on: the lock and the Python version."""
    lock = ROOT / (RUNTIME.name if part == FIRST else part)
    version = ".".join(map(str, sys.version_info[:2]))
    return f"{version} {hashlib.sha256(lock.read_bytes()).hexdigest()}"


@contextmanager
def _lock() -> Iterator[None]:
    with RUNTIME.open("rb") as lock_file:
        try:
            fcntl.flock(lock_file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            notify("waiting for another process that prepares .venv")
            fcntl.flock(lock_file, fcntl.LOCK_EX)
        yield


def _install(part: str) -> None:
    started = time.monotonic()
    if not _is_installed(FIRST):
        _create_venv()
    notify(f"installing {'what a first run needs' if part == FIRST else part}")
    pins = select_pins(RUNTIME) if part == FIRST else (ROOT / part).read_text(encoding="ascii")
    install_pins(pins, PYTHON, _show)
    _stamp(part).write_text(_fingerprint(part), encoding="ascii")
    notify(f"installed in {time.monotonic() - started:.0f} s")


def _create_venv() -> None:
    """Create an environment with uv alone, as pinned by the lock."""
    if VENV.is_symlink():
        sys.exit(f"greenlight: {VENV} is a link to another tree; remove it, or update both")
    notify(f"making {VENV} (once)")
    for stamp in VENV.glob("*.installed"):
        stamp.unlink()
    venv.create(VENV, clear=not _is_inside(), symlinks=True, with_pip=not _has_pip())
    pin = re.search(r"^uv==.*\n(?: .*\n)*", RUNTIME.read_text(encoding="ascii"), re.MULTILINE)
    assert pin is not None
    with tempfile.NamedTemporaryFile("w", suffix=".txt", encoding="ascii") as pinned:
        pinned.write(pin[0])
        pinned.flush()
        options = ("-qq", "--no-compile", "--require-hashes", "-r", pinned.name)
        _run_pip("install", *options)


def make_importable(environment: Path, root: Path) -> None:
    """Make the project's packages importable in the environment, from any folder."""
    [packages] = environment.glob("lib/python*/site-packages")
    link = packages / "greenlight.pth"
    if not link.exists() or link.read_text(encoding="utf-8") != f"{root}\n":
        link.write_text(f"{root}\n", encoding="utf-8")


def _has_pip() -> bool:
    return importlib.util.find_spec("pip") is not None


def _run_pip(command: str, *options: str) -> None:
    """Run this Python's pip on the environment, or else the environment's own."""
    pip = [sys.executable, "-m", "pip", "--python", str(PYTHON)]
    if not _has_pip():
        pip = [str(PYTHON), "-m", "pip"]
    quiet = ("--disable-pip-version-check", "--no-input")
    subprocess.run([*pip, command, *quiet, *options], cwd=ROOT, check=True)


def notify(text: str) -> None:
    """Print a progress line, separate from the output."""
    print(f"greenlight: {text}", file=sys.stderr, flush=True)


def _show(line: str) -> None:
    """Print a line of an installer."""
    print(line, file=sys.stderr, flush=True)
