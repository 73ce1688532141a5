"""Test of a configured provider: the request and the outcome."""

from typing import Literal

from pydantic import Field

from contracts.access.principal import Principal
from contracts.base import Contract
from contracts.notices import Notice

ProviderKind = Literal["model", "search", "tools"]
PROVIDER_TEST = "provider-test"
"""Phase id of test calls in the journal, which the view `spend` reads."""
ProviderState = Literal["works", "key_refused", "quota", "rejected", "unreachable"]


class ProviderTest(Contract):
    """Request for one small call of a provider."""

    provider: ProviderKind
    model: str = ""
    server: str = Field(default="", description="of tools: its name")
    principal: Principal = Principal()
    offline: bool = Field(default=False, description="a stand-in answers, and nothing is billed")
    test_id: str = Field(
        default="", description="of its workflow run, which fills it: its calls' idempotency key"
    )


class ProviderAnswer(Contract):
    """The outcome of a small test request to a provider."""

    state: ProviderState = Field(
        description="`key_refused`: it does not take the key; `quota`: it limits the rate, or the account's "
        "money is used up; `rejected`: it refuses the request for another reason; `unreachable`: no "
        "answer, or one of a server in trouble"
    )
    host: str = Field(
        description="who was asked, of a server of tools its name; on this machine where a stand-in answers"
    )
    model: str = Field(default="", description="which model was asked; of a search, empty")
    usd: float = Field(
        description="what the request cost by the prices in force; of a search its fee"
    )
    seconds: float
    told: Notice | None = Field(
        default=None, description="what went wrong, with the provider's answer"
    )
