"""A phase that continues without an input reports this as data, ends `partial`, and is never cached."""

import asyncio
from collections.abc import Callable
from copy import copy
from typing import Any

import pytest
from temporalio import activity
from temporalio.client import Client
from temporalio.exceptions import ApplicationError

from contracts.base import Json
from contracts.evidence.checks import JudgeRequest, JudgeResult
from contracts.evidence.sources import SearchHit
from contracts.notices import Notice
from contracts.runs.lost_inputs import LossCause, LostInput
from contracts.runs.records import PhaseRecord
from contracts.runs.state_view import StateView
from contracts.runs.statuses import ENDED
from domain.lost_inputs import explain_causes
from tests.support.words import en, phrase
from tests.workflows.support.fake_activities import Fakes
from tests.workflows.support.listed_company import HITS, INPUTS, beside
from tests.workflows.support.memory_step_cache import Remembering
from tests.workflows.support.run_harness import Harness, harness, with_crews

ID = "investment_analysis"
URLS = [f"https://example.org/{n}" for n in range(1, 9)]
NEWS = [SearchHit(url=url, title=f"Apple gains {url[-1]}") for url in URLS]
FAILED_NEWS = ["partial", "completed", "failed", "partial", "partial"]
PARTIAL_NEWS = ["partial", "completed", "partial", "partial", "partial"]


def fail(type: str, status: int | None = None, *, passing: bool) -> ApplicationError:
    """Return a failed call as the activity interceptor raises it."""
    cause = LossCause(reason=type, status=status, passing=passing)
    return ApplicationError(type, cause.model_dump(), type=type, non_retryable=True)


OUTAGES = {
    "HTTP 500": fail("tool-failed", 500, passing=True),
    "HTTP 429": fail("tool-failed", 429, passing=True),
    en("cause-no-answer"): fail("fetch-failed", passing=True),
    en("cause-worker-died"): ApplicationError("", type="worker-lost", non_retryable=True),
    en("cause-late"): fail("call-timed-out", passing=True),
}


def some(*names: str) -> list[Any]:
    """Return the outages: these in every run, the others in a complete one."""
    return [
        name if name in names else pytest.param(name, marks=pytest.mark.full) for name in OUTAGES
    ]


def strike(fakes: Fakes, kind: str, error: Exception, hits: Callable[[Any], bool]) -> None:
    def before(name: str, request: Any) -> None:
        if name == kind and hits(request):
            raise copy(error)

    fakes.before = before


async def ended(made: Harness, definition: str = ID, **options: Any) -> StateView:
    given: Json = {"inputs": INPUTS} if definition == ID else {}
    handle = await made.start(definition_id=definition, **{**given, **options})
    await asyncio.wait_for(handle.result(), 30)
    return await made.state(handle)


async def approved(made: Harness, definition: str) -> StateView:
    """Return the end of a run to which a human says yes wherever it asks."""
    handle = await made.start(definition_id=definition)
    while True:
        state = await made.until(handle, lambda s: s.pending or s.status in ENDED, 30)
        if state.status in ENDED:
            return state
        if state.pending[0].kind == "questions":
            await made.answer(handle)
        else:
            await made.decide(handle, "approve")


def statuses(state: StateView) -> list[str]:
    return [phase.status for phase in state.phases]


def losses(state: StateView, phase: str) -> list[LostInput]:
    return next(each.lost_inputs for each in state.phases if each.id == phase)


def rows(fakes: Fakes, run_id: str) -> dict[str, PhaseRecord]:
    """Return the last row of each phase of a run."""
    batches = [batch for batch in fakes.batches if batch.run_id == run_id]
    return {row.id: row for batch in batches for row in batch.phases}


def fakes_with_news() -> Remembering:
    fakes = Remembering(hours=24)
    fakes.news = NEWS
    return fakes


@pytest.mark.parametrize("why", some(en("cause-late")))
async def test_articles_all_lost_to_an_outage_fail_the_news(temporal: Client, why: str) -> None:
    fakes = fakes_with_news()
    strike(fakes, "fetch", OUTAGES[why], lambda _: True)
    async with harness(temporal, fakes) as made:
        state = await ended(made)
    assert statuses(state) == FAILED_NEWS
    [error] = [phase.error for phase in state.phases if phase.error]
    assert error.message == en("lost-articles-all", n=8, why=why)
    assert error.message in state.phases[0].warnings
    said_failed = en("phase-gave-nothing", phase=en("title-news"), why=en("cause-input-lost"))
    assert en("lost-value", name="news.analysis", why=said_failed) in state.phases[3].warnings
    for phase in ("research", "investment"):
        assert "news.analysis" in [lost.name for lost in losses(state, phase)]
    assert not [w for phase in state.phases for w in phase.warnings if "no news" in w]


