"""Commands that answer what a run asks: its questions, its plan, its votes."""

from argparse import Namespace

from contracts.human.checkpoints import Checkpoint
from contracts.human.messages import Decide
from contracts.notices import Notice
from contracts.runs.state_view import StateView
from contracts.words import say
from domain.text_matching.suggestions import suggest
from greenlight.bootstrap import COMMAND
from greenlight.errors import CommandError, UsageError
from greenlight.terminal.commands.messages import name_status, name_watch
from greenlight.terminal.console import open_dialog_console
from greenlight.terminal.dialog.responder import Responder, parse_answers
from greenlight.terminal.display import widgets
from greenlight.terminal.stack_connection import open_gateway
from workflows.checkpoints.decision_checks import list_offered_choices


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
    print(say("en", "cli-answered", command=name_watch(args)))
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
    done = Notice.of("cli-approved", command=name_watch(args))
    if votes:
        done = Notice.of("cli-voted", votes=votes, command=name_watch(args))
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
    print(say("en", "cli-sent-back", command=name_watch(args)))
    return 0


def delegate(args: Namespace) -> int:
    """Delegate the caller's vote in the open decision."""
    with open_gateway(args) as gateway:
        gateway.send(args.run, "delegate", {"to": args.to})
    print(say("en", "cli-delegated", to=args.to))
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
    raise CommandError.of(none, status=name_status(state.status))


def _format_votes(state: StateView, checkpoint_id: str | None = None) -> str:
    """Return the votes of a checkpoint that is still open, or an empty string."""
    for checkpoint in state.pending:
        if checkpoint.poll and checkpoint_id in {None, checkpoint.checkpoint_id}:
            return say("en", "cli-votes", votes=widgets.format_poll(checkpoint.poll))
    return ""
