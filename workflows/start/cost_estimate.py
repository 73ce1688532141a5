"""What a run will cost: reckoned once, when it opens, so that no later price list changes a plan."""

from contracts.definitions import Definition
from contracts.phases import Phase
from contracts.terms import PhaseCost, Price, Share, Terms
from workflows.phases import PHASES

TOP_FACTOR = 3
"""A phase may cost so many times what is expected of it."""


def costs(definition: Definition, terms: Terms, carried: int = 0) -> dict[str, PhaseCost]:
    """Return each phase's cost by its id; sources carried over are read as those of searches are."""
    found = {phase.id: _cost(phase, terms) for phase in definition.phases}
    return {
        name: cost.model_copy(update={"base": cost.of(carried, 0)}) for name, cost in found.items()
    }


def _cost(phase: Phase, terms: Terms) -> PhaseCost:
    own: dict[str, str] = getattr(phase.config, "models", {})
    cost = PhaseCost()
    for tokens in PHASES[phase.kind].tokens(phase):
        price = terms.price(terms.model_for(tokens.role, own.get(tokens.role)))
        base = _share(price, tokens.input, tokens.output, tokens.slack)
        search = _share(price, tokens.search_input, tokens.search_output)
        step = _share(price, tokens.step_input, tokens.step_output)
        cost = PhaseCost(base=cost.base + base, search=cost.search + search, step=cost.step + step)
    return cost


def _share(price: Price, read: int, written: int, slack: int = 0) -> Share:
    """Return a share; 60 written tokens a second, half as much again for search and pages."""
    usd = price.of(read, written)
    top = TOP_FACTOR * usd + price.of(0, slack)
    return Share(usd=usd, top_usd=top, minutes=1.5 * written / 60 / 60)
