"""Uploaded files, stored until a run uses them."""

from collections.abc import Mapping, Sequence
from typing import LiteralString

from contracts.access.principal import Principal
from contracts.blobs import list_blob_keys
from contracts.collections import IndexRow
from contracts.errors import Conflict, FetchRefused, InvalidInput
from contracts.evidence.sources import Source
from contracts.models.call import Scope
from contracts.notices import Notice
from contracts.problems import Problem
from store.postgres.encoding import encode
from store.postgres.pool import Repository

MAX_KEPT, MAX_KEPT_BYTES = 100, 300_000_000
"""Files of one user and their bytes, used or not, until they go after a week."""

SAVE: LiteralString = """SELECT save_file(%(tenant)s, %(user)s, %(id)s, %(body)s, %(blobs)s,
    %(rows)s, %(max_files)s, %(max_bytes)s)"""
CHECK: LiteralString = """SELECT find_exceeded_quota(%(tenant)s, %(user)s, %(id)s, %(size)s,
    %(max_files)s, %(max_bytes)s)"""


class FileRepository(Repository):
    """Keeps what was read of each file; without keys, files are everybody's."""

    async def save(
        self, owner: Principal, file_id: str, file: Source, rows: Sequence[IndexRow] = ()
    ) -> None:
        """Keep a file with its rows in the search index; the same file again only renews its expiry.

        Raises:
            Conflict: the user's files would exceed a quota.
        """
        values: dict[str, object] = {"body": encode(file), "blobs": sorted(list_blob_keys(file))}
        values["rows"] = encode(list(rows))
        await self._check(SAVE, owner, file_id, values)

    async def check_quota(self, owner: Principal, file_id: str, size: int) -> None:
        """Check that another file of `size` bytes may be kept.

        Raises:
            Conflict: the user's files would exceed a quota.
        """
        await self._check(CHECK, owner, file_id, {"size": size})

    async def _check(
        self, query: LiteralString, owner: Principal, file_id: str, values: Mapping[str, object]
    ) -> None:
        whose = {"tenant": owner.tenant_id, "user": owner.user_id or "", "id": file_id}
        quotas = {"max_files": MAX_KEPT, "max_bytes": MAX_KEPT_BYTES}
        [exceeded] = await self._fetch(query, {**whose, **quotas, **values})
        if exceeded == "count":
            raise Conflict(Notice.of("files-many", n=MAX_KEPT))
        if exceeded:
            raise Conflict(Notice.of("files-large", mb=MAX_KEPT_BYTES // 10**6))

    async def list_unreferenced(self, tenant_id: str, keys: list[str]) -> list[str]:
        """Return those of a tenant's blobs to which no run or file refers."""
        return await self._fetch(
            "SELECT key FROM unnest(%(keys)s::text[]) AS each (key) WHERE NOT EXISTS (SELECT FROM"
            " blob_references b WHERE (b.tenant_id, b.key) = (%(tenant)s, each.key))",
            {"tenant": tenant_id, "keys": keys},
        )

    async def find(self, owner: Principal, ids: list[str]) -> list[Source]:
        """Return the files of these ids, in their order.

        Raises:
            InvalidInput: one is unknown or another user's, or two have one name.
        """
        if not ids:
            return []
        found = await self._fetch(
            "SELECT jsonb_build_array(id, body) FROM files WHERE tenant_id = %(tenant)s"
            " AND id = ANY(%(ids)s) AND user_id IN (%(user)s, '')",
            {"tenant": owner.tenant_id, "user": owner.user_id or "", "ids": ids},
        )
        files = {file_id: Source.model_validate(body) for file_id, body in found}
        problems = [
            Problem.at(f"files[{n}]", "file-not-yours", name=name)
            for n, name in enumerate(ids)
            if name not in files
        ]
        names = [files[name].file_name for name in ids if name in files]
        twice = sorted({name for name in names if names.count(name) > 1})
        problems += [Problem.at("files", "files-same-name", name=name) for name in twice]
        if problems:
            raise InvalidInput(problems)
        return [files[name] for name in ids]

    async def list_of_run(self, scope: Scope) -> list[Source]:
        """Return the files that a run was given."""
        found = await self._fetch(
            "SELECT jsonb_array_elements(opened -> 'files') FROM runs"
            " WHERE (tenant_id, id) = (%(tenant)s, %(run)s)",
            {"tenant": scope.tenant_id, "run": scope.run_id},
        )
        return [Source.model_validate(file) for file in found]

    async def get_of_run(self, scope: Scope, url: str) -> Source:
        """Return the run's file with this URL.

        Raises:
            FetchRefused: The run has no such file.
        """
        given = {file.url: file for file in await self.list_of_run(scope)}
        if url not in given:
            raise FetchRefused(Problem.at("url", "file-not-given", names=sorted(given)))
        return given[url]
