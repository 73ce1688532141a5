"""A campaign of one seed: runs of several presets, faults at random times, a human for each run, and the oracle.

`python3 -m greenlight chaos --seed N --runs K` repeats one.
"""

import argparse
import asyncio
import contextlib
import os
import random
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import psycopg
from temporalio.client import Client

from contracts.preset_definitions import PRESETS
from contracts.runs.state_view import StateView
from tests.chaos.seeded.human import Human
from tests.chaos.seeded.linked_stack import LinkedStack
from tests.chaos.seeded.oracle import Findings, Oracle, ProviderCount, Struck
from tests.chaos.seeded.schedule import Fault, draw_schedule
from tests.support.databases import as_owner
from tests.support.offline_services import eventually
from tests.support.stack import Whole

RUNNABLE = [preset for preset in PRESETS.values() if not preset.asks_report]


@dataclass(frozen=True)
class Plan:
    """The numbers of runs and faults for a seed, within a span of time."""

    seed: int
    runs: int
    faults: int
    span_seconds: float
    presets: Sequence[str] = tuple(preset.id for preset in RUNNABLE)
    spared: Sequence[str] = ()
    latency_seconds: float = 0.3
    """Minimum time of a provider's answer, so that faults hit running calls."""
    patience_seconds: float = 600
    """How long a run may take after the last fault; one that takes longer is wedged."""

    def draw_humans(self, whole: Whole) -> list[Human]:
        """Return a human for each run; each preset comes once before any comes again."""
        chance = random.Random(f"runs {self.seed}")
        order = [*self.presets]
        chance.shuffle(order)
        return [
            Human(
                whole.http,
                PRESETS[order[n % len(order)]],
                1000 * self.seed + n,
                random.Random(f"human {self.seed} {n}"),
                key=f"chaos-{self.seed}-{n}-{time.time_ns()}",
            )
            for n in range(self.runs)
        ]

    def draw_faults(self) -> list[Fault]:
        """Return the schedule of faults."""
        return draw_schedule(self.seed, self.faults, self.span_seconds, self.spared)


async def carry_out(plan: Plan, whole: Whole, stack: LinkedStack, folder: Path) -> Findings:
    """Break things while runs go on, and return what does not hold once all is whole again."""
    counted = ProviderCount(whole.providers)
    await counted.collect()
    counted.answered.clear()
    await _brew(whole, plan)
    humans = plan.draw_humans(whole)
    striking = [
        asyncio.create_task(_strike(fault, plan, whole, stack, counted))
        for fault in plan.draw_faults()
    ]
    chance = random.Random(f"starts {plan.seed}")
    living = [
        asyncio.create_task(_live(human, chance.uniform(0, plan.span_seconds / 2)))
        for human in humans
    ]
    struck = await asyncio.gather(*striking)
    await eventually(lambda: _brew(whole, plan))
    found = Findings()
    await asyncio.wait(living, timeout=plan.patience_seconds)
    ended = await _gather_ended(humans, living, found)
    oracle = Oracle(as_owner(stack.addresses.database), await _until_whole(whole, stack), folder)
    await oracle.judge_payments(counted, [human for human, _ in ended], struck, found)
    for human, state in ended:
        await oracle.judge(human, state, found)
    return found


async def _until_whole(whole: Whole, stack: LinkedStack) -> Client:
    """Return a client of Temporal once that, PostgreSQL and the gateway answer again."""

    async def answer() -> Client | None:
        with contextlib.suppress(RuntimeError, psycopg.OperationalError):
            await (await psycopg.AsyncConnection.connect(stack.addresses.database)).close()
            (await whole.http.get("/readyz")).raise_for_status()
            return await Client.connect(stack.addresses.temporal)
        return None

    return await eventually(answer)  # type: ignore[no-any-return]


async def _live(human: Human, after_seconds: float) -> StateView:
    await asyncio.sleep(after_seconds)
    await human.start()
    return await human.accompany()


