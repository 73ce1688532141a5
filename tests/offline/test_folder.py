"""The reader's own documents: found, served as they are, gone when removed."""

import shutil
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from activities.integrations.fetch import PageFetcher
from activities.parsing.page_parser import PageParser
from contracts.media_types import FILES
from offline.library import index, reader
from offline.library.folder import Folder
from tests.offline.conftest import ROOT, Services, serving
from tests.offline.documents import fill


@pytest.fixture(scope="module")
async def served(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[tuple[Services, Path]]:
    """The services over one folder."""
    folder = tmp_path_factory.mktemp("served") / "drones"
    folder.mkdir()
    async with serving("--library", str(folder)) as services:
        yield services, folder


@pytest.fixture(scope="module")
def documents(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a document of each kind."""
    folder = tmp_path_factory.mktemp("documents")
    fill(folder)
    return folder


@pytest.fixture
def drones(served: tuple[Services, Path], documents: Path) -> tuple[Services, Path]:
    """The same, with a document of each kind in the folder and nothing else."""
    services, folder = served
    for entry in folder.iterdir():
        shutil.rmtree(entry) if entry.is_dir() else entry.unlink()
    shutil.copytree(documents, folder, dirs_exist_ok=True)  # as old as they were: not read again
    return services, folder


async def test_every_kind_of_document_is_found(drones: tuple[Services, Path]) -> None:
    services, _ = drones
    titles = await services.titles("drone", count=10)
    assert sorted(titles) == [
        *("Egret drone", "Harrier drone", "Heron drone", "Kestrel manual", "Osprey drone"),
    ]
    assert await services.titles("flies for 44 minutes") != []


async def test_publisher_and_date_are_the_documents_own(drones: tuple[Services, Path]) -> None:
    services, folder = drones
    found = await services.http.get("/res/v1/web/search", params={"q": "drone"})
    hits = {hit["title"]: hit for hit in found.json()["web"]["results"]}
    assert hits["Osprey drone"]["profile"]["name"] == "Bird Weekly"
    assert hits["Osprey drone"]["age"] == "2024-05-06"
    assert hits["Kestrel manual"]["profile"]["name"] == "Kestrel Works"
    assert hits["Kestrel manual"]["page_age"] == "2024-03-01T00:00:00"
    assert hits["Heron drone"]["profile"]["name"] == folder.name


async def test_files_are_served_as_they_are(drones: tuple[Services, Path]) -> None:
    services, folder = drones
    note = await services.http.get("/pages/reports/egret.txt")
    assert note.content == (folder / "reports" / "egret.txt").read_bytes()
    assert note.headers["content-type"] == "text/plain; charset=utf-8"
    page = await services.http.get("/pages/kestrel.pdf")
    assert page.content == (folder / "kestrel.pdf").read_bytes()
    assert page.headers["content-type"] == "application/pdf"


async def test_who_reads_html_only_gets_the_text_of_a_pdf(drones: tuple[Services, Path]) -> None:
    services, _ = drones
    accept = {"accept": "text/html,*/*;q=0.1"}
    page = await services.http.get("/pages/kestrel.pdf", headers=accept)
    assert page.headers["content-type"].startswith("text/html")
    assert "The Kestrel drone flies for 27 minutes." in page.text
    accept = {"accept": "text/html,application/pdf"}
    page = await services.http.get("/pages/kestrel.pdf", headers=accept)
    assert page.headers["content-type"] == "application/pdf"


async def test_a_run_fetches_and_reads_the_files_themselves(
    drones: tuple[Services, Path], parser: PageParser
) -> None:
    services, _ = drones
    fetcher = PageFetcher([urlsplit(services.base).netloc])
    for name, text in (("kestrel.pdf", "27 minutes"), ("harrier.docx", "| Payload |")):
        page = await fetcher.fetch(f"{services.base}/pages/{name}")
        assert page.media_type in FILES
        parsed = await parser.parse(page.body, page.media_type, page.charset, page.url)
        assert text in parsed.text


@pytest.mark.parametrize("encoding", ["cp1252", "utf-16", "utf-8"])
@pytest.mark.parametrize("suffix", [".txt", ".md"])
def test_plain_text_is_read_in_its_encoding(tmp_path: Path, suffix: str, encoding: str) -> None:
    path = tmp_path / f"note{suffix}"
    path.write_bytes("# Köln drone\n\nIt costs 1 250 € – “all in”.".encode(encoding))
    read = reader.read(path)
    assert (read.title, read.text.partition("\n\n")[2]) == (
        "Köln drone",
        "It costs 1 250 € – “all in”.",
    )


@pytest.mark.full
async def test_a_removed_document_is_gone_and_a_changed_one_is_new(
    drones: tuple[Services, Path],
) -> None:
    services, folder = drones
    (folder / "heron.md").unlink()
    (folder / "osprey.html").write_text(
        "<html><body><p>Nothing about flying here.</p></body></html>"
    )
    (folder / "new.md").write_text("# Bittern drone\n\nIt floats.")
    titles = await services.titles("drone", count=10)
    assert "Bittern drone" in titles
    assert {"Heron drone", "Osprey drone"}.isdisjoint(titles)
    assert (await services.http.get("/pages/heron.md")).status_code == 404


async def test_nothing_outside_the_folder_is_served(drones: tuple[Services, Path]) -> None:
    services, folder = drones
    (folder.parent / "secret.md").write_text("# Secret")
    for path in ("/pages/../secret.md", "/pages/%2e%2e/secret.md", "/pages/.hidden.md"):
        assert (await services.http.get(path)).status_code == 404
    (folder / "link.md").symlink_to(folder.parent / "secret.md")
    assert (await services.http.get("/pages/link.md")).status_code == 404


async def test_what_cannot_be_read_is_a_warning(drones: tuple[Services, Path]) -> None:
    services, folder = drones
    (folder / "broken.pdf").write_bytes(b"%PDF-1.4 broken")
    (folder / "broken.docx").write_bytes(b"PK\x03\x04 no zip")
    (folder / "binary.txt").write_bytes(b"\x01\x02\x00\x81")
    (folder / "empty.md").write_text("")
    described = (await services.http.get("/library")).json()
    assert described["documents"] == len(described["titles"]) == 5
    assert set(described["warnings"]) == {"broken.pdf", "broken.docx", "binary.txt", "empty.md"}
    (folder / "empty.md").write_text("# Full drone")
    assert "Full drone" in await services.titles("drone", count=10)
    assert "empty.md" not in (await services.http.get("/library")).json()["warnings"]


@pytest.mark.full
async def test_an_empty_library_finds_nothing(tmp_path: Path) -> None:
    async with serving("--library", str(tmp_path)) as services:
        found = await services.http.get("/res/v1/web/search", params={"q": "drone"})
    assert (found.status_code, found.json().get("web")) == (200, None)


@pytest.mark.full
@pytest.mark.parametrize("make", [lambda p: None, lambda p: p.write_text("a file")])
def test_a_library_that_is_no_folder_ends_the_start(tmp_path: Path, make: object) -> None:
    path = tmp_path / "library"
    assert callable(make)
    make(path)
    ended = start("--library", str(path))
    assert ended.returncode == 2
    assert str(path) in ended.stderr
    assert len(ended.stderr.splitlines()) == 1


async def test_a_taken_port_ends_the_start(sample: Services) -> None:
    ended = start("--port", sample.base.rpartition(":")[2])
    assert ended.returncode == 2
    assert "port" in ended.stderr


def start(*flags: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "offline", *flags]
    return subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=20, check=False
    )


def slow_page() -> str:
    """Return a page whose attributes the parser compares each with all before it."""
    attributes = " ".join(f"a{n}=1" for n in range(80_000))
    return f"<html><body><p {attributes}>{'A long story. ' * 50}</p></body></html>"


def test_a_page_that_takes_too_long_costs_itself_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reader, "MAX_SECONDS", 2)
    monkeypatch.setattr(index, "PATIENCE_SECONDS", 0.1)
    (tmp_path / "a.md").write_text("# Heron drone")
    (tmp_path / "b.html").write_text(slow_page())
    (tmp_path / "c.md").write_text("# Egret drone")
    library = index.Library(Folder(tmp_path))
    thread = threading.Thread(target=library.refresh)
    thread.start()
    while not (found := [document.title for document, _ in library.search("drone", 5)]):
        assert thread.is_alive()
    started = time.monotonic()
    assert library.get_page("a.md") or not thread.is_alive()
    assert time.monotonic() - started < 1
    assert "Heron drone" in found
    thread.join(30)
    assert not thread.is_alive()
    assert {d.title for d, _ in library.search("drone", 5)} == {"Heron drone", "Egret drone"}
    assert set(library.shelf.warnings) == {"b.html"}


@pytest.mark.parametrize(
    "query", ["kündigen unsere Kunden", "Kündigung", "kündigen", "11,4 %", "kündigungen 2025"]
)
def test_other_forms_of_a_word_find_a_document_in_its_language(tmp_path: Path, query: str) -> None:
    (tmp_path / "a.md").write_text("# Bericht\n\nDie Kündigungsrate stieg auf 11,4 % im Jahr 2025.")
    (tmp_path / "b.md").write_text("# Speisekarte\n\nSuppe, Brot und Wein.")
    found = index.Library(Folder(tmp_path)).search(query, 5)
    assert [document.slug for document, _ in found] == ["a.md"]
