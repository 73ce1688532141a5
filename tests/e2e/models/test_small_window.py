"""Every preset with a window of 4,096 tokens: no request is too long for it."""

import asyncio
from pathlib import Path
from typing import Any

import httpx
import pytest

from contracts.preset_definitions import PRESETS
from contracts.runs.lost_inputs import LostInput
from contracts.runs.state_view import StateView
from domain.lost_inputs import explain_loss
from tests.activities.calls.provider import serving, stands_in
from tests.chaos.fragile_stack import FragileStack
from tests.e2e.presets.test_presets import driven
from tests.support.stack import QUESTION, Run
from tests.workflows.support.listed_company import required_of

pytestmark = pytest.mark.full
SECONDS = 110
NAMES = [name for name, preset in PRESETS.items() if not preset.asks_report]
CUT = LostInput(kind="cut_pages", name="m", window_tokens=4_096)
NOTE = explain_loss(CUT).text.casefold()


@pytest.mark.parametrize("counts", [True, False])
async def test_presets_keep_to_the_window_or_say_what_is_too_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, counts: bool
) -> None:
    async with serving() as server:
        server.listed = [{"id": "m", "max_input_tokens": 4_096, "max_tokens": 2_048}]
        server.window, server.most, server.counts = 4_096, 2_048, counts
        server.otherwise = stands_in
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        monkeypatch.setenv("ANTHROPIC_API_KEY", "any")
        monkeypatch.setenv("GREENLIGHT_MODEL", "m")
        monkeypatch.setenv("GREENLIGHT_PRICES", '{"m": {"input_usd": 0, "output_usd": 0}}')
        async with FragileStack(tmp_path / "home", print) as stack:
            ended = await asyncio.gather(*(run(stack, preset) for preset in NAMES))
        assert server.refused == []
        assert len(server.exchanges) > 20
    for preset, (state, report) in zip(NAMES, ended, strict=True):
        told = [w for phase in state.phases for w in phase.warnings]
        told += [phase.error.message for phase in state.phases if phase.error]
        lost = [each for phase in state.phases for each in phase.lost_inputs]
        reasons = {cause.reason for each in lost for cause in each.causes}
        codes = {p.error.notice.code for p in state.phases if p.error and p.error.notice}
        is_short = "request-too-long" in reasons or "model-window" in codes
        is_cut = CUT in (each.model_copy(update={"phase_id": ""}) for each in lost)
        assert state.status == "completed" or is_short or is_cut, (preset, told)
        assert is_cut == (NOTE in report) or not report, preset
    assert any(NOTE in report for _, report in ended)


async def run(stack: FragileStack, preset: str) -> tuple[StateView, str]:
    """Return a preset's final state, and its report in lower case; empty without a report."""
    async with httpx.AsyncClient(base_url=stack.addresses.gateway, timeout=70) as http:
        body: dict[str, Any] = {"query": QUESTION, "inputs": required_of(PRESETS[preset])}
        made = await http.post(f"/v1/workflows/{preset}/run", json=body)
        started = Run(http, made.raise_for_status().json()["run_id"])
        state = await driven(started, "approve", SECONDS)
        report = await http.get(f"/v1/runs/{started.id}/report")
        return state, report.text.casefold() if report.is_success else ""
