"""A pool, and a PostgreSQL of one's own to stop and start."""

from collections.abc import AsyncIterator
from dataclasses import dataclass

import pytest

from greenlight.stack.ports import reserve_ports
from greenlight.stack.postgres import PostgresCluster
from greenlight.stack.processes import Child
from store.postgres.database import migrate
from store.postgres.pool import Pool
from tests.support.databases import HOMES, as_owner


@pytest.fixture
async def pool(database: str) -> AsyncIterator[Pool]:
    async with Pool(database, max_size=20) as opened:
        yield opened


@dataclass
class OwnPostgres:
    """A migrated server that a test may stop."""

    cluster: PostgresCluster
    port: int
    child: Child

    @property
    def dsn(self) -> str:
        return self.cluster.dsn(self.port)

    async def start(self) -> None:
        await self.child.start()
        await self.child.wait_until_ready(lambda: self.cluster.create_database(self.port))

    async def stop(self) -> None:
        await self.child.stop()


@pytest.fixture(scope="module")
async def own_postgres(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[OwnPostgres]:
    home = tmp_path_factory.mktemp("own")
    cluster = PostgresCluster(home, durable=False)
    cluster.initialize()
    port = reserve_ports({"postgres": 0})["postgres"]
    server = OwnPostgres(cluster, port, cluster.make_server(port, home / "postgres.log"))
    HOMES[port] = home
    await server.start()
    await migrate(as_owner(server.dsn), server.dsn)
    yield server
    await server.stop()
