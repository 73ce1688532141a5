"""The check of claims on labelled sentences over real pages: by code alone, and with a judge.

A line of the file is a JSON object: `page`, `question`, `text`, `quotes` (a text, or `page` and `quote`), `label`
and, where the sentence has them, `expression` and `figures`. A page is a file of text: title, publisher, date, an empty line, then the page itself.
"""

import asyncio
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rich.table import Table

from activities.claims.judge import build_judging
from bench.harness import make_table, open_model
from contracts.base import Json
from contracts.evidence.checks import Check, PlacedCheck
from contracts.evidence.claims import JUDGE, Citation, Claim, Judgements, JudgeTerms, QuotedFigure
from contracts.models.call import ModelRequest, Scope
from domain.evidence.claim_check import check_claims
from domain.evidence.pages.cited_page import CitedPage
from domain.evidence.quotes import Snapshot
from settings import Settings
from workflows.verification.answer_verification import PROMPTS
from workflows.verification.judge_queue import apply_judgement, split_places

Counts = dict[str, dict[str, int]]
"""Numbers of sentences by label and verdict."""


async def measure(files: list[Path], folder: Path | None, *, with_judge: bool) -> dict[str, Counts]:
    """Return how many sentences of each label got each verdict, of `code` and of the `judge`."""
    items = [json.loads(line) for file in files for line in file.read_text("utf-8").splitlines()]
    folder = folder or files[0].parent / "pages"
    names = sorted({name for item in items for name, _ in _list_quotes(item)})
    numbers = {name: n for n, name in enumerate(names, start=1)}
    pages = {numbers[name]: read_page(folder / f"{name}.txt") for name in names}
    code: Counts = defaultdict(Counter)
    judged: Counts = defaultdict(Counter)
    groups: dict[str, list[Json]] = defaultdict(list)
    for item in items:
        groups[item["question"]].append(item)
    at_once = asyncio.Semaphore(4)

    async def check_group(question: str, group: list[Json]) -> None:
        terms = JudgeTerms(model="", question=question)
        checks = check_claims([_make_claim(i, numbers) for i in group], pages, terms)
        claims = [check.claim for check in checks]
        if with_judge:
            async with at_once:
                claims = await _ask_judge(question, checks, pages)
        for item, check, claim in zip(group, checks, claims, strict=True):
            code[str(item["label"])][check.outcome] += 1
            judged[str(item["label"])][claim.verdict or "unjudged"] += 1
            if with_judge and (item["label"] == "supported") != claim.is_supported:
                told = (item.get("id", ""), item["label"], claim.verdict, claim.text, claim.reason)
                print(*told, sep=" | ", file=sys.stderr)

    await asyncio.gather(*(check_group(*each) for each in groups.items()))
    return {"code": code} | ({"judge": judged} if with_judge else {})


def read_page(path: Path) -> CitedPage:
    """Return a page of the labelled set."""
    title, publisher, published, _, text = path.read_text("utf-8").split("\n", 4)
    return CitedPage(title, Snapshot(text), publisher, published)


def make_tables(counts: dict[str, Counts]) -> Iterator[Table]:
    """Yield a table of labels by verdicts for each of the two checks."""
    for name, by_label in counts.items():
        verdicts = list(dict.fromkeys(v for found in by_label.values() for v in found))
        table = make_table(f"Labelled sentences, checked by {name}", "label", *verdicts)
        for label, found in by_label.items():
            table.add_row(label, *(str(found.get(verdict, 0)) for verdict in verdicts))
        yield table


def _list_quotes(item: Any) -> Iterator[tuple[str, str]]:
    """Yield an item's quotes, each with the name of its page."""
    for quote in item["quotes"]:
        yield (item["page"], quote) if isinstance(quote, str) else (quote["page"], quote["quote"])


def _make_claim(item: Any, numbers: dict[str, int]) -> Claim:
    quotes = (Citation(source=numbers[page], quote=quote) for page, quote in _list_quotes(item))
    expression = item.get("expression", "")
    figures = [QuotedFigure.model_validate(figure) for figure in item.get("figures", ())]
    return Claim(text=item["text"], citations=list(quotes), expression=expression, figures=figures)


async def _ask_judge(
    question: str, checks: list[Check], pages: dict[int, CitedPage]
) -> list[Claim]:
    """Return the claims with their verdicts, judged as those of an answer are."""
    model = Settings().greenlight_model
    call = ModelRequest(
        scope=Scope(run_id="bench", phase_id="evidence", attempt=1, name="judge"),
        role=JUDGE,
        model=model,
        system=PROMPTS["judge"],
        messages=[],
        cap_usd=1,
        judge=JudgeTerms(model=model, question=question),
    )
    claims = [check.claim for check in checks]
    places = [n for n, check in enumerate(checks) if check.outcome == "open"]
    async with open_model() as ask:
        for part in split_places(places, len(places)):
            placed = [PlacedCheck(place=f"sentence {n}", check=checks[n]) for n in part]
            answer = await ask(build_judging(call, placed, pages))
            for judged in Judgements.model_validate(answer.output).list_all():
                n = part[judged.claim - 1]  # each sentence by itself
                claims[n] = apply_judgement(judged, claims[n])
    return claims
