"""Description of the search and filings in a run's header."""

from contracts.evidence.read_failures import describe_failure
from contracts.media_types import SUFFIXES
from contracts.notices import Notice
from contracts.search import name_services
from contracts.words import say
from greenlight.stack.home import Addresses, Home
from greenlight.terminal.stack_connection import StackConnection
from tests.conftest import Offline
from tests.greenlight.terminal.fake_gateway import FakeGateway
from tests.support.words import en


def addresses() -> Addresses:
    return Home.from_environment().require_running()


def over_documents() -> StackConnection:
    """Return the stack that runs, as if it searched a folder of documents."""
    return StackConnection(addresses().model_copy(update={"library": "/docs"}))


def named(folder: str) -> Notice:
    return Notice.of("cli-search-folder", folder=folder)


def test_the_sample_library_is_named(gateway: FakeGateway) -> None:
    assert StackConnection(addresses()).describe_search() == Notice.of("cli-search-sample")


def test_services_that_search_the_web_are_named(gateway: FakeGateway) -> None:
    """As the run's state names them; a state that does not says the web alone."""
    real = StackConnection(addresses().model_copy(update={"offline": None}))
    place = Notice.of("searched-web", "info", names=name_services(["brave", "anthropic"]))
    assert real.describe_search(place) == place
    assert real.describe_search() == Notice.of("cli-search-web")


def test_documents_are_counted_and_unreadable_ones_named(gateway: FakeGateway) -> None:
    gateway.library |= {"documents": 2}
    gateway.unreadable = [{"name": "a.pdf", "error": "no text"}]
    told = over_documents().describe_search()
    assert (told.code, told.params) == (
        "cli-search-documents",
        {
            "n": 2,
            "folder": "/docs",
            "failed": en("cli-search-failed", name="a.pdf", error="no text"),
        },
    )
    assert told.text.splitlines()[1:] == [told.params["failed"]]


def test_a_folder_that_could_not_be_compared_is_told(gateway: FakeGateway) -> None:
    reason = describe_failure("folder_replaced")
    told = Notice.of("folder-unlisted", collection="docs", reason=reason)
    gateway.library |= {"documents": 1, "unlisted": [told.model_dump()]}
    assert over_documents().describe_search().params["failed"] == told.text


def test_documents_that_are_not_read_yet_are_counted(gateway: FakeGateway) -> None:
    gateway.library = {"documents": 74, "waiting": 15, "reading": 1}
    told = over_documents().describe_search()
    assert told.params == {"n": 74, "folder": "/docs", "unread": 16}


def test_many_unreadable_documents_are_truncated(gateway: FakeGateway) -> None:
    gateway.library |= {"documents": 1}
    gateway.unreadable = [{"name": f"{n}.pdf", "error": "no text"} for n in range(9)]
    failed = str(over_documents().describe_search().params["failed"])
    assert failed.endswith("4.pdf (no text)\n… and 4 more")


def test_a_folder_without_a_readable_document_is_reported_beyond_the_first_page_of_them(
    gateway: FakeGateway,
) -> None:
    gateway.library |= {"documents": 250, "failed": 250}
    gateway.unreadable = [{"name": f"{n}.pdf", "error": "no text"} for n in range(100)]
    told = over_documents().describe_search().params
    assert told["suffixes"] == list(SUFFIXES)
    assert str(told["failed"]).endswith("4.pdf (no text)\n… and 245 more")
    gateway.library |= {"documents": 251}
    assert "suffixes" not in over_documents().describe_search().params


def test_a_part_that_was_not_compared_is_no_failed_document(gateway: FakeGateway) -> None:
    reason = describe_failure("folder_replaced")
    told = Notice.of("folder-unlisted", collection="docs", reason=reason)
    gateway.library |= {"documents": 1, "unlisted": [told.model_dump()]}
    assert "suffixes" not in over_documents().describe_search().params


def test_empty_folder_is_reported(gateway: FakeGateway) -> None:
    assert over_documents().describe_search().params["suffixes"] == list(SUFFIXES)


def test_a_folder_that_is_not_mirrored_yet_is_named(gateway: FakeGateway) -> None:
    other = over_documents().addresses.model_copy(update={"library": "/elsewhere/docs"})
    assert StackConnection(other).describe_search() == named("/elsewhere/docs")


def test_unreachable_services_do_not_stop_a_run(home: Home, gateway: FakeGateway) -> None:
    away = over_documents().addresses.model_copy(update={"gateway": "http://127.0.0.1:1"})
    assert StackConnection(away).describe_search() == named("/docs")


def test_restart_options_of_an_own_stack_name_its_library(
    gateway: FakeGateway,
) -> None:
    over_library = addresses().model_copy(update={"library": "/my docs"})
    assert StackConnection(over_library, is_own=True).restart_options == " --library '/my docs'"
    assert StackConnection(over_library).restart_options == ""
    assert StackConnection(addresses(), is_own=True).restart_options == ""


def test_header_names_whose_filings_can_be_read(gateway: FakeGateway, offline: Offline) -> None:
    here = addresses().model_copy(update={"offline": {"edgar": offline.edgar}})
    told = StackConnection(here).describe_filings()
    names = ["Apple Inc. (AAPL)", "Snowflake Inc. (SNOW)"]
    assert told == en("cli-filings", names=names, option="--library DIR")
    assert (
        StackConnection(here.model_copy(update={"offline": None})).describe_filings() == "SEC EDGAR"
    )
    away = here.model_copy(update={"offline": {"edgar": "http://127.0.0.1:1"}})
    assert StackConnection(away).describe_filings() == say("en", "cli-filings-kept")
