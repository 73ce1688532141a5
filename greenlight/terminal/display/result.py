"""Result of a finished run: report, evidence, cost, and the files written for it."""

import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile

from pydantic_core import to_json
from rich.console import Console, Group, RenderableType
from rich.markdown import Markdown
from rich.padding import Padding
from rich.rule import Rule
from rich.text import Text

from contracts.human.checkpoints import Decision
from contracts.phases.typed_answers import Recommendation
from contracts.report.report import Report
from contracts.runs.state_view import StateView
from contracts.words import say
from contracts.words.dollars import format_usd
from domain.report.claims.report_claims import list_claims
from domain.report.parts.links import ARTIFACTS
from greenlight import exit_codes
from greenlight.bootstrap import COMMAND
from greenlight.client import GatewayClient
from greenlight.errors import UsageError
from greenlight.terminal.console import open_console
from greenlight.terminal.display import widgets
from greenlight.terminal.display.progress import describe_remarks
from greenlight.terminal.display.widgets import count_noun

EXPORT_FORMATS = ("pdf", "docx")
"""Formats written in addition to the Markdown."""
MAX_FOLLOW_UPS = 3
SUFFIXES = {"table": "csv", "chart": "svg", "pdf": "pdf", "docx": "docx", "html": "html.txt"}
TOLD = {
    "selected_idea": ("title", "description"),
    "decision": ("action", "horizon"),
    "summary": ("text",),
}
"""Fields of results shown in a run's summary.

A result with its own schema shows its first two texts, since its record has no order.
"""


def finish(gateway: GatewayClient, state: StateView, out: Path | None, console: Console) -> int:
    """Print the report to stdout and the rest to the console; return the exit code."""
    report = gateway.report(state.run_id)
    if report is not None and state.status != "rejected":  # its report is that of the run before
        print_report(report.markdown)
    console.print(draw_summary(state, report))
    if out is not None:
        with refuse_unwritable(out):
            for name, content in _list_files(gateway, state, report):
                (out / name).parent.mkdir(parents=True, exist_ok=True)
                (out / name).write_bytes(content)
        console.print(f"  saved in {out.absolute()}", style="dim", markup=False)
    return exit_codes.OF_RUNS[state.status]


def print_report(markdown: str) -> None:
    """Print a report: rendered on a terminal, as Markdown anywhere else."""
    stdout = open_console()
    if not stdout.is_terminal:
        print(markdown)
        return
    stdout.print(Rule(style="dim"), Padding(Markdown(markdown), (1, 2)), Rule(style="dim"))


def draw_summary(state: StateView, report: Report | None) -> RenderableType:
    """Draw a run's status, results, evidence and cost."""
    style = widgets.STATUS_STYLE[state.status]
    rows: list[tuple[str, RenderableType]] = [("status", Text(state.status, style=f"bold {style}"))]
    results = state.results.model_dump(mode="json")
    for name, fields in TOLD.items():
        said = results[name] or {}
        texts = [text for text in map(said.get, fields) if isinstance(text, str)]
        texts = texts or [text for text in said.values() if isinstance(text, str)]
        rows.append((name.replace("_", " "), ": ".join(texts[:2])))
    rows.append(("decided", "\n".join(map(_describe_decision, state.decisions))))
    if report is not None and not (report.head and report.head.is_all):
        rows.append(("evidence", format_evidence(report)))
    rows.append(("cost", format_cost(state)))
    if state.startup is not None:
        rows.append(("startup", f"{state.startup.name} ({state.startup.id})"))
    notes = [  # why a phase did not complete is among the run's warnings
        f"{phase.title}: {note.text}"
        for phase in state.phases
        for note in phase.notices
        if phase.status == "completed" and not any(told.includes(note) for told in state.notices)
    ]
    rows.append(("note", "\n".join([*state.warnings, *notes])))
    if state.status in ("completed", "partial") and report and _is_whole(report):
        told = [f"{COMMAND} follow-up {state.run_id} {asked}" for asked in _list_follow_ups(state)]
        rows.append(("go on", "\n".join(told)))
    else:
        rows.append(("go on", f"{COMMAND} run --from-run {state.run_id}"))
    rows.append(("again", f"{COMMAND} watch {state.run_id}"))
    return Group("", widgets.draw_facts(rows))


