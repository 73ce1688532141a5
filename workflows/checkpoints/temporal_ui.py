"""A run as Temporal's UI and CLI show it: what it waits for, and a line to paste.

The UI flattens nested lists and joins lines: each item is a paragraph or a list of its own.
"""

import json
from shlex import quote

from contracts.base import Json
from contracts.human.approvers import Poll
from contracts.runs.state import Checkpoint, RunState
from workflows.checkpoints.decisions import list_allowed_actions, list_offered_choices
from workflows.checkpoints.votes import describe_audience

MAX_CHARS = 500
"""Of the question."""


def render_details(state: RunState) -> str:
    """Return Markdown for `workflow.set_current_details`."""
    parts = [f"**{' '.join(state.request.query.split())[:MAX_CHARS]}**", f"Status: {state.status}"]
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
        parts.append("Put in your answers, in words or as listed; `null` means: you decide.")
        parts.append(_render_command(state, "answer_questions", {"answers": answers}))
        return list(filter(None, parts))
    parts.append(
        f"Allowed: {', '.join(list_allowed_actions(checkpoint))}. Until {checkpoint.deadline}."
    )
    parts += [
        f"```json\n{json.dumps(shown, indent=1, ensure_ascii=False)}\n```"
        for shown in filter(None, (checkpoint.subject, checkpoint.context))
    ]
    if checkpoint.poll:
        return [*parts, *_render_poll(state.run_id, checkpoint.poll)]
    body: Json = {"action": "approve"}
    if offered := list_offered_choices(checkpoint):
        parts.append("One of:\n\n" + "\n".join(f"- {choice}" for choice in offered))
        body["choice"] = offered[0]
    if checkpoint.plan_hash:
        body["plan_hash"] = checkpoint.plan_hash
    return [*parts, _render_command(state, "decide", body)]


def _render_poll(run_id: str, poll: Poll) -> list[str]:
    said = [f"{vote.by}: {vote.action}" for vote in poll.votes] or ["nobody so far"]
    return [
        f"{poll.needed} of {describe_audience(poll)} must approve, {poll.missing} are missing. "
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
