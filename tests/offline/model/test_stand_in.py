"""The stand-in model quotes whole sentences of given sources, discloses this, and judges nothing."""

import copy
import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from pydantic import BaseModel

from contracts.agents.market_crew import Competition, Customers, Sizing, Strategy
from contracts.agents.steps import StepDraft
from contracts.agents.tool_definitions import update_report
from contracts.evidence.claims import Judgements
from contracts.models.answer_json_schema import get_answer_schema
from contracts.models.model_drafts import (
    DraftSentiment,
    DraftVerdict,
    Findings,
    Gaps,
    PlanReview,
    Questions,
    ShortAnswer,
)
from contracts.phases.typed_answers import (
    NOT_ENOUGH,
    Analysis,
    CompanyActions,
    Recommendation,
    Review,
    Summary,
)
from contracts.planning.plan import PlanDraft
from contracts.report.report import Report
from offline.model.answer_drafts import NO_MODEL
from offline.model.conversation import Conversation
from offline.model.reply import reply
from tests.offline.model_requests import Json, body, fence, instance

KENYA = """Kenya: Energy

Electricity access, Kenya: 76% (2022 est.)
Electricity generation sources, wind, Kenya: 16.1% (2023 est.)
Coal imports, Kenya: 1.1 million tons (2023 est.)"""
PERU = """Peru: Energy

Electricity access, Peru: 96.2% (2022 est.)
Electricity generation sources, wind, Peru: 4% (2023 est.)
Coal imports, Peru: 0.9 million tons (2023 est.)"""
PAGES = {"source-3": KENYA, "source-4": PERU}
COMPARED = "Is Kenya or Peru better for wind power?"
INVENTO = "Invento costs EUR 79 per month."
RIVALS = f"""# Rivals

## Stockpilot

Costs EUR 99

## Invento

{INVENTO}

| Plan | Price |
|---|---|
| Team | EUR 990 |"""


def find_claims(value: Any) -> Iterator[Json]:
    """Yield the claims in an answer, at any depth."""
    if isinstance(value, dict) and isinstance(value.get("citations"), list):
        yield value
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for part in parts:
        yield from find_claims(part)


def answer(model: type[BaseModel], question: str, **inputs: Any) -> list[Json]:
    """Return the claims of a model's answer."""
    return [*find_claims(instance(get_answer_schema(model), question=question, **inputs))]


# ── truth ───────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "model",
    [
        *(Analysis, Competition, Customers, DraftSentiment, Findings, Recommendation, Report),
        *(ShortAnswer, Sizing, StepDraft, Strategy, Summary),
    ],
)
def test_each_claim_is_a_whole_passage_of_its_source(model: type[BaseModel]) -> None:
    claims = answer(model, COMPARED, **PAGES)
    assert claims
    for claim in claims:
        [cited] = claim["citations"]
        assert claim["text"] == cited["quote"]
        assert cited["quote"] in PAGES[f"source-{cited['source']}"].splitlines()


def test_passages_that_share_most_words_come_first() -> None:
    texts = [claim["text"] for claim in answer(ShortAnswer, COMPARED, **PAGES)]
    assert sorted(texts) == [
        "Electricity generation sources, wind, Kenya: 16.1% (2023 est.)",
        "Electricity generation sources, wind, Peru: 4% (2023 est.)",
    ]


@pytest.mark.parametrize(
    ("question", "text", "quotes"),
    [
        ("Stockpilot?", "Stockpilot: Costs EUR 99", ["Costs EUR 99", "## Stockpilot"]),
        ("Invento?", INVENTO, [INVENTO, "## Invento"]),
        ("Team plan?", "Plan: Team; Price: EUR 990", ["| Team | EUR 990 |", "| Plan | Price |"]),
    ],
    ids=["heading", "named already", "row"],
)
def test_a_passage_names_its_heading_or_columns_and_quotes_them(
    question: str, text: str, quotes: list[str]
) -> None:
    [claim] = answer(ShortAnswer, question, **{"source-1": RIVALS})
    assert claim["text"] == text
    assert [cited["quote"] for cited in claim["citations"]] == quotes
    assert all(quote in RIVALS for quote in quotes)


