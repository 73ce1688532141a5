"""The page's sample questions, in every language, find the sample library without a key."""

import copy
import re
from typing import Any

import pytest

from contracts.models.answer_json_schema import get_answer_schema
from contracts.planning.plan import PlanDraft
from contracts.report.report import Report
from greenlight.stack.page import WEB
from offline.library.index import Library
from offline.library.sample import Sample
from tests.offline.model_requests import instance

EXAMPLE = re.compile(r'"ask\.example\.\d": "(.+?)",')
FOUND, READ = 5, 12
QUESTIONS = [
    (path.stem, question)
    for path in sorted((WEB / "src" / "strings").glob("*.ts"))
    for question in EXAMPLE.findall(path.read_text("utf-8"))
]


@pytest.fixture(scope="module")
def library() -> Library:
    return Library(Sample())


def test_every_language_has_samples() -> None:
    assert {language for language, _ in QUESTIONS} == {"de", "en"}


@pytest.mark.parametrize(("language", "question"), QUESTIONS)
def test_sample_question_gets_sentences_on_each_name_it_lists(
    library: Library, language: str, question: str
) -> None:
    asked: Any = copy.deepcopy(get_answer_schema(PlanDraft))
    del asked["properties"]["not_held"]  # no rule can determine it, so the stand-in is not asked
    plan = instance(asked, question=question)
    found = {d.slug: d for term in plan["search_terms"] for d, _ in library.search(term, FOUND)}
    pages = enumerate([*found.values()][:READ], start=1)
    sources = {f"source-{n}": f"{page.title}\n\n{page.text}" for n, page in pages}
    report = instance(get_answer_schema(Report), question=question, plan=plan, **sources)
    assert len(report["sections"]) > 1
    assert all(section["claims"] for section in report["sections"])
