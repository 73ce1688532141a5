"""`audit`: list and verify a tenant's audit log in the database itself."""

import asyncio
from argparse import Namespace

from contracts.access.audit import AuditCheck, AuditEntry
from contracts.access.principal import Principal
from contracts.errors import GreenlightError
from greenlight.errors import CommandError
from greenlight.stack.layout import find_database
from greenlight.unprintable import escape_unprintable
from store.access.audit_log_reader import AuditRepository
from store.postgres.pool import Pool

PAGE = 1000


def audit(args: Namespace) -> int:
    """List the log, or verify it; a log that was altered ends with 1."""
    try:
        return asyncio.run(_perform(args))
    except GreenlightError as error:
        raise CommandError(error.words.text) from None


async def _perform(args: Namespace) -> int:
    async with Pool(find_database(), max_size=1) as pool:
        repository, tenant = AuditRepository(pool), Principal(tenant_id=args.tenant)
        if args.action == "verify":
            return _tell(await repository.verify(tenant, args.expect))
        after = args.after
        while entries := (await repository.list(tenant, after, PAGE)).items:
            print("\n".join(map(_format_entry, entries)))
            after = entries[-1].seq
    return 0


def _tell(check: AuditCheck) -> int:
    print(f"{check.tenant_id}: {check.entries} entries, head {check.head or 'none'}")
    for fault in check.faults:
        print(f"  {fault.seq}: {fault.fault}")
    return 1 if check.faults else 0


def _format_entry(entry: AuditEntry) -> str:
    who = f"{entry.actor or '-'}" + (f" ({entry.key_id})" if entry.key_id else "")
    more = " ".join(f"{name}={value}" for name, value in entry.details.items())
    line = f"{entry.seq}  {entry.at[:19]}Z  {who}  {entry.action}  {entry.object}  {more}"
    return escape_unprintable(line.rstrip())
