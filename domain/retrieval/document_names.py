"""Display names of documents: titles, or file names if titles are not informative."""

import re
from collections import Counter
from collections.abc import Sequence

from domain.retrieval.search_words import is_stop_word, list_terms

_EMPTY_TITLES = re.compile(
    r"(?:united(?: states(?: of america)?)?(?: securities and exchange commission)?|(?:table of )?contents|index|"
    r"(?:untitled|document|presentation|slide|page|sheet|book|scan|doc)\s?\d*|form\s?\d{1,2}-?[a-z]|annual report|"
    r"inhalt(?:sverzeichnis)?|(?:table des mati[eè]res)|microsoft (?:word|powerpoint|excel) - .*|"
    r".*\.(?:docx?|pdf|xlsx?|pptx?|indd|qxd|html?))",
    re.IGNORECASE,
)
"""Titles that templates, covers and programs give to any document."""


def name_documents(documents: Sequence[tuple[str, str]]) -> list[str]:
    """Return a name for each document, given its file name and title.

    The title is used unless it is uninformative or shared by several documents.
    """
    titles = Counter(title.casefold() for _, title in documents)
    return [
        file if file and (says_nothing(title) or titles[title.casefold()] > 1) else title or file
        for file, title in documents
    ]


def says_nothing(title: str) -> bool:
    """Return whether a title could be that of any document."""
    bare = " ".join(title.split())
    words = [word for word in bare.split() if not is_stop_word(word)]
    return not words or not list_terms(bare) or bool(_EMPTY_TITLES.fullmatch(bare))
