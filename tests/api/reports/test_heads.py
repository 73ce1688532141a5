"""Every format of a report starts with its question, day and answer, and names its price and its gaps.

All formats are rendered from one document. One run of each kind covers the opening in every format; other runs
cover its contents in the two formats that need no separate process.
"""

import asyncio
import io
import json
import re
from collections.abc import Awaitable, Callable, Iterable
from html import unescape
from typing import Any

import psycopg
import pytest
from docx import Document
from pypdf import PdfReader
from temporalio.exceptions import ApplicationError

from contracts.documents import UnreadPart
from contracts.media_types import DOCX, PDF
from contracts.models.call import LAST
from contracts.words import say
from tests.api.conftest import Site
from tests.api.reports.test_report_history import first_patch
from tests.support.databases import as_owner
from tests.support.words import en

QUESTION = "Where to sell pumps?"
"""What `Site.start` asks."""
FIRST_LINES = 2_000
"""Characters within which a reader must have met what the head says."""


def read_json(content: bytes) -> str:
    """Return the Markdown in a report's JSON, after checking that its head agrees."""
    whole = json.loads(content)
    head = whole["head"]
    assert head["question"] in whole["markdown"]
    assert whole["document"]["summary"] in whole["markdown"]
    return str(whole["markdown"])


def read_pdf(content: bytes) -> str:
    return "\n".join(page.extract_text() for page in PdfReader(io.BytesIO(content)).pages)


def read_html(content: bytes) -> str:
    body = content.decode().partition("<body>")[2]
    return unescape(re.sub(r"<[^>]+>", " ", body))


def read_word(content: bytes) -> str:
    return "\n".join(part.text for part in Document(io.BytesIO(content)).paragraphs)


READERS: dict[str, Callable[[bytes], str]] = {
    "md": bytes.decode,
    "json": read_json,
    "html": read_html,
    "pdf": read_pdf,
    "docx": read_word,
}
TEXTS = ("md", "json")
FILES = {"pdf": PDF, "docx": DOCX}


def fold(text: str) -> str:
    """Return a text as one line, without the marks of a format."""
    return " ".join(re.sub(r"[*>#\\]", " ", text).split())


async def first_lines(site: Site, run: str, format: str) -> str:
    answer = await site.get(f"{run}/report", format=format)
    assert answer.status_code == 200, answer.text
    return fold(READERS[format](answer.content))[:FIRST_LINES]


@pytest.fixture(scope="module")
async def completed(site: Site) -> str:
    return await site.complete()


@pytest.mark.parametrize("format", READERS)
async def test_every_format_opens_with_question_day_and_answer_and_ends_with_what_it_took(
    site: Site, completed: str, format: str
) -> None:
    answer = await site.get(f"{completed}/report", format=format)
    assert answer.headers["x-content-type-options"] == "nosniff"
    if format in FILES:
        assert answer.headers["content-type"] == FILES[format]
        name = f"filename*=UTF-8''Pumps.{format}"
        assert answer.headers["content-disposition"].endswith(name)
    whole = fold(READERS[format](answer.content))
    told, looked_up = whole[:FIRST_LINES], whole.partition(en("appendix"))[2]
    row = (await site.get(completed)).json()
    assert QUESTION in told
    assert say("en", "in-short") not in told, "the report itself begins with these sentences"
    day, sentences = told.partition(QUESTION)[2].split(en("offline-rule"))[:2]
    assert row["ended_at"][:10] in day
    assert "And more" in sentences
    facts = [say("en", code, n=1) for code in ("free", "no-model", "sources-read")]
    assert " · ".join(facts) in looked_up.partition(en("about"))[2]
    assert "run" not in told.partition(QUESTION)[0].casefold(), "there is nothing to warn of"


@pytest.mark.parametrize("format", ["md", pytest.param("pdf", marks=pytest.mark.full)])
async def test_report_without_its_appendix_ends_with_the_sources(
    site: Site, completed: str, format: str
) -> None:
    answer = await site.get(f"{completed}/report", format=format, appendix="false")
    told = fold(READERS[format](answer.content))
    assert "And more" in told
    assert en("sources") in told
    assert not [code for code in ("appendix", "evidence", "about") if en(code) in told]


