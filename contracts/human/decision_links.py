"""What a decision link is good for."""

from contracts.base import Contract, Name, RunId


class DecisionLink(Contract):
    """Lets a user decide at one checkpoint about one plan: of a channel, of a key, or any where there are no keys."""

    tenant_id: Name
    run_id: RunId
    checkpoint_id: str
    plan_hash: str
    channel_id: Name | None = None
    key_id: Name | None = None
    user_id: str
    client: str = ""
    """The MCP client that asked for it, as it calls itself; empty: none."""
    expires_at: int
