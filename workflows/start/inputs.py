"""Inputs and overrides of a start, checked against the phases of its definition."""

from collections.abc import Collection, Mapping
from functools import cache

from pydantic import ValidationError, create_model

from contracts.base import Contract, Json
from contracts.definitions import Definition
from contracts.errors import InvalidInput
from contracts.notices import Notice
from contracts.phases import Phase
from contracts.phases.phase_cost import PhaseCost, Work
from contracts.problems import Problem, list_problems
from contracts.runs.request import Resolved, RunRequest
from contracts.runs.run_terms import Terms
from contracts.runs.start import ProvidersNeeded
from contracts.search import KEYS, name_service, name_services
from contracts.words.dollars import round_up_usd
from domain.text_matching.suggestions import suggest
from workflows.phases import PHASES


def build_inputs_model(definition: Definition) -> type[Contract]:
    """Return the model that validates a start's `inputs`: the union of those that its phases read."""
    found = (PHASES[phase.kind].inputs(phase) for phase in definition.phases)
    return _join(tuple(dict.fromkeys(model for model in found if model)))


@cache
def _join(models: tuple[type[Contract], ...]) -> type[Contract]:
    return create_model("Inputs", __base__=models or (Contract,))


def find_input_problems(definition: Definition, given: Json, latest_day: str = "") -> list[Problem]:
    """Return the problems of a start's `inputs`: unknown, missing or invalid values."""
    model = build_inputs_model(definition)
    allowed = sorted(model.model_fields)
    unread = (
        Notice.of("input-unread", allowed=allowed) if allowed else Notice.of("input-unread-any")
    )
    problems = [Problem.told(f"inputs.{n}", unread) for n in given if n not in allowed]
    try:
        read = {name: given[name] for name in allowed if name in given}
        model.model_validate(read, context={"latest_day": latest_day})
    except ValidationError as error:
        problems += list_problems(error.errors(), "inputs")
    return problems


def count_subjects(definition: Definition, given: Json) -> int:
    """Return how many things a start's `inputs`, which are sound, set side by side, e.g. companies."""
    found = build_inputs_model(definition).model_validate(given)
    return max(PHASES[phase.kind].subjects(found) for phase in definition.phases)


def find_model_override_problems(definition: Definition, request: RunRequest) -> list[Problem]:
    """Return problems for model overrides of roles that no phase has."""
    roles = sorted({r for phase in definition.phases for r in PHASES[phase.kind].agents(phase)})
    return [
        Problem.at(f"model_overrides.{name}", "role-not-here", known=roles)
        for name in request.model_overrides
        if name not in roles
    ]


def find_unpriced_models(definition: Definition, terms: Terms) -> list[Problem]:
    """Return the models that a run would call without knowing their price, where they are chosen."""
    unpriced: dict[str, str] = {}
    for n, phase in enumerate(definition.phases):
        own: dict[str, str] = getattr(phase.config, "models", {})
        for role in PHASES[phase.kind].agents(phase):
            model = terms.choose_model(role, own.get(role))
            if model not in terms.prices:
                place = f"GREENLIGHT_MODELS.{role}" if role in terms.roles else "GREENLIGHT_MODEL"
                place = f"phases[{n}].config.models.{role}" if role in own else place
                unpriced[f"model_overrides.{role}" if role in terms.models else place] = model
    return [Problem.at(path, "model-unpriced", model=name) for path, name in unpriced.items()]


def find_unconfigured_search(definition: Definition, terms: Terms) -> list[Problem]:
    """Return a problem for each chosen search service that is not configured.

    A process without keys cannot know which are configured, and reports none.
    """
    configured = terms.search.usd
    if not configured:
        return []
    chosen = {"search": terms.search.chosen}
    if not terms.search.chosen:
        chosen = {f"phases[{n}].config.search": p.search for n, p in enumerate(definition.phases)}
    return [
        Problem.at(
            path,
            "search-unconfigured",
            service=name_service(name),
            setting=KEYS[name],
            known=name_services(list(configured)),
        )
        for path, names in chosen.items()
        for name in names
        if name not in configured
    ]


