"""Rewords both catalogues in a clone of HEAD: `.venv/bin/python -m tests.support.reword FOLDER [PYTEST-ARGUMENT …]`.

The catalogues are `contracts/words` and the page's `web/src/strings`. What is made of them, the generated documents and the
page, is made again, and pytest runs there with the arguments. Its tests must pass, except those of the catalogues themselves
(`tests/contracts/test_words.py`, `test_read_failures.py`): all others pin codes, test ids and parameters, not words.
"""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from contracts.words import LANGUAGES

ROOT = Path(__file__).parents[2]
ONE, OTHER = "aoinbtsAONöÖ", "eulhdfcEUHüÜ"
"""Letters that replace each other; the two of a pair are about equally wide, so that the page's layout stays."""
LETTERS = str.maketrans(ONE + OTHER, OTHER + ONE)
KEPT = re.compile(
    r"(\{\w+(?::[,a$])?\}|\{\w+, plural, one \{|\} other \{|`[^`]*`|https?://\S+"
    r"|[A-Z]+_[A-Z_]+=.*|\w*_\w+|--[\w-]+|[mb]illion|Mio\.|Mrd\.)"
)
"""Unchanged parts: placeholders, plurals, code, variables with their values, names of fields and options, addresses and units."""
ENTRY = re.compile(r'^(  "(?!ask\.example\.)[\w.-]+":\s+)("(?:[^"\\]|\\.)*")(?=,$)', re.MULTILINE)
"""An entry of one of the page's catalogues, as oxfmt lays it out: what precedes its text, and the text.

Examples of questions stay: they are what is asked, which recorded samples answer.
"""
DOCS = "import sys; from greenlight import cli; sys.exit(cli.run_command(['docs']))"
BUILD = """import asyncio
from greenlight.stack import home, page
there = home.Home.from_environment()
there.log("page").parent.mkdir(parents=True, exist_ok=True)
asyncio.run(page.build_page(there, with_checks=True))
"""


def reword(text: str) -> str:
    """Return a text of a catalogue in other words of the same length."""
    parts = KEPT.split(text)
    return "".join(p if n % 2 else p.translate(LETTERS) for n, p in enumerate(parts))


def clone(folder: Path) -> None:
    """Clone HEAD into a folder, with a link to this tree's `.venv`."""
    subprocess.run(["git", "clone", "--quiet", ROOT, folder], check=True)
    (folder / ".venv").symlink_to((ROOT / ".venv").resolve())


def reword_catalogues(folder: Path) -> None:
    """Reword the texts of all catalogues below a folder, where they are."""
    for language in LANGUAGES:
        _rewrite(folder / "contracts" / "words" / f"{language}.json", _reword_notices)
        for name in (language, f"{language}-views"):
            _rewrite(folder / "web" / "src" / "strings" / f"{name}.ts", reword_strings)


def reword_strings(source: str) -> str:
    """Return the source of one of the page's catalogues with reworded texts."""

    def replace(entry: re.Match[str]) -> str:
        return entry[1] + json.dumps(reword(json.loads(entry[2])), ensure_ascii=False)

    return ENTRY.sub(replace, source)


def _reword_notices(source: str) -> str:
    reworded = {code: reword(text) for code, text in json.loads(source).items()}
    return json.dumps(reworded, ensure_ascii=False, indent=2) + "\n"


def _rewrite(file: Path, change: Callable[[str], str]) -> None:
    file.write_text(change(file.read_text("utf-8")), "utf-8")


def _run_there(folder: Path, *arguments: str) -> int:
    """Run Python with a folder's modules, there; return its exit code."""
    environment = os.environ | {"PYTHONPATH": str(folder)}
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=folder, env=environment, check=False).returncode


def main(folder: Path, *options: str) -> int:
    """Make the reworded clone, and run its tests if there are options for pytest; return the exit code."""
    clone(folder)
    reword_catalogues(folder)
    steps = [("-c", DOCS), ("-c", BUILD), *([("-m", "pytest", *options)] if options else [])]
    return next((code for step in steps if (code := _run_there(folder, *step))), 0)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve(), *sys.argv[2:]))
