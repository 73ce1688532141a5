"""Words that mean nearly the same: forms that no stemmer brings together, and near synonyms."""

from functools import lru_cache

from greenlight.offline.text.words import stem

_KIN = """
    churn churned attrition leave left leaver cancel cancelled canceled cancellation quit
    revenue sales turnover
    price pricing fee cost charge
    cost expense spend spent
    customer client
    employee staff personnel
    profit earnings
    hire recruit
    complain complaint
    outage downtime
    sell sold
    buy bought
    pay paid
    grow grew grown growth
    fall fell fallen
    rise rose risen
    lose lost loss
    win won
    choose chose chosen choice
"""
GROUPS = tuple(tuple(line.split()) for line in _KIN.split("\n") if line.strip())


@lru_cache(maxsize=4_096)
def kin(root: str) -> frozenset[str]:
    """Return the stems of the words that mean nearly the same as a stem."""
    return frozenset(stem(word) for word in kin_words(root)) - {root}


@lru_cache(maxsize=4_096)
def kin_words(word: str) -> list[str]:
    """Return the words that mean nearly the same as a word, one of each stem."""
    groups = [group for group in GROUPS if stem(word) in map(stem, group)]
    found = {stem(other): other for group in groups for other in reversed(group)}
    return [found[root] for root in reversed(found) if root != stem(word)]


def mentions(said: set[str] | frozenset[str], root: str) -> bool:
    """Tell whether stems have one, or one of its kin."""
    return root in said or bool(kin(root) & said)