@pytest.mark.parametrize("why", some("HTTP 500"))
async def test_articles_lost_in_part_degrade_all_that_follows(temporal: Client, why: str) -> None:
    fakes = fakes_with_news()
    strike(fakes, "fetch", OUTAGES[why], lambda request: request.url in URLS[:3])
    async with harness(temporal, fakes) as made:
        state = await ended(made)
        assert statuses(state) == PARTIAL_NEWS
        for phase in ("retrieval", "news", "research", "investment"):
            [lost] = losses(state, phase)
            assert (lost.phase_id, lost.kind, lost.found, lost.lost) == (
                "retrieval",
                "articles",
                8,
                3,
            )
            assert [(cause.count, cause.passing) for cause in lost.causes] == [(3, True)]
        told = en("lost-articles", n=3, of=8, why=why)
        assert all(told in state.phases[n].warnings for n in (0, 2, 3, 4))
        report = rows(fakes, state.run_id)["investment"].output
        assert report
        assert told in str(report["report"])
        fakes.before = lambda name, request: None
        again = await ended(made)
    assert statuses(again) == ["completed"] * 5, "an outage that passed is not replayed"
    assert "retrieval" not in [phase.id for phase in again.phases if phase.reused_from]


async def test_nothing_made_during_an_outage_is_cached(temporal: Client) -> None:
    fakes = fakes_with_news()
    strike(fakes, "fetch", OUTAGES["HTTP 500"], lambda request: request.url == URLS[0])
    async with harness(temporal, fakes) as made:
        state = await ended(made)
    kept = {name for name, row in rows(fakes, state.run_id).items() if row.cache_key}
    assert kept == {"fundamental"}


async def test_a_page_that_refuses_is_noted_and_fails_nothing(temporal: Client) -> None:
    fakes = fakes_with_news()
    gone = fail("tool-failed", 404, passing=False)
    strike(fakes, "fetch", gone, lambda request: request.url == URLS[0])
    async with harness(temporal, fakes) as made:
        state = await ended(made)
    assert statuses(state) == ["completed"] * 5
    [lost] = losses(state, "retrieval")
    assert (lost.found, lost.lost, lost.causes[0].status, lost.degrades) == (8, 1, 404, False)
    assert losses(state, "news") == []


async def test_articles_that_all_refuse_are_not_said_to_be_missing(temporal: Client) -> None:
    fakes = fakes_with_news()
    strike(fakes, "fetch", fail("tool-failed", 404, passing=False), lambda _: True)
    async with harness(temporal, fakes) as made:
        state = await ended(made)
    assert statuses(state) == PARTIAL_NEWS
    told = en("lost-articles-all", n=8, why=["HTTP 404"])
    output = rows(fakes, state.run_id)["news"].output
    assert output
    assert told in str(output["analysis"])
    assert "No news" not in str(output)


async def test_articles_on_one_of_several_companies_name_it(temporal: Client) -> None:
    fakes = Remembering(hours=24)
    fakes.filed = beside(fakes.filed)
    snow = SearchHit(url="https://example.org/3", title="Snowflake gains")
    fakes.news = [*HITS, snow]
    fakes.answers["DraftSentiment"] = {"articles": []}
    strike(fakes, "fetch", OUTAGES["HTTP 500"], lambda request: request.url == snow.url)
    async with harness(temporal, fakes) as made:
        state = await ended(made, inputs={"tickers": "AAPL,SNOW"}, until="news")
    assert statuses(state)[:3] == ["partial", "completed", "partial"]
    assert en("lost-articles-all", n=1, subject="SNOW", why="HTTP 500") in state.phases[2].warnings
    assert "Apple" not in str([lost.subject for lost in losses(state, "news")])


async def test_a_chart_that_cannot_be_made_is_named(temporal: Client) -> None:
    fakes = fakes_with_news()
    name, cause = "the chart “Apple Inc.: revenue by quarter”", LossCause(reason="too-costly")
    unmade = LostInput(kind="exhibit", name=name, causes=[cause])
    fakes.filed = fakes.filed.model_copy(update={"lost": [unmade]})
    async with harness(temporal, fakes) as made:
        state = await ended(made)
    assert statuses(state) == ["partial"] * 5
    assert any(name in warning for warning in state.phases[0].warnings)
    [lost] = losses(state, "retrieval")
    assert lost == unmade.model_copy(update={"phase_id": "retrieval"})


async def test_a_chart_of_the_news_that_cannot_be_made_is_named(temporal: Client) -> None:
    fakes = fakes_with_news()
    fakes.news = HITS
    strike(
        fakes,
        "chart",
        OUTAGES[en("cause-worker-died")],
        lambda request: en("news-tone", company="") in request.args.title,
    )
    async with harness(temporal, fakes) as made:
        state = await ended(made)
    [lost] = losses(state, "news")
    assert (lost.kind, lost.causes[0].reason) == ("exhibit", "worker-lost")


