"""The recorded samples, asked of the whole stack without a key: each is replayed to its end."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from bench.harness import RunDriver
from greenlight.client import AsyncGatewayClient
from offline.recordings.answers import SAMPLES
from settings import Settings
from tests.chaos.fragile_stack import FragileStack


@pytest.fixture
def replayed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """An environment in which `up` chooses the samples, as it does for a user."""
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
        samples = (await gateway.get("/v1/metadata"))["samples"]
        assert len(samples) == len(list(SAMPLES.iterdir())) > 0
        for sample in Settings(greenlight_samples=SAMPLES).samples():
            run = await RunDriver(gateway, stack).follow(
                sample.query, definition=sample.definition, inputs=sample.inputs
            )
            state, report = await gateway.state(run.id), await gateway.report(run.id)
            assert (state.status, state.recorded) == ("completed", sample), state.warnings
            assert [notice.code for notice in state.notices] == ["recorded"]
            assert state.offline
            assert report is not None
            assert (report.claims_total > 0, report.claims_unsupported) == (True, 0), sample.id
            assert state.usage.usd > 0, "what it would have cost"
            text = (await gateway.request("GET", f"/v1/runs/{run.id}/report?format=md")).text
            assert sample.notice.text in text
            assert "stand-in" not in text
