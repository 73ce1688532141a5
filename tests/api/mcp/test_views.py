"""What tools return of a run's parts, in the words of the question's language."""

from api.mcp.views import show_source
from contracts.documents import UnreadPart
from contracts.notices import tell_unread
from tests.support.sources import page


def test_source_that_was_read_in_part_names_the_parts() -> None:
    lost = UnreadPart(code="pages_without_text", count=3, of=40)
    broken = UnreadPart(code="characters_broken", count=1, of=90_000)
    shown = show_source(1, page(title="Tender", unread=[lost, broken]), "de")
    assert shown.unread == [tell_unread("Tender", lost).say("de")]
    assert show_source(1, page(title="Tender"), "de").unread == []
