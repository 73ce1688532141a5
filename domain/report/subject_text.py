"""Subjects of checkpoints as Markdown, and the outputs of phases as a report renders them."""

from collections.abc import Iterator, Sequence
from typing import Any

from pydantic import JsonValue

from contracts.agents.steps import StepResult, join_reasons
from contracts.agents.workbench import Artifact
from contracts.base import Json
from contracts.evidence.claims import Claim
from contracts.evidence.sources import Source
from contracts.phases.planning import IdeaGenerationOutput
from contracts.report.research import Plan, PlanStep, Report, Section
from contracts.runs.subjects import (
    IdeasSubject,
    PlanSubject,
    ResultsSubject,
    ReviewedIdea,
    ShownOutput,
    StepSubject,
    Subject,
)
from domain.report.inline import escape_markdown
from domain.report.markdown import render
from domain.report.plan_changes import describe_price
from domain.report.report_claims import count_claims, find_last_source

NOT_READ = {"sources", "searches", "artifacts", "patches", "findings"}
"""Parts of an output that are read elsewhere than in its texts."""


def render_subject(subject: Subject, *, scope: str = "", offline: bool = False) -> str:
    """Return what is decided on as Markdown; of a gate between steps the plan comes last.

    `scope` is what its run's agents search, as `describe_scope` words it; offline, a plan is free.
    """
    return "\n\n".join(filter(None, _render_parts(subject, scope, offline)))


def _render_parts(subject: Subject, scope: str, offline: bool) -> Iterator[str]:
    match subject:
        case PlanSubject(plan=plan):
            yield from _render_plan(plan, scope, offline)
        case StepSubject(next=next_step, plan=plan, text=text):
            yield render_failure(subject)
            yield text
            yield f"**Next:** {_describe_step(next_step)}" if next_step else ""
            yield "---"
            yield from _render_plan(plan, scope, offline)
        case IdeasSubject(ideas=ideas):
            for reviewed in ideas:
                yield from _render_idea(reviewed)
        case ResultsSubject(results=results):
            yield from map(render_shown, results)


def render_failure(subject: StepSubject) -> str:
    """Return why each attempt at a failed step failed; nothing of a step that is done."""
    if subject.failure is None or subject.step is None:
        return ""
    attempts = [*subject.step.failures, subject.step.objections]
    rows = [f"{n}. {escape_markdown(join_reasons(r))}" for n, r in enumerate(attempts, start=1)]
    return "\n".join(["**Why each attempt failed**", "", *rows])


def render_shown(shown: ShownOutput) -> str:
    """Return a phase's output under its title."""
    more = "*The rest is left out here: the run's report and outputs have it.*"
    return f"# {escape_markdown(shown.title)}\n\n{shown.text}\n\n{more if shown.is_cut else ''}"


def render_step(
    result: StepResult, sources: list[Source], artifacts: Sequence[Artifact], *, offline: bool
) -> str:
    """Return a step's result as a draft of a report whose one section it is, with its evidence."""
    made = [artifact for artifact in artifacts if artifact.id in result.artifacts]
    roles = [role.replace("_", " ") for role in result.unreviewed]
    report = Report(
        title=f"Step {result.number}",
        sections=[build_section(result)],
        caveats=[f"Nobody reviewed this step: the {role} gave no answer." for role in roles],
    )
    return _render_draft(report, sources, made, offline=offline)


def render_output(title: str, output: Json, sources: list[Source], *, offline: bool) -> str:
    """Return a phase's report as Markdown; of one without a report its findings and its other texts."""
    if isinstance(report := output.get("report"), dict):
        return str(report["markdown"])
    if "ideas" in output:
        found = IdeaGenerationOutput.model_validate(output)
        ideas = list_reviewed_ideas(found, offline=offline)
        return render_subject(IdeasSubject(ideas=ideas), offline=offline)
    given: Any = output.get("findings") or []
    claims = [Claim.model_validate(each) for each in given]
    told = {claim.text for claim in claims}
    remarks = [text for text in dict.fromkeys(list_texts(output)) if text not in told]
    section = Section(heading="Result", claims=claims, remarks=remarks)
    return _render_draft(Report(title=title, sections=[section]), sources, (), offline=offline)