def find_needed_providers(resolved: Resolved, terms: Terms) -> ProvidersNeeded:
    """Return what the phases that will run ask of providers."""
    phases = [
        phase
        for phase in resolved.definition.phases
        if phase.enabled and phase.id in resolved.selected and phase.id not in resolved.seeds
    ]
    models = [
        terms.choose_model(role, getattr(phase.config, "models", {}).get(role))
        for phase in phases
        for role in PHASES[phase.kind].agents(phase)
    ]
    return ProvidersNeeded(
        models=[*dict.fromkeys(models)],
        filings=any(
            PHASES[phase.kind].filings(phase)
            and not resolved.bindings.get(phase.id, {}).get("fundamentals")
            for phase in phases
        ),
    )


def find_budget_problems(
    budget: float | None, costs: Mapping[str, PhaseCost], selected: Collection[str]
) -> list[Problem]:
    """Return the problem of a budget that pays for no phase of a run."""
    expected = [usd for name in selected if (usd := costs[name].compute(Work()).usd)]
    if budget is None or not expected or budget >= min(expected):
        return []
    least, every = round_up_usd(min(expected)), round_up_usd(sum(expected))
    return [Problem.at("budget", "budget-small", least=least, all=every)]


def find_house_problems(
    terms: Terms, crews: Collection[str], served: Collection[str]
) -> list[Problem]:
    """Return the problems of an installation's models: unknown roles, and models without a price.

    `crews` are the agents of all saved definitions, `served` the models with their own server.
    """
    shipped = {role for kind in PHASES.values() for role in kind.agents(kind.phase())}
    roles, priced = sorted({*shipped, *crews}), sorted(terms.prices)
    named = {f"GREENLIGHT_MODELS.{role}": model for role, model in terms.roles.items()}
    called = named | {f"GREENLIGHT_SERVERS.{model}": model for model in served}
    every = Notice.of("there-are", known=roles)
    problems = []
    for role in terms.roles:
        if role not in roles:
            near = suggest(role, roles)
            hint = near if near == every else Notice.of("suggestion-and-all", hint=near, all=every)
            problems.append(Problem.at(f"GREENLIGHT_MODELS.{role}", "role-unknown", hint=hint))
    for path, model in called.items():
        if model not in priced:
            hint = suggest(model, priced)
            problems.append(Problem.at(path, "model-unpriced", model=model, hint=hint))
    return problems


def apply_overrides(definition: Definition, request: RunRequest) -> Definition:
    """Return a definition with the start's overrides.

    Raises:
        InvalidInput: each override that names no phase or holds a wrong value, with its path.
    """
    phases: list[Phase] = []
    known = [phase.id for phase in definition.phases]
    problems = [
        Problem.at(f"config_overrides.{name}", "no-such-phase", hint=suggest(name, known))
        for name in request.config_overrides
        if name not in known
    ]
    for phase in definition.phases:
        override = request.config_overrides.get(phase.id)
        if override is None:
            phases.append(phase)
            continue
        changes: Json = override.model_dump(exclude_none=True, exclude={"config"})
        config = {**phase.config.model_dump(), **override.config}
        path, fields = f"config_overrides.{phase.id}", type(phase.config).model_fields
        if unknown := [name for name in override.config if name not in fields]:
            problems += [
                Problem.at(
                    f"{path}.config.{name}", "value-unknown-field", hint=suggest(name, fields)
                )
                for name in unknown
            ]
            continue
        try:
            phases.append(type(phase)(**{**dict(phase), **changes, "config": config}))
        except ValidationError as error:
            problems += list_problems(error.errors(), path)
    if problems:
        raise InvalidInput(problems)
    return definition.model_copy(update={"phases": phases})