def test_sentences_written_before_are_repeated_with_their_quotes() -> None:
    cited = [{"source": 3, "quote": "wind, Kenya: 16.1%"}, {"source": 4, "quote": "wind, Peru: 4%"}]
    told = [{"text": "Kenya has four times as much wind.", "citations": cited}]
    assert answer(Summary, COMPARED, findings=told) == told


@pytest.mark.parametrize(
    ("question", "line"),
    [
        ("Wie hat sich die Kündigungsrate verändert?", "Kündigungsraten: 11,4 % im Jahr 2025"),
        ("How has our churn changed?", "Churn was 11.4 % in 2025, up from 8.9 % in 2024."),
        ("客户流失率是多少？", "客户流失率为11%。"),
    ],
)
def test_a_question_finds_its_words_in_any_language(question: str, line: str) -> None:
    page = f"title: {line}\n\n{line}"
    assert [c["text"] for c in answer(ShortAnswer, question, **{"source-1": page})] == [line]


def test_a_text_says_that_no_model_wrote_it() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}
    told = instance(schema, question="How much wind power has Kenya?", **PAGES)["a"]
    assert told.startswith(NO_MODEL.rstrip("."))
    assert "16.1%" in told


# ── nothing is judged ───────────────────────────────────────────────────────────────────────────


def test_a_decision_is_not_made() -> None:
    schema: Json = copy.deepcopy(get_answer_schema(Recommendation))
    schema["properties"]["action"]["enum"] = ["buy", "hold", "sell", NOT_ENOUGH]
    said = instance(schema, question="Is wind in Kenya worth buying?", **PAGES)
    assert (said["action"], said["confidence"], said["horizon"]) == (NOT_ENOUGH, 0, NO_MODEL)
    assert said["rationale"]
    assert said["risks"] == []
    several = instance(get_answer_schema(CompanyActions), question=COMPARED, **PAGES)
    assert several["companies"] == []


def test_news_is_quoted_and_not_rated() -> None:
    said = instance(get_answer_schema(DraftSentiment), question="What of Kenya, Peru?", **PAGES)
    assert [(each["source"], each["sentiment"]) for each in said["articles"]] == [(3, 0), (4, 0)]


def test_claims_are_not_judged() -> None:
    claims = [{"claim": n, "text": "Wind gives 16.1%.", "quotes": ["16.1%"]} for n in (1, 2)]
    said = instance(get_answer_schema(Judgements), claims=claims)
    assert said["verdicts"] == [
        {"claim": n, "verdict": "not_shown", "reason": NO_MODEL} for n in (1, 2)
    ]


def test_no_rule_is_met_and_no_review_objects() -> None:
    rule = instance(get_answer_schema(DraftVerdict), rule="It names wind", report="Wind gives 4%.")
    assert (rule["met"], rule["reason"]) == (False, NO_MODEL)
    for model in (PlanReview, Review):
        said = instance(get_answer_schema(model), question=COMPARED, plan={"title": "x"})
        assert (said["accepted"], said["issues"]) == (True, [])


# ── before anything is read ─────────────────────────────────────────────────────────────────────


def plan(**inputs: Any) -> Json:
    """Return a plan for inputs."""
    return dict(instance(get_answer_schema(PlanDraft), **{"question": COMPARED, **inputs}))


@pytest.mark.parametrize(
    ("question", "outline", "searched"),
    [
        (COMPARED, ["Kenya", "Peru"], ["Kenya wind power", "Peru wind power"]),
        ("Wie groß sind Wien, Graz und Linz?", ["Wien", "Graz", "Linz"], ["Wien groß"]),
        ("How many people live in Kenya?", *[["How many people live in Kenya"]] * 2),
    ],
)
def test_a_plan_searches_for_each_name_that_a_question_lists(
    question: str, outline: list[str], searched: list[str]
) -> None:
    made = plan(question=question)
    assert made["outline"] == outline == [step["name"] for step in made["steps"]]
    assert made["search_terms"][: len(searched)] == searched
    assert made["title"] == question[:-1]


def test_later_requests_are_required_and_answers_only_searched_for() -> None:
    answers = [
        {"question": "What counts?", "answer": "Cost of land"},
        {"question": "Since when?", "answer": None},
    ]
    made = plan(answers=answers, feedback="Also look at Chile")
    assert made["requirements"] == [COMPARED[:-1], "Also look at Chile"]
    assert made["search_terms"][2:] == ["Kenya Peru Also look at Chile", "Kenya Peru Cost of land"]


