"""The runs' search attributes and their registration in a namespace."""

from temporalio.api.operatorservice.v1 import ListSearchAttributesRequest
from temporalio.client import Client

SEARCH_ATTRIBUTES = {"RunStatus": "Keyword", "RunDefinition": "Keyword"}
"""Name -> type; a run writes them only if its input says that they are registered."""


async def list_missing_search_attributes(client: Client) -> list[str]:
    """Return the commands that register the missing search attributes."""
    request = ListSearchAttributesRequest(namespace=client.namespace)
    known = (await client.operator_service.list_search_attributes(request)).custom_attributes
    return [
        f"temporal operator search-attribute create --name {name} --type {kind}"
        for name, kind in SEARCH_ATTRIBUTES.items()
        if name not in known
    ]
