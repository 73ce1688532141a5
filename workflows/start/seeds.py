"""Seeds: the outputs that a start takes from a parent run or from its caller."""

from pydantic import ValidationError

from contracts.definitions import Definition
from contracts.errors import InvalidInput, Problem, list_field_problems
from contracts.report.research import Plan
from contracts.runs.request import RunRequest, Seed
from contracts.runs.start import ParentRun
from domain.graph import PhaseGraph
from domain.suggestions import suggest
from workflows.checkpoints.approval import is_approval
from workflows.phases import PHASES


def collect_seeds(
    definition: Definition, request: RunRequest, parent: ParentRun | None, graph: PhaseGraph
) -> dict[str, Seed]:
    """Return by phase the parent's outputs and those in `given`, less what `redo` makes anew.

    Raises:
        InvalidInput: the fields that name nothing or hold no output of their phase.
    """
    problems = [
        Problem(path=f"{field}.{name}", message=f"no such phase; {suggest(name, graph.phases)}")
        for field, names in (("redo", request.redo), ("given", request.given))
        for name in names
        if name not in graph.phases
    ]
    if parent and (parent.definition.id, parent.definition.version) != (
        definition.id,
        definition.version,
    ):
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
            made = PHASES[graph.phases[name].kind].output.model_validate(request.given[name])
        except ValidationError as error:
            problems += list_field_problems(f"given.{name}", error)
        else:
            seeds[name] = Seed(output=made.model_dump(mode="json"), origin="given")
    if problems:
        raise InvalidInput(problems)
    again = {name for i in set(request.redo) for name in (i, *graph.find_descendants(i))}
    return {name: seed for name, seed in seeds.items() if name not in again}


def find_approved_plans(parent: ParentRun, seeds: dict[str, Seed]) -> list[str]:
    """Return the hashes of the parent's plans that its human approved and that still stand."""
    plans = [
        Plan.model_validate(seed.output["plan"]).hash
        for seed in seeds.values()
        if seed.origin == "parent" and "plan" in seed.output
    ]
    approved = {d.plan_hash for d in parent.decisions if is_approval(d)}
    return [hash for hash in plans if hash in approved or hash in parent.approved]
