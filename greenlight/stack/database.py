"""The database as a stack needs it: migrated, and fit for the settings."""

import asyncio
from argparse import Namespace
from datetime import UTC, datetime

import psycopg

from contracts.errors import Conflict
from contracts.models.catalogue import find_model_warnings
from contracts.problems import join_problems
from greenlight.bootstrap import notify
from greenlight.errors import CommandError
from greenlight.stack.layout import load_settings
from settings import Settings
from store.definitions import DefinitionRepository
from store.postgres import database
from store.postgres.pool import Pool
from workflows.start.inputs import find_house_problems


def migrate(_: Namespace) -> int:
    """Migrate the database that `DATABASE_URL` names."""
    settings = load_settings()
    owner = settings.database_owner_url or settings.database_url
    asyncio.run(prepare_database(owner, settings.database_url, settings))
    return 0


async def prepare_database(owner: str, dsn: str, settings: Settings) -> None:
    """Apply missing migrations, and check the settings' models against the stored definitions.

    Warn about models that have ended or end soon.

    Raises:
        CommandError: The database is unreachable, another version made its schema, or the settings name a
            role that no definition has, or a model without a price.
    """
    try:
        await database.migrate(owner, dsn)
        async with Pool(dsn, max_size=1) as pool:
            crews = await DefinitionRepository(pool, {}).list_crew_agents()
    except psycopg.Error as error:
        raise CommandError(f"the database cannot be used: {error}") from error
    except Conflict as error:
        raise CommandError(error.words.text) from error
    if problems := find_house_problems(settings.terms(), crews, settings.servers()):
        raise CommandError(join_problems(problems).text)
    if not settings.greenlight_offline:
        for told in find_model_warnings(settings.models_used(), datetime.now(UTC).date()):
            notify(told.text)
