"""Rules of style sheets that hide text of a page."""

import pytest
from lxml import html

from activities.parsing.html.tree.styles import StyleSheet
from activities.parsing.read_document import read_document
from bench.documents.parsing_fidelity import FIXTURES


@pytest.mark.parametrize(
    ("css", "is_unseen"),
    [("p {display:none}", True), ("a, {display:none}", False), ("{display:none}", False)],
)
def test_rule_without_a_selector_hides_nothing(css: str, is_unseen: bool) -> None:
    read = StyleSheet(css).read(html.fromstring("<p>Pumps sell.</p>"), {})
    assert bool(read.cause) is is_unseen


@pytest.mark.parametrize(
    ("case", "hidden"),
    [
        ("html-script-shows-wrapper", True),
        ("html-script-shows-slides", True),
        ("html-script-shows-classes", True),
        ("html-hidden-instructions", False),
        ("html-hidden-long-instructions", False),
    ],
)
def test_hidden_main_text_is_read_and_told(case: str, hidden: bool) -> None:
    page = (FIXTURES / case / "input.html").read_bytes()
    assert [part.code for part in read_document(page, "text/html").unread] == [
        "text_hidden"
    ] * hidden
