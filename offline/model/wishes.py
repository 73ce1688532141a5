"""Wishes: what a human adds to a question, and what is to be left out."""

import re
from collections.abc import Iterator

from offline.text.words import ADDING, LEAVING, Language, split_words

CONJUNCTION = r"(?:and|or|vs\.?|versus|und|oder|et|ou|y|e|o|en)"
CLAUSE = re.compile(r"(?<=[,;:.!?])\s+")
PIECE = re.compile(rf",?(?<!\s)\s+{CONJUNCTION}\s+")
ORDERS = ADDING | LEAVING
VERB_LAST = ("german", "dutch")


def split_wish(wish: str, language: Language) -> Iterator[tuple[str, list[str], bool]]:
    """Yield each clause of a wish, its words that carry meaning, and whether it, or what it stands in a list with, is to go."""
    goes, told = False, list[str]()
    for clause in CLAUSE.split(wish):
        pieces = PIECE.split(clause)
        orders = [find_order(piece, language) for piece in pieces]
        is_one = not any(orders[1:]) or (not orders[0] and language.name in VERB_LAST)
        for piece in [clause] if is_one else pieces:
            order = find_order(piece, language)
            goes = order in LEAVING if order else goes
            words = language.list_content_words(piece)
            told = [word for word in words if not order or word.casefold() not in ORDERS]
            yield piece, told, goes
        goes = goes and bool(told) and clause.endswith(",")


def find_order(text: str, language: Language) -> str | None:
    """Return the word that adds or leaves out, if it is the first or last that carries meaning."""
    low = map(str.casefold, split_words(text))
    words = [word for word in low if word in ORDERS or word not in language.function_words]
    ends = [*words[:1], *(words[-1:] if language.name in VERB_LAST else ())]
    return next((word for word in ends if word in ORDERS), None)
