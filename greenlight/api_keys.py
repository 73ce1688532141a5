"""`keys`: who may ask the gateway; works on the database itself, as whoever may do so may."""

import asyncio
from argparse import Namespace

from pydantic import ValidationError

from contracts.errors import GreenlightError
from contracts.principal import ApiKey, Principal
from greenlight.stack.home import Home
from greenlight.stack.layout import read_settings
from greenlight.stack.processes import StackError
from store.keys import KeyRepository
from store.postgres.pool import Pool


def keys(args: Namespace) -> int:
    """Make, list or revoke keys."""
    try:
        print(asyncio.run(_answer(args)))
    except ValidationError as error:
        raise StackError(f"{error.errors()[0]['loc'][0]}: {error.errors()[0]['msg']}") from None
    except GreenlightError as error:
        raise StackError(str(error)) from None
    return 0


async def _answer(args: Namespace) -> str:
    async with Pool(_database(), max_size=1) as pool:
        repository, tenant = KeyRepository(pool), Principal(tenant_id=args.tenant)
        if args.action == "add":
            holder = Principal(tenant_id=args.tenant, user_id=args.user, role=args.role)
            made, token = await repository.add(holder)
            return f"{_line(made)}\n\n  {token}\n\nKeep it: it is shown once. The terminal reads GREENLIGHT_API_KEY."
        if args.action == "revoke":
            return _line(await repository.revoke(tenant, args.id))
        return "\n".join(map(_line, await repository.list(tenant))) or "no keys: nobody is asked"


def _line(key: ApiKey) -> str:
    state = f"revoked {key.revoked_at[:16]}" if key.revoked_at else "live"
    used = f"used {key.last_used_at[:16]}" if key.last_used_at else "never used"
    role = f" ({key.role})" if key.role else ""
    return f"{key.id}  {key.prefix}…  {key.user_id}{role}  {state}  {used}"


def _database() -> str:
    """Return the database of the stack that runs, or the one that `DATABASE_URL` names."""
    settings = read_settings()
    if "database_url" in settings.model_fields_set:
        return settings.database_url
    home = Home.of_environment()
    if running := home.running():
        return running.database
    raise StackError(f"no stack runs in {home.path}; start one: python3 -m greenlight up")
