"""What a run's events add up to: phases, turns, tool calls, pages, dollars. Draws nothing."""

from collections import deque
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

from contracts.runs.records import LoggedEvent
from contracts.runs.state import SETTLED, StateView
from greenlight.terminal.display.report_outline import Growth

RECENT_CALLS = 6


@dataclass
class Call:
    """A tool call, and what came of it."""

    text: str
    result: str = "…"

    def __str__(self) -> str:
        return f"{self.text}  {self.result}"


@dataclass
class Phase:
    """One phase so far."""

    id: str
    title: str
    status: str = "pending"
    attempt: int = 1
    turns: int = 0
    searches: int = 0
    pages: int = 0
    written: int = 0
    reused_from: str = ""
    notes: list[str] = field(default_factory=list)
    calls: deque[Call] = field(default_factory=lambda: deque(maxlen=RECENT_CALLS))
    told: bool = False
    since: datetime | None = None
    seconds: float = 0.0

    @property
    def counts(self) -> str:
        """What was done, in a few words."""
        if self.reused_from:
            return f"taken over from {self.reused_from}"
        done = [(self.turns, "turn"), (self.searches, "search"), (self.pages, "page")]
        return " · ".join(plural(count, noun) for count, noun in done if count)

    def elapsed(self, now: datetime) -> float:
        """Return the seconds worked so far; waiting for a human is not work."""
        return self.seconds + ((now - self.since).total_seconds() if self.since else 0.0)

    def enter(self, status: str, at: datetime) -> None:
        """Change the status; the clock runs while the phase does."""
        self.seconds, self.since = self.elapsed(at), at if status == "running" else None
        self.status = status


class Progress:
    """Everything the events said so far."""

    def __init__(self, state: StateView) -> None:
        self.phases = {phase.id: Phase(phase.id, phase.title or phase.id) for phase in state.phases}
        self.sources: set[str] = set()
        self.note = ""
        self.seq = 0
        self.over = False
        self.paused = False
        self.usd = 0.0
        self.growth = Growth()
        self._open: dict[str, Call] = {}

    def apply(self, event: LoggedEvent) -> str:
        """Take in one event; return a line about it where a person would want one."""
        self.seq = event.seq
        self.over = event.type == "workflow_complete"
        phase = self.phases.get(event.phase_id or "")
        handler = getattr(self, f"_{event.type.lower()}", None)
        if handler is None or (phase is None and event.type not in _WITHOUT_PHASE):
            return ""
        return str(handler(event, phase, event.payload) or "")

    def _step_start(self, event: LoggedEvent, phase: Phase, _: Any) -> str:
        phase.attempt, phase.told = event.attempt, False
        phase.enter("running", _time(event))
        return f"{phase.title}: started" + (
            f" (attempt {event.attempt})" if event.attempt > 1 else ""
        )

    def _step_complete(self, event: LoggedEvent, phase: Phase, said: Any) -> str:
        phase.enter(event.status or "completed", _time(event))
        phase.reused_from = str(said.get("reused_from") or "")
        phase.notes = [str(warning) for warning in said.get("warnings") or []]
        if said.get("error"):
            phase.notes.append(str(said["error"]["message"]))
        told = "; ".join(phase.notes) if said.get("error") or phase.status == "skipped" else ""
        detail = told or phase.counts
        return f"{phase.title}: {phase.status}" + (f" ({detail})" if detail else "")

    def _inputrequiredevent(self, event: LoggedEvent, phase: Phase, said: Any) -> str:
        phase.enter("waiting", _time(event))
        why = f" ({said['again']})" if said.get("again") else ""
        return f"{phase.title}: waits for a human{why}"

    def _humanresponseevent(self, event: LoggedEvent, phase: Phase | None, said: Any) -> str:
        votes = "vote" in said or "delegate" in said
        if phase is not None and phase.status not in SETTLED and not votes:
            phase.enter("pending" if said.get("action") == "revise" else "running", _time(event))
        self.paused = bool(said.get("paused", self.paused))
        who = f"{phase.title}: " if phase else ""
        by = f" by {said['by']}" if said.get("by") else ""
        return f"{who}{_heard(said)}{by}"

    def _agentstream(self, _: LoggedEvent, phase: Phase, said: Any) -> None:
        phase.written += len(said.get("delta") or "")

    def _agentoutput(self, _: LoggedEvent, phase: Phase, said: Any) -> None:
        self.usd += float(said.get("usd", 0.0))
        phase.turns += 1
        phase.written = 0

    def _toolcall(self, event: LoggedEvent, phase: Phase, said: Any) -> None:
        name = str(said.get("tool_id"))
        if name not in self._open:  # else: the same call, tried again
            self._open[name] = Call(_by(event) + _described(said))
            phase.calls.append(self._open[name])

    def _toolcallresult(self, event: LoggedEvent, phase: Phase | None, said: Any) -> str:
        output: Any = said.get("tool_output") or {}
        call = self._open.pop(str(said.get("tool_id")), None) or Call(_by(event) + _described(said))
        raw = output.get("raw_output")
        patch = raw.get("patch") if isinstance(raw, dict) else None
        call.result = self.growth.apply(patch, event.seq) if patch else _outcome(output)
        if phase is None:  # a human took something back, and that was told
            return ""
        if said.get("tool_name") == "web_search":
            phase.searches += 1
        elif said.get("tool_name") == "fetch_url" and not output.get("is_error"):
            phase.pages += 1
            self.sources.add(str((said.get("tool_kwargs") or {}).get("url")))
        return f"{phase.title}: {call}"

    def _status(self, _: LoggedEvent, phase: Phase | None, said: Any) -> str:
        self.note = str(said.get("message", "")) if said.get("level") != "info" else ""
        return self.note

    def _retryevent(self, event: LoggedEvent, phase: Phase, said: Any) -> str:
        phase.written = 0
        self.note = f"{phase.title}: trying again, attempt {said.get('attempt')}"
        return self.note


