"""Documents of users' own, kept until a run is given them."""

from contracts.blobs import list_blob_keys
from contracts.errors import Conflict, FetchRefused, InvalidInput, Problem
from contracts.evidence.sources import Source
from contracts.models.call import Scope
from contracts.principal import Principal
from store.postgres.encoding import encode
from store.postgres.pool import Repository

MAX_KEPT = 100
"""Files of one user, used or not, until they go after a week."""


class FileRepository(Repository):
    """Keeps what was read of each file; without keys, files are everybody's."""

    async def save(self, owner: Principal, file_id: str, file: Source) -> None:
        """Keep a file; the same one again only waits anew.

        Raises:
            Conflict: too many files of the user's are kept.
        """
        kept = await self._fetch(
            """
            WITH saved AS (INSERT INTO files (tenant_id, id, user_id, body)
                SELECT %(tenant)s, %(id)s, %(user)s, %(body)s
                WHERE (SELECT count(*) FROM files
                       WHERE (tenant_id, user_id) = (%(tenant)s, %(user)s) AND id <> %(id)s) < %(most)s
                ON CONFLICT (tenant_id, id) DO UPDATE SET created_at = now() RETURNING id)
            SELECT refer_to_blobs(%(tenant)s, id, %(blobs)s) FROM saved
            """,
            {"tenant": owner.tenant_id, "user": owner.user_id or "", "id": file_id}
            | {"body": encode(file), "most": MAX_KEPT, "blobs": sorted(list_blob_keys(file))},
        )
        if not kept:
            raise Conflict(
                f"{MAX_KEPT} files of yours are kept, the most; each goes a week after its upload"
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
            Problem(
                path=f"files[{n}]", message=f"{name!r} is no file of yours: POST it to /v1/files"
            )
            for n, name in enumerate(ids)
            if name not in files
        ]
        names = [files[name].file_name for name in ids if name in files]
        twice = sorted({name for name in names if names.count(name) > 1})
        problems += [Problem(path="files", message=f"two are called {name!r}") for name in twice]
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
        """Return the file of that address.

        Raises:
            FetchRefused: the run was given no such file.
        """
        given = {file.url: file for file in await self.list_of_run(scope)}
        if url not in given:
            raise FetchRefused(f"url: this run was given no such file; it has {sorted(given)}.")
        return given[url]