async def test_the_head_of_a_shared_report_is_that_of_its_files(site: Site, completed: str) -> None:
    head = (await site.get(f"{completed}/report/head")).json()
    whole = (await site.get(f"{completed}/report", format="json")).json()
    assert head == whole["head"]
    assert (head["question"], head["sources_read"], head["notices"]) == (QUESTION, 1, [])


async def approve(site: Site, definition: str = "deep_research", **body: Any) -> str:
    """Start a run and approve its plan; what it asks before is left to it."""
    run = await site.start(definition, **body)
    state = (await site.get(f"{run}/state", wait=30)).json()
    if state["pending"][0]["kind"] == "questions":
        state = (await site.post(f"{run}/answers", {"rest": None}, wait=30)).json()
    said = {"action": "approve", "plan_hash": state["plan_hash"]}
    assert (await site.post(f"{run}/decision", said)).status_code == 202
    return run


def fail(site: Site, place: str, type: str) -> None:
    """Have the model calls fail that are made at a step of the plan, or at a turn of the research.

    A last turn in its place fails as well.
    """

    def before(kind: str, request: Any) -> None:
        turn = request.scope.name.removesuffix(f"-{LAST}")
        if kind == "model" and place in {request.scope.plan_step, turn}:
            raise ApplicationError("the cap of $0.10", type=type, non_retryable=True)

    site.fakes.before = before


async def finish_within_budget(site: Site, run: str, phase: str) -> str:
    [asked] = (await site.until(run, phase))["pending"]
    said = {"choice": "finish", "checkpoint_id": asked["checkpoint_id"]}
    assert (await site.post(f"{run}/decision", said)).status_code == 202
    return run


async def end_research_for_money(site: Site) -> str:
    fail(site, "turn-2", "budget-exceeded")
    return await finish_within_budget(site, await approve(site), "research")


def plan_two_steps(site: Site) -> None:
    steps = [{"name": f"Part {n}", "agent_role": "researcher"} for n in (1, 2)]
    site.fakes.answers["PlanDraft"] = {**site.fakes.answers["PlanDraft"], "steps": steps}


async def fail_the_second_step(site: Site) -> str:
    plan_two_steps(site)
    verdicts = iter([{"accepted": True, "issues": []}])
    lacking = {"accepted": False, "issues": ["no figures"]}
    site.fakes.answers["step_reviewer"] = lambda _: next(verdicts, lacking)
    alone = {"control": {"config": {"on_step_failure": "fail"}}}
    return await approve(site, "deep_research_hitl", config_overrides=alone)


async def end_the_steps_for_money(site: Site) -> str:
    plan_two_steps(site)
    fail(site, "step-2", "budget-exceeded")
    return await finish_within_budget(site, await approve(site, "deep_research_hitl"), "control")


async def cancel_between_turns(site: Site) -> str:
    held = site.fakes.hold("turn-3")
    run = await approve(site)
    await first_patch(site, run)
    await site.post(f"{run}/cancel", {"mode": "now"})
    held.set()
    return run


async def reject_at_a_step(site: Site) -> str:
    plan_two_steps(site)
    run = await approve(site, "deep_research_full_hitl")
    await site.until(run, "control")
    said = {"action": "reject", "feedback": "This is not what we need."}
    assert (await site.post(f"{run}/decision", said)).status_code == 202
    return run


async def stop_after_research(site: Site) -> str:
    return await approve(site, until="research")


async def reject_its_plan(site: Site) -> str:
    run = await site.start()
    await site.get(f"{run}/state", wait=30)
    state = (await site.post(f"{run}/answers", {"rest": None}, wait=30)).json()
    said = {"action": "reject", "plan_hash": state["plan_hash"], "feedback": "Not now."}
    assert (await site.post(f"{run}/decision", said)).status_code == 202
    return run


