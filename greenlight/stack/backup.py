"""`backup`: a stack's database, Temporal's histories and blobs, as of one moment, while runs go on."""

import asyncio
import hashlib
import json
import shutil
import sqlite3
import subprocess
from argparse import Namespace
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
from pydantic import BaseModel

from greenlight.bootstrap import notify
from greenlight.errors import CommandError, UsageError
from greenlight.stack.home import Home
from greenlight.stack.layout import KEPT_PORTS, Layout, load_settings
from greenlight.stack.postgres import find_program
from store.postgres.database import read_installation

MANIFEST, DATABASE, TEMPORAL, BLOBS, HOME = (
    "manifest.json",
    "database.dump",
    "temporal.db",
    "blobs",
    "home",
)
KEY_FILE = "signing.key"
KEPT_FILES = ("library", *(f"{name}.port" for name in KEPT_PORTS))
"""Files of a home that its runs need: the library and the ports that their addresses contain."""
WITHOUT_RIGHTS = ("--no-owner", "--no-privileges", "--no-policies")
"""Options of pg_dump and pg_restore: the next start makes the application's role, its rights and policies."""
WITHOUT_KEY = "without the signing key: links that share or approve end with the old one"
LOCK_SECONDS = 30.0
"""A backup fails if Temporal's server locks its file for longer than this."""


class BackupManifest(BaseModel):
    """The origin of a backup, and the SHA-256 of its two databases."""

    installation: str
    at: str
    has_keys: bool
    hashes: dict[str, str]


def backup(args: Namespace) -> int:
    """Write a backup of the running stack into a folder, which is there once it is whole.

    Raises:
        CommandError: data of the stack are elsewhere, or something could not be read or written.
        UsageError: the folder exists.
        Unreachable: no stack runs here.
    """
    target: Path = args.folder.absolute()
    if target.exists():
        raise UsageError(f"{target} exists; name a folder that does not")
    home = Home.from_environment()
    with home.join():
        running = home.require_running()
        layout = Layout(home, load_settings())
        if not (layout.cluster and layout.has_own_temporal and blobs_of(layout)):
            raise CommandError(
                "a database, a Temporal server or blobs of this stack are elsewhere (DATABASE_URL, "
                "TEMPORAL_ADDRESS, BLOB_URL): back them up there, see docs/operations.md"
            )
        unfinished = name_unfinished(target)
        shutil.rmtree(unfinished, ignore_errors=True)
        try:
            unfinished.mkdir(parents=True, mode=0o700)
            port = int(urlsplit(running.database).port or 0)
            owner = layout.cluster.owner_dsn(port)
            manifest = asyncio.run(_write(owner, layout, unfinished, args.with_keys))
            (unfinished / MANIFEST).write_text(manifest.model_dump_json(indent=2) + "\n", "utf-8")
            unfinished.rename(target)
        except OSError as error:
            raise CommandError(f"{error.strerror or error}: {error.filename or target}") from error
        finally:
            shutil.rmtree(unfinished, ignore_errors=True)
    print(f"saved in {target}, as of {manifest.at}")
    if not args.with_keys:
        notify(WITHOUT_KEY)
    return 0


def name_unfinished(target: Path) -> Path:
    """Return where a backup is until it is whole."""
    return target.with_name(f"{target.name}.unfinished")


def blobs_of(layout: Layout) -> Path | None:
    """Return the folder of a stack's own blobs, or None if they are stored elsewhere."""
    folder = layout.home.path / "blobs"
    return folder if layout.environment.get("BLOB_URL") == folder.as_uri() else None


