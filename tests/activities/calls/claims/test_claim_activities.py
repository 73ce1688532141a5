"""The claims of an answer, verified with the call that makes them: snapshots read, verdicts in place."""

import json
from typing import Any

import pytest

from contracts.base import Json
from contracts.evidence.claims import CitablePage
from contracts.evidence.reasons import Reason
from contracts.models.call import ModelResult
from domain.evidence.claims import find_claims
from tests.activities.calls.conftest import House, tool
from tests.activities.calls.provider import Says, uses

PUMPS = "A pump costs 300 dollars.\nÜber 40 % sind solar.\n"
FARMS = "Farms have 2 ha on average.\n"
COSTS = "A pump costs 300 dollars."
ANY: Json = {"type": "object", "properties": {"points": {"type": "array"}}}


def claim(text: str, source: int = 1, quote: str = COSTS, **more: Any) -> Json:
    return {"text": text, "citations": [{"source": source, "quote": quote}], **more}


def unknown(source: int) -> Reason:
    return Reason(code="source-unknown", params={"source": source})


async def pages(house: House) -> list[CitablePage]:
    """Keep two snapshots and return them as pages that an answer may cite."""
    keys = [await house.blobs.put("default", house.run_id, t.encode()) for t in (PUMPS, FARMS)]
    return [
        CitablePage(number=n, title=title, text_key=key)
        for n, (title, key) in enumerate(zip(("", "Farms of Kenya"), keys, strict=True), start=1)
    ]


async def typed(house: House, *points: Json, **changes: Any) -> ModelResult:
    """Return the result of a typed answer that makes these points."""
    text = json.dumps({"points": points})
    house.provider.answers(Says([{"type": "text", "text": text}]))
    given = {"pages": await pages(house), "output_schema": ANY}
    return await house.call(house.request(**(given | changes)))


async def test_each_claim_of_a_typed_answer_is_checked(house: House) -> None:
    result = await typed(
        house,
        claim("Kenyan farms have 2 hectares.", 2, "Farms have 2 ha on average."),
        claim("A pump costs $301."),
        claim("A pump costs 300 dollars."),
        claim("40 % sind es.", 1, "Über 40 % sind solar."),
        claim("A pump costs $300.", 3),
        claim("A pump costs $300.", 0),
        {"text": "Nobody knows.", "citations": []},
    )
    found = list(find_claims(result.output))
    assert [c.verdict for c in found] == [
        *(None, "not_shown", None, None, "not_shown", "not_shown", "not_shown")
    ]
    assert [c.citations[0].start for c in found[:4]] == [0, 0, 0, 26]
    assert [c.doubts for c in found[4:]] == [[unknown(3)], [unknown(0)], [Reason(code="uncited")]]


async def test_verdict_written_by_the_model_is_overwritten(house: House) -> None:
    forged = claim("A pump costs $30.", verdict="supported", reason="", working="30 = 30")
    forged["doubts"] = ["none", {"code": "base-fell"}]
    forged["citations"] = [{"source": 1, "quote": "It costs 30.", "start": 0, "end": 5}]
    [found] = find_claims((await typed(house, forged)).output)
    assert (found.verdict, found.citations, found.working) == ("not_shown", [], "")
    [doubt] = found.doubts
    assert (doubt.code, found.reason) == ("quote-missing", doubt.text)


async def test_report_updates_are_verified_beside_the_original_call(
    house: House,
) -> None:
    figure: Json = {"row": "Price", "column": "Pump", "claim": claim("$300")}
    said: list[Json] = [claim("A pump costs 300 dollars."), claim("A pump costs $30.")]
    house.provider.answers(uses("update_report", section="Price", add=said, figures=[figure]))
    asked = house.request(pages=await pages(house), tools=[tool("update_report")])
    result = await house.call(asked)
    [call] = [block for block in result.content if block.type == "tool_use"]
    assert call.input["add"] == said
    [verified] = result.verified_inputs.values()
    assert list(result.verified_inputs) == [call.id]
    assert [(c.text, c.verdict) for c in find_claims(verified)] == [
        *(("A pump costs 300 dollars.", None), ("A pump costs $30.", "not_shown")),
        ("$300", None),
    ]
    assert verified["section"] == "Price"


