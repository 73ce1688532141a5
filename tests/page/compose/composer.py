"""The composer as a test takes hold of it."""

import json
import re
from typing import Any

from playwright.async_api import Locator, Page

from tests.page.words import t


def kind(page: Page, title: str) -> Locator:
    """Return what adds a phase of a kind."""
    return page.locator(
        ".kind", has=page.locator("b", has_text=re.compile(f"^{re.escape(title)}$"))
    )


def cards(page: Page) -> Locator:
    return page.locator(".phase-card")


def card(page: Page, title: str) -> Locator:
    return cards(page).filter(has=page.locator("b", has_text=re.compile(f"^{re.escape(title)}$")))


def standing(page: Page) -> Locator:
    """Return the element with the definition's state."""
    return page.locator(".standing")


async def read_json(page: Page) -> dict[str, Any]:
    """Return the definition as the JSON view has it, and go back to the graph."""
    await page.get_by_role("button", name=t("compose.view.json")).click()
    text = await page.get_by_label(t("compose.json.label")).input_value()
    await page.get_by_role("button", name=t("compose.view.graph")).click()
    found: dict[str, Any] = json.loads(text)
    return found
