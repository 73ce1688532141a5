"""One report in all its formats side by side: on the page, as HTML, PDF and Word, in English and German."""

import asyncio
import os
import shutil
import tempfile
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from html import escape
from importlib import import_module
from pathlib import Path

import font_source_serif_pro
import pypdfium2
from playwright.async_api import Browser, Page, Playwright, ViewportSize

from bench.harness import RunDriver, notify
from bench.page.browser import launch_browser
from contracts.runs.samples import Sample
from greenlight.client import AsyncGatewayClient
from greenlight.errors import CommandError
from greenlight.stack.home import Home
from greenlight.stack.page import build_page
from greenlight.stack.supervisor import Stack

SAMPLES = ("irrigation-pumps-en", "textbooks-de")
LOCALES = {"en": "en-GB", "de": "de-DE"}
SIZE = ViewportSize(width=800, height=1130)
"""Size of each picture: a page of A4."""
SHOWN = ViewportSize(width=2000, height=1450)
QUALITY = 82
SETTLED_MS = 800
CONVERT_SECONDS = 120
FACES = ("FiraGO_Regular", "FiraGO_Bold", "FiraGO_Italic")
STAND_INS = {
    "Source Serif 4": "Source Serif Pro",
    "Georgia": "Source Serif Pro",
    "Inter": "FiraGO",
    "Calibri": "FiraGO",
}
"""Replacements for fonts that readers have and this machine may lack."""
SHEET = """<style>body { margin: 0; display: grid; grid-template-columns: repeat(4, 1fr); gap: 12px; padding: 12px;
background: #868c81; font: 20px sans-serif; color: #fff } figure { margin: 0 } img { width: 100%; display: block }
figcaption { padding-bottom: 4px }</style>"""


async def draw_formats(playwright: Playwright, path: Path) -> None:
    """Draw two recorded reports, a row each, into one picture.

    Raises:
        CommandError: LibreOffice, which draws Word documents, is missing or cannot read them.
    """
    with tempfile.TemporaryDirectory(prefix="greenlight-formats-") as name:
        folder = Path(name)
        browser = await launch_browser(playwright, home=_put_fonts(folder / "home"))
        async with _start_stack() as client:
            for sample in SAMPLES:
                await _draw_report(client, browser, sample, folder)
        await _lay_out(browser, folder, path)
        await browser.close()


@asynccontextmanager
async def _start_stack() -> AsyncIterator[RunDriver]:
    """Start a stack that replays recorded answers of a model."""
    with tempfile.TemporaryDirectory(prefix="greenlight-bench-") as home:
        async with (
            Stack(Path(home), notify) as stack,
            AsyncGatewayClient(stack.addresses.gateway) as gateway,
        ):
            await build_page(Home(Path(home)))
            yield RunDriver(gateway, stack)


async def _draw_report(client: RunDriver, browser: Browser, name: str, folder: Path) -> None:
    """Draw the first page of a recorded report in each format as `NAME-FORMAT.png`."""
    samples = (await client.gateway.get("/v1/metadata"))["samples"]
    sample = Sample.model_validate(next(each for each in samples if each["id"] == name))
    run = await client.follow(sample.query, definition=sample.definition)
    for format in ("html", "pdf", "docx"):
        request = {"params": {"format": format}}
        response = await client.gateway.request("GET", f"/v1/runs/{run.id}/report", **request)
        (folder / f"{name}.{format}").write_bytes(response.content)
    await _convert(folder / f"{name}.docx", folder / "word")
    _draw_sheet(folder / f"{name}.pdf", folder / f"{name}-pdf.png")
    _draw_sheet(folder / "word" / f"{name}.pdf", folder / f"{name}-word.png")
    context = await browser.new_context(
        viewport=SIZE, locale=LOCALES[sample.language], reduced_motion="reduce"
    )
    page = await context.new_page()
    await page.goto(f"{client.stack.addresses.gateway}/runs/{run.id}")
    await page.locator(".report p").first.wait_for()
    await _shoot(page, folder / f"{name}-page.png")
    await page.goto((folder / f"{name}.html").as_uri())
    await _shoot(page, folder / f"{name}-html.png")
    await context.close()


async def _shoot(page: Page, path: Path) -> None:
    await page.wait_for_timeout(SETTLED_MS)
    await page.screenshot(path=path)


async def _convert(document: Path, folder: Path) -> None:
    """Convert a Word document to PDF with LibreOffice."""
    if not (program := shutil.which("soffice")):
        raise CommandError("no LibreOffice: `apt-get install libreoffice-writer-nogui`")
    process = await asyncio.create_subprocess_exec(
        *(program, "--headless", "--convert-to", "pdf", "--outdir", str(folder), str(document)),
        env={**os.environ, "HOME": str(folder.parent / "home")},
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
    )
    async with asyncio.timeout(CONVERT_SECONDS):
        await process.wait()
    if not (
        folder / f"{document.stem}.pdf"
    ).exists():  # it exits with 0 without its module for texts
        raise CommandError("LibreOffice read no .docx: `apt-get install libreoffice-writer-nogui`")


def _put_fonts(home: Path) -> Path:
    """Put a report's faces into a home folder, under the names that a Word document gives them."""
    fonts, settings = home / ".fonts", home / ".config" / "fontconfig"
    shutil.copytree(font_source_serif_pro.font_directory, fonts)
    for face in FACES:
        (fonts / f"{face}.ttf").write_bytes(import_module(f"pymupdf_fonts.{face}").fontbuffer)
    settings.mkdir(parents=True)
    (settings / "fonts.conf").write_text(_write_aliases(STAND_INS), "utf-8")
    return home


def _write_aliases(faces: Mapping[str, str]) -> str:
    aliases = (
        f'<alias binding="same"><family>{face}</family><prefer><family>{drawn}</family></prefer></alias>'
        for face, drawn in faces.items()
    )
    return (
        '<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig>'
        f"{''.join(aliases)}</fontconfig>"
    )


def _draw_sheet(document: Path, path: Path) -> None:
    """Draw the first page of a PDF as wide as a picture."""
    with pypdfium2.PdfDocument(document) as read:
        sheet = read[0]
        sheet.render(scale=SIZE["width"] / sheet.get_width()).to_pil().save(path)


async def _lay_out(browser: Browser, folder: Path, path: Path) -> None:
    """Lay the pictures out, a report each row, under the names of the formats."""
    names = {"page": "Page", "html": "HTML", "pdf": "PDF", "word": "Word"}
    figures = (
        f"<figure><figcaption>{escape(name)}</figcaption><img src='{sample}-{format}.png'></figure>"
        for sample in SAMPLES
        for format, name in names.items()
    )
    (folder / "sheet.html").write_text(SHEET + "".join(figures), "utf-8")
    context = await browser.new_context(viewport=SHOWN)
    page = await context.new_page()
    await page.goto((folder / "sheet.html").as_uri())
    await page.screenshot(path=path, type="jpeg", quality=QUALITY, full_page=True)
    await context.close()
