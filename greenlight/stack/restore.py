"""`restore`: restores a backup into an empty home, whose next start continues its runs."""

import asyncio
import shutil
import subprocess
from argparse import Namespace
from pathlib import Path

from greenlight.bootstrap import notify
from greenlight.errors import CommandError, UsageError
from greenlight.stack.backup import (
    BLOBS,
    DATABASE,
    HOME,
    KEPT_FILES,
    KEY_FILE,
    TEMPORAL,
    WITHOUT_KEY,
    WITHOUT_RIGHTS,
    copy_blobs,
    digest,
    read_manifest,
    run_program,
)
from greenlight.stack.home import Home
from greenlight.stack.ports import reserve_ports
from greenlight.stack.postgres import PostgresCluster, find_program
from greenlight.unprintable import escape_unprintable
from store.postgres.database import create_database, drop_database, migrate

SCRATCH = "schema_of_this_release"
"""A database that is made for the comparison and dropped after it."""
SHOWN_LINES = 10
"""Lines of a foreign schema that a refusal shows."""


def restore(args: Namespace) -> int:
    """Restore a backup into a home without data.

    Raises:
        CommandError: The backup contains links or is damaged, or a database could not be restored.
        UsageError: The folder is not a backup, or the home has data.
    """
    folder: Path = args.folder.absolute()
    if odd := next((path for path in folder.rglob("*") if not _is_ordinary(path)), None):
        raise CommandError(f"{odd} is neither a file nor a folder: a backup has no links")
    manifest = read_manifest(folder)
    for name in (DATABASE, TEMPORAL):
        if not (folder / name).is_file() or digest(folder / name) != manifest.hashes.get(name):
            raise CommandError(f"{folder / name} is not what the backup wrote")
    home = Home.from_environment()
    with home.lock():
        data = (PostgresCluster(home.path).data, home.path / TEMPORAL, home.path / BLOBS)
        if taken := next((path for path in data if path.exists()), None):
            raise UsageError(
                f"{taken} exists; restore into an empty home, which GREENLIGHT_HOME names"
            )
        try:
            asyncio.run(_fill(home, folder))
        except BaseException:
            for path in data:  # allow another attempt
                shutil.rmtree(path, ignore_errors=True)
                path.unlink(missing_ok=True)
            raise
    print(f"restored in {home.path}, as of {manifest.at}; never run it beside the stack it is of")
    if not manifest.has_keys:
        notify(WITHOUT_KEY)
    return 0


async def _fill(home: Home, folder: Path) -> None:
    """Fill an empty home; Temporal's histories come last, because nothing starts work without them.

    A dump may contain code that PostgreSQL runs now and later, so its owner must not be a superuser, who
    could run programs.
    """
    for name in (*KEPT_FILES, KEY_FILE):
        if (kept := folder / HOME / name).exists():
            (home.path / name).touch(mode=0o600)
            shutil.copyfile(kept, home.path / name)
    copy_blobs(folder / BLOBS, home.path / BLOBS)
    cluster = PostgresCluster(home.path)
    await asyncio.to_thread(cluster.initialize, is_owner_superuser=False)
    port = reserve_ports({"postgres": 0})["postgres"]
    server = cluster.make_server(port, home.log("postgres"))
    await server.start()
    try:
        await server.wait_until_ready(lambda: cluster.create_database(port))
        options = (
            *WITHOUT_RIGHTS,
            "--no-comments",
            "--exit-on-error",
            f"--dbname={cluster.owner_dsn(port)}",
        )
        source = str(folder / DATABASE)
        await asyncio.to_thread(run_program, find_program("pg_restore"), *options, source)
        await _require_own_schema(cluster, port)
    finally:
        await server.stop()
    shutil.copyfile(folder / TEMPORAL, home.path / TEMPORAL)


async def _require_own_schema(cluster: PostgresCluster, port: int) -> None:
    """Compare the restored schema with the one that this release makes in an empty database.

    Functions, triggers, defaults and views of a foreign dump would run as the owner of the tables from then on.

    Raises:
        CommandError: they differ.
    """
    own = cluster.owner_dsn(port, SCRATCH)
    await create_database(cluster.owner_dsn(port, "postgres"), SCRATCH)
    await migrate(own, cluster.dsn(port, SCRATCH))
    theirs, ours = await asyncio.gather(
        *(asyncio.to_thread(_dump_schema, dsn) for dsn in (cluster.owner_dsn(port), own))
    )
    await drop_database(cluster.owner_dsn(port, "postgres"), SCRATCH)
    if theirs != ours:
        added, lacking = set(theirs).difference(ours), set(ours).difference(theirs)
        changed = [f"+ {line}" for line in theirs if line in added]
        changed += [f"- {line}" for line in ours if line in lacking]
        shown = "\n".join(escape_unprintable(line) for line in changed[:SHOWN_LINES])
        raise CommandError(
            "the schema of this backup is not what this release makes: restore it with the release that made it. "
            f"What differs would run with the stack:\n{shown}"
        )


def _dump_schema(dsn: str) -> list[str]:
    """Return the statements that make a database's schema, without the random key of the dump."""
    command = [find_program("pg_dump"), "--schema-only", *WITHOUT_RIGHTS, "--no-comments", dsn]
    dumped = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return [
        line for line in dumped.splitlines() if not line.startswith(("\\restrict", "\\unrestrict"))
    ]


def _is_ordinary(path: Path) -> bool:
    return not path.is_symlink() and (path.is_file() or path.is_dir())
