"""A folder as a collection: mirrored at each start, read again only where it changed."""

import os
from pathlib import Path
from typing import Any

import pytest

from activities.collections import library
from activities.collections.library import FolderMirror, list_files, name_folder
from contracts.access.principal import Principal
from contracts.runs.start import Opened
from tests.activities.collections.conftest import ANA, Shelf
from tests.offline.documents import fill
from tests.support.words import en, phrase

HOUSE = Principal(tenant_id="acme")
NAME = "my plans"


@pytest.fixture
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a document of each kind."""
    made = tmp_path_factory.mktemp("library") / "my plans"
    made.mkdir()
    fill(made)
    return made


def empty(folder: Path) -> None:
    """Remove all documents."""
    for path in folder.rglob("*.*"):
        path.unlink()


async def test_a_folder_is_mirrored_and_only_its_changes_are_read_again(
    shelf: Shelf, folder: Path
) -> None:
    before = await shelf.count()
    mirror = FolderMirror(folder, shelf.documents)
    used = await mirror.synchronise("acme")
    assert used
    assert (used.name, used.replaces_web) == (NAME, True)
    assert await shelf.index() == 5
    found = await shelf.list_documents(NAME, HOUSE)
    assert {name: d.title for name, d in found.items()} == {
        "harrier.docx": "Harrier drone",
        "heron.md": "Heron drone",
        "kestrel.pdf": "Kestrel manual",
        "osprey.html": "Osprey drone",
        "reports/egret.txt": "Egret drone",
    }
    os.utime(folder / "osprey.html")  # touched, and the same to the byte
    (folder / "heron.md").write_text("# Heron drone\n\nIt floats on water.\n")
    (folder / "kestrel.pdf").unlink()
    (folder / "new.md").write_text("# Bittern drone\n\nIt hides in reeds.\n")
    again = await FolderMirror(folder, shelf.documents).synchronise("acme")
    assert again == used, "kept over starts"
    assert shelf.asked == ["acme", "acme"]
    assert await shelf.index() == 2
    await FolderMirror(folder, shelf.documents).synchronise("acme")
    assert len(shelf.asked) == 2, "nothing has changed: nothing is started"
    [first, *_] = await shelf.find(used.id, "which drone floats on water")
    assert "floats on water" in first.passages[0].text
    assert not [d for d in await shelf.find(used.id, "Kestrel manual") if "27" in str(d)]
    await shelf.collections.delete(HOUSE, NAME)
    await shelf.documents.delete_loose_blobs("acme")
    assert await shelf.count() == before


async def test_what_cannot_be_read_is_a_failed_document_by_name(
    shelf: Shelf, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(library, "LARGEST_BYTES", 2_000)
    empty(folder)
    (folder / "broken.pdf").write_bytes(b"%PDF-1.4 broken")
    (folder / "empty.md").write_text("")
    (folder / "large.txt").write_text("x " * 2_000)
    (folder / "good.md").write_text("# Good\n\nPumps.")
    used = await FolderMirror(folder, shelf.documents).synchronise("acme")
    assert used
    await shelf.index()
    found = await shelf.list_documents(NAME, HOUSE)
    reasons = {name: d.error for name, d in found.items() if d.status == "failed"}
    assert reasons.keys() == {"broken.pdf", "empty.md", "large.txt"}
    assert reasons["empty.md"] == en("failure.empty")
    assert reasons["large.txt"].startswith(phrase("failure.too_large"))
    [state] = await shelf.collections.inspect("acme", [used])
    assert (state.name, state.documents, state.indexed) == ("my plans", 4, 1)
    assert state.failed == sorted(reasons)
    (folder / "empty.md").write_text("# Full drone")
    await FolderMirror(folder, shelf.documents).synchronise("acme")
    assert await shelf.index() == 1
    assert (await shelf.list_documents(NAME, HOUSE))["empty.md"].title == "Full drone"
    await shelf.collections.delete(HOUSE, NAME)


def test_nothing_outside_the_folder_nothing_hidden_and_no_filings_are_listed(folder: Path) -> None:
    (folder.parent / "secret.md").write_text("# Secret")
    (folder / "link.md").symlink_to(folder.parent / "secret.md")
    (folder / ".git").mkdir()
    (folder / ".git" / "a.md").write_text("# Hidden")
    (folder / "CIK0000000077.json").write_text("{}")
    (folder / "within.md").symlink_to(folder / "heron.md")
    listed = dict(list_files(folder.resolve()))
    assert listed.keys() == {
        *("harrier.docx", "heron.md", "kestrel.pdf", "osprey.html", "reports/egret.txt"),
        "within.md",
    }


def test_a_mirror_is_called_by_its_folder() -> None:
    assert name_folder(Path("/x/Mein Ordner & Co")) == "Mein Ordner Co"
    assert name_folder(Path("/")) == "documents"
    assert len(name_folder(Path("/x") / ("y" * 200))) <= 80


async def test_price_knows_the_longest_documents_read_or_not(shelf: Shelf, folder: Path) -> None:
    empty(folder)
    (folder / "long.md").write_text("# Long\n\n" + "Pumps are sold. " * 2_000)
    (folder / "short.md").write_text("# Short\n\nPumps.")
    used = await FolderMirror(folder, shelf.documents).synchronise("acme")
    assert used
    lengths = await shelf.collections.list_lengths("acme", [used])
    assert lengths == sorted(lengths, reverse=True)
    assert len(lengths) == 2
    assert lengths[0] > 5_000, "guessed by its bytes"
    await shelf.index()
    [long, short] = await shelf.collections.list_lengths("acme", [used])
    assert long > 30_000
    assert short < 100
    assert await shelf.collections.list_lengths("acme", []) == []
    await shelf.collections.delete(HOUSE, NAME)


async def test_a_folder_that_a_start_names_as_well_is_searched_once_and_its_documents_are_counted(
    shelf: Shelf, folder: Path
) -> None:
    mirror = FolderMirror(folder, shelf.documents)
    own = await mirror.synchronise("acme")
    assert own
    [named] = await shelf.collections.choose(HOUSE, [NAME])
    given: dict[str, Any] = {"collections": [named]}
    opened = Opened.model_construct(**given)
    opened = await mirror.add_to("acme", opened, own)
    assert [(use.id, use.replaces_web) for use in opened.collections] == [(own.id, True)]
    [state] = opened.collection_states
    assert (state.name, state.documents, state.indexed) == ("my plans", 5, 0)
    await shelf.index()
    [state] = (await mirror.add_to("acme", opened, own)).collection_states
    assert (state.documents, state.indexed) == (5, 5)


async def test_two_folders_of_one_name_are_two_mirrors_and_no_users_collection(
    shelf: Shelf, tmp_path: Path
) -> None:
    house = Principal(tenant_id="acme", user_id="")
    await shelf.collections.make(house, "plans")
    used = []
    for place in ("old", "new"):
        folder = tmp_path / place / "plans"
        folder.mkdir(parents=True)
        (folder / f"{place}.md").write_text(f"# Plans of {place}\n\nPumps of {place}.")
        mirror = await FolderMirror(folder, shelf.documents).synchronise("acme")
        assert mirror == await FolderMirror(folder, shelf.documents).synchronise("acme")
        assert mirror
        used.append(mirror)
    assert [use.name for use in used] == ["plans (2)", "plans (3)"]
    await shelf.index()
    for use, place in zip(used, ("old", "new"), strict=True):
        assert (await shelf.list_documents(use.name, house)).keys() == {f"{place}.md"}
        [found] = await shelf.find(use.id, "pumps")
        source = (await shelf.collections.get_sources("acme", [found.document_id])).popitem()[1]
        assert (source.collection, source.file_name) == (use.name, f"{use.name}/{place}.md")
    listed = await shelf.collections.list_all(house, str(tmp_path / "new" / "plans"))
    assert [(each.name, each.is_folder) for each in listed] == [("plans (3)", True)]
    assert not await shelf.list_documents("plans", house)
    assert await shelf.collections.make(ANA, "plans (2)") == used[0].id, "it is shown as a folder's"
    for name in ("plans", "plans (2)", "plans (3)"):
        await shelf.collections.delete(house, name)
