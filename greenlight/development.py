"""Development commands; provider keys are removed from their environment."""

import subprocess
import sys
import sysconfig
from argparse import Namespace
from pathlib import Path

from greenlight.stack.home import ROOT

CHECKS = (
    ("ruff", "check", "."),
    ("ruff", "format", "--check", "."),
    ("mypy",),
    ("lint-imports",),
)


def test(args: Namespace) -> int:
    """Run the tests in two processes; complete matrices with `--all`."""
    chosen = [] if args.all else ["-m", "not full"]
    spread = ["-n", "2", "--dist", "loadscope", "--no-loadscope-reorder"]
    command = [sys.executable, "-m", "pytest", *spread, *chosen, *args.pytest]
    return subprocess.run(command, cwd=ROOT, check=False).returncode


def check(_: Namespace) -> int:
    """Run every check, also after one has failed."""
    scripts = Path(sysconfig.get_path("scripts"))
    failed = []
    for program, *options in CHECKS:
        name = " ".join([program, *options])
        print(f"-- {name}", flush=True)
        if subprocess.run([scripts / program, *options], cwd=ROOT, check=False).returncode:
            failed.append(name)
    print(f"failed: {', '.join(failed)}" if failed else "all clean")
    return 1 if failed else 0


def bench(args: Namespace) -> int:
    """Run benchmarks."""
    names = [args.name] if args.name else []
    pages = ["--pages", str(Path(args.pages).absolute())] if args.pages else []
    command = [sys.executable, "-m", "bench", *names, *pages]
    return subprocess.run(command, cwd=ROOT, check=False).returncode


def lock(_: Namespace) -> int:
    """Compile the locks."""
    from greenlight.locks import write_locks

    write_locks()
    return 0


def record_history(_: Namespace) -> int:
    """Record the histories that the replay tests replay."""
    recorder = [sys.executable, "-m", "tests.replay.record"]
    return subprocess.run(recorder, cwd=ROOT, check=False).returncode


def docs(_: Namespace) -> int:
    """Write the generated documents."""
    from greenlight.generated_docs import DOCUMENTS

    for path, text in DOCUMENTS.items():
        path.write_text(text(), encoding="utf-8")
        print(path.relative_to(ROOT))
    return 0
