"""Seeds: the outputs that a start takes from a parent run or from its caller."""

from pydantic import ValidationError

from contracts.base import Json
from contracts.definitions import Definition
from contracts.errors import InvalidDefinition, Problem
from contracts.phases import Phase
from contracts.report.research import Plan
from contracts.runs.request import RunRequest
from contracts.runs.seeds import Seed
from contracts.runs.start import ParentRun
from domain.graph import PhaseGraph
from workflows.checkpoints.approval import is_approval
from workflows.phases import PHASES


def collect_seeds(
    definition: Definition, request: RunRequest, parent: ParentRun | None, graph: PhaseGraph
) -> dict[str, Seed]:
    """Return by phase the parent's outputs and those in `given`, less what `redo` makes anew.

    Raises:
        InvalidDefinition: the fields that name nothing or hold no output of their phase.
    """
    problems = [
        Problem(path=f"{field}.{name}", message="no such phase")
        for field, names in (("redo", request.redo), ("given", request.given))
        for name in names
        if name not in graph.phases
    ]
    if parent and _identity(parent.definition) != _identity(definition):
        message = "that run used another definition or version"
        problems.append(Problem(path="from_run", message=message))
    if request.redo and not parent:
        problems.append(Problem(path="redo", message="needs from_run"))
    seeds: dict[str, Seed] = {}
    if parent:
        for name, output in parent.outputs.items():
            seeds[name] = Seed(output=output, origin="parent", run_id=parent.run_id)
    for name in [name for name in request.given if name in graph.phases]:
        try:
            output = _complete(graph.phases[name], request.given[name])
        except ValidationError as error:
            problems += [
                Problem(path=".".join(["given", name, *map(str, e["loc"])]), message=e["msg"])
                for e in error.errors()
            ]
        else:
            seeds[name] = Seed(output=output, origin="given")
    if problems:
        raise InvalidDefinition(problems)
    again = {name for i in set(request.redo) for name in (i, *graph.find_descendants(i))}
    return {name: seed for name, seed in seeds.items() if name not in again}


def _identity(definition: Definition) -> tuple[str, int]:
    return definition.id, definition.version


def _complete(phase: Phase, output: Json) -> Json:
    """Return an output of the phase's kind with the defaults of all that it leaves out."""
    return PHASES[phase.kind].output.model_validate(output).model_dump(mode="json")


def find_approved_plans(parent: ParentRun, seeds: dict[str, Seed]) -> list[str]:
    """Return the hashes of the parent's plans that its human approved and that still stand."""
    plans = [
        Plan.model_validate(seed.output["plan"]).hash
        for seed in seeds.values()
        if seed.origin == "parent" and "plan" in seed.output
    ]
    approved = {d.plan_hash for d in parent.decisions if is_approval(d)}
    return [hash for hash in plans if hash in approved or hash in parent.approved]
