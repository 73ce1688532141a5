"""What a decision link is good for."""

from contracts.base import Contract, Name, RunId


class DecisionLink(Contract):
    """Lets the user of a channel decide at one checkpoint about one plan."""

    tenant_id: Name
    run_id: RunId
    checkpoint_id: str
    plan_hash: str
    channel_id: Name
    user_id: str
    expires_at: int
