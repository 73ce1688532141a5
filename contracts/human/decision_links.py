"""The rights of a decision link."""

from contracts.base import Contract, Name, RunId


class DecisionLink(Contract):
    """Lets a user decide at one checkpoint about one plan, on behalf of a channel, a key, or (without keys) anyone."""

    tenant_id: Name
    run_id: RunId
    checkpoint_id: str
    plan_hash: str
    channel_id: Name | None = None
    key_id: Name | None = None
    user_id: str
    client: str = ""
    """The MCP client that requested it, by its own name; empty without one."""
    expires_at: int
