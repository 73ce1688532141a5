"""The passes over a page's tree take linear time, for any nesting and repetition."""

import contextlib
from collections.abc import Callable

import pytest

from activities.parsing.document import Unreadable
from activities.parsing.html.reader import MAX_DEPTH, load_tree
from activities.parsing.html.tree.preparation import prepare
from activities.parsing.html.tree.styles import StyleSheet
from activities.parsing.read_document import read_document
from tests.growth.measure import MAX_RATIO, NEGLIGIBLE_SECONDS, TIMES, compare

UNITS = 1_000
DEEP = MAX_DEPTH - 20

PAGES: dict[str, Callable[[int], str]] = {
    "raised": lambda n: "<p>" + "12<sup>3</sup>" * n,
    "raised without figures": lambda n: "<p>" + "<sup>3</sup>" * n,
    "lowered": lambda n: "<p>x" + "<sub>2</sub>" * n,
    "note links": lambda n: "<p>" + "<a href=#a>1</a>" * n,
    "struck in a line": lambda n: "<p>" + "<s>a</s>b" * n,
    "hidden blocks": lambda n: "<div hidden>a</div>b" * n,
    "nested hidden": lambda n: (
        ("<div style='opacity:0'>" * DEEP + "a" + "</div>" * DEEP) * (n // 100)
    ),
    "nested hidden long text": lambda n: (
        "<div style='opacity:0'>" * DEEP + "a " * n * 5 + "</div>" * DEEP
    ),
    "white in white": lambda n: ("<font color=white>" * DEEP + "a" + "</font>" * DEEP) * (n // 100),
    "distinct styles": lambda n: "".join(f"<p style='color:#{i};left:{i}px'>a" for i in range(n)),
    "rules and classes": lambda n: (
        "<style>"
        + "".join(f".a.b{i}{{display:none}}" for i in range(n))
        + "</style>"
        + "<p class=a>b" * n
    ),
    "many classes": lambda n: (
        "<style>"
        + "".join(f".c{i}{{color:red}}" * 40 for i in range(49))
        + "</style>"
        + "".join(
            f"<p class='{' '.join(f'c{i}' for i in range(49))} u{k}'>b" for k in range(n // 10)
        )
    ),
    "an open rule": lambda n: "<style>" + "@media a{" * n + "</style><p>b",
    "row spans": lambda n: "<table>" + "<tr><td rowspan=1000>a<td>b" * n + "</table>",
    "column spans": lambda n: (
        "<table>" + "<tr><th colspan=1000 rowspan=1000>a<th>b" * n + "</table>"
    ),
    "wide row": lambda n: "<table><tr>" + "<th rowspan=9 colspan=9>a" * n + "<tr><td>b</table>",
    "nested tables": lambda n: ("<table><tr><td>a<td>" * 80 + "</table>" * 80) * (n // 50),
    "inner tables": lambda n: "<table>" + "<tr><td>a<td><table><tr><td>b</table>" * n + "</table>",
    "lists": lambda n: "<ol>" + "<li>a" * n + "</ol>",
    "nested lists": lambda n: ("<ol><li>" * 100 + "a" + "</ol>" * 100) * (n // 50),
    "definitions": lambda n: "<dl>" + "<dt>a<dd>b" * n + "</dl>",
    "terms": lambda n: "<dl>" + "<dt>a</dt>" * n + "<dd>b</dl>",
    "controls": lambda n: "<form>" + "<input value=a>" * n + "</form>",
    "options": lambda n: "<select>" + "<option selected>a" * n + "</select>",
    "formulas": lambda n: "<math><msup><mn>1</mn><mn>2</mn></msup></math>" * n,
    "a formula": lambda n: "<math>" + "<mn>1</mn>" * n + "</math>",
    "a deep formula": lambda n: (
        ("<math>" + "<msqrt>" * 99 + "a" + "</msqrt>" * 99 + "</math>") * (n // 50)
    ),
    "quotes": lambda n: "<p>" + "<q>a</q>" * n,
    "scripts": lambda n: "<p>" + "a<script>b</script>" * n,
}


@pytest.mark.parametrize("shape", PAGES)
@pytest.mark.timeout(300)
def test_no_pass_over_a_tree_grows_faster_than_its_page(shape: str) -> None:
    def run(page: str) -> None:
        tree = load_tree(page)
        prepare(tree)

    small, large = (f"<html><body>{PAGES[shape](UNITS * times)}" for times in (1, TIMES))
    assert compare(lambda: run(small), lambda: run(large), NEGLIGIBLE_SECONDS) < MAX_RATIO


@pytest.mark.parametrize("shape", PAGES)
@pytest.mark.full
def test_no_page_grows_faster_than_its_text_when_it_is_read(shape: str) -> None:
    def run(page: str) -> None:
        with contextlib.suppress(Unreadable):
            read_document(page.encode(), "text/html")

    small, large = (f"<html><body>{PAGES[shape](UNITS * times // 2)}" for times in (1, TIMES))
    assert compare(lambda: run(small), lambda: run(large), NEGLIGIBLE_SECONDS) < MAX_RATIO


@pytest.mark.parametrize(
    "part", ["a{", "}", ".a,", ".a{b:c}", "/*", "@media a{", "a{left:-9999", ";"]
)
def test_no_style_sheet_grows_faster_than_its_text(part: str) -> None:
    small, large = (part * (20_000 * times) for times in (1, TIMES))
    ratio = compare(lambda: StyleSheet(small), lambda: StyleSheet(large), NEGLIGIBLE_SECONDS)
    assert ratio < MAX_RATIO
