"""What the gateway publishes of itself, and events held against it."""

from functools import cache
from typing import Any

import jsonschema

from api.app import GatewayApp, build_routes
from contracts.runs.events import PAYLOADS
from contracts.runs.records import LoggedEvent


@cache
def share_app() -> GatewayApp:
    """Return the app whose routes all gateways of the process share: to resolve them takes half a second."""
    return build_routes()


@cache
def read_description() -> dict[str, Any]:
    """Return the OpenAPI description, as every gateway serves it; making it resolves the routes, too."""
    return share_app().openapi()


@cache
def _validator() -> jsonschema.Draft202012Validator:
    schema = {"$ref": "#/components/schemas/LoggedEvent"}
    return jsonschema.Draft202012Validator(
        schema | {"components": read_description()["components"]}
    )


_described: set[tuple[str, ...]] = set()
"""Types of events, each with the names in its payload, that the description was seen to hold."""


def as_published(event: LoggedEvent) -> LoggedEvent:
    """Return an event that is what its type promises, in code and in the description."""
    PAYLOADS[event.type].validate_python(event.payload)
    if (shape := (event.type, *event.payload)) not in _described:
        _validator().validate(event.model_dump(mode="json"))
        _described.add(shape)
    return event