def _is_whole(report: Report) -> bool:
    """Return whether a report was written, which a follow-up can change."""
    return report.head is None or report.head.has_report


def _describe_decision(decision: Decision) -> str:
    """Return who decided what at which checkpoint, and which fields of the plan humans changed there."""
    who = "the deadline" if decision.default else decision.by
    cap = f"a cap of {format_usd(decision.cap_usd)}" if decision.cap_usd else ""
    by = f"by {who}" if who else ""
    words = [say("en", f"decided-{decision.action}"), cap, by, f"({decision.checkpoint_id})"]
    told = " ".join(filter(None, words))
    return told + describe_remarks(decision.changed, decision.feedback)


def _list_follow_ups(state: StateView) -> list[str]:
    """Return suggested follow-up questions, quoted for a shell: what would change the decision, if there is one."""
    decision = state.results.decision
    changes = decision.what_would_change if isinstance(decision, Recommendation) else []
    known = "What is known of this by now, and what follows for the decision"
    asked = [f"{known}: {change}" for change in changes]
    return [shlex.quote(each) for each in asked[:MAX_FOLLOW_UPS]] or ['"…"']


def format_evidence(report: Report) -> str:
    """Count a report's claims, quotes and sources."""
    claims = list_claims(report)
    quotes = sum(len(claim.citations) for claim in claims)
    cited = {citation.source for claim in claims for citation in claim.citations}
    return (
        f"{count_noun(report.claims_total, 'claim')}, {count_noun(quotes, 'quote')} "
        f"from {count_noun(len(cited), 'source')}; "
        f"{report.claims_unsupported} unsupported"
    )


def format_cost(state: StateView) -> str:
    """Format a run's cost and the plan's price."""
    parts = [f"{format_usd(state.usage.usd)} for {state.usage.calls} model calls"]
    if state.usage.reused_calls:
        parts.append(f"{state.usage.reused_calls} taken from the journal")
    if state.plan is not None:
        estimate = state.plan.estimated_cost
        expected, top = (format_usd(usd) for usd in (estimate.expected_usd, estimate.top_usd))
        parts.append(f"the plan said {expected}, at most {top}")
    amount = "; ".join(parts)
    return f"$0.00 (on {state.model}: {amount})" if state.offline else amount


def _list_files(
    gateway: GatewayClient, state: StateView, report: Report | None
) -> Iterator[tuple[str, bytes]]:
    """Yield sources, state, artifacts and the report in each format, each as file name and content."""
    run = f"/v1/runs/{state.run_id}"
    yield "sources.json", to_json_file(gateway.get(f"{run}/sources")["items"])
    yield "state.json", to_json_file(state)
    names = {}
    for artifact in gateway.get(f"{run}/artifacts")["items"]:
        path = f"{ARTIFACTS}/{artifact['id']}"
        names[path] = f"{path}.{SUFFIXES.get(artifact['kind'], 'txt')}"
        yield names[path], gateway.request("GET", f"{run}/{path}").content
    if report is None:
        return
    yield "report.json", to_json_file(report)
    markdown = report.markdown
    for path, name in names.items():
        markdown = markdown.replace(f"]({path})", f"]({name})")
    yield "report.md", markdown.encode()
    for format in EXPORT_FORMATS:  # last: a report too large for them is refused
        yield f"report.{format}", gateway.export_report(state.run_id, format)


def to_json_file(value: object) -> bytes:
    """Return the content of a JSON file."""
    return to_json(value, indent=2) + b"\n"


def make_folder(folder: Path) -> None:
    """Make a writable folder."""
    with refuse_unwritable(folder):
        folder.mkdir(parents=True, exist_ok=True)
        TemporaryFile(dir=folder).close()


@contextmanager
def refuse_unwritable(path: Path) -> Iterator[None]:
    """Raise a UsageError where a file or folder cannot be written."""
    try:
        yield
    except OSError as error:
        told = {"path": str(path), "reason": str(error.strerror)}
        raise UsageError.of("cli-out-unwritable", **told) from error
