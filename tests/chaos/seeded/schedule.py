"""Schedules of faults: what a seed breaks, when, and for how long."""

import random
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Literal

Kind = Literal["kill", "freeze", "away", "cut", "storm", "full disk"]

WORKERS = ("worker", "gateway", "crew-worker")
PROCESSES = (*WORKERS, "temporal", "offline", "postgres")
LINKED = ("temporal", "offline", "postgres")
"""Processes that the others reach through a link, which can be cut."""
TARGETS: dict[Kind, tuple[str, ...]] = {
    "kill": (*PROCESSES, *3 * ("worker",)),  # what a run loses most by
    "freeze": PROCESSES,
    "away": PROCESSES,
    "cut": LINKED,
    "storm": ("offline",),
    "full disk": WORKERS,
}
KINDS: tuple[Kind, ...] = tuple(TARGETS)

STORMS: tuple[dict[str, Any], ...] = (
    {"mode": "status", "status": 429, "retry_after": 1},
    {"mode": "status", "status": 500},
    {"mode": "status", "status": 529},
    {"mode": "cut"},
    {"mode": "stream_error"},
    {"mode": "html"},
    {"mode": "bad_json"},
)
SERVICES = ("model", "search", "pages", "edgar")
LATENCIES = (0.0, 0.0, 0.5, 2.0)


@dataclass(frozen=True)
class Fault:
    """One thing that breaks `at` seconds after the start, for `seconds`; a kill lasts as long as a restart."""

    kind: Kind
    target: str
    at: float
    seconds: float = 0.0
    failures: tuple[dict[str, Any], ...] = ()
    latency: float = 0.0

    @property
    def loses_answers(self) -> bool:
        """Return whether an answer of a model may be lost with the process or the connection that it strikes."""
        if self.kind == "cut":
            return self.target == "offline"
        return self.kind in {"kill", "away"} and self.target in {"worker", "crew-worker", "offline"}

    def __str__(self) -> str:
        struck = [
            f"{each['match']['service']} {each.get('status', each['mode'])} x{each['times']}"
            for each in self.failures
        ]
        more = [*struck, *([f"{self.latency:g} s late"] if self.latency else [])]
        lasts = f" for {self.seconds:g} s" if self.seconds else ""
        return f"{self.at:5.1f} s {self.kind} {self.target}{lasts} {', '.join(more)}".rstrip()


def draw_schedule(
    seed: int, count: int, span_seconds: float, spared: Collection[str] = ()
) -> list[Fault]:
    """Return `count` faults within the span, ordered by time, and equal for equal arguments.

    `spared` are processes without faults.
    """
    chance = random.Random(f"faults {seed}")
    times = sorted(round(chance.uniform(0, span_seconds), 1) for _ in range(count))
    return [_draw_fault(chance, at, spared) for at in times]


def _draw_fault(chance: random.Random, at: float, spared: Collection[str]) -> Fault:
    kind = chance.choice(KINDS)
    target = chance.choice([name for name in TARGETS[kind] if name not in spared])
    if kind == "kill":
        return Fault(kind, target, at)
    seconds = round(chance.uniform(0.5, 6), 1)
    if kind != "storm":
        return Fault(kind, target, at, seconds)
    failures = tuple(_draw_failure(chance) for _ in range(chance.randint(1, 3)))
    return Fault(kind, target, at, seconds, failures, chance.choice(LATENCIES))


def _draw_failure(chance: random.Random) -> dict[str, Any]:
    """Return a failure of the next few requests to a service; broken JSON is a model's alone."""
    failure = chance.choice(STORMS)
    service = "model" if failure["mode"] == "bad_json" else chance.choice(SERVICES)
    match = {"service": service, "nth": chance.randint(1, 3)}
    return {**failure, "times": chance.randint(1, 2), "match": match}
