"""A folder as a collection: mirrored at each start, read again only where it changed."""

import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from activities.collections import library
from activities.collections.folder import list_folder
from activities.collections.library import FolderMirror, name_folder
from contracts.access.principal import Principal
from contracts.evidence.read_failures import describe_failure
from contracts.notices import Notice
from contracts.runs.start import Opened
from tests.activities.collections.conftest import ANA, Shelf
from tests.offline.documents import fill
from tests.support.thread_rights import bound_threads
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


ALL = {"harrier.docx", "heron.md", "kestrel.pdf", "osprey.html", "reports/egret.txt"}


async def mirror_again(
    shelf: Shelf, folder: Path, unlisted: Sequence[Notice] = ()
) -> dict[str, str]:
    """Mirror a folder once more; return its documents' states, and check what could not be compared."""
    used = await FolderMirror(folder, shelf.documents).synchronise("acme")
    assert used
    await shelf.index()
    [state] = await shelf.collections.inspect("acme", [used])
    [listed] = await shelf.collections.list_all(HOUSE, str(folder))
    assert state.unlisted == listed.unlisted == list(unlisted)
    assert state.is_whole is not bool(unlisted)
    return {name: each.status for name, each in (await shelf.list_documents(NAME, HOUSE)).items()}


def parts_unlisted(**reasons: str) -> list[Notice]:
    names = [
        Notice.of("named-failure", name=name, reason=describe_failure("unopened", reason=reason))
        for name, reason in reasons.items()
    ]
    return [Notice.of("folder-parts-unlisted", collection=NAME, n=len(names), names=names)]


def take_away(folder: Path, is_replaced: bool) -> None:
    folder.rename(folder.parent / "away")
    if is_replaced:
        folder.mkdir()


