"""One run, from wherever it stands to its end: show what happens, hand over what it asks."""

import time
from http import HTTPStatus

from rich.console import Console

from contracts.report.research import Plan
from contracts.runs.state import ENDED, Checkpoint, StateView
from greenlight.terminal.client import Gateway, NeedsHuman, Refused
from greenlight.terminal.display import plan
from greenlight.terminal.display import run as show
from greenlight.terminal.display.live import Lines, Screen, View
from greenlight.terminal.display.progress import DECIDED, Progress
from greenlight.terminal.prompts import keyboard as keys
from greenlight.terminal.prompts.responder import Responder

END_POLL = 0.2
SEARCHES_SHOWN = 6  # on a terminal; the others on request


class Session:
    """Follows one run and answers its checkpoints."""

    def __init__(self, gateway: Gateway, run_id: str, responder: Responder, ui: Console) -> None:
        self._gateway = gateway
        self._run_id = run_id
        self._responder = responder
        self._ui = ui
        self._progress: Progress | None = None
        self._dealt_with: set[tuple[str, str | None]] = set()
        self._plan: Plan | None = None

    def to_the_end(self) -> StateView:
        """Return the run's last state."""
        while True:
            state = self._gateway.state(self._run_id)
            asked = next((c for c in state.pending if _name(c) not in self._dealt_with), None)
            over = self._follow(state, until=state.seq if asked else None)
            if over and state.status in ENDED:
                return state
            if over:
                time.sleep(END_POLL)
            elif asked:
                self._deal_with(asked, state)

    def _follow(self, state: StateView, until: int | None) -> bool:
        """Show events up to a place in the log, the next question or the end; True at the end."""
        if self._progress is None:
            self._progress = Progress(state)
        progress = self._progress
        if progress.over or (until is not None and progress.seq >= until):
            return progress.over
        with keys.unheard(), self._view(progress, state) as view:
            for event in self._gateway.events(self._run_id, progress.seq, view.cut):
                view.show(event)
                if until is not None and event.seq >= until:
                    break
                if event.type == "InputRequiredEvent" and event.seq > state.seq:
                    break
        return progress.over

    def _view(self, progress: Progress, state: StateView) -> View:
        if self._ui.is_terminal and not self._ui.is_dumb_terminal:
            return Screen(self._ui, progress, state)
        return Lines(self._ui, progress)

    def _deal_with(self, checkpoint: Checkpoint, state: StateView) -> None:
        try:
            if checkpoint.kind == "questions":
                self._gateway.answer(self._run_id, self._responder.answers(checkpoint))
            else:
                self._present(checkpoint, state)
                self._decide(checkpoint)
        except Refused as refusal:
            if refusal.status not in (HTTPStatus.CONFLICT, HTTPStatus.UNPROCESSABLE_ENTITY):
                raise
            asked_again = refusal.status is HTTPStatus.UNPROCESSABLE_ENTITY
            faster = "" if asked_again else _closed(checkpoint, self._gateway.state(self._run_id))
            self._ui.print(f"  Not taken: {faster or refusal}", style="yellow", markup=False)
            if asked_again:
                return
        self._dealt_with.add(_name(checkpoint))

    def _decide(self, checkpoint: Checkpoint) -> None:
        """Decide, or say whose decision is awaited; a person may stay to see it made."""
        if checkpoint.poll is None:
            self._gateway.decide(self._run_id, self._responder.decision(checkpoint))
            return
        self._ui.print(f"  {show.standing(checkpoint.poll)}", style="bold", markup=False)
        self._ui.print(f"  Each with a key: python3 -m greenlight approve {self._run_id}")
        if not self._ui.is_terminal:
            raise NeedsHuman("The run waits for its approvers.")

    def _present(self, checkpoint: Checkpoint, state: StateView) -> None:
        if checkpoint.plan_hash is None:
            self._ui.print(show.subject(checkpoint))
            return
        shown = Plan.model_validate(checkpoint.subject)
        count = SEARCHES_SHOWN if self._ui.is_terminal else None
        self._ui.print(plan.draw(shown, state, before=self._plan, searches_shown=count))
        self._ui.print(show.context(checkpoint))
        self._plan = shown


def _name(checkpoint: Checkpoint) -> tuple[str, str | None]:
    """Return what tells a checkpoint from others, and from itself about another plan."""
    return checkpoint.checkpoint_id, checkpoint.plan_hash


def _closed(checkpoint: Checkpoint, state: StateView) -> str:
    """Return how others closed a checkpoint while its human was still thinking, if they did."""
    for decision in state.decisions:
        if decision.checkpoint_id == checkpoint.checkpoint_id:
            who = "the deadline" if decision.default else decision.by or "somebody else"
            return f"{who} was faster: {DECIDED[decision.action]}"
    if checkpoint.checkpoint_id in state.answers:
        return "somebody else was faster: answered"
    return f"the run has ended meanwhile, {state.status}" if state.status in ENDED else ""
