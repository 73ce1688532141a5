"""Selection of a run's report among its phases' outputs; without any, ideas become the report."""

from collections.abc import Mapping, Sequence
from typing import Any

from contracts.base import Json
from contracts.definitions import Definition
from contracts.phases.hitl_checkpoint import HitlCheckpointPhase
from contracts.phases.planning import IdeaGenerationOutput
from contracts.planning.brief import Idea, IdeaReview
from contracts.report.report import Report, Section
from contracts.words import Language, say
from contracts.words.question_language import detect_language
from domain.evidence.normal_forms import spell_words
from domain.report.context import ReportContext
from domain.report.formats.markdown import render


def find_report(
    definition: Definition, query: str, outputs: Mapping[str, Json | None], *, offline: bool
) -> Json | None:
    """Return the report of the phase that the definition names, else the last one with something to say.

    `outputs` are those of the phases, in the definition's order.
    """
    given = {name: output for name, output in outputs.items() if output}
    reports = {name: output["report"] for name, output in given.items() if output.get("report")}
    if definition.report_phase in reports:
        return reports[definition.report_phase]  # type: ignore[return-value]
    telling = [report for report in reports.values() if _says_more_than_accounts(report)]
    for report in reversed(telling or list(reports.values())):
        return report  # type: ignore[return-value]
    for output in reversed(given.values()):
        if "ideas" in output:
            ideas = IdeaGenerationOutput.read_record(output)
            is_chosen = not _awaits_choice(definition, outputs)
            told = build_ideas_report(query, ideas, offline=offline, is_chosen=is_chosen)
            return told.model_dump(mode="json")
    return None


def _awaits_choice(definition: Definition, outputs: Mapping[str, Json | None]) -> bool:
    """Return whether a human is still to choose among the ideas."""
    return any(
        isinstance(phase, HitlCheckpointPhase)
        and phase.config.checkpoint_type == "custom"
        and not outputs.get(phase.id)
        for phase in definition.phases
    )


def _says_more_than_accounts(report: Any) -> bool:
    """Return whether a report contains more than agents' accounts of their own work."""
    told = any(section["claims"] or section.get("remarks") for section in report["sections"])
    return bool(told or report.get("comparison") or report.get("answer"))


def build_idea_section(
    heading: str, idea: Idea, reviews: Sequence[IdeaReview], language: Language
) -> Section:
    """Return a section with an idea, its reasoning and its critics' reviews."""
    lines = [idea.description, idea.why]
    for review in reviews:
        lines.append(say(language, "idea-score", score=review.score))
        lines += [say(language, "idea-strength", text=text) for text in review.strengths]
        lines += [say(language, "idea-weakness", text=text) for text in review.weaknesses]
    return Section(heading=heading, account="\n".join(lines))


def add_accounts(report: Report, idea: Sequence[Section], accounts: Sequence[Section]) -> Report:
    """Insert the idea after a report's first section, and add each account under its own heading.

    An account with an existing heading goes into that section.
    """
    names = {spell_words(section.heading) for section in report.sections}
    own = {spell_words(each.heading): each.account for each in accounts}
    sections = [
        section.model_copy(
            update={"account": own.get(spell_words(section.heading), section.account)}
        )
        for section in report.sections
    ]
    new = [each for each in accounts if spell_words(each.heading) not in names]
    return report.model_copy(update={"sections": [*sections[:1], *idea, *sections[1:], *new]})


def build_ideas_report(
    query: str, found: IdeaGenerationOutput, *, offline: bool, is_chosen: bool
) -> Report:
    """Return ideas and what their critic says of them as a report, the chosen one first."""
    sections, language = list[Section](), detect_language(query)
    for number, idea in enumerate(found.ideas, start=1):
        chosen = is_chosen and idea.title == found.selected_idea.title
        heading = say(language, "idea-chosen", title=idea.title) if chosen else idea.title
        reviews = [review for review in found.reviews if review.idea == number and not offline]
        sections.insert(
            0 if chosen else number, build_idea_section(heading, idea, reviews, language)
        )
    report = Report(title=query[:200], sections=sections, searches=[])
    context = ReportContext([], offline=offline, language=language)
    return report.model_copy(update={"markdown": render(report, context)})
