"""Brings a database up to date: the files of `migrations/`, in order, each once."""

from pathlib import Path

import psycopg

from store.postgres.pool import CONNECT

MIGRATIONS = Path(__file__).with_name("migrations")
LOCK = 7_265_001


async def migrate(dsn: str) -> None:
    """Apply what is missing; several processes may do so at once."""
    async with await psycopg.AsyncConnection.connect(dsn, **CONNECT) as connection:
        await connection.execute("SELECT pg_advisory_lock(%s)", [LOCK])
        await connection.execute(
            "CREATE TABLE IF NOT EXISTS migrations"
            " (name text PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now())"
        )
        applied = await connection.execute("SELECT name FROM migrations")
        done = {name for (name,) in await applied.fetchall()}
        for name, sql in _migrations():
            if name not in done:
                async with connection.transaction():
                    await connection.execute(sql)
                    await connection.execute("INSERT INTO migrations (name) VALUES (%s)", [name])


def _migrations() -> list[tuple[str, bytes]]:
    return [(path.name, path.read_bytes()) for path in sorted(MIGRATIONS.glob("*.sql"))]
