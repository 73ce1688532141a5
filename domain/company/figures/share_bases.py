"""The share count behind each amount per share: in the row’s label, or at each figure where it changes."""

from collections.abc import Collection

from contracts.company.figures import Figure
from contracts.notices import Notice
from contracts.words import Language, say
from domain.company.figures.filed.metrics import name_row


def label_row(metric: str, figures: Collection[Figure], language: Language = "en") -> str:
    """Return a metric's name in a table of its figures, with the shares that all of them are divided by."""
    units, bases = {f.unit for f in figures}, {f.of for f in figures}
    [only] = bases if len(bases) == 1 else [""]
    return name_row(metric, units, language, say_shares(only).say(language) if only else None)


def note_shares(figure: Figure, figures: Collection[Figure], language: Language = "en") -> str:
    """Return the shares that one of a row's figures is divided by, in brackets, if others are of other shares."""
    if not figure.of or len({f.of for f in figures}) == 1:
        return ""
    return say(language, "cell", more=[say_shares(figure.of)])


def say_shares(metric: str) -> Notice:
    """Return a number of shares as what an amount is divided by."""
    return Notice.of(f"over-{metric.replace('_', '-')}", "info")
