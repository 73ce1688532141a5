"""`budgets`: list and set budgets in the database itself."""

import asyncio
import getpass
from argparse import Namespace

from pydantic import ValidationError

from contracts.access.budgets import Budget, BudgetBody, HolderKind
from contracts.access.principal import Principal
from contracts.errors import GreenlightError
from contracts.problems import list_problems
from greenlight.errors import CommandError
from greenlight.stack.layout import find_database
from greenlight.terminal.console import open_console
from greenlight.terminal.display.tables import draw_budgets
from store.calls.budgets import BudgetRepository
from store.postgres.pool import Pool


def budgets(args: Namespace) -> int:
    """List, set or remove budgets, and print all of the tenant."""
    try:
        found = asyncio.run(_perform(args))
    except ValidationError as error:
        [first] = list_problems(error.errors()[:1])
        option = first.path.removesuffix("_usd")
        raise CommandError.of("cli-keys-option", option=option, problem=first.notice) from None
    except GreenlightError as error:
        raise CommandError(error.words.text) from None
    rows = [budget.model_dump(mode="json") for budget in found]
    open_console().print(
        draw_budgets(rows) if rows else "no budgets: only each run's cap limits it"
    )
    return 0


async def _perform(args: Namespace) -> list[Budget]:
    async with Pool(find_database(), max_size=1) as pool:
        repository = BudgetRepository(pool)
        operator = Principal(tenant_id=args.tenant, user_id=getpass.getuser())
        if args.action == "set":
            body = BudgetBody(day_usd=args.day, month_usd=args.month)
            await repository.put(operator, *_find_holder(args), body)
        if args.action == "remove":
            await repository.delete(operator, *_find_holder(args))
        return await repository.list_all(operator)


def _find_holder(args: Namespace) -> tuple[HolderKind, str]:
    if args.all:
        return "tenant", ""
    return ("user", args.user) if args.user else ("key", args.key)
