"""The definitions that ship with Greenlight, read from preset_definitions.json; workflow code never imports it."""

from importlib.resources import files

from pydantic import TypeAdapter

from contracts.definitions import Definition
from contracts.words import say

WORDED = "preset"
"""Placeholder in preset_definitions.json for a consent text from the catalogues."""


def _add_words(preset: Definition) -> Definition:
    """Return a preset with its title, its description and what starting it allows, in English."""
    name, consent = f"preset-{preset.id}", preset.consent
    words = {
        "title": preset.title or say("en", name),
        "description": preset.description or say("en", f"{name}-description"),
        "consent": say("en", f"{name}-consent") if consent == WORDED else consent,
    }
    return preset.model_copy(update={**words, "is_preset": True})


PRESETS: dict[str, Definition] = {
    definition.id: _add_words(definition)
    for definition in TypeAdapter(list[Definition]).validate_json(
        files(__package__).joinpath("preset_definitions.json").read_bytes()
    )
}
"""Every preset by id; the first is the default."""
