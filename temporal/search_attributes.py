"""What a namespace has to know before runs may write their search attributes."""

from temporalio.api.operatorservice.v1 import ListSearchAttributesRequest
from temporalio.client import Client

from contracts.search_attributes import SEARCH_ATTRIBUTES


async def missing_search_attributes(client: Client) -> list[str]:
    """Return the commands that register what runs would write and the namespace lacks."""
    request = ListSearchAttributesRequest(namespace=client.namespace)
    known = (await client.operator_service.list_search_attributes(request)).custom_attributes
    return [
        f"temporal operator search-attribute create --name {name} --type {kind}"
        for name, kind in SEARCH_ATTRIBUTES.items()
        if name not in known
    ]
