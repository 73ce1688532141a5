"""Description of the search and filings in a run's header."""

from greenlight.stack.home import Addresses, Home
from greenlight.terminal.stack_connection import SAMPLE, StackConnection
from tests.conftest import Offline
from tests.greenlight.terminal.fake_gateway import FakeGateway


def addresses() -> Addresses:
    return Home.from_environment().require_running()


def over_documents() -> StackConnection:
    """Return the stack that runs, as if it searched a folder of documents."""
    return StackConnection(addresses().model_copy(update={"library": "/docs"}))


def test_the_sample_library_is_named(gateway: FakeGateway) -> None:
    assert StackConnection(addresses()).describe_search() == SAMPLE


def test_documents_are_counted_and_unreadable_ones_named(gateway: FakeGateway) -> None:
    gateway.library |= {"documents": 2}
    gateway.unreadable = [{"name": "a.pdf", "error": "no text"}]
    assert (
        over_documents().describe_search()
        == "2 documents in /docs\ncannot be read: a.pdf (no text)"
    )


def test_documents_that_are_not_read_yet_are_counted(gateway: FakeGateway) -> None:
    gateway.library = {"documents": 74, "waiting": 15, "reading": 1}
    told = over_documents().describe_search()
    assert told == "74 documents in /docs, 16 not read yet: the run waits for them"


def test_many_unreadable_documents_are_truncated(gateway: FakeGateway) -> None:
    gateway.library |= {"documents": 1}
    gateway.unreadable = [{"name": f"{n}.pdf", "error": "no text"} for n in range(9)]
    assert over_documents().describe_search().splitlines()[0] == "1 document in /docs"
    assert over_documents().describe_search().endswith("4.pdf (no text)\n… and 4 more")


def test_empty_folder_is_reported(gateway: FakeGateway) -> None:
    assert (
        over_documents()
        .describe_search()
        .startswith("0 documents in /docs, so nothing can be found")
    )


def test_a_folder_that_is_not_mirrored_yet_is_named(gateway: FakeGateway) -> None:
    other = over_documents().addresses.model_copy(update={"library": "/elsewhere/docs"})
    assert StackConnection(other).describe_search() == "your documents in /elsewhere/docs"


def test_unreachable_services_do_not_stop_a_run(home: Home, gateway: FakeGateway) -> None:
    away = over_documents().addresses.model_copy(update={"gateway": "http://127.0.0.1:1"})
    assert StackConnection(away).describe_search() == "your documents in /docs"


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
    assert told.startswith("Apple Inc. (AAPL), Snowflake Inc. (SNOW); your own: CIK")
    assert (
        StackConnection(here.model_copy(update={"offline": None})).describe_filings() == "SEC EDGAR"
    )
    away = here.model_copy(update={"offline": {"edgar": "http://127.0.0.1:1"}})
    assert StackConnection(away).describe_filings() == "EDGAR's, as they lie here"
