"""Result of a finished run: report, evidence, cost, and the files written for it."""

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile

from rich.console import Console, Group, RenderableType
from rich.markdown import Markdown
from rich.padding import Padding
from rich.rule import Rule
from rich.text import Text

from contracts.agents.workbench import Artifact
from contracts.report.research import Plan, Report
from contracts.runs.state import StateView
from domain.report.markdown import ARTIFACTS
from domain.report.report_claims import list_claims
from greenlight.errors import UsageError
from greenlight.terminal.client import GatewayClient
from greenlight.terminal.display import widgets
from greenlight.terminal.display.widgets import count_noun, format_usd

EXPORT_FORMATS = ("pdf", "docx")
"""Formats written beside the Markdown."""
SUFFIXES = {"table": "csv", "chart": "svg", "pdf": "pdf", "docx": "docx", "html": "html.txt"}
EXIT_CODES = {"completed": 0, "partial": 0, "failed": 1, "rejected": 4, "cancelled": 4}


def finish(gateway: GatewayClient, state: StateView, out: Path | None, console: Console) -> int:
    """Print the report to stdout and the rest to the console; return the exit code."""
    report = gateway.report(state.run_id)
    if report is not None:
        print_report(report.markdown)
    console.print(draw_summary(state, report))
    if out is not None:
        folder = save_results(gateway, state, report, out)
        console.print(f"  saved in {folder}", style="dim", markup=False)
    return EXIT_CODES[state.status]


def print_report(markdown: str) -> None:
    """Print a report: rendered on a terminal, as Markdown anywhere else."""
    stdout = Console()
    if not stdout.is_terminal:
        print(markdown)
        return
    stdout.print(Rule(style="dim"), Padding(Markdown(markdown), (1, 2)), Rule(style="dim"))


def draw_summary(state: StateView, report: Report | None) -> RenderableType:
    """Draw a run's status, results, evidence and cost."""
    style = widgets.STATUS_STYLE[state.status]
    rows: list[tuple[str, RenderableType]] = [("status", Text(state.status, style=f"bold {style}"))]
    rows += [(name.replace("_", " "), text) for name, text in list_results(state)]
    if report is not None:
        rows.append(("evidence", format_evidence(report)))
    rows.append(("cost", format_cost(state)))
    if state.startup is not None:
        rows.append(("startup", f"{state.startup.name} ({state.startup.id})"))
    notes = [
        f"{phase.title}: {phase.error.message if phase.error else warning}"
        for phase in state.phases
        for warning in (phase.warnings if phase.error is None else [""])
        if phase.status != "skipped"
    ]
    rows.append(("note", "\n".join([*notes, *state.warnings])))
    rows.append(("again", f"python3 -m greenlight watch {state.run_id}"))
    return Group("", widgets.draw_facts(rows))


def list_results(state: StateView) -> list[tuple[str, str]]:
    """List the results beside the report by name, each in its first two texts."""
    results = []
    for name in ("selected_idea", "decision", "summary"):
        value = state.results.get(name)
        texts = [t for t in value.values() if isinstance(t, str)] if isinstance(value, dict) else []
        if texts:
            results.append((name, ": ".join(texts[:2])))
    return results


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
    """Format a run's cost beside the plan's price."""
    parts = [f"{format_usd(state.usage.usd)} for {state.usage.calls} model calls"]
    if state.usage.reused_calls:
        parts.append(f"{state.usage.reused_calls} taken from the journal")
    if state.plan is not None:
        estimate = Plan.model_validate(state.plan).estimated_cost
        expected, top = (format_usd(usd) for usd in (estimate.expected_usd, estimate.top_usd))
        parts.append(f"the plan said {expected}, at most {top}")
    amount = "; ".join(parts)
    return f"$0.00 (on {state.model}: {amount})" if state.offline else amount


def save_results(
    gateway: GatewayClient, state: StateView, report: Report | None, folder: Path
) -> Path:
    """Write the report in each format, sources, state and artifacts to a folder."""
    files = {
        "sources.json": gateway.list_sources(state.run_id),
        "state.json": state.model_dump(mode="json"),
    }
    if report is not None:
        files["report.json"] = report.model_dump(mode="json")
    artifacts = gateway.list_artifacts(state.run_id)
    make_folder(folder)
    with _report_errors(folder):
        for name, value in files.items():
            text = json.dumps(value, indent=2, ensure_ascii=False)
            (folder / name).write_text(text + "\n", encoding="utf-8")
        if report is not None:
            markdown = report.markdown
            for artifact in artifacts:
                link = f"]({ARTIFACTS}/{artifact.id})"
                markdown = markdown.replace(link, f"]({ARTIFACTS}/{_file_name(artifact)})")
            (folder / "report.md").write_text(markdown, encoding="utf-8")
        for artifact in artifacts:
            (folder / ARTIFACTS).mkdir(exist_ok=True)
            (folder / ARTIFACTS / _file_name(artifact)).write_bytes(
                gateway.read_artifact(state.run_id, artifact)
            )
        # Last: a report too large for them is refused.
        for format in EXPORT_FORMATS if report is not None else ():
            content = gateway.export_report(state.run_id, format) or b""
            (folder / f"report.{format}").write_bytes(content)
    return folder.absolute()


def _file_name(artifact: Artifact) -> str:
    """Return an artifact's file name, with the suffix of its type."""
    return f"{artifact.id}.{SUFFIXES.get(artifact.kind, 'txt')}"


def read_report(
    gateway: GatewayClient, run_id: str, format: str, at: int | None = None
) -> bytes | None:
    """Return a report as a file, now or after event `at`; None if there is none yet."""
    if format != "json":
        return gateway.export_report(run_id, format, at)
    report = gateway.report(run_id)
    return f"{report.model_dump_json(indent=2)}\n".encode() if report else None


def write_file(content: bytes, format: str, file: Path | None) -> None:
    """Write to a file, or to stdout unless binary content would go to a terminal."""
    if file is not None:
        with _report_errors(file):
            file.write_bytes(content)
    elif format not in {"md", "json"} and sys.stdout.isatty():
        raise UsageError(
            f"--format {format} is nothing to read here: name a file, as --out report.{format}"
        )
    else:
        sys.stdout.buffer.write(content)


def make_folder(folder: Path) -> None:
    """Make a writable folder.

    Raises:
        UsageError: it cannot be written.
    """
    with _report_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
        TemporaryFile(dir=folder).close()


@contextmanager
def _report_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}") from error
