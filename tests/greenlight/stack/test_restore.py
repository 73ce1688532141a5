"""A backup that is not one's own: restored, it runs no programs and reaches no file of this machine."""

import asyncio
import json
import os
import sqlite3
import stat
import subprocess
from argparse import Namespace
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

from greenlight.errors import CommandError
from greenlight.stack import backup as backups
from greenlight.stack.backup import (
    BLOBS,
    DATABASE,
    HOME,
    KEY_FILE,
    MANIFEST,
    TEMPORAL,
    WITHOUT_KEY,
    WITHOUT_RIGHTS,
    copy_databases,
    digest,
)
from greenlight.stack.postgres import find_program
from greenlight.stack.restore import restore
from tests.conftest import Postgres
from tests.support.databases import as_owner


@pytest.fixture
def backup(tmp_path: Path) -> Path:
    """A backup without a database in it."""
    folder = tmp_path / "saved"
    for name in (HOME, BLOBS):
        (folder / name).mkdir(parents=True)
    (folder / DATABASE).touch()
    (folder / TEMPORAL).write_bytes(b"histories")
    (folder / HOME / "gateway.port").write_text("8460\n", "utf-8")
    return folder


def restore_into(home: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hashes = {name: digest(folder / name) for name in (DATABASE, TEMPORAL)}
    told = {"installation": "", "at": "", "has_keys": False, "hashes": hashes}
    (folder / MANIFEST).write_text(json.dumps(told), "utf-8")
    monkeypatch.setenv("GREENLIGHT_HOME", str(home))
    restore(Namespace(folder=folder))


async def write_dump(
    postgres: Postgres, folder: Path, *statements: str, template: str = "template1"
) -> None:
    dsn = as_owner(await postgres.database(template))
    async with await psycopg.AsyncConnection.connect(dsn, autocommit=True) as connection:
        for statement in statements:
            await connection.execute(statement.encode())
    command = (find_program("pg_dump"), *WITHOUT_RIGHTS, "--format=custom")
    dump = (*command, f"--file={folder / DATABASE}", f"--dbname={dsn}")
    await asyncio.to_thread(subprocess.run, dump, check=True)


async def test_dump_runs_no_program(
    postgres: Postgres, backup: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mark = Path("/tmp") / f"{backup.parent.name}-{os.getpid()}-ran"
    await write_dump(
        postgres,
        backup,
        "CREATE TABLE t (x text)",
        "CREATE FUNCTION run() RETURNS int LANGUAGE plpgsql AS $$ BEGIN"
        f" EXECUTE 'COPY public.t FROM PROGRAM ''id > {mark}'''; RETURN 1; END $$",
        "CREATE MATERIALIZED VIEW m AS SELECT public.run() AS x WITH NO DATA",
        "UPDATE pg_class SET relispopulated = true WHERE relname = 'm'",
    )
    try:
        with pytest.raises(CommandError, match="permission denied"):
            await asyncio.to_thread(restore_into, backup.parent / "home", backup, monkeypatch)
        assert not mark.exists()
    finally:
        mark.unlink(missing_ok=True)


FOREIGN = {
    "trigger": "CREATE TRIGGER spy AFTER INSERT ON runs FOR EACH ROW EXECUTE FUNCTION note_start()",
    "function": "CREATE OR REPLACE FUNCTION hash_audit(before bytea, entry audit_log) RETURNS bytea"
    " LANGUAGE sql IMMUTABLE AS $$ SELECT before $$",
    "default": "ALTER TABLE runs ALTER COLUMN user_id SET DEFAULT current_user",
    "view": "CREATE VIEW spy AS SELECT * FROM runs",
    "rule": "CREATE RULE spy AS ON INSERT TO runs DO ALSO NOTHING",
    "disabled trigger": "ALTER TABLE runs DISABLE TRIGGER note_created",
    "lost constraint": "ALTER TABLE audit_log DROP CONSTRAINT audit_log_pkey",
}


@pytest.mark.parametrize(
    "statement",
    [
        pytest.param(statement, id=name, marks=[] if name == "trigger" else pytest.mark.full)
        for name, statement in FOREIGN.items()
    ],
)
async def test_dump_with_a_schema_of_its_own_is_refused(
    postgres: Postgres,
    template: str,
    backup: Path,
    monkeypatch: pytest.MonkeyPatch,
    statement: str,
) -> None:
    await write_dump(postgres, backup, statement, template=template)
    home = backup.parent / "home"
    with pytest.raises(CommandError, match="schema of this backup"):
        await asyncio.to_thread(restore_into, home, backup, monkeypatch)
    assert not (home / "postgres").exists()


async def test_files_of_a_home_are_restored_by_name(
    postgres: Postgres,
    template: str,
    backup: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    await write_dump(postgres, backup, template=template)
    for name in ("postgres.password", "postgres.app.password", "stack.json", KEY_FILE):
        (backup / HOME / name).write_text("theirs", "utf-8")
    (backup / HOME).chmod(0o755)
    home = backup.parent / "home"
    await asyncio.to_thread(restore_into, home, backup, monkeypatch)
    assert WITHOUT_KEY in capsys.readouterr().err
    assert stat.S_IMODE(home.stat().st_mode) == 0o700
    assert stat.S_IMODE((home / KEY_FILE).stat().st_mode) == 0o600
    theirs = {
        path.name for path in home.iterdir() if path.is_file() and path.read_bytes() == b"theirs"
    }
    assert theirs == {KEY_FILE}
    assert (home / "gateway.port").read_text("utf-8") == "8460\n"


@pytest.mark.parametrize("place", [HOME, BLOBS])
def test_links_are_refused(backup: Path, place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    secret = backup.parent / "secret"
    secret.write_text("mine", "utf-8")
    (backup / place / "library").symlink_to(secret)
    home = backup.parent / "home"
    with pytest.raises(CommandError, match="library"):
        restore_into(home, backup, monkeypatch)
    assert not home.exists()


def test_database_without_a_hash_in_the_manifest_is_refused(
    backup: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = {"installation": "", "at": "", "has_keys": False, "hashes": {}}
    (backup / MANIFEST).write_text(json.dumps(told), "utf-8")
    monkeypatch.setenv("GREENLIGHT_HOME", str(backup.parent / "home"))
    with pytest.raises(CommandError, match=DATABASE):
        restore(Namespace(folder=backup))


async def test_backup_ends_with_a_reason_where_temporals_file_stays_locked(
    postgres: Postgres, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backups, "LOCK_SECONDS", 0.1)
    with closing(sqlite3.connect(tmp_path / TEMPORAL, isolation_level=None)) as server:
        server.execute("BEGIN EXCLUSIVE")
        with pytest.raises(CommandError, match="locked"):
            await copy_databases(
                as_owner(await postgres.database()), tmp_path / TEMPORAL, tmp_path / "saved"
            )
