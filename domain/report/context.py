"""The context for rendering a report: the run's sources and artifacts, and the question's language."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from contracts.agents.calculations_and_charts import Artifact
from contracts.evidence.sources import Source
from contracts.report.report import Report
from contracts.runs.state import RunState
from contracts.words import Language
from contracts.words.question_language import detect_language
from domain.report.claims.report_claims import find_last_source


@dataclass(frozen=True)
class ReportContext:
    """The sources and artifacts that a report refers to, and its language."""

    sources: Sequence[Source]
    artifacts: Sequence[Artifact] = ()
    offline: bool = False
    language: Language = "en"
    has_appendix: bool = True

    @classmethod
    def from_state(cls, state: RunState) -> "ReportContext":
        """Return the context of a run's reports."""
        language = detect_language(state.request.query)
        return cls(state.sources, state.artifacts, state.terms.by_rule, language)

    def keep_cited(self, report: Report) -> "ReportContext":
        """Return the context of a draft, which lists no source beyond those that it cites."""
        return replace(self, sources=self.sources[: find_last_source(report)])