def test_guidance_is_no_subject() -> None:
    given = fence({"question": COMPARED})
    guided = f'{given}\n\n<guidance name="steering">\nLeave energy out\n</guidance>'
    schema = get_answer_schema(PlanDraft)
    [[plain], [told]] = (reply(Conversation.of(body(t, schema=schema)))[0] for t in (given, guided))
    assert told == plain


def test_a_plan_keeps_what_was_settled_and_what_is_written() -> None:
    assert plan(parts={"outline": ["Ports", "Peru"]})["outline"] == ["Kenya", "Peru", "Ports"]
    startup = {"name": "Pumps", "search_terms": ["solar pumps"], "geographical_scope": "Africa"}
    made = plan(startup=startup)
    assert made["geographical_scope"] == "Africa"
    assert made["search_terms"][-2:] == ["Peru wind power", "solar pumps"]
    sections = [{"heading": "Kenya", "sentences": {"1": "Wind gives 1%."}}]
    made = plan(more="And Ghana?", report={"sections": sections})
    assert (made["outline"], made["search_terms"]) == (
        ["Kenya", "And Ghana"],
        ["wind power And Ghana"],
    )


def test_steps_take_turns_with_the_roles_they_may_have() -> None:
    schema: Json = copy.deepcopy(get_answer_schema(PlanDraft))
    roles = ["researcher", "engineer"]
    schema["$defs"]["PlanStep"]["properties"]["agent_role"] = {"enum": roles}
    made = instance(schema, question=COMPARED, max_plan_steps="3")
    assert [step["agent_role"] for step in made["steps"]] == roles


@pytest.mark.parametrize(("least", "most", "asked"), [("2", "3", 2), ("0", "3", 0), ("3", "3", 3)])
def test_as_few_questions_are_asked_as_may_be(least: str, most: str, asked: int) -> None:
    given = {"question": COMPARED, "min_questions": least, "max_questions": most}
    said = instance(get_answer_schema(Questions), **given)
    assert len(said["questions"]) == asked
    assert said["missing"] == []


def test_a_question_without_a_subject_lacks_one() -> None:
    said = instance(get_answer_schema(Questions), question="Help me", min_questions="0")
    assert said["missing"] == ["subject"]
    assert len(said["questions"]) == 1


# ── tools ───────────────────────────────────────────────────────────────────────────────────────


def tool(name: str, **properties: Any) -> Json:
    schema = {"type": "object", "properties": properties, "required": list(properties)[:1]}
    return {"name": name, "description": "", "input_schema": schema}


TOOLS = [
    tool("reader", address={"type": "string", "format": "uri"}),
    tool("finder", words={"type": "string"}, most={"type": "integer"}),
]
EDITOR = update_report(["Kenya", "Peru"]).model_dump()


def turn(name: str, arguments: Json, told: dict[str, Any], *, failed: bool = False) -> list[Json]:
    use = {"type": "tool_use", "id": "t1", "name": name, "input": arguments}
    content = [{"type": "text", "text": fence(told)}]
    result = {"type": "tool_result", "tool_use_id": "t1", "content": content, "is_error": failed}
    return [{"role": "assistant", "content": [use]}, {"role": "user", "content": [result]}]


HITS = [
    {"link": "http://a.example/kenya", "label": "Kenya: Energy", "about": "wind 16.1%"},
    {"link": "file:///peru.md", "label": "Peru: Energy", "about": "wind 4%"},
]
SEARCHED = turn("finder", {"words": "wind"}, {"results": HITS})


def ask(*turns: Json, tools: list[Json] = TOOLS, **more: Any) -> Any:
    """Return the tool calls of the next turn as pairs, or the typed answer."""
    first = {"role": "user", "content": fence({"question": COMPARED, **more})}
    request = body("", tools=tools, schema=get_answer_schema(Gaps))
    content, _ = reply(Conversation.of(request | {"messages": [first, *turns]}))
    calls = [(b["name"], b["input"]) for b in content if b["type"] == "tool_use"]
    return calls or json.loads(content[0]["text"])


