"""The price of a run, from what its plan asks for and the documents that are known before the start."""

import pytest

from contracts.definitions import Definition
from contracts.documents import NONE_KNOWN, KnownDocuments
from contracts.models.prices import Price
from contracts.phases.phase_cost import PhaseCost, Share, Work
from contracts.phases.planning import PlanningPhase
from contracts.phases.research import ResearchConfig, ResearchPhase
from contracts.phases.validation import ValidationConfig, ValidationPhase
from contracts.preset_definitions import PRESETS
from contracts.runs.run_terms import Terms
from contracts.search import SearchTerms
from domain.planning.depth import list_depths
from workflows.start.phase_costs import MAX_LONG_DOCUMENTS, Given, estimate_costs

FILINGS = KnownDocuments((136, 3_017, 2_232, 4_936), is_all=True)
ANNUAL_REPORTS = KnownDocuments((420_675, 952_931, 541_234), is_all=True)


def estimate(
    definition: str, known: KnownDocuments = NONE_KNOWN, model: str = "m"
) -> dict[str, PhaseCost]:
    price = Price(input_usd=1, output_usd=5)
    terms = Terms(cap_usd=5, model=model, prices={model: price}, offline=False)
    return estimate_costs(PRESETS[definition], terms, Given(known=known))


@pytest.mark.parametrize(
    ("bill", "definition", "work", "known"),
    [
        (0.311, "deep_research", Work(8, 3, agents=3), NONE_KNOWN),
        (0.274, "deep_research", Work(8, 3, agents=3), NONE_KNOWN),
        (0.324, "deep_research", Work(8, 4, agents=4), NONE_KNOWN),
        (0.282, "deep_research", Work(8, 4, agents=4), NONE_KNOWN),
        (0.360, "deep_research", Work(8, 4, agents=4), NONE_KNOWN),
        (0.340, "deep_research", Work(8, 4, agents=4), NONE_KNOWN),
        (0.101, "deep_research", Work(8, 3), FILINGS),
        (0.298, "deep_research", Work(8, 3, agents=3), ANNUAL_REPORTS),
        (0.185, "market_analysis", Work(8, 4), NONE_KNOWN),
        (0.180, "market_analysis", Work(8, 4), NONE_KNOWN),
        (0.028, "web_answer", Work(4, 1), NONE_KNOWN),
        (0.089, "investment_analysis", Work(), NONE_KNOWN),
        (0.080, "investment_analysis", Work(), NONE_KNOWN),
        (0.120, "investment_analysis", Work(), NONE_KNOWN),
        (0.147, "idea_to_execution", Work(8, 5), NONE_KNOWN),
    ],
)
def test_price_is_within_a_quarter_of_the_bills_in_the_documents(
    bill: float, definition: str, work: Work, known: KnownDocuments
) -> None:
    shares = [cost.compute(work) for cost in estimate(definition, known).values()]
    assert bill == pytest.approx(sum(share.usd for share in shares), rel=0.25)
    assert 1.5 * bill < sum(share.top_usd for share in shares)


def test_draft_of_a_model_that_thinks_costs_its_thinking_and_its_pages_once_more() -> None:
    work, thinks = Work(8, 3, agents=3), "claude-haiku-4-5"
    plain, more = (
        estimate("deep_research", model=m)["synthesis"].compute(work) for m in ("m", thinks)
    )
    assert plain.usd + 0.03 < more.usd < plain.usd + 0.06
    assert more.top_usd - 2 * more.usd > plain.top_usd - 2 * plain.usd, "calls may reserve it"
    assert list_depths(PRESETS["deep_research"])["quick"]["synthesis"]["draft_thinking_tokens"] == 0


def test_rule_costs_a_call_for_each_part_of_a_report_of_many_pages() -> None:
    price = Price(input_usd=1, output_usd=5)
    terms = Terms(cap_usd=5, model="m", prices={"m": price}, offline=False)

    def compute(pages: int, rules: int = 1) -> float:
        asked = ValidationPhase(config=ValidationConfig(rules=["No superlatives."] * rules))
        research = ResearchPhase(config=ResearchConfig(max_sources=pages))
        definition = Definition(id="judged", phases=[PlanningPhase(), research, asked])
        return estimate_costs(definition, terms)["validation"].compute(Work(searches=100)).usd

    usual = price.compute_usd(4_000, 120)
    assert compute(20) == pytest.approx(usual, rel=0.15), "a report of one part"
    assert 3 * usual < compute(200), "its report is too long for three calls"
    assert compute(200, rules=2) == pytest.approx(2 * compute(200))


def test_documents_that_are_opened_in_parts_are_counted_up_to_a_bound() -> None:
    def count(lengths: list[int]) -> float:
        return Given(known=KnownDocuments(lengths)).long_documents

    assert count([500, 20_000]) == 0
    assert count([500, 480_000]) == 1
    assert count([50_000]) == 0.25, "a shorter one costs a part of that"
    assert count([480_000] * 50) == MAX_LONG_DOCUMENTS


def test_agents_share_the_pages_and_the_minutes_and_each_reads_the_searches() -> None:
    cost = estimate("deep_research")["research"]
    one, five, more = (cost.compute(Work(8, agents=n)) for n in (1, 5, 8))
    each = (cost.agent + cost.search * 8).usd
    assert five.usd == pytest.approx(one.usd + 4 * each), "both read as many pages as they may"
    assert five.minutes < one.minutes
    assert more == five, "no more agents than the setting allows are at work at once"


def test_pages_of_several_agents_are_expected_by_agent_and_of_one_by_its_searches() -> None:
    page = PhaseCost(page=Share(usd=1.0))
    assert [page.compute(Work(6, agents=n)).usd for n in (1, 2, 3)] == [16, 14, 21]


def test_summary_that_repeats_a_living_reports_opening_is_expected_to_cost_nothing() -> None:
    def find(definition: str) -> Share:
        [summary] = [cost.base for name, cost in estimate(definition).items() if name == "summary"]
        return summary

    free, asked = find("deep_research"), find("deep_research_full_hitl")
    assert (free.usd, free.top_usd > 0) == (0, True)
    assert asked.usd > 0, "its report is written at once, and its summary after it"


@pytest.mark.parametrize(
    ("definition", "searches"),
    [
        ("deep_research", 8 + 3 * 2),
        ("web_answer", 8 + 2),
        ("market_analysis", 3 * 2),
        ("investment_analysis", 1),
        ("planning_and_control", 0),
    ],
)
def test_fees_of_the_search_services_are_part_of_the_price(definition: str, searches: int) -> None:
    """The plan's searches count once for any number of readers, in addition to the agents' own searches."""
    work = Work(searches=8, steps=3, agents=3)

    def price(**usd: float) -> Share:
        search = SearchTerms.model_validate({"usual": [*usd], "usd": usd})
        model = Price(input_usd=1, output_usd=5)
        terms = Terms(cap_usd=5, model="m", prices={"m": model}, offline=False, search=search)
        costs = estimate_costs(PRESETS[definition], terms)
        return sum((cost.compute(work) for cost in costs.values()), Share())

    free, paid = price(), price(brave=0.01)
    assert paid.usd - free.usd == pytest.approx(0.01 * searches)
    assert paid.top_usd - free.top_usd == pytest.approx(0.02 * searches)
    both = price(brave=0.01, tavily=0.02)
    assert both.usd - free.usd == pytest.approx(0.03 * searches)
