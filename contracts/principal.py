"""Who asks."""

from contracts.base import Contract


class Principal(Contract):
    """On whose behalf a query runs; every query of the store takes one."""

    tenant_id: str = "default"
    user_id: str | None = None
