"""From bare Python to our own environment: make `.venv` as the locks say, and go on inside it.

Standard library alone. Safe to interrupt and to start twice at once: a stamp is written last, and
one process at a time does the work.
"""

import fcntl
import hashlib
import importlib.util
import os
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
DEVELOPMENT_COMMANDS = ("test", "check", "bench", "record-history")


def main() -> None:
    """Run the command line inside the environment; outside, start again inside."""
    develops = sys.argv[1:2] in ([command] for command in DEVELOPMENT_COMMANDS)
    _ensure([RUNTIME, DEVELOPMENT] if develops else [RUNTIME])
    # Thousands of modules: without their bytecode every start would take seconds more.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    if not _is_inside():
        os.execv(PYTHON, [str(PYTHON), *sys.orig_argv[1:]])  # noqa: S606 - ourselves, no shell
    from greenlight import cli

    cli.main()


def _ensure(locks: list[Path]) -> None:
    try:
        if all(map(_is_installed, locks)):
            return
        with _alone():
            for lock in locks:
                if not _is_installed(lock):
                    _install(lock)
    except (OSError, subprocess.CalledProcessError) as error:
        sys.exit(f"greenlight: could not prepare {VENV}: {error}")
    except KeyboardInterrupt:
        sys.exit("greenlight: interrupted; the next start goes on from here")


def _is_inside() -> bool:
    return Path(sys.prefix).resolve() == VENV.resolve()


def _is_installed(lock: Path) -> bool:
    stamp = _stamp(lock)
    return stamp.exists() and stamp.read_text(encoding="ascii") == _fingerprint(lock)


def _stamp(lock: Path) -> Path:
    return VENV / f"{lock.name}.installed"


def _fingerprint(lock: Path) -> str:
    """Return what the environment depends on: the lock, and the Python it was made with."""
    version = ".".join(map(str, sys.version_info[:2]))
    return f"{version} {hashlib.sha256(lock.read_bytes()).hexdigest()}"


@contextmanager
def _alone() -> Iterator[None]:
    with RUNTIME.open("rb") as held:
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            _say("another process prepares .venv; waiting for it")
            fcntl.flock(held, fcntl.LOCK_EX)
        yield


def _install(lock: Path) -> None:
    started = time.monotonic()
    if lock == RUNTIME:
        _make()
    _say(f"installing what {lock.name} names")
    wanted = ("--require-hashes", "--no-deps", "--only-binary", ":all:", "-r", str(lock))
    if not _uv("pip", "install", "--python", str(PYTHON), *wanted):
        _say("uv could not; trying pip, which knows its own mirrors")
        _pip("install", "--quiet", "--no-compile", *wanted)
    _stamp(lock).write_text(_fingerprint(lock), encoding="ascii")
    _say(f"installed in {time.monotonic() - started:.0f} s")


def _make() -> None:
    """Make an empty environment that holds uv, the installer the lock pins."""
    if VENV.is_symlink():
        sys.exit(
            f"greenlight: {VENV} is a link to another tree's; remove it, or bring both up to date"
        )
    _say(f"making {VENV} (once; about 700 MB)")
    _stamp(RUNTIME).unlink(missing_ok=True)
    _stamp(DEVELOPMENT).unlink(missing_ok=True)
    venv.create(VENV, clear=not _is_inside(), symlinks=True, with_pip=not _has_pip())
    pins = RUNTIME.read_text(encoding="ascii").split("\n")
    first = next(number for number, line in enumerate(pins) if line.startswith("uv=="))
    last = next(n for n in range(first, len(pins)) if not pins[n].endswith("\\"))
    with tempfile.NamedTemporaryFile("w", suffix=".txt", encoding="ascii") as pinned:
        pinned.write("\n".join(pins[first : last + 1]))
        pinned.flush()
        _pip("install", "-qq", "--no-compile", "--require-hashes", "-r", pinned.name)


def _has_pip() -> bool:
    return importlib.util.find_spec("pip") is not None


def _uv(*command: str) -> bool:
    """Run uv, showing what it fetches and its complaints; tell whether it did what it should."""
    argv = [str(PYTHON), "-m", "uv", *command]
    with subprocess.Popen(argv, cwd=ROOT, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if not line.startswith((" + ", " Downloaded", "Resolved", "Prepared")):
                print(f"  {line.strip()}", file=sys.stderr, flush=True)
    return process.returncode == 0


def _pip(command: str, *options: str) -> None:
    """Run the pip of this Python on the environment, or the environment's own."""
    pip = [sys.executable, "-m", "pip", "--python", str(PYTHON)]
    if not _has_pip():
        pip = [str(PYTHON), "-m", "pip"]
    quiet = ("--disable-pip-version-check", "--no-input")
    subprocess.run([*pip, command, *quiet, *options], cwd=ROOT, check=True)


def _say(text: str) -> None:
    print(f"greenlight: {text}", file=sys.stderr, flush=True)
