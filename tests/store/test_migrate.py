import asyncio

from contracts.definitions import DefinitionBody
from contracts.principal import Principal
from store.definitions import DefinitionRepository
from store.postgres.encoding import encode
from store.postgres.migrate import MIGRATIONS, migrate
from store.postgres.pool import fetch, open_pool
from tests.conftest import Postgres
from tests.store.samples import DEFINITION


async def test_many_may_migrate_at_once(postgres: Postgres) -> None:
    """Every file is applied once, in order; later calls find nothing to do."""
    dsn = await postgres.database()
    await asyncio.gather(*(migrate(dsn) for _ in range(4)))
    await migrate(dsn)
    async with open_pool(dsn) as pool:
        applied = await fetch(pool, "SELECT name FROM migrations ORDER BY applied_at")
        tables = await fetch(
            pool, "SELECT tablename::text FROM pg_tables WHERE schemaname = 'public'"
        )
        without_tenant = set(tables) - set(
            await fetch(
                pool,
                "SELECT table_name::text FROM information_schema.columns"
                " WHERE column_name = 'tenant_id' AND table_schema = 'public'",
            )
        )
    assert applied == sorted(path.name for path in MIGRATIONS.glob("*.sql"))
    assert without_tenant == {"migrations"}


async def test_a_definition_kept_before_it_had_an_owner_s_row_can_be_changed(
    postgres: Postgres,
) -> None:
    dsn = await postgres.database()
    await migrate(dsn)
    body = DEFINITION.model_copy(update={"id": "old", "version": 4, "owner": "ann"})
    async with open_pool(dsn) as pool:
        for undone in (
            "DROP TABLE definition_ids, default_definitions",
            "DROP INDEX runs_by_definition",
            "DELETE FROM migrations WHERE name = '0005_definitions.sql'",
        ):
            await fetch(pool, undone)
        await fetch(
            pool,
            "INSERT INTO definitions (tenant_id, id, version, body)"
            " VALUES ('default', 'old', 3, '{}'), ('default', 'old', 4, %(body)s)",
            {"body": encode(body)},
        )
        await migrate(dsn)
        definitions = DefinitionRepository(pool, {})
        ann = Principal(user_id="ann")
        change = DefinitionBody(id="old", phases=body.phases)
        assert (await definitions.update(ann, change, 4)).version == 5
