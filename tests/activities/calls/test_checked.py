"""What an answer claims, checked along with its call where that is all there is to do."""

from typing import Any

import pytest

from contracts.base import Json
from contracts.evidence.sources import CheckedResult
from contracts.models.call import Page
from tests.activities.calls.conftest import House, tool
from tests.activities.calls.provider import Says, uses

PAGE = "A pump costs 300 dollars."
CITED: Json = {"source": 1, "quote": PAGE}
FIGURE: Json = {"row": "Price", "column": "Pump", "text": "$300", **CITED}


def sentence(text: str, source: int = 1) -> Json:
    return {"text": text, "citations": [{**CITED, "source": source}]}


async def asked(house: House, **changes: Any) -> CheckedResult:
    key = await house.blobs.put("default", house.run_id, PAGE.encode())
    pages = [Page(number=1, title="Pumps", text_key=key)]
    given: dict[str, Any] = {"pages": pages, "tools": [tool("update_report")]}
    return await house.call(house.request(**(given | changes)))


def verdicts(result: CheckedResult) -> list[tuple[str, str | None]]:
    return [(said.text, found.verdict) for said, found in result.checked]


async def test_what_is_written_into_the_report_comes_checked(house: House) -> None:
    said = [sentence("A pump costs $300."), sentence("A pump costs $30.")]
    house.provider.answers(uses("update_report", section="Price", add=said, figures=[FIGURE]))
    result = await asked(house)
    found = [("A pump costs $300.", "supported"), ("A pump costs $30.", "unsupported")]
    assert verdicts(result) == [*found, ("$300", "supported")]
    first, checked = result.checked[0]
    assert (first.citations[0].start, checked.citations[0].start) == (-1, 0)


async def test_a_typed_answer_comes_checked(house: House) -> None:
    points: Json = {"points": {"type": "array", "items": {"type": "object"}}}
    answer = '{"points": [{"text": "It costs $300.", "citations": [{"source": 1, "quote": "%s"}]}]}'
    house.provider.answers(Says([{"type": "text", "text": answer % PAGE}]))
    result = await asked(house, tools=[], output_schema={"type": "object", "properties": points})
    assert verdicts(result) == [("It costs $300.", "supported")]


async def test_a_call_to_do_something_else_is_not_held_up(house: House) -> None:
    said: Json = {"section": "Price", "add": [sentence("A pump costs $300.")]}
    writes: Json = {"type": "tool_use", "id": "t1", "name": "update_report", "input": said}
    page: Json = {"url": "https://a.test"}
    reads: Json = {"type": "tool_use", "id": "t2", "name": "fetch_url", "input": page}
    house.provider.answers(Says([writes, reads], "tool_use"))
    assert verdicts(await asked(house)) == []


@pytest.mark.parametrize("source", [2, 99])
async def test_a_page_that_came_meanwhile_is_left_to_who_knows_it(
    house: House, source: int
) -> None:
    said = [sentence("A pump costs $300.", source), sentence("It costs $300.")]
    house.provider.answers(uses("update_report", section="Price", add=said))
    assert verdicts(await asked(house)) == [("It costs $300.", "supported")]


async def test_without_its_pages_an_answer_is_there_all_the_same(house: House) -> None:
    """Checked by itself it fails by itself, and nothing is asked or paid again."""
    gone = Page(number=1, title="Pumps", text_key=f"default/run/{'0' * 64}")
    house.provider.answers(uses("update_report", section="Price", add=[sentence("It costs $300.")]))
    result = await asked(house, pages=[gone])
    assert (result.content[1].name, verdicts(result)) == ("update_report", [])


async def test_what_may_be_cited_is_not_part_of_what_is_asked(house: House) -> None:
    """A retry after an upgrade finds the call in the journal."""
    house.provider.answers(uses("update_report", section="Price", add=[sentence("It costs $300.")]))
    first, again = await asked(house, pages=[]), await asked(house)
    assert (verdicts(first), verdicts(again)) == ([], [("It costs $300.", "supported")])
    assert (again.reused, len(house.provider.exchanges)) == (True, 1)