def bring_back(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    (folder.parent / "away").rename(folder)


@pytest.mark.parametrize("is_replaced", [False, True], ids=["is gone", "is another, empty one"])
async def test_documents_stay_while_their_folder_is_away_and_leave_with_their_files(
    shelf: Shelf, folder: Path, is_replaced: bool
) -> None:
    """As of a share that is not mounted: its place is missing, or is an empty folder."""
    whole = dict.fromkeys(ALL, "indexed")
    assert await mirror_again(shelf, folder) == whole
    take_away(folder, is_replaced)
    missing = describe_failure("unopened", reason="No such file or directory")
    if is_replaced:
        missing = describe_failure("folder_replaced")
    told = [Notice.of("folder-unlisted", collection=NAME, reason=missing)]
    for _ in range(2):
        assert await mirror_again(shelf, folder, told) == whole
    bring_back(folder)
    assert await mirror_again(shelf, folder) == whole
    empty(folder)
    assert await mirror_again(shelf, folder) == {}
    await shelf.collections.delete(HOUSE, NAME)


async def test_what_may_not_be_read_any_more_stays_as_it_was_read(
    shelf: Shelf, folder: Path
) -> None:
    """A folder that may not be listed, a changed file that may not be opened, and a link that leads round."""
    (folder / "b").mkdir()
    (folder / "b" / "a.md").write_text("# Bittern drone")
    whole = dict.fromkeys([*ALL, "b/a.md"], "indexed")
    assert await mirror_again(shelf, folder) == whole
    (folder / "reports").chmod(0)
    (folder / "heron.md").write_text("# Another drone")
    (folder / "heron.md").chmod(0)
    (folder / "new.md").write_text("# New drone")
    (folder / "new.md").chmod(0)
    (folder / "b").rename(folder.parent / "b")
    (folder / "b").symlink_to("b")
    (folder / "kestrel.pdf").unlink()
    del whole["kestrel.pdf"]
    told = parts_unlisted(
        b="Too many levels of symbolic links",
        **{"heron.md": "Permission denied", "reports": "Permission denied"},
    )
    with bound_threads():
        assert await mirror_again(shelf, folder, told) == {**whole, "new.md": "failed"}
    for name in ("reports", "heron.md", "new.md"):
        (folder / name).chmod(0o700)
    (folder / "b").unlink()
    del whole["b/a.md"]
    assert await mirror_again(shelf, folder) == {**whole, "new.md": "indexed"}
    titles = {d.title for d in (await shelf.list_documents(NAME, HOUSE)).values()}
    assert {"Another drone", "Egret drone", "New drone"} <= titles
    await shelf.collections.delete(HOUSE, NAME)


async def test_files_that_are_not_read_are_failed_documents_with_the_reason(
    shelf: Shelf, folder: Path
) -> None:
    empty(folder)
    (folder / "notes.md").write_text("# Notes")
    (folder.parent / "secret.md").write_text("# Secret")
    reasons = {
        "old.DOC": describe_failure("save_as", kind="old_word", suffix=".docx"),
        "mail.msg": describe_failure("save_as", kind="outlook", suffix=".eml"),
        "app.log": describe_failure("format_unread", suffix=".log"),
        "README": describe_failure("format_unread"),
        "pipe.md": describe_failure("no_file"),
        "link.md": describe_failure("linked_outside"),
        "elsewhere": describe_failure("linked_outside"),
    }
    for name in ("old.DOC", "mail.msg", "app.log", "README"):
        (folder / name).write_bytes(b"x")
    os.mkfifo(folder / "pipe.md")
    (folder / "link.md").symlink_to(folder.parent / "secret.md")
    (folder / "elsewhere").symlink_to(folder.parent)
    (folder / "a\x07b.md").write_text("# Bell")
    states = await mirror_again(shelf, folder)
    found = await shelf.list_documents(NAME, HOUSE)
    [bell] = [each for each in found.values() if each.name.startswith("a\ufffdb.md (")]
    assert bell.failure == describe_failure("name_unusable")
    failed = {name: one.failure for name, one in found.items() if one.status == "failed"}
    assert failed == {**reasons, bell.name: bell.failure}
    assert states.keys() - failed.keys() == {"notes.md"}
    used = await FolderMirror(folder, shelf.documents).synchronise("acme")
    assert used
    [described] = await shelf.collections.describe("acme", [used], 1)
    assert described.titles == ["Notes (notes.md)"], "the planner knows what is read"
    await shelf.collections.delete(HOUSE, NAME)


def test_nothing_hidden_and_no_filings_are_listed_and_no_name_is_lost(folder: Path) -> None:
    (folder / ".git").mkdir()
    (folder / ".git" / "a.md").write_text("# Hidden")
    (folder / "CIK0000000077.json").write_text("{}")
    (folder / "within.md").symlink_to(folder / "heron.md")
    (folder / "again").symlink_to(folder / "reports")
    for name in ("Ka\u0308fer.md", "K\u00e4fer.md", "only a\u0308.md"):  # one as Macs compose it
        (folder / name).write_text("# Beetle drone")
    found = list_folder(folder.resolve())
    read = {name for name, file in found.files.items() if not file.refusal}
    assert read == {*ALL, "within.md", "K\u00e4fer.md", "only \u00e4.md"}
    assert len(found.files) == len(read) + 1, "the other beetle has a name of its own"


def test_a_file_keeps_the_name_that_is_exactly_its_own_and_a_like_one_is_named_with_its_folder(
    folder: Path,
) -> None:
    names = (
        "a /x.md",
        "a/x.md",
        "c /d.md",
        "z\\y.md",
        "z/y.md",
        "e/Ka\u0308.md",
        "e/K\u00e4.md",
        "y.md",
        "y.md ",
    )
    for name in names:
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(name)
    listed = list_folder(folder.resolve()).files
    for name in ("a/x.md", "z/y.md", "e/K\u00e4.md", "y.md"):
        assert (listed[name].path.read_text(), listed[name].refusal) == (name, None)
    assert listed["c/d.md"].path.read_text() == "c /d.md", "no other file has this name"
    refused = {name: file for name, file in listed.items() if file.refusal}
    assert {name.rpartition(" (")[0]: file.path.read_text() for name, file in refused.items()} == {
        name: name for name in ("a /x.md", "z\\y.md", "e/Ka\u0308.md", "y.md ")
    }
    (taken,) = (name for name in refused if name.startswith("y"))
    (folder / taken).write_text("# Its name is how another is shown")
    again = list_folder(folder.resolve()).files
    assert again[taken].path.name == taken
    assert len(again) == len(listed) + 1


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
