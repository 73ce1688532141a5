"""A run's progress, folded from its events: phases, tool calls, sources, dollars, report."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from urllib.parse import unquote, urlsplit

from rich.table import Column, Table
from rich.text import Text

from contracts.planning.plan_changes import PlanChange
from contracts.report.patches import TABLE
from contracts.runs.records import LoggedEvent
from contracts.runs.state_view import StateView
from contracts.runs.statuses import SETTLED
from contracts.words import say
from greenlight.terminal.display.plan import format_changes
from greenlight.terminal.display.widgets import count_noun

BLOCK = "▪"
MAX_BLOCKS = 30
_WITHOUT_PHASE = {"Status", "HumanResponseEvent", "ToolCallResult"}


@dataclass
class LivePhase:
    """One phase so far; `is_printed` once its last line is on the terminal for good."""

    title: str
    status: str = "pending"
    attempt: int = 1
    work: Counter[str] = field(default_factory=lambda: Counter(turn=0, search=0, page=0))
    written: int = 0
    reused_from: str = ""
    notes: list[str] = field(default_factory=list)
    calls: dict[str, str] = field(default_factory=dict)
    is_printed: bool = False
    since: datetime | None = None
    seconds: float = 0.0

    @property
    def counts(self) -> str:
        """Work done, in a few words."""
        if self.reused_from:
            return f"taken over from {self.reused_from}"
        return " · ".join(count_noun(count, noun) for noun, count in self.work.items() if count)

    @property
    def detail(self) -> str:
        """Its details in addition to its name: the reason if a phase did not complete."""
        if self.status in SETTLED and self.status != "completed":
            return "; ".join(self.notes) or self.status
        writing = f"writing, {self.written:,} characters" if self.written else ""
        paused = "paused" if self.status == "paused" else ""
        return " · ".join(filter(None, [paused, self.counts, writing]))

    def elapsed(self, now: datetime) -> float:
        """Return the seconds worked so far; a wait for a human and a pause are not work."""
        return self.seconds + ((now - self.since).total_seconds() if self.since else 0.0)

    def set_status(self, status: str, at: str) -> None:
        """Change the status; the clock runs while the phase does."""
        now = datetime.fromisoformat(at)
        self.seconds, self.since = self.elapsed(now), now if status == "running" else None
        self.status = status


SHOWN = {"collections-reading"}
"""Codes of notices that are shown although they are not warnings."""


class ReportOutline:
    """The living report's headings, with the number of sentences or table cells under each."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self._latest = ""

    def apply(self, patch: Any, seq: int) -> str:
        """Apply a patch; return its change in a few words."""
        for heading in (patch.get("opening") or {}).get("outline", ()):
            self.counts.setdefault(str(heading), 0)
        self._latest = str(patch["section"])
        added, removed = _count_change(patch)
        self.counts[self._latest] += added - removed
        return f"{describe_change(patch)} (event {seq})"

    def draw(self) -> Table | None:
        """Render one block per sentence and cell; None before the first patch."""
        if not self.counts:
            return None
        heading = Column(max_width=50, no_wrap=True, overflow="ellipsis")
        grid = Table.grid(Column(width=3), heading, Column(), padding=(0, 1))
        for name, count in sorted(self.counts.items(), key=lambda row: row[0] == TABLE):
            style = "green" if name == self._latest else "dim"
            blocks = BLOCK * min(count, MAX_BLOCKS) or "·"
            bar = f"{blocks} {count}" if count > MAX_BLOCKS else blocks
            grid.add_row("", Text(name, style=style), Text(bar, style=style))
        return grid


def describe_change(patch: Any) -> str:
    """Describe a patch by the number of sentences or table cells that it adds, takes out or says the verdict of."""
    if patch.get("is_ruling"):
        cells = [bool(cell.get("after")) for cell in patch.get("cells", ())]
        gone = len(patch.get("removed", ())) + cells.count(False)
        kept = len(patch.get("verdicts", ())) + cells.count(True)
        return f"{kept + gone} checked" + (f" −{gone}" if gone else "")
    signed = zip(("+", "−"), _count_change(patch), strict=True)
    return " ".join(f"{sign}{n}" for sign, n in signed if n) or "what is missing"


def _count_change(patch: Any) -> tuple[int, int]:
    """Return how many sentences or table cells a patch adds and takes out."""
    cells = patch.get("cells", ())
    added = len(patch.get("added", ())) + sum(bool(cell.get("after")) for cell in cells)
    removed = len(patch.get("removed", ())) + sum(bool(cell.get("before")) for cell in cells)
    return added, removed


