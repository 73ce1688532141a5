"""Prompts as they are sent, with the parts that they take in."""

import re
from importlib.resources import files
from itertools import pairwise

import pytest

from domain.prompts import load_prompts

PACKAGE = "workflows.prompts"
NAMES = sorted(file.name for file in files(PACKAGE).iterdir() if file.name.endswith(".md"))


@pytest.mark.parametrize("name", NAMES)
def test_numbered_rules_count_on_across_the_parts_of_a_prompt(name: str) -> None:
    for heading, text in load_prompts(PACKAGE, name.removesuffix(".md")).items():
        rules = text.partition("\nExample:")[0]
        numbers = [0, *map(int, re.findall(r"^(\d+)\. ", rules, re.MULTILINE))]
        assert all(b in (a + 1, 1) for a, b in pairwise(numbers)), (heading, numbers)


def test_prompts_that_forbid_four_times_a_quarter_except_the_yearly_rate_that_a_page_gives() -> (
    None
):
    """Else the analysis takes a rate of the page that the decision may not, and a report has two ceilings."""
    prompts = load_prompts(PACKAGE, "typed_answers")
    told = {heading: " ".join(text.split()) for heading, text in prompts.items()}
    forbid = {h for h, text in told.items() if re.search("times four|multiply a quarter", text)}
    assert len(forbid) > 1
    assert {
        h for h, text in told.items() if "gives the yearly rate of a dividend" in text
    } == forbid
