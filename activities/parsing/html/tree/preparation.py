"""The passes over a page's tree before its text is extracted."""

from typing import Any

from activities.parsing.html.tree.blocks import separate_boxes, write_blocks
from activities.parsing.html.tree.context import remove
from activities.parsing.html.tree.footnote_marks import separate_marks
from activities.parsing.html.tree.formulas import write_formulas
from activities.parsing.html.tree.styles import PageStyles
from activities.parsing.html.tree.table_cells import fill_tables
from activities.parsing.html.tree.visibility import drop_unseen

LINKED_DATA = "application/ld+json"


def drop_scripts(tree: Any) -> None:
    """Remove scripts, except for linked data about the page."""
    for script in [*tree.iter("script")]:
        if not (script.get("type") or "").strip().lower().startswith(LINKED_DATA):
            remove(script)


def prepare(tree: Any, *, is_scripted: bool = False) -> int:
    """Prepare a page's tree: keep visible text in place, and separate figures from marks.

    Return the number of hidden characters kept because a script may show them. Each pass takes time
    proportional to the page's size and depth, which `MAX_DEPTH` limits.
    """
    drop_scripts(tree)
    styles = PageStyles(tree)
    hidden = drop_unseen(tree, styles, is_scripted=is_scripted)
    write_formulas(tree)
    separate_marks(tree, styles)
    separate_boxes(styles)
    fill_tables(tree)
    write_blocks(tree)
    return hidden
