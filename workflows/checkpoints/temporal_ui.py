"""A run's details in Temporal's UI and CLI: what it waits for, and a command to paste.

The UI flattens nested lists and joins lines: each item is a paragraph or a list of its own.
"""

import json
import re
from datetime import datetime
from shlex import quote

from contracts.base import Json
from contracts.human.approvers import Poll
from contracts.human.checkpoint_subjects import CONTINUE, RAISE, BudgetSubject
from contracts.human.checkpoints import Checkpoint
from contracts.notices import say_told
from contracts.runs.state import RunState
from contracts.runs.statuses import RunStatus
from domain.agents.search_scope import describe_scope
from domain.planning.depth import describe_depths
from domain.planning.plan_changes import render_changes
from domain.report.subject_text import render_shown, render_subject
from workflows.checkpoints.decision_checks import list_allowed_actions, list_offered_choices
from workflows.checkpoints.eligible_approvers import list_audience

MAX_CHARS = 500
"""Limit of the question's text."""
_IMAGE = re.compile(r"!\[((?>(?:\\.|[^\\\]])*))\]\([^)]*+\)")


def render_details(state: RunState, status: RunStatus) -> str:
    """Return Markdown for `workflow.set_current_details`."""
    question = " ".join(state.request.query.split())[:MAX_CHARS]
    parts = [f"**{question}**", f"Status: {status}"]
    for checkpoint in state.pending:
        parts += _render_checkpoint(state, checkpoint)
    return "\n\n".join(parts)


def _render_checkpoint(state: RunState, checkpoint: Checkpoint) -> list[str]:
    parts = [f"### {checkpoint.message or 'Your answers, please'}"]
    if checkpoint.kind == "questions":
        for question in checkpoint.questions:
            parts.append(f"**{question.id}** {question.question} _{question.context}_")
            parts.append("\n".join(f"- {choice}" for choice in question.choices))
        answers: Json = {q.id: next(iter(q.choices), None) for q in checkpoint.questions}
        parts.append(
            'Put in your answers, in words or as listed; `null` means: you decide; `""` leaves one open.'
        )
        if checkpoint.answered:
            said = state.answers.get(checkpoint.checkpoint_id, {})
            answered = [
                f"- **{q.id}** {q.question} {said.get(q.id) or '*you decide*'}"
                for q in checkpoint.answered
            ]
            parts += ["Answered, and may be answered anew until then:", "\n".join(answered)]
        parts.append(_render_command(state, "answer_questions", {"answers": answers}))
        return list(filter(None, parts))
    meant = {choice.label: f" ({choice.action})" for choice in checkpoint.choices}
    told = ", ".join(f"{option}{meant.get(option, '')}" for option in checkpoint.options)
    deadline = f"{datetime.fromisoformat(checkpoint.deadline):%Y-%m-%d %H:%M} UTC"
    parts.append(f"Allowed: {told}. Until {deadline}.")
    if checkpoint.plan and checkpoint.depths:
        depths = describe_depths(checkpoint.depths, checkpoint.plan.depth)
        parts += ["Depth, which `modify` changes:", "\n".join(f"- {each}" for each in depths)]
    parts += _render_subject(state, checkpoint)
    parts += [_show(render_shown(shown)) for shown in checkpoint.context]
    if checkpoint.keep_startup is not None:
        parts.append(
            "An approval can also keep the plan as a startup of yours, which later runs can be about: "
            f"say `keep_startup`, which is {json.dumps(checkpoint.keep_startup)} if left out."
        )
    if checkpoint.poll:
        return [*parts, *_render_poll(state.run_id, checkpoint.poll)]
    return [*parts, _render_command(state, "decide", _suggest_decision(checkpoint))]


def _suggest_decision(checkpoint: Checkpoint) -> Json:
    """Return a decision to paste: an approval, or a revision if approval is not allowed."""
    is_approvable = "approve" in list_allowed_actions(checkpoint)
    body: Json = (
        {"action": "approve"}
        if is_approvable
        else {"action": "revise", "feedback": "what to change"}
    )
    body["checkpoint_id"] = checkpoint.checkpoint_id
    if offered := list_offered_choices(checkpoint):
        body["choice"] = offered[0]
    if isinstance(checkpoint.subject, BudgetSubject):
        offered_usd = checkpoint.subject.offered_usd
        is_cap = checkpoint.subject.budget is None
        body |= {"choice": RAISE, "cap_usd": offered_usd} if is_cap else {"choice": CONTINUE}
    if checkpoint.plan_hash:
        body["plan_hash"] = checkpoint.plan_hash
    return body


def _render_subject(state: RunState, checkpoint: Checkpoint) -> list[str]:
    """Return the subject of the decision, preceded by the plan's changes."""
    if checkpoint.subject is None:
        return []
    terms, changes = state.terms, checkpoint.differences
    scope = describe_scope(len(state.files), state.collection_states, terms.searched)
    told = _show(render_subject(checkpoint.subject, scope=scope, offline=terms.offline))
    return [told] if changes is None else [render_changes(changes), told]


def _show(markdown: str) -> str:
    """Return Markdown without what only the gateway can serve: of charts it has the names."""
    return _IMAGE.sub(r"*Chart: \1*", markdown)


def _render_poll(run_id: str, poll: Poll) -> list[str]:
    audience = " or ".join(say_told(each, "en") for each in list_audience(poll))
    said = [f"{vote.by}: {vote.action}" for vote in poll.votes] or ["nobody so far"]
    return [
        f"{poll.needed} of {audience} must approve, {poll.missing} are missing. "
        f"Said so far: {', '.join(said)}.",
        "**Only the gateway takes this decision**, with an API key of one of them: "
        f"`POST /v1/runs/{run_id}/decision` or `python3 -m greenlight approve {run_id}`. "
        "What is sent from here is refused.",
    ]


def _render_command(state: RunState, name: str, body: Json) -> str:
    """Return a command to paste, in lines that fit the UI's panel."""
    address = f" --address {state.address}" if state.address else ""
    return " \\\n  ".join(
        [
            f"```\ntemporal workflow update execute{address}",
            f"--workflow-id {state.run_id}",
            f"--name {name}",
            f"--input {quote(json.dumps(body, ensure_ascii=False))}\n```",
        ]
    )
