"""The page's logic by itself: what it folds, compares, formats and finds, without a browser."""

from pathlib import Path

from greenlight import page_checks
from greenlight.stack.page import install_packages


async def test_the_pages_logic_holds(built: Path) -> None:
    await install_packages(page_checks.LOG)
    done = page_checks.run(*page_checks.TESTS)
    assert done.returncode == 0, done.stdout
