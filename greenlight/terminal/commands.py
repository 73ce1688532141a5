"""The commands: each takes what was typed and returns an exit code."""

import json
import sys
from argparse import Namespace
from collections.abc import Callable
from functools import partial, wraps

from pydantic import ValidationError

from contracts.base import complaint
from contracts.human.messages import Decide
from contracts.runs.request import RunRequest
from contracts.runs.state import Checkpoint, StateView
from greenlight.terminal import connection as connect
from greenlight.terminal.attendance import attend
from greenlight.terminal.client import Gateway, TerminalError, Usage
from greenlight.terminal.connection import Place
from greenlight.terminal.display import run as show
from greenlight.terminal.display.comparison import comparison
from greenlight.terminal.display.result import hand_over, make_folder, print_report, report_as
from greenlight.terminal.prompts.desk import Desk, console
from greenlight.terminal.prompts.responder import read_json

Command = Callable[[Namespace], int]

OPTIONS = {
    "query": "QUESTION",
    "user_id": "--user",
    "startup_id": "--startup",
    "budget": "--budget",
    "temp_workflow": "--temp",
}
"""What a field of a start is called here."""


def _command(command: Command) -> Command:
    """Turn what a person can set right into one line and an exit code."""

    @wraps(command)
    def guarded(args: Namespace) -> int:
        try:
            return command(args)
        except TerminalError as trouble:
            print(f"greenlight: {trouble}", file=sys.stderr)
            return trouble.exit_code

    return guarded


@_command
def run(args: Namespace) -> int:
    """Start a run and stay with it to its report."""
    desk = Desk(args.answers, args.yes)
    try:
        request = RunRequest(
            query=args.question,
            user_id=args.user,
            inputs=dict(args.input),
            startup_id=args.startup,
            save_startup=args.save_startup,
            fresh=args.fresh,
            temp_workflow=args.temp,
            budget=args.budget,
        )
    except ValidationError as error:
        raise Usage(_first(error)) from error
    if args.out is not None:
        make_folder(args.out)  # before anything is spent
    with connect.stack(desk.ui, args.library, args.pace) as place, _client(place) as gateway:
        run_id = gateway.start(args.definition, request)
        return attend(gateway, run_id, place, desk, args.out)


@_command
def follow_up(args: Namespace) -> int:
    """Ask a finished run one more thing, and stay with the answer."""
    desk = Desk(yes=args.yes)
    if args.out is not None:
        make_folder(args.out)
    with connect.stack(desk.ui, args.library, args.pace) as place, _client(place) as gateway:
        more = {"budget": args.budget, "temp_workflow": args.temp or None}
        run_id = gateway.follow_up(args.run, args.question, **more)
        return attend(gateway, run_id, place, desk, args.out)


@_command
def watch(args: Namespace) -> int:
    """Stay with a run that was started before."""
    desk = Desk()
    with connect.stack(desk.ui, args.library, args.pace) as place, _client(place) as gateway:
        return attend(gateway, args.run, place, desk)


@_command
def answer(args: Namespace) -> int:
    """Answer a run's open questions."""
    told = {name: text or None for name, text in args.answers}
    desk = Desk(args.file, told=told or None)
    with _client(connect.required()) as gateway:
        asked = _open(gateway.state(args.run), "questions")
        said = desk.responder.answers(asked)
        gateway.answer(args.run, said.model_copy(update={"by": args.by or ""}))
    print(f"Answered. Follow the run: python3 -m greenlight watch {args.run}")
    return 0


