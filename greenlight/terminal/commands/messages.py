"""Messages to a run, and the commands that an answer to them names."""

from argparse import Namespace
from http import HTTPStatus

from contracts.base import Json
from contracts.notices import Notice
from contracts.runs.state_view import StateView
from contracts.runs.statuses import ENDED
from greenlight.bootstrap import COMMAND
from greenlight.client import Refused
from greenlight.errors import CommandError
from greenlight.terminal.stack_connection import open_gateway


def send(args: Namespace, message: str, body: Json | None = None) -> None:
    """Send a message to a run; one that has ended is named with the command that goes on from it."""
    with open_gateway(args) as gateway:
        try:
            gateway.send(args.run, message, {**(body or {}), "by": args.by or ""})
        except Refused as refused:
            status = gateway.state(args.run).status
            if refused.status is not HTTPStatus.CONFLICT or status not in ENDED:
                raise
            raise CommandError.of(
                "cli-run-ended", status=name_status(status), command=name_go_on(args)
            ) from refused


def find_state(args: Namespace) -> StateView:
    """Return the state of a run."""
    with open_gateway(args) as gateway:
        return gateway.state(args.run)


def name_status(status: str) -> Notice:
    """Return what a status is called."""
    return Notice.of(f"status-{status}")


def name_go_on(args: Namespace) -> str:
    """Return the command that goes on from a run."""
    return f"{COMMAND} run --from-run {args.run}"


def name_watch(args: Namespace) -> str:
    """Return the command that follows a run."""
    return f"{COMMAND} watch {args.run}"
