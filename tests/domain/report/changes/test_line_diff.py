"""Unified diffs: exact, and linear in the lines."""

import random
import re
from difflib import unified_diff

from domain.report.changes.line_diff import diff_lines, find_matches


def patch(before: list[str], diff: list[str]) -> list[str]:
    """Return the text that a unified diff makes of another."""
    made: list[str] = []
    at = 0
    for line in diff[2:]:
        if found := re.match(r"@@ -(\d+)(?:,(\d+))? ", line):
            start = int(found[1]) - (found[2] != "0")
            made += before[at:start]
            at = start
        elif line[0] == "+":
            made.append(line[1:])
        else:
            assert before[at] == line[1:]
            made += [before[at]] * (line[0] == " ")
            at += 1
    return made + before[at:]


def test_diff_turns_one_text_into_the_other() -> None:
    rng = random.Random(7)
    for _ in range(500):
        kinds = rng.choice([2, 5, 30])
        a = [f"line {rng.randrange(kinds)}" for _ in range(rng.randrange(20))]
        b = [line for line in a if rng.random() < 0.8]
        for _ in range(rng.randrange(4)):
            b.insert(rng.randrange(len(b) + 1), f"line {rng.randrange(kinds)}")
        diff = list(diff_lines(a, b, "a", "b"))
        assert patch(a, diff) == b
        assert (not diff) == (a == b)


def test_diff_of_a_changed_and_a_new_paragraph_is_that_of_difflib() -> None:
    a = ["# Title", "", "One two.", "", "Three four.", "", "## Section", "", "Five."]
    b = ["# Title", "", "One 2.", "", "Three four.", "", "New.", "", "## Section", "", "Five."]
    expected = list(unified_diff(a, b, "a", "b", lineterm=""))
    assert list(diff_lines(a, b, "a", "b")) == expected


def test_moved_line_is_found_among_unique_ones() -> None:
    assert find_matches(["a", "b", "c", "d"], ["b", "c", "a", "d"]) == [
        (1, 0, 1),
        (2, 1, 1),
        (3, 3, 1),
    ]
