"""Positions of each view's parts at three widths: a change of looks changes these files, which a reviewer reads.

Boxes are compared in place of pixels: how letters are smoothed differs between machines, where they stand does not,
since the page brings its fonts. `GREENLIGHT_RENEW_LAYOUT=1 pytest tests/page/all_views/test_layout.py` records them anew.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.async_api import Page, expect

from tests.page.conftest import Visitor
from tests.page.views import open_note
from tests.support.stack import Undisturbed, Whole

RECORDED = Path(__file__).parent / "layout"
RENEWS = os.environ.get("GREENLIGHT_RENEW_LAYOUT") == "1"
WIDTHS: Mapping[int, int] = {1280: 860, 768: 1024, 360: 740}
"""Heights of the window by its width."""
TOLERANCE_PX = 3
SETTLED_MS = 700
NO_QUESTION = "localStorage.setItem('greenlight.notify', 'asked')"
"""Whether the browser may notify is asked for once."""
BOXES = """without => {
    for (const one of document.querySelectorAll(without)) one.style.display = "none";
    const parts = "header, nav, main, aside, footer, section, article, form, details, table, fieldset," +
        "h1, h2, h3, h4, summary, button, .button, input, select, textarea, .notice, .card, .report > p";
    return [...document.querySelectorAll(parts)].flatMap(one => {
        const {x, y, width, height} = one.getBoundingClientRect();
        if (width * height === 0 || !one.checkVisibility() || one.closest(".unseen, .skip")) return [];
        const style = getComputedStyle(one);
        const name = [one.localName, ...one.classList].join(".");
        const box = [x, y + scrollY, width, height].map(Math.round).join(" ");
        return [`${name} ${box} ${style.fontSize} ${style.fontWeight} ${style.color} ${style.backgroundColor}`];
    });
}"""


@dataclass(frozen=True)
class View:
    """A view's address, what shows that it is there, and what other runs or the clock change in it."""

    path: str
    sign: str
    without: str = ".badge"


def _list_views(done: str, planned: str, asked: str) -> dict[str, View]:
    """Return the views by name; rows of runs that other tests have left are not looked at."""
    return {
        "ask": View("/", ".depths", ".badge, .ask nav.examples"),
        "inbox": View(f"/inbox/{planned}", ".plan", ".badge, .waits li"),
        "runs": View("/runs", ".question", ".badge, .history, .asking, main ul, main section"),
        "clarify": View(f"/runs/{asked}", ".questions"),
        "approve": View(f"/runs/{planned}", ".plan"),
        "watch": View(f"/runs/{planned}/work", ".growing", ".badge, .happened, .behind"),
        "read": View(f"/runs/{done}/report", ".cost"),
        "note": View(f"/runs/{done}/report", ".cost"),
        "plan": View(f"/runs/{done}/plan", ".plan"),
        "work": View(f"/runs/{done}/work", ".feed", ".badge, .timeline, .graph, .feed-box li"),
        "definitions": View("/compose", ".definition-rows li", ".badge, .definition-rows li"),
        "compose": View("/compose?from=deep_research", ".phase-card"),
    }


@pytest.mark.full
async def test_each_views_parts_stand_where_they_are_recorded(
    visitor: Visitor, undisturbed: Undisturbed, whole: Whole
) -> None:
    planned, asked = await whole.planned(), await whole.start(undisturbed.state.query)
    await asked.asks("questions")
    await visitor.context.add_init_script(NO_QUESTION)
    views = _list_views(undisturbed.run.id, planned.id, asked.id)
    page = await visitor.open()
    moved: dict[str, list[str]] = {}
    for name, view in views.items():
        found = await _measure(page, visitor.base, name, view)
        file = RECORDED / f"{name}.txt"
        if RENEWS:
            file.write_text("\n".join(found) + "\n", encoding="utf-8")
        elif differs := _compare(file.read_text("utf-8").splitlines(), found):
            moved[name] = differs
    assert moved == {}
    assert {file.stem for file in RECORDED.iterdir()} == views.keys()


async def _measure(page: Page, base: str, name: str, view: View) -> list[str]:
    """Return a line for each part of a view at each width."""
    lines: list[str] = []
    for width, height in WIDTHS.items():
        await page.set_viewport_size({"width": width, "height": height})
        await page.goto(base + view.path)
        await expect(page.locator(view.sign).first).to_be_visible()
        if name == "note":
            await open_note(page)
        await page.wait_for_timeout(SETTLED_MS)
        lines += [f"{width} {line}" for line in await page.evaluate(BOXES, view.without)]
    return lines


def _compare(before: list[str], after: list[str]) -> list[str]:
    """Return the first parts that differ in kind, looks or position."""
    differs = [
        f"{one} -> {other}"
        for one, other in zip(before, after, strict=False)
        if not _is_alike(one, other)
    ]
    if len(before) != len(after):
        differs.append(f"{len(before)} -> {len(after)} parts")
    return differs[:5]


def _is_alike(one: str, other: str) -> bool:
    (width, name, *then), (width_now, name_now, *now) = one.split(), other.split()
    is_near = all(
        abs(int(a) - int(b)) <= TOLERANCE_PX for a, b in zip(then[:4], now[:4], strict=True)
    )
    return (width, name, then[4:]) == (width_now, name_now, now[4:]) and is_near
