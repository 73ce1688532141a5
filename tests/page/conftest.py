"""A real browser before the real stack, with the page as a user's machine builds it."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from playwright.async_api import (
    Browser,
    BrowserContext,
    CDPSession,
    ConsoleMessage,
    Locator,
    Page,
    ViewportSize,
    async_playwright,
    expect,
)

from bench.page.browser import launch_browser
from greenlight.stack.home import Home
from greenlight.stack.page import build_page
from tests.chaos.fragile_stack import FragileStack
from tests.support.stack import Run, Whole
from tests.support.temporal.sandbox import WorkflowRunners

PATIENCE_MS = 20_000
BUILD_SECONDS = 400
HELD = 20.0
"""Seconds that a provider takes to answer while a run is to stay where it is."""
PHONE = ViewportSize(width=360, height=740)
DESK = ViewportSize(width=1280, height=860)
THEMES: dict[Literal["light", "dark"], list[str] | None] = {
    "light": None,
    "dark": ["color-contrast"],
}
"""The rules that axe tries in each theme: between them nothing but colours differs. The default run tries the first."""
FIND_BARRIERS = """async rules => {
    const isGrave = ({ impact, enabled, tags }) => enabled && ["serious", "critical"].includes(impact)
        && !tags.some(tag => ["experimental", "deprecated"].includes(tag));
    const runOnly = rules ?? axe._audit.rules.filter(isGrave).map(rule => rule.id);
    const { violations } = await axe.run({ runOnly, resultTypes: ["violations"] });
    return violations.map(({ id, impact, nodes }) => [`${impact}: ${id}`, nodes.slice(0, 3).map(({ target }) => target)]);
}"""
"""Has axe try rules, else of those that it tries by itself all whose violations are serious or critical: a violation's impact is that of its rule."""

STRAY_DOTS = """() => {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), stray = [];
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        for (const { index } of node.data.matchAll(/ ·/g)) {
            const range = document.createRange();
            range.setStart(node, index + 1);
            range.setEnd(node, index + 2);
            const dot = range.getBoundingClientRect(), parent = node.parentElement;
            const line = parent.closest(".dotted"), left = line?.getBoundingClientRect().left ?? 0;
            if (dot.width === 0 || dot.right <= left || !parent.checkVisibility()) continue; // cut off, or not shown
            if (parent.closest(".report")) continue; // a report's own text, as in each of its formats
            let block = line ?? parent;
            while (getComputedStyle(block).display.startsWith("inline")) block = block.parentElement;
            const part = (from, to) => {
                const rest = document.createRange();
                rest.selectNodeContents(block);
                if (from) rest.setStart(node, from);
                if (to) rest.setEnd(node, to);
                const isBeside = box => box.width > 1 && Math.abs(box.y + box.height / 2 - dot.y - dot.height / 2) < dot.height / 2;
                return [...rest.getClientRects()].filter(isBeside);
            };
            const after = part(index + 2).some(box => box.right > dot.right + 1);
            const before = part(0, index + 1).some(box => box.left < dot.left - 1);
            if (!after || !before) stray.push(block.textContent.slice(0, 120));
        }
    }
    return stray;
}"""
"""Finds dots between two facts that stand at the end or the beginning of a line."""

expect.set_options(timeout=PATIENCE_MS)


@dataclass
class Visitor:
    """Somebody with a browser: what they see, and what the browser complains of."""

    context: BrowserContext
    base: str
    complaints: list[str] = field(default_factory=list)
    excused: list[str] = field(default_factory=list)

    def excuse(self, part: str) -> None:
        """Expect complaints with this in them: a browser reports every request that is refused."""
        self.excused.append(part)

    async def open(self, path: str = "/") -> Page:
        """Open another tab."""
        page = await self.context.new_page()
        page.set_default_timeout(PATIENCE_MS)
        page.on("console", self._listen)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        await page.goto(self.base + path)
        return page

    def assert_content(self) -> None:
        """Check that the browser complained of nothing but what was excused."""
        told = self.complaints
        assert not [said for said in told if not any(part in said for part in self.excused)]

    def _listen(self, said: ConsoleMessage) -> None:
        if said.type == "error":
            self.complaints.append(f"{said.text} ({said.location['url']})")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give tests of the built page time for the build, which one of them waits for, on a busy machine too."""
    for item in items:
        if "built" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.timeout(BUILD_SECONDS))


@pytest.fixture(scope="session")
async def stack(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[FragileStack]:
    """A stack without a crew worker, which takes seconds to load: no page waits for a crew's work."""
    folder = tmp_path_factory.mktemp("whole")
    async with FragileStack(folder, print, has_crews=False) as started:
        yield started


