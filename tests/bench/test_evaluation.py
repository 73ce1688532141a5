"""What `bench evaluate` scores: keys, cited sources and pages, citations, and two judged rules of a public benchmark."""

import json
from pathlib import Path
from typing import Any

import pytest

from bench.evaluation.measurement import (
    KEYED,
    list_deep_research,
    list_finance,
    list_keyed,
    summarize,
)
from bench.evaluation.report_judge import Judge, weigh_scores
from bench.evaluation.scores import Pair, holds, list_pairs, says_missing, score_keys
from contracts.evidence.claims import Citation, Claim
from contracts.models.call import ModelRequest, ModelResult
from contracts.models.usage import Usage
from contracts.report.report import Report, Section
from greenlight.errors import UsageError
from offline.library.sample import Sample

RECORDED = Path(__file__).parent.parent / "fixtures" / "quality" / "web_answer_report.json"
"""The report of the recorded run `web_answer.json`."""
COUNTRIES = (
    "kenya-geography",
    "ethiopia-geography",
    "kenya-people-and-society",
    "ethiopia-people-and-society",
)
PAGES = {n: f"http://127.0.0.1:1/pages/{name}" for n, name in enumerate(COUNTRIES, start=1)}
KENYA, ETHIOPIA = {"value": "1030", "unit": "sq km"}, {"value": "1814", "unit": "sq km"}


@pytest.fixture
def report() -> Report:
    return Report.model_validate_json(RECORDED.read_text("utf-8"))


def write(*claims: Claim, missing: str = "") -> Report:
    return Report(title="t", sections=[Section(heading="h", claims=[*claims], missing=missing)])


def state(text: str, source: int = 1, page: int | None = None) -> Claim:
    cited = Citation(source=source, quote="q", page=page)
    return Claim(text=text, citations=[cited]).rule("supported")


def test_every_key_stands_on_a_page_of_the_sample_that_its_question_names() -> None:
    asked = [json.loads(line) for line in KEYED.read_text("utf-8").splitlines()]
    pages = dict(Sample().scan())
    assert len({each["id"] for each in asked}) == len(asked) == 40
    assert sum(not each["keys"] for each in asked) >= 8
    for each in asked:
        texts = [page.text for name in each["sources"] if (page := pages[name])]
        lines = [Claim(text=line, citations=[]) for text in texts for line in text.splitlines()]
        for key in each["keys"]:
            assert any(holds(line, key) for line in lines), (each["id"], key)


def test_a_recorded_report_is_scored_by_its_keys_and_its_citations(report: Report) -> None:
    found = score_keys(report, PAGES, [KENYA, ETHIOPIA], ["kenya-geography"])
    assert found == {"answered": 1.0, "sourced": 1.0}
    assert score_keys(
        report, PAGES, [KENYA, {"value": "1900", "unit": "sq km"}], ["kenya-energy"]
    ) == {
        "answered": 0.5,
        "sourced": 0.0,
    }
    pairs = list_pairs(report, PAGES)
    assert len(pairs) == 6
    assert all(pair.is_supported for pair in pairs)
    assert says_missing(report)


@pytest.mark.parametrize(
    ("text", "key", "is_held"),
    [
        ("Kenya bewässert 1.030 Quadratkilometer.", KENYA, True),
        ("Kenya had 1,030 square miles.", KENYA, False),
        ("Kenya had about 1,000 sq km.", KENYA, False),
        ("Kenya had about 1,000 sq km.", KENYA | {"tolerance": 0.05}, True),
        ("Revenue was $416.2 billion.", {"value": "416.2", "unit": "billion USD"}, True),
        ("Revenue was $416.2 million.", {"value": "416.2", "unit": "billion USD"}, False),
        ("It is Mount Kenya.", {"names": ["Mt Kenya", "mount kenya"]}, True),
        ("It is Amount Kenya.", {"names": ["mount kenya"]}, False),
        ("Capital expenditure was $1,577 million.", {"digits": "$1577.00"}, True),
        ("Capital expenditure was $1,578 million.", {"digits": "$1577.00"}, False),
    ],
)
def test_a_sentence_holds_a_figure_with_its_unit_or_a_whole_name(
    text: str, key: dict[str, Any], is_held: bool
) -> None:
    assert holds(state(text), key) is is_held


def test_a_sentence_that_was_not_found_to_hold_answers_nothing() -> None:
    refuted = state("Kenya had 1,030 sq km.").rule("not_shown")
    assert score_keys(write(refuted), PAGES, [KENYA], COUNTRIES)["answered"] == 0
    assert score_keys(None, PAGES, [KENYA], COUNTRIES) == {"answered": 0.0, "sourced": 0.0}


