"""Session with one run: show its progress, hand its checkpoints to the responder, until it ends."""

import signal
import sys
import time
from http import HTTPStatus
from pathlib import Path
from shlex import quote

from rich.console import Console, Group, RenderableType
from rich.text import Text

from contracts.human.checkpoint_subjects import (
    BudgetSubject,
    IdeasSubject,
    PlanSubject,
    ResultsSubject,
    StepSubject,
)
from contracts.human.checkpoints import Checkpoint
from contracts.runs.state_view import StateView
from contracts.runs.statuses import ENDED
from contracts.words import say
from domain.agents.search_scope import describe_scope
from domain.report.subject_text import render_failure, render_shown, render_subject
from greenlight import exit_codes
from greenlight.bootstrap import COMMAND
from greenlight.client import GatewayClient, Refused
from greenlight.errors import NeedsHuman, Unreachable, UsageError
from greenlight.terminal.console import mute_keyboard
from greenlight.terminal.dialog.responder import Responder
from greenlight.terminal.display import plan, widgets
from greenlight.terminal.display.progress import Progress
from greenlight.terminal.display.progress_view import ProgressView
from greenlight.terminal.display.result import finish
from greenlight.terminal.stack_connection import StackConnection
from workflows.checkpoints.decision_checks import list_allowed_actions, list_offered_choices

END_POLL_SECONDS = 0.2
SEARCHES_SHOWN = 6  # on a terminal; others on request
FILINGS_KIND = "retrieval"
"""Kind of phase that reads a company's filings."""


