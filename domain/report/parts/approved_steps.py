"""Says in a report how it differs from the findings that were approved step by step."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from contracts.evidence.claims import Claim
from contracts.report import document as doc
from contracts.words import Language, say
from domain.report.claims.approved_findings import ApprovedStep

MAX_LEFT_OUT = 3
"""Approved findings that the notice above the report quotes; the appendix lists all of them."""


def build_approved_notice(steps: Sequence[ApprovedStep], language: Language) -> Iterator[doc.Block]:
    """Yield how many approved findings the report keeps, uses in another sentence and leaves out; nothing if it keeps all."""
    counts = Counter(each.outcome for step in steps for each in step.findings)
    told = {name: n for name in ("used", "left_out") if (n := counts[name])}
    if not told:
        return
    title = say(language, "approved-differs", n=counts.total(), kept=counts["kept"], **told)
    left = [
        say(language, "approved-left-out", number=step.number, text=each.finding.text)
        for step in steps
        for each in step.findings
        if each.outcome == "left_out"
    ]
    place = say(language, "approved-steps")
    more = say(language, "approved-more", place=place)
    yield doc.Callout(title=title, lines=[*left[:MAX_LEFT_OUT], more])


def build_approved_steps(
    steps: Sequence[ApprovedStep],
    language: Language,
    build_sentence: Callable[[Claim], doc.Sentence],
) -> Iterator[doc.Block]:
    """Yield each step with its findings that stand otherwise in the report, as they were approved."""
    if steps:
        yield doc.DocumentHeading(text=say(language, "approved-steps"))
    if any(each.outcome == "used" for step in steps for each in step.findings):
        yield doc.Remark(text=say(language, "approved-compared"))
    for step in steps:
        yield doc.DocumentHeading(level=3, text=f"{step.number}. {step.name}")
        if lines := [line for line in step.summary.splitlines() if line.strip()]:
            yield doc.Callout(lines=lines)
        if kept := sum(each.outcome == "kept" for each in step.findings):
            yield doc.Remark(text=say(language, "approved-kept", n=kept))
        items: list[doc.Sentence] = []
        for each in step.findings:
            if each.outcome == "used":
                words = {"before": each.finding.text, "now": each.sentence}
                items.append(doc.Sentence(text=say(language, "approved-used", **words)))
            elif each.outcome == "left_out":
                lead = say(language, "approved-out")
                items.append(build_sentence(each.finding).model_copy(update={"lead": lead}))
        if items:
            yield doc.ItemList(items=items)
