"""The browser that the page is tested, measured and drawn in."""

import os
import shutil
from pathlib import Path

from playwright.async_api import Browser, Playwright

from greenlight.errors import CommandError

NAMES = ("chromium-headless-shell", "chromium")
"""The same engine twice; without the windows it takes half the processor time."""


async def launch_browser(playwright: Playwright, home: Path | None = None) -> Browser:
    """Start the system's Chromium, with the fonts of a home folder if one is given.

    Raises:
        CommandError: Chromium is not installed.
    """
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if not found:
        raise CommandError("no browser: `apt-get install chromium-headless-shell`, as .ci/run does")
    options = ["--no-sandbox", "--disable-dev-shm-usage", "--in-process-gpu"]  # saves a process
    variables: dict[str, str | float | bool] | None = None
    if home:
        variables = {**os.environ, "HOME": str(home)}
    return await playwright.chromium.launch(executable_path=found, args=options, env=variables)
