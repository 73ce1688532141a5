import asyncio
import re

import pytest

from contracts.access.principal import Principal
from contracts.definitions import DEFAULT, DefinitionBody
from contracts.errors import Conflict, NotFound, NotOwner, PreconditionFailed
from contracts.phases.planning import PlanningPhase
from contracts.phases.research import ResearchPhase
from store.definitions import DefinitionRepository
from store.postgres.pool import Pool
from store.run_records.runs import RunRepository
from tests.store.samples import DEFINITION, ME, batch, opened, started
from tests.support.refusals import refused
from tests.support.words import en, pattern

OWN = DefinitionBody(id="own", title="Mine", phases=[PlanningPhase(), ResearchPhase()])
BETTER = OWN.model_copy(update={"title": "Better"})


@pytest.fixture
def definitions(pool: Pool) -> DefinitionRepository:
    return DefinitionRepository(pool, {"small": DEFINITION.model_copy(update={"is_preset": True})})


async def delete(
    definitions: DefinitionRepository, who: Principal, name: str, *, force: bool = False
) -> None:
    await definitions.delete(who, await definitions.get_owned(who, name), force=force)


async def test_presets_come_first(definitions: DefinitionRepository) -> None:
    """A preset is found by id and version, and cannot be changed."""
    preset = await definitions.get(ME, "small")
    assert preset.phases == DEFINITION.phases
    assert await definitions.get(ME, "small", 1) == preset
    with refused(NotFound, "definition-unknown", id="small", version=2):
        await definitions.get(ME, "small", 2)
    same = OWN.model_copy(update={"id": "small"})
    with pytest.raises(Conflict, match=pattern("definition-taken")):
        await definitions.create(ME, same)
    with pytest.raises(Conflict, match=pattern("definition-preset")):
        await definitions.update(ME, same, 1)
    with pytest.raises(Conflict, match=pattern("definition-preset")):
        await delete(definitions, ME, "small", force=True)
    [only] = await definitions.list_versions(ME, "small")
    assert (only.version, only.created_at) == (1, None)


async def test_every_version_is_kept(definitions: DefinitionRepository) -> None:
    tenant = Principal(tenant_id="versions", user_id="ann")
    first = await definitions.create(tenant, OWN)
    second = await definitions.update(tenant, BETTER, 1)
    assert (first.version, second.version, second.owner) == (1, 2, "ann")
    assert await definitions.get(tenant, "own") == second
    assert await definitions.get(tenant, "own", 1) == first
    assert (await definitions.list(tenant))[1:] == [second]
    told = await definitions.list_versions(tenant, "own")
    assert [(v.version, v.title) for v in told] == [(2, "Better"), (1, "Mine")]
    assert all(v.created_at for v in told)


async def test_other_tenants_have_their_own(definitions: DefinitionRepository) -> None:
    await definitions.create(Principal(tenant_id="one"), OWN)
    other = Principal(tenant_id="two")
    with pytest.raises(NotFound):
        await definitions.get(other, "own")
    with pytest.raises(NotFound):
        await definitions.update(other, BETTER, 1)
    with pytest.raises(NotFound):
        await delete(definitions, other, "own", force=True)
    assert len(await definitions.list(other)) == 1
    assert (await definitions.create(other, BETTER)).title == "Better"
    assert (await definitions.get(Principal(tenant_id="one"), "own")).title == "Mine"


async def test_a_colleague_reads_and_the_owner_changes(definitions: DefinitionRepository) -> None:
    ann, bob = (Principal(tenant_id="team", user_id=name) for name in ("ann", "bob"))
    made = await definitions.create(ann, OWN)
    assert await definitions.get(bob, "own") == made
    with pytest.raises(NotOwner, match="ann"):
        await definitions.update(bob, BETTER, 1)
    with pytest.raises(NotOwner):
        await delete(definitions, bob, "own", force=True)
    whole = Principal(tenant_id="team")
    assert (await definitions.update(whole, BETTER, 1)).owner == "ann"
    assert (await definitions.update(ann, OWN, 2)).version == 3


