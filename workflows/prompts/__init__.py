"""Prompts: one Markdown file for each kind, a heading for each prompt; `{{rules}}` is a part of shared.md."""

import re
from importlib.resources import files


def _read(name: str) -> dict[str, str]:
    text = files(__package__).joinpath(f"{name}.md").read_text(encoding="utf-8")
    _, *parts = re.split(r"^# (.+)\n", text, flags=re.MULTILINE)
    return dict(zip(parts[::2], map(str.strip, parts[1::2]), strict=True))


_SHARED = _read("shared")


def load_prompts(kind: str) -> dict[str, str]:
    """Return the prompts of a kind by their headings."""
    return {heading: _fill(text) for heading, text in _read(kind).items()}


def _fill(text: str) -> str:
    return re.sub(r"\{\{(\w+)\}\}", lambda part: _fill(_SHARED[part[1]]), text)
