"""Comparison of two runs: request, config, plan, phases, sources and report."""

import json
from collections.abc import Iterator
from itertools import zip_longest
from typing import Any

from pydantic import Field, JsonValue

from api.runs.service import RunService
from contracts.base import Contract, Json
from contracts.human.checkpoints import Decision
from contracts.planning.plan import join_searches
from contracts.report.report import Report
from contracts.runs.records import PhaseRecord
from contracts.runs.request import RunRequest
from contracts.words.question_language import detect_language
from domain.report.changes.report_diff import diff_reports
from domain.report.context import ReportContext
from store.run_records.runs import RunSummary

MOST = 500
"""Changes of a part that are listed."""
LONGEST = 2_000
NOTHING = object()
"""Marks a value that one run does not have."""


class Change(Contract):
    """A value that differs; null where a run does not have it."""

    path: str = Field(description="e.g. `research.config.max_sources`, `steps[0].name`")
    a: JsonValue
    b: JsonValue


class ComparedRun(RunSummary):
    """One of the two runs."""

    model: str
    plan_hash: str | None
    decisions: list[Decision]


class SourceOverlap(Contract):
    """URLs of the pages that each run or both have read."""

    only_a: list[str]
    only_b: list[str]
    both: list[str]


class RunComparison(Contract):
    """Differences between two runs; `cut` names the parts that are not listed completely."""

    a: ComparedRun
    b: ComparedRun
    usd: float = Field(description="what b cost more than a")
    request: list[Change] = Field(description="what the starts said")
    config: list[Change] = Field(description="by phase: what is set, and what takes part")
    phases: list[Change] = Field(description="by phase: how it ended")
    plan: list[Change] = Field(description="its searches as one list, `search_terms`")
    sources: SourceOverlap
    report: list[str] = Field(description="lines of a unified diff, from a to b; none: the same")
    cut: dict[str, int] = Field(
        default={},
        description="how many changes, or lines of the report's diff, are not listed, by the part's field",
    )


async def compare(a: RunService, b: RunService) -> RunComparison:
    """Return how one run differs from another."""
    phases = [await run.get_phases() for run in (a, b)]
    sources = [await run.deps.runs.list_sources(run.reader, run.id) for run in (a, b)]
    urls_a, urls_b = (dict.fromkeys(source.url for source in read) for read in sources)
    reports = [await _find_report(run, done) for run, done in zip((a, b), phases, strict=True)]
    diff = await a.deps.sandbox.run(
        diff_reports,
        *reports,
        *(a.id, b.id),
        task="comparing the reports",
        tenant=a.reader.tenant_id,
    )
    changes = {
        "request": find_changes(_request(a), _request(b)),
        "config": find_changes(_config(a), _config(b)),
        "phases": find_changes(*map(_describe_ends, phases)),
        "plan": find_changes(_plan(a), _plan(b)),
    }
    left_out = {name: len(found[MOST:]) for name, found in changes.items()}
    left_out["report"] = diff.left_out
    return RunComparison(
        a=_describe_run(a),
        b=_describe_run(b),
        usd=b.row.usage.usd - a.row.usage.usd,
        **{name: found[:MOST] for name, found in changes.items()},
        sources=SourceOverlap(
            only_a=[url for url in urls_a if url not in urls_b],
            only_b=[url for url in urls_b if url not in urls_a],
            both=[url for url in urls_a if url in urls_b],
        ),
        report=diff.lines,
        cut={name: count for name, count in left_out.items() if count},
    )


async def _find_report(
    run: RunService, phases: list[PhaseRecord]
) -> tuple[Report, ReportContext] | None:
    report = run.find_report({phase.id: phase.output for phase in phases})
    return (report, await run.build_context()) if report else None


def _describe_run(run: RunService) -> ComparedRun:
    recorded = run.get_recorded_state()
    return ComparedRun(
        **run.row.model_dump(include=set(RunSummary.model_fields)),
        model=recorded.model,
        plan_hash=recorded.plan_hash,
        decisions=recorded.decisions,
    )


def _request(run: RunService) -> Json:
    said = set(RunRequest.model_fields) - {"config_overrides"}  # shown as settings instead
    return {name: value for name, value in run.row.request.items() if name in said}


def _plan(run: RunService) -> Json:
    plan = run.get_recorded_state().plan
    if plan is None:
        return {}
    language = detect_language(run.row.query)
    assumed = {"assumptions": [each.say(language) for each in plan.assumptions]}
    return join_searches(plan.model_dump(mode="json") | assumed)


def _config(run: RunService) -> Json:
    phases = run.row.opened.resolved.definition.phases if run.row.opened else []
    return {phase.id: phase.model_dump(mode="json", exclude={"id", "title"}) for phase in phases}


def _describe_ends(phases: list[PhaseRecord]) -> Json:
    told = {"status", "attempt", "warnings", "error"}
    return {phase.id: phase.model_dump(mode="json", include=told) for phase in phases}


def find_changes(a: JsonValue, b: JsonValue) -> list[Change]:
    """Return the differences of two values, as deep as both go."""
    return list(_changes(a, b, ""))


def _changes(a: object, b: object, path: str) -> Iterator[Change]:
    if isinstance(a, dict) and isinstance(b, dict):
        for name in {**a, **b}:
            there = f"{path}.{name}".lstrip(".")
            yield from _changes(a.get(name, NOTHING), b.get(name, NOTHING), there)
    elif isinstance(a, list) and isinstance(b, list):
        for n, (one, other) in enumerate(zip_longest(a, b, fillvalue=NOTHING)):
            yield from _changes(one, other, f"{path}[{n}]")
    elif a != b:
        yield Change(path=path, a=_truncate(a), b=_truncate(b))


def _truncate(value: Any) -> JsonValue:
    """Return a value, or the beginning of its JSON if that is long."""
    if value is NOTHING:
        return None
    text = json.dumps(value, ensure_ascii=False)
    return value if len(text) <= LONGEST else f"{text[:LONGEST]}…"
