"""Looking for a word in everything that is kept: rows, blobs, Temporal's histories."""

import asyncio
from pathlib import Path

import psycopg
from psycopg import sql
from temporalio.client import Client
from temporalio.service import RPCError, RPCStatusCode

from tests.support.databases import as_owner


async def places(word: str, database: str, blobs: Path, temporal: Client) -> set[str]:
    """Return the places that contain a word: names of tables, `blobs`, `temporal`."""
    found = await _tables(word, database)
    if await asyncio.to_thread(_in_files, word, blobs):
        found.add("blobs")
    if await _in_histories(word, temporal):
        found.add("temporal")
    return found


async def _tables(word: str, database: str) -> set[str]:
    """Return the tables that hold it in any column, read as text."""
    found = set()
    async with await psycopg.AsyncConnection.connect(as_owner(database)) as connection:
        listed = await connection.execute(
            "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"
        )
        for (table,) in await listed.fetchall():
            query = sql.SQL("SELECT count(*) FROM {} AS t WHERE t::text ILIKE %s")
            held = await connection.execute(query.format(sql.Identifier(table)), [f"%{word}%"])
            row = await held.fetchone()
            if row and row[0]:
                found.add(str(table))
    return found


def _in_files(word: str, blobs: Path) -> bool:
    files = [path for path in blobs.rglob("*") if path.is_file()]
    return any(word.encode() in path.read_bytes().lower() for path in files)


async def _in_histories(word: str, temporal: Client) -> bool:
    """Whether an execution that is listed says it, in its history or in what describes it."""
    async for listed in temporal.list_workflows():
        handle = temporal.get_workflow_handle(listed.id, run_id=listed.run_id)
        try:
            told = [(await handle.describe()).raw_description.SerializeToString()]
            told += [e.SerializeToString() async for e in handle.fetch_history_events()]
        except RPCError as error:
            if error.status is not RPCStatusCode.NOT_FOUND:
                raise
            continue  # it was deleted while we looked
        if any(word.encode() in text.lower() for text in told):
            return True
    return False
