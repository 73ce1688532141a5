"""A listed company for tests: its filings, and articles about it."""

from typing import Any

from contracts.base import Json
from contracts.company.figures import CompanyFacts, Figure, Fundamentals
from contracts.company.filings import Company
from contracts.definitions import Definition
from contracts.evidence.sources import SearchHit
from contracts.notices import Notice
from tests.support.sources import page
from tests.workflows.support.model_answers import cited
from workflows.start.inputs import build_inputs_model

QUARTERS = [("2025-03-29", 90e9), ("2025-06-28", 94e9)]
COMPANY = Company(cik=320193, ticker="AAPL", name="Apple Inc.")
INPUTS: Json = {"ticker": "AAPL"}


def required_of(definition: Definition) -> Json:
    """Return the inputs without which a definition does not start."""
    required = build_inputs_model(definition).model_json_schema().get("required", [])
    return {name: INPUTS[name] for name in required}


def figure(metric: str, end: str, value: float, **more: Any) -> Figure:
    """Return a quarter's figure."""
    given = {"metric": metric, "period": "quarter", "end": end, "value": value, "unit": "USD"}
    return Figure.model_validate(given | {"accessions": ["0000320193-25-000073"]} | more)


FIGURES = [
    *(figure("revenue", end, value) for end, value in reversed(QUARTERS)),
    *(figure("gross_margin", end, 46.5, unit="percent") for end, _ in QUARTERS),
    figure("cash", "2025-06-28", 36e9, period="instant"),
]
FACTS = CompanyFacts(
    fundamentals=Fundamentals(
        company=COMPANY,
        figures=FIGURES,
        newest_end="2025-06-28",
        filed="2025-08-01",
        notes=[Notice.of("company-ifrs")],
    ),
    source=page("https://data.sec.gov/1", title="Apple Inc. (AAPL): figures"),
)
OTHER = Company(cik=1640147, ticker="SNOW", name="Snowflake Inc.")
HITS = [
    SearchHit(url="https://example.org/1", title="Apple gains", published="2025-08-01"),
    SearchHit(url="https://example.org/2", title="Apple loses", published="2025-08-02"),
]


def beside(facts: CompanyFacts) -> CompanyFacts:
    """Return a company's facts together with another company's."""
    other = CompanyFacts(
        fundamentals=Fundamentals(
            company=OTHER, figures=FIGURES, newest_end="2025-04-30", filed="2025-05-30"
        ),
        source=page("https://data.sec.gov/2", title="Snowflake Inc. (SNOW): figures"),
    )
    return facts.model_copy(update={"others": [other]})


def renew(facts: CompanyFacts, end: str = "2026-09-26") -> CompanyFacts:
    """Return companies' facts with a later last day, by which no newer results are due yet on the day of a run."""
    dated = facts.fundamentals.model_copy(update={"newest_end": end})
    others = [renew(other, end) for other in facts.others]
    return facts.model_copy(update={"fundamentals": dated, "others": others})


def score(source: int, sentiment: float) -> Json:
    """Return what a model says of an article."""
    claim = cited("Pumps sell.", source, "Pumps sell.")
    return {"source": source, "claim": claim, "sentiment": sentiment}


ANSWERS: dict[str, Json] = {
    "DraftSentiment": {"articles": [score(2, 0.6), score(3, -0.4)]},
    "CompanyActions": {"companies": [], "ranking": [], "answer": []},
}
"""What models answer; the filings are source 1, the articles 2 and 3."""
