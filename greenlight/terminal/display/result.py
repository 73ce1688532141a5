"""A run that has ended: its report, what it rests on, what it cost, where it is kept."""

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
from domain.report.exhibits import PLACE
from greenlight.terminal.client import Gateway, Usage
from greenlight.terminal.display import run as show
from greenlight.terminal.display.progress import plural

FILES = ("pdf", "docx")
"""What a report is kept as beside its Markdown."""
ENDINGS = {"table": "csv", "chart": "svg", "pdf": "pdf", "docx": "docx", "html": "html.txt"}
EXIT_CODES = {"completed": 0, "partial": 0, "failed": 1, "rejected": 4, "cancelled": 4}


def finish(gateway: Gateway, state: StateView, out: Path | None, ui: Console) -> int:
    """Print the report to stdout and all else to `ui`; return the exit code."""
    report = gateway.report(state.run_id)
    if report is not None:
        print_report(report.markdown)
    ui.print(summary(state, report))
    if out is not None:
        ui.print(f"  saved in {save(gateway, state, report, out)}", style="dim", markup=False)
    return EXIT_CODES[state.status]


def print_report(markdown: str) -> None:
    """Print a report: drawn on a terminal, as it is anywhere else."""
    stdout = Console()
    if not stdout.is_terminal:
        print(markdown)
        return
    stdout.print(Rule(style="dim"), Padding(Markdown(markdown), (1, 2)), Rule(style="dim"))


def summary(state: StateView, report: Report | None) -> RenderableType:
    """Return how the run went, in a few rows."""
    style = show.STATUS_STYLE[state.status]
    rows: list[tuple[str, RenderableType]] = [("status", Text(state.status, style=f"bold {style}"))]
    rows += [(name.replace("_", " "), told) for name, told in results(state)]
    if report is not None:
        rows.append(("evidence", evidence(report)))
    rows.append(("cost", cost(state)))
    if state.startup is not None:
        rows.append(("startup", f"{state.startup.name} ({state.startup.id})"))
    troubles = [
        f"{phase.title}: {phase.error.message if phase.error else warning}"
        for phase in state.phases
        for warning in (phase.warnings if phase.error is None else [""])
        if phase.status != "skipped"
    ]
    rows.append(("note", "\n".join([*troubles, *state.warnings])))
    rows.append(("again", f"python3 -m greenlight watch {state.run_id}"))
    return Group("", show.facts(rows))


def results(state: StateView) -> list[tuple[str, str]]:
    """Return what phases concluded beside the report, each by its name and in its first words."""
    found = []
    for name in ("selected_idea", "decision", "summary"):
        value = state.results.get(name)
        texts = [t for t in value.values() if isinstance(t, str)] if isinstance(value, dict) else []
        if texts:
            found.append((name, ": ".join(texts[:2])))
    return found


def evidence(report: Report) -> str:
    """Count what a report rests on."""
    claims = [claim for section in report.sections for claim in section.claims]
    if report.comparison:
        cells = [cell for _, row in report.comparison.rows for cell in row]
        claims += [cell.claim for cell in cells if cell.claim]
    quotes = sum(len(claim.citations) for claim in claims)
    cited = {citation.source for claim in claims for citation in claim.citations}
    return (
        f"{plural(report.claims_total, 'claim')}, {plural(quotes, 'quote')} "
        f"from {plural(len(cited), 'source')}; "
        f"{report.claims_unsupported} unsupported"
    )


def cost(state: StateView) -> str:
    """Return what was spent, and what the plan had said it would."""
    parts = [f"{show.usd(state.usage.usd)} for {state.usage.calls} model calls"]
    if state.usage.reused_calls:
        parts.append(f"{state.usage.reused_calls} taken from the journal")
    if state.plan is not None:
        said = Plan.model_validate(state.plan).estimated_cost
        parts.append(
            f"the plan said {show.usd(said.expected_usd)}, at most {show.usd(said.top_usd)}"
        )
    spent = "; ".join(parts)
    return f"$0.00 (on {state.model}: {spent})" if state.offline else spent


def save(gateway: Gateway, state: StateView, report: Report | None, folder: Path) -> Path:
    """Write the report in each of its forms, sources, state and artifacts into a folder."""
    files = {
        "sources.json": gateway.sources(state.run_id),
        "state.json": state.model_dump(mode="json"),
    }
    if report is not None:
        files["report.json"] = report.model_dump(mode="json")
    artifacts = gateway.artifacts(state.run_id)
    make_folder(folder)
    with _writing(folder):
        for name, value in files.items():
            text = json.dumps(value, indent=2, ensure_ascii=False)
            (folder / name).write_text(text + "\n", encoding="utf-8")
        if report is not None:
            (folder / "report.md").write_text(_linked(report, artifacts), encoding="utf-8")
        for artifact in artifacts:
            (folder / PLACE).mkdir(exist_ok=True)
            (folder / PLACE / _file(artifact)).write_bytes(gateway.held(state.run_id, artifact))
        for format in FILES if report is not None else ():  # last: too large a report has none
            held = gateway.exported(state.run_id, format) or b""
            (folder / f"report.{format}").write_bytes(held)
    return folder.absolute()


def _file(artifact: Artifact) -> str:
    """Return the name of an artifact's file, by which a viewer knows what it is."""
    return f"{artifact.id}.{ENDINGS.get(artifact.kind, 'txt')}"


def _linked(report: Report, artifacts: list[Artifact]) -> str:
    """Return the report's Markdown with its links to the files beside it."""
    text = report.markdown
    for artifact in artifacts:
        text = text.replace(f"]({PLACE}/{artifact.id})", f"]({PLACE}/{_file(artifact)})")
    return text


def report_as(gateway: Gateway, run_id: str, format: str, at: int | None = None) -> bytes | None:
    """Return a report as a file of a format, as it is or after an event; None: there is none."""
    if format != "json":
        return gateway.exported(run_id, format, at)
    report = gateway.report(run_id)
    return f"{report.model_dump_json(indent=2)}\n".encode() if report else None


def hand_over(held: bytes, format: str, file: Path | None) -> None:
    """Write a file, or to stdout where nobody sees its bytes."""
    if file is not None:
        with _writing(file):
            file.write_bytes(held)
    elif format not in {"md", "json"} and sys.stdout.isatty():
        raise Usage(
            f"--format {format} is nothing to read here: name a file, as --out report.{format}"
        )
    else:
        sys.stdout.buffer.write(held)


def make_folder(folder: Path) -> None:
    """Make a folder that can be written to, or say why there is none."""
    with _writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
        TemporaryFile(dir=folder).close()


@contextmanager
def _writing(place: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise Usage(f"{place} cannot be written: {error.strerror}") from error
