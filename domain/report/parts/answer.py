"""The answer that opens a report, selected from the report's claims."""

from collections.abc import Iterator

from contracts.evidence.claims import Claim
from contracts.report.document import ReportHead
from contracts.report.report import Report, Section
from contracts.words import Language, say
from domain.evidence.normal_forms import spell_words
from domain.report.claims.report_claims import list_claims

MAX_CLAIMS = 5
MAX_OPENING = 100
"""Sentences of an opening that are sought in a short answer."""


def put_answer_first(report: Report, language: Language) -> Report:
    """Return a report that opens with the section that concludes, or else with its conclusions.

    One that has neither opens as it was written: no other sentence answers for the whole. So does a text that was
    written from findings.
    """
    written = [part for part in report.sections if part.claims and not part.is_detail]
    if report.answer or report.has_findings or not written or _sums_up(written[0], written[1:]):
        return report
    if concluding := next(filter(_concludes, written), None):
        others = [section for section in report.sections if section is not concluding]
        return report.model_copy(update={"sections": [concluding, *others]})
    chosen = list({claim.text: claim for claim in _find_overall(report)}.values())[:MAX_CLAIMS]
    answer = Section(heading=say(language, "in-short"), claims=chosen) if chosen else None
    return report.model_copy(update={"answer": answer})


def split_opening(report: Report) -> tuple[Section | None, list[Section]]:
    """Return the section that answers, which precedes a comparison, and the others without details."""
    sections = [part for part in report.sections if not part.is_detail]
    if report.answer:
        return report.answer, sections
    written = [section for section in sections if section.is_written]
    is_text = len(written) == 1 or report.has_findings
    if written and (is_text or _sums_up(written[0], written[1:])):
        return written[0], [section for section in sections if section is not written[0]]
    return None, sections


def find_summary(head: ReportHead, report: Report) -> str:
    """Return the short answer to put above a report; empty if the report begins with the same sentences."""
    opening, _ = split_opening(report) if report.searches is not None else (None, [])
    said = f" {spell_words(head.answer_unmarked or head.answer)} "
    claims = opening.claims if opening else []
    written = [
        claim.edit.former if claim.edit else claim for claim in claims
    ]  # the wording that was summarized
    texts = [f" {spell_words(one.text)} " for one in written]
    if said in "".join(texts).replace("  ", " "):
        return ""
    for text in texts[:MAX_OPENING]:
        said = said.replace(text, " ")
    return head.answer if said.strip() else ""


def _sums_up(section: Section, others: list[Section]) -> bool:
    """Return True if a section has a conclusion, or if the other sections contain all its quotes."""
    concludes = any(claim.kind == "concluded" for claim in section.claims)
    return concludes or _list_quotes([section]) <= _list_quotes(others)


def _concludes(section: Section) -> bool:
    """Return whether most of a section's claims are conclusions."""
    return 2 * sum(claim.kind == "concluded" for claim in section.claims) > len(section.claims)


def _find_overall(report: Report) -> Iterator[Claim]:
    """Yield the supported or unjudged conclusions that rest on claims of other sections."""
    named = {claim.id for claim in list_claims(report) if claim.id}
    for section in report.sections:
        own = {claim.id for claim in section.claims}
        for claim in section.claims:
            beyond = any(name in named and name not in own for name in claim.rests_on)
            if claim.verdict in {None, "supported"} and beyond:
                yield claim


def _list_quotes(sections: list[Section]) -> set[tuple[int, str]]:
    claims = [claim for section in sections for claim in section.claims]
    return {(c.source, c.quote) for claim in claims for c in claim.citations}