DECIDED = {
    "approve": "approved",
    "modify": "changed and approved",
    "revise": "sent back",
    "reject": "rejected",
}
_WITHOUT_PHASE = {"Status", "HumanResponseEvent", "ToolCallResult"}


def plural(count: int, noun: str) -> str:
    """Return a count with its noun."""
    if count == 1:
        return f"1 {noun}"
    return f"{count} {noun}{'es' if noun.endswith('ch') else 's'}"


def _time(event: LoggedEvent) -> datetime:
    return datetime.fromisoformat(event.at)


def _heard(said: Any) -> str:
    """Return what a human did."""
    if "steer" in said:
        return f"guidance: {said['steer']}"
    if "paused" in said:
        return "paused" if said["paused"] else "resumed"
    if "cancel" in said:
        return "cancelled"
    if "undo" in said:
        return f"patch {said['undo']} of the report taken back"
    if "delegate" in said:
        return f"handed over to {said['delegate']}"
    if "vote" in said:
        return f"vote to {said['vote']} ({plural(int(said['missing']), 'approval')} missing)"
    return DECIDED.get(str(said.get("action")), "answered")


def _by(event: LoggedEvent) -> str:
    """Return which of several agents did it, where the event says so."""
    return f"{event.plan_step.replace('_', ' ')}: " if event.plan_step else ""


def _described(said: Any) -> str:
    kwargs = said.get("tool_kwargs") or {}
    if "ticker" in kwargs:
        return f"filings of {kwargs['ticker']}"
    if "query" in kwargs:
        return f"search “{kwargs['query']}”"
    if "url" in kwargs:
        parts = urlsplit(str(kwargs["url"]))
        return f"read {parts.netloc}{parts.path}"
    if "source" in kwargs:
        return f"read on in source {kwargs['source']}, “{kwargs.get('section') or '…'}”"
    if "section" in kwargs:
        return f"write “{kwargs['section']}”"
    if "initial_query" in kwargs:
        return "take the question apart"
    return str(said.get("tool_name"))


def _outcome(output: Any) -> str:
    """Return a few words on what a tool gave."""
    if output.get("is_error"):
        return f"✗ {output.get('content') or 'failed'}"
    raw = output.get("raw_output")
    if not isinstance(raw, dict):
        return str(raw or "✓")
    if "hits" in raw:
        return plural(len(raw["hits"]), "result")
    if found := raw.get("fundamentals"):
        return f"{found['company']['name']}, {plural(len(found['figures']), 'figure')}"
    named = raw.get("name") if "media_type" in raw else raw.get("title")
    return str(named or "✓")
