"""Outputs that a start brings in `given`: its sources and artifacts are named, never addressed."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pydantic import Field, TypeAdapter, ValidationError

from contracts.access.principal import Principal
from contracts.agents.calculations_and_charts import Artifact
from contracts.base import Contract, Json, Name, RunId
from contracts.blobs import find_key_fields
from contracts.errors import InvalidInput, NotFound
from contracts.evidence.sources import Source
from contracts.notices import Notice
from contracts.problems import Problem

if TYPE_CHECKING:
    from store.files import FileRepository
    from store.run_records.runs import RunRepository

MAX_RUNS = 20
"""Maximum number of runs and files whose sources and artifacts one start may name."""


class SourceOfRun(Contract):
    """A source of a run that the caller may read, by its number."""

    run_id: RunId
    n: int = Field(ge=1)


class SourceOfFile(Contract):
    """A file uploaded by the caller."""

    file_id: Name


class ArtifactOfRun(Contract):
    """An artifact of a run that the caller may read, by its id."""

    run_id: RunId
    id: str = Field(max_length=200)


NAMED_SOURCE: TypeAdapter[SourceOfRun | SourceOfFile] = TypeAdapter(SourceOfRun | SourceOfFile)
NAMED_ARTIFACT = TypeAdapter(ArtifactOfRun)
HOW_TO_NAME = {
    "sources": Notice.of("name-source", of_run='{"run_id": …, "n": …}', of_file='{"file_id": …}'),
    "artifacts": Notice.of("name-artifact", of_run='{"run_id": …, "id": …}'),
}
LACKING = {"sources": "run-lacks-source", "artifacts": "run-lacks-artifact"}


@dataclass
class GivenOutputs:
    """Resolves the outputs that a start brings, for one caller."""

    runs: "RunRepository"
    files: "FileRepository"
    caller: Principal
    _problems: list[Problem] = field(default_factory=list)
    _known: dict[tuple[str, str], Sequence[Source | Artifact]] = field(default_factory=dict)

    async def resolve(self, given: dict[str, Json]) -> dict[str, Json]:
        """Return the outputs with their named sources and artifacts in full.

        Raises:
            InvalidInput: An output holds a key of the blob store, or names what the caller cannot read.
        """
        for phase, output in given.items():
            for path, _ in find_key_fields(output, f"given.{phase}"):
                self._refuse(path, Notice.of("server-owns"))
        resolved = {phase: await self._resolve(phase, output) for phase, output in given.items()}
        if self._problems:
            raise InvalidInput(self._problems)
        return resolved

    async def _resolve(self, phase: str, output: Json) -> Json:
        found = dict(output)
        for name, adapter in (("sources", NAMED_SOURCE), ("artifacts", NAMED_ARTIFACT)):
            listed = output.get(name)
            if isinstance(listed, list):
                paths = (f"given.{phase}.{name}[{n}]" for n in range(len(listed)))
                items = [
                    await self._find(path, name, adapter, item)
                    for path, item in zip(paths, listed, strict=True)
                ]
                found[name] = [item.model_dump(mode="json") for item in items if item]
        return found

    async def _find(
        self, path: str, kind: str, adapter: TypeAdapter[Any], item: object
    ) -> Source | Artifact | None:
        try:
            named = adapter.validate_python(item)
        except ValidationError:
            self._refuse(path, HOW_TO_NAME[kind])
            return None
        try:
            if isinstance(named, SourceOfFile):
                return (await self.files.find(self.caller, [named.file_id]))[0]
            every = await self._list(kind, named.run_id)
        except (NotFound, InvalidInput):
            is_file = isinstance(named, SourceOfFile)
            self._refuse(path, Notice.of("no-such-file" if is_file else "no-such-run"))
            return None
        if isinstance(named, SourceOfRun):
            found = every[named.n - 1 : named.n]
        else:
            found = [each for each in every if isinstance(each, Artifact) and each.id == named.id]
        if not found:
            self._refuse(path, Notice.of(LACKING[kind], run=named.run_id))
        return found[0] if found else None

    async def _list(self, kind: str, run_id: str) -> Sequence[Source | Artifact]:
        """Return a run's sources or artifacts, each run read once."""
        if (kind, run_id) not in self._known:
            if len(self._known) == MAX_RUNS:
                raise NotFound(Notice.of("run-unknown", run=run_id))
            read = self.runs.list_sources if kind == "sources" else self.runs.list_artifacts
            self._known[kind, run_id] = await read(self.caller.reader, run_id)
        return self._known[kind, run_id]

    def _refuse(self, path: str, notice: Notice) -> None:
        self._problems.append(Problem.told(path, notice))
