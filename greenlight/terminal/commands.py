"""Commands: each takes the parsed command line and returns an exit code."""

import sys
from argparse import Namespace
from collections.abc import Callable, Sequence
from http import HTTPStatus
from textwrap import shorten

from contracts.base import Json
from contracts.evidence.claims import Claim
from contracts.human.checkpoints import Checkpoint
from contracts.human.messages import Decide
from contracts.notices import Notice
from contracts.phases.edit import SENTENCE_EDIT
from contracts.runs.state_view import StateView
from contracts.runs.statuses import ENDED
from contracts.words import say
from contracts.words.dollars import format_usd
from domain.evidence.normal_forms import spell_words
from domain.report.claims.report_claims import list_claims
from domain.text_matching.suggestions import suggest
from greenlight.bootstrap import COMMAND
from greenlight.client import GatewayClient, Refused
from greenlight.errors import CommandError, UsageError
from greenlight.terminal.console import confirm, open_dialog_console
from greenlight.terminal.display import widgets
from greenlight.terminal.display.progress import describe_change
from greenlight.terminal.display.result import (
    make_folder,
    print_report,
    refuse_unwritable,
    to_json_file,
)
from greenlight.terminal.options import name_options
from greenlight.terminal.responder import Answers, Responder, parse_answers
from greenlight.terminal.session import Session
from greenlight.terminal.stack_connection import open_gateway, open_stack
from greenlight.terminal.start import start_run
from workflows.checkpoints.decision_checks import list_offered_choices

MAX_QUERY_CHARS = 200
CHECKED = "edit"
"""Replaces the question: the price of an edit depends on the sentence alone."""


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
            raise CommandError.of("cli-not-edited", why=errors or _name_status(state.status))
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


def answer(args: Namespace) -> int:
    """Answer a run's open questions."""
    told = parse_answers(args.file) if args.file is not None else None
    with open_gateway(args) as gateway:
        checkpoint = _find_checkpoint(gateway.state(args.run), "questions")
        ids = {asked.id for asked in [*checkpoint.questions, *checkpoint.answered]}
        typed = {_find_id(name, ids): text or None for name, text in args.answers}
        again = [asked for asked in checkpoint.answered if asked.id in typed]
        questions = [*checkpoint.questions, *again]
        checkpoint = checkpoint.model_copy(update={"questions": questions})
        responder = Responder(open_dialog_console(), told if told is not None else typed or None)
        said = responder.answer(checkpoint)
        given = {name: said.answers[name] for name in typed} or said.answers
        message = said.model_copy(update={"answers": given, "by": args.by or ""})
        gateway.send(args.run, "answers", message)
    if left := [asked.id for asked in checkpoint.questions if asked.id not in given]:
        print(say("en", "cli-still-open", names=left))
    print(say("en", "cli-answered", command=_watch(args)))
    return 0


def _find_id(name: str, ids: set[str]) -> str:
    """Return the id of the question that is meant: `1` is q1."""
    return named if name not in ids and (named := f"q{name}") in ids else name


def approve(args: Namespace) -> int:
    """Approve the current or the named plan, unchanged or with changed fields; or choose."""
    with open_gateway(args) as gateway:
        checkpoint = _find_checkpoint(gateway.state(args.run), "decision")
        _require_choice(checkpoint, args.choice)
        plan_hash = args.plan_hash  # its beginning is enough
        if (checkpoint.plan_hash or "").startswith(plan_hash or ""):
            plan_hash = checkpoint.plan_hash
        changes = (args.modifications or {}) | ({"depth": args.depth} if args.depth else {})
        decision = Decide(
            action="modify" if changes else "approve",
            plan_hash=plan_hash,
            modifications=changes or None,
            choice=args.choice,
            keep_startup=args.keep_startup,
            cap_usd=args.cap,
            feedback=args.feedback,
            checkpoint_id=checkpoint.checkpoint_id,
            by=args.by or "",
        )
        gateway.send(args.run, "decision", decision)
        votes = _format_votes(gateway.state(args.run), checkpoint.checkpoint_id)
    done = Notice.of("cli-approved", command=_watch(args))
    if votes:
        done = Notice.of("cli-voted", votes=votes, command=_watch(args))
    print(done.text)
    return 0


def _require_choice(checkpoint: Checkpoint, choice: str | None) -> None:
    """Refuse a choice that a checkpoint does not offer."""
    offered = list_offered_choices(checkpoint)
    if choice is None or choice in offered:
        return
    hint = suggest(choice, offered) if offered else Notice.of("cli-no-choices")
    raise UsageError.of("cli-choice-unknown", choice=choice, hint=hint)


def reject(args: Namespace) -> int:
    """Reject the current plan, which ends the run."""
    with open_gateway(args) as gateway:
        decision = Decide(action="reject", feedback=args.feedback, by=args.by or "")
        gateway.send(args.run, "decision", decision)
        votes = _format_votes(gateway.state(args.run))
    print(votes or say("en", "cli-rejected"))
    return 0