async def test_of_those_who_create_or_change_at_once_one_wins(
    definitions: DefinitionRepository,
) -> None:
    tenant = Principal(tenant_id="race")
    creating = (definitions.create(tenant, OWN) for _ in range(8))
    made = await asyncio.gather(*creating, return_exceptions=True)
    assert len([each for each in made if isinstance(each, Conflict)]) == 7
    changing = (definitions.update(tenant, BETTER, 1) for _ in range(8))
    changed = await asyncio.gather(*changing, return_exceptions=True)
    assert len([each for each in changed if isinstance(each, PreconditionFailed)]) == 7
    assert [v.version for v in await definitions.list_versions(tenant, "own")] == [2, 1]
    with pytest.raises(
        PreconditionFailed, match=re.escape(en("definition-old", id="own", newest=2, version=1))
    ):
        await definitions.update(tenant, OWN, 1)


async def test_a_change_and_a_deletion_at_once_leave_no_halves(
    definitions: DefinitionRepository,
) -> None:
    """Either there is the new version, or there is nothing; never a version of a deleted id."""
    tenant = Principal(tenant_id="halves")
    version = 0
    for _ in range(10):
        version = (await definitions.create(tenant, OWN)).version
        deleted, changed = await asyncio.gather(
            delete(definitions, tenant, "own"),
            definitions.update(tenant, BETTER, version),
            return_exceptions=True,
        )
        left = (await definitions.list(tenant))[1:]
        if deleted is None:  # before the change, which then finds nothing, or after it
            assert left == []
        else:
            assert isinstance(deleted, Conflict)
            assert left == [changed]
            await delete(definitions, tenant, "own")


async def test_versions_count_on_after_a_deletion(definitions: DefinitionRepository) -> None:
    tenant = Principal(tenant_id="again", user_id="ann")
    await definitions.create(tenant, OWN)
    await definitions.update(tenant, BETTER, 1)
    await delete(definitions, tenant, "own")
    for gone in (None, 1, 2):
        with pytest.raises(NotFound):
            await definitions.get(tenant, "own", gone)
    with pytest.raises(NotFound):
        await delete(definitions, tenant, "own")
    again = await definitions.create(tenant.model_copy(update={"user_id": "bob"}), OWN)
    assert (again.version, again.owner) == (3, "bob")
    with pytest.raises(NotFound):
        await definitions.get(tenant, "own", 2)
    assert len(await definitions.list_versions(tenant, "own")) == 1


async def test_one_in_use_is_deleted_by_force_alone(
    definitions: DefinitionRepository, pool: Pool
) -> None:
    runs, tenant = RunRepository(pool), Principal(tenant_id="used")
    await definitions.create(tenant, OWN)
    mine = opened()
    resolved = mine.resolved.model_copy(update={"definition": await definitions.get(tenant, "own")})
    mine = mine.model_copy(update={"resolved": resolved})
    for name in ("a", "b"):
        await runs.create(started(name, tenant_id="used", user_id=name), mine)
    await runs.create(started("c", tenant_id="free"), mine)
    with refused(Conflict, "definition-in-use", id="own", n=2):
        await delete(definitions, tenant, "own")
    end = {"tenant_id": "used", "status": "completed", "ended_at": "2026-03-02T10:00:00+00:00"}
    await runs.record(batch("a", 1, **end))
    with pytest.raises(Conflict, match=pattern("definition-in-use")):
        await delete(definitions, tenant, "own")
    await delete(definitions, tenant, "own", force=True)
    kept = (await runs.get(tenant, "b")).opened
    assert kept
    assert kept.resolved.definition.id == "own"


async def test_the_default_is_chosen_by_tenant(definitions: DefinitionRepository) -> None:
    tenant, other = Principal(tenant_id="chooses"), Principal(tenant_id="does not")
    made = await definitions.create(tenant, OWN)
    with pytest.raises(NotFound):
        await definitions.set_default(tenant, "none")
    assert (await definitions.get_default(tenant)).id == "small"
    assert await definitions.set_default(tenant, "own") == made
    assert await definitions.get(tenant, DEFAULT) == made
    assert await definitions.set_default(tenant, DEFAULT) == made
    assert (await definitions.get(other, DEFAULT)).id == "small"
    await delete(definitions, tenant, "own")
    assert (await definitions.get(tenant, DEFAULT)).id == "small"
    await definitions.create(tenant, OWN)
    assert (await definitions.get(tenant, DEFAULT)).id == "small"
