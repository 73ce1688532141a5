"""The rows of a document in the index: cut and counted in a process of the call pool."""

from pathlib import PurePosixPath

from contracts.collections import IndexRow
from contracts.documents import PageSection
from domain.retrieval.document_rows import split_rows
from domain.retrieval.row_ranking import count_row
from domain.retrieval.search_words import split_name


def describe_name(name: str, title: str) -> str:
    """Return the words by which a document is found: those of its file name and title."""
    file_name = PurePosixPath(name).name
    return split_name(name) if title in {"", file_name} else f"{split_name(name)} {title}"


def build_rows(text: str, sections: list[PageSection], name: str, title: str) -> list[IndexRow]:
    """Return the rows of a text, in its order, with their terms counted."""
    words = describe_name(name, title)
    found = []
    for row in split_rows(text, sections):
        terms = count_row(words, row.head, row.text)
        found.append(
            IndexRow(
                page=row.page,
                start=row.start,
                stop=row.end,
                name=words,
                head=row.head,
                text=row.text,
                name_terms=sorted(terms.name),
                head_terms=dict(terms.head),
                text_terms=dict(terms.text),
                length=terms.length,
            )
        )
    return found
