"""The judge of claims: its prompt, what it is shown of each claim, and its verdicts."""

from collections.abc import Mapping, Sequence
from typing import Any

from contracts.base import Json, get_answer_schema
from contracts.evidence.claims import JUDGE, Citation, Claim, Judgements
from contracts.models.call import ModelRequest, ModelResult, build_message, to_input
from domain.evidence.cited_page import CitedPage
from domain.evidence.verification import Check
from domain.prompts import load_prompts

CLAIMS_PER_CALL = 25
_BEFORE, _AFTER = 500, 250
"""Characters of a page that are shown around a quote, to whole lines: its table, its paragraph."""

PROMPT = load_prompts(__package__, "judge")["judge"]


def build_judge_request(
    request: ModelRequest,
    number: int,
    checks: Sequence[tuple[str, Check]],
    pages: Mapping[int, CitedPage],
) -> ModelRequest:
    """Return the call that judges some of an answer's claims, each with what it stands beside."""
    terms = request.judge
    assert terms
    cited: dict[int, list[Citation]] = {}
    for _, check in checks:
        for citation in check.claim.citations:
            cited.setdefault(citation.source, []).append(citation)
    shown_pages = [_describe_page(n, pages[n], cited[n]) for n in sorted(cited)]
    shown = [_describe(n, *placed) for n, placed in enumerate(checks, start=1)]
    inputs = [
        to_input("question", terms.question),
        to_input("pages", shown_pages),
        to_input("claims", shown),
    ]
    name = f"{request.scope.name}-judge-{number}"
    return ModelRequest(
        scope=request.scope.model_copy(update={"name": name}),
        role=JUDGE,
        model=terms.model,
        system=PROMPT,
        messages=[build_message(inputs, [])],
        output_schema=get_answer_schema(Judgements),
        max_tokens=300 + 90 * len(checks),
        cap_usd=request.cap_usd,
    )


def _describe(number: int, place: str, check: Check) -> Json:
    """Return what the judge sees of a claim."""
    claim, bases = check.claim, list(check.bases)
    quotes = [{"page": citation.source, "quote": citation.quote} for citation in claim.citations]
    shown: Json = {"claim": number, "kind": claim.kind, "place": place, "sentence": claim.text}
    more: Any = {"working": claim.working, "rests_on": bases, "quotes": quotes}
    return {name: value for name, value in (shown | more).items() if value}


def _describe_page(number: int, page: CitedPage, cited: list[Citation]) -> Json:
    """Return what the judge sees of a page: each part once, however many quotes it has."""
    spans: list[tuple[int, int]] = []
    for citation in sorted(cited, key=lambda citation: citation.start):
        start, end = page.widen(citation.start - _BEFORE, citation.end + _AFTER)
        if spans and start <= spans[-1][1]:
            start, last = spans.pop()
            end = max(end, last)
        spans.append((start, end))
    excerpts: Any = []
    for start, end in spans:
        text = page.snapshot.text[start:end]
        headers = [page.find_heading(start), *page.find_headers(start, end)]
        headers = [line for line in headers if line and line not in text]
        excerpts.append(({"headers": headers} if headers else {}) | {"text": text})
    about = {"title": page.title, "publisher": page.publisher, "date": page.published}
    return {"page": number} | {k: v for k, v in about.items() if v} | {"excerpts": excerpts}


def read_judgements(result: ModelResult, claims: Sequence[Claim]) -> list[Claim]:
    """Return claims with the judge's verdicts; one that it passed over stays unjudged."""
    answer = Judgements.model_validate(result.output)
    verdicts = {judged.claim: judged for judged in answer.verdicts}
    judged = []
    for n, claim in enumerate(claims, start=1):
        verdict = verdicts.get(n)
        update: dict[str, Any] = {"reason": "the judge passed it over"}
        if verdict:
            reason = "" if verdict.verdict == "supported" else verdict.reason or "no reason given"
            update = {"verdict": verdict.verdict, "reason": reason}
        judged.append(claim.model_copy(update=update))
    return judged
