"""Staying with a run until it ends, is left alone, or needs somebody who is not here."""

import signal
from pathlib import Path
from shlex import quote

from rich.console import Group, RenderableType
from rich.text import Text

from contracts.runs.state import Checkpoint, StateView
from greenlight.terminal.client import Gateway, NeedsHuman, Unreachable, Usage
from greenlight.terminal.connection import Place
from greenlight.terminal.display import run as show
from greenlight.terminal.display.result import finish
from greenlight.terminal.prompts.desk import Desk
from greenlight.terminal.session import Session
from workflows.checkpoints.rules import choices

COMMAND = "python3 -m greenlight"
LEFT = 130

COMPANY = "retrieval"
"""The kind of phase that reads a company's filings."""


def attend(gateway: Gateway, run_id: str, place: Place, desk: Desk, out: Path | None = None) -> int:
    """Show a run and answer for its human; return the exit code."""
    try:
        state = gateway.state(run_id)
        filings = place.filings() if COMPANY in {phase.kind for phase in state.phases} else ""
        desk.ui.print(show.header(state, place.search(), filings), "")
        state = Session(gateway, run_id, desk.responder, desk.ui).to_the_end()
        return finish(gateway, state, out, desk.ui)
    except (KeyboardInterrupt, EOFError):
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # a hasty second one must not eat the message
        desk.ui.print(_left(run_id, place), soft_wrap=True)
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # from here on it quits at once
        return LEFT
    except (Unreachable, Usage) as trouble:
        kept = f"The run is kept: {COMMAND} watch {run_id}{place.again}"
        raise type(trouble)(f"{str(trouble).removesuffix('.')}. {kept}") from trouble
    except NeedsHuman as need:
        desk.ui.print(_handed_over(gateway.state(run_id), place, need), soft_wrap=True)
        return need.exit_code


def _left(run_id: str, place: Place) -> RenderableType:
    meanwhile = "waits until then" if place.is_ours else "goes on meanwhile"
    return Group(
        Text(f"\n\nLeft. The run is kept and {meanwhile}. Come back:", style="bold"),
        Text(f"  {COMMAND} watch {run_id}{place.again}"),
    )


def _handed_over(state: StateView, place: Place, need: NeedsHuman) -> RenderableType:
    rows: list[RenderableType] = [Text(f"\n{need} Go on with:", style="bold")]
    if place.is_ours:
        rows.append(Text(f"  {COMMAND} up{place.again}          # in another terminal"))
    for checkpoint in state.pending:
        if checkpoint.kind == "questions":
            rows.insert(0, show.questions(checkpoint))
        rows += [Text(f"  {COMMAND} {line}") for line in _commands(state.run_id, checkpoint)]
    rows.append(Text(f"  {COMMAND} watch {state.run_id}"))
    return Group(*rows)


def _commands(run_id: str, checkpoint: Checkpoint) -> list[str]:
    if checkpoint.kind == "questions":
        answers = " ".join(f"{q.id}='…'" for q in checkpoint.questions)
        return [f"answer {run_id} {answers}"]
    shown = f" --plan-hash {checkpoint.plan_hash}" if checkpoint.plan_hash else ""
    chosen = [f" --choice {quote(option)}" for option in choices(checkpoint)]
    return [*(f"approve {run_id}{shown}{choice}" for choice in chosen or [""]), f"reject {run_id}"]
