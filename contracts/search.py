"""Search services: their names, and which of them a run asks at which price."""

from collections.abc import Mapping, Sequence
from typing import Literal, get_args

from pydantic import Field

from contracts.base import Contract
from contracts.notices import Notice

ServiceName = Literal["brave", "anthropic", "searxng", "tavily", "exa", "endpoint"]
SERVICES: tuple[ServiceName, ...] = get_args(ServiceName)
KEYS: Mapping[ServiceName, str] = {
    "brave": "BRAVE_API_KEY",
    "anthropic": "ANTHROPIC_API_KEY",
    "searxng": "SEARXNG_URL",
    "tavily": "TAVILY_API_KEY",
    "exa": "EXA_API_KEY",
    "endpoint": "SEARCH_ENDPOINT_URL",
}
"""The setting that configures each service."""
PREFERRED: tuple[ServiceName, ...] = ("brave", "tavily", "exa", "searxng", "endpoint", "anthropic")
"""Order of preference: the first configured service is the default."""
Chosen = list[ServiceName]


def name_service(name: ServiceName) -> Notice:
    """Return what people call a service."""
    return Notice.of(f"service-{name}", "info")


def name_services(names: Sequence[ServiceName]) -> list[str | Notice]:
    """Return what people call several services."""
    return [name_service(name) for name in names]


class SearchTerms(Contract):
    """The search services of a run, frozen at its start with the expected price of one search."""

    usual: Chosen = Field(default=[], description="the installation's; empty: not known here")
    chosen: Chosen = Field(default=[], description="by the start; empty: it names none")
    usd: dict[ServiceName, float] = Field(
        default={}, description="configured service -> expected US dollars of one search"
    )

    def choose(self, own: Sequence[ServiceName] = ()) -> Chosen:
        """Return a phase's search services: the start's, else its own, else the installation's."""
        return list(dict.fromkeys(self.chosen or own or self.usual))

    def compute_usd(self, own: Sequence[ServiceName] = ()) -> float:
        """Return the expected price of one search of a phase; a service without a known price costs nothing."""
        return sum(self.usd.get(name, 0.0) for name in self.choose(own))
