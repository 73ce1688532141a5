"""Who asks."""

from contracts.base import Contract, Name


class Principal(Contract):
    """On whose behalf a query runs; every query of the store takes one."""

    tenant_id: str = "default"
    user_id: str | None = None
    role: str = ""
    key_id: str | None = None

    @property
    def reader(self) -> "Principal":
        """Who reads what all users of a tenant may read: its runs."""
        return Principal(tenant_id=self.tenant_id)


class ApiKey(Contract):
    """A key, as it is shown: the token itself is told once and never kept."""

    id: str
    tenant_id: Name
    user_id: Name
    role: str
    prefix: str
    created_at: str
    revoked_at: str | None
    last_used_at: str | None

    @property
    def principal(self) -> Principal:
        """On whose behalf its holder asks."""
        return Principal(
            tenant_id=self.tenant_id, user_id=self.user_id, role=self.role, key_id=self.id
        )
