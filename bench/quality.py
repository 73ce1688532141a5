"""Asks a real model or a recording questions, and measures the content and cost of the reports."""

from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.table import Table

from bench.harness import RunDriver, make_table, start_stack
from bench.peers.provider import StandIn
from bench.replay import AT_ONCE, Exchange, Model, Relay, Replay
from contracts.report.report import Report
from contracts.runs.state_view import StateView
from domain.report.claims.report_claims import list_claims
from greenlight.errors import UsageError
from greenlight.stack.layout import load_settings
from offline.recordings.recording import Recording

QUESTIONS = Path(__file__).parent / "questions" / "quality.json"
Figures = dict[str, Any]


@dataclass(frozen=True)
class Finished:
    """A run that has ended, and its report."""

    client: RunDriver
    id: str
    report: Report | None

    async def list_sources(self) -> dict[int, str]:
        """Return the address of each source by its number."""
        items = (await self.client.gateway.get(f"/v1/runs/{self.id}/sources"))["items"]
        return {each["n"]: each["url"] for each in items}

    async def load_page(self, number: int) -> str:
        """Return the text of a source as the run read it."""
        path = f"/v1/runs/{self.id}/sources/{number}/snapshot"
        return (await self.client.gateway.request("GET", path)).text


Score = Callable[[Finished], Awaitable[dict[str, float]]]


async def measure(
    questions: list[Any],
    replay: Path | None,
    record: Path | None,
    library: Path | None,
    score: Score | None = None,
) -> list[Figures]:
    """Run each question and return its figures; each question is the body of a start request with its `definition`.

    With `score`, the stand-in answers if there is neither a key nor a recording.
    """
    settings = load_settings()
    key = settings.anthropic_api_key.get_secret_value()
    if not (replay or key or score):
        raise UsageError("quality needs ANTHROPIC_API_KEY, or --replay DIR")
    model: Replay | Relay | StandIn = Relay(settings.anthropic_base_url, record)
    if replay:
        model = Replay(Recording.load(replay))
    elif not key:
        model = StandIn(AT_ONCE, reworded=0)
    async with start_stack(model, key or "replay", library) as client:
        figures = [await measure_run(client, model, body, score) for body in questions]
    if isinstance(model, Replay) and model.missing:
        raise UsageError(f"{replay} holds no answer to {'; nor to '.join(model.missing)}")
    return figures


async def measure_run(
    client: RunDriver, model: Model, body: Any, score: Score | None = None
) -> Figures:
    """Do a run and return its figures, with its scores if they are asked for."""
    first, approved = len(model.exchanges), list[int]()

    async def note_approval(event: Any) -> None:
        if event["type"] == "InputRequiredEvent" and event["payload"]["plan_hash"]:
            approved.append(len(model.exchanges) - first)

    run = await client.follow(on_event=note_approval, **body)
    state, report = await client.gateway.state(run.id), await client.gateway.report(run.id)
    calls = model.exchanges[first:]
    about = {"definition": state.definition_id, "query": state.query, "status": state.status}
    spent = count_spent(state, calls) | {"calls_before_approval": [*approved, 0][0]}
    scores = {"scores": await score(Finished(client, run.id, report))} if score else {}
    return about | count_evidence(report) | spent | scores


def count_evidence(report: Report | None) -> Figures:
    """Return what a report's claims are and rest on."""
    claims = list_claims(report) if report else []
    shown = report.sections if report else []
    return {
        "verdicts": dict(Counter(claim.verdict or "unjudged" for claim in claims)),
        "kinds": dict(Counter(claim.kind for claim in claims)),
        "cited_sources": len({c.source for claim in claims for c in claim.citations}),
        "computed_figures": sum(bool(claim.working) for claim in claims),
        "words": sum(len(c.text.split()) for section in shown for c in section.claims),
    }


def count_spent(state: StateView, calls: Sequence[Exchange]) -> Figures:
    """Return the cost of a run and its price estimate."""
    used = [exchange.message["usage"] for exchange in calls]
    read = sum(usage.get("cache_read_input_tokens") or 0 for usage in used)
    price = state.price
    return {
        "calls": len(calls),
        "input_tokens": state.usage.input_tokens,
        "output_tokens": state.usage.output_tokens,
        "cached_share": round(read / max(state.usage.input_tokens, 1), 3),
        "usd": round(state.usage.usd, 4),
        "expected_usd": price.expected_usd,
        "top_usd": price.top_usd,
    }


def make_tables(figures: Sequence[Figures]) -> Iterator[Table]:
    """Yield a table for each run."""
    for run in figures:
        table = make_table(f"{run['definition']}: {run['query']}", "", run["status"])
        for name, value in list(run.items())[3:]:
            told = (
                ", ".join(f"{n} {k}" for k, n in value.items())
                if isinstance(value, dict)
                else value
            )
            table.add_row(name.replace("_", " "), str(told))
        yield table
