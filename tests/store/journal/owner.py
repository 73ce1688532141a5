"""Another process that claims a call, prints this, and settles the call on request."""

import asyncio
import sys

from contracts.models.usage import Usage
from store.calls.call_journal import CallClaim, Journal
from store.postgres.pool import Pool
from store.postgres.process_lease import Lease
from tests.store.samples import made, spec


async def main(dsn: str, run_id: str) -> None:
    async with Pool(dsn) as pool, Lease(dsn) as lease:
        await lease.held.wait()
        journal = Journal(pool, lease)
        claim = await journal.claim(spec(run_id))
        assert isinstance(claim, CallClaim)
        sys.stdout.write("claimed\n")
        sys.stdout.flush()
        await asyncio.to_thread(sys.stdin.readline)
        await journal.settle(claim, made(Usage(calls=1, usd=0.2), by="the other"))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