async def _gather_ended(
    humans: Sequence[Human], living: Sequence[asyncio.Task[StateView]], found: Findings
) -> list[tuple[Human, StateView]]:
    """Return the runs that have ended with their states; the others are wedged."""
    ended = []
    for human, life in zip(humans, living, strict=True):
        if life.done():
            ended.append((human, life.result()))
            continue
        life.cancel()
        state = await human.run.state() if hasattr(human, "run") else None
        phases = [(p.id, p.status) for p in state.phases] if state else "never started"
        found.wedged.append(f"{human.definition.id} {getattr(human, 'run', '')}: {phases}")
    return ended


async def _strike(
    fault: Fault, plan: Plan, whole: Whole, stack: LinkedStack, counted: ProviderCount
) -> Struck:
    """Wait for a fault's time and cause it; return when it was."""
    await asyncio.sleep(fault.at)
    if fault.target == "offline" and fault.kind in {"kill", "away"}:
        with contextlib.suppress(AssertionError):
            await eventually(counted.collect, 2)
    began = time.time()
    match fault.kind:
        case "kill":
            await stack.kill_once(fault.target)
        case "freeze":
            await stack.freeze(fault.target, fault.seconds)
        case "away":
            await stack.keep_away(fault.target, fault.seconds)
        case "cut":
            await stack.links[fault.target].cut(fault.seconds)
        case "full disk":
            await stack.fill_disk(fault.target, fault.seconds)
        case "storm":
            with contextlib.suppress(AssertionError):  # the providers may be unreachable already
                await eventually(lambda: _brew(whole, plan, fault), fault.seconds)
                await asyncio.sleep(fault.seconds)
                await eventually(lambda: _brew(whole, plan), fault.seconds)
    return Struck(fault, began, time.time())


async def _brew(whole: Whole, plan: Plan, fault: Fault | None = None) -> bool:
    """Have the providers fail as a storm says, or not at all; True."""
    failures, latency = (fault.failures, fault.latency) if fault else ((), 0.0)
    await whole.providers.told(*failures, latency=max(latency, plan.latency_seconds))
    return True


async def run_campaigns(seed: int, runs: int, batch: int) -> int:
    """Run campaigns of up to `batch` runs until `runs` have ended; return an exit code."""
    _say(f"seed {seed}, {runs} runs")
    broken, done, began = 0, 0, time.monotonic()
    with tempfile.TemporaryDirectory(prefix="greenlight-chaos-") as home:
        async with LinkedStack(Path(home), _ignore) as stack, Whole.of(stack) as whole:
            await stack.ready("crew-worker")
            for number in count(seed):
                size = min(batch, runs - done)
                plan = Plan(number, size, faults=2 * size, span_seconds=2.0 * size)
                found = await carry_out(plan, whole, stack, Path(home))
                done += size
                _print(plan, found, time.monotonic() - began, done)
                broken += bool(found.broken)
                if done >= runs:
                    return 1 if broken else 0
    raise AssertionError


def _ignore(_: str) -> None:
    """Leave out what the stack says of its restarts."""


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def _print(plan: Plan, found: Findings, seconds: float, done: int) -> None:
    told = ", ".join(f"{n} {status}" for status, n in sorted(found.statuses.items()))
    _say(
        f"seed {plan.seed}: {told}; {found.reused} answers from the journal, {found.taken_over} calls taken over;"
        f" {done} runs in {seconds:.0f} s"
    )
    if found.failures:
        _say(f"  phases failed: {dict(found.failures)}")
    if found.broken:
        lines = [str(fault) for fault in plan.draw_faults()]
        lines += [f"{kind}: {why}" for kind, each in found.broken.items() for why in each]
        _say("\n".join(f"  {line}" for line in lines))


def main(words: Sequence[str]) -> int:
    """Parse the command line of `greenlight chaos` and run it."""
    parser = argparse.ArgumentParser(prog="python3 -m greenlight chaos")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--batch", type=int, default=10, help="runs at the same time")
    told = parser.parse_args(words)
    os.environ.setdefault(
        "GREENLIGHT_SAMPLES", os.devnull
    )  # the stand-in then answers all questions without recordings
    return asyncio.run(run_campaigns(told.seed, told.runs, told.batch))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