@_command
def approve(args: Namespace) -> int:
    """Approve the plan shown now, or the one named, as it is or with changed fields; or choose."""
    changes = read_json(args.modifications) if args.modifications else None
    with _client(connect.required()) as gateway:
        shown = _open(gateway.state(args.run), "decision")
        decision = Decide(
            action="modify" if changes else "approve",
            plan_hash=_meant(args.plan_hash, shown),
            modifications=changes,
            choice=args.choice,
            feedback=args.feedback,
            checkpoint_id=shown.checkpoint_id,
            by=args.by or "",
        )
        gateway.decide(args.run, decision)
        told = _still_asked(gateway.state(args.run), shown.checkpoint_id) or "Approved."
    print(f"{told} Follow the run: python3 -m greenlight watch {args.run}")
    return 0


@_command
def reject(args: Namespace) -> int:
    """Reject the plan shown now, which ends the run."""
    with _client(connect.required()) as gateway:
        gateway.decide(args.run, Decide(action="reject", feedback=args.feedback, by=args.by or ""))
        told = _still_asked(gateway.state(args.run)) or "Rejected: the run has ended."
    print(told)
    return 0


@_command
def delegate(args: Namespace) -> int:
    """Give one's say in the decision that is awaited to somebody else."""
    with _client(connect.required()) as gateway:
        gateway.delegate(args.run, args.to)
    print(f"{args.to} decides in your place.")
    return 0


@_command
def runs(args: Namespace) -> int:
    """List the runs, those still going first."""
    with _client(connect.required()) as gateway:
        rows = gateway.runs(args.status, args.limit)
    if args.json:
        print(json.dumps(rows, indent=2, ensure_ascii=False))
    else:
        console().print(show.runs(rows))
    return 0


@_command
def report(args: Namespace) -> int:
    """Print a run's report, a draft while it grows, or write it into a file."""
    if args.at and args.format == "json":
        raise Usage("--at: not with --format json, which the finished report alone has")
    with _client(connect.required()) as gateway:
        held = report_as(gateway, args.run, args.format, args.at)
        if held is None:
            raise TerminalError(f"No report yet: the run is {gateway.state(args.run).status}.")
    if args.format == "md" and args.out is None:
        print_report(held.decode())
    else:
        hand_over(held, args.format, args.out)
    return 0


@_command
def undo(args: Namespace) -> int:
    """Take back a change of the report that an agent made."""
    with _client(connect.required()) as gateway:
        gateway.undo(args.run, args.event, args.by or "")
    print(f"Taken back. See the report: python3 -m greenlight report {args.run}")
    return 0


@_command
def delete(args: Namespace) -> int:
    """Remove a run that has ended, for good."""
    with _client(connect.required()) as gateway:
        gateway.delete(args.run)
    print("Removed: nothing is left of it but what it cost.")
    return 0


@_command
def compare(args: Namespace) -> int:
    """Print how a run differs from another one."""
    with _client(connect.required()) as gateway:
        found = gateway.compare(args.run, args.other)
    console().print(comparison(found))
    return 0


def _client(place: Place) -> Gateway:
    return Gateway(place.addresses.gateway, partial(print, "greenlight:", file=sys.stderr))


def _open(state: StateView, kind: str) -> Checkpoint:
    """Return what the run waits for, or say that it does not."""
    for checkpoint in state.pending:
        if checkpoint.kind == kind:
            return checkpoint
    what = "answer" if kind == "questions" else kind
    raise TerminalError(f"No {what} is awaited now; the run is {state.status}.")


def _still_asked(state: StateView, name: str | None = None) -> str:
    """Return what else is needed where one vote alone closes nothing."""
    for checkpoint in state.pending:
        if checkpoint.poll and name in {None, checkpoint.checkpoint_id}:
            return f"Counted: {show.standing(checkpoint.poll)}."
    return ""


def _meant(given: str | None, shown: Checkpoint) -> str | None:
    """Return the shown plan's hash where none or its beginning was given."""
    if given is None or (shown.plan_hash or "").startswith(given):
        return shown.plan_hash
    return given


def _first(error: ValidationError) -> str:
    first = error.errors()[0]
    where = str(first["loc"][0])
    return f"{OPTIONS.get(where, where)}: {complaint(first)}"
