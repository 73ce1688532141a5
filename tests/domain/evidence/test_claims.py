"""The fields of claims that are passed on, for any schema of the answer that contains them."""

from pydantic import JsonValue

from contracts.base import Json
from contracts.evidence.claims import Citation, Claim
from contracts.evidence.reasons import Reason
from domain.evidence.claims import (
    find_claims,
    leave_out_marks,
    map_claims,
    number_shared_ids,
)


def claim(name: str, text: str) -> Json:
    return {"id": name, "text": text, "citations": [{"source": 1, "quote": text}]}


def test_claims_are_passed_on_as_they_were_written_but_for_doubts() -> None:
    cited: Json = {"source": 1, "quote": "5 pumps", "start": 3, "end": 10, "above": ["In units"]}
    told: Json = {"text": "It is 5.", "citations": [cited], "rests_on": [], "expression": ""}
    doubts: list[JsonValue] = [{"code": "judged", "params": {"text": "no year"}}]
    no_doubts: list[JsonValue] = []
    held, shaky = (
        {**told, "verdict": verdict, "reason": reason, "doubts": why, "working": "2 + 3 = 5"}
        for verdict, reason, why in (("supported", "", no_doubts), ("partly", "no year", doubts))
    )
    written = {"text": "It is 5.", "citations": [{"source": 1, "quote": "5 pumps"}]}
    assert leave_out_marks({"sizes": [{"claim": held, "year": ""}], "more": shaky}) == {
        "sizes": [{"claim": written, "year": ""}],
        "more": {**written, "verdict": "partly", "reason": "no year"},
    }
    wrong = {**told, "verdict": "contradicted", "reason": "it is 6"}
    assert leave_out_marks({"points": [wrong, held]}) == {"points": [written]}


def test_an_id_of_two_sentences_is_numbered_with_numbers_that_no_other_has() -> None:
    said = [claim("a", "One."), claim("a", "Two."), claim("a-1", "Three."), claim("a", "One.")]
    numbered = number_shared_ids({"claims": [*said]})
    assert [found.id for found in find_claims(numbered)] == ["a-2", "a-3", "a-1", "a-2"]


def test_a_verified_claim_is_read_again_with_the_place_and_page_of_its_quote() -> None:
    cited = Citation(source=1, quote="5 pumps", start=3, end=10, page=2, above=["In units"])
    verified = map_claims(
        claim("a", "5 pumps"), lambda found: found.model_copy(update={"citations": [cited]})
    )
    assert [found.citations for found in find_claims(verified)] == [[cited]]
    [found] = find_claims(verified)
    assert found.as_written["citations"] == [{"source": 1, "quote": "5 pumps", "page": 2}]


def test_a_later_model_is_told_why_a_finding_holds_in_part_only() -> None:
    held = Claim(text="It sells 5 pumps.", citations=[], verdict="supported")
    half = held.rule("partly", Reason(code="too-long"))
    assert "in_part" not in held.as_finding
    assert half.as_finding == {**half.as_written, "in_part": half.reason}