def test_a_question_without_an_answer_is_answered_by_saying_so() -> None:
    guess = state("It costs 900 dollars.")
    assert score_keys(write(guess), PAGES, [], []) == {"said_missing": 0.0}
    assert score_keys(write(guess, missing="No price."), PAGES, [], []) == {"said_missing": 1.0}
    assert score_keys(write(), PAGES, [], []) == {"said_missing": 1.0}
    assert score_keys(None, PAGES, [], []) == {"said_missing": 0.0}, "a failed run says nothing"


def test_finance_questions_are_scored_by_document_page_and_figure() -> None:
    evidence = [{"evidence_page_num": 58}, {"evidence_page_num": 3, "doc_name": "OTHER"}]
    asked = {"financebench_id": "f1", "company": "3M", "doc_name": "3M_10K", "question": "Capex?"}
    figure, prose = list_finance(
        [asked | {"answer": a, "evidence": evidence} for a in ("$1577.00", "No, it does not pay.")]
    )
    urls = {1: "file:///filings/3M_10K.pdf", 2: "file:///filings/3M_9K.pdf"}
    found = figure.score(write(state("It was $1,577 million.", page=59)), urls)
    assert found == {"answered": 1.0, "document": 1.0, "page": 1.0}
    found = prose.score(write(state("It pays.", page=4)), urls)
    assert found == {"document": 1.0, "page": 0.0}
    assert (figure.expected, prose.expected) == ("", "No, it does not pay.")


def test_tasks_of_a_checkout_have_their_criteria_and_reference(tmp_path: Path) -> None:
    asked = [{"id": n, "prompt": f"Why {n}?", "language": "en"} for n in (7, 8)]
    files: dict[str, list[dict[str, Any]]] = {
        "prompt_data/query.jsonl": asked,
        "criteria_data/criteria.jsonl": [{"id": 7, "criterions": {}}, {"id": 8, "criterions": {}}],
        "test_data/cleaned_data/reference.jsonl": [{"id": 7, "article": "Because."}],
    }
    for name, lines in files.items():
        path = tmp_path / "data" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(json.dumps(line) for line in lines), "utf-8")
    whole, without = list_deep_research(tmp_path)
    assert whole.body == {"definition": "deep_research", "query": "Why 7?"}
    assert whole.criteria["reference"] == "Because."
    assert (without.id, without.criteria) == ("8", None), "no reference to score it beside"
    with pytest.raises(UsageError, match="has no tasks"):
        [*list_deep_research(tmp_path / "other")]


async def test_a_judge_settles_support_and_scores_beside_the_reference() -> None:
    answers: list[Any] = [
        {"statements": [{"number": 1, "result": "supported"}, {"number": 2, "result": "unknown"}]},
        {"scores": [{"number": 1, "article_1": 9, "article_2": 6}]},
    ]

    async def ask(_: ModelRequest) -> ModelResult:
        return ModelResult(content=[], output=answers.pop(0), usage=Usage())

    judge = Judge(ask, "m")
    pairs = [Pair(text, "u", is_supported=False) for text in ("a", "b", "c")]
    assert await judge.check_support(pairs, "page") == [Pair("a", "u", is_supported=True)]
    criterion = {"criterion": "Depth", "explanation": "why", "weight": 1.0}
    task = {
        "prompt": "Why?",
        "reference": "Because.",
        "criterions": {"insight": [criterion]},
        "dimension_weight": {"insight": 0.5},
    }
    assert await judge.race(task, "Therefore.") == pytest.approx(60)


def test_a_criterion_counts_by_its_weight_and_one_without_score_counts_nothing() -> None:
    criteria = [(0.6, "a", ""), (0.4, "b", "")]
    assert weigh_scores({1: (10, 0), 2: (0, 10)}, criteria) == pytest.approx(60)
    assert weigh_scores({}, criteria) == 0


def test_means_are_over_the_runs_that_have_a_score() -> None:
    run = {"status": "completed", "words": 10, "calls": 2, "usd": 0.5}
    runs = [run | {"scores": {"answered": 1.0}}, run | {"scores": {"said_missing": 0.0}}]
    found = summarize(runs)
    assert (found["questions"], found["answered"], found["said_missing"]) == (2, 1.0, 0.0)
    assert sum(1 for _ in list_keyed()) == 40
