"""Commands that start, follow, guide and end a run: each takes the parsed command line and returns an exit code."""

from argparse import Namespace
from collections.abc import Callable
from textwrap import shorten

from contracts.runs.statuses import ENDED
from contracts.words import say
from greenlight.bootstrap import COMMAND
from greenlight.client import GatewayClient
from greenlight.errors import CommandError, UsageError
from greenlight.terminal.commands.messages import (
    find_state,
    name_go_on,
    name_status,
    name_watch,
    send,
)
from greenlight.terminal.console import confirm, open_dialog_console
from greenlight.terminal.dialog.responder import Answers, Responder, parse_answers
from greenlight.terminal.dialog.session import Session
from greenlight.terminal.display.result import (
    make_folder,
)
from greenlight.terminal.options import name_options
from greenlight.terminal.stack_connection import open_gateway, open_stack
from greenlight.terminal.start import start_run

MAX_QUERY_CHARS = 200


def run(args: Namespace) -> int:
    """Start a run and attend it to its report."""
    if not (args.question or args.from_run):
        raise UsageError.of("cli-question-missing")
    answers = parse_answers(args.answers) if args.answers is not None else None
    return _attend(args, start_run, answers)


def follow_up(args: Namespace) -> int:
    """Start a follow-up of a finished run and attend it."""
    remarks = [
        {"kind": kind, "sentence": sentence}
        for kind in ("wrong", "outdated", "more")
        for sentence in getattr(args, kind)
    ]
    return _go_further(args, research=True, remarks=remarks)


def ask(args: Namespace) -> int:
    """Answer a question from a finished report and its stored pages."""
    return _go_further(args, research=False)


def _go_further(args: Namespace, **asked: object) -> int:
    def start(gateway: GatewayClient, args: Namespace) -> str:
        body = {
            "query": args.question,
            **asked,
            "budget": args.budget,
            "temp_workflow": args.temp or None,
            "batch": args.batch,
        }
        with name_options():
            return gateway.start(f"/v1/runs/{gateway.find_run(args.run)}/follow-up", body)

    return _attend(args, start)


def watch(args: Namespace) -> int:
    """Attend a run that was started before."""
    return _attend(args, lambda gateway, args: gateway.find_run(args.run))


def _attend(
    args: Namespace,
    start: Callable[[GatewayClient, Namespace], str],
    answers: Answers | None = None,
) -> int:
    """Attend the run that `start` starts or finds."""
    console = open_dialog_console()
    responder = Responder(console, answers, yes=args.yes)
    if args.out is not None:
        make_folder(args.out)  # before anything is spent
    with (
        open_stack(console, args.library, args.pace) as stack,
        GatewayClient(stack.addresses.gateway) as gateway,
    ):
        run_id = start(gateway, args)
        return Session(gateway, run_id, responder, console).attend(stack, args.out)


def steer(args: Namespace) -> int:
    """Guide the agents from their next call on."""
    send(args, "steer", {"text": args.text})
    print(say("en", "cli-steered", command=name_watch(args)))
    return 0


def pause(args: Namespace) -> int:
    """Pause the run before its next call."""
    if find_state(args).status == "paused":
        print(say("en", "cli-paused-before", command=f"{COMMAND} resume {args.run}"))
        return 0
    send(args, "pause")
    print(say("en", "cli-paused", command=f"{COMMAND} resume {args.run}"))
    return 0


def resume(args: Namespace) -> int:
    """Resume a paused run."""
    status = find_state(args).status
    was_paused = status == "paused"
    if was_paused or status in ENDED:
        send(args, "resume")
    code = "cli-resumed" if was_paused else "cli-not-paused"
    if find_state(args).pending:
        code = "cli-resumed-waiting" if was_paused else "cli-not-paused-waiting"
    print(say("en", code, command=name_watch(args)))
    return 0


def cancel(args: Namespace) -> int:
    """Cancel the run now, or once the running phases have ended."""
    send(args, "cancel", {"mode": "after_phase" if args.after_phase else "now"})
    done = say("en", "cli-cancelled-later" if args.after_phase else "cli-cancelled")
    with open_gateway(args) as gateway:
        report = gateway.report(args.run)
    has_some = report is not None and not (report.head and report.head.is_all)
    if has_some:
        done = say("en", "cli-so-far", done=done, command=f"{COMMAND} report {args.run}")
    print(say("en", "cli-go-on-from", done=done, command=name_go_on(args)))
    return 0


def delete(args: Namespace) -> int:
    """Delete a finished run; a person is asked before."""
    with open_gateway(args) as gateway:
        state = gateway.state(args.run)
        if state.status not in ENDED:
            raise CommandError.of(
                "cli-cancel-first",
                status=name_status(state.status),
                command=f"{COMMAND} cancel {args.run}",
            )
        query = shorten(state.query, MAX_QUERY_CHARS, placeholder="…")
        if not (args.yes or confirm(say("en", "cli-remove", run=args.run, query=query))):
            return 0
        gateway.request("DELETE", f"/v1/runs/{args.run}")
    print(say("en", "cli-removed"))
    return 0
