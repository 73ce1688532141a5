"""Expected tokens of a phase, from which its price is computed.

Figures are those of strong models in whole runs, counted as they are billed: a conversation that is kept writes what
is new in a turn to the provider's cache, at 1.25, and reads what was before, at 0.1. The runs, with their bill beside the
price, are in docs/performance.md; `bench prices` measures those that are recorded.
"""

from dataclasses import dataclass, replace
from typing import NamedTuple

from contracts.evidence.claims import JUDGE

MENDED, JUDGED = 0.6, 1.6
"""Expected repair and judge calls of an answer that cites; the judge is asked again about what was repaired.

Source: 75 answers of nine companies' runs by hand, of which 46 had a sentence that did not hold or held in part."""
JUDGE_PROMPT_TOKENS, JUDGE_READS, JUDGE_WRITES = 1_100, 1.5, 0.15
"""Input tokens of a judge's call without the claims; tokens a judge reads and writes per token of an answer."""
MEND_INPUT, MEND_OUTPUT = 2_200, 120


CHARS_PER_TOKEN = 4


class Use(NamedTuple):
    """Tokens read and written, and how many times the text of a page is read in addition."""

    input: float = 0
    output: float = 0
    texts: float = 0

    @property
    def judged(self) -> "Use":
        """What a judge reads and writes about this output."""
        return Use(JUDGE_READS * self.output, JUDGE_WRITES * self.output)


class Searches(NamedTuple):
    """Searches that a phase is expected to make: once, and more for each unit of work."""

    once: float = 0
    planned: float = 0
    """Per search of the plan, which is made once for all readers."""
    agent: float = 0
    step: float = 0
    subject: float = 0


OWN_SEARCHES = 2
"""Searches that an agent makes in addition to the plan's."""
NOTHING = Use()
UNITS = ("once", "step", "agent", "search", "page", "document", "subject")


@dataclass(frozen=True)
class Tokens:
    """Tokens that a phase is expected to read and write: once, and more for each unit of work."""

    once: Use = NOTHING
    step: Use = NOTHING
    agent: Use = NOTHING
    search: Use = NOTHING
    """Per search and agent that is shown its results."""
    page: Use = NOTHING
    document: Use | None = None
    """Per long document, beyond a page; None means the cost of a few pages."""
    subject: Use = NOTHING
    """Per further compared item, e.g. a company."""
    slack: int = 0
    """Written tokens that calls in flight may reserve beyond the expected ones."""
    thoughtful: "Tokens | None" = None
    """What takes its place if the role's model thinks before an answer."""
    role: str = ""
    """The role whose model determines the price per token; empty means the phase's."""

    def judged(self, calls: float = 1) -> "Tokens":
        """Return what the judge reads and writes for `calls` answers: its prompt, then each claim with its passages."""
        uses = {unit: getattr(self, unit) for unit in UNITS}
        judged = {unit: use and use.judged for unit, use in uses.items()}
        prompts = self.once.judged._replace(
            input=self.once.judged.input + JUDGE_PROMPT_TOKENS * calls
        )
        return Tokens(**judged | {"once": prompts}, slack=2_500, role=JUDGE)

    def verified(self) -> "tuple[Tokens, Tokens]":
        """Return the expected tokens of a typed answer with citations and of its judge, including repairs."""
        read, written, _ = self.once
        once = Use(read + MEND_INPUT * MENDED, written + MEND_OUTPUT * MENDED)
        mended = replace(self, once=once)
        return mended, mended.judged(JUDGED)
