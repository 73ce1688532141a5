"""Formats share one look: the colours of marks, and pages that are no wider than a phone."""

import re
import zipfile
from pathlib import Path

import pytest
from playwright.async_api import async_playwright

from api.reports.html import render_page
from bench.page.browser import launch_browser
from contracts.report.document import LOOKS
from tests.api.reports.samples import everywhere

REPORTS = Path("api/reports")


def read_colours(text: str, form: str) -> dict[str, str]:
    """Return the colour of each look, in a light theme."""
    found = ((look, re.search(form.format(look=look), text)) for look in set(LOOKS.values()))
    return {look: match[1].lower() for look, match in found if match}


def test_marks_have_the_same_colour_in_every_format() -> None:
    html = read_colours(
        (REPORTS / "report.css").read_text(encoding="utf-8"), r"\.{look} .*?#(\w{{6}})"
    )
    typst = read_colours(
        (REPORTS / "report.typ").read_text(encoding="utf-8"), r'let {look} = .*?rgb\("#(\w{{6}})"'
    )
    styles = zipfile.ZipFile(REPORTS / "report.docx").read("word/styles.xml").decode()
    word = read_colours(styles, r'styleId="{look}".*?w:color w:val="(\w{{6}})"')
    tokens = Path("web/src/style/tokens.css").read_text(encoding="utf-8")
    page = read_colours(tokens.replace("--wait:", "--doubtful:"), r"--{look}: .*?#(\w{{6}})")
    shared = {look: html[look] for look in ("judged", "computed", "doubtful")}
    assert shared.items() <= typst.items()
    assert shared == {look: word[look] for look in shared} == page


@pytest.mark.parametrize("width", [360, 1280])
async def test_html_is_no_wider_than_its_window(width: int) -> None:
    address = "https://example.org/" + "long-" * 60
    document = everywhere("w" * 300, address)
    async with async_playwright() as playwright:
        browser = await launch_browser(playwright)
        page = await browser.new_page(viewport={"width": width, "height": 700})
        await page.set_content(render_page(document))
        assert await page.evaluate("document.documentElement.scrollWidth") <= width
        await browser.close()
