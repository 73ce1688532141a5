"""What a verdict says of results that were not read, and when it is withheld."""

from typing import Any

import pytest

from contracts.evidence.claims import Claim
from contracts.notices import Notice
from contracts.phases.typed_answers import NOT_ENOUGH, CompanyAction, Recommendation
from contracts.report.report import Report
from contracts.report.unread_results import UnreadResults
from contracts.words import Language
from domain.outdated_verdicts import add_unread
from domain.recommendation import add_recommendation
from tests.support.words import de, en

TOLD = Notice.of("company-results-out", day="2026-10-14")
ONE = UnreadResults(state="out", since="2026-10-14", told=TOLD)
TWO = UnreadResults(state="due", since="2026-04-14", periods=2, told=TOLD)


def decide(company: str = "", action: str = "avoid ASML") -> dict[str, object]:
    reason = Claim(text="It fell.", citations=[], rests_on=["fell"], verdict="supported")
    told = {"company": company, "action": action, "confidence": 0.7, "horizon": "a year"}
    return told | {"rationale": [reason], "risks": [reason], "what_would_change": []}


def alone() -> Recommendation:
    answer = [Claim(text="Avoid it.", citations=[], rests_on=["fell"], verdict="supported")]
    return Recommendation.model_validate({**decide(), "answer": answer})


def test_verdict_without_newer_results_says_so_in_its_heading() -> None:
    said = add_unread(alone(), {"ASML": ONE}, "ASML")
    assert (said.action, said.unread) == ("avoid ASML", ONE)
    languages: list[tuple[Language, Any]] = [("en", en), ("de", de)]
    for language, words in languages:
        report = add_recommendation(said, Report(title="", sections=[]), language)
        assert report.answer
        told = words("decision-unread-out", action="avoid ASML", since="2026-10-14")
        assert report.answer.heading == words("decision", actions=told)


def test_verdict_on_figures_two_results_old_is_withheld_with_its_proposal() -> None:
    said = add_unread(alone(), {"ASML": TWO}, "ASML")
    assert (said.action, said.withheld, said.confidence, said.answer) == (
        *(NOT_ENOUGH, "avoid ASML", 0),
        [],
    )
    report = add_recommendation(said, Report(title="", sections=[]), "en")
    assert report.answer
    assert report.answer.heading == en("decision", actions=en("decision-outdated"))
    assert report.answer.remarks == [en("decision-withheld-outdated", action="avoid ASML")]


@pytest.mark.parametrize("order", [("ASML", "SNOW"), ("SNOW", "ASML")])
def test_each_company_has_its_own_unread_results(order: tuple[str, str]) -> None:
    first, second = (decide(ticker, f"buy {ticker}") for ticker in order)
    other = CompanyAction.model_validate(second)
    both = Recommendation.model_validate({**first, "ranking": [*order], "others": [other]})
    said = add_unread(both, {"ASML": TWO}, order[0])
    actions = {one.company: one.action for one in (said, *said.others)}
    assert actions == {"ASML": NOT_ENOUGH, "SNOW": "buy SNOW"}
    report = add_recommendation(said, Report(title="", sections=[]), "en")
    names = {"ASML": en("decision-outdated", company="ASML"), "SNOW": "buy SNOW"}
    assert report.answer
    assert report.answer.heading == en("decision", actions=[names[each] for each in order])


def test_open_verdict_stays_as_it_is() -> None:
    said = alone().model_copy(update={"action": NOT_ENOUGH})
    unread = add_unread(said, {"ASML": TWO}, "ASML")
    assert (unread.withheld, unread.action) == ("", NOT_ENOUGH)
