"""Another process that claims a call, says so, and settles it when it is told to."""

import asyncio
import sys

from contracts.terms import Usage
from store.journal import Claim, Journal
from store.postgres.lease import Lease
from store.postgres.pool import open_pool
from tests.store.samples import scope


async def main(dsn: str, run_id: str) -> None:
    async with open_pool(dsn) as pool, Lease(dsn) as lease:
        await lease.held()
        journal = Journal(pool, lease)
        claim = await journal.claim(scope(run_id), "model", "hash", "m", 0.5, 1.0)
        assert isinstance(claim, Claim)
        sys.stdout.write("claimed\n")
        sys.stdout.flush()
        await asyncio.to_thread(sys.stdin.readline)
        await journal.settle(claim, {"by": "the other"}, Usage(calls=1, usd=0.2))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
