"""A run as Temporal's UI and CLI show it: what it waits for, and a line to paste."""

import json

from contracts.human.approvers import Poll
from contracts.runs.state import Checkpoint, RunState
from workflows.checkpoints.decisions import list_offered_choices
from workflows.checkpoints.votes import describe_audience


def render_details(state: RunState) -> str:
    """Return Markdown for `workflow.set_current_details`."""
    if not state.pending:
        return f"**{state.status}**"
    return "\n\n".join(_render_checkpoint(state.run_id, checkpoint) for checkpoint in state.pending)


def _render_checkpoint(run_id: str, checkpoint: Checkpoint) -> str:
    lines = [f"### {checkpoint.message}" if checkpoint.message else "### Your answers, please"]
    if checkpoint.kind == "questions":
        for question in checkpoint.questions:
            lines.append(f"- **{question.id}** {question.question} _{question.context}_")
            lines += [f"  - {choice}" for choice in question.choices]
        body: dict[str, object] = {"answers": {q.id: None for q in checkpoint.questions}}
        lines.append("`null` means: you decide.")
        return "\n".join([*lines, _render_command(run_id, "answer_questions", body)])
    meant = {choice.label: f" ({choice.action})" for choice in checkpoint.choices}
    told = ", ".join(f"{option}{meant.get(option, '')}" for option in checkpoint.options)
    lines.append(f"Allowed: {told}. Until {checkpoint.deadline}.")
    for shown in filter(None, (checkpoint.subject, checkpoint.context)):
        lines += ["```json", json.dumps(shown, indent=1, ensure_ascii=False), "```"]
    if checkpoint.poll:
        return "\n".join([*lines, *_render_poll(run_id, checkpoint.poll)])
    body = {"action": "approve"}
    if offered := list_offered_choices(checkpoint):
        body["choice"] = offered[0]
    if checkpoint.plan_hash:
        body["plan_hash"] = checkpoint.plan_hash
    return "\n".join([*lines, _render_command(run_id, "decide", body)])


def _render_poll(run_id: str, poll: Poll) -> list[str]:
    said = [f"{vote.by}: {vote.action}" for vote in poll.votes] or ["nobody so far"]
    return [
        f"{poll.needed} of {describe_audience(poll)} must approve, {poll.missing} are missing. "
        f"Said so far: {', '.join(said)}.",
        "**Only the gateway takes this decision**, with an API key of one of them: "
        f"`POST /v1/runs/{run_id}/decision` or `python3 -m greenlight approve {run_id}`. "
        "What is sent from here is refused.",
    ]


def _render_command(run_id: str, name: str, body: dict[str, object]) -> str:
    text = json.dumps(body)
    return f"```\ntemporal workflow update execute -w {run_id} --name {name} --input '{text}'\n```"
