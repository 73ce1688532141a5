"""Collections from the command line to the report: added, read, searched together with the web, and deleted."""

import json
from pathlib import Path

import pytest
from temporalio.client import Client

from contracts.notices import Notice
from tests.chaos.fragile_stack import FragileStack
from tests.e2e.conftest import TypeIn
from tests.support.product.residue import places
from tests.support.stack import QUESTION, Whole
from tests.support.words import en, opening

WORD = "quambleroot"
NAME = "field notes"
BROKEN_PDF = opening("failure.broken", "format", format=en("failure.format.pdf"))
COMPANIES = 40
PUMPS = (
    "# Field notes\n\nOn pumps in Kenya.\n\n"
    f"The {WORD} solar irrigation pumps of Kenya serve 4,711 farms (2024).\n"
)


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    (folder / "kenya").mkdir(parents=True)
    (folder / "kenya" / "pumps.md").write_text(PUMPS, encoding="utf-8")
    (folder / "broken.pdf").write_bytes(b"%PDF-1.7 broken")
    (folder / "picture.png").write_bytes(b"\x89PNG")
    return folder


async def test_a_collection_is_added_searched_and_deleted_without_residue(
    whole: Whole, notes: Path, type_in: TypeIn
) -> None:
    code, _, said = await whole.command("collections", "add", NAME, str(notes))
    assert (code, en("cli-uploaded", n=2, of=2) in said) == (0, True), said
    assert en("cli-indexed", n=1, of=2, name=NAME) in said
    assert f"broken.pdf ({BROKEN_PDF}" in said
    assert opening("cli-not-read", "name", name="picture.png") in said
    said = (await type_in("collections", "add", NAME, str(notes))).err
    assert en("cli-uploaded", n=1, of=2) in said, "what failed is tried again"
    out = (await type_in("collections", "list", "--json")).out
    [listed] = [each for each in json.loads(out) if each["name"] == NAME]
    assert (listed["documents"], listed["indexed"], listed["failed"]) == (2, 1, 1)
    assert f"failed: {BROKEN_PDF}" in (await type_in("collections", "show", NAME)).out

    run = await whole.start(QUESTION, collections=[NAME])
    state = await run.finish()
    assert [each.name for each in state.collections] == [NAME]
    sources = (await run.get("/sources")).json()
    own = next(source for source in sources["items"] if source["collection"])
    assert (own["collection"], own["title"]) == (NAME, "Field notes")
    assert own["url"] == "file:///field%20notes/kenya/pumps.md"
    report = await run.report()
    assert "4,711 farms" in report
    assert en("documents-failed", n=1, collection=NAME, names=["broken.pdf"]) in report

    removed = await type_in("collections", "remove", NAME, "--yes")
    assert (removed.code, "Deleted" in removed.out) == (0, True)
    kept = await run.get(f"/artifacts/source-{own['n']}")
    assert kept.text == PUMPS, "the run keeps what it has read"
    assert (await whole.http.delete(f"/v1/runs/{run.id}")).is_success
    whole.runs.remove(run)
    addresses = whole.stack.addresses
    blobs, temporal = Path(addresses.home) / "blobs", await Client.connect(addresses.temporal)
    assert await places(WORD, addresses.database, blobs, temporal) <= {"temporal"}


@pytest.mark.full
async def test_a_cold_library_is_read_whole_before_it_is_searched(tmp_path: Path) -> None:
    """The folder is filled right before the question: no search may take another report for the asked one."""
    library = tmp_path / "reports"
    library.mkdir()
    async with (
        FragileStack(tmp_path / "home", print, library=library) as stack,
        Whole.of(stack) as whole,
    ):
        for n in range(COMPANIES):
            text = f"# Company {n:02} annual report\n\nNet sales of company {n:02} grew by {n}.5 % in 2020.\n"
            filler = f"The stores of company {n:02} sell well in this year. " * 4_000
            (library / f"{n:02}-report.md").write_text(f"{text}\n{filler}\n", encoding="utf-8")
        (library / "walnut.md").write_text(
            "# Walnut annual report\n\nNet sales of Walnut grew by 6.7 % in 2020.\n",
            encoding="utf-8",
        )
        asked = "How much did the net sales of Walnut grow in 2020?"
        run = await whole.start(asked, definition="web_answer")
        state = await run.completed()
        told = [event.payload.get("notice") for event in await run.events("Status")]
        notices = [Notice.model_validate(each) for each in told if each]
        waited = [each.params for each in notices if each.code == "collections-reading"]
        assert waited, "the run met an index that was not whole"
        assert all(int(str(each["done"])) < COMPANIES + 1 == each["n"] for each in waited)
        assert [each.indexed for each in state.collections] == [COMPANIES + 1]
        calls = [call["result"] for call in await whole.ledger(run, "tool")]
        searches = [result["hits"] for result in calls if "hits" in result]
        assert searches
        for hits in searches:
            assert hits[0]["url"] == "file:///reports/walnut.md", "it stood in the index"
        answer = (await run.report()).partition("## Answer")[2]
        assert "6.7 %" in answer.partition("[")[0], "it is what the answer opens with"
        assert state.searched == "the folder ‘reports’"
        read = {
            each["url"]: each["collection"] for each in (await run.get("/sources")).json()["items"]
        }
        assert read["file:///reports/walnut.md"] == "reports"