def test_an_agent_searches_for_its_plan_else_for_its_question() -> None:
    assert ask() == [
        ("finder", {"words": "Kenya wind power"}),
        ("finder", {"words": "Peru wind power"}),
    ]
    given = {"search_terms": ["wind in Kenya", "wind"], "assumptions": ["Figures are as stated."]}
    assert ask(plan=given) == [("finder", {"words": "wind in Kenya"})]


def test_an_agent_whose_searches_were_dropped_from_the_conversation_does_not_repeat_them() -> None:
    report = {"sections": [{"heading": "Kenya", "sentences": {"1": "Wind."}}]}
    read = turn("reader", {"address": HITS[0]["link"]}, {"source-3": KENYA})
    assert ask(tools=[*TOOLS, EDITOR], report=report) == {"gaps": []}
    assert {name for name, _ in ask(*read, tools=[*TOOLS, EDITOR])} == {"update_report"}


def test_an_agent_reads_what_a_search_found_and_the_question_names() -> None:
    found = [("reader", {"address": each["link"]}) for each in HITS]
    assert ask(*SEARCHED) == found
    named = ("reader", {"address": "https://b.example/w"})
    assert ask(*SEARCHED, question="Wind in Peru? See https://b.example/w.") == [named, *found]
    assert ask(*SEARCHED, question="Drums?") != found


def test_a_page_is_written_down_when_it_was_read() -> None:
    read = turn("reader", {"address": HITS[0]["link"]}, {"source-3": KENYA})
    calls = ask(*SEARCHED, *read, tools=[*TOOLS, EDITOR])
    name, added = calls[0]
    assert (name, added["section"]) == ("update_report", "Kenya")
    assert all(claim["text"] in KENYA for claim in added["add"])


def test_a_finished_report_gets_what_its_empty_sections_lack() -> None:
    written = [{"heading": "Kenya", "sentences": {"1": "Wind."}}]
    [(_, added)] = ask(tools=[EDITOR], report={"sections": written}, **PAGES)
    assert added["section"] == "Peru"
    assert [claim["text"] for claim in added["add"]] == [PERU.splitlines()[3]]
    [(_, told)] = ask(tools=[EDITOR], report={"sections": written}, **{"source-3": KENYA})
    assert (told["section"], "“Peru”" in told["missing"]) == ("Peru", True)


def test_a_failed_search_is_not_repeated_and_named() -> None:
    failed = turn("finder", {"words": "Kenya"}, {"error": "answered 500"}, failed=True)
    [gap] = ask(*failed)["gaps"]
    assert gap.startswith("No search was answered")


def test_what_was_not_found_is_said_without_advice_that_fits_one_client() -> None:
    page = "Niger: Geography\n\nDrainage basins, Niger: the Niger river is divided"
    said = instance(
        get_answer_schema(ShortAnswer), question="How are drums tuned?", **{"source-1": page}
    )
    assert said["claims"] == []
    nothing = instance(get_answer_schema(StepDraft), question="Compute 17*23")
    assert "drums" in said["missing"]
    for written in (said["missing"], nothing["summary"]):
        assert not {"--library", "ANTHROPIC_API_KEY"} & {*re.split(r"[^-\w]+", written)}
    assert nothing["summary"].startswith(NO_MODEL.rstrip("."))
    assert (nothing["findings"], nothing["gaps"]) == ([], [nothing["summary"]])


def test_a_field_that_puts_a_question_is_left_open() -> None:
    asked: Json = {"type": "string", "description": "Which year counts?"}
    schema: Json = {"type": "object", "properties": {"q1": asked}, "required": ["q1"]}
    assert instance(schema, question=COMPARED) == {"q1": ""}


def test_each_thing_compared_is_a_step_of_its_own_where_steps_may_be_independent() -> None:
    schema: Json = copy.deepcopy(get_answer_schema(PlanDraft))
    schema["$defs"]["PlanStep"]["required"] += ["independent"]
    for question, independent in ((COMPARED, True), ("How much does wind cost?", False)):
        made = instance(schema, question=question, max_plan_steps="6")
        assert [step["independent"] for step in made["steps"]] == [independent] * len(made["steps"])
        assert (len(made["steps"]) > 1) == independent