@pytest.fixture(scope="session")
async def browser() -> AsyncIterator[Browser]:
    """Debian's Chromium."""
    async with async_playwright() as playwright:
        started = await launch_browser(playwright)
        yield started
        await started.close()


@pytest.fixture(scope="session")
async def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the built page; it is built if its files have changed."""
    home = Home(tmp_path_factory.mktemp("built"))
    (home.path / "logs").mkdir()
    await build_page(home, with_checks=True)
    return Path(__file__).parents[2] / "web" / "dist"


async def open_desk(browser: Browser) -> BrowserContext:
    """Return a browser at a desk that has allowed notifications, so the page does not ask."""
    return await browser.new_context(
        viewport=DESK, locale="en-US", reduced_motion="reduce", permissions=["notifications"]
    )


@pytest.fixture(scope="session")
async def desk(browser: Browser) -> AsyncIterator[BrowserContext]:
    """A browser whose cache is warm: each new one takes a quarter of a second to load the page."""
    context = await open_desk(browser)
    yield context
    await context.close()


@pytest.fixture(scope="session")
async def empty_tab(desk: BrowserContext) -> CDPSession:
    """A tab that stays open, from which what the other tabs have stored is cleared."""
    return await desk.new_cdp_session(await desk.new_page())


@pytest.fixture
async def visitor(
    desk: BrowserContext, empty_tab: CDPSession, built: Path, whole: Whole
) -> AsyncIterator[Visitor]:
    """A visitor at a desk; at the end of the test the browser has complained of nothing, and forgets them.

    They leave before `whole` ends what still runs: a run that ends so has no report to be seen.
    """
    visitor = Visitor(desk, whole.stack.addresses.gateway)
    yield visitor
    for page in desk.pages[1:]:
        await page.close()
    kept = {"origin": visitor.base, "storageTypes": "all"}
    await empty_tab.send("Storage.clearDataForOrigin", kept)
    await desk.clear_permissions()
    await desk.grant_permissions(["notifications"])
    visitor.assert_content()


@pytest.fixture
async def newcomer(browser: Browser, built: Path, whole: Whole) -> AsyncIterator[Visitor]:
    """A visitor with a browser of their own, whose cache is cold and whose scripts and clock a test may set."""
    context = await open_desk(browser)
    visitor = Visitor(context, whole.stack.addresses.gateway)
    yield visitor
    await context.close()
    visitor.assert_content()


async def find_barriers(page: Page) -> list[str]:
    """Return what axe finds serious or critical on a page, in both themes if the run is complete."""
    found: list[str] = []
    if not await page.evaluate("'axe' in window"):
        await page.evaluate(AXE_SCRIPT)
    for theme, rules in [*THEMES.items()][: None if WorkflowRunners.is_complete else 1]:
        await page.emulate_media(color_scheme=theme)
        violations = await page.evaluate(FIND_BARRIERS, rules)
        found += [f"{theme}: {rule}: {targets}" for rule, targets in violations]
    return found


async def forget_questions(whole: Whole, run_id: str) -> list[str]:
    """Delete what was asked about the report of a run that others read, too, and return what that was."""
    params = {"parent": run_id, "definition_id": "report_answer"}
    asked = (await whole.http.get("/v1/runs", params=params)).json()["items"]
    for each in asked:
        question = Run(whole.http, each["run_id"])
        await question.ended()
        (await whole.http.delete(f"/v1/runs/{question.id}")).raise_for_status()
    return [each["query"] for each in asked]


async def measure_overflow(page: Page) -> int:
    """Return by how many pixels a phone would have to scroll sideways."""
    await page.set_viewport_size(PHONE)
    return int(await page.evaluate("document.documentElement.scrollWidth - innerWidth"))


async def reach(page: Page, wanted: Locator, most: int = 120) -> None:
    """Go to something by the Tab key alone."""
    await expect(wanted).to_be_visible()
    place = await wanted.element_handle()  # to find it at each step is the dearest part
    for _ in range(most):
        is_reached, is_there = await place.evaluate(
            "element => [element === document.activeElement, element.isConnected]"
        )
        if is_reached:
            return
        if not is_there:
            place = await wanted.element_handle()
        await page.keyboard.press("Tab")
    raise AssertionError(f"{wanted} is not reached by {most} times Tab")


async def press(page: Page, wanted: Locator, key: str = "Enter") -> None:
    """Press a key at something that is gone to by the keyboard."""
    await reach(page, wanted)
    await page.keyboard.press(key)
