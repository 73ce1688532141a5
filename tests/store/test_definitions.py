import asyncio

import pytest

from contracts.definitions import DefinitionBody
from contracts.errors import Conflict, NotFound
from contracts.phases import PlanningPhase, ResearchPhase
from contracts.principal import Principal
from store.definitions import DefinitionRepository
from store.pool import Pool
from tests.store.samples import DEFINITION, ME

OWN = DefinitionBody(id="own", title="Mine", phases=[PlanningPhase(), ResearchPhase()])


@pytest.fixture
def definitions(pool: Pool) -> DefinitionRepository:
    return DefinitionRepository(pool, {"small": DEFINITION})


async def test_presets_come_first(definitions: DefinitionRepository) -> None:
    """A preset is found by its id, in its version, and cannot be saved over."""
    assert await definitions.get(ME, "small") == DEFINITION
    assert await definitions.get(ME, "small", 1) == DEFINITION
    with pytest.raises(NotFound, match="in version 2"):
        await definitions.get(ME, "small", 2)
    with pytest.raises(Conflict, match="preset"):
        await definitions.save(ME, OWN.model_copy(update={"id": "small"}))


async def test_every_version_is_kept(definitions: DefinitionRepository) -> None:
    tenant = Principal(tenant_id="versions", user_id="ann")
    first = await definitions.save(tenant, OWN)
    second = await definitions.save(tenant, OWN.model_copy(update={"title": "Better"}))
    assert (first.version, second.version, second.owner) == (1, 2, "ann")
    assert await definitions.get(tenant, "own") == second
    assert await definitions.get(tenant, "own", 1) == first
    assert await definitions.list(tenant) == [DEFINITION, second]


async def test_other_tenants_have_their_own(definitions: DefinitionRepository) -> None:
    await definitions.save(Principal(tenant_id="one"), OWN)
    other = Principal(tenant_id="two")
    with pytest.raises(NotFound):
        await definitions.get(other, "own")
    assert await definitions.list(other) == [DEFINITION]


async def test_saves_at_once_never_overwrite(definitions: DefinitionRepository) -> None:
    """Whoever comes second is told, or gets the next version."""
    tenant = Principal(tenant_id="race")
    found = await asyncio.gather(
        *(definitions.save(tenant, OWN) for _ in range(5)), return_exceptions=True
    )
    refused = [each for each in found if isinstance(each, Conflict)]
    assert (await definitions.get(tenant, "own")).version == 5 - len(refused)
