"""What readers are shown for a filed line: our word for its tag, the filing's own label, or the tag in words."""

import re

from contracts.notices import Notice
from contracts.words import CATALOGUES
from domain.company.figures.filed.metrics import spell_tag
from domain.company.figures.filed.point_in_time_facts import FiledFacts

MAX_LABEL_CHARS = 300
"""A label that is longer gives way to the tag in words: the taxonomy's own are shorter, and none is cut."""
_WORD = re.compile("[A-Za-z0-9]+")
OUTDATED = " (Deprecated"
"""How the remark begins that the taxonomy adds to the label of a tag it gave up."""


def name_line(tag: str, facts: FiledFacts | None = None) -> Notice | str:
    """Return the name of a filed line for readers, never its tag: `facts` have the labels of the filings."""
    code = f"tag-{tag}"
    if code in CATALOGUES["en"]:
        return Notice.of(f"tag-{tag}", "info")
    label = clean_label(facts.find_label(tag) if facts else "").partition(OUTDATED)[0]
    return spell_tag(tag) if label.casefold() in ("", tag.casefold()) else label


def word_formula(formula: str) -> str:
    """Return a formula with the names of the filed lines in place of their tags."""
    return _WORD.sub(lambda found: _name_word(found[0]), formula)


def _name_word(word: str) -> str:
    """Return the line’s name for a tag, which mixes several capitals and small letters; other words are unchanged."""
    is_tag = not word.isupper() and sum(map(str.isupper, word)) > 1
    named = name_line(word) if is_tag else word
    return named if isinstance(named, str) else named.text


def clean_label(text: str) -> str:
    """Return a label as one line without the bars that divide a table's cells; nothing of one that is too long."""
    return " ".join(text.replace("|", "/").split()) if len(text) <= MAX_LABEL_CHARS else ""