def revise(args: Namespace) -> int:
    """Send back what a run shows, to be done again in the caller's words."""
    with open_gateway(args) as gateway:
        checkpoint = _find_checkpoint(gateway.state(args.run), "decision")
        decision = Decide(
            action="revise",
            feedback=args.text,
            checkpoint_id=checkpoint.checkpoint_id,
            plan_hash=checkpoint.plan_hash,
            by=args.by or "",
        )
        gateway.send(args.run, "decision", decision)
    print(say("en", "cli-sent-back", command=_watch(args)))
    return 0


def delegate(args: Namespace) -> int:
    """Delegate the caller's vote in the open decision."""
    with open_gateway(args) as gateway:
        gateway.send(args.run, "delegate", {"to": args.to})
    print(say("en", "cli-delegated", to=args.to))
    return 0


def steer(args: Namespace) -> int:
    """Guide the agents from their next call on."""
    _send(args, "steer", {"text": args.text})
    print(say("en", "cli-steered", command=_watch(args)))
    return 0


def pause(args: Namespace) -> int:
    """Pause the run before its next call."""
    if _find_state(args).status == "paused":
        print(say("en", "cli-paused-before", command=f"{COMMAND} resume {args.run}"))
        return 0
    _send(args, "pause")
    print(say("en", "cli-paused", command=f"{COMMAND} resume {args.run}"))
    return 0


def resume(args: Namespace) -> int:
    """Resume a paused run."""
    status = _find_state(args).status
    was_paused = status == "paused"
    if was_paused or status in ENDED:
        _send(args, "resume")
    code = "cli-resumed" if was_paused else "cli-not-paused"
    if _find_state(args).pending:
        code = "cli-resumed-waiting" if was_paused else "cli-not-paused-waiting"
    print(say("en", code, command=_watch(args)))
    return 0


def cancel(args: Namespace) -> int:
    """Cancel the run now, or once the running phases have ended."""
    _send(args, "cancel", {"mode": "after_phase" if args.after_phase else "now"})
    done = say("en", "cli-cancelled-later" if args.after_phase else "cli-cancelled")
    with open_gateway(args) as gateway:
        report = gateway.report(args.run)
    has_some = report is not None and not (report.head and report.head.is_all)
    if has_some:
        done = say("en", "cli-so-far", done=done, command=f"{COMMAND} report {args.run}")
    print(say("en", "cli-go-on-from", done=done, command=_go_on(args)))
    return 0


def _find_state(args: Namespace) -> StateView:
    with open_gateway(args) as gateway:
        return gateway.state(args.run)


def _send(args: Namespace, message: str, body: Json | None = None) -> None:
    with open_gateway(args) as gateway:
        try:
            gateway.send(args.run, message, {**(body or {}), "by": args.by or ""})
        except Refused as refused:
            status = gateway.state(args.run).status
            if refused.status is not HTTPStatus.CONFLICT or status not in ENDED:
                raise
            raise CommandError.of(
                "cli-run-ended", status=_name_status(status), command=_go_on(args)
            ) from refused


def _name_status(status: str) -> Notice:
    return Notice.of(f"status-{status}")


def _go_on(args: Namespace) -> str:
    return f"{COMMAND} run --from-run {args.run}"


def _watch(args: Namespace) -> str:
    return f"{COMMAND} watch {args.run}"


def undo(args: Namespace) -> int:
    """Undo a patch of the report."""
    if args.event is None:
        raise _refuse_event(args, Notice.of("cli-event-missing"))
    try:
        _send(args, "undo", {"seq": args.event})
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
            status = _name_status(gateway.state(args.run).status)
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


def delete(args: Namespace) -> int:
    """Delete a finished run; a person is asked before."""
    with open_gateway(args) as gateway:
        state = gateway.state(args.run)
        if state.status not in ENDED:
            raise CommandError.of(
                "cli-cancel-first",
                status=_name_status(state.status),
                command=f"{COMMAND} cancel {args.run}",
            )
        query = shorten(state.query, MAX_QUERY_CHARS, placeholder="…")
        if not (args.yes or confirm(say("en", "cli-remove", run=args.run, query=query))):
            return 0
        gateway.request("DELETE", f"/v1/runs/{args.run}")
    print(say("en", "cli-removed"))
    return 0


def _find_checkpoint(state: StateView, kind: str) -> Checkpoint:
    """Return the open checkpoint of a kind.

    Raises:
        CommandError: No such checkpoint is open.
    """
    for checkpoint in state.pending:
        if checkpoint.kind == kind:
            return checkpoint
    asks = kind == "questions"
    if state.pending:
        other = "cli-decision-open" if asks else "cli-answers-open"
        raise CommandError.of(other, command=f"{COMMAND} watch {state.run_id}")
    none = "cli-no-answer-open" if asks else "cli-no-decision-open"
    raise CommandError.of(none, status=_name_status(state.status))


def _format_votes(state: StateView, checkpoint_id: str | None = None) -> str:
    """Return the votes of a checkpoint that is still open, or an empty string."""
    for checkpoint in state.pending:
        if checkpoint.poll and checkpoint_id in {None, checkpoint.checkpoint_id}:
            return say("en", "cli-votes", votes=widgets.format_poll(checkpoint.poll))
    return ""
