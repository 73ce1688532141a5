"""`validation`: a report's sources and outline, checked by code; its rules, judged by a model."""

from temporalio import workflow

from contracts.errors import ValidationFailed
from contracts.human.checkpoint_subjects import ResultsSubject
from contracts.human.checkpoints import Checkpoint
from contracts.models.call import Input, build_inputs, to_input
from contracts.models.model_drafts import DraftVerdict
from contracts.notices import Notice
from contracts.phases.validation import (
    CheckedSource,
    RuleVerdict,
    Validation,
    ValidationInput,
    ValidationOutput,
    ValidationPhase,
)
from contracts.report.report import Report
from contracts.words import say
from domain.prompts import load_prompts
from domain.report.claims.report_claims import find_last_source, list_claims
from domain.sources.source_sufficiency import find_shortage
from workflows.agents.report_editor import finish_report
from workflows.agents.source_checks import add_notes, check_sources, list_notes
from workflows.checkpoints.subjects import show_outputs
from workflows.checkpoints.wait_for_human import compute_deadline
from workflows.phase_context.context import PhaseContext
from workflows.phase_context.expected_tokens import CHARS_PER_TOKEN, Tokens, Use
from workflows.phase_context.kind import Kind
from workflows.runtime.stops_and_revisions import RunStopped
from workflows.verification.answer_verification import NO_ANSWER

PROMPTS = load_prompts("workflows.prompts", "validation")

REPORT_CHARS = 40_000
"""What a call judges of a report; a longer one is judged part by part."""
CALL = Use(1_000, 120)
"""Expected tokens of judging a rule on one part, without the report's text."""
PAGE_TOKENS = 150
"""Tokens that a report is expected to gain with each page read: its sentences about it, and its entry among the sources."""


async def validation(
    phase: ValidationPhase, given: ValidationInput, run: PhaseContext
) -> ValidationOutput:
    """Check the outline and the rules, and the sources where the question or the config asks for it."""
    config, plan = phase.config, run.humans.require_approved_plan()
    report, bound, searches = given.report, given.sources, given.searches
    # The report of a living run may cite any of the run's pages.
    sources = bound if find_last_source(report) <= len(bound) else list(run.state.sources)
    max_age_days = plan.max_age_days or (config.max_age_days if config.is_due else None)
    quotes = _list_quotes(report)
    checked: list[CheckedSource] = []
    if max_age_days:
        cited = {n: sources[n - 1] for n in sorted(quotes) if n <= len(sources)}
        checked = await check_sources(run, max_age_days, cited, quotes)
    shown = report.markdown
    if any(source.notes for source in sources):  # the notes would bias a model
        bare = [source.model_copy(update={"notes": []}) for source in sources]
        shown = finish_report(run, report, bare, searches).markdown
    verdicts = {
        rule: await _judge_rule(run, n, rule, report, shown)
        for n, rule in enumerate(config.rules, start=1)
    }
    rules = [verdict for verdict in verdicts.values() if verdict]
    headings = {section.heading.casefold() for section in report.sections}
    agreed = plan.outline if config.check_outline else []
    missing = [heading for heading in agreed if heading.casefold() not in headings]
    problems = [
        *(find_shortage(checked, config, max_age_days) if max_age_days else []),
        *(Notice.of("section-agreed-missing", heading=heading) for heading in missing),
        *(Notice.of("rule-broken", rule=rule.rule) for rule in rules if not rule.met),
        *(Notice.of("rule-unjudged", rule=rule) for rule, told in verdicts.items() if not told),
    ]
    found = Validation(
        verdict="insufficient" if problems else "passed" if max_age_days or rules else "not_needed",
        max_age_days=max_age_days,
        sources=checked,
        missing_headings=missing,
        rules=rules,
        problems=problems,
    )
    noted = add_notes(sources, checked)
    if problems or noted != bound:
        losses = [*report.losses, *(Notice.of("note", text=problem) for problem in problems)]
        report = report.model_copy(update={"losses": losses, "source_notes": list_notes(checked)})
        report = finish_report(run, report, noted, searches)
    output = ValidationOutput(validation=found, report=report)
    if found.verdict == "insufficient" and config.on_fail != "note":
        await _hold_back(phase, run, output)
    return output


def _list_quotes(report: Report) -> dict[int, list[str]]:
    """Return the cited quotes by the number of their source."""
    quotes: dict[int, list[str]] = {}
    for citation in (c for claim in list_claims(report) for c in claim.citations):
        quotes.setdefault(citation.source, []).append(citation.quote)
    return quotes


