"""`docs/adding-a-kind.md` is followed to the letter, in a copy of the tree."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT

PAGE = (ROOT / "docs" / "adding-a-kind.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^`([\w./]+)`(, new)?:\n\n```\w+\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def follow(tree: Path) -> list[str]:
    """Do what the page says, and return the names of the files that are new."""
    blocks = BLOCK.findall(PAGE)
    for name, new, text in blocks:
        path = tree / name
        assert path.exists() != bool(new)
        path.write_text(text if new else added(path.read_text(encoding="utf-8"), text), "utf-8")
    return [name for name, new, _ in blocks if new]


def added(text: str, change: str) -> str:
    """Return a text with each line that has a `+` after the line above it."""
    lines, place = text.splitlines(), -1
    for line in change.splitlines():
        if line.startswith("+"):
            place += 1
            lines.insert(place, line[1:])
        else:
            assert lines.count(line[1:]) == 1, line
            place = lines.index(line[1:])
    return "\n".join(lines) + "\n"


def run(tree: Path, *arguments: str) -> None:
    own = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    command = [sys.executable, *arguments]
    done = subprocess.run(command, cwd=tree, env=own, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


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
    [test] = [name for name in new if name.startswith("tests/")]
    run(tree, "-m", "pytest", "-q", test, "tests/test_architecture.py", "-k", "translate or kind")
