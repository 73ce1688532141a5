"""The tool that rewords the catalogues changes every text, and none of what code reads in it."""

import re
from pathlib import Path

import pytest

from contracts.words import CATALOGUES, LANGUAGES, Language
from tests.support.reword import ENTRY, ROOT, reword, reword_strings

CODE = re.compile(
    r"\{\w+(?::[,a$])?\}|\{\w+, plural, one \{|\} other \{|[][{}#]|`[^`]*`|\w*_\w+|https?://\S+"
)
"""What code reads of a text: placeholders, plurals, optional parts, code, names and addresses."""
PAGE = [
    ROOT / "web" / "src" / "strings" / f"{name}.ts" for name in ("en", "en-views", "de", "de-views")
]


@pytest.mark.parametrize("language", LANGUAGES)
def test_reworded_notices_differ_and_keep_what_code_reads(language: Language) -> None:
    for text in CATALOGUES[language].values():
        reworded = reword(text)
        assert CODE.findall(reworded) == CODE.findall(text)
        assert len(reworded) == len(text)


def test_words_are_reworded_and_values_of_variables_are_not() -> None:
    assert reword("Ask about {n} files at --limit, in TEMPORAL_UI=none ask") == (
        "Eck eduof {n} tliac ef --limit, lh TEMPORAL_UI=none ask"
    )


@pytest.mark.parametrize("file", PAGE, ids=lambda file: file.stem)
def test_every_text_of_the_page_is_reworded_and_nothing_else(file: Path) -> None:
    source = file.read_text("utf-8")
    reworded = reword_strings(source)
    keys = re.findall(r'^  ("[\w.-]+"):', source, re.MULTILINE)
    assert re.findall(r'^  ("[\w.-]+"):', reworded, re.MULTILINE) == keys
    examples = sum(key.startswith('"ask.example.') for key in keys)
    assert len(ENTRY.findall(source)) == len(keys) - examples > examples
    assert ENTRY.sub("", reworded) == ENTRY.sub("", source)
    for (_, before), (_, after) in zip(ENTRY.findall(source), ENTRY.findall(reworded), strict=True):
        assert CODE.findall(after) == CODE.findall(before)
