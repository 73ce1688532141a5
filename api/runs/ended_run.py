"""The record of an ended run, and its report; the gateway and `replay` of an archive build it the same way."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from contracts.agents.calculations_and_charts import Artifact
from contracts.base import Json
from contracts.evidence.sources import Source
from contracts.notices import Lack, Notice
from contracts.phases.validation import Validation
from contracts.report.document import ReportHead
from contracts.report.patches import Patch
from contracts.report.report import Report
from contracts.runs.records import PhaseRecord
from contracts.runs.start import RunInput
from contracts.words.question_language import detect_language
from domain.report.changes.patches import EMPTY, apply_patch, fold_patches
from domain.report.context import ReportContext
from domain.report.parts.head import find_answer, list_report_notices
from domain.report.report_from_outputs import replace_report
from domain.report.run_report import find_report
from store.run_records.runs import RunRow
from workflows.agents.source_checks import add_notes
from workflows.interpreter.initial_state import find_opening_patches


@dataclass(frozen=True)
class ServedReport:
    """A report with what it is drawn with."""

    report: Report
    context: ReportContext
    head: ReportHead


@dataclass(frozen=True)
class EndedRun:
    """All that the report of an ended run is made of."""

    row: RunRow
    phases: Sequence[PhaseRecord]
    sources: Sequence[Source]
    artifacts: Sequence[Artifact]
    patches: Sequence[Patch]
    """The changes of its living report, by its log."""

    def build_report(self) -> ServedReport:
        """Return the finished report; fall back to the draft, then to a report of the phases' outputs."""
        row, lack = self.row, None
        context = build_context(row, note_sources(self.sources, self.phases), self.artifacts)
        report = find_finished(row, {phase.id: phase.output for phase in self.phases})
        if report is None and (report := self._fold_draft()):
            context = context.keep_cited(report)
        if report is None:
            given = [(phase, phase.output) for phase in self.phases]
            artifacts = list(self.artifacts)
            report, lack = replace_report(row.query, given, artifacts, offline=row.by_rule)
        head = build_head(row, self.phases, len(self.sources), lack)
        return ServedReport(report, context, head)

    def _fold_draft(self) -> Report | None:
        opened = self.row.opened
        draft = fold_patches(find_opening_patches(opened.resolved)) if opened else EMPTY
        for patch in self.patches:
            draft = apply_patch(draft, patch)
        return None if draft == EMPTY else draft


def find_finished(row: RunRow, outputs: Mapping[str, Json | None]) -> Report | None:
    """Return the run's report among outputs of its phases, by phase id in their order."""
    if row.opened is None:
        return None
    query = RunInput.read_record(row.request).query
    definition = row.opened.resolved.definition
    found = find_report(definition, query, outputs, offline=row.by_rule)
    return Report.read_record(found) if found else None


def note_sources(sources: Sequence[Source], phases: Iterable[PhaseRecord]) -> list[Source]:
    """Return a run's sources with the doubts that validation found."""
    noted = list(sources)
    for phase in phases:
        if phase.output and "validation" in phase.output:
            found = Validation.read_record(phase.output["validation"])
            noted = add_notes(noted, found.sources)
    return noted


def build_context(
    row: RunRow, sources: Sequence[Source], artifacts: Sequence[Artifact]
) -> ReportContext:
    """Return what a run's reports are drawn with."""
    return ReportContext(sources, artifacts, row.by_rule, detect_language(row.query))


def build_head(
    row: RunRow, phases: Iterable[PhaseRecord], sources_read: int, lack: Lack | None = None
) -> ReportHead:
    """Return a report's head: question, short answer, notices, date, cost, model and number of sources read."""
    return ReportHead(
        question=row.query,
        **find_answer(phase.output for phase in phases),
        notices=list_report_notices(row.status, list_notices(row), lack),
        date=row.ended_at or row.started_at,
        usd=row.usage.usd,
        model=row.opened.terms.model if row.opened else "",
        offline=row.offline,
        recorded=row.recorded,
        sources_read=sources_read,
    )


def list_notices(row: RunRow) -> list[Notice]:
    """Return the recorded notices on how a run ended and what is missing."""
    return [Notice.read_record(each) for each in row.snapshot.get("notices", [])]  # type: ignore[union-attr]