async def cancel_at_once(site: Site) -> str:
    run = await site.start()
    await site.get(f"{run}/state", wait=30)
    await site.post(f"{run}/cancel", {"mode": "now"})
    return run


async def fail_its_plan(site: Site) -> str:
    def before(kind: str, request: Any) -> None:
        if kind == "model" and request.scope.phase_id == "planning":
            raise ApplicationError("it declined", type="model-refused", non_retryable=True)

    site.fakes.before = before
    run = await site.start()
    await site.get(f"{run}/state", wait=30)
    await site.post(f"{run}/answers", {"rest": None}, wait=30)
    return run


def skip(reason: str, *kinds: str) -> str:
    """Return what a head says of phases that were not done."""
    phases = [en(f"kind-{kind}") for kind in kinds]
    return en("phase-skipped", n=len(phases), phase=phases, reason=en(reason))


UNDONE = en("steps-undone", n=1, steps="“Part 2”")
REFUSALS = "1: no figures; 2: no figures; 3: no figures"
STEP_FAILED = en("step-failed", step="step-2", name="Part 2", n=3, reasons=REFUSALS)
PLAN_FAILED = en("phase-failed", phase=en("kind-planning"), reason="it declined")
BEGUN = ("clarification", "planning", "hitl_checkpoint")
WRITING = ("synthesis", "validation", "summary")
BARE: dict[str, tuple[Callable[[Site], Awaitable[str]], list[str]]] = {
    "rejected at its plan": (
        reject_its_plan,
        [en("run-rejected"), en("rejection-unnamed", text="Not now.")],
    ),
    "cancelled": (
        cancel_at_once,
        [en("run-cancelled"), skip("run-over-cancelled", *BEGUN, "research", *WRITING)],
    ),
    "failed at its plan": (fail_its_plan, [en("run-failed"), PLAN_FAILED]),
}
"""Ends of runs that wrote nothing, and what their first lines say."""

ENDINGS: dict[str, tuple[Callable[[Site], Awaitable[str]], str, list[str]]] = {
    "for money": (
        end_research_for_money,
        "partial",
        [
            en("run-partial"),
            en("budget-ended-reading", phase=en("kind-research"), n=1),
        ],
    ),
    "failed": (
        fail_the_second_step,
        "failed",
        [
            en("run-failed"),
            UNDONE,
            en("phase-failed", phase=en("kind-control"), reason=STEP_FAILED),
            en("phase-blocked", n=1, phase=en("kind-summary"), without=en("kind-control")),
        ],
    ),
    "steps for money": (
        end_the_steps_for_money,
        "partial",
        [en("run-partial"), en("budget-ended-reading", phase=en("kind-control"), n=1), UNDONE],
    ),
    "cancelled": (
        cancel_between_turns,
        "cancelled",
        [en("run-cancelled"), skip("run-over-cancelled", "research", *WRITING)],
    ),
    "rejected": (
        reject_at_a_step,
        "rejected",
        [
            en("run-rejected"),
            en("rejection-unnamed", text="This is not what we need."),
            UNDONE,
        ],
    ),
    "cut by its start": (
        stop_after_research,
        "partial",
        [en("run-partial"), skip("not-chosen", *WRITING)],
    ),
}


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.full)
        if name in ("steps for money", "cancelled", "cut by its start")
        else name
        for name in ENDINGS
    ],
)
async def test_report_opens_with_how_the_run_ended_and_what_is_missing(
    site: Site, name: str
) -> None:
    end, status, told = ENDINGS[name]
    run = await reach(site, end)
    state = (await site.get(f"{run}/state")).json()
    assert state["status"] == status
    said = fold(" ".join(state["warnings"]))
    assert [part for part in told if part not in said] == []
    await check_heads(site, run, told, TEXTS)


@pytest.mark.full
async def test_every_format_opens_with_how_the_run_ended(site: Site) -> None:
    end, _, told = ENDINGS["rejected"]
    await check_heads(site, await reach(site, end), told, READERS)


