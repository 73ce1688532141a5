"""Resolving of a start: its definition, parent, documents and terms, loaded and frozen for the run."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from activities.reuse.given_outputs import GivenOutputs
from contracts.access.principal import Principal
from contracts.collections import CollectionUse
from contracts.definitions import DEFAULT, Definition
from contracts.documents import KnownDocuments
from contracts.errors import NotFound
from contracts.notices import Notice
from contracts.planning.depth import Minutes
from contracts.planning.plan import Depth
from contracts.problems import Problem
from contracts.runs.request import NO_STARTUP
from contracts.runs.run_terms import Terms
from contracts.runs.samples import Sample
from contracts.runs.start import Opened, ParentRun, RunInput
from contracts.search import Chosen
from domain.text_matching.sample_match import find_sample

if TYPE_CHECKING:
    from store.calls.past_calls import PastCallRepository
    from store.collections.documents import CollectionRepository
    from store.definitions import DefinitionRepository
    from store.files import FileRepository
    from store.reuse.startup_companies import StartupRepository
    from store.run_records.runs import RunRepository

OpenRun = Callable[[RunInput, Definition, ParentRun | None, Terms, str, KnownDocuments], Opened]
"""Resolves a start by its definition, parent, terms, the latest day that it may name, and the documents that are known."""


@dataclass(frozen=True)
class StartResolver:
    """Resolves a start: the run's first activity for good, the gateway to refuse what would fail."""

    definitions: "DefinitionRepository"
    runs: "RunRepository"
    startups: "StartupRepository"
    files: "FileRepository"
    collections: "CollectionRepository"
    past_calls: "PastCallRepository"
    terms: Terms
    open_run: OpenRun
    index: bool = False
    address: str = ""
    samples: Sequence[Sample] = ()

    async def resolve(self, start: RunInput, library: Sequence[CollectionUse] = ()) -> Opened:
        """Resolve a start to its definition, terms and costs, given its documents and a library.

        Raises:
            NotFound: The definition, version, parent run or startup does not exist.
            InvalidInput: Lists all problems with their paths.
            Conflict: A selected phase lacks what it needs.
        """
        who = Principal(tenant_id=start.tenant_id, user_id=start.user_id)
        startup = None
        if start.startup_id and start.startup_id != NO_STARTUP:
            with _name_field("startup_id", or_none=NO_STARTUP):
                startup = await self.startups.get(who, start.startup_id)
        with _name_field("from_run"):
            parent = await self.runs.get_parent(who, start.from_run) if start.from_run else None
        if parent and means_definition_of(parent, start):
            definition = parent.definition
        else:
            definition = await self.definitions.get(who, start.definition_id, start.version)
        given = await GivenOutputs(self.runs, self.files, who).resolve(start.given)
        start = start.model_copy(update={"given": given})
        tomorrow = datetime.now(UTC).date() + timedelta(days=1)  # it is tomorrow in some time zone
        files = await self.files.find(who, start.files)
        used = await self.collections.choose(who, start.collections)
        if parent:
            files = [*{file.url: file for file in [*parent.files, *files]}.values()]
            before = [use for use in parent.collections if not use.replaces_web]
            used = [*{use.id: use for use in [*before, *used]}.values()]
        lengths = [file.chars for file in files]
        lengths += await self.collections.list_lengths(start.tenant_id, [*used, *library])
        known = KnownDocuments(tuple(lengths), is_all=bool(library))
        opened = self.open_run(start, definition, parent, self.terms, tomorrow.isoformat(), known)
        told = {"index": self.index, "address": self.address, "startup": startup, "files": files}
        told |= {"collections": used, "measured": await self._measure(start, opened)}
        told |= {"refusing": await self._list_refusing(start, opened)}
        if sample := find_sample(self.samples, definition.id, start):
            told["terms"] = opened.terms.model_copy(update={"recorded": sample})
        return opened.model_copy(update=told)

    async def _measure(self, start: RunInput, opened: Opened) -> dict[Depth, Minutes]:
        """Return the measured minutes of past runs by depth; empty offline, where no model's speed is measured."""
        if opened.terms.offline:
            return {}
        definition, model = opened.resolved.definition, opened.terms.model
        return await self.past_calls.measure(
            start.tenant_id, definition.id, definition.version, model
        )

    async def _list_refusing(self, start: RunInput, opened: Opened) -> Chosen:
        """Return the run's search services that refused their latest searches; empty if a library replaces the web."""
        if opened.terms.searched:
            return []
        return await self.past_calls.list_refusing(start.tenant_id, opened.terms.search.choose())


@contextmanager
def _name_field(field: str, or_none: str = "") -> Iterator[None]:
    """Add the field's name to NotFound, and the value that would mean "none"."""
    try:
        yield
    except NotFound as error:
        told = error.notice
        if or_none:
            told = Notice.of("not-found-nor", what=told, none=or_none)
        raise NotFound(Problem.told(field, told)) from None


def means_definition_of(parent: ParentRun, start: RunInput) -> bool:
    """Return whether a start means the definition that its parent froze, even if it was changed or deleted since."""
    definition = parent.definition
    if start.follow_up and not definition.is_living:
        return False
    is_named = start.definition_id in {definition.id, DEFAULT}
    return is_named and start.version in {None, definition.version}
