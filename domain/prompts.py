"""Prompts kept in Markdown: a heading for each; `{{rules}}` takes in a part of the folder's shared.md, else of the same file."""

import re
from collections.abc import Container
from functools import cache
from importlib.resources import files
from itertools import count


@cache
def _read(package: str, name: str) -> dict[str, str]:
    text = files(package).joinpath(f"{name}.md").read_text(encoding="utf-8")
    _, *parts = re.split(r"^# (.+)\n", text, flags=re.MULTILINE)
    return dict(zip(parts[::2], map(str.strip, parts[1::2]), strict=True))


_RULE = re.compile(r"^\d+\. (?:`(\w+)`)?.*\n?(?:(?!\d+\. |\n).*\n?)*", re.MULTILINE)
"""A numbered rule with its further lines, and the field that it begins with."""


def fit_rules(prompt: str, fields: Container[str]) -> str:
    """Return a prompt without the numbered rules on fields that are not asked for, its other rules numbered anew."""
    numbers = count(1)

    def fit(rule: re.Match[str]) -> str:
        if rule[1] and rule[1] not in fields:
            return ""
        return re.sub(r"\A\d+", lambda _: str(next(numbers)), rule[0])

    return _RULE.sub(fit, prompt)


def list_fields(schema: object) -> set[str]:
    """Return the names of all fields in a JSON schema, those of its definitions too."""
    if isinstance(schema, list):
        return set[str]().union(*map(list_fields, schema))
    if not isinstance(schema, dict):
        return set()
    own = schema.get("properties")
    below = set[str]().union(*map(list_fields, schema.values()))
    return below | ({*own} if isinstance(own, dict) else set())


def load_prompts(package: str, name: str) -> dict[str, str]:
    """Return the prompts of a file by their headings."""
    own = _read(package, name)
    parts = own | _read(package, "shared")

    def fill(text: str) -> str:
        return re.sub(r"\{\{(\w+)\}\}", lambda part: fill(parts[part[1]]), text)

    return {heading: fill(text) for heading, text in own.items()}
