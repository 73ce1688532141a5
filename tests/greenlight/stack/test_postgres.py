import stat

import psycopg
import pytest

from tests.conftest import Postgres
from tests.support.databases import as_owner


async def test_wrong_password_is_refused(postgres: Postgres) -> None:
    with pytest.raises(psycopg.OperationalError, match="password"):
        await psycopg.AsyncConnection.connect(postgres.dsn().replace("@", "x@"))
    for name in ("postgres.password", "postgres.app.password"):
        assert stat.S_IMODE((postgres.cluster.home / name).stat().st_mode) == 0o600


async def test_listens_on_the_loopback_address_alone(postgres: Postgres) -> None:
    async with await psycopg.AsyncConnection.connect(as_owner(postgres.dsn())) as connection:
        rows = await connection.execute(
            "SELECT current_setting('listen_addresses'), current_setting('unix_socket_directories')"
        )
        assert await rows.fetchone() == ("127.0.0.1", "")


async def test_has_pgvector(postgres: Postgres) -> None:
    async with await psycopg.AsyncConnection.connect(
        as_owner(await postgres.database())
    ) as connection:
        await connection.execute("CREATE EXTENSION vector")
        row = await (await connection.execute("SELECT '[1,2]'::vector <-> '[1,4]'")).fetchone()
    assert row == (2.0,)
