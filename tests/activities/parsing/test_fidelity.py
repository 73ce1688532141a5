"""Every document of the fidelity set is read as it is displayed."""

import json

import pytest

from activities.parsing.page_parser import PageParser
from bench.documents.parsing_fidelity import FIXTURES, read_case
from contracts.documents import READER_VERSION
from tests.activities.parsing.reader_texts import RECORDED, digest

CASES = sorted(FIXTURES.rglob("expect.json"))
READ = json.loads(RECORDED.read_text("utf-8"))


@pytest.mark.parametrize("name", [path.parent.name for path in CASES])
async def test_a_document_is_read_as_it_is_seen(name: str, parser: PageParser) -> None:
    """Collections' documents are read again only if the reader version is raised when texts change."""
    [path] = FIXTURES.rglob(f"{name}/expect.json")
    case = await read_case(parser, path)
    assert not case.faults, case.text
    assert digest(case) == READ["texts"].get(name), (
        "the readers give another text, or the case is new: raise READER_VERSION if documents"
        " were read otherwise before, then run `python -m tests.activities.parsing.reader_texts`"
    )


def test_texts_are_recorded_of_the_readers_version() -> None:
    assert READ["version"] == READER_VERSION
