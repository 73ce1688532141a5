"""What the judge is shown, what becomes of its verdicts, and what the writer hears of them."""

import json
from typing import Any

import pytest

from activities.calls.claim_verifier import CLAIMS_PER_CALL
from contracts.base import Json
from contracts.errors import ModelBusy
from contracts.evidence.claims import CitablePage, Claim, JudgeTerms
from contracts.models.call import ModelResult
from contracts.terms import Limits
from domain.evidence.claims import find_claims
from tests.activities.calls.conftest import House, tool
from tests.activities.calls.provider import Answer, Says, fails, uses

PAGE = """# Harbour Tools plc

(Euros in millions)
## Results
| Revenue | 48.2 | 41.9 |
The yard in Ghent employs 340 people.
It builds tugs there.
"""
REVENUE = "| Revenue | 48.2 | 41.9 |"
GHENT = "The yard in Ghent employs 340 people."
ANY: Json = {"type": "object", "properties": {"points": {"type": "array"}}}
TERMS = JudgeTerms(model="m", question="How large is Harbour Tools?")


def claim(text: str, quote: str = GHENT, **more: Any) -> Json:
    return {"text": text, "citations": [{"source": 1, "quote": quote}], **more}


def says(*points: Json) -> Says:
    return Says([{"type": "text", "text": json.dumps({"points": points})}])


def judges(*verdicts: str, reason: str = "no") -> Says:
    found = [
        {"claim": n, "verdict": verdict, "reason": "" if verdict == "supported" else reason}
        for n, verdict in enumerate(verdicts, start=1)
    ]
    return Says([{"type": "text", "text": json.dumps({"verdicts": found})}])


async def ask(
    house: House, *answers: Answer, page: str = PAGE, attempt: int = 1, **changes: Any
) -> ModelResult:
    """Return the result of an answer, for which the provider gives these in turn."""
    key = await house.blobs.put("default", house.run_id, page.encode())
    listed = CitablePage(
        number=1, title="The year", publisher="harbour", published="2024-03-14", text_key=key
    )
    house.provider.answers(*answers)
    given: dict[str, Any] = {"pages": [listed], "output_schema": ANY, "judge": TERMS}
    return await house.call(house.request(**(given | changes)), attempt)


def told(house: House, n: int) -> dict[str, Any]:
    """Return the inputs of the nth request by name."""
    blocks = house.provider.exchanges[n].body["messages"][-1]["content"]
    parts = "".join(block["text"] for block in blocks).split('<input name="')[1:]
    return {
        part.partition('"')[0]: part.partition(">")[2].partition("</input>")[0] for part in parts
    }


def verdicts(result: ModelResult) -> list[Any]:
    return [found.verdict for found in find_claims(result.output)]


async def test_the_judge_sees_what_a_reader_has(house: House) -> None:
    point: Json = {"row": "Revenue", "column": "2023", "claim": claim("€48.2 million", REVENUE)}
    result = await ask(house, says(point), judges("supported"))
    assert verdicts(result) == ["supported"]
    shown = told(house, 1)
    assert shown["question"].strip() == TERMS.question
    for part in ("The year", "harbour", "2024-03-14", "(Euros in millions)", "340 people"):
        assert shown["pages"].count(part) == 1, part
    for part in ("Revenue, 2023", "€48.2 million", REVENUE, "stated"):
        assert part in shown["claims"]


async def test_a_page_is_shown_once_with_the_headers_above_its_excerpts(house: House) -> None:
    rows = "\n".join(f"| Item {n} | {n},100 | {n},050 |" for n in range(1, 90))
    page = f"# Harbour\n\n(In thousands)\n2023 2022\n{rows}\nThe end.\n"
    points = [
        claim(f"Item {n}: {n},100 thousand", f"| Item {n} | {n},100 | {n},050 |") for n in (70, 71)
    ]
    await ask(house, says(*points), judges("supported", "supported"), page=page)
    [shown] = json.loads(told(house, 1)["pages"])
    [excerpt] = shown["excerpts"]
    assert excerpt["headers"] == ["Harbour", "(In thousands)", "2023 2022"]
    assert excerpt["text"].startswith("| Item ")
    assert excerpt["text"].count("Item 70") == 1
    assert "Item 20" not in excerpt["text"]


async def test_only_what_code_leaves_open_is_judged(house: House) -> None:
    copied, wrong = claim(GHENT), claim("Ghent employs 430 people.")
    result = await ask(
        house, says(copied, wrong, claim("Ghent is a big yard.")), judges("partly"), says()
    )
    assert len(house.provider.exchanges) == 3, "the answer, its judge, and the answer mended"
    assert "430" not in told(house, 1)["claims"]
    assert "430" in told(house, 2)["problems"]
    assert verdicts(result) == []


@pytest.mark.parametrize(("supported", "calls"), [(9, 2), (1, 3)])
async def test_a_shade_alone_is_not_worth_another_call(
    house: House, supported: int, calls: int
) -> None:
    points = says(*(claim(f"Ghent is yard {'x' * n}.") for n in range(supported + 1)))
    judged = judges(*["supported"] * supported, "partly")
    result = await ask(house, points, judged, points)
    assert verdicts(result) == [*["supported"] * supported, "partly"]
    assert [c.reason for c in find_claims(result.output)][-1] == "no"
    assert len(house.provider.exchanges) == result.usage.calls == calls


