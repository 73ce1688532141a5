"""The report of a run that could read nothing: code writes it, since a model could only repeat that."""

from contracts.phases.synthesis import SynthesisConfig, SynthesisInput
from contracts.report.report import Report, Section
from contracts.words import say
from domain.report.gaps.kept_gaps import keep_gaps
from workflows.agents.report_editor import finish_report
from workflows.phase_context.context import PhaseContext


def tell_nothing_read(
    config: SynthesisConfig, given: SynthesisInput, run: PhaseContext
) -> Report | None:
    """Return a report which says that nothing was read, below the phases that failed.

    Return None unless a phase failed and no other has a source, a finding or an answer.
    """
    is_given = given.sources or given.findings or given.answer or run.state.patches
    has_failed = any(each.status == "failed" for each in run.state.phases)
    if config.form == "from_report" or is_given or not has_failed:
        return None
    question, *_ = run.list_asked()
    told = say(run.language, "nothing-read")
    section = Section(heading=say(run.language, "answer"), remarks=[told])
    report = Report(title=question[:300], sections=[section])
    report = keep_gaps(report, given.gaps, say(run.language, "not-researched"))
    return finish_report(run, report, [], given.searches)
