"""What a recommendation's reasons carry."""

import pytest
from pydantic import JsonValue

from contracts.base import Json
from contracts.evidence.claims import Citation, Claim, Verdict
from contracts.phases.generate import NOT_ENOUGH, NOT_YET, Recommendation
from contracts.report.research import Report, Section
from domain.decision import add_recommendation, list_beyond, weigh_reasons


def reasons(*verdicts: Verdict | None) -> list[Claim]:
    cited = [Citation(source=1, quote="It grew.", start=0, end=8)]
    return [Claim(text="It grew.", citations=cited, verdict=verdict) for verdict in verdicts]


def recommend(
    rationale: list[Claim], risks: list[Claim], action: str = "buy", confidence: float = 1.0
) -> Recommendation:
    return weigh_reasons(
        Recommendation(
            action=action,
            confidence=confidence,
            horizon="a year",
            rationale=rationale,
            risks=risks,
            what_would_change=["A loss."],
        )
    )


def open_report(said: Recommendation) -> tuple[str, list[str], list[str]]:
    report = add_recommendation(said, Report(title="Apple", sections=[]))
    assert report.answer
    return report.answer.heading, report.answer.remarks, [s.heading for s in report.sections]


@pytest.mark.parametrize(
    ("rationale", "risks", "own", "confidence"),
    [
        (reasons("supported"), reasons("supported"), 1.0, 0.5),
        (3 * reasons("supported"), reasons("supported"), 1.0, 0.75),
        (3 * reasons("supported"), reasons("supported"), 0.2, 0.2),
        (reasons("supported", "supported", "not_shown"), reasons("not_shown", "supported"), 1, 0.6),
        (reasons("partly", "partly"), reasons("supported"), 1.0, 0.5),
        (reasons(None, None), reasons(None), 1.0, 0.5),
    ],
)
def test_confidence_is_what_supported_reasons_carry_and_never_more_than_the_deciders(
    rationale: list[Claim], risks: list[Claim], own: float, confidence: float
) -> None:
    said = recommend(rationale, risks, confidence=own)
    assert (said.action, said.confidence, said.withheld) == ("buy", confidence, "")
    assert said.stated_confidence == own


@pytest.mark.parametrize(
    ("rationale", "risks", "why"),
    [
        ([], reasons("supported"), "too little for it is supported (0 of 0 for it"),
        (reasons("not_shown", "contradicted"), reasons("supported"), "too little for it"),
        (reasons("partly"), reasons("supported"), "too little for it"),
        (reasons("supported", "supported"), [], "nothing against it is supported"),
        (reasons("supported"), reasons("not_shown"), "nothing against it is supported"),
    ],
)
def test_an_unsupported_or_one_sided_action_does_not_open_the_report(
    rationale: list[Claim], risks: list[Claim], why: str
) -> None:
    said = recommend(rationale, risks)
    assert (said.action, said.confidence, said.withheld) == (NOT_ENOUGH, 0, "buy")
    heading, remarks, _ = open_report(said)
    assert heading == "Decision: not enough to say"
    assert remarks[0].startswith("Proposed and not carried: buy")
    assert why in remarks[0]


def test_not_enough_to_say_has_no_confidence_and_shows_both_sides() -> None:
    said = recommend(reasons("supported"), reasons("supported"), action="Not enough to say.")
    assert (said.action, said.confidence, said.withheld) == (NOT_ENOUGH, 0, "")
    heading, remarks, sections = open_report(said)
    assert heading == "Decision: not enough to say"
    assert remarks == ["Horizon: a year"]
    assert sections == ["In favour", "Against"]


def test_not_yet_says_what_is_waited_for() -> None:
    said = recommend(reasons("supported"), reasons("supported"), action="Not yet.")
    assert (said.action, said.confidence, said.withheld) == (NOT_YET, 0, "")
    heading, remarks, sections = open_report(said)
    assert heading == "Decision: not yet"
    assert remarks == ["Waited for: A loss.", "Horizon: a year"]
    assert sections == ["In favour", "Against"]


def test_ranking_stands_with_an_action_that_is_carried() -> None:
    said = recommend(reasons("supported"), reasons("supported"), action="buy AAPL")
    ranked = said.model_copy(update={"ranking": ["AAPL", "SNOW"]})
    heading, remarks, _ = open_report(ranked)
    assert heading == "Decision: buy AAPL"
    assert "Ranking: AAPL, SNOW" in remarks


def test_what_an_analysis_found_beyond_the_report_and_its_gaps_are_not_lost() -> None:
    told, more = (
        Claim(
            id="one",
            text=f"It {word}.",
            citations=[Citation(source=1, quote=f"It {word}.", start=0, end=8)],
            verdict="supported",
        )
        for word in ("grew", "paid")
    )
    answer = Section(heading="Answer", claims=[told], missing="Its debt.")
    report = Report(title="Apple", sections=[answer])
    wrong = more.model_copy(update={"text": "It left.", "verdict": "contradicted"})
    points: list[JsonValue] = [claim.model_dump(mode="json") for claim in (told, more, wrong)]
    said: Json = {"points": points, "gaps": ["Its price."]}
    found, unknown = list_beyond(
        [said, {"gaps": ["Its price.", "Its plans.", "Its debt."]}], report
    )
    assert [(claim.text, claim.id) for claim in found.claims] == [("It paid.", "")]
    assert unknown.remarks == ["Its price.", "Its plans."]
    assert list_beyond([{"points": points[:1]}], report) == []


def test_a_report_says_how_many_reasons_stand_and_what_the_decider_said() -> None:
    said = recommend(reasons("supported", "not_shown"), reasons("supported"), confidence=0.9)
    heading, remarks, sections = open_report(said)
    assert heading == "Decision: buy"
    assert remarks[0] == (
        "Confidence: 50% (reasons supported: 1 of 2 for it and 1 of 1 against it;"
        " the decider's own is 90%)"
    )
    assert sections == ["What speaks for it", "What speaks against it"]
