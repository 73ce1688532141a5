"""The definitions that ship with Greenlight, as data."""

from contracts.definitions import Definition
from workflows.presets.deep_research import DEEP_RESEARCH
from workflows.presets.deep_research_full_hitl import DEEP_RESEARCH_FULL_HITL
from workflows.presets.deep_research_hitl import DEEP_RESEARCH_HITL
from workflows.presets.idea_generation import IDEA_GENERATION
from workflows.presets.idea_to_execution import IDEA_TO_EXECUTION
from workflows.presets.investment_analysis import INVESTMENT_ANALYSIS
from workflows.presets.market_analysis import MARKET_ANALYSIS
from workflows.presets.one_shot import ONE_SHOT
from workflows.presets.planning_and_control import PLANNING_AND_CONTROL
from workflows.presets.web_answer import WEB_ANSWER

PRESETS: dict[str, Definition] = {
    definition.id: definition
    for definition in (
        DEEP_RESEARCH,
        MARKET_ANALYSIS,
        WEB_ANSWER,
        INVESTMENT_ANALYSIS,
        DEEP_RESEARCH_HITL,
        DEEP_RESEARCH_FULL_HITL,
        PLANNING_AND_CONTROL,
        ONE_SHOT,
        IDEA_GENERATION,
        IDEA_TO_EXECUTION,
    )
}
"""Every preset by id; the first is the default."""
