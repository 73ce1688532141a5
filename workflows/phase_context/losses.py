"""A phase's lost inputs, which determine its status and whether its output is cached."""

from collections.abc import Sequence
from typing import Literal

from contracts.errors import BudgetExceeded, OutOfTime
from contracts.notices import Notice
from contracts.planning.plan import Plan
from contracts.report.report import Search
from contracts.runs.lost_inputs import LossCause, LostInput
from contracts.runs.records import EarlyEnd
from domain.lost_inputs import (
    explain_causes,
    explain_loss,
    find_unmade_searches,
    list_lost_reads,
)
from workflows.phase_context.attempt import Attempt
from workflows.phase_context.phase_log import PhaseLog
from workflows.runtime.failures import describe_cause, describe_failure, is_final


class Losses:
    """Records what one attempt of a phase lost, or why it stops early."""

    def __init__(self, attempt: Attempt, log: PhaseLog) -> None:
        self._attempt = attempt
        self._me = attempt.me
        self._log = log

    def record(self, lost: LostInput) -> None:
        """Record an input that the phase continues without; the latest record of an input counts."""
        me = self._me
        lost = lost if lost.phase_id else lost.model_copy(update={"phase_id": me.id})
        kept = [each for each in me.lost_inputs if each.key != lost.key]
        is_new = lost not in me.lost_inputs
        me.lost_inputs = [*kept, lost]
        if lost.degrades or lost.optional:
            self._log.note(explain_loss(lost, me.id))
        elif lost.is_cut:
            self._log.note(explain_loss(lost, me.id))
            if lost.kind == "cut_pages":
                me.cache_key = ""  # with more room it would have read more
        elif lost.kind == "unmade_searches" and is_new:  # named by a notice of the run
            self._log.tell(explain_loss(lost, me.id))

    def record_value(
        self, name: str, cause: LossCause, told: Notice, value: str = "", subject: str = ""
    ) -> None:
        """Record that an output of this phase is missing or incomplete.

        With `value` only that field of its output lacks it, else all of them do.
        """
        lost = LostInput(
            kind="value",
            name=f"{self._me.id}.{name}",
            value=value,
            subject=subject,
            causes=[cause],
            told=told,
        )
        self.record(lost)

    def record_early_end(self, lost: Notice, value: str) -> None:
        """Record that an output field is incomplete because the phase stops early; `lost` says what was not done."""
        assert self._me.early_end
        error = BudgetExceeded if self._me.early_end.reason == "budget" else OutOfTime
        cause = LossCause(reason=error.type())
        told = Notice.of("because", what=lost, why=explain_causes([cause]))
        self.record_value(value, cause, told)

    def record_check(self, error: Exception, lost: Notice) -> None:
        """Record an optional check that a failure prevented; `lost` says what was not done."""
        cause, told = self._explain(error, lost)
        self.record(
            LostInput(kind="check", name=lost.code, causes=[cause], told=told, optional=True)
        )

    def record_reads(self) -> None:
        """Record the pages and searches that this attempt's agents lost."""
        progress = self._me.progress
        for lost in list_lost_reads(progress.searches, progress.unread, progress.pages_read):
            self.record(lost)

    def record_unmade_searches(self, plan: Plan, made: Sequence[Search]) -> None:
        """Record the plan's searches that neither this phase nor an earlier one made."""
        before = (
            phase.output or {} for phase in self._attempt.state.phases if phase.id != self._me.id
        )
        lists = [output.get("searches") or [] for output in before]
        known = [Search.model_validate(each) for found in lists for each in found]  # type: ignore[union-attr]
        if lost := find_unmade_searches(plan.searches, [*known, *made]):
            self.record(lost)

    def go_on(self, error: Exception, lost: Notice, value: str) -> None:
        """Record that a call's failure leaves an output field incomplete; raise if an attempt is left."""
        if self.may_try_again(error):
            raise error
        self.lose(error, lost, value)

    def lose(self, error: Exception, lost: Notice, value: str) -> None:
        """Record that a call's failure leaves an output field incomplete."""
        cause, _ = self._explain(error, lost)
        self.lose_for(cause, lost, value)

    def lose_for(self, cause: LossCause, lost: Notice, value: str, subject: str = "") -> None:
        """Record that an output field is incomplete, in what it has on a subject, and why."""
        if cause.reason == BudgetExceeded.type():
            self.end_early("budget")
        told = Notice.of("because", what=lost, why=explain_causes([cause]))
        self.record_value(value, cause, told, subject=subject)

    def end_early(self, reason: Literal["budget", "time"]) -> None:
        """Record that the phase stops before its work is done; the first reason stays."""
        pages = self._me.progress.pages_read
        self._me.early_end = self._me.early_end or EarlyEnd(reason=reason, pages_read=pages)

    def may_try_again(self, error: Exception) -> bool:
        """Return whether the phase has another attempt, and it might succeed."""
        return self._me.retries < self._attempt.phase.max_retries and not is_final(error)

    def _explain(self, error: Exception, lost: Notice) -> tuple[LossCause, Notice]:
        """Return why something was lost, and the notice of it; the error itself is only logged."""
        cause, failure = describe_cause(error), describe_failure(error)
        self._log.tell(Notice.of("because", "info", what=lost, why=failure.words))
        return cause, Notice.of("because", what=lost, why=explain_causes([cause]))