async def test_lost_filings_and_prices_degrade_the_figures(temporal: Client) -> None:
    fakes = fakes_with_news()
    cause = LossCause(reason="facts-failed", status=503, passing=True)
    lost = [LostInput(kind="filings", name="filings", found=4, lost=1, causes=[cause])]
    fakes.filed = fakes.filed.model_copy(update={"lost": lost})
    async with harness(temporal, fakes) as made:
        state = await ended(made)
    assert statuses(state) == ["partial", "partial", "completed", "partial", "partial"]
    assert en("lost-filings", n="1", of="4", why="HTTP 503") in state.phases[4].warnings


@pytest.mark.parametrize(
    "way",
    [
        "model-refused",
        pytest.param("model-truncated", marks=pytest.mark.full),
        pytest.param("output-invalid", marks=pytest.mark.full),
    ],
)
async def test_an_analysis_without_an_answer_degrades_all_that_follows(
    temporal: Client, way: str
) -> None:
    fakes = fakes_with_news()
    strike(
        fakes, "model", fail(way, passing=False), lambda request: request.scope.phase_id == "news"
    )
    async with harness(temporal, fakes) as made:
        state = await ended(made)
    assert statuses(state) == ["completed", "completed", "partial", "partial", "partial"]
    for phase in state.phases[3:]:
        assert any(f"{phrase('lost-value')} news.analysis" in warning for warning in phase.warnings)
        assert [lost.name for lost in phase.lost_inputs] == ["news.analysis"]


LOST_PAGE, GONE_PAGE = (
    fail("tool-failed", 503, passing=True),
    fail("tool-failed", 404, passing=False),
)


@pytest.mark.parametrize(
    ("preset", "failure", "status"),
    [
        ("web_answer", LOST_PAGE, "partial"),
        ("deep_research", GONE_PAGE, "completed"),
        pytest.param("deep_research", LOST_PAGE, "partial", marks=pytest.mark.full),
        pytest.param("web_answer", GONE_PAGE, "completed", marks=pytest.mark.full),
    ],
)
async def test_a_page_that_an_agent_lost_degrades_its_report(
    temporal: Client, preset: str, failure: ApplicationError, status: str
) -> None:
    fakes = Fakes()
    fakes.turn_size = 2
    strike(fakes, "fetch", failure, lambda request: request.url.endswith("1"))
    async with harness(temporal, fakes) as made:
        state = await approved(made, preset)
    [lost] = losses(state, "research")
    assert (lost.kind, lost.lost, lost.causes[0].status) == (
        "pages",
        1,
        failure.details[0]["status"],
    )
    after = [phase.id for phase in state.phases].index("research")
    assert {phase.status for phase in state.phases[after:]} == {status}
    assert state.status == status


async def test_searches_that_are_all_refused_end_the_research_before_an_agents_turn(
    temporal: Client,
) -> None:
    fakes = Fakes()

    def refuse(name: str, _: Any) -> None:
        if name == "search":
            raise fail("search-refused", 401, passing=False)

    fakes.before = refuse
    async with harness(temporal, fakes) as made:
        state = await approved(made, "deep_research")
    [error] = [phase.error for phase in state.phases if phase.error]
    assert (error.type, state.status) == ("input-lost", "failed")
    assert not fakes.of("researcher")


LOST_ALL = [
    ("search", fail("tool-failed", 500, passing=True), "lost-searches-all", "HTTP 500"),
    ("search", fail("search-refused", 401, passing=False), "lost-searches-all", "HTTP 401"),
    ("fetch", fail("fetch-failed", passing=True), "lost-pages-all", en("cause-no-answer")),
]


@pytest.mark.parametrize(
    ("preset", "tool", "failure", "code", "why"),
    [
        *(("deep_research" if n % 2 else "web_answer", *lost) for n, lost in enumerate(LOST_ALL)),
        *(
            pytest.param("web_answer" if n % 2 else "deep_research", *lost, marks=pytest.mark.full)
            for n, lost in enumerate(LOST_ALL)
        ),
    ],
)
async def test_research_that_lost_every_search_or_page_fails(
    temporal: Client, preset: str, tool: str, failure: ApplicationError, code: str, why: str
) -> None:
    fakes = Fakes()
    failures = {"fetch": fail("fetch-refused", 404, passing=False), tool: failure}

    def before(name: str, request: Any) -> None:
        if name in failures:
            raise copy(failures[name])

    fakes.before = before
    async with harness(temporal, fakes) as made:
        state = await approved(made, preset)
    [error] = [phase.error for phase in state.phases if phase.error]
    assert (error.type, state.status) == ("input-lost", "failed")
    assert error.message == en(code, n=1, why=why)
    assert all(lost.is_whole for lost in losses(state, "research"))
    after = [phase.id for phase in state.phases].index("research") + 1
    assert {phase.status for phase in state.phases[after:]} == {"skipped"}


