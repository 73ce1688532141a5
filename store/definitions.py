"""Definitions: the presets, and a tenant's own in all their versions."""

from collections.abc import Mapping

from contracts.definitions import Definition, DefinitionBody
from contracts.errors import Conflict, NotFound
from contracts.principal import Principal
from store.encoding import encode
from store.pool import Pool, fetch


class DefinitionRepository:
    """Reads and saves definitions; a preset's id always means the preset."""

    def __init__(self, pool: Pool, presets: Mapping[str, Definition]) -> None:
        self._pool = pool
        self._presets = presets

    async def get(
        self, principal: Principal, definition_id: str, version: int | None = None
    ) -> Definition:
        """Return a definition, the newest unless a version is named."""
        found = self._presets.get(definition_id) or await self._newest(
            principal, definition_id, version
        )
        if found is None or version not in {None, found.version}:
            of = f" in version {version}" if version else ""
            raise NotFound(f"there is no definition {definition_id!r}{of}")
        return found

    async def list(self, principal: Principal) -> list[Definition]:
        """Return the presets, then the newest version of each of the tenant's own by id."""
        own = await fetch(
            self._pool,
            "SELECT DISTINCT ON (id) body FROM definitions WHERE tenant_id = %(tenant)s"
            " ORDER BY id, version DESC",
            {"tenant": principal.tenant_id},
        )
        return [*self._presets.values(), *map(Definition.model_validate, own)]

    async def create(self, principal: Principal, body: DefinitionBody) -> Definition:
        """Keep a new definition and return it; raises Conflict where its id is taken."""
        if await self._newest(principal, body.id):
            raise Conflict(f"there is a definition {body.id!r} already: choose another id")
        return await self.save(principal, body)

    async def save(self, principal: Principal, body: DefinitionBody) -> Definition:
        """Keep a new version of a definition and return it.

        Raises:
            Conflict: The id is a preset's, or somebody saved another version just now.
        """
        if body.id in self._presets:
            raise Conflict(f"{body.id!r} is a preset and stays as it is: choose another id")
        newest = await self._newest(principal, body.id)
        definition = Definition(
            **dict(body),
            version=newest.version + 1 if newest else 1,
            owner=principal.user_id or principal.tenant_id,
        )
        saved = await fetch(
            self._pool,
            "INSERT INTO definitions (tenant_id, id, version, body)"
            " VALUES (%(tenant)s, %(id)s, %(version)s, %(body)s) ON CONFLICT DO NOTHING"
            " RETURNING version",
            {
                "tenant": principal.tenant_id,
                "id": definition.id,
                "version": definition.version,
                "body": encode(definition),
            },
        )
        if not saved:
            raise Conflict(f"another version of {body.id!r} was saved at the same moment")
        return definition

    async def _newest(
        self, principal: Principal, definition_id: str, version: int | None = None
    ) -> Definition | None:
        found = await fetch(
            self._pool,
            "SELECT body FROM definitions WHERE tenant_id = %(tenant)s AND id = %(id)s"
            " AND (%(version)s::int IS NULL OR version = %(version)s)"
            " ORDER BY version DESC LIMIT 1",
            {"tenant": principal.tenant_id, "id": definition_id, "version": version},
        )
        return Definition.model_validate(found[0]) if found else None
