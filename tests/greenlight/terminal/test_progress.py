"""Progress of a run and the outline of its report."""

from datetime import UTC, datetime
from typing import Any

import pytest
from rich.console import Console

from contracts.planning.plan_changes import PlanChange
from contracts.runs.records import EventType, LoggedEvent
from greenlight.terminal.display.progress import (
    MAX_BLOCKS,
    Progress,
    ReportOutline,
    describe_remarks,
)
from tests.greenlight.terminal.fake_gateway import FakeGateway

OPENING = {"title": "Pumps", "outline": ["Market", "Risks"]}


def drawn(growth: ReportOutline) -> list[list[str]]:
    console = Console(width=100, color_system=None)
    with console.capture() as shown:
        console.print(growth.draw())
    return [line.split() for line in shown.get().splitlines()]


def told(patch: dict[str, Any], seq: int, phase: str | None = "research") -> LoggedEvent:
    payload: Any = {
        "tool_id": f"t{seq}",
        "tool_name": "update_report",
        "tool_kwargs": {"section": patch["section"]},
        "tool_output": {"raw_output": {"patch": patch}, "is_error": False},
    }
    at = "2026-01-01T00:00:00+00:00"
    return LoggedEvent(
        seq=seq, at=at, run_id="r", type="ToolCallResult", phase_id=phase, payload=payload
    )


def test_each_sentence_is_a_block_under_its_heading() -> None:
    growth = ReportOutline()
    assert growth.draw() is None
    assert growth.apply({"section": "Risks", "opening": OPENING, "added": [{}, {}]}, 4).startswith(
        "+2"
    )
    assert drawn(growth) == [["Market", "·"], ["Risks", "▪▪"]]
    assert growth.apply({"section": "Risks", "added": [{}], "removed": [{}, {}]}, 5).startswith(
        "+1 −2"
    )
    growth.apply({"section": "Market", "added": [{}] * (MAX_BLOCKS + 1)}, 6)
    assert drawn(growth) == [["Market", "▪" * MAX_BLOCKS, "31"], ["Risks", "▪"]]


def test_a_figure_is_counted_once_however_often_it_changes() -> None:
    growth = ReportOutline()
    cell = {"row": "Price", "column": "Kenya", "after": {"text": "5"}}
    growth.apply({"section": "Comparison table", "opening": OPENING, "cells": [cell]}, 1)
    changed = cell | {"before": cell["after"], "after": {"text": "6"}}
    growth.apply({"section": "Comparison table", "cells": [changed]}, 2)
    assert drawn(growth)[-1] == ["Comparison", "table", "▪"]
    gone = cell | {"before": changed["after"], "after": None}
    growth.apply({"section": "Comparison table", "cells": [gone]}, 3)
    assert drawn(growth)[-1] == ["Comparison", "table", "·"]


def test_reused_phase_names_its_run() -> None:
    progress = Progress(FakeGateway().state())
    ended = LoggedEvent(
        seq=1,
        at="2026-01-01T00:00:00+00:00",
        run_id="r",
        type="step_complete",
        phase_id="research",
        status="completed",
        payload={"reused_from": "run-before"},
    )
    assert progress.apply(ended) == "Research: completed (taken over from run-before)"
    assert progress.phases["research"].counts == "taken over from run-before"


def test_line_of_a_patch_names_the_event_to_undo() -> None:
    progress = Progress(FakeGateway().state())
    grown = {"section": "Market", "opening": OPENING, "added": [{}]}
    assert progress.apply(told(grown, 57)) == "Research: write “Market”  +1 (event 57)"
    assert progress.apply(told({"section": "Market", "removed": [{}]}, 58, None)) == ""
    assert progress.outline.counts == {"Market": 0, "Risks": 0}


@pytest.mark.parametrize(
    ("asked", "shown"),
    [
        ({"section": "Note 7"}, "Note 7"),
        ({"find": "total debt"}, "total debt"),
        ({"page": 3}, "p. 3"),
    ],
    ids=str,
)
def test_part_of_a_document_that_is_opened_is_named(asked: dict[str, Any], shown: str) -> None:
    progress = Progress(FakeGateway().state())
    given = {"name": "Acme, Form 10-K", "about": "", "find": "", "section": "", "page": None}
    payload: Any = {
        "tool_id": "t",
        "tool_name": "parse_content",
        "tool_kwargs": {**given, **asked},
        "tool_output": {"raw_output": {"parts": []}, "is_error": False},
    }
    opened = LoggedEvent(
        seq=1,
        at="2026-01-01T00:00:00+00:00",
        run_id="r",
        type="ToolCallResult",
        phase_id="research",
        payload=payload,
    )
    assert f"read on in Acme, Form 10-K, “{shown}”" in progress.apply(opened)


