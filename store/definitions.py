"""Definitions: the presets, and those of a tenant in all their versions."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import LiteralString

from contracts.access.principal import Principal
from contracts.base import Contract
from contracts.definitions import DEFAULT, Definition, DefinitionBody
from contracts.errors import Conflict, NotFound, NotOwner, PreconditionFailed
from contracts.notices import Notice
from contracts.phases.base import PHASE_SECONDS
from contracts.phases.research import ResearchSettings
from store.access.row_visibility import VISIBLE, bind
from store.postgres.encoding import encode
from store.postgres.pool import Pool, Repository


class VersionSummary(Contract):
    """One version of a definition."""

    version: int
    title: str
    created_at: str | None
    """None for a preset, which is part of the release."""


class DefinitionRepository(Repository):
    """Reads and saves definitions; a preset's id always means the preset.

    A tenant's definitions are read by all its users, and changed by their owner. What presets and saved
    definitions leave out of `research`, and of the time of phases, is filled in by the installation's settings.
    """

    def __init__(
        self,
        pool: Pool,
        presets: Mapping[str, Definition],
        settings: ResearchSettings = ResearchSettings(),  # noqa: B008 - frozen
        phase_seconds: float = PHASE_SECONDS,
    ) -> None:
        super().__init__(pool)
        self._defaults = (settings, phase_seconds)
        self._presets = {n: preset.fill_in(*self._defaults) for n, preset in presets.items()}

    async def get(
        self, principal: Principal, definition_id: str, version: int | None = None
    ) -> Definition:
        """Return a definition, the newest unless a version is named; `default` is one of them."""
        if definition_id == DEFAULT:
            definition_id = (await self.get_default(principal)).id
        found = self._presets.get(definition_id)
        if found is None:
            kept = await self._fetch(
                "SELECT body FROM definitions WHERE tenant_id = %(tenant)s AND id = %(id)s"
                " AND (%(version)s::int IS NULL OR version = %(version)s)"
                " ORDER BY version DESC LIMIT 1",
                bind(principal) | {"id": definition_id, "version": version},
            )
            found = Definition.model_validate(kept[0]) if kept else None
        if found is None or version not in {None, found.version}:
            of: dict[str, int] = {"version": version} if version else {}
            raise NotFound(Notice.of("definition-unknown", id=definition_id, **of))
        return found

    async def get_owned(self, principal: Principal, definition_id: str) -> Definition:
        """Return a definition that the principal may change.

        Raises:
            NotFound: The definition does not exist.
            Conflict: It is a preset.
            NotOwner: It belongs to another user.
        """
        if definition_id in self._presets:
            raise Conflict(Notice.of("definition-preset", id=definition_id))
        found = await self.get(principal, definition_id)
        if principal.user_id not in {None, found.owner}:
            raise NotOwner(Notice.of("definition-not-yours", id=definition_id, user=found.owner))
        return found

    async def list_versions(self, principal: Principal, definition_id: str) -> list[VersionSummary]:
        """Return the versions of a definition, the newest first."""
        newest = await self.get(principal, definition_id)
        if newest.is_preset:
            return [VersionSummary(version=newest.version, title=newest.title, created_at=None)]
        kept = await self._fetch(
            "SELECT jsonb_build_object('version', version, 'title', body ->> 'title',"
            " 'created_at', created_at) FROM definitions"
            " WHERE tenant_id = %(tenant)s AND id = %(id)s ORDER BY version DESC",
            bind(principal) | {"id": newest.id},
        )
        return [VersionSummary.model_validate(row) for row in kept]

    async def list(self, principal: Principal) -> list[Definition]:
        """Return the presets, then the latest version of each of the tenant's definitions, ordered by id."""
        kept = await self._fetch(
            "SELECT DISTINCT ON (id) body FROM definitions WHERE tenant_id = %(tenant)s"
            " ORDER BY id, version DESC",
            bind(principal),
        )
        return [*self._presets.values(), *map(Definition.model_validate, kept)]

    async def list_crew_agents(self) -> Sequence[str]:
        """Return the agent ids of every tenant's crews; each of them is a model role."""
        return await self._fetch("SELECT sweep_crew_agents()")

    async def create(self, principal: Principal, body: DefinitionBody) -> Definition:
        """Insert a new definition and return it; raises Conflict where its id is taken."""
        taken = Conflict(Notice.of("definition-taken", id=body.id))
        if body.id in self._presets:
            raise taken
        made = await self._save(
            """
            WITH r AS (INSERT INTO definition_ids AS r (tenant_id, id, user_id)
                VALUES (%(tenant)s, %(id)s, %(owner)s)
                ON CONFLICT (tenant_id, id) DO UPDATE
                SET newest = r.newest + 1, user_id = excluded.user_id, deleted = false
                WHERE r.deleted RETURNING newest)
            INSERT INTO definitions (tenant_id, id, version, body)
            SELECT %(tenant)s, %(id)s, newest,
                %(body)s::jsonb || jsonb_build_object('version', newest) FROM r RETURNING body
            """,
            principal,
            Definition(**dict(body), owner=principal.user_id or principal.tenant_id),
        )
        if made is None:
            raise taken
        return made

    async def update(self, principal: Principal, body: DefinitionBody, version: int) -> Definition:
        """Insert the version after the named one, the newest until now, and return it.

        Raises:
            NotFound, Conflict, NotOwner: As `get_owned`.
            PreconditionFailed: There is a newer version; of two updates at once the second fails.
        """
        before = await self.get_owned(principal, body.id)
        made = await self._save(
            f"""
            WITH r AS (UPDATE definition_ids r SET newest = newest + 1
                WHERE {VISIBLE} AND id = %(id)s AND NOT deleted AND newest = %(version)s
                RETURNING newest)
            INSERT INTO definitions (tenant_id, id, version, body)
            SELECT %(tenant)s, %(id)s, newest, %(body)s FROM r RETURNING body
            """,
            principal,
            Definition(**dict(body), owner=before.owner, version=version + 1),
            version=version,
        )
        if made is None:
            newest = await self.get_owned(principal, body.id)
            told = {"newest": newest.version, "version": version}
            raise PreconditionFailed(Notice.of("definition-old", id=body.id, **told))
        return made

    async def delete(self, principal: Principal, newest: Definition, *, force: bool) -> None:
        """Delete all versions of a definition; the caller has seen the newest.

        Runs keep their frozen copy.

        Raises:
            Conflict: It has live runs (unless forced), or was changed meanwhile.
        """
        [live] = await self._fetch(
            "SELECT count(*) FROM runs WHERE tenant_id = %(tenant)s AND definition_id = %(id)s"
            " AND ended_at IS NULL",
            bind(principal) | {"id": newest.id},
        )
        if live and not force:
            raise Conflict(Notice.of("definition-in-use", id=newest.id, n=live))
        gone = await self._fetch(
            # Match the version, so that a version saved meanwhile is not deleted unseen.
            f"""
            WITH gone AS (UPDATE definition_ids r SET deleted = true
                WHERE {VISIBLE} AND id = %(id)s AND NOT deleted AND newest = %(version)s
                RETURNING tenant_id, id),
            unset AS (DELETE FROM default_definitions d USING gone
                WHERE (d.tenant_id, d.definition_id) = (gone.tenant_id, gone.id))
            DELETE FROM definitions d USING gone
            WHERE (d.tenant_id, d.id) = (gone.tenant_id, gone.id) RETURNING d.version
            """,
            bind(principal) | {"id": newest.id, "version": newest.version},
        )
        if not gone:
            raise Conflict(Notice.of("definition-changed", id=newest.id))

    async def get_default(self, principal: Principal) -> Definition:
        """Return the tenant's default definition, or the first preset if no default is set."""
        chosen = await self._fetch(
            "SELECT definition_id FROM default_definitions WHERE tenant_id = %(tenant)s",
            bind(principal),
        )
        with suppress(NotFound):  # the default may have been deleted
            for definition_id in chosen:
                return await self.get(principal, definition_id)
        return next(iter(self._presets.values()))

    async def set_default(self, principal: Principal, definition_id: str) -> Definition:
        """Set the tenant's default and return it; raises NotFound if it does not exist."""
        found = await self.get(principal, definition_id)
        await self._fetch(
            "INSERT INTO default_definitions VALUES (%(tenant)s, %(id)s)"
            " ON CONFLICT (tenant_id) DO UPDATE SET definition_id = excluded.definition_id",
            bind(principal) | {"id": found.id},
        )
        return found

    async def _save(
        self, query: LiteralString, principal: Principal, made: Definition, version: int = 0
    ) -> Definition | None:
        """Run a statement that inserts a definition; return the inserted one, if any."""
        body = encode(made.fill_in(*self._defaults))
        more = {"id": made.id, "owner": made.owner, "version": version, "body": body}
        saved = await self._fetch(query, bind(principal) | more)
        return Definition.model_validate(saved[0]) if saved else None