class Session:
    """Follows one run and answers its checkpoints."""

    def __init__(
        self, gateway: GatewayClient, run_id: str, responder: Responder, console: Console
    ) -> None:
        self._gateway = gateway
        self._run_id = run_id
        self._responder = responder
        self._console = console
        self._handled: set[tuple[str, str | None]] = set()

    def attend(self, stack: StackConnection, out: Path | None = None) -> int:
        """Follow the run to its end or until the user leaves; return the exit code."""
        try:
            state = self._gateway.state(self._run_id)
            has_filings = FILINGS_KIND in {phase.kind for phase in state.phases}
            filings = stack.describe_filings() if has_filings else ""
            searched = stack.describe_search(state.place)
            samples = self._list_samples() if state.offline and not state.recorded else []
            self._console.print(widgets.draw_header(state, searched, filings, samples), "")
            return finish(self._gateway, self._follow_to_end(state), out, self._console)
        except (KeyboardInterrupt, EOFError):
            signal.signal(signal.SIGINT, signal.SIG_IGN)  # a second Ctrl-C must not cut this short
            left = self._gateway.glance(self._run_id)
            again = f"  {COMMAND} watch {self._run_id}{stack.restart_options}"
            others = _list_other_commands(left)
            more = f"\n  {say('en', 'cli-or', commands=others)}" if others else ""
            hint = say("en", "cli-left", what=_describe_left(left, stack))
            lines = Group(Text(f"\n\n{hint}", style="bold"), Text(again).append(more, style="dim"))
            self._console.print(lines, soft_wrap=True)
            signal.signal(signal.SIGINT, signal.SIG_DFL)  # from here on Ctrl-C quits immediately
            return exit_codes.INTERRUPTED
        except (Unreachable, UsageError) as error:
            command = f"{COMMAND} watch {self._run_id}{stack.restart_options}"
            raise type(error).of("cli-run-kept", problem=str(error), command=command) from error
        except NeedsHuman as need:
            state = self._gateway.state(self._run_id)
            self._console.print(_draw_next_commands(state, stack, need), soft_wrap=True)
            return need.exit_code

    def _list_samples(self) -> list[str]:
        """Return the commands that ask what a strong model answered before."""
        samples = self._gateway.get("/v1/metadata")["samples"]
        return [
            f"{COMMAND} run --definition {sample['definition']} {quote(sample['query'])}"
            for sample in samples
        ]

    def _follow_to_end(self, state: StateView) -> StateView:
        """Show progress and attend to checkpoints; return the run's last state."""
        progress = Progress(state)
        while not progress.has_ended:
            state = self._gateway.state(self._run_id)
            checkpoint = next((c for c in state.pending if _key(c) not in self._handled), None)
            self._show_progress(progress, state, until=state.seq if checkpoint else None)
            if checkpoint and not progress.has_ended:
                self._handle(checkpoint, state, progress)
        while state.status not in ENDED:
            time.sleep(END_POLL_SECONDS)
            state = self._gateway.state(self._run_id)
        return state

    def _show_progress(self, progress: Progress, state: StateView, until: int | None) -> None:
        """Show events up to a `seq`, the next checkpoint or the end."""
        if until is not None and progress.seq >= until:
            return
        with mute_keyboard(), ProgressView(self._console, progress, state) as view:
            for event in self._gateway.follow_events(
                self._run_id, progress.seq, view.reconnect, markdown=False
            ):
                view.show(event)
                is_asked = event.type == "InputRequiredEvent" and event.seq > state.seq
                if is_asked or (until is not None and event.seq >= until):
                    return

    def _handle(self, checkpoint: Checkpoint, state: StateView, progress: Progress) -> None:
        """Answer or decide; do not resend what the run refuses as stale.

        Raises:
            KeyboardInterrupt: The user left half-way; the answers so far are sent.
        """
        try:
            if checkpoint.kind == "questions":
                self._show_answers(checkpoint, state, progress)
                said = self._responder.answer(checkpoint)
                self._gateway.send(self._run_id, "answers", said)
                if left := len(checkpoint.questions) - len(said.answers):
                    kept = say("en", "cli-kept-open", answers=len(said.answers), questions=left)
                    self._console.print(f"\n\n  {kept}")
                    raise KeyboardInterrupt
            else:
                self._show_subject(checkpoint, state)
                self._decide(checkpoint)
        except Refused as refusal:
            if refusal.status not in (HTTPStatus.CONFLICT, HTTPStatus.UNPROCESSABLE_ENTITY):
                raise
            is_invalid = refusal.status is HTTPStatus.UNPROCESSABLE_ENTITY
            reason = "" if is_invalid else _explain(checkpoint, self._gateway.state(self._run_id))
            told = say("en", "cli-not-taken", reason=reason or str(refusal))
            self._console.print(f"  {told}", style="yellow", markup=False)
            if is_invalid:
                return
        self._handled.add(_key(checkpoint))

    def _decide(self, checkpoint: Checkpoint) -> None:
        """Decide, or show whose votes are missing; on a terminal, continue to watch."""
        if checkpoint.poll is None:
            self._gateway.send(self._run_id, "decision", self._responder.decide(checkpoint))
            return
        self._console.print(f"  {widgets.format_poll(checkpoint.poll)}", style="bold", markup=False)
        each = say("en", "cli-approvers-keys", command=f"{COMMAND} approve {self._run_id}")
        self._console.print(f"  {each}")
        if not self._console.is_terminal:
            raise NeedsHuman.of("cli-approvers-awaited")

    def _show_answers(self, checkpoint: Checkpoint, state: StateView, progress: Progress) -> None:
        """Show what was answered before, in a round of questions that somebody left half-way."""
        given = state.answers.get(checkpoint.checkpoint_id, {})
        asked = progress.questions.get(checkpoint.checkpoint_id, {})
        if given:
            self._console.print(Text(f"\n{say('en', 'cli-answered-before')}", style="bold"))
        for name, answer in given.items():
            said = answer or say("en", "cli-you-decide")
            self._console.print(f"  {asked.get(name, name)}  {said}", markup=False)

    def _show_subject(self, checkpoint: Checkpoint, state: StateView) -> None:
        match checkpoint.subject:
            case PlanSubject(plan=shown):
                limit = SEARCHES_SHOWN if self._console.is_terminal else sys.maxsize
                drawn = plan.draw_plan(
                    shown,
                    state,
                    changes=checkpoint.differences,
                    max_searches=limit,
                    depths=checkpoint.depths,
                )
                self._console.print(drawn)
            case StepSubject(plan=shown):
                for text in (render_failure(checkpoint.subject), checkpoint.subject.text):
                    if text:
                        self._console.print(widgets.draw_markdown(text))
                self._console.print(*plan.draw_differences(checkpoint.differences))
            case IdeasSubject() | ResultsSubject() | BudgetSubject():
                scope = describe_scope(len(state.files), state.collections, state.place)
                told = render_subject(checkpoint.subject, scope=scope, offline=state.offline)
                self._console.print(widgets.draw_markdown(told))
            case None:
                pass
        for output in checkpoint.context:
            self._console.print(widgets.draw_markdown(render_shown(output)))
        if not self._responder.is_approved(checkpoint):
            self._console.print(f"  {checkpoint.message}", style="bold", markup=False)


