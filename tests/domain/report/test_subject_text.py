"""The subject of a decision as Markdown: a plan with all hashed fields, or ideas with their reviews."""

import re

import pytest

from contracts.agents.steps import StepResult
from contracts.evidence.claims import Citation, Claim
from contracts.human.checkpoint_subjects import (
    IdeasSubject,
    PlanSubject,
    ResultsSubject,
    ReviewedIdea,
    ShownOutput,
    StepSubject,
)
from contracts.notices import Notice
from contracts.planning.assumptions import Assumption
from contracts.planning.brief import Idea, IdeaReview
from contracts.planning.plan import Plan, PlanStep
from contracts.words import Language
from domain.report.context import ReportContext
from domain.report.formats.markdown import write_markdown
from domain.report.subject_text import build_output, build_step, render_subject
from tests.support.product.plan_changes import SERVER, ChangedPlan, list_hashed_changes
from tests.support.words import en

PLAN = Plan(title="Pumps", steps=[PlanStep(name="Look"), PlanStep(name="Count")], servers=[SERVER])
FOUND = Claim(
    text="Pumps sell.",
    citations=[Citation(source=1, quote="Pumps sell.", start=65, end=76)],
    verdict="supported",
)
STEP = StepResult(
    number=1,
    name="Look",
    agent_role="researcher",
    summary="Looked.",
    findings=[FOUND],
    gaps=["No price."],
)

WORDS = {
    "depth": en("depth-quick"),
    "steps.independent": en("step-independent"),
    "servers.tools.changes": en("plan-tool-changes"),
}
"""Texts shown for new values of fields that are not text."""


@pytest.mark.parametrize("change", list_hashed_changes(PLAN), ids=lambda change: change.field)
def test_every_field_that_the_hash_covers_is_shown(change: ChangedPlan) -> None:
    before = render_subject(PlanSubject(plan=PLAN))
    after = render_subject(PlanSubject(plan=change.plan))
    shown = WORDS.get(change.field, change.shown).casefold()
    assert shown not in before.replace(",", "").casefold()
    assert shown in after.replace(",", "").casefold()


def test_a_plan_says_what_is_searched_and_that_a_stand_in_is_free() -> None:
    shown = PlanSubject(plan=PLAN.model_copy(update={"search_terms": ["pumps"]}))
    web = Notice.of("scope-web")
    told = render_subject(shown, scope=web, offline=True)
    assert f"- **{en('plan-searched')}:** {web.text}" in told
    priced = render_subject(shown, scope=web)
    [price] = re.findall(f"- \\*\\*{en('plan-price')}:\\*\\* (.*)", priced)
    assert f"- **{en('plan-price')}:** {en('price-offline', price=price)}" in told
    assert en("plan-searched") not in render_subject(PlanSubject(plan=PLAN), scope=web)


def list_lines(language: Language) -> set[str]:
    """Return the lines of all that a human decides on, without those that only a model wrote."""
    lists = {"assumptions": [Assumption(text="?")], "outline": ["?"], "focus_areas": ["?"]}
    failed = STEP.model_copy(update={"objections": ["?"], "unreviewed": ["reviewer"]})
    text = write_markdown(build_step(failed, ReportContext([], language=language)))
    plan = PLAN.model_copy(update={**lists, "requirements": ["?"], "max_age_days": 30})
    step = StepSubject(
        step=failed, step_failure="rejected", text=text, next=PLAN.steps[1], plan=plan
    )
    ideas = IdeasSubject(ideas=[ReviewedIdea(idea=Idea(title="?", description="?", why="?"))])
    cut = ResultsSubject(results=[ShownOutput(phase_id="p", title="?", text="?", is_cut=True)])
    web = Notice.of("scope-web")
    told = [render_subject(each, language, scope=web) for each in (step, ideas, cut)]
    lines = {line for text in told for line in text.splitlines() if re.search("[A-Za-z]{3}", line)}
    return {line for line in lines if not re.search("Pumps|Look|researcher|No price", line)}


def test_what_is_decided_on_has_no_english_words_of_ours_in_a_german_run() -> None:
    english, german = list_lines("en"), list_lines("de")
    assert len(english) == len(german) > 15
    assert not english & german


def test_fields_of_steps_and_price_are_among_the_hashed() -> None:
    fields = {change.field for change in list_hashed_changes(PLAN)}
    assert {"max_age_days", "steps.agent_role", "estimated_cost.top_usd"} <= fields
    tools = {f"servers.tools.{name}" for name in ("name", "description", "changes", "hash")}
    assert {"servers.address", "servers.max_calls", "servers.usd_per_call", *tools} <= fields
    assert "estimated_duration" not in fields


def test_a_step_is_shown_as_a_section_with_its_evidence_before_the_plan() -> None:
    text = write_markdown(build_step(STEP, ReportContext([])))
    shown = StepSubject(step=STEP, text=text, next=PLAN.steps[1], plan=PLAN)
    told = render_subject(shown)
    parts = [
        f"# {en('step-number', number=1)}",
        "## Look",
        "Pumps sell. [1]",
        "No price.",
        f"**{en('step-next', step='Count')}**",
        "# Pumps",
    ]
    places = [told.index(part) for part in parts]
    assert places == sorted(places)
    assert "65" not in told, "offsets are for machines"


@pytest.mark.parametrize(("findings", "is_said"), [([FOUND], True), ([], False)])
def test_a_draft_says_that_its_claims_were_found_only_if_it_makes_one(
    findings: list[Claim], is_said: bool
) -> None:
    step = STEP.model_copy(update={"findings": findings})
    text = write_markdown(build_step(step, ReportContext([])))
    assert (en("draft") in text) is is_said
    assert (en("draft-empty") in text) is not is_said


def test_each_idea_is_shown_with_its_own_review() -> None:
    ideas = [
        ReviewedIdea(
            idea=Idea(title=title, description=f"{title} it.", why="Cheap."),
            review=IdeaReview(idea=n, strengths=[f"plus {n}"], weaknesses=[f"minus {n}"], score=n),
        )
        for n, title in enumerate(("Rent", "Sell"), start=1)
    ]
    ideas.append(ReviewedIdea(idea=Idea(title="Lend", description="", why="")))
    told = render_subject(IdeasSubject(ideas=ideas))
    scores = [en("idea-score", score=n) for n in (1, 2)]
    parts = ["## Rent", scores[0], "plus 1", "minus 1", "## Sell", scores[1], "plus 2", "## Lend"]
    places = [told.index(part) for part in parts]
    assert places == sorted(places)
    assert told.index(en("idea-unreviewed")) > told.index("## Lend")


def test_an_output_without_a_report_is_shown_by_its_findings_and_texts() -> None:
    output = {
        "findings": [FOUND.model_dump(mode="json")],
        "analysis": {"text": "Pumps sell.", "points": [], "gaps": ["How many sell?"]},
        "sources": [{"title": "A long title"}],
    }
    told = write_markdown(build_output("Weigh", output, ReportContext([])))  # type: ignore[arg-type]
    assert "Pumps sell. [1]" in told
    assert told.count("Pumps sell.") == 2, "once as a sentence, once as its quote"
    assert "A long title" not in told
