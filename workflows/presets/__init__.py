"""The definitions that ship with Greenlight, as data."""

from contracts.definitions import Definition
from workflows.presets.deep_research import DEEP_RESEARCH
from workflows.presets.idea_generation import IDEA_GENERATION
from workflows.presets.market_analysis import MARKET_ANALYSIS

PRESETS: dict[str, Definition] = {
    definition.id: definition for definition in (DEEP_RESEARCH, MARKET_ANALYSIS, IDEA_GENERATION)
}
"""Every preset by id; the first is the default."""