class Progress:
    """Fold of a run's events; each event type has a method `_<type>`."""

    def __init__(self, state: StateView) -> None:
        self.phases = {p.id: LivePhase(p.title or p.id) for p in state.phases}
        self.sources: set[str] = set()
        self.note = ""
        self.seq = 0
        self.has_ended = False
        self.paused = False
        self.usd = 0.0
        self.outline = ReportOutline()
        self.questions: dict[str, dict[str, str]] = {}
        """Questions by checkpoint id and question id."""

    def apply(self, event: LoggedEvent) -> str:
        """Apply an event; return a line about it, or an empty string for one not worth a line."""
        self.seq = event.seq
        self.has_ended = event.type == "workflow_complete"
        phase = self.phases.get(event.phase_id or "")
        handler = getattr(self, f"_{event.type.lower()}", None)
        if handler is None or (phase is None and event.type not in _WITHOUT_PHASE):
            return ""
        return str(handler(event, phase, event.payload) or "")

    def _step_start(self, event: LoggedEvent, phase: LivePhase, _: Any) -> str:
        phase.attempt, phase.is_printed = event.attempt, False
        phase.set_status("paused" if self.paused else "running", event.at)
        attempt = f" (attempt {event.attempt})" if event.attempt > 1 else ""
        return f"{phase.title}: started{attempt}"

    def _step_complete(self, event: LoggedEvent, phase: LivePhase, payload: Any) -> str:
        phase.set_status(event.status or "completed", event.at)
        phase.calls.clear()
        phase.written = 0
        phase.reused_from = str(payload.get("reused_from") or "")
        phase.notes = [str(warning) for warning in payload.get("warnings") or []]
        error = payload.get("error")
        if error and str(error["message"]) not in phase.notes:
            phase.notes.append(str(error["message"]))
        notes = "; ".join(phase.notes) if error or phase.status == "skipped" else ""
        detail = notes or phase.counts
        return f"{phase.title}: {phase.status}" + (f" ({detail})" if detail else "")

    def _inputrequiredevent(self, event: LoggedEvent, phase: LivePhase, payload: Any) -> str:
        phase.set_status("waiting", event.at)
        asked = {q["id"]: q["question"] for q in payload.get("questions") or []}
        self.questions[payload["checkpoint_id"]] = asked
        reason = f" ({payload['again']})" if payload.get("again") else ""
        return f"{phase.title}: waits for a human{reason}"

    def _humanresponseevent(self, event: LoggedEvent, phase: LivePhase | None, payload: Any) -> str:
        is_vote = "vote" in payload or "delegate" in payload
        if phase is not None and phase.status not in SETTLED and not is_vote:
            goes_on = "paused" if self.paused else "running"
            phase.set_status("pending" if payload.get("action") == "revise" else goes_on, event.at)
        if "paused" in payload:
            self._hold(bool(payload["paused"]), event.at)
        title = f"{phase.title}: " if phase else ""
        by = f" by {payload['by']}" if payload.get("by") else ""
        return f"{title}{_describe_response(payload)}{by}"

    def _hold(self, is_paused: bool, at: str) -> None:
        """Stop the clocks of the phases at work, or let them go on."""
        self.paused = is_paused
        before, after = ("running", "paused") if is_paused else ("paused", "running")
        for phase in self.phases.values():
            if phase.status == before:
                phase.set_status(after, at)

    def _agentstream(self, _: LoggedEvent, phase: LivePhase, payload: Any) -> None:
        phase.written += len(payload.get("delta") or "")

    def _agentoutput(self, _: LoggedEvent, phase: LivePhase, payload: Any) -> None:
        self.usd += float(payload.get("usd", 0.0))
        phase.work["turn"] += 1
        phase.written = 0

    def _toolcall(self, event: LoggedEvent, phase: LivePhase, payload: Any) -> None:
        phase.calls[payload["tool_id"]] = f"{_describe_call(event, payload)}  …"

    def _toolcallresult(self, event: LoggedEvent, phase: LivePhase | None, payload: Any) -> str:
        output: Any = payload.get("tool_output") or {}
        raw = output.get("raw_output")
        patch = raw.get("patch") if isinstance(raw, dict) else None
        result = self.outline.apply(patch, event.seq) if patch else _describe_result(output)
        if phase is None:  # an undo, which gets its own line
            return ""
        call = f"{_describe_call(event, payload)}  {result}"
        phase.calls[payload["tool_id"]] = call
        if payload.get("tool_name") == "web_search":
            phase.work["search"] += 1
        elif payload.get("tool_name") == "fetch_url" and not output.get("is_error"):
            phase.work["page"] += 1
            self.sources.add(str((payload.get("tool_kwargs") or {}).get("url")))
        return f"{phase.title}: {call}"

    def _status(self, _: LoggedEvent, phase: LivePhase | None, payload: Any) -> str:
        code = (payload.get("notice") or {}).get("code")
        is_told = payload.get("level") != "info" or payload.get("waits") or code in SHOWN
        self.note = str(payload.get("message", "")) if is_told else ""
        return self.note

    def _reportchecked(self, _: LoggedEvent, phase: LivePhase, payload: Any) -> str:
        refused = len(payload.get("refused") or [])
        told = sum(gap.get("verdict") == "told" for gap in payload.get("gaps") or [])
        notes = [f"{count_noun(refused, 'sentence')} did not hold"] if refused else []
        notes += [f"{count_noun(told, 'line')} of “not found” told after all"] if told else []
        return f"{phase.title}: {'; '.join(notes)}" if notes else ""

    def _retryevent(self, event: LoggedEvent, phase: LivePhase, payload: Any) -> str:
        phase.written = 0
        self.note = f"{phase.title}: trying again, attempt {payload.get('attempt')}"
        return self.note