def _key(checkpoint: Checkpoint) -> tuple[str, str | None]:
    """Return a checkpoint's identity, which includes the plan that it shows."""
    return checkpoint.checkpoint_id, checkpoint.plan_hash


def _explain(checkpoint: Checkpoint, state: StateView) -> str:
    """Return who closed a checkpoint before the responder did, or an empty string."""
    for decision in state.decisions:
        if decision.checkpoint_id == checkpoint.checkpoint_id:
            who = say("en", "cli-deadline" if decision.default else "cli-somebody")
            if decision.by and not decision.default:
                who = decision.by
            done = say("en", f"decided-{decision.action}")
            return say("en", "cli-faster", who=who, done=done)
    if checkpoint.checkpoint_id in state.answers:
        done = say("en", "decided-answer")
        return say("en", "cli-faster", who=say("en", "cli-somebody"), done=done)
    if state.status in ENDED:
        return say("en", "cli-ended-meanwhile", status=say("en", f"status-{state.status}"))
    return ""


def _describe_left(state: StateView | None, stack: StackConnection) -> str:
    """Return what becomes of a run that is left; one without a state has no stack."""
    if state is None:
        return say("en", "cli-left-no-stack")
    if state.status in ENDED:
        return say("en", "cli-left-ended", status=say("en", f"status-{state.status}"))
    if state.status == "paused":
        return say("en", "cli-left-paused")
    if stack.is_own:
        return say("en", "cli-left-own")
    return say("en", "cli-left-waiting" if state.pending else "cli-left-working")


def _list_other_commands(state: StateView | None) -> list[str]:
    """Return the commands, other than `watch`, that fit a run's state."""
    if state is None or state.status in ENDED:
        return []
    is_paused = state.status == "paused"
    kinds = {checkpoint.kind for checkpoint in state.pending}
    asked = ["answer"] if "questions" in kinds else []
    actions = {a for c in state.pending for a in list_allowed_actions(c) if c.kind == "decision"}
    asked += [name for name in ("approve", "revise", "reject") if name in actions]
    return [
        *(["resume"] if is_paused else []),
        *asked,
        *(["steer"] if is_paused else ["steer", "pause"]),
        "cancel",
        "report",
    ]


def _draw_next_commands(
    state: StateView, stack: StackConnection, need: NeedsHuman
) -> RenderableType:
    """Return the commands that a human has to run next."""
    rows: list[RenderableType] = [Text(f"\n{say('en', 'cli-go-on', need=str(need))}", style="bold")]
    if stack.is_own:
        where = say("en", "cli-other-terminal")
        rows.append(Text(f"  {COMMAND} up{stack.restart_options}          # {where}"))
    for checkpoint in state.pending:
        if checkpoint.kind == "questions":
            rows[:0] = [widgets.draw_question(asked, asked.id) for asked in checkpoint.questions]
            answers = " ".join(f"{q.id}='…'" for q in checkpoint.questions)
            rows.append(Text(f"  {COMMAND} answer {state.run_id} {answers}"))
            continue
        shown = f" --plan-hash {checkpoint.plan_hash}" if checkpoint.plan_hash else ""
        choices = [f" --choice {quote(choice)}" for choice in list_offered_choices(checkpoint)]
        approvals = [f"approve {state.run_id}{shown}{choice}" for choice in choices or [""]]
        lines = {
            "approve": approvals,
            "revise": [f"revise {state.run_id} {quote(say('en', 'cli-what-to-change'))}"],
            "reject": [f"reject {state.run_id}"],
        }
        allowed = list_allowed_actions(checkpoint)
        told = [line for action, each in lines.items() if action in allowed for line in each]
        rows += [Text(f"  {COMMAND} {line}") for line in told]
    rows.append(Text(f"  {COMMAND} watch {state.run_id}"))
    return Group(*rows)
