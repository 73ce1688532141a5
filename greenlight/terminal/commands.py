"""Commands: each takes the parsed command line and returns an exit code."""

import json
import sys
from argparse import Namespace

from pydantic import ValidationError

from contracts.base import Json, describe_error
from contracts.human.messages import Decide
from contracts.runs.request import RunRequest
from contracts.runs.state import Checkpoint, StateView
from greenlight.errors import CommandError, UsageError
from greenlight.stack.home import Home
from greenlight.terminal.client import GatewayClient
from greenlight.terminal.console import open_console, open_dialog_console
from greenlight.terminal.display import widgets
from greenlight.terminal.display.comparison import draw_comparison
from greenlight.terminal.display.result import (
    make_folder,
    print_report,
    refuse_unwritable,
    to_json_file,
)
from greenlight.terminal.responder import Answers, Responder, parse_answers
from greenlight.terminal.session import Session
from greenlight.terminal.stack_connection import open_stack

OPTIONS = {
    "query": "QUESTION",
    "user_id": "--user",
    "startup_id": "--startup",
    "budget": "--budget",
    "temp_workflow": "--temp",
}
"""Command-line name of each field of a start."""


def run(args: Namespace) -> int:
    """Start a run and attend it to its report."""
    answers = parse_answers(args.answers) if args.answers is not None else None
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
        first = error.errors()[0]
        field = str(first["loc"][0])
        raise UsageError(f"{OPTIONS.get(field, field)}: {describe_error(first)}") from error
    body = request.model_dump(mode="json", exclude_defaults=True)
    return _attend(args, f"/v1/workflows/{args.definition}/run", body, answers)


def follow_up(args: Namespace) -> int:
    """Start a follow-up of a finished run and attend it."""
    body = {"query": args.question, "budget": args.budget, "temp_workflow": args.temp or None}
    return _attend(args, f"/v1/runs/{args.run}/follow-up", body)


def watch(args: Namespace) -> int:
    """Attend a run that was started before."""
    return _attend(args)


def _attend(
    args: Namespace, path: str = "", body: Json | None = None, answers: Answers | None = None
) -> int:
    """Attend the run that a request to `path` starts, or the one that is named."""
    console = open_dialog_console()
    responder = Responder(console, answers, yes=args.yes)
    if args.out is not None:
        make_folder(args.out)  # before anything is spent
    with (
        open_stack(console, args.library, args.pace) as stack,
        GatewayClient(stack.addresses.gateway) as gateway,
    ):
        run_id = gateway.start(path, body) if body else args.run
        return Session(gateway, run_id, responder, console).attend(stack, args.out)


def answer(args: Namespace) -> int:
    """Answer a run's open questions."""
    typed = {name: text or None for name, text in args.answers}
    answers = parse_answers(args.file) if args.file is not None else typed or None
    responder = Responder(open_dialog_console(), answers)
    with _open_client() as gateway:
        checkpoint = _find_checkpoint(gateway.state(args.run), "questions")
        message = responder.answer(checkpoint)
        gateway.send(args.run, "answers", message.model_copy(update={"by": args.by or ""}))
    print(f"Answered. Follow the run: python3 -m greenlight watch {args.run}")
    return 0


def approve(args: Namespace) -> int:
    """Approve the current plan, or the one named, as it is or with changed fields; or choose."""
    with _open_client() as gateway:
        checkpoint = _find_checkpoint(gateway.state(args.run), "decision")
        plan_hash = args.plan_hash  # its beginning is enough
        if (checkpoint.plan_hash or "").startswith(plan_hash or ""):
            plan_hash = checkpoint.plan_hash
        decision = Decide(
            action="modify" if args.modifications else "approve",
            plan_hash=plan_hash,
            modifications=args.modifications,
            choice=args.choice,
            feedback=args.feedback,
            checkpoint_id=checkpoint.checkpoint_id,
            by=args.by or "",
        )
        gateway.send(args.run, "decision", decision)
        votes = _format_votes(gateway.state(args.run), checkpoint.checkpoint_id)
    print(f"{votes or 'Approved.'} Follow the run: python3 -m greenlight watch {args.run}")
    return 0


def reject(args: Namespace) -> int:
    """Reject the current plan, which ends the run."""
    with _open_client() as gateway:
        decision = Decide(action="reject", feedback=args.feedback, by=args.by or "")
        gateway.send(args.run, "decision", decision)
        votes = _format_votes(gateway.state(args.run))
    print(votes or "Rejected: the run has ended.")
    return 0


def delegate(args: Namespace) -> int:
    """Delegate the caller's vote in the open decision."""
    with _open_client() as gateway:
        gateway.send(args.run, "delegate", {"to": args.to})
    print(f"{args.to} decides in your place.")
    return 0


def undo(args: Namespace) -> int:
    """Take back a patch of the report."""
    with _open_client() as gateway:
        gateway.send(args.run, "undo", {"seq": args.event, "by": args.by or ""})
    print(f"Taken back. See the report: python3 -m greenlight report {args.run}")
    return 0


def runs(args: Namespace) -> int:
    """List the runs, unfinished ones first."""
    with _open_client() as gateway:
        rows = gateway.get("/v1/runs", limit=args.limit, status=args.status)["items"]
    if args.json:
        print(json.dumps(rows, indent=2, ensure_ascii=False))
    else:
        open_console().print(widgets.draw_runs(rows))
    return 0


def report(args: Namespace) -> int:
    """Print a run's report, a draft while it grows, or write it to a file."""
    if args.at and args.format == "json":
        raise UsageError("--at: not with --format json, which the finished report alone has")
    with _open_client() as gateway:
        if args.format != "json":
            content = gateway.export_report(args.run, args.format, args.at)
        elif finished := gateway.report(args.run):
            content = to_json_file(finished)
        else:
            raise CommandError(f"No report yet: the run is {gateway.state(args.run).status}.")
    if args.out is not None:
        with refuse_unwritable(args.out):
            args.out.write_bytes(content)
    elif args.format == "md":
        print_report(content.decode())
    elif args.format == "json" or not sys.stdout.isatty():
        sys.stdout.buffer.write(content)
    else:
        raise UsageError(
            f"--format {args.format} is nothing to read here: "
            f"name a file, as --out report.{args.format}"
        )
    return 0


def delete(args: Namespace) -> int:
    """Delete a finished run."""
    with _open_client() as gateway:
        gateway.request("DELETE", f"/v1/runs/{args.run}")
    print("Removed: nothing is left of it but what it cost.")
    return 0


def compare(args: Namespace) -> int:
    """Print the differences of one run from another."""
    with _open_client() as gateway:
        comparison = gateway.get(f"/v1/runs/{args.run}/compare/{args.other}")
    open_console().print(draw_comparison(comparison))
    return 0


def _open_client() -> GatewayClient:
    """Open a client of the running stack's gateway."""
    return GatewayClient(Home.from_environment().require_running().gateway)


def _find_checkpoint(state: StateView, kind: str) -> Checkpoint:
    """Return the open checkpoint of a kind.

    Raises:
        CommandError: none is open.
    """
    for checkpoint in state.pending:
        if checkpoint.kind == kind:
            return checkpoint
    what = "answer" if kind == "questions" else kind
    raise CommandError(f"No {what} is awaited now; the run is {state.status}.")


def _format_votes(state: StateView, checkpoint_id: str | None = None) -> str:
    """Return the votes of a checkpoint that is still open, or an empty string."""
    for checkpoint in state.pending:
        if checkpoint.poll and checkpoint_id in {None, checkpoint.checkpoint_id}:
            return f"Counted: {widgets.format_poll(checkpoint.poll)}."
    return ""
