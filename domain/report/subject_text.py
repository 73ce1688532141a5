"""Subjects of checkpoints and outputs of phases as documents, and as the Markdown that a human reads."""

from collections.abc import Iterator, Sequence
from typing import Any

from pydantic import JsonValue

from contracts.access.budgets import MetBudget
from contracts.agents.steps import StepResult, join_reasons
from contracts.base import Json
from contracts.evidence.claims import Claim
from contracts.human.checkpoint_subjects import (
    BudgetSubject,
    IdeasSubject,
    PlanSubject,
    ResultsSubject,
    ReviewedIdea,
    ShownOutput,
    StepSubject,
    Subject,
)
from contracts.notices import Notice, Told, say_told
from contracts.phases.planning import IdeaGenerationOutput
from contracts.planning.plan import Plan, PlanStep
from contracts.report import document as doc
from contracts.report.report import Report, Section
from contracts.tool_servers import PlannedServer, PlannedTool
from contracts.words import Language, say, say_name
from contracts.words.dollars import format_usd
from domain.planning.plan_changes import describe_price
from domain.report.claims.report_claims import count_claims
from domain.report.context import ReportContext
from domain.report.document_builder import build_document
from domain.report.formats.markdown import escape_markdown, write_markdown

NOT_READ = {"sources", "searches", "artifacts", "patches", "findings"}
"""Parts of an output that are read elsewhere than in its texts."""


def render_subject(
    subject: Subject,
    language: Language = "en",
    *,
    scope: Notice | None = None,
    offline: bool = False,
) -> str:
    """Render the subject of a decision as Markdown; at a gate between steps the plan comes last.

    `scope` describes what the run's agents search (`describe_scope`); offline, plans are free.
    """
    parts = _render_parts(subject, language, scope, offline)
    return "\n\n".join(filter(None, map(str.strip, parts)))


def _render_parts(
    subject: Subject, language: Language, scope: Notice | None, offline: bool
) -> Iterator[str]:
    match subject:
        case PlanSubject(plan=plan):
            yield write_markdown(build_plan(plan, language, scope=scope, offline=offline))
        case StepSubject(next=next_step, plan=plan, text=text):
            yield render_failure(subject, language)
            yield text
            yield write_markdown(doc.Document(title="", blocks=_describe_next(next_step, language)))
            yield "---"
            yield write_markdown(build_plan(plan, language, scope=scope, offline=offline))
        case IdeasSubject(ideas=ideas):
            yield write_markdown(build_ideas("", ideas, language))
        case ResultsSubject(results=results):
            yield from (render_shown(each, language) for each in results)
        case BudgetSubject(budget=MetBudget()):
            pass  # the question says it
        case BudgetSubject(most_usd=most_usd, documents=documents):
            yield "\n".join(f"- {escape_markdown(url)}" for url in documents)
            yield say(language, "budget-most", most=most_usd)


def render_failure(subject: StepSubject, language: Language = "en") -> str:
    """Explain why each attempt at a failed step failed; empty for a step that is done."""
    if subject.step_failure is None or subject.step is None:
        return ""
    attempts = [*subject.step.failures, subject.step.objections]
    rows = [f"{n}. {escape_markdown(join_reasons(r))}" for n, r in enumerate(attempts, start=1)]
    return "\n".join([f"**{say(language, 'attempts-failed')}**", "", *rows])


def render_shown(shown: ShownOutput, language: Language = "en") -> str:
    """Return a phase's output under its title."""
    more = f"*{say(language, 'rest-left-out')}*"
    return f"# {escape_markdown(shown.title)}\n\n{shown.text}\n\n{more if shown.is_cut else ''}"


def build_step(result: StepResult, context: ReportContext) -> doc.Document:
    """Return a step's result as a draft report with a single section and its evidence."""
    roles = [role.replace("_", " ") for role in result.unreviewed]
    report = Report(
        title=say(context.language, "step-number", number=result.number),
        sections=[build_section(result)],
        caveats=[Notice.of("step-unreviewed", step=result.name, role=role) for role in roles],
        exhibits=result.artifacts,
    )
    return _build_draft(report, context)


def build_output(title: str, output: Json, context: ReportContext) -> doc.Document:
    """Return a phase's report; of one without a report its findings and its other texts."""
    if isinstance(given := output.get("report"), dict):
        return build_document(Report.read_record(given), context)
    if "ideas" in output:
        found = IdeaGenerationOutput.read_record(output)
        reviewed = list_reviewed_ideas(found, offline=context.offline)
        return build_ideas(title, reviewed, context.language)
    findings: Any = output.get("findings") or []
    claims = [Claim.read_record(each) for each in findings]
    told = {claim.text for claim in claims}
    remarks = [text for text in dict.fromkeys(list_texts(output)) if text not in told]
    section = Section(heading=say(context.language, "result"), claims=claims, remarks=remarks)
    return _build_draft(Report(title=title, sections=[section]), context)


def build_section(result: StepResult) -> Section:
    """Return a step's section: its summary as an account, and its findings."""
    return Section(
        heading=result.name,
        account=result.summary.strip(),
        claims=result.findings,
        missing="\n".join(result.gaps),
    )


def list_reviewed_ideas(found: IdeaGenerationOutput, *, offline: bool) -> list[ReviewedIdea]:
    """Return each idea with its own review; the offline stand-in writes no reviews."""
    reviews = {} if offline else {review.idea: review for review in found.reviews}
    return [
        ReviewedIdea(idea=idea, review=reviews.get(number))
        for number, idea in enumerate(found.ideas, start=1)
    ]