async def reach(site: Site, end: Callable[[Site], Awaitable[str]]) -> str:
    """Return a run that has ended in that way; what it changed of the fakes is put back."""
    before, answers = site.fakes.before, site.fakes.answers
    site.fakes.answers = {**answers}
    try:
        run = await end(site)
        await site.follow(run, 0)
    finally:
        site.fakes.before, site.fakes.answers = before, answers
    return run


async def check_heads(site: Site, run: str, told: list[str], formats: Iterable[str]) -> None:
    """Check that in each format these words stand at the top, and ahead of the question."""
    for format in formats:
        shown = await first_lines(site, run, format)
        assert [part for part in told if part not in shown] == [], format
        assert shown.index(told[0]) < shown.index(QUESTION), format


async def test_report_opens_with_what_was_not_read_of_its_sources(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    scans = UnreadPart(code="pages_without_text", count=3, of=40, names=["7", "8", "9"])
    monkeypatch.setattr(site.fakes, "unread", (scans,))
    run = await site.complete()
    [source] = (await site.get(f"{run}/sources")).json()["items"]
    assert source["unread"] == [scans.model_dump()]
    told = en("unread-pages-without-text", name=source["title"], n=3, of=40, names="7, 8, 9")
    assert told in (await site.get(f"{run}/state")).json()["warnings"]
    for format in TEXTS:
        shown = await first_lines(site, run, format)
        assert shown.index(told) < shown.index(QUESTION), format


async def test_a_run_without_a_report_shows_what_its_phases_gave(site: Site) -> None:
    run = await site.start("investment_analysis", inputs={"ticker": "AAPL"}, only=["news"])
    await site.follow(run, 0)
    for format in TEXTS:
        assert en("no-report") in await first_lines(site, run, format), format
    report = (await site.get(f"{run}/report")).text
    [section] = re.findall(f"^## {en('title-news')}\\n+(.+)", report, re.MULTILINE)
    assert section
    assert (await site.get(f"{run}/report", phase="news")).text == report
    assert (await site.get(run, include="outputs")).json()["outputs"].keys() == {"news"}


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.full) if name == "rejected at its plan" else name
        for name in BARE
    ],
)
async def test_a_run_that_ended_before_it_wrote_is_its_head(site: Site, name: str) -> None:
    end, told = BARE[name]
    run = await reach(site, end)
    for format in TEXTS:
        shown = await first_lines(site, run, format)
        assert [part for part in [*told, en("no-result"), QUESTION] if part not in shown] == [], (
            format
        )
    report = (await site.get(f"{run}/report", format="json")).json()
    assert (report["sections"], report["head"]["notices"][-1]["code"]) == ([], "no-result")
    assert en("evidence") not in report["markdown"]
    assert (await site.get(f"{run}/report", phase="planning")).status_code == 404


async def test_who_is_told_of_the_end_finds_the_report_of_it(site: Site) -> None:
    """The run says that it has ended before its record does, here half a second before."""
    run = await site.start()
    await site.get(f"{run}/state", wait=30)
    shown = (await site.post(f"{run}/answers", {"rest": None}, wait=30)).json()

    async def read_the_end() -> tuple[str, int]:
        state = (await site.get(f"{run}/state", wait=30)).json()
        return state["status"], (await site.get(f"{run}/report")).status_code

    async with await psycopg.AsyncConnection.connect(as_owner(site.database)) as held:
        named = [run.rpartition("/")[2]]
        await held.execute("SELECT 1 FROM runs WHERE id = %s FOR NO KEY UPDATE", named)
        said = {"action": "reject", "plan_hash": shown["plan_hash"]}
        assert (await site.post(f"{run}/decision", said)).status_code == 202
        told = asyncio.create_task(read_the_end())
        await asyncio.sleep(0.5)
        await held.rollback()
    assert await told == ("rejected", 200)


async def test_a_phase_without_a_report_shows_what_it_gave(site: Site, completed: str) -> None:
    told = (await site.get(f"{completed}/report", phase="summary")).text
    assert "Pumps sell" in told.partition(f"## {en('kind-summary')}")[2]
    assert (await site.get(f"{completed}/report", phase="planning")).status_code == 404
