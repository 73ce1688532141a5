"""Users' own files: their owners, the number of waiting files, and their removal."""

import re
from datetime import UTC, datetime, timedelta

import pytest

from contracts.access.principal import Principal
from contracts.errors import Conflict, FetchRefused, InvalidInput
from contracts.evidence.sources import OWN_FILE, Source
from contracts.models.call import Scope
from store.files import MAX_KEPT, FileRepository
from store.postgres.pool import Pool
from store.run_records.removals import RemovalRepository
from store.run_records.runs import RunRepository
from tests.store.samples import opened, source, started
from tests.support.refusals import refused
from tests.support.words import en, opening

ANA, BEN, NOBODY = Principal(user_id="ana"), Principal(user_id="ben"), Principal()
SOON, LATE = datetime.now(UTC) - timedelta(days=1), datetime(2100, 1, 1, tzinfo=UTC)


@pytest.fixture
def files(pool: Pool) -> FileRepository:
    return FileRepository(pool)


def file(name: str, place: str = "file-1") -> Source:
    """Return a file with a blob under a key prefix."""
    key = f"{place}/{'0' * 64}"
    told = {"url": f"{OWN_FILE}{name}", "text_key": key, "raw_key": key}
    return source(1).model_copy(update=told)


async def test_a_file_is_its_users_alone_and_without_keys_everybodys(files: FileRepository) -> None:
    await files.save(ANA, "file-ana", file("a.md"))
    await files.save(NOBODY, "file-open", file("b.md"))
    found = await files.find(ANA, ["file-open", "file-ana"])
    assert [each.file_name for each in found] == ["b.md", "a.md"]
    told = re.escape(f"files[1]: {en('file-not-yours', name='file-ana')}")
    with pytest.raises(InvalidInput, match=told):
        await files.find(BEN, ["file-open", "file-ana"])


async def test_of_a_users_files_only_so_many_are_kept_and_one_of_these_may_come_again(
    files: FileRepository,
) -> None:
    cy = Principal(user_id="cy")
    for n in range(MAX_KEPT):
        await files.save(cy, f"file-{n}", file("a.md"))
    with pytest.raises(Conflict, match=opening("files-many", "n", n=100)):
        await files.save(cy, "file-more", file("a.md"))
    await files.save(cy, "file-0", file("a.md"))
    await files.save(Principal(user_id="di"), "file-of-di", file("a.md"))


async def test_a_file_that_no_run_was_given_goes_after_its_time_and_one_that_was_stays(
    files: FileRepository, pool: Pool
) -> None:
    unused, used = file("unused.md", "file-unused"), file("used.md", "file-used")
    await files.save(ANA, "file-unused", unused)
    await files.save(ANA, "file-used", used)
    given = opened().model_copy(update={"files": [used]})
    await RunRepository(pool).create(started("run-with-file", files=["file-used"]), given)
    removals = RemovalRepository(pool)
    assert unused.text_key not in dict(await removals.remove_stale_files(SOON)).get("default", [])
    gone = dict(await removals.remove_stale_files(LATE))["default"]
    assert unused.text_key in gone
    assert used.text_key not in gone
    scope = Scope(run_id="run-with-file", phase_id="research", attempt=1, name="turn-1")
    assert await files.get_of_run(scope, used.url) == used
    with refused(FetchRefused, "file-not-given", names=[used.url]):
        await files.get_of_run(scope, unused.url)
