"""Depth: the settings of a definition that follow from it, and a run put at another depth. Pure."""

from collections.abc import Mapping, Sequence
from typing import Any

from contracts.definitions import Definition, PhaseOverride
from contracts.phases import Phase
from contracts.phases.synthesis import SynthesisPhase
from contracts.planning.depth import DEPTHS, FACTORS, DepthPrice, Settings
from contracts.planning.plan import Depth, PlanDraft
from contracts.runs.request import Resolved
from contracts.words.dollars import format_usd

TIME = "timeout_seconds"
"""A setting of the phase itself, not of its config; it only changes together with another setting."""


def list_depths(
    definition: Definition, overrides: Mapping[str, PhaseOverride] | None = None
) -> dict[Depth, Settings]:
    """Return each depth's settings, without those set by the start; empty if all depths are equal."""
    found: dict[Depth, Settings] = {depth: {} for depth in DEPTHS}
    for phase in definition.phases:
        own = (overrides or {}).get(phase.id, PhaseOverride())
        said = {*own.config, *own.model_dump(exclude_none=True)}
        by_depth = {depth: _scale(phase, FACTORS.get(depth, {})) for depth in DEPTHS}
        varied = {
            name
            for name in by_depth["standard"]
            if name not in said and len({by_depth[depth][name] for depth in DEPTHS}) > 1
        }
        if varied - {TIME}:
            for depth in DEPTHS:
                found[depth][phase.id] = {name: by_depth[depth][name] for name in sorted(varied)}
    return found if found["standard"] else {}


def _scale(phase: Phase, factors: Mapping[str, float]) -> dict[str, int]:
    """Return a phase's settings that any depth changes, each within what its field allows."""
    if isinstance(phase, SynthesisPhase) and not phase.config.living:
        return {}  # it is one call
    known = {name: getattr(phase.config, name, None) for by in FACTORS.values() for name in by}
    known[TIME] = phase.timeout_seconds
    return {
        name: _limit(phase, name, round(value * factors.get(name, 1)))
        for name, value in known.items()
        if isinstance(value, int | float)
    }


def _limit(phase: Phase, name: str, value: int) -> int:
    model: Any = type(phase) if name == TIME else type(phase.config)
    bounds = model.model_fields[name].metadata
    least = max((bound.ge for bound in bounds if hasattr(bound, "ge")), default=1)
    most = min((bound.le for bound in bounds if hasattr(bound, "le")), default=value)
    return min(max(value, least), most)


def set_depth(definition: Definition, settings: Settings) -> Definition:
    """Return a definition with these settings of its phases."""
    phases = [_set(phase, settings.get(phase.id, {})) for phase in definition.phases]
    return definition.model_copy(update={"phases": phases})


def _set(phase: Phase, settings: dict[str, int]) -> Phase:
    config = {name: value for name, value in settings.items() if name != TIME}
    own = {name: value for name, value in settings.items() if name == TIME}
    changed = phase.config.model_copy(update=config)
    return phase.model_copy(update={"config": changed, **own})


def change_depth(resolved: Resolved, depth: Depth) -> Resolved:
    """Return a run's definition at another depth; unchanged if the depth has no effect on it."""
    if depth == resolved.depth or not resolved.depths:
        return resolved
    definition = set_depth(resolved.definition, resolved.depths[depth])
    return resolved.model_copy(update={"definition": definition, "depth": depth})


def plan_at(draft: PlanDraft, depth: Depth, depths: Mapping[Depth, Settings]) -> PlanDraft:
    """Return a plan at another depth: of its searches the first that this one has."""
    settings = depths.get(depth, {}).values()
    most = min((s["max_searches"] for s in settings if "max_searches" in s), default=None)
    return draft.model_copy(update={"depth": depth, "search_terms": draft.search_terms[:most]})


def is_one_time(depths: Sequence[DepthPrice]) -> bool:
    """Return whether all depths take the same time."""
    return len({each.minutes.span for each in depths}) == 1


def explain_same_time(depths: Sequence[DepthPrice]) -> str:
    """Return why depths that differ in price take the same time; empty if the times differ.

    More agents share the work of a deeper one, or the difference is below a minute.
    """
    alike = [
        (one.minutes, other.minutes)
        for n, one in enumerate(depths)
        for other in depths[n + 1 :]
        if one.minutes.span == other.minutes.span and one.price != other.price
    ]
    if not alike:
        return ""
    if all(one.agents < other.agents for one, other in alike):
        agents = ", ".join(f"{each.depth} {each.minutes.agents}" for each in depths)
        return f"deeper runs read more at the same time (agents: {agents})"
    return "equal times differ by less than a minute"


def describe_depths(depths: Sequence[DepthPrice], own: Depth) -> list[str]:
    """Describe a plan's price and time at each depth, one line each; `own` is the plan's depth.

    If all depths take the same time, it gets its own line, and so does the reason for equal times.
    """
    same = is_one_time(depths)
    lines = [
        f"{each.depth}{' (this plan)' if each.depth == own else ''}: "
        f"about {format_usd(each.price.expected_usd)}, at most {format_usd(each.price.top_usd)}"
        f"{'' if same else f', {each.minutes}'}"
        for each in depths
    ]
    why = explain_same_time(depths)
    time = [f"each takes about {depths[0].minutes}"] if same else []
    return [*lines, *time, *([why] if why else [])]
