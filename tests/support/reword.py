"""Changes the vowels of every word in the catalogues: `python -m tests.support.reword FOLDER`, in a clone of the project.

What is made of the catalogues (`greenlight docs`) is made again. The tests must pass in that clone, except those of the catalogues
themselves (`tests/contracts/test_words.py`, `test_read_failures.py`): they pin codes and parameters, not words. To try it:

    git clone -q . /tmp/reworded && ln -s "$PWD/.venv" /tmp/reworded/.venv
    .venv/bin/python -m tests.support.reword /tmp/reworded
    cd /tmp/reworded && .venv/bin/python -m pytest -q -m "not full" tests/contracts tests/domain

For `tests/page`, build the page in that clone first (`npm ci && npm run build` in `web/`). What the page says by itself (`web/src/strings`)
stays as it is.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

from contracts.words import LANGUAGES

VOWELS = str.maketrans("aeiouAEIOUäöü", "euaioEUAIOöüä")
KEPT = re.compile(
    r"(\{\w+(?::[,a$])?\}|\{\w+, plural, one \{|\} other \{|`[^`]*`|https?://\S+"
    r"|\w*_\w+|--[\w-]+|[mb]illion|Mio\.|Mrd\.)"
)
"""Unchanged parts: placeholders, plurals, code, names of fields and options, addresses and units."""


def reword(text: str) -> str:
    """Return a text of a catalogue in other words of the same length."""
    parts = KEPT.split(text)
    return "".join(p if n % 2 else p.translate(VOWELS) for n, p in enumerate(parts))


if __name__ == "__main__":
    folder = Path(sys.argv[1]).resolve() / "contracts" / "words"
    for language in LANGUAGES:
        file = folder / f"{language}.json"
        words = json.loads(file.read_text("utf-8"))
        reworded = {code: reword(text) for code, text in words.items()}
        file.write_text(json.dumps(reworded, ensure_ascii=False, indent=2) + "\n", "utf-8")
    run = (
        "import sys; from greenlight import cli; sys.exit(cli.main())"  # also where .venv is a link
    )
    subprocess.run([sys.executable, "-c", run, "docs"], cwd=sys.argv[1], check=True)
