"""The browser that the page is tested, measured and drawn in."""

import shutil

from playwright.async_api import Browser, Playwright

from greenlight.errors import CommandError

NAMES = ("chromium-headless-shell", "chromium")
"""The same engine twice; without the windows it takes half the processor time."""


async def launch_browser(playwright: Playwright) -> Browser:
    """Start Debian's Chromium.

    Raises:
        CommandError: There is none.
    """
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if not found:
        raise CommandError("no browser: `apt-get install chromium-headless-shell`, as .ci/run does")
    options = ["--no-sandbox", "--disable-dev-shm-usage"]
    return await playwright.chromium.launch(executable_path=found, args=options)
