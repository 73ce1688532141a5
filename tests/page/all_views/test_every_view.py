"""Each view for who reads by ear, on a phone, in colours of their own, or without motion."""

from collections.abc import AsyncIterator

import pytest
from playwright.async_api import Page

from tests.chaos.fragile_stack import FragileStack
from tests.page.conftest import STRAY_DOTS, Visitor, find_barriers, measure_overflow
from tests.page.views import COMPLAINTS, VIEWS, list_places
from tests.support.stack import Undisturbed, Whole

CONTROLS = "a, button, select, input, textarea, summary, [tabindex='0']"
OUT_OF_REACH = """controls => {
    const scrolls = one => ["auto", "scroll"].includes(getComputedStyle(one).overflowX);
    const isSmall = (one, {width, height}) => {
        if (getComputedStyle(one).display === "inline") return false; // a link within a sentence
        const label = one.closest("label")?.getBoundingClientRect();
        return Math.max(height, label?.height ?? 0) < 24 || Math.max(width, label?.width ?? 0) < 24;
    };
    return controls.filter(one => {
        const box = one.getBoundingClientRect();
        if (box.width === 0 || !one.checkVisibility() || one.closest(".unseen, .skip")) return false;
        let place = one.parentElement;
        while (place && !scrolls(place)) place = place.parentElement;
        const isCut = !place && (box.left < 0 || box.right > innerWidth);
        return isCut || isSmall(one, box);
    }).map(one => one.outerHTML.slice(0, 120));
}"""
"""Finds controls cut off at the window's sides outside of scrolling boxes, or smaller than 24 px in a direction."""
MOVING = """() => document.getAnimations().filter(one => one.playState === "running").length"""
WITHOUT_COLOUR = """controls => {
    const shown = controls.filter(one => one.checkVisibility() && one.getBoundingClientRect().width > 1);
    const look = one => {
        const style = getComputedStyle(one), edges = ["Top", "Right", "Bottom", "Left"];
        return [style.outlineStyle, style.outlineWidth, style.textDecorationLine, style.fontWeight,
            ...edges.map(edge => style[`border${edge}Style`] + style[`border${edge}Width`])].join(" ");
    };
    const isOn = one => one.matches("[aria-current]:not([aria-current=false]), [aria-pressed=true], [aria-selected=true]");
    const unfocused = shown.filter(one => {
        one.focus();
        const around = [one, one.parentElement, one.closest("label") ?? one];
        return one === document.activeElement && around.every(box => getComputedStyle(box).outlineStyle === "none");
    });
    document.activeElement.blur();
    const unmarked = shown.filter(isOn).filter(one => {
        const others = shown.filter(other => !isOn(other) && other.localName === one.localName
            && other.closest("nav, ul, ol, [role=group]") === one.closest("nav, ul, ol, [role=group]"));
        return others.length > 0 && others.every(other => look(other) === look(one));
    });
    const named = one => one.outerHTML.slice(0, 120);
    const bare = shown.filter(one => {
        const style = getComputedStyle(one), parent = getComputedStyle(one.parentElement);
        return one.localName === "button" && one.closest("p, td, li")?.closest(".report") && style.outlineStyle === "none"
            && style.borderTopWidth === "0px" && style.textDecorationLine === "none" && style.color === parent.color;
    });
    const faults = Object.entries({"looks like text": bare, "no focus": unfocused, "not marked": unmarked});
    return faults.flatMap(([fault, found]) => found.map(one => `${fault}: ${named(one)}`));
}"""
"""Finds buttons of a report that look like its text, and focus or selection shown only by replaced colours."""

UNMARKED = """controls => {
    const shown = controls.filter(one => one.checkVisibility() && one.getBoundingClientRect().width > 1);
    const look = one => {
        const { color, backgroundColor, borderColor, boxShadow, fontWeight, textDecorationLine } = getComputedStyle(one);
        return [color, backgroundColor, borderColor, boxShadow, fontWeight, textDecorationLine].join(" ");
    };
    const isOn = one => one.matches("[aria-current]:not([aria-current=false]), [aria-pressed=true], [aria-selected=true]");
    return shown.filter(isOn).filter(one => {
        const group = one.closest("nav, ul, ol, [role=group]");
        const others = shown.filter(other => !isOn(other) && other.localName === one.localName
            && other.closest("nav, ul, ol, [role=group]") === group);
        return others.length > 0 && others.every(other => look(other) === look(one));
    }).map(one => one.outerHTML.slice(0, 120));
}"""
"""Finds what is chosen, pressed or current and looks like what is not."""


async def _look(page: Page) -> dict[str, object]:
    """Return the faults of the view in a tab, by check."""
    found: dict[str, object] = {"axe": await find_barriers(page)}
    found["moves"] = await page.evaluate(MOVING)
    found["unmarked"] = await page.locator(CONTROLS).evaluate_all(UNMARKED)
    await page.emulate_media(forced_colors="active")
    await page.keyboard.press("Tab")  # focus is visible after the first key press
    controls = page.locator(CONTROLS)
    found["forced colours"] = await controls.evaluate_all(WITHOUT_COLOUR)
    await page.emulate_media(forced_colors="none")
    found["overflow"] = max(await measure_overflow(page), 0)
    found["phone"] = await controls.evaluate_all(OUT_OF_REACH)
    found["dots"] = await page.evaluate(STRAY_DOTS)
    return {name: wrong for name, wrong in found.items() if wrong}


@pytest.fixture(scope="module")
async def places(stack: FragileStack, undisturbed: Undisturbed) -> AsyncIterator[dict[str, str]]:
    """Runs, a share link and a collection that all tests of this file look at."""
    async with Whole.of(stack) as whole, list_places(whole, undisturbed) as named:
        yield named


@pytest.mark.full
@pytest.mark.parametrize("name", VIEWS)
async def test_a_view_is_whole_without_eyes_colours_motion_or_room(
    visitor: Visitor, places: dict[str, str], name: str
) -> None:
    page = await visitor.open()
    await VIEWS[name].open(page, visitor.base, places)
    assert await _look(page) == {}
    await VIEWS[name].open(page, visitor.base, places)  # as a phone opens it
    assert await page.locator(CONTROLS).evaluate_all(OUT_OF_REACH) == []
    for part in COMPLAINTS:
        visitor.excuse(part)
