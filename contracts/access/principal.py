"""Callers: a principal and the API keys that identify one."""

from typing import Literal

from pydantic import Field

from contracts.base import Contract, Name

KeyScope = Literal["ask", "decide", "approve", "admin", "payloads", "budgets"]
"""The permissions of a key.

`ask` may ask, answer and read, but not decide, or end runs on which others decided. `decide` may also decide, and
`approve` may do so through MCP too. `admin` may also read the tenant's audit log. `budgets` has the permissions of
`ask`, and may set budgets. `payloads` may only read Temporal's payloads through the codec server.
"""


class Principal(Contract):
    """The user on whose behalf a query runs; every query of the store takes one."""

    tenant_id: str = "default"
    user_id: str | None = None
    role: str = ""
    key_id: str | None = None
    run_id: str | None = None
    """The only run that a share link may read; None for other credentials."""
    scope: KeyScope = "decide"

    @property
    def may_decide(self) -> bool:
        """Whether it may approve plans, and start what searches without asking again."""
        return self.scope in {"decide", "approve", "admin"}

    @property
    def may_read_audit(self) -> bool:
        """Whether it may read its tenant's audit log; without keys everyone may."""
        return self.scope == "admin" or self.is_unidentified

    @property
    def may_set_budgets(self) -> bool:
        """Whether it may set budgets: with an operator's key, or if there are no keys."""
        return self.scope == "budgets" or self.is_unidentified

    @property
    def is_unidentified(self) -> bool:
        """Whether the caller has neither key nor token, which are not required yet."""
        return self.key_id is None and self.user_id is None

    @property
    def came_by_token(self) -> bool:
        """Whether the caller has an identity provider's token, which names a user but no key."""
        return self.key_id is None and self.user_id is not None

    @property
    def reader(self) -> "Principal":
        """The tenant's principal, for what all its users may read, such as runs."""
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