def test_company_facts_have_a_line_in_words() -> None:
    progress = Progress(FakeGateway().state())
    figures: Any = {"company": {"name": "Kestrel Inc."}, "figures": [{}, {}]}
    chart = {"name": "Kestrel Inc.: revenue", "media_type": "image/svg+xml"}
    told = [
        ("company_facts", {"ticker": "KST"}, {"fundamentals": figures, "source": {"title": "K"}}),
        ("chart", {"title": "revenue"}, chart),
        ("past_prices", {"ticker": "KST", "as_of": "2010-06-30"}, {"prices": []}),
    ]
    said = []
    for seq, (name, kwargs, output) in enumerate(told, start=1):
        payload: Any = {
            "tool_id": f"t{seq}",
            "tool_name": name,
            "tool_kwargs": kwargs,
            "tool_output": {"raw_output": output, "is_error": False},
        }
        at = "2026-01-01T00:00:00+00:00"
        said.append(
            progress.apply(
                LoggedEvent(
                    seq=seq,
                    at=at,
                    run_id="r",
                    type="ToolCallResult",
                    phase_id="research",
                    payload=payload,
                )
            )
        )
    assert said[0].endswith("filings of KST  Kestrel Inc., 2 figures")
    assert said[1].endswith("chart  Kestrel Inc.: revenue")
    assert "price of KST on 2010-06-30" in said[2]


def test_wait_for_a_batch_is_told_beside_warnings_and_other_notices_are_not() -> None:
    progress = Progress(FakeGateway().state())

    def tell(**payload: Any) -> str:
        at = "2026-01-01T00:00:00+00:00"
        told = {"message": "waits for a batch", **payload}
        return progress.apply(LoggedEvent(seq=1, at=at, run_id="r", type="Status", payload=told))

    assert tell(level="info", waits=True) == tell(level="warning") == "waits for a batch"
    notice = {"code": "collections-reading", "params": {"done": 58, "n": 74}}
    assert tell(level="info", notice=notice, message="58 of 74") == "58 of 74"
    assert tell(level="info") == ""


def test_a_pause_is_shown_and_its_time_is_no_work() -> None:
    progress = Progress(FakeGateway().state())
    planning = progress.phases["planning"]

    def tell(second: int, type: EventType, **told: Any) -> str:
        at = f"2026-01-01T00:00:{second:02}+00:00"
        return progress.apply(LoggedEvent(seq=second + 1, at=at, run_id="r", type=type, **told))

    tell(0, "step_start", phase_id="planning")
    assert tell(10, "HumanResponseEvent", payload={"paused": True}) == "paused"
    assert (planning.status, planning.detail) == ("paused", "paused")
    assert planning.elapsed(datetime(2026, 1, 1, 0, 0, 30, tzinfo=UTC)) == 10
    tell(35, "step_start", phase_id="research")
    assert progress.phases["research"].status == "paused"
    assert tell(40, "HumanResponseEvent", payload={"paused": False}) == "resumed"
    assert progress.phases["research"].status == "running"
    assert tell(47, "step_complete", phase_id="planning", status="completed")
    assert planning.seconds == 17


def test_a_decision_is_told_with_its_changes_and_its_words() -> None:
    changes = [
        PlanChange(path="steps[0].description", before="Look. " * 20, after="Count."),
        PlanChange(path="max_age_days", before=None, after=90),
    ]
    told = describe_remarks(changes, " Only new ones. ")
    days = "age of sources in days (none → 90)"
    assert told == f": changed step 1, description; {days}; “Only new ones.”"
    assert describe_remarks([], "") == ""


def test_a_document_of_ones_own_is_read_by_its_path(gateway: FakeGateway) -> None:
    progress = Progress(gateway.state())
    payload: Any = {
        "tool_id": "t1",
        "tool_name": "fetch_url",
        "tool_kwargs": {"url": "file:///plans/2023/a%20b.pdf"},
        "tool_output": {"raw_output": {"title": "Plans"}, "is_error": False},
    }
    at = "2026-01-01T00:00:00+00:00"
    event = LoggedEvent(
        seq=1, at=at, run_id="r", type="ToolCallResult", phase_id="research", payload=payload
    )
    assert progress.apply(event) == "Research: read plans/2023/a b.pdf  Plans"
