"""API keys that live in memory."""

from contracts.access.principal import ApiKey, Principal


class Keys:
    """Keys that a test gives out and takes back: a user's, by its id, with its role."""

    def __init__(self) -> None:
        self.live: dict[str, str] = {}

    async def list_live(self, holder: Principal) -> list[ApiKey]:
        return [_key(user, role) for user, role in self.live.items() if user == holder.user_id]


def _key(user: str, role: str) -> ApiKey:
    return ApiKey(
        id=f"key-{user}",
        tenant_id="default",
        user_id=user,
        role=role,
        prefix="gl_",
        created_at="",
        revoked_at=None,
        last_used_at=None,
    )