async def test_the_writer_hears_once_what_did_not_hold(house: House) -> None:
    false, mended, still = (
        claim(text) for text in ("Ghent is closed.", "Ghent has a yard.", "It is idle.")
    )
    result = await ask(
        house,
        says(false),
        judges("contradicted", reason="it employs 340"),
        says(mended, still),
        judges("supported", "not_shown", reason="not said"),
    )
    assert verdicts(result) == ["supported", "not_shown"]
    assert "“Ghent is closed.”: it employs 340" in told(house, 2)["problems"]
    assert len(house.provider.exchanges) == 4
    assert result.usage.calls == 4


async def test_what_was_judged_is_not_judged_again(house: House) -> None:
    kept, false = claim("Ghent has a yard."), claim("Ghent is closed.")
    result = await ask(
        house,
        says(kept, false),
        judges("supported", "contradicted"),
        says(kept, claim("Ghent is open.")),
        judges("partly"),
    )
    assert verdicts(result) == ["supported", "partly"]
    assert "has a yard" not in told(house, 3)["claims"]


async def test_report_updates_are_judged_and_not_asked_for_again(house: House) -> None:
    said = uses("update_report", section="Yards", add=[claim("Ghent is closed.")])
    result = await ask(
        house, said, judges("contradicted"), tools=[tool("update_report")], output_schema=None
    )
    [verified] = result.verified_inputs.values()
    assert [c.verdict for c in find_claims(verified)] == ["contradicted"]
    assert len(house.provider.exchanges) == 2


async def test_many_claims_are_judged_in_several_calls(house: House) -> None:
    points = [claim(f"Ghent is yard {'x' * n}.") for n in range(CLAIMS_PER_CALL + 2)]
    kept = ["supported"] * CLAIMS_PER_CALL
    result = await ask(house, says(*points), judges(*kept), judges("partly", "supported"))
    assert verdicts(result) == [*kept, "partly", "supported"]


async def test_claims_that_a_small_judge_cannot_hold_at_once_are_judged_in_parts(
    house: House,
) -> None:
    house.client.limits["dear"] = Limits(window_tokens=3_500)
    lines = [f"Yard {n} in Ghent employs {n}1 people. {'It is old. ' * 90}" for n in range(1, 7)]
    points = [
        claim(f"Yard {n} is big.", f"Yard {n} in Ghent employs {n}1 people.") for n in range(1, 7)
    ]
    result = await ask(
        house,
        says(*points),
        judges("supported", "supported", "supported"),
        judges("supported", "supported", "supported"),
        page="\n\n".join(lines),
        judge=TERMS.model_copy(update={"model": "dear"}),
    )
    assert verdicts(result) == ["supported"] * 6
    assert [told(house, n)["claims"].count("is big") for n in (1, 2)] == [3, 3]
    assert "Yard 4" not in told(house, 1)["pages"]


async def test_a_claim_that_the_judge_cannot_hold_stays_unjudged_and_says_why(house: House) -> None:
    house.client.limits["dear"] = Limits(window_tokens=900)
    judge = TERMS.model_copy(update={"model": "dear"})
    result = await ask(house, says(claim("Ghent is."), claim("It was.")), judge=judge)
    assert verdicts(result) == [None, None]
    assert all("window of 900" in c.reason for c in find_claims(result.output))
    assert len(house.provider.exchanges) == 1


async def test_a_claim_that_the_judge_passes_over_stays_unjudged(house: House) -> None:
    result = await ask(house, says(claim("Ghent is."), claim("It was.")), judges("supported"))
    assert [(c.verdict, c.reason) for c in find_claims(result.output)] == [
        *(("supported", ""), (None, "the judge passed it over"))
    ]


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (Says([], stop_reason="refusal"), "not judged: the model declined to answer"),
        (
            Says([], stop_reason="model_context_window_exceeded"),
            "not judged: the answer was cut off (model_context_window_exceeded)",
        ),
        (
            fails(404),
            "not judged: the model's provider answered 404 (not_found_error), request req_offline",
        ),
    ],
)
async def test_a_judge_that_cannot_answer_fails_nothing(
    house: House, answer: Answer, reason: str
) -> None:
    result = await ask(house, says(claim("Ghent is.")), answer)
    [found] = find_claims(result.output)
    assert (found.verdict, found.reason) == (None, reason)


async def test_a_judge_who_stays_away_fails_only_the_attempts_before_the_last(house: House) -> None:
    with pytest.raises(ModelBusy):
        await ask(house, says(claim("Ghent is.")), fails(529))
    with pytest.raises(ModelBusy):
        await ask(house, fails(529), attempt=2)
    [found] = find_claims((await ask(house, fails(529), attempt=3)).output)
    assert (found.verdict, found.reason[:11]) == (None, "not judged:")
    assert len(house.provider.exchanges) == 4


async def test_a_conclusion_falls_with_what_it_rests_on(house: House) -> None:
    base = claim("Ghent is closed.", id="ghent")
    drawn: Json = {"text": "Sell.", "rests_on": ["ghent"]}
    points = says(base, drawn)
    both, drawn_again = judges("contradicted", "supported"), judges("supported")
    result = await ask(house, points, both, points, drawn_again)
    found = list(find_claims(result.output))
    assert [c.verdict for c in found] == ["contradicted", "not_shown"]
    assert found[1].reason == "it rests on a sentence that did not hold"
    assert "Ghent is closed." in told(house, 1)["claims"].partition("rests_on")[2]


async def test_nobody_judges_where_no_judge_is_named(house: House) -> None:
    result = await ask(house, says(claim("Ghent is.")), judge=None)
    assert verdicts(result) == [None]
    assert Claim.model_validate(next(find_claims(result.output))).reason == ""
