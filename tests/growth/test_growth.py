"""No pattern of the product, and no function on foreign text, takes a time that grows faster than its text."""

import asyncio
import json
import re
import sys
from pathlib import Path

import pytest

from tests.growth.measure import TOKENS, find_growth
from tests.growth.patterns import CHARS

ROOT = Path(__file__).parents[2]


async def run(*args: str, seconds: float) -> dict[str, object]:
    """Return what a module prints, in a process that is killed when it takes too long."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", *args), cwd=ROOT, stdout=asyncio.subprocess.PIPE
    )
    try:
        async with asyncio.timeout(seconds):
            printed, _ = await process.communicate()
    except TimeoutError:
        process.kill()
        await process.wait()
        raise
    found: dict[str, object] = json.loads(printed)
    return found


@pytest.mark.parametrize("tokens", ["some", pytest.param("all", marks=pytest.mark.full)])
@pytest.mark.timeout(700)
async def test_no_pattern_grows_faster_than_its_text(tokens: str) -> None:
    found = await run("tests.growth.patterns", tokens, seconds=600)
    assert isinstance(found["patterns"], int)
    assert found["patterns"] > 150
    assert found["grown"] == []


@pytest.mark.parametrize("tokens", ["some", pytest.param("all", marks=pytest.mark.full)])
@pytest.mark.timeout(700)
async def test_no_function_on_foreign_text_grows_faster_than_its_text(tokens: str) -> None:
    found = await run("tests.growth.functions", tokens, seconds=600)
    assert found["functions"]
    assert found["grown"] == []


@pytest.mark.parametrize("pattern", [r"\s*x", r"^(a+)+$", r"(?:^|,)\s*thousand", r"a.*b"])
def test_quadratic_pattern_is_found(pattern: str) -> None:
    """One that has not ended after half a second has grown."""
    compiled = re.compile(pattern, re.MULTILINE)
    assert any(find_growth(compiled.findall, token, CHARS, seconds=0.5) for token in TOKENS)


@pytest.mark.parametrize("pattern", [r"\s+", r"[^\S\n]{0,20}thousand", r"a[^b]{0,500}b"])
def test_linear_pattern_is_not_found(pattern: str) -> None:
    compiled = re.compile(pattern)
    assert not [token for token in TOKENS if find_growth(compiled.findall, token, CHARS)]
