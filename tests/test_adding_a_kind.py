"""`docs/adding-a-kind.md` is followed to the letter, in a copy of the tree."""

import os
import shutil
import subprocess
import sys
from itertools import groupby
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.support.documents import read_blocks

BLOCKS = [block for block in read_blocks(ROOT / "docs" / "adding-a-kind.md") if block.file]


def follow(tree: Path) -> list[str]:
    """Do what the page says, and return the names of the files that are new."""
    new = []
    for block in BLOCKS:
        path = tree / block.file
        if path.exists():
            path.write_text(added(path.read_text(encoding="utf-8"), block.text), "utf-8")
        else:
            assert block.lead.endswith(", new:")
            path.write_text(block.text, "utf-8")
            new.append(block.file)
    return new


def added(text: str, change: str) -> str:
    """Return a text with each run of lines with a `+` after the run of lines above it."""
    lines, place = text.splitlines(), -1
    for is_new, run_of_lines in groupby(change.splitlines(), lambda line: line.startswith("+")):
        block = [line[1:] for line in run_of_lines]
        if is_new:
            lines[place:place] = block
        else:
            starts = [n for n in range(len(lines)) if lines[n : n + len(block)] == block]
            assert len(starts) == 1, block
            place = starts[0] + len(block)
    return "\n".join(lines) + "\n"


def run(tree: Path, *arguments: str) -> str:
    own = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    command = [sys.executable, *arguments]
    done = subprocess.run(command, cwd=tree, env=own, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.full
def test_documented_steps_add_a_kind(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    shutil.copytree(ROOT, tree, ignore=shutil.ignore_patterns(".*"))
    new = follow(tree)
    assert len(new) == 4
    code = [name for name in new if name.endswith(".py")]
    run(tree, "-m", "ruff", "check", *code)
    run(tree, "-m", "ruff", "format", "--check", *code)
    run(tree, "-c", "from greenlight.development import docs; docs(None)")
    assert "`translate`" in (tree / "docs" / "phases.md").read_text(encoding="utf-8")
    tests = [block.file for block in BLOCKS if block.file.startswith("tests/")]
    assert len(tests) == 2
    run(tree, "-m", "pytest", "-q", *tests, "tests/test_architecture.py")
    presets = ("tests/workflows/phases/models/test_unanswered_calls.py", "-k", "short_report")
    run(tree, "-m", "pytest", "-q", *presets)
    shipped = "from contracts.preset_definitions import PRESETS; print(*PRESETS)"
    assert run(tree, "-c", shipped).split()[:2] == ["deep_research", "short_report"]
