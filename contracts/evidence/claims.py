"""Claims and the passages they cite: one shape in drafts, findings and reports."""

from typing import Any, Literal

from pydantic import Field

from contracts.base import Contract, code_fills

Verdict = Literal["supported", "unsupported"]


class Citation(Contract):
    """A passage of a source, copied to the letter."""

    source: int = Field(description="1-based position in the run's sources")
    quote: str
    start: int = code_fills(-1, "first character in the snapshot; -1: not located")
    end: int = code_fills(-1, "the character behind the last")


class Claim(Contract):
    """One sentence and the passages it rests on; code adds the verdict."""

    text: str
    citations: list[Citation]
    verdict: Verdict | None = code_fills(None, "None: not verified")
    reason: str = code_fills("", "why it is unsupported")
    entailed: bool | None = code_fills(None, "whether its quotes say so; None: not judged")

    @property
    def is_supported(self) -> bool:
        """Tell whether its quotes were located and contain its figures, names and dates."""
        return self.verdict == "supported"

    @property
    def as_written(self) -> dict[str, Any]:
        """Return the claim as a model writes one: without what code adds."""
        cited = {"__all__": {"source", "quote"}}
        return self.model_dump(include={"text": True, "citations": cited})


class CitablePage(Contract):
    """A page of the run, under the number by which claims cite it."""

    number: int = Field(ge=1)
    title: str
    text_key: str = Field(description="blob of its text")


class Entailment(Contract):
    """The judge's verdict on one claim: its quotes entail it, or not."""

    claim: int = Field(description="its number")
    entailed: bool
    reason: str = ""


class Entailments(Contract):
    """The judge's verdicts."""

    verdicts: list[Entailment]
