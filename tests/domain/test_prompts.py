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
