"""Selection of the phases that a run executes: all of its definition, or those of `only` and `until`."""

from contracts.definitions import Definition
from contracts.errors import InvalidInput
from contracts.problems import Problem
from contracts.runs.request import RunRequest
from domain.text_matching.suggestions import suggest


def select_phases(definition: Definition, request: RunRequest) -> list[str]:
    """Return the ids of the phases that `only` and `until` select, in order.

    Raises:
        InvalidInput: They name no phase, or not in the definition's order.
    """
    ids = [phase.id for phase in definition.phases]
    problems: list[Problem] = []
    chosen = ids
    if request.only is not None:
        chosen = request.only
        problems += [
            Problem.at("only", "phase-unknown", name=name, hint=suggest(name, ids))
            for name in chosen
            if name not in ids
        ]
        if problems:
            chosen = ids
        elif not chosen or chosen != [name for name in ids if name in chosen]:
            problems.append(Problem.at("only", "only-disordered", known=ids))
    if request.until is not None:
        if request.until in chosen:
            chosen = chosen[: chosen.index(request.until) + 1]
        else:
            hint = suggest(request.until, chosen)
            problems.append(Problem.at("until", "until-unknown", name=request.until, hint=hint))
    if problems:
        raise InvalidInput(problems)
    return chosen
