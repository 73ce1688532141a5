"""Bootstrap: create `.venv` from the locks and run the command line in it.

Standard library only. Safe to interrupt and to run concurrently: a stamp is written last, and one
process at a time does the work.
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

ROOT = Path(__file__).parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
RUNTIME = ROOT / "requirements.lock"
DEVELOPMENT = ROOT / "requirements-dev.lock"
DEVELOPMENT_COMMANDS = ("test", "check", "chaos", "bench", "record-history", "screenshots")


def main() -> None:
    """Run the command line, in a new process if this one is outside the environment."""
    develops = sys.argv[1:2] in ([command] for command in DEVELOPMENT_COMMANDS)
    locks = [RUNTIME, DEVELOPMENT] if develops else [RUNTIME]
    try:
        if not all(map(_is_installed, locks)):
            with _lock():
                for lock in locks:
                    if not _is_installed(lock):
                        _install(lock)
    except subprocess.CalledProcessError:
        sys.exit(
            f"greenlight: could not prepare {VENV}, for the reason above. It takes a package index: "
            "the network, or a mirror that PIP_INDEX_URL names"
        )
    except OSError as error:
        sys.exit(f"greenlight: could not prepare {VENV}: {error}")
    except KeyboardInterrupt:
        sys.exit("greenlight: interrupted; the next start goes on from here")
    make_importable(VENV, ROOT)
    # Thousands of modules: without bytecode every start takes seconds longer.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    if not _is_inside():
        os.execv(PYTHON, [str(PYTHON), *sys.orig_argv[1:]])  # noqa: S606 - this program, no shell
    from greenlight import cli

    cli.main()


def _is_inside() -> bool:
    return Path(sys.prefix).resolve() == VENV.resolve()


def _is_installed(lock: Path) -> bool:
    stamp = _stamp(lock)
    return stamp.exists() and stamp.read_text(encoding="ascii") == _fingerprint(lock)


def _stamp(lock: Path) -> Path:
    return VENV / f"{lock.name}.installed"


def _fingerprint(lock: Path) -> str:
    """Return what the environment depends on: the lock and the Python version."""
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


def _install(lock: Path) -> None:
    started = time.monotonic()
    if lock == RUNTIME:
        _create_venv()
    notify(f"installing {lock.name}")
    options = ("--require-hashes", "--no-deps", "--only-binary", ":all:", "-r", str(lock))
    if not _run_uv("pip", "install", "--python", str(PYTHON), *options):
        notify("uv failed; trying pip, which has mirrors of its own")
        _run_pip("install", "--quiet", "--no-compile", *options)
    _stamp(lock).write_text(_fingerprint(lock), encoding="ascii")
    notify(f"installed in {time.monotonic() - started:.0f} s")


def _create_venv() -> None:
    """Create an environment with uv alone, as pinned by the lock."""
    if VENV.is_symlink():
        sys.exit(f"greenlight: {VENV} is a link to another tree; remove it, or update both")
    notify(f"making {VENV} (once; about 1.2 GB)")
    _stamp(RUNTIME).unlink(missing_ok=True)
    _stamp(DEVELOPMENT).unlink(missing_ok=True)
    venv.create(VENV, clear=not _is_inside(), symlinks=True, with_pip=not _has_pip())
    pin = re.search(r"^uv==.*\n(?: .*\n)*", RUNTIME.read_text(encoding="ascii"), re.MULTILINE)
    assert pin is not None
    with tempfile.NamedTemporaryFile("w", suffix=".txt", encoding="ascii") as pinned:
        pinned.write(pin[0])
        pinned.flush()
        _run_pip("install", "-qq", "--no-compile", "--require-hashes", "-r", pinned.name)


def make_importable(environment: Path, root: Path) -> None:
    """Have the environment's Python find the project's packages from any folder."""
    [packages] = environment.glob("lib/python*/site-packages")
    link = packages / "greenlight.pth"
    if not link.exists() or link.read_text(encoding="utf-8") != f"{root}\n":
        link.write_text(f"{root}\n", encoding="utf-8")


def _has_pip() -> bool:
    return importlib.util.find_spec("pip") is not None


def _run_uv(*command: str) -> bool:
    """Run uv, showing downloads and errors; return whether it succeeded."""
    argv = [str(PYTHON), "-m", "uv", *command]
    with subprocess.Popen(argv, cwd=ROOT, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if not line.startswith((" + ", " Downloaded", "Resolved", "Prepared")):
                print(f"  {line.strip()}", file=sys.stderr, flush=True)
    return process.returncode == 0


def _run_pip(command: str, *options: str) -> None:
    """Run this Python's pip on the environment, or the environment's own pip."""
    pip = [sys.executable, "-m", "pip", "--python", str(PYTHON)]
    if not _has_pip():
        pip = [str(PYTHON), "-m", "pip"]
    quiet = ("--disable-pip-version-check", "--no-input")
    subprocess.run([*pip, command, *quiet, *options], cwd=ROOT, check=True)


def notify(text: str) -> None:
    """Print a progress line, separate from the output."""
    print(f"greenlight: {text}", file=sys.stderr, flush=True)
