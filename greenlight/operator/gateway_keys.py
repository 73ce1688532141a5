"""`keys`: add, list and revoke API keys in the database itself."""

import asyncio
import sys
from argparse import Namespace

from pydantic import ValidationError

from contracts.access.principal import ApiKey, Principal
from contracts.errors import GreenlightError
from contracts.problems import list_problems
from greenlight.errors import CommandError
from greenlight.stack.layout import find_database
from greenlight.unprintable import escape_unprintable
from store.access.access_keys import KeyRepository
from store.postgres.pool import Pool


def keys(args: Namespace) -> int:
    """Add, list or revoke keys; stdout has only the new key."""
    try:
        print(asyncio.run(_perform(args)))
    except ValidationError as error:
        [first] = list_problems(error.errors()[:1])
        option = first.path.removesuffix("_id")
        raise CommandError.of("cli-keys-option", option=option, problem=first.notice) from None
    except GreenlightError as error:
        raise CommandError(error.words.text) from None
    return 0


async def _perform(args: Namespace) -> str:
    async with Pool(find_database(), max_size=1) as pool:
        repository, tenant = KeyRepository(pool), Principal(tenant_id=args.tenant)
        if args.action == "add":
            holder = Principal(
                tenant_id=args.tenant, user_id=args.user, role=args.role, scope=args.scope
            )
            key, token = await repository.create(holder, maker=tenant)
            note = "Keep it: it is shown once. The terminal reads GREENLIGHT_API_KEY."
            print(f"{_format_key(key)}\n{note}", file=sys.stderr)
            return token
        if args.action == "revoke":
            return _format_key(await repository.revoke(tenant, args.id))
        listed, links = await repository.list(tenant), await repository.list_links(tenant)
        rows = [*map(_format_key, listed), *map(_format_key, links)]
        return "\n".join(rows) or "no keys: none is required"


def _format_key(key: ApiKey) -> str:
    state = f"revoked {key.revoked_at[:16]}" if key.revoked_at else "live"
    if key.expires_at and not key.revoked_at:
        state = f"until {key.expires_at[:16]}"
    used = f"used {key.last_used_at[:16]}" if key.last_used_at else "never used"
    role = f" ({key.role})" if key.role else ""
    made = f"made {key.created_at[:16]}" + (f" by {key.parent_id}" if key.parent_id else "")
    scope = "" if key.scope == "decide" else f"  scope {key.scope}"
    opens = f"  link to {key.run_id}" if key.run_id else ""
    line = f"{key.id}  {key.prefix}…  {key.user_id}{role}  {state}  {made}  {used}{scope}{opens}"
    return escape_unprintable(line)
