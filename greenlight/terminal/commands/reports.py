"""Commands on a run's report: print it, put a sentence of it into other words, take back a change."""

import sys
from argparse import Namespace
from collections.abc import Sequence

from contracts.base import Json
from contracts.evidence.claims import Claim
from contracts.notices import Notice
from contracts.phases.edit import SENTENCE_EDIT
from contracts.runs.statuses import ENDED
from contracts.words import say
from contracts.words.dollars import format_usd
from domain.evidence.normal_forms import spell_words
from domain.report.claims.report_claims import list_claims
from greenlight.bootstrap import COMMAND
from greenlight.client import GatewayClient
from greenlight.errors import CommandError, UsageError
from greenlight.terminal.commands.messages import (
    name_status,
    send,
)
from greenlight.terminal.display.progress import describe_change
from greenlight.terminal.display.result import (
    print_report,
    refuse_unwritable,
    to_json_file,
)
from greenlight.terminal.options import name_options
from greenlight.terminal.stack_connection import open_gateway

CHECKED = "edit"
"""Replaces the question: the price of an edit depends on the sentence alone."""


def report(args: Namespace) -> int:
    """Print a run's report, a draft while it grows, or write it to a file."""
    format = _choose_format(args)
    if args.at is not None and format == "json":
        raise UsageError.of("cli-at-json")
    with open_gateway(args) as gateway:
        if args.at is not None:
            _require_event(args.at, gateway.state(args.run).seq)
        if format != "json":
            content = gateway.export_report(args.run, format, args.at, appendix=args.appendix)
        elif finished := gateway.report(args.run, appendix=args.appendix):
            content = to_json_file(finished)
        else:
            status = name_status(gateway.state(args.run).status)
            raise CommandError.of("cli-no-report", status=status)
    if args.out is not None:
        with refuse_unwritable(args.out):
            args.out.write_bytes(content)
        print(say("en", "cli-saved", path=str(args.out.absolute())), file=sys.stderr)
    elif format == "md":
        print_report(content.decode())
    elif format in {"json", "bib", "ris", "csl"} or not sys.stdout.isatty():
        sys.stdout.buffer.write(content)
    else:
        raise UsageError.of("cli-format-unreadable", format=format)
    return 0


def _choose_format(args: Namespace) -> str:
    """Return the requested format, or the one of the output file's suffix.

    Raises:
        UsageError: The suffix is unknown, or contradicts `--format`.
    """
    ending = args.out.suffix.removeprefix(".").lower() if args.out else ""
    if args.format is None and ending not in ("", *args.formats):
        known = [f".{format}" for format in args.formats]
        raise UsageError.of("cli-out-unknown", name=args.out.name, known=known)
    own = {args.format, args.endings.get(args.format)}
    if args.format is not None and ending in args.formats and ending not in own:
        told = {"name": args.out.name, "ending": ending, "format": args.format}
        raise UsageError.of("cli-out-differs", **told)
    return str(args.format or ending or "md")


def _require_event(at: int, last: int) -> None:
    """Refuse a number that is not an event of a run with `last` events."""
    if not 1 <= at <= last:
        raise UsageError.of("cli-no-event", at=at, last=last)


def edit(args: Namespace) -> int:
    """Reword a sentence of a finished report, or restore it, and print the result of its check."""
    with open_gateway(args) as gateway:
        report = gateway.report(args.run)
        claims = list_claims(report) if report else []
        sentence = _find_sentence(args.sentence, claims)
        body = {"sentence": sentence, "former": claims[sentence - 1].text, "text": args.text}
        with name_options():
            if (
                args.text is not None
            ):  # otherwise the run's own wording is restored, without a check
                print(_tell_price(gateway, args.run, body), file=sys.stderr)
            run_id = gateway.start(f"/v1/runs/{args.run}/edit", body)
        while (state := gateway.state(run_id, 30)).status not in ENDED:
            pass
        if state.status != "completed":
            errors = [phase.error.words for phase in state.phases if phase.error]
            raise CommandError.of("cli-not-edited", why=errors or name_status(state.status))
        output = gateway.get(f"/v1/runs/{run_id}", include="outputs")["outputs"]["edit"]
    print(_describe_edit(Claim.model_validate(output["sentence"])))
    return 0


def _tell_price(gateway: GatewayClient, run_id: str, edit: Json) -> str:
    """Return what the check of an edited sentence is expected to cost."""
    start: Json = {
        "query": CHECKED,
        "inputs": {**edit},
        "from_run": run_id,
        "follow_up": True,
        "temp_workflow": True,
    }
    estimated = gateway.request(
        "POST", f"/v1/workflows/{SENTENCE_EDIT}/estimate", json=start
    ).json()
    usd = format_usd(estimated["price"]["expected_usd"])
    price = say("en", "price-offline", price=usd) if estimated["offline"] else usd
    return say("en", "cli-edit-price", price=price)


def _describe_edit(claim: Claim) -> str:
    """Return what became of a sentence, and what was found of its new words."""
    if claim.edit is None:
        return say("en", "cli-restored", text=claim.text)
    if claim.verdict is None:
        return say("en", "cli-edited-unchecked", text=claim.text)
    if claim.is_supported:
        return say("en", "cli-edited-held", text=claim.text)
    told = {"mark": say("en", f"mark-{claim.verdict}"), "reason": claim.reason}
    return say("en", "cli-edited-marked", **told, text=claim.text)


def _find_sentence(typed: str, claims: Sequence[Claim]) -> int:
    """Return the number of the sentence that begins with some words, or is these."""
    words = spell_words(typed)
    told = [spell_words(claim.text) for claim in claims]
    same = [n for n, text in enumerate(told, start=1) if text == words]
    found = same or [n for n, text in enumerate(told, start=1) if text.startswith(words)]
    if len(found) != 1:
        raise UsageError.of("cli-no-sentence", n=len(found))
    return found[0]


def undo(args: Namespace) -> int:
    """Undo a patch of the report."""
    if args.event is None:
        raise _refuse_event(args, Notice.of("cli-event-missing"))
    try:
        send(args, "undo", {"seq": args.event})
    except UsageError as error:
        raise _refuse_event(args, str(error)) from error
    print(say("en", "cli-undone", command=f"{COMMAND} report {args.run}"))
    return 0


def _refuse_event(args: Namespace, why: str | Notice) -> UsageError:
    """Return the refusal of an event, with those that can be taken back."""
    with open_gateway(args) as gateway:
        patches = [*gateway.patches(args.run)]
    rows = [f"\n  {seq}  {patch['section']}  {describe_change(patch)}" for seq, patch in patches]
    if not rows:
        return UsageError.of("cli-no-patches", why=why)
    return UsageError.of("cli-patches", why=why, rows="".join(rows))
