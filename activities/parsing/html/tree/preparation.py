"""The passes over a page's tree before its text is extracted."""

from typing import Any

from activities.parsing.html.tree.blocks import write_blocks
from activities.parsing.html.tree.context import remove
from activities.parsing.html.tree.footnote_marks import separate_marks
from activities.parsing.html.tree.formulas import write_formulas
from activities.parsing.html.tree.table_cells import fill_tables
from activities.parsing.html.tree.visibility import drop_unseen

LINKED_DATA = "application/ld+json"


def drop_scripts(tree: Any) -> None:
    """Remove scripts: what they hold is of programs, but for linked data, which is about the page."""
    for script in [*tree.iter("script")]:
        if not (script.get("type") or "").strip().lower().startswith(LINKED_DATA):
            remove(script)


def prepare(tree: Any, *, is_scripted: bool = False) -> int:
    """Prepare a page's tree: what is seen stays, in its place, and figures are not glued to marks.

    Return how many characters stay that are hidden until a script shows them.
    Each pass takes time in proportion to the page and its depth, which `MAX_DEPTH` bounds.
    """
    drop_scripts(tree)
    hidden = drop_unseen(tree, is_scripted=is_scripted)
    write_formulas(tree)
    separate_marks(tree)
    fill_tables(tree)
    write_blocks(tree)
    return hidden
