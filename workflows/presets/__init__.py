"""The definitions that ship with Greenlight, as data."""

from contracts.definitions import Definition
from workflows.presets.deep_research import DEEP_RESEARCH

PRESETS: dict[str, Definition] = {definition.id: definition for definition in (DEEP_RESEARCH,)}
"""Every preset by id; the first is the default."""
