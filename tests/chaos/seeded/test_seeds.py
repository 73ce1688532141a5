"""Seeds of random faults, each over a run of another preset: nothing lost, repaid, wedged, invented or unfounded."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.chaos.seeded.campaign import RUNNABLE, Plan, carry_out
from tests.chaos.seeded.linked_stack import LinkedStack
from tests.chaos.seeded.schedule import KINDS, draw_schedule
from tests.support.stack import Whole
from tests.support.temporal.sandbox import WorkflowRunners

SEEDS = range(10)
FIRST = {1, 3, 5, 8}
"""The seeds of the default run: their faults are of every kind."""
MORE_SEEDS = [pytest.param(seed, marks=pytest.mark.full) for seed in range(10, 30)]


CREWLESS = [each.id for each in RUNNABLE if all(phase.kind != "crew" for phase in each.phases)]


@pytest.fixture(scope="module")
async def linked(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[LinkedStack]:
    """A stack with links; for few seeds, without a crew worker, which takes seconds to load."""
    has_crews = WorkflowRunners.is_complete
    folder = tmp_path_factory.mktemp("linked")
    async with LinkedStack(folder, print, has_crews=has_crews) as stack:
        yield stack


async def holds(plan: Plan, stack: LinkedStack, folder: Path) -> None:
    """Carry out a campaign; if something does not hold, say so with the faults of its seed."""
    async with Whole.of(stack) as whole:
        found = await carry_out(plan, whole, stack, folder)
    assert not found.broken, (plan, [str(fault) for fault in plan.draw_faults()])
    assert found.statuses.total() == plan.runs


def make_plan(seed: int) -> Plan:
    """Return a campaign of one run of the seed's preset, and two faults."""
    return Plan(
        seed,
        runs=1,
        faults=2,
        span_seconds=2.5,
        presets=(CREWLESS[seed % len(CREWLESS)],),
        spared=("crew-worker",),
        patience_seconds=80,
    )


@pytest.mark.parametrize(
    "seed", [pytest.param(s, marks=[pytest.mark.full] * (s not in FIRST)) for s in SEEDS]
)
async def test_run_amid_faults_keeps_its_promises(
    linked: LinkedStack, tmp_path: Path, seed: int
) -> None:
    await holds(make_plan(seed), linked, tmp_path)


def test_first_seeds_have_every_kind_of_fault_and_presets_of_their_own() -> None:
    plans = [make_plan(seed) for seed in FIRST]
    assert {fault.kind for plan in plans for fault in plan.draw_faults()} == {*KINDS}
    assert len({plan.presets for plan in plans}) == len(FIRST)


@pytest.mark.timeout(600)
@pytest.mark.parametrize("seed", MORE_SEEDS)
async def test_runs_of_all_presets_amid_faults_keep_their_promises(
    linked: LinkedStack, tmp_path: Path, seed: int
) -> None:
    await holds(Plan(seed, 10, faults=20, span_seconds=20, patience_seconds=400), linked, tmp_path)


def test_seed_is_its_schedule_and_a_hundred_have_every_kind() -> None:
    drawn = {seed: draw_schedule(seed, 3, 5) for seed in range(100)}
    assert drawn == {seed: draw_schedule(seed, 3, 5) for seed in range(100)}
    assert len({tuple(map(str, faults)) for faults in drawn.values()}) == 100
    assert {fault.kind for faults in drawn.values() for fault in faults} == {*KINDS}