async def test_research_whose_pages_all_refuse_tells_what_is_missing(temporal: Client) -> None:
    fakes = Fakes()
    strike(fakes, "fetch", fail("fetch-refused", 404, passing=False), lambda _: True)
    async with harness(temporal, fakes) as made:
        state = await approved(made, "deep_research")
    assert (state.status, state.phases[-1].status) == ("partial", "partial")


@pytest.mark.parametrize("lost", ["search", "fetch"])
async def test_a_search_for_news_is_told_though_its_articles_are_lost(
    temporal: Client, lost: str
) -> None:
    fakes = fakes_with_news()
    strike(fakes, lost, OUTAGES["HTTP 500"], lambda _: True)
    async with harness(temporal, fakes) as made:
        state = await ended(made)
    output: Any = rows(fakes, state.run_id)["retrieval"].output
    [search] = output["searches"]
    assert (search["hits"], bool(search["error"])) == (
        (0, True) if lost == "search" else (8, False)
    )
    assert en("no-search") not in str(rows(fakes, state.run_id)["research"].output)


async def test_crew_that_made_none_of_the_plans_searches_is_partial(temporal: Client) -> None:
    fakes = Fakes()
    fakes.crew_searches = ()
    async with with_crews(temporal, fakes) as made:
        state = await approved(made, "market_analysis")
    [lost] = losses(state, "crew")
    assert (lost.kind, lost.names, lost.causes[0].reason) == (
        "unmade_searches",
        ["pumps"],
        "not-made",
    )
    assert (state.status, state.phases[-1].status) == ("partial", "partial")
    assert en("lost-plan-searches-all", names="“pumps”") in state.phases[-1].warnings[0]


async def test_researcher_that_made_none_of_the_plans_searches_is_partial(
    temporal: Client,
) -> None:
    fakes = Fakes()
    fakes.answers["PlanDraft"] = {
        **fakes.answers["PlanDraft"],
        "search_terms": ["tractors in Togo"],
        "expanded_queries": [],
    }
    async with harness(temporal, fakes) as made:
        state = await approved(made, "deep_research_hitl")
    control = next(phase for phase in state.phases if phase.id == "control")
    assert control.status == state.status == "partial"
    assert en("lost-plan-searches-all", names="“tractors in Togo”") in control.warnings


@pytest.mark.parametrize(
    "preset", [pytest.param("market_analysis", marks=pytest.mark.full), "deep_research_hitl"]
)
async def test_searches_of_the_plan_that_were_left_out_are_named(
    temporal: Client, preset: str
) -> None:
    fakes = Fakes()
    left_out = ["tractors in Togo", "tractors in Benin"]
    fakes.answers["PlanDraft"] = {
        **fakes.answers["PlanDraft"],
        "search_terms": ["pumps", left_out[0]],
        "expanded_queries": [left_out[1]],
    }
    async with with_crews(temporal, fakes) as made:
        state = await approved(made, preset)
    told = [notice for notice in state.notices if notice.code == "searches-unmade"]
    assert [(n.params["n"], n.params["of"], n.params["names"]) for n in told] == [
        (2, 3, [Notice.of("quoted", text=f"tractors in {place}") for place in ("Togo", "Benin")])
    ]
    assert state.status == "completed"
    assert told[0].text in state.warnings
    assert not any(phase.warnings for phase in state.phases), "a reader sees it once"


@pytest.mark.parametrize(
    "preset", [pytest.param("market_analysis", marks=pytest.mark.full), "deep_research_hitl"]
)
async def test_one_of_the_plans_searches_is_enough(temporal: Client, preset: str) -> None:
    async with with_crews(temporal, Fakes()) as made:
        state = await approved(made, preset)
    assert state.status == "completed"


UNJUDGED = Notice.of(
    "claims-unjudged",
    why=explain_causes([LossCause(reason="model-busy", status=529, passing=True)]),
)


class Unjudged(Remembering):
    """A judge who is away."""

    @activity.defn(name="claims.judge")
    async def judge_claims(self, request: JudgeRequest) -> JudgeResult:
        cause = LossCause(reason="model-busy", status=529, passing=True)
        raise ApplicationError(
            "busy", cause.model_dump(mode="json"), type="model-busy", non_retryable=True
        )


async def test_answer_whose_judge_was_away_is_said_and_not_cached(temporal: Client) -> None:
    fakes = Unjudged(hours=24)
    async with harness(temporal, fakes) as made:
        state = await ended(made)
    assert statuses(state) == ["completed"] * 5
    for phase in state.phases[1:]:
        assert UNJUDGED in phase.notices
    kept = {name for name, row in rows(fakes, state.run_id).items() if row.cache_key}
    assert kept == {"retrieval"}
