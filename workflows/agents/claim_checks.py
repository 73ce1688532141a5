"""Holding what an agent writes in a turn against its sources: with its call, or in one activity."""

import asyncio

from activities.citations import CitationActivities
from contracts.evidence.sources import CheckRequest, Claim
from workflows.runtime.context import PhaseContext


class Checker:
    """Gathers the claims of calls that are carried out side by side."""

    def __init__(self, run: PhaseContext) -> None:
        self._run = run
        self._gathered: list[Claim] = []
        self._found: asyncio.Task[list[Claim]] | None = None

    async def check(self, name: str, claims: list[Claim]) -> list[Claim]:
        """Return claims, in order, with verdicts; the first call gives the activity its name."""
        if not claims:
            return []
        begins = len(self._gathered)
        self._gathered += claims
        if self._found is None:  # begins once the turn's other calls have said theirs
            self._found = asyncio.create_task(self._all(name))
        return (await self._found)[begins : begins + len(claims)]

    async def _all(self, name: str) -> list[Claim]:
        claims, self._gathered, self._found = self._gathered, [], None
        return await self._verdicts(name, claims)

    async def _verdicts(self, name: str, claims: list[Claim]) -> list[Claim]:
        if checked := self._run.verdicts.of(claims):
            return checked
        sources = self._run.state.sources
        cited = {citation.source for claim in claims for citation in claim.citations}
        known = sorted(number for number in cited if number <= len(sources))
        request = CheckRequest(
            scope=self._run.scope(name),
            claims=claims,
            sources=[sources[number - 1] for number in known],
            numbers=known,
        )
        return (await self._run.execute_activity(name, CitationActivities.check, request)).claims
