"""The rows of a document in the index: cut and counted in a process of the call pool."""

from pathlib import PurePosixPath

from contracts.collections import IndexRow
from contracts.documents import PageSection
from domain.retrieval.rows import split_rows
from domain.retrieval.terms import list_terms, split_name


def describe_name(name: str, title: str) -> str:
    """Return by which words a document is found: those of its file's name and of its title."""
    file_name = PurePosixPath(name).name
    return split_name(name) if title in {"", file_name} else f"{split_name(name)} {title}"


def build_rows(text: str, sections: list[PageSection], name: str, title: str) -> list[IndexRow]:
    """Return the rows of a text, in its order."""
    words = describe_name(name, title)
    named = list_terms(words)
    found = []
    for row in split_rows(text, sections):
        terms = list_terms(row.text)
        found.append(
            IndexRow(
                page=row.page,
                start=row.start,
                stop=row.end,
                name=words,
                head=row.head,
                text=row.text,
                words=sorted({*terms, *list_terms(row.head), *named, *(f"#{t}" for t in named)}),
                length=len(terms),
            )
        )
    return found