async def _write(dsn: str, layout: Layout, folder: Path, with_keys: bool) -> BackupManifest:
    """Write all parts of a backup.

    Blobs are copied before the databases, in case they are removed meanwhile, and after: what a database
    refers to was written before the reference.
    """
    blobs = blobs_of(layout)
    assert blobs is not None
    await asyncio.to_thread(copy_blobs, blobs, folder / BLOBS)
    at = await copy_databases(dsn, layout.home.path / TEMPORAL, folder)
    await asyncio.to_thread(copy_blobs, blobs, folder / BLOBS)
    (folder / HOME).mkdir()
    for name in (*KEPT_FILES, *([KEY_FILE] if with_keys else [])):
        if (kept := layout.home.path / name).exists():
            shutil.copy2(kept, folder / HOME / name)
    return BackupManifest(
        installation=await read_installation(dsn) or "",
        at=at.isoformat(timespec="seconds"),
        has_keys=with_keys,
        hashes={name: digest(folder / name) for name in (DATABASE, TEMPORAL)},
    )


async def copy_databases(dsn: str, temporal: Path, folder: Path) -> datetime:
    """Copy both databases as of one moment, at which Temporal's server could not write; return the moment.

    Each completed activity in a history then has its rows, as after a crash at that moment. The lock is the
    operating system's, and ends with this process.

    Raises:
        CommandError: Temporal's file stayed locked, or a database could not be read.
    """
    try:
        return await _copy_at_one_moment(dsn, temporal, folder)
    except (sqlite3.Error, psycopg.Error) as error:
        raise CommandError(f"the databases were not saved: {error}") from error


async def _copy_at_one_moment(dsn: str, temporal: Path, folder: Path) -> datetime:
    async with await psycopg.AsyncConnection.connect(dsn) as connection:
        with closing(_open(temporal)) as reader:
            with closing(_open(temporal)) as lock:
                await asyncio.to_thread(lock.execute, "BEGIN IMMEDIATE")
                reader.execute("BEGIN")
                reader.execute("SELECT count(*) FROM sqlite_master").fetchone()
                await connection.set_isolation_level(psycopg.IsolationLevel.REPEATABLE_READ)
                row = await (await connection.execute("SELECT pg_export_snapshot()")).fetchone()
                at = datetime.now(UTC)
            assert row is not None
            await asyncio.to_thread(_copy_snapshot, reader, folder / TEMPORAL)
        await asyncio.to_thread(_dump, dsn, str(row[0]), folder / DATABASE)
    return at


def _open(database: Path) -> sqlite3.Connection:
    return sqlite3.connect(
        f"{database.as_uri()}?mode=rw",
        uri=True,
        timeout=LOCK_SECONDS,
        isolation_level=None,
        check_same_thread=False,
    )


def _copy_snapshot(reader: sqlite3.Connection, target: Path) -> None:
    """Copy what a connection's open transaction sees."""
    with closing(sqlite3.connect(target)) as copy:
        reader.backup(copy)


def _dump(dsn: str, snapshot: str, target: Path) -> None:
    options = (*WITHOUT_RIGHTS, "--format=custom", f"--snapshot={snapshot}", f"--file={target}")
    run_program(find_program("pg_dump"), *options, f"--dbname={dsn}")


def run_program(*command: str) -> None:
    """Run a program and wait for it.

    Raises:
        CommandError: It failed; the message is its output.
    """
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise CommandError(f"{Path(command[0]).name} failed:\n{done.stderr.strip()}")


def copy_blobs(source: Path, target: Path) -> None:
    """Copy the blobs missing in a folder, ignoring those being written or removed."""
    target.mkdir(exist_ok=True)
    for path in source.rglob("*"):
        copied = target / path.relative_to(source)
        if path.is_dir() or copied.exists() or "#" in path.name:
            continue
        copied.parent.mkdir(parents=True, exist_ok=True)
        try:
            shutil.copy2(path, copied)
        except FileNotFoundError:
            continue


def digest(path: Path) -> str:
    """Return the SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def read_manifest(folder: Path) -> BackupManifest:
    """Return the manifest of a backup.

    Raises:
        UsageError: its manifest is missing or cannot be read.
    """
    try:
        return BackupManifest.model_validate(json.loads((folder / MANIFEST).read_text("utf-8")))
    except (OSError, ValueError) as error:
        raise UsageError(f"{folder} is no backup: {MANIFEST} cannot be read") from error
