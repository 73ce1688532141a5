"""The audit log of decisions, hash-chained per tenant."""

from typing import Literal

from pydantic import Field

from contracts.base import Contract, Json


class AuditEntry(Contract):
    """An entry of the audit log; its hash covers all its fields and the hash before it."""

    seq: int
    at: str
    actor: str = Field(
        description="the user; empty: an operator's command, a sweep, a deadline, or nobody was asked for a key"
    )
    key_id: str | None = Field(description="the key by which they came; null: a token, or none")
    action: str = Field(description="what was done to what, as in `run.decided` or `key.revoked`")
    object: str = Field(description="the id of what it was done to")
    details: Json = Field(
        description="ids, amounts and choices, and nothing of what runs are about"
    )
    hash: str = Field(description="in hexadecimal")


class AuditPage(Contract):
    """Entries in their order, with the end of the log."""

    items: list[AuditEntry]
    last_seq: int
    head: str = Field(description="the hash of the last entry; keep it elsewhere to verify against")


class AuditFault(Contract):
    """An entry that is not as it was appended."""

    seq: int
    fault: Literal["changed", "missing", "cut", "unexpected"] = Field(
        description="`changed`: its hash is not that of what it says; `missing`: entries before it are gone; "
        "`cut`: entries after it are gone; `unexpected`: the hash that was expected in the log is not in it"
    )


class AuditCheck(Contract):
    """The result of verifying an audit log's hash chain."""

    tenant_id: str
    entries: int
    head: str
    faults: list[AuditFault] = Field(description="the first hundred")
