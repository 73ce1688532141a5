"""Prompts kept in Markdown: a heading for each; `{{rules}}` takes in a part of the folder's shared.md, else of the same file."""

import re
from functools import cache
from importlib.resources import files


@cache
def _read(package: str, name: str) -> dict[str, str]:
    text = files(package).joinpath(f"{name}.md").read_text(encoding="utf-8")
    _, *parts = re.split(r"^# (.+)\n", text, flags=re.MULTILINE)
    return dict(zip(parts[::2], map(str.strip, parts[1::2]), strict=True))


def load_prompts(package: str, name: str) -> dict[str, str]:
    """Return the prompts of a file by their headings."""
    own = _read(package, name)
    parts = own | _read(package, "shared")

    def fill(text: str) -> str:
        return re.sub(r"\{\{(\w+)\}\}", lambda part: fill(parts[part[1]]), text)

    return {heading: fill(text) for heading, text in own.items()}