async def _hold_back(phase: ValidationPhase, run: PhaseContext, output: ValidationOutput) -> None:
    """Stop the run over an insufficient report, or ask a human whether it may go on.

    Raises:
        RunStopped: The config says so; the report stays readable.
        Rejected: The human, or the deadline, says no.
    """
    problems = output.validation.problems
    if phase.config.on_fail == "stop":
        raise RunStopped(ValidationFailed(Notice.of("validation-failed", reasons=problems)), output)
    run.log.replace_output(run.me.id, output.model_dump(mode="json"))
    checkpoint = Checkpoint(
        checkpoint_id=f"{run.me.id}-{run.me.attempt}",
        phase_id=run.me.id,
        kind="decision",
        options=["approve", "reject"],
        asks=[Notice.of("ask-report", problems=problems)],
        subject=ResultsSubject(results=show_outputs(run.state, [run.me.id])),
        deadline=compute_deadline(run.clock.now(), phase.config.wait_seconds),
    )
    await run.humans.ask_decision(checkpoint, "reject")


async def _judge_rule(
    run: PhaseContext, number: int, rule: str, report: Report, shown: str
) -> RuleVerdict | None:
    """Return a model's verdict on one rule; it only counts if it names a sentence of the report.

    Each part of a long report must keep the rule. The last part is judged with the verdicts on the parts before it,
    so that its verdict covers what the whole report lacks. Return None if no model is called, because shared words
    do not show whether a rule is kept.
    """
    if run.state.terms.by_rule:
        return None
    told = " ".join(claim.text for claim in list_claims(report))
    text, unquoted = _normalize(f"{told} {shown}"), say(run.language, "rule-unquoted")
    parts = split_at_lines(shown, REPORT_CHARS)
    if parts[1:] and not workflow.patched("rules-judged-in-parts"):
        parts = [shown[:REPORT_CHARS]]
    verdicts: list[RuleVerdict] = []
    for n, part in enumerate(parts, start=1):
        inputs = [to_input("rule", rule), to_input("report", part)]
        if parts[1:]:
            earlier = [verdict.model_dump(mode="json", exclude={"rule"}) for verdict in verdicts]
            inputs += build_inputs(part=f"{n} of {len(parts)}", earlier_verdicts=earlier or None)
        try:
            draft = await _ask(run, f"rule-{number}" + f"-part-{n}" * (n > 1), inputs)
        except NO_ANSWER as error:
            run.losses.go_on(error, Notice.of("rule-not-judged"), "validation")
            return None
        # What is required may stand in a later part; a quote of an earlier part must still be of the report.
        stands = _normalize(draft.quote) in text if draft.quote.strip() else n < len(parts)
        reason = draft.reason if stands or not draft.met else unquoted
        met = draft.met and stands
        verdicts.append(RuleVerdict(rule=rule, met=met, quote=draft.quote, reason=reason))
        if not met:
            break
    return verdicts[-1]


async def _ask(run: PhaseContext, name: str, inputs: list[Input]) -> DraftVerdict:
    async with run.timer.leave_a_reserve():
        return await run.calls.generate(
            name, "validator", PROMPTS["rule"], inputs, DraftVerdict, max_tokens=800
        )


def estimate_tokens(phase: ValidationPhase) -> tuple[Tokens, ...]:
    """Return the tokens that each rule is expected to take: the report, which grows with the pages read, in its parts."""
    rules = len(phase.config.rules)
    parts_of_page = PAGE_TOKENS * CHARS_PER_TOKEN / REPORT_CHARS
    page = Use(
        (PAGE_TOKENS + CALL.input * parts_of_page) * rules, CALL.output * parts_of_page * rules
    )
    return (Tokens(Use(CALL.input * rules, CALL.output * rules), page=page, role="validator"),)


def split_at_lines(text: str, most: int) -> list[str]:
    """Return a text in parts of at most `most` characters that end with a line, unless a line is longer; all of it."""
    parts: list[str] = []
    while len(text) > most:
        end = text.rfind("\n", 0, most) + 1 or most
        parts.append(text[:end])
        text = text[end:]
    return [*parts, text]


def _normalize(text: str) -> str:
    return " ".join(text.casefold().split())


KIND = Kind(
    handler=validation,
    category="execute",
    heeds_feedback=False,
    icon="shield-check",
    web=lambda _: True,
    agents=lambda _: ("validator",),
    tokens=estimate_tokens,
)
