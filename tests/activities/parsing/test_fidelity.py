"""Every document of the fidelity set is read as it is seen."""

import pytest

from activities.parsing.page_parser import PageParser
from bench.reading import FIXTURES, read_case

CASES = sorted(FIXTURES.rglob("expect.json"))


@pytest.mark.parametrize("name", [path.parent.name for path in CASES])
async def test_a_document_is_read_as_it_is_seen(name: str, parser: PageParser) -> None:
    [path] = FIXTURES.rglob(f"{name}/expect.json")
    case = await read_case(parser, path)
    assert not case.faults, case.text
