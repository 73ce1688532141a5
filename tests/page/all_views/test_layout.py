"""Positions of each view's parts at three widths: a change of looks changes these files, which a reviewer reads.

Boxes are compared in place of pixels: how letters are smoothed differs between machines, where they stand does not,
since the page brings its fonts. A heading's width is that of its words, which are the catalogues' and not recorded. `GREENLIGHT_RENEW_LAYOUT=1 pytest tests/page/all_views/test_layout.py` records them anew.
"""

import os
from collections.abc import Mapping
from pathlib import Path

import pytest
from playwright.async_api import Page

from tests.page.conftest import Visitor
from tests.page.views import COMPLAINTS, VIEWS, View, find_quote, list_places
from tests.support.stack import Undisturbed, Whole

RECORDED = Path(__file__).parent / "layout"
RENEWS = os.environ.get("GREENLIGHT_RENEW_LAYOUT") == "1"
WIDTHS: Mapping[int, int] = {1280: 860, 768: 1024, 360: 740}
"""Heights of the window by its width."""
TOLERANCE_PX = 3
RESIZED_MS = 250
BOXES = """without => {
    for (const one of document.querySelectorAll(without)) one.style.display = "none";
    scrollTo({top: 0, behavior: "instant"}); // how far a focus has scrolled is not the same each time
    const parts = "header, nav, main, aside, footer, section, article, form, details, table, fieldset," +
        "h1, h2, h3, h4, summary, button, .button, input, select, textarea, dialog, mark, .token, .notice, .card, .report > p";
    return [...document.querySelectorAll(parts)].flatMap(one => {
        const {x, y, width, height} = one.getBoundingClientRect();
        if (width * height === 0 || !one.checkVisibility() || one.closest(".unseen, .skip")) return [];
        const style = getComputedStyle(one);
        const name = [one.localName, ...one.classList].join(".");
        const box = [x, y, /^h[1-4]$/.test(one.localName) ? 0 : width, height].map(Math.round).join(" ");
        return [`${name} ${box} ${style.fontSize} ${style.fontWeight} ${style.color} ${style.backgroundColor}`];
    });
}"""


CHANGING: Mapping[str, str] = {
    "ask": ".ask nav.examples",
    "inbox": ".waits li",
    "inbox item": ".waits li",
    "runs": ".history, .asking, main ul, main section",
    "watch": ".happened, .behind",
    "long": ".behind, .feed-box li",
    "work": ".timeline, .graph, .feed-box li",
    "collections": "main li",
    "schedules": ".schedules > *",
    "schedule": ".schedules > :not(form)",
    "definitions": ".definition-rows li",
    "settings": "section li, section table",
    "startups": ".settings > :not([aria-labelledby=startups])",
    "keys": ".settings > :not([aria-labelledby=account])",
    "channel": ".settings > :not([aria-labelledby=channels])",
    "gateway away": ".history",
}
"""Parts of views that other runs or the clock change."""


STEADY: Mapping[str, View] = {name: view for name, view in VIEWS.items() if name != "growing"}
"""All views but a report that grows: how far it was when its run was paused is up to the agents."""


@pytest.mark.full
@pytest.mark.timeout(600)
async def test_each_views_parts_stand_where_they_are_recorded(
    visitor: Visitor, undisturbed: Undisturbed, whole: Whole
) -> None:
    for part in COMPLAINTS:
        visitor.excuse(part)
    async with list_places(whole, undisturbed) as places:
        assert await _find_moved(visitor, places, STEADY) == {}
    assert {file.stem.replace("-", " ") for file in RECORDED.iterdir()} == STEADY.keys()


@pytest.mark.full
async def test_a_report_and_a_stored_page_stand_where_they_are_recorded(
    visitor: Visitor, undisturbed: Undisturbed, whole: Whole
) -> None:
    run = whole.run(undisturbed.run.id)
    places = {"done": run.id, **await find_quote(run)}
    shown = {name: VIEWS[name] for name in ("read", "stored")}
    assert await _find_moved(visitor, places, shown) == {}


async def _find_moved(
    visitor: Visitor, places: Mapping[str, str], views: Mapping[str, View]
) -> dict[str, list[str]]:
    """Return the first parts of each view that are not as recorded, or record them."""
    page = await visitor.open()
    moved: dict[str, list[str]] = {}
    for name, view in views.items():
        found = await _measure(page, visitor.base, name, view, places)
        file = RECORDED / f"{name.replace(' ', '-')}.txt"
        if RENEWS:
            file.write_text("\n".join(found) + "\n", encoding="utf-8")
        elif differs := _compare(file.read_text("utf-8").splitlines(), found):
            moved[name] = differs
    return moved


async def _measure(
    page: Page, base: str, name: str, view: View, places: Mapping[str, str]
) -> list[str]:
    """Return a line for each part of a view at each width."""
    lines: list[str] = []
    without = ", ".join([".badge, time", *filter(None, [CHANGING.get(name)])])
    await page.set_viewport_size({"width": 1280, "height": WIDTHS[1280]})
    await view.open(page, base, places)
    for width, height in WIDTHS.items():
        await page.set_viewport_size({"width": width, "height": height})
        await page.wait_for_timeout(RESIZED_MS)
        lines += [f"{width} {line}" for line in await page.evaluate(BOXES, without)]
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
