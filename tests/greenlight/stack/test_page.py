"""The page is built by the wheel's Node, once for each state of its files."""

from pathlib import Path

from greenlight.stack.home import Home
from greenlight.stack.page import BUILT_FROM, DIST, TYPES, build_page, list_sources


async def test_a_page_that_stands_is_not_built_again(tmp_path: Path) -> None:
    home = Home(tmp_path)
    (tmp_path / "logs").mkdir()
    await build_page(home)
    built = BUILT_FROM.stat().st_mtime_ns
    assert (DIST / "index.html").exists()
    home.log("page").unlink(missing_ok=True)
    await build_page(home)
    assert BUILT_FROM.stat().st_mtime_ns == built
    assert not home.log("page").exists()


def test_page_is_not_built_of_the_types_that_the_checks_make() -> None:
    TYPES.touch()
    assert TYPES not in list_sources()
    assert TYPES.parent / "client.ts" in list_sources()
