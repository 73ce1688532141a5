"""Which claims are mended, and how, goes by the codes of their doubts, never by words."""

import pytest

from contracts.base import Json
from contracts.evidence.claims import Claim, Verdict
from contracts.evidence.reasons import Reason, ReasonCode
from domain.evidence.claims import find_claims
from domain.evidence.mends import lean_conclusions, list_failed

HELD = Claim(text="Ghent builds tugs.", citations=[], id="held").rule("supported")
FELL: dict[ReasonCode, Reason] = {
    "base-fell": Reason(code="base-fell"),
    "base-unnamed": Reason(code="base-unnamed", params={"base": "gone"}),
    "judged": Reason(code="judged", params={"text": "it was not said"}),
}


def conclude(code: ReasonCode, words: str = "") -> Claim:
    """Return a conclusion that was refused for a reason, with any text."""
    drawn = Claim(text="Buy.", citations=[], rests_on=["held", "gone"])
    drawn = drawn.rule("not_shown", FELL[code])
    return drawn.model_copy(update={"reason": words or drawn.reason})


def answer(*claims: Claim) -> Json:
    return {"points": [claim.model_dump(mode="json") for claim in claims]}


@pytest.mark.parametrize(
    ("code", "mended"), [("base-fell", []), ("base-unnamed", [1]), ("judged", [1])]
)
def test_what_fell_with_its_base_alone_is_not_mended(code: ReasonCode, mended: list[int]) -> None:
    for words in ("", "in other words", Reason(code="base-fell").text):
        found = answer(HELD, conclude(code, words))
        assert [one.at for one in list_failed(found, found)] == mended


@pytest.mark.parametrize(
    ("code", "grounds"),
    [("base-fell", ["held"]), ("base-unnamed", ["held"]), ("judged", ["held", "gone"])],
)
def test_a_conclusion_leaves_out_the_ground_that_it_lost(
    code: ReasonCode, grounds: list[str]
) -> None:
    for words in ("", "in other words", FELL["base-unnamed"].text):
        found = answer(HELD, conclude(code, words))
        leaner = lean_conclusions(found, found, [])
        assert [claim.rests_on for claim in find_claims(leaner)] == [[], grounds]


@pytest.mark.parametrize("verdict", ["supported", None, "partly"])
def test_reason_in_words_is_that_of_its_codes(verdict: Verdict | None) -> None:
    doubts = [Reason(code="uncited"), FELL["judged"]][: 0 if verdict == "supported" else 2]
    ruled = conclude("base-fell").rule(verdict, *doubts)
    assert (ruled.verdict, ruled.doubts) == (verdict, doubts)
    assert ruled.reason == "; ".join(doubt.text for doubt in doubts)
