"""What is passed on of claims, whatever the schema of the answer they stand in."""

from contracts.base import Json
from domain.evidence.claims import leave_out_marks


def test_claims_are_passed_on_as_they_were_written_but_for_doubts() -> None:
    cited: Json = {"source": 1, "quote": "5 pumps", "start": 3, "end": 10}
    told: Json = {"text": "It is 5.", "citations": [cited], "rests_on": [], "expression": ""}
    held, shaky = (
        {**told, "verdict": verdict, "reason": reason, "working": "2 + 3 = 5"}
        for verdict, reason in (("supported", ""), ("partly", "no year"))
    )
    written = {"text": "It is 5.", "citations": [{"source": 1, "quote": "5 pumps"}]}
    assert leave_out_marks({"sizes": [{"claim": held, "year": ""}], "more": shaky}) == {
        "sizes": [{"claim": written, "year": ""}],
        "more": {**written, "verdict": "partly", "reason": "no year"},
    }