def list_texts(value: JsonValue) -> Iterator[str]:
    """Yield the sentences and titles in a value; claims without their quotes."""
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


def _build_draft(report: Report, context: ReportContext) -> doc.Document:
    counted = count_claims(report, is_judged=not context.offline)
    return build_document(counted, context.keep_cited(counted))


def build_plan(
    plan: Plan, language: Language, *, scope: Notice | None = None, offline: bool = False
) -> doc.Document:
    """Return every part of a plan that its hash covers, its time, and what it searches."""
    lists = {
        "not-held": plan.not_held,
        "searches": plan.searches,
        "outline": plan.outline,
        "requirements": plan.requirements,
        "focus": plan.focus_areas,
        "measures": plan.measures,
        "assumptions": [assumed.say(language) for assumed in plan.assumptions],
    }
    price = describe_price(plan.estimated_cost, language)
    age = plan.max_age_days
    facts: dict[str, Told | None] = {
        "scope": plan.geographical_scope,
        "searched": scope if plan.searches else None,
        "as-of": plan.as_of,
        "age": Notice.of("plan-age-most", n=age) if age else Notice.of("plan-age-any"),
        "depth": Notice.of(f"depth-{plan.depth}"),
        "wish": format_usd(plan.wished_usd, language) if plan.wished_usd else None,
        "time": plan.estimated_duration,
        "price": Notice.of("price-offline", price=price) if offline else price,
    }
    named = [
        doc.Sentence(lead=f"{say(language, f'plan-{name}')}:", text=say_told(fact, language))
        for name, fact in facts.items()
        if fact
    ]
    blocks: list[doc.Block] = [
        *([doc.Paragraph(sentences=[doc.Sentence(text=plan.goal)])] if plan.goal else []),
        doc.ItemList(
            is_ordered=True, items=[_describe_step(step, language) for step in plan.steps]
        ),
    ]
    for name, items in lists.items():
        blocks += _list_under(say(language, f"plan-{name}"), items)
    for server in plan.servers:
        blocks += _describe_server(server, language)
    return doc.Document(
        language=language, title=plan.title, blocks=[*blocks, doc.ItemList(items=named)]
    )


def _list_under(heading: str, items: Sequence[str]) -> list[doc.Block]:
    listed = doc.ItemList(items=[doc.Sentence(text=item) for item in items])
    return [doc.DocumentHeading(level=3, text=heading), listed] if items else []


def name_server(server: PlannedServer) -> Notice:
    """Return a server with its address and the most calls of its tools, as a plan says it."""
    place, most, usd = server.address or "?", server.max_calls, server.usd_per_call or None
    return Notice.of("plan-server", "info", server=server.name, address=place, n=most, usd=usd)


def describe_tool(tool: PlannedTool, language: Language) -> str:
    """Return what a tool does, and what its server says of it."""
    effect = say(language, "plan-tool-changes" if tool.changes else "plan-tool-reads")
    said = f": {tool.description}" if tool.description else ""
    return f"({effect}, {tool.hash[:12]}){said}"


def _describe_server(server: PlannedServer, language: Language) -> Iterator[doc.Block]:
    """Yield the tools of a server that a plan lists, and what of it is left out."""
    yield doc.DocumentHeading(
        level=3, text=f"{say(language, 'plan-tools')}: {name_server(server).say(language)}"
    )
    tools = [doc.Sentence(lead=t.name, text=describe_tool(t, language)) for t in server.tools]
    notes = [doc.Sentence(text=note.say(language)) for note in server.notes]
    yield doc.ItemList(items=[*tools, *notes])


def _describe_next(step: PlanStep | None, language: Language) -> list[doc.Block]:
    if step is None:
        return []
    named = _describe_step(step, language)
    lead = say(language, "step-next", step=named.lead)
    return [doc.Paragraph(sentences=[doc.Sentence(lead=lead, text=named.text)])]


def _describe_step(step: PlanStep, language: Language) -> doc.Sentence:
    alone = say(language, "step-independent") if step.independent else ""
    who = ", ".join(
        filter(None, [say_name(language, step.agent_role), step.estimated_duration, alone])
    )
    what = f": {step.description}" if step.description else ""
    return doc.Sentence(lead=step.name, text=f"({who}){what}")


def build_ideas(title: str, ideas: Sequence[ReviewedIdea], language: Language) -> doc.Document:
    """Return ideas, each with its review."""
    blocks = [block for idea in ideas for block in _describe_idea(idea, language)]
    return doc.Document(language=language, title=title, blocks=blocks)


def _describe_idea(reviewed: ReviewedIdea, language: Language) -> Iterator[doc.Block]:
    idea, review = reviewed.idea, reviewed.review
    yield doc.DocumentHeading(text=idea.title)
    told = [idea.description, idea.why]
    if review is not None:
        told.append(say(language, "idea-score", score=review.score))
    yield from (doc.Paragraph(sentences=[doc.Sentence(text=text)]) for text in told)
    if review is None:
        yield doc.Remark(text=say(language, "idea-unreviewed"))
    else:
        yield from _list_under(say(language, "idea-strengths"), review.strengths)
        yield from _list_under(say(language, "idea-weaknesses"), review.weaknesses)