def build_section(result: StepResult) -> Section:
    """Return a step's section: its summary as the agent's own account, and its findings."""
    return Section(
        heading=result.name,
        account=result.summary.strip(),
        claims=result.findings,
        missing="\n".join(result.gaps),
    )


def list_reviewed_ideas(found: IdeaGenerationOutput, *, offline: bool) -> list[ReviewedIdea]:
    """Return each idea with its own review; the offline stand-in is no critic."""
    reviews = {} if offline else {review.idea: review for review in found.reviews}
    return [
        ReviewedIdea(idea=idea, review=reviews.get(number))
        for number, idea in enumerate(found.ideas, start=1)
    ]


def list_texts(value: JsonValue) -> Iterator[str]:
    """Yield the sentences and titles in a value, of a claim its own without its quotes."""
    if isinstance(value, str) and " " in value:
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from list_texts(item)
    elif isinstance(value, dict) and isinstance(value.get("text"), str):
        yield str(value["text"])
    elif isinstance(value, dict):
        for name, part in value.items():
            if name not in NOT_READ:
                yield from list_texts(part)


def _render_draft(
    report: Report, sources: list[Source], made: Sequence[Artifact], *, offline: bool
) -> str:
    counted = count_claims(report, is_judged=not offline)
    cited = sources[: find_last_source(counted)]
    return render(counted, cited, None, offline=offline, artifacts=made)


def _render_plan(plan: Plan, scope: str, offline: bool) -> Iterator[str]:
    """Yield every part of a plan that its hash covers, its time, and what it searches."""
    yield f"# {escape_markdown(plan.title)}"
    yield escape_markdown(plan.goal)
    yield "\n".join(f"{n}. {_describe_step(step)}" for n, step in enumerate(plan.steps, start=1))
    lists = {
        "Searches": plan.searches,
        "Outline": plan.outline,
        "Requirements": plan.requirements,
        "Focus": plan.focus_areas,
        "Assumptions": plan.assumptions,
    }
    for heading, items in lists.items():
        rows = [f"- {escape_markdown(item)}" for item in items]
        yield "\n".join([f"**{heading}**", "", *rows]) if rows else ""
    price = describe_price(plan.estimated_cost)
    facts = {
        "Scope": escape_markdown(plan.geographical_scope),
        "Searched": escape_markdown(scope) if plan.searches else "",
        "Age of sources": f"at most {plan.max_age_days} days" if plan.max_age_days else "any",
        "Time": escape_markdown(plan.estimated_duration),
        "Price": f"free (with a key {price})" if offline else price,
    }
    yield "\n".join(f"- **{name}:** {fact}" for name, fact in facts.items() if fact)


def _describe_step(step: PlanStep) -> str:
    about = [step.agent_role, step.estimated_duration]
    who = escape_markdown(", ".join(filter(None, about)))
    what = f": {escape_markdown(step.description)}" if step.description else ""
    return f"**{escape_markdown(step.name)}** ({who}){what}"


def _render_idea(reviewed: ReviewedIdea) -> Iterator[str]:
    idea, review = reviewed.idea, reviewed.review
    yield f"## {escape_markdown(idea.title)}"
    yield escape_markdown(idea.description)
    yield escape_markdown(idea.why)
    if review is None:
        yield "*No critic reviewed it.*"
        return
    yield f"**Score of its critic:** {review.score:g} of 10"
    for label, points in (("For it", review.strengths), ("Against it", review.weaknesses)):
        rows = [f"- {escape_markdown(point)}" for point in points]
        yield "\n".join([f"**{label}**", "", *rows]) if rows else ""
