"""A database: created, brought up to date by the files of `migrations/`, and asked from outside."""

from pathlib import Path

import psycopg
from psycopg import sql

from store.postgres.pool import CONNECT

MIGRATIONS = Path(__file__).with_name("migrations")
LOCK = 7_265_001


async def create_database(dsn: str, name: str) -> None:
    """Create a database by a connection to another one, unless it exists."""
    async with await psycopg.AsyncConnection.connect(dsn, **CONNECT) as connection:
        found = await connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [name])
        if not await found.fetchone():
            await connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))


async def migrate(dsn: str) -> None:
    """Apply the migrations that are missing, in order; several processes may do so at once."""
    async with await psycopg.AsyncConnection.connect(dsn, **CONNECT) as connection:
        await connection.execute("SELECT pg_advisory_lock(%s)", [LOCK])
        await connection.execute(
            "CREATE TABLE IF NOT EXISTS migrations"
            " (name text PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now())"
        )
        applied = await connection.execute("SELECT name FROM migrations")
        done = {name for (name,) in await applied.fetchall()}
        for path in sorted(MIGRATIONS.glob("*.sql")):
            if path.name not in done:
                async with connection.transaction():
                    await connection.execute(path.read_bytes())
                    await connection.execute(
                        "INSERT INTO migrations (name) VALUES (%s)", [path.name]
                    )


async def has_live_runs(dsn: str) -> bool:
    """Tell whether any tenant has a run that has not ended."""
    async with await psycopg.AsyncConnection.connect(dsn, **CONNECT) as connection:
        found = await connection.execute("SELECT EXISTS (SELECT FROM runs WHERE ended_at IS NULL)")
        return await found.fetchone() == (True,)
