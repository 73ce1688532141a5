"""What the Temporal UI and CLI show of a run: what it waits for, and a line to paste."""

import json

from contracts.state import Checkpoint, RunState
from workflows.checkpoint import actions, choices


def details(state: RunState) -> str:
    """Return Markdown for `workflow.set_current_details`."""
    if not state.pending:
        return f"**{state.status}**"
    return "\n\n".join(_checkpoint(state.run_id, checkpoint) for checkpoint in state.pending)


def _checkpoint(run_id: str, checkpoint: Checkpoint) -> str:
    lines = [f"### {checkpoint.message}" if checkpoint.message else "### Your answers, please"]
    if checkpoint.kind == "questions":
        for question in checkpoint.questions:
            lines.append(f"- **{question.id}** {question.question} _{question.context}_")
            lines += [f"  - {choice}" for choice in question.choices]
        body: dict[str, object] = {"answers": {q.id: None for q in checkpoint.questions}}
        lines.append("`null` means: you decide.")
        return "\n".join([*lines, _line(run_id, "answer_questions", body)])
    lines.append(f"Allowed: {', '.join(actions(checkpoint))}. Until {checkpoint.deadline}.")
    for shown in filter(None, (checkpoint.subject, checkpoint.context)):
        lines += ["```json", json.dumps(shown, indent=1, ensure_ascii=False), "```"]
    body = {"action": "approve"}
    if choices(checkpoint):
        lines.append(f"One of: {'; '.join(choices(checkpoint))}.")
        body["choice"] = choices(checkpoint)[0]
    if checkpoint.plan_hash:
        body["plan_hash"] = checkpoint.plan_hash
    return "\n".join([*lines, _line(run_id, "decide", body)])


def _line(run_id: str, name: str, body: dict[str, object]) -> str:
    text = json.dumps(body)
    return f"```\ntemporal workflow update execute -w {run_id} --name {name} --input '{text}'\n```"
