"""A database: created, brought up to date by the files of `migrations/`, and asked from outside."""

import hashlib
import re
from contextlib import suppress
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict
from psycopg.pq import Conninfo

from contracts.errors import Conflict
from contracts.notices import Notice
from store.postgres.pool import CONNECT, UNBOUND

MIGRATIONS = Path(__file__).with_name("migrations")
"""Tables, indexes and views; each file is applied once."""
FUNCTIONS = Path(__file__).with_name("functions")
"""One file per SQL function, which replaces the function whenever the file has changed."""
ROW_SECURITY = Path(__file__).with_name("row_security.sql")
"""Policies and rights of the application's role, brought up to date at each migration."""
_FUNCTION = "functions/"
LOCK = 7_265_001


async def create_database(dsn: str, name: str) -> None:
    """Create a database through a connection to another database, unless it exists."""
    async with await psycopg.AsyncConnection.connect(dsn, **CONNECT) as connection:
        found = await connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [name])
        if not await found.fetchone():
            await connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))


async def drop_database(dsn: str, name: str) -> None:
    """Drop a database through a connection to another one."""
    async with await psycopg.AsyncConnection.connect(dsn, **CONNECT) as connection:
        await connection.execute(sql.SQL("DROP DATABASE {}").format(sql.Identifier(name)))


async def migrate(owner: str, application: str) -> None:
    """Apply missing migrations in order, then changed functions; concurrent calls are safe.

    `owner` is the connection string of the role that owns the tables, `application` that of the gateway's and
    workers' role. The application's role is created if it does not exist; row-level security restricts it.

    Raises:
        Conflict: Another version of Greenlight made the schema, or row-level security would not bind the
            application's role; nothing is changed.
    """
    async with await psycopg.AsyncConnection.connect(owner, **CONNECT) as connection:
        await connection.execute("SELECT pg_advisory_lock(%s)", [LOCK])
        await connection.execute(
            "CREATE TABLE IF NOT EXISTS migrations"
            " (name text PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now())"
        )
        await connection.execute("ALTER TABLE migrations ADD COLUMN IF NOT EXISTS digest text")
        await connection.execute(
            "ALTER TABLE migrations ADD COLUMN IF NOT EXISTS installation uuid DEFAULT gen_random_uuid()"
        )
        applied = await connection.execute("SELECT name, digest FROM migrations")
        done = dict(await applied.fetchall())
        files, functions = _read_files(MIGRATIONS), _read_files(FUNCTIONS)
        ours = {name: digest for name, digest in done.items() if not name.startswith(_FUNCTION)}
        if other := [name for name in ours if ours[name] != _digest(files.get(name, ""))]:
            raise Conflict(Notice.of("schema-other", names=sorted(other)))
        for name, statements in files.items():
            if name not in done:
                async with connection.transaction():
                    await _apply(connection, name, statements)
        async with connection.transaction():
            # Functions may call functions that are created after them.
            await connection.execute("SET LOCAL check_function_bodies = off")
            for name, statements in functions.items():
                if done.get(f"{_FUNCTION}{name}") != _digest(statements):
                    await _apply(connection, f"{_FUNCTION}{name}", statements)
            role = await _make_role(connection, application)
            await connection.execute("SELECT set_config('app.role', %s, true)", [role])
            await connection.execute(ROW_SECURITY.read_bytes())


async def _make_role(connection: psycopg.AsyncConnection[Any], application: str) -> str:
    """Create the application's role if it does not exist, and return its name.

    The name comes from the connection string, else from PGUSER or the operating system's user.
    """
    defaults = {each.keyword.decode(): each.val for each in Conninfo.get_defaults()}
    user = (
        defaults["user"] or b""
    )  # PGUSER or the operating system's user, as libpq's clients use it
    given = {"user": user.decode(), **conninfo_to_dict(application)}
    role = str(given["user"])
    found = await connection.execute("SELECT oid FROM pg_roles WHERE rolname = %s", [role])
    if not await found.fetchone():
        encrypt = connection.pgconn.encrypt_password  # the server's log never has the password
        password = str(given.get("password") or "").encode()
        verifier = encrypt(password, role.encode(), b"scram-sha-256").decode() if password else None
        made = "CREATE ROLE {} LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOBYPASSRLS PASSWORD {}"
        statement = sql.SQL(made).format(sql.Identifier(role), sql.Literal(verifier))
        # another database of the same server may be migrated at this moment
        with suppress(psycopg.errors.DuplicateObject, psycopg.errors.UniqueViolation):
            async with connection.transaction():
                await connection.execute(statement)
    unbound = await connection.execute(UNBOUND, {"role": role})
    if await unbound.fetchone() != (False,):
        raise Conflict(Notice.of("role-unbound", role=role))
    return role


def _read_files(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text("utf-8") for path in sorted(folder.glob("*.sql"))}


async def _apply(connection: psycopg.AsyncConnection[Any], name: str, statements: str) -> None:
    await connection.execute(statements.encode())
    await connection.execute(
        "INSERT INTO migrations (name, digest) VALUES (%s, %s)"
        " ON CONFLICT (name) DO UPDATE SET digest = excluded.digest, applied_at = now()",
        [name, _digest(statements)],
    )


def _digest(statements: str) -> str:
    """Return the SHA-256 of a migration, less its comments and the way it is set out."""
    bare = " ".join(re.sub(r"--.*", "", statements).split())
    return hashlib.sha256(bare.encode()).hexdigest()


async def read_installation(dsn: str) -> str | None:
    """Return the database's unique id, or None if it has no schema yet or is unreachable."""
    try:
        async with await psycopg.AsyncConnection.connect(dsn, **CONNECT) as connection:
            first = "SELECT installation FROM migrations ORDER BY name LIMIT 1"
            found = await (await connection.execute(first)).fetchone()
            return str(found[0]) if found else None
    except psycopg.Error:
        return None


async def has_live_runs(dsn: str) -> bool:
    """Return whether any tenant has a run that has not ended."""
    async with await psycopg.AsyncConnection.connect(dsn, **CONNECT) as connection:
        found = await connection.execute("SELECT has_live_runs()")
        return await found.fetchone() == (True,)
