"""Rules of style sheets that hide text of a page."""

import pytest
from lxml import html

from activities.parsing.html.tree.styles import StyleSheet


@pytest.mark.parametrize(
    ("css", "is_unseen"),
    [("p {display:none}", True), ("a, {display:none}", False), ("{display:none}", False)],
)
def test_rule_without_a_selector_hides_nothing(css: str, is_unseen: bool) -> None:
    assert StyleSheet(css).is_unseen(html.fromstring("<p>Pumps sell.</p>"), {}) is is_unseen
