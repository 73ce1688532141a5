"""The recorded samples, asked of the whole stack without a key: each is replayed to its end."""

import asyncio
import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from bench.harness import RunDriver
from greenlight.client import AsyncGatewayClient
from offline.recordings.answers import SAMPLES
from settings import Settings
from tests.chaos.fragile_stack import FragileStack
from tests.conftest import ROOT
from tests.e2e.commands.test_terminal import by_hand
from tests.greenlight.terminal import pty_terminal
from tests.greenlight.terminal.pty_terminal import Terminal
from tests.support.documents import BLOCKS

README_COMMANDS = (ROOT / "README.md").read_text("utf-8")


@pytest.fixture
def replayed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """An environment in which `up` chooses the samples, as it does for a user."""
    monkeypatch.setenv("GREENLIGHT_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(pty_terminal, "PATIENCE", 120.0)
    monkeypatch.delenv("GREENLIGHT_SAMPLES")
    yield
    assert "GREENLIGHT_SAMPLES" not in os.environ


@pytest.mark.full
@pytest.mark.timeout(600)
@pytest.mark.usefixtures("replayed")
async def test_each_sample_is_replayed_to_a_report_whose_sentences_hold(tmp_path: Path) -> None:
    async with (
        FragileStack(tmp_path / "home", print, pace=None) as stack,
        AsyncGatewayClient(stack.addresses.gateway) as gateway,
    ):
        await stack.ready("crew-worker")
        asked_by_hand = list[str]()
        samples = (await gateway.get("/v1/metadata"))["samples"]
        assert len(samples) == len(list(SAMPLES.iterdir())) > 0
        for sample in Settings(greenlight_samples=SAMPLES).samples():
            if f'run "{sample.query}"' in README_COMMANDS:
                run_id = await asyncio.to_thread(ask_by_hand, sample.query)
                asked_by_hand.append(sample.id)
            else:
                run = await RunDriver(gateway, stack).follow(
                    sample.query, definition=sample.definition, inputs=sample.inputs
                )
                run_id = run.id
            state, report = await gateway.state(run_id), await gateway.report(run_id)
            assert (state.status, state.recorded) == ("completed", sample), state.warnings
            assert [notice.code for notice in state.notices] == ["recorded"]
            assert state.offline
            assert report is not None
            assert (report.claims_total > 0, report.claims_unsupported) == (True, 0), sample.id
            assert state.usage.usd > 0, "what it would have cost"
            text = (await gateway.request("GET", f"/v1/runs/{run_id}/report?format=md")).text
            assert sample.model in text
            assert sample.date in text
            assert "stand-in" not in text
    assert len(asked_by_hand) == 1, "README's question is one of the samples"


def ask_by_hand(question: str) -> str:
    """Do what README's first command does, and return its run; all that README shows of it is printed."""
    [shown] = (block for block in BLOCKS if str(block) == "README.md, Two commands, output")
    at = Terminal("run", question)
    try:
        by_hand(at, "Rural people without")
    finally:
        at.close()
    printed = plain(at.seen)
    assert [line for line in shown.text.splitlines() if plain(line) not in printed] == []
    return str(re.findall(r"run-[0-9a-f-]{36}", at.seen)[-1])


def plain(text: str) -> str:
    """Return a text without what differs from run to run: its spacing, its seconds and dollars."""
    return " ".join(re.sub(r"[\d.]+(?= s\b)|(?<=\$)[\d.]+", "0", text).split())
