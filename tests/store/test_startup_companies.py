import pytest

from contracts.access.principal import Principal
from contracts.errors import NotFound
from contracts.planning.startup_company import Startup
from store.postgres.pool import Pool
from store.reuse.startup_companies import StartupRepository
from tests.store.samples import ME


@pytest.fixture
def startups(pool: Pool) -> StartupRepository:
    return StartupRepository(pool)


async def test_the_one_used_last_comes_first(startups: StartupRepository) -> None:
    for name in ("a", "b", "c"):
        await startups.save(ME, Startup(id=f"order-{name}", user_id="ann", name=name))
    await startups.touch(ME, "order-a")
    mine = await startups.list(ME, "ann")
    assert [startup.name for startup in mine] == ["a", "c", "b"]
    assert all(startup.created_at <= startup.last_accessed for startup in mine)


async def test_a_change_keeps_the_day_it_was_made(startups: StartupRepository) -> None:
    made = await startups.save(ME, Startup(id="change", user_id="eve", name="Old"))
    changed = await startups.save(ME, made.model_copy(update={"name": "New"}))
    assert await startups.get(ME, "change") == changed
    assert (changed.name, changed.created_at) == ("New", made.created_at)


async def test_what_is_deleted_is_gone(startups: StartupRepository) -> None:
    for name in ("gone", "left"):
        await startups.save(ME, Startup(id=name, user_id="del", name=name))
    await startups.delete(ME, "gone")
    assert [startup.id for startup in await startups.list(ME, "del")] == ["left"]
    for again in (startups.delete, startups.get, startups.touch):
        with pytest.raises(NotFound):
            await again(ME, "gone")


async def test_others_have_no_part_in_it(startups: StartupRepository) -> None:
    """Neither another tenant nor another user sees, touches, overwrites or deletes a startup."""
    await startups.save(ME, Startup(id="mine", user_id="ann", name="Mine"))
    for other in (Principal(tenant_id="other"), Principal(user_id="bob")):
        assert await startups.list(other, "ann") == []
        with pytest.raises(NotFound):
            await startups.get(other, "mine")
        with pytest.raises(NotFound):
            await startups.touch(other, "mine")
        with pytest.raises(NotFound):
            await startups.delete(other, "mine")
    with pytest.raises(NotFound):
        await startups.save(Principal(user_id="bob"), Startup(id="mine", user_id="bob", name="His"))
    assert (await startups.get(ME, "mine")).name == "Mine"
