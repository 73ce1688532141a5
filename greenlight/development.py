"""Development commands; provider keys are removed from their environment."""

import json
import re
import subprocess
import sys
import sysconfig
from argparse import Namespace
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from activities.late_packages import FEATURES, LATER
from greenlight.bootstrap import DEVELOPMENT, ROOT, RUNTIME
from greenlight.errors import UsageError

WORD_RULES = ("words_are_not_read", "notice_codes")
"""Tests that hold code to the codes of the catalogues, not to their words."""
CHECKS = (
    ("ruff", "check", "."),
    ("ruff", "format", "--check", "."),
    ("mypy",),
    ("lint-imports",),
)
WORD_CHECK = (
    *("pytest", "-q", "-p", "no:cacheprovider"),  # `test` may run beside it, and keeps what failed
    *(f"tests/contracts/test_{name}.py" for name in WORD_RULES),
)

PYTEST = (sys.executable, "-m", "pytest")
MOST_RERUN = 20
TESTS_FAILED = 1
"""Exit code of pytest."""

FIRST_EXTRAS = ("gateway", "worker", "local", "offline")
"""Extras that a first run on one machine needs; each feature adds its own."""
EXTRAS = (*FIRST_EXTRAS, *FEATURES)
IMAGES = {
    "gateway": ("gateway", "exports"),
    "worker": ("worker", "recall"),
    "crew-worker": ("worker", "recall", "crew"),
}
"""The images of deploy/Dockerfile, and the extras in each."""


def image_lock(image: str) -> Path:
    """Return the path of an image's lock."""
    return ROOT / f"requirements-{image}.lock"


def test(args: Namespace) -> int:
    """Run the tests in four processes, since they mostly wait; with `--all` including complete matrices.

    Raises:
        UsageError: A named test file or folder does not exist; pytest would run nothing.
    """
    for word in args.pytest:
        named = word.partition("::")[0]
        if named.startswith("tests") and not (ROOT / named).exists():
            raise UsageError(f"there is no {named!r} among the tests")
    chosen = [] if args.all else ["-m", "not full"]
    code = _run(*PYTEST, "--processes=4", *chosen, *args.pytest)
    return rerun_failed(ROOT) if args.rerun and code == TESTS_FAILED else code


def rerun_failed(root: Path) -> int:
    """Rerun the failed tests one by one; report those that pass now as flaky.

    Returns:
        pytest's exit code: 0 if all pass now. More than `MOST_RERUN` failures do not count as flaky.
    """
    failed = _list_failed(root)
    if len(failed) > MOST_RERUN:
        return TESTS_FAILED
    code = _run(*PYTEST, "--last-failed", "--last-failed-no-failures", "none", root=root)
    for name in sorted(failed - _list_failed(root)):
        print(f"FLAKY {name}", flush=True)
    return code


def _list_failed(root: Path) -> set[str]:
    """Return the ids of the tests that pytest remembers as failed."""
    cache = root / ".pytest_cache" / "v" / "cache" / "lastfailed"
    return set(json.loads(cache.read_text("utf-8"))) if cache.exists() else set()


def check(args: Namespace) -> int:
    """Run every check, also after one has failed; `--without-tests` leaves out rules that `test` checks as well.

    Those of the page are shown last. They run beside the others, but after them where `test` runs meanwhile:
    it has installed the packages of the page by then. mypy runs in one process: its workers give up where they
    have to wait three seconds for a processor.
    """
    with ThreadPoolExecutor(1) as beside:
        page = None if args.without_tests else beside.submit(_check_page)
        failed = []
        for command in CHECKS if args.without_tests else (*CHECKS, WORD_CHECK):
            print(f"-- {' '.join(command)}", flush=True)
            if _run_script(*command):
                failed.append(" ".join(command))
        page = page or beside.submit(_check_page)
    for command, done in page.result():
        print(f"-- {' '.join(command)}\n{done.stdout}", end="", flush=True)
        if done.returncode:
            failed.append(" ".join(command))
    print(f"failed: {', '.join(failed)}" if failed else "all clean")
    return 1 if failed else 0


def _check_page() -> list[tuple[tuple[str, ...], subprocess.CompletedProcess[str]]]:
    """Run the page's checks and return each with its output."""
    from greenlight import page_checks

    page_checks.prepare()
    return [(command, page_checks.run(*command)) for command in page_checks.CHECKS]


def lock(_: Namespace) -> int:
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
    write_later()
    return 0


def chaos(args: Namespace) -> int:
    """Break things at random while runs go on, and print what does not hold."""
    options = (f"--{name}={getattr(args, name)}" for name in ("seed", "runs", "batch"))
    return _run(sys.executable, "-m", "tests.chaos.seeded.campaign", *options)


def write_later() -> None:
    """Write which packages of the runtime lock only a feature needs."""
    constraint = ("--constraint", RUNTIME.name)
    first = {_name(pin) for pin in _compile(*FIRST_EXTRAS, options=constraint)}
    later = {
        feature: sorted(
            {_name(pin) for pin in _compile(*FIRST_EXTRAS, feature, options=constraint)} - first
        )
        for feature in FEATURES
    }
    LATER.write_text(json.dumps(later, indent=2) + "\n", encoding="ascii")


def record_history(_: Namespace) -> int:
    """Record the histories that the replay tests replay."""
    return _run(sys.executable, "-m", "tests.replay.record")


def docs(_: Namespace) -> int:
    """Write the generated documents."""
    from greenlight.generated_docs import DOCUMENTS

    for path, render in DOCUMENTS.items():
        path.write_text("".join(render()), encoding="utf-8")
        print(path.relative_to(ROOT))
    return 0


def _name(pin: str) -> str:
    return pin.partition("==")[0]


def _run_script(program: str, *options: str) -> int:
    return _run(str(Path(sysconfig.get_path("scripts")) / program), *options)


def _run(*command: str, root: Path = ROOT) -> int:
    return subprocess.run(command, cwd=root, check=False).returncode


def _compile(*extras: str, options: tuple[str, ...] = ("--upgrade",)) -> list[str]:
    """Return the entries of a lock, each a pin and the lines of its hashes."""
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
    entries = re.findall(r"^\S.*\n(?: .*\n)*", output, re.MULTILINE)
    return [entry for entry in entries if "sys_platform == 'never'" not in entry]
