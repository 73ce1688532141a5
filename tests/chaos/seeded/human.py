"""A simulated human: starts a run, answers and decides until it ends, and records every decision."""

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import httpx

from contracts.base import Json
from contracts.definitions import Definition
from contracts.human.checkpoints import Checkpoint
from contracts.runs.state_view import StateView
from contracts.runs.statuses import ENDED
from tests.support.stack import Run
from tests.workflows.support.listed_company import required_of
from workflows.checkpoints.decision_checks import list_allowed_actions, list_offered_choices

PAUSE = 0.3
PASSING = {404, 429, 502, 503, 504}
"""HTTP statuses of a gateway that is unavailable or not up to date yet."""
SAID_AGAIN_SECONDS = 8.0
"""Delay after which a request without effect is repeated."""
PLACES = ("Kenya", "Ethiopia", "Tanzania", "Uganda", "Ghana", "Zambia", "Malawi", "Mali")

Saying = tuple[str, str, str | None]
"""A decision that was sent: the checkpoint, the action, and the hash of the plan that it was about."""


@dataclass
class Human:
    """One person with one run of a definition."""

    http: httpx.AsyncClient
    definition: Definition
    number: int
    chance: random.Random
    key: str
    run: Run = field(init=False)
    said: set[Saying] = field(default_factory=set)
    _at: dict[str, float] = field(default_factory=dict)
    _words: dict[str, tuple[str, Json]] = field(default_factory=dict)
    _revised: bool = False

    async def start(self) -> None:
        """Start the run; asked again, under the same key, until the gateway says that it has begun."""
        first, second = self.chance.sample(PLACES, 2)
        query = f"Which of {first} and {second} should district {self.number} supply first with solar irrigation pumps?"
        body = {
            "query": query,
            "save_startup": False,
            "fresh": True,
            "inputs": required_of(self.definition),
        }
        path = f"/v1/workflows/{self.definition.id}/run"
        while True:
            async with patience():
                answer = await self.http.post(
                    path, json=body, headers={"Idempotency-Key": self.key}
                )
                if answer.status_code in {200, 202}:
                    self.run = Run(self.http, answer.json()["run_id"])
                    return
                assert answer.status_code in PASSING, answer.text
            await asyncio.sleep(PAUSE)

    async def accompany(self) -> StateView:
        """Answer all that the run asks; return its state once its record says that it has ended."""
        while True:
            async with patience():
                state = await self.run.state()
                if state.status in ENDED and (await self.run.get()).json()["status"] in ENDED:
                    return state
                for checkpoint in state.pending:
                    await self._answer(checkpoint)
            await asyncio.sleep(PAUSE)

    async def _answer(self, checkpoint: Checkpoint) -> None:
        """Say something at a checkpoint; the same again if it is still open a while later."""
        name, now = checkpoint.checkpoint_id, asyncio.get_running_loop().time()
        if name in self._at and now - self._at[name] < SAID_AGAIN_SECONDS:
            return
        if name not in self._words:
            self._words[name] = self._choose_words(checkpoint)
        path, body = self._words[name]
        if "action" in body:
            body["plan_hash"] = checkpoint.plan_hash
            self.said.add((name, str(body["action"]), checkpoint.plan_hash))
        self._at[name] = now
        answer = await self.run.post(path, {**body, "checkpoint_id": name})
        assert answer.status_code in {202, 409, *PASSING}, answer.text
        if answer.status_code not in {202, 409}:
            self._at[name] = 0.0

    def _choose_words(self, checkpoint: Checkpoint) -> tuple[str, Json]:
        """Return the path and body of the request: most questions stay open, most decisions are approvals."""
        if checkpoint.kind == "questions":
            asked = checkpoint.questions
            return "/answers", {
                "answers": {q.id: q.choices[0] if q.required else None for q in asked}
            }
        drawn = self.chance.random()
        allowed = list_allowed_actions(checkpoint)
        if drawn < 0.1 and "reject" in allowed:
            return "/decision", {"action": "reject"}
        if drawn < 0.25 and "revise" in allowed and not self._revised:
            self._revised = True
            return "/decision", {"action": "revise", "feedback": "Say more about costs."}
        if "approve" not in allowed:  # a step whose models failed has no draft to approve
            again = "revise" if "revise" in allowed else "reject"
            return "/decision", {"action": again, "feedback": "Please try again."}
        body: Json = {"action": "approve"}
        if offered := list_offered_choices(checkpoint):
            body["choice"] = offered[0]
        return "/decision", body


@asynccontextmanager
async def patience() -> AsyncIterator[None]:
    """Bear a gateway that is away, slow or cut off."""
    try:
        yield
    except httpx.TransportError:
        return
    except httpx.HTTPStatusError as error:
        if error.response.status_code not in PASSING:
            raise
