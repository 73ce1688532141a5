"""The definitions that ship with Greenlight, read from presets.json; workflow code never imports it."""

from importlib.resources import files

from pydantic import TypeAdapter

from contracts.definitions import Definition

PRESETS: dict[str, Definition] = {
    definition.id: definition.model_copy(update={"is_preset": True})
    for definition in TypeAdapter(list[Definition]).validate_json(
        files("workflows").joinpath("presets.json").read_bytes()
    )
}
"""Every preset by id; the first is the default."""
