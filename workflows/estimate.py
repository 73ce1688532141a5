"""What a run will cost: reckoned once, when it opens, so that no later price list changes a plan."""

from contracts.definitions import Definition
from contracts.terms import PhaseCost, Terms
from workflows.phases import PHASES

LEAST_SHARE = 0.2
"""A phase costs at least so much of what is expected: when hardly anything is found."""


def costs(definition: Definition, terms: Terms) -> dict[str, PhaseCost]:
    """Return each phase's cost by its id; 60 written tokens a second, half as much for the web."""
    found = {}
    for phase in definition.phases:
        kind = PHASES[phase.kind]
        role = kind.agents[0] if kind.agents else ""
        own: dict[str, str] = getattr(phase.config, "models", {})
        price = terms.price(terms.model_for(role, own.get(role)))
        tokens = kind.tokens(phase)
        expected = price.of(tokens.input, tokens.output)
        found[phase.id] = PhaseCost(
            low_usd=expected * LEAST_SHARE,
            expected_usd=expected,
            top_usd=price.of(tokens.top_input, tokens.top_output),
            minutes=1.5 * tokens.output / 60 / 60,
        )
    return found
