"""Callers: a principal and the API keys that identify one."""

from typing import Literal

from pydantic import Field

from contracts.base import Contract, Name

KeyScope = Literal["ask", "decide", "approve", "admin", "payloads", "budgets"]
"""`ask`: asks, answers and reads, and decides nothing, nor ends what others decided; `decide`: also decides;
`approve`: through MCP too; `admin`: also reads the tenant's audit log. `budgets`: sets budgets, and otherwise may do
what `ask` may. `payloads`: reads what Temporal stores, by the codec server, and opens nothing else."""


class Principal(Contract):
    """The user on whose behalf a query runs; every query of the store takes one."""

    tenant_id: str = "default"
    user_id: str | None = None
    role: str = ""
    key_id: str | None = None
    run_id: str | None = None
    """A share link's run, the only one it may read; None unless the caller came by a share link."""
    scope: KeyScope = "decide"

    @property
    def may_decide(self) -> bool:
        """Whether it may approve plans, and start what searches without asking again."""
        return self.scope in {"decide", "approve", "admin"}

    @property
    def may_read_audit(self) -> bool:
        """Whether it may read who decided what in its tenant; anybody may where there are no keys."""
        return self.scope == "admin" or self.is_unidentified

    @property
    def may_set_budgets(self) -> bool:
        """Whether it may set budgets: an operator's key may, and anybody where there are no keys."""
        return self.scope == "budgets" or self.is_unidentified

    @property
    def is_unidentified(self) -> bool:
        """Whether the caller came with neither a key nor a token: nobody needs one yet."""
        return self.key_id is None and self.user_id is None

    @property
    def came_by_token(self) -> bool:
        """Whether the caller came by a token of the identity provider: it names a user, and no key."""
        return self.key_id is None and self.user_id is not None

    @property
    def reader(self) -> "Principal":
        """The tenant alone, for what all its users may read: its runs."""
        return Principal(tenant_id=self.tenant_id)


class ApiKey(Contract):
    """An API key without its token, which is shown once and never stored."""

    id: str
    tenant_id: Name
    user_id: Name
    role: str
    prefix: str
    created_at: str
    revoked_at: str | None
    last_used_at: str | None
    expires_at: str | None = None
    kind: Literal["key", "session", "link"] = Field(
        default="key", description="`session`: of a browser; `link`: opens the report of one run"
    )
    parent_id: str | None = Field(
        default=None, description="the key by which it was made, and with which it is revoked"
    )
    run_id: str | None = Field(default=None, description="of a share link: what alone it opens")
    scope: KeyScope = Field(
        default="decide",
        description="`ask`: decides nothing; `decide`: decides, but through MCP by a link alone; `approve`: through MCP too;"
        " `admin`: also reads the audit log;"
        " `payloads`: opens the codec server alone; `budgets`: sets budgets, and decides nothing",
    )

    @property
    def principal(self) -> Principal:
        """The principal that the key identifies; of a session, its key's."""
        return Principal(
            tenant_id=self.tenant_id,
            user_id=self.user_id,
            role=self.role,
            key_id=self.parent_id if self.kind == "session" else self.id,
            run_id=self.run_id,
            scope=self.scope,
        )
