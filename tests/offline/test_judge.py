"""Judgements by general rules of text: tone, support, clarity, relevance."""

from typing import Any

import pytest

from contracts.base import get_answer_schema
from contracts.phases.generate import Recommendation, Review
from tests.offline.asking import instance

SOURCE = "Orders at Kestrel Works rose 12% to $4.5 million in 2024, the company said."


def judged(name: str, schema: dict[str, Any], **inputs: Any) -> Any:
    whole = {"type": "object", "properties": {name: schema}, "required": [name]}
    return instance(whole, **inputs)[name]


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("Shares soared after excellent results delighted investors.", "positive"),
        ("Shares crashed after a terrible loss and a fraud scandal.", "negative"),
        ("The annual meeting takes place on Tuesday.", "neutral"),
    ],
)
def test_tone_by_lexicon(text: str, label: str) -> None:
    labels = {"enum": ["positive", "negative", "neutral"]}
    assert judged("sentiment", labels, **{"source-1": text}) == label
    score = judged(
        "sentiment", {"type": "number", "minimum": -1, "maximum": 1}, **{"source-1": text}
    )
    assert (score > 0.05) - (score < -0.05) == ["negative", "neutral", "positive"].index(label) - 1


@pytest.mark.parametrize(
    ("claim", "holds"),
    [
        ("Orders at Kestrel Works rose 12% in 2024.", True),
        ("Orders at Kestrel Works rose 21% in 2024.", False),
        ("Orders at Osprey Works rose 12% in 2024.", False),
        ("Orders at Kestrel Works rose 12% because rivals left the market for good.", False),
    ],
)
def test_support_by_figures_names_and_words(claim: str, holds: bool) -> None:
    given = {"claim": claim, "source-1": SOURCE}
    assert judged("supported", {"type": "boolean"}, **given) is holds
    verdicts = {"enum": ["unsupported", "supported"]}
    assert judged("verdict", verdicts, **given) == ("supported" if holds else "unsupported")


@pytest.mark.parametrize(
    ("question", "unclear"),
    [
        ("I want to explore the AI market", True),
        (
            "Should we sell olive presses to farmers in Peru within two years, by cost and risk?",
            False,
        ),
    ],
)
def test_ambiguity_by_what_is_open(question: str, unclear: bool) -> None:
    assert judged("ambiguous", {"type": "boolean"}, question=question) is unclear


def test_relevance_by_what_the_sources_speak_of() -> None:
    on_it = judged(
        "relevant", {"type": "boolean"}, question="Kestrel orders", **{"source-1": SOURCE}
    )
    off_it = judged("relevant", {"type": "boolean"}, question="Olive trees", **{"source-1": SOURCE})
    assert (on_it, off_it) == (True, False)


def test_an_option_is_chosen_by_what_the_text_speaks_of() -> None:
    fields = {"enum": ["sports", "orders", "weather"]}
    assert judged("field", fields, **{"source-1": SOURCE}) == "orders"


FIGURES = {
    "source-1": "# Peru\n\n- Olive output: 90 tons\n- Inflation rate: 3%",
    "source-2": "# Chile\n\n- Olive output: 40 tons\n- Inflation rate: 4%",
}


def decided(question: str, **inputs: Any) -> Recommendation:
    return Recommendation.model_validate(
        instance(get_answer_schema(Recommendation), question=question, **inputs)
    )


def test_a_decision_goes_by_who_is_ahead_in_the_figures() -> None:
    asked = "Is Chile or Peru better for olive presses within two years?"
    made = decided(asked, **FIGURES)
    assert (made.action, made.horizon) == ("Peru first", "within two years")
    quotes = [c.quote for claim in made.rationale for c in claim.citations]
    assert quotes
    assert all(any(quote in text for text in FIGURES.values()) for quote in quotes)
    assert "Newer figures on Olive output that no longer speak for Peru." in made.what_would_change


@pytest.mark.parametrize(
    ("text", "begins"),
    [
        ("Shares soared after excellent results delighted investors.", "Go ahead"),
        ("Shares crashed after a terrible loss and a fraud scandal.", "Do not go ahead"),
    ],
)
def test_a_decision_on_one_thing_goes_by_tone(text: str, begins: str) -> None:
    assert decided("Buy Kestrel shares?", **{"source-1": text}).action.startswith(begins)


def test_a_review_names_what_does_not_hold_and_what_is_missing() -> None:
    claim = {"text": "It doubled.", "verdict": "unsupported", "citations": []}
    part = {"heading": "Growth", "claims": [claim], "missing": "No figure for 2024."}
    schema = get_answer_schema(Review)
    made = instance(schema, question="Growth?", report={"title": "Growth", "sections": [part]})
    issues = ["Not in its sources: It doubled.", "No figure for 2024."]
    assert made == {"accepted": False, "issues": issues}
    held = {**part, "claims": [{**claim, "verdict": "supported"}], "missing": ""}
    made = instance(schema, question="Growth?", report={"title": "Growth", "sections": [held]})
    assert made == {"accepted": True, "issues": []}