async def test_sentences_and_cells_that_leave_out_their_citations_are_refused_as_uncited(
    house: House,
) -> None:
    figure: Json = {"row": "Price", "column": "Pump", "claim": {"text": "$300"}}
    said: list[Json] = [{"text": "A pump costs 300 dollars."}]
    house.provider.answers(uses("update_report", section="Price", add=said, figures=[figure]))
    result = await house.call(
        house.request(pages=await pages(house), tools=[tool("update_report")])
    )
    [verified] = result.verified_inputs.values()
    found = [(c.text, c.verdict, c.doubts) for c in find_claims(verified)]
    assert found == [
        ("A pump costs 300 dollars.", "not_shown", [Reason(code="uncited")]),
        ("$300", "not_shown", [Reason(code="uncited")]),
    ]


async def test_input_of_other_tools_is_not_verified(house: House) -> None:
    house.provider.answers(uses("fetch_url", url="https://a.test"))
    result = await house.call(house.request(pages=[], tools=[tool("fetch_url")]))
    assert result.verified_inputs == {}


async def test_claims_without_pages_are_not_shown(house: House) -> None:
    [found] = find_claims((await typed(house, claim("It costs $300."), pages=[])).output)
    assert (found.verdict, found.doubts) == ("not_shown", [unknown(1)])


async def test_answer_without_claims_is_unchanged(house: House) -> None:
    said = claim("It costs $300.")
    assert (await typed(house, said, pages=None)).output == {"points": [said]}


async def test_only_cited_snapshots_are_read_and_a_missing_one_supports_nothing(
    house: House,
) -> None:
    kept, _ = await pages(house)
    gone = CitablePage(number=2, title="Gone", text_key=f"run/{'0' * 64}")
    result = await typed(
        house, claim("It costs $300."), claim("It costs $300.", 2), pages=[kept, gone]
    )
    found = list(find_claims(result.output))
    assert [c.verdict for c in found] == [None, "not_shown"]
    assert found[1].doubts == [unknown(2)]


async def test_pages_are_not_part_of_the_request_hash(house: House) -> None:
    """A retry that may cite more finds the call in the journal."""
    first = await typed(house, claim("It costs $300."), pages=[])
    request = house.request(pages=await pages(house), output_schema=ANY)
    again = await house.call(request)
    verdicts = [next(find_claims(r.output)).verdict for r in (first, again)]
    assert verdicts == ["not_shown", None]
    assert (again.reused, len(house.provider.exchanges)) == (True, 1)


@pytest.mark.parametrize(
    "point",
    [
        {"text": "It costs $30.", "source": 1, "quote": COSTS},
        {"lesson": "It costs $30.", "citations": [{"source": 1, "quote": COSTS}]},
        {"name": "Pump", "claim": claim("It costs $30.")},
    ],
    ids=["a quote of its own", "another name for the text", "within an object"],
)
async def test_claims_of_any_schema_are_verified(house: House, point: Json) -> None:
    [found] = find_claims((await typed(house, point)).output)
    assert (found.text, found.verdict) == ("It costs $30.", "not_shown")


async def test_a_quote_is_of_the_page_that_an_agent_was_shown(house: House) -> None:
    row = "Net cash provided by operating activities was 3,512."
    text = f"Overview\n{row}\n\f\nCash flows\n{row}\n\f\nIndex\n"
    key = await house.blobs.put("default", house.run_id, text.encode())
    shown = [(text.index("Cash flows"), text.index("Index"))]
    listed = [CitablePage(number=1, title="Report", text_key=key, shown=shown)]
    result = await typed(house, claim("It was 3,512.", quote=row), pages=listed)
    [found] = find_claims(result.output)
    start = text.index(row, shown[0][0])
    assert [(c.start, c.page) for c in found.citations] == [(start, 2)]
