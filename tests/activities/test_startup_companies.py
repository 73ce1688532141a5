"""Which of a user's startups a run is about."""

import uuid
from collections.abc import AsyncIterator
from dataclasses import dataclass

import pytest
from temporalio.testing import ActivityEnvironment

from activities.startup_companies import RecallRequest, SaveRequest, StartupActivities
from contracts.access.principal import Principal
from contracts.errors import NotFound
from contracts.models.call import Scope
from contracts.phases.recall import RecallOutput
from contracts.planning.startup_company import Startup
from store.postgres.pool import Pool
from store.reuse.startup_companies import StartupRepository


@dataclass
class User:
    """Somebody with startups."""

    startups: StartupRepository
    id: str

    async def has(self, *names: str) -> list[str]:
        for name in names:
            startup = Startup(id=f"{self.id}-{name}", user_id=self.id, name=name)
            await self.startups.save(Principal(user_id=self.id), startup)
        return [f"{self.id}-{name}" for name in names]

    async def recalls(
        self, startup_id: str | None = None, limit: int = 5, about: str = ""
    ) -> RecallOutput:
        scope = Scope(run_id="run-1", phase_id="recall", attempt=1, name="startups")
        request = RecallRequest(
            scope=scope, user_id=self.id, startup_id=startup_id, limit=limit, about=about
        )
        return await ActivityEnvironment().run(StartupActivities(self.startups).recall, request)

    async def keeps(self, name: str, startup_id: str) -> Startup:
        scope = Scope(run_id="run-1", phase_id="checkpoint", attempt=1, name="startup")
        startup = Startup(id=startup_id, user_id=self.id, name=name)
        request = SaveRequest(scope=scope, startup=startup)
        return await ActivityEnvironment().run(StartupActivities(self.startups).save, request)


@pytest.fixture
async def user(database: str) -> AsyncIterator[User]:
    async with Pool(database) as pool:
        yield User(StartupRepository(pool), f"user-{uuid.uuid4()}")


async def test_user_without_startups_recalls_none(user: User) -> None:
    assert await user.recalls() == RecallOutput()


async def test_only_startup_is_offered_and_not_taken(user: User) -> None:
    [only] = await user.has("Pumps")
    recalled = await user.recalls()
    assert recalled.startup is None
    assert [startup.id for startup in recalled.startups] == [only]


async def test_startups_that_a_question_is_not_about_are_not_offered(user: User) -> None:
    pumps, *_ = await user.has("Pumps", "Seeds")
    recalled = await user.recalls(about="Where do pumps sell best?")
    assert [startup.id for startup in recalled.startups] == [pumps]
    assert not (await user.recalls(about="How has our churn changed?")).startups


async def test_several_startups_are_listed_last_used_first(user: User) -> None:
    ids = await user.has("Pumps", "Seeds", "Loans")
    recalled = await user.recalls()
    assert recalled.startup is None
    assert [startup.id for startup in recalled.startups] == ids[::-1]


async def test_requested_startup_is_selected_and_marked_as_used(user: User) -> None:
    first, _ = await user.has("Pumps", "Seeds")
    before = (await user.startups.get(Principal(user_id=user.id), first)).last_accessed
    recalled = (await user.recalls(first)).startup
    assert recalled
    assert recalled.id == first
    assert recalled.last_accessed > before
    assert (await user.recalls()).startups[0].id == first


async def test_limit_leaves_the_choice_open(user: User) -> None:
    """If the limit hides one of two startups, the other must not seem to be the only one."""
    await user.has("Pumps", "Seeds")
    recalled = await user.recalls(limit=1)
    assert recalled.startup is None
    assert len(recalled.startups) == 1


async def test_startup_of_another_user_is_not_found(user: User) -> None:
    await User(user.startups, "someone-else").has("Secret")
    for startup_id in ("someone-else-Secret", "no-such"):
        with pytest.raises(NotFound):
            await user.recalls(startup_id)


async def test_saved_startup_is_recalled(user: User) -> None:
    kept = await user.keeps("Pumps", f"{user.id}-kept")
    assert kept.created_at == kept.last_accessed > ""
    recalled = (await user.recalls(kept.id)).startup
    assert recalled
    assert (recalled.id, recalled.name) == (kept.id, "Pumps")


async def test_startup_saved_again_is_updated(user: User) -> None:
    first = await user.keeps("Pumps", f"{user.id}-kept")
    again = await user.keeps("Sea pumps", f"{user.id}-kept")
    assert (again.name, again.created_at) == ("Sea pumps", first.created_at)
    assert [startup.name for startup in (await user.recalls()).startups] == ["Sea pumps"]


async def test_startup_of_another_user_is_not_overwritten(user: User) -> None:
    [taken] = await User(user.startups, "a-neighbour").has("Secret")
    with pytest.raises(NotFound):
        await user.keeps("Mine", taken)
    assert await user.recalls() == RecallOutput()