def is_to_the_run(event: LoggedEvent) -> bool:
    """Return whether a human sent the run a message that no checkpoint asked for."""
    return event.type == "HumanResponseEvent" and event.phase_id is None


def _describe_response(payload: Any) -> str:
    """Describe what a human did."""
    if "steer" in payload:
        return f"guidance: {payload['steer']}"
    if "paused" in payload:
        return "paused" if payload["paused"] else "resumed"
    if "cancel" in payload:
        return "cancelled"
    if "undo" in payload:
        return f"patch {payload['undo']} of the report taken back"
    if "delegate" in payload:
        return f"handed over to {payload['delegate']}"
    if "vote" in payload:
        missing = count_noun(int(payload["missing"]), "approval")
        said = f"vote to {payload['vote']} ({missing} missing)"
    else:
        said = say("en", f"decided-{payload.get('action') or 'answer'}")
    changed = [PlanChange.model_validate(each) for each in payload.get("changed") or ()]
    return said + describe_remarks(changed, payload.get("feedback") or "")


def describe_remarks(changed: Iterable[PlanChange], feedback: str) -> str:
    """Describe a decision's remarks: the plan's changed fields, and the human's words."""
    fields = format_changes(changed)
    parts = [
        f"changed {fields}" if fields else "",
        f"“{feedback.strip()}”" if feedback.strip() else "",
    ]
    told = "; ".join(filter(None, parts))
    return f": {told}" if told else ""


def _describe_call(event: LoggedEvent, payload: Any) -> str:
    """Describe a tool call, with the agent that made it where several work."""
    agent = f"{event.plan_step.replace('_', ' ')}: " if event.plan_step else ""
    match payload.get("tool_kwargs") or {}:
        case {"ticker": ticker, "as_of": str(day)} if payload.get("tool_name") == "past_prices":
            text = f"price of {ticker} on {day}"
        case {"ticker": ticker}:
            text = f"filings of {ticker}"
        case {"query": query}:
            text = f"search “{query}”"
        case {"url": url}:
            parts = urlsplit(str(url))
            own = unquote(parts.path).removeprefix("/")
            text = f"read {parts.netloc}{parts.path}" if parts.netloc else f"read {own}"
        case {"find": find, "page": page, "name": name, **asked}:
            wanted = (asked.get("about"), find, asked.get("section"), page and f"p. {page}")
            text = f"read on in {name or 'a source'}, “{next(filter(None, wanted), '…')}”"
        case {"section": section}:
            text = f"write “{section}”"
        case {"server": server, "tool": tool}:
            text = f"call {tool} of {server}"
        case {"initial_query": _}:
            text = "take the question apart"
        case _:
            text = str(payload.get("tool_name"))
    return agent + text


def _describe_result(output: Any) -> str:
    if output.get("is_error"):
        return f"✗ {output.get('content') or 'failed'}"
    raw = output.get("raw_output")
    if not isinstance(raw, dict):
        return str(raw or "✓")
    if "hits" in raw:
        return count_noun(len(raw["hits"]) + len(raw.get("repeated", [])), "result")
    if company := raw.get("fundamentals"):
        return f"{company['company']['name']}, {count_noun(len(company['figures']), 'figure')}"
    raw = raw.get("source") or raw  # a server tool's result
    name = raw.get("name") if "media_type" in raw else raw.get("title")
    return str(name or "✓")
