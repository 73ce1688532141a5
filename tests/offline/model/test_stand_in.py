"""The stand-in model: it extracts what bears on the question, and judges nothing."""

import copy
import json
from typing import Any

import pytest

from contracts.agents.steps import StepDraft
from contracts.agents.tools import update_report
from contracts.base import get_answer_schema
from contracts.evidence.claims import Judgements
from contracts.phases.generate import NOT_ENOUGH, CompanyActions, Recommendation
from contracts.planning.plan import PlanDraft
from contracts.report.drafts import (
    DraftSentiment,
    DraftVerdict,
    Findings,
    Gaps,
    PlanReview,
    Questions,
    ShortAnswer,
)
from contracts.report.report import Report
from offline.model.conversation import Conversation
from offline.model.reply import reply
from tests.offline.model_requests import Json, body, fence, instance

STEP = get_answer_schema(StepDraft)
KENYA = """Kenya: Energy

Kenya: Energy
Electricity access, Kenya: 76% (2022 est.)
Electricity generation sources, wind, Kenya: 16.1% (2023 est.)
Coal imports, Kenya: 1.1 million tons (2023 est.)"""
PERU = """Peru: Energy

Peru: Energy
Electricity access, Peru: 96.2% (2022 est.)
Electricity generation sources, wind, Peru: 4% (2023 est.)
Coal imports, Peru: 0.9 million tons (2023 est.)"""
PAGES = {"source-3": KENYA, "source-4": PERU}
COMPARED = "Is Kenya or Peru better for wind power?"


def test_things_compared_stand_side_by_side_with_their_quotes() -> None:
    said = instance(get_answer_schema(Report), question=COMPARED, **PAGES)
    report = Report.model_validate(said)
    assert report.comparison
    assert report.comparison.columns == ["Kenya", "Peru"]
    first = report.comparison.rows[0]
    assert first.label == "Electricity generation sources, wind"
    assert [(c.citations[0].source, c.text) for c in first.cells if c] == [
        (3, "16.1% (2023 est.)"),
        (4, "4% (2023 est.)"),
    ]
    assert all(c and c.citations[0].quote in KENYA + PERU for c in first.cells)
    assert [section.heading for section in report.sections] == ["Kenya", "Peru"]


def test_sections_are_the_agreed_ones_whatever_sentences_stand_beside_them() -> None:
    plan = {"outline": ["Coal", "Wind"], "assumptions": ["Figures are quoted as stated."]}
    asked = {"question": "How does Kenya make electricity?", "plan": plan}
    said = instance(get_answer_schema(Report), **asked, **PAGES)
    assert [section["heading"] for section in said["sections"]] == ["Coal", "Wind"]


def test_a_question_that_compares_nothing_has_no_table() -> None:
    question = "How much electricity does Kenya generate from wind?"
    said = instance(get_answer_schema(Report), question=question, **PAGES)
    assert said["comparison"] is None


def test_rows_of_a_table_in_markdown_are_compared() -> None:
    page = "# Engines\n\n| | Falcon | Merlin |\n|---|---|---|\n| Thrust | 845 kN | 914 kN |"
    question = "Falcon or Merlin: how do their thrusts compare?"
    said = instance(get_answer_schema(Report), question=question, **{"source-1": page})
    [row] = said["comparison"]["rows"]
    assert [cell["text"] for cell in row["cells"]] == ["845 kN", "914 kN"]


def test_names_alone_are_compared_whatever_else_was_wished() -> None:
    page = (
        "# Rivals\n\nInvento costs EUR 79 per month.\n\n"
        "Lagerwerk has 2,100 customers.\n\nThe market grows by 4 % a year."
    )
    asked = {"question": "What matters most to you?", "answer": "price"}
    rivals = {"question": "Compare Invento and Lagerwerk", "clarified": [asked], "source-1": page}
    said = instance(get_answer_schema(Report), **rivals)
    told = {s["heading"]: [c["text"] for c in s["claims"]] for s in said["sections"]}
    assert told["Invento"] == ["Invento costs EUR 79 per month."]
    assert told["Lagerwerk"] == ["Lagerwerk has 2,100 customers."]
    nothing = {**rivals, "source-1": "# Bread\n\nRye keeps for a week."}
    assert "“Invento and Lagerwerk”" in str(
        instance(get_answer_schema(Findings), **nothing)["gaps"]
    )


def test_a_decision_says_that_no_model_was_asked() -> None:
    schema: Json = copy.deepcopy(get_answer_schema(Recommendation))
    schema["properties"]["action"]["enum"] = ["buy", "hold", "sell", NOT_ENOUGH]
    said = instance(schema, question="Is Kenya worth buying?", **PAGES)
    assert (said["action"], said["confidence"]) == (NOT_ENOUGH, 0)
    assert said["horizon"] == "No model was asked."
    assert said["rationale"]
    assert said["risks"] == []


def test_of_several_companies_nothing_is_said_for_or_against_one() -> None:
    """Which of them a passage speaks for is not told by its words."""
    said = instance(get_answer_schema(CompanyActions), question="Kenya or Peru?", **PAGES)
    assert said["companies"] == []


def test_news_is_quoted_and_not_rated() -> None:
    said = instance(get_answer_schema(DraftSentiment), question="What of Kenya, Peru?", **PAGES)
    assert [(each["source"], each["sentiment"]) for each in said["articles"]] == [(3, 0), (4, 0)]


def test_a_text_opens_with_who_did_not_write_it() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}
    told = instance(schema, question="How much wind power has Kenya?", **PAGES)["a"]
    assert told.startswith("No model was asked; this is what the sources say:")
    assert "16.1%" in told


LACKS = "No passage was taken for “{}”."
CHURN = "11.4 % in 2025, up from 8.9 % in 2024."
RIVALS = """# Rivals

## Stockpilot

Costs EUR 99

## Invento

Invento costs EUR 79 per month.

## Lagerwerk

Has 2,100 customers.
Costs EUR 99"""


def list_claims(said: Json) -> Json:
    """Return the texts of a report's claims by the headings of its sections."""
    return {each["heading"]: [c["text"] for c in each["claims"]] for each in said["sections"]}


@pytest.mark.parametrize(
    ("page", "text", "quotes"),
    [
        (f"# Churn\n\n{CHURN}", f"Churn: {CHURN}", [CHURN, "# Churn"]),
        (f"# 2025\n\n## Churn\n\n### Years\n{CHURN}", f"Churn: {CHURN}", [CHURN, "## Churn"]),
        (f"Two numbers matter.\nChurn:\n{CHURN}", f"Churn: {CHURN}", [CHURN, "Churn:"]),
        (f"url: http://a.example/c\ntitle: Churn\n\n{CHURN}", CHURN, [CHURN]),
    ],
    ids=["heading", "outer heading", "plain heading", "title"],
)
def test_a_passage_is_of_what_a_heading_or_title_above_it_names(
    page: str, text: str, quotes: list[str]
) -> None:
    asked = {"question": "How has our churn changed?", "source-1": page}
    said = instance(get_answer_schema(ShortAnswer), **asked)
    assert [claim["text"] for claim in said["claims"]] == [text]
    assert [each["quote"] for each in said["claims"][0]["citations"]] == quotes
    assert all(quote in page for quote in quotes)
    assert said["missing"] == ""


def test_a_heading_of_the_question_s_own_words_is_enough_where_nothing_else_is() -> None:
    asked = {"question": "How has our customer churn rate changed?"}
    said = instance(get_answer_schema(ShortAnswer), **asked, **{"source-1": f"# Churn\n\n{CHURN}"})
    assert [claim["text"] for claim in said["claims"]] == [f"Churn: {CHURN}"]
    assert said["missing"] == "No passage with the word “customer” or “rate” was taken."


def test_quotes_stand_below_the_heading_that_is_quoted_with_them() -> None:
    asked = {"question": "Compare Stockpilot, Invento and Lagerwerk"}
    report = instance(get_answer_schema(Report), **asked, **{"source-1": RIVALS})
    told = {each["heading"]: {"claims": each["claims"]} for each in report["sections"]}
    said = instance(get_answer_schema(Findings), **asked, report=told)
    assert {claim["text"] for claim in said["findings"]} == {
        *("Stockpilot: Costs EUR 99", "Invento costs EUR 79 per month."),
        *("Lagerwerk: Has 2,100 customers.", "Lagerwerk: Costs EUR 99"),
    }


def test_what_its_own_words_say_goes_before_what_a_heading_says_of_a_long_page() -> None:
    lines = "\n".join(f"The office in street {n} is open." for n in range(99))
    page = f"# Churn and offices\n\n{lines}\n\nChurn was 11.4 % in 2025."
    asked = {"question": "How has our churn changed?", "source-1": page}
    said = instance(get_answer_schema(ShortAnswer), **asked)
    assert [claim["text"] for claim in said["claims"]] == ["Churn was 11.4 % in 2025."]


def test_of_things_compared_each_has_what_stands_below_its_heading() -> None:
    asked = {"question": "Compare Stockpilot, Invento and Lagerwerk", "source-1": RIVALS}
    assert list_claims(instance(get_answer_schema(Report), **asked)) == {
        "Stockpilot": ["Stockpilot: Costs EUR 99"],
        "Invento": ["Invento costs EUR 79 per month."],
        "Lagerwerk": ["Lagerwerk: Has 2,100 customers.", "Lagerwerk: Costs EUR 99"],
    }


def test_what_stands_below_the_heading_of_another_is_not_told() -> None:
    asked = {"question": "What does Stockpilot cost?", "source-1": RIVALS}
    said = instance(get_answer_schema(ShortAnswer), **asked)
    assert [claim["text"] for claim in said["claims"]] == ["Stockpilot: Costs EUR 99"]


def test_facts_below_headings_are_set_side_by_side() -> None:
    page = "## Stockpilot\nPrice: EUR 99\nSeats: 3\n\n## Invento\nPrice: EUR 79\nSeats: 5"
    asked = {"question": "Compare the price of Stockpilot and Invento", "source-1": page}
    table = instance(get_answer_schema(Report), **asked)["comparison"]
    assert table["columns"] == ["Stockpilot", "Invento"]
    cells = {row["label"]: [cell["text"] for cell in row["cells"]] for row in table["rows"]}
    assert cells["Price"] == ["EUR 99", "EUR 79"]


CHOICE = "We chose Postgres over MySQL because the team knows it."


def test_a_sentence_counts_for_all_that_it_names() -> None:
    own = "MySQL has been in use here since 2019."
    page = f"# ADR 7\n\n{CHOICE}\n\n{own}"
    asked = {"question": "Compare Postgres, MySQL and Oracle", "source-1": page}
    said = instance(get_answer_schema(Report), **asked)
    assert list_claims(said) == {"Postgres": [CHOICE], "MySQL": [CHOICE, own], "Oracle": []}
    assert [s["missing"] for s in said["sections"]] == ["", "", LACKS.format("Oracle")]


def test_a_section_is_not_called_empty_where_its_sentence_stands_in_another() -> None:
    headings = ["Choice of databases", "Team", "Licence"]
    made = "The choice of databases was made by the team."
    page = f"# ADR 8\n\n{made}\n\nThe choice of databases is final."
    asked = {"question": "Which choice of databases was made?", "plan": {"outline": headings}}
    editor = update_report(headings).model_dump()
    given = fence(asked | {"source-1": page})
    calls, _ = reply(Conversation.of(body(given, tools=[editor])))
    added = {c["input"]["section"]: c["input"].get("add", []) for c in calls}
    assert [claim["text"] for claim in added["Team"]] == [made]
    [missing] = [c["input"]["missing"] for c in calls if c["input"].get("missing")]
    assert missing == LACKS.format("Licence")


def test_what_is_named_and_not_told_is_said_so() -> None:
    page = (
        "# Rivals\n\nThe price of Stockpilot is EUR 99.\n\nOur buyers have met people from Invento."
    )
    asked = {"question": "Compare the price of Stockpilot and Invento", "source-1": page}
    sections = instance(get_answer_schema(Report), **asked)["sections"]
    told = "No passage was taken for “Invento”: the sources name it, but not beside words of the question."
    assert [section["missing"] for section in sections] == ["", told]


def test_a_thing_compared_on_which_no_page_was_read_is_named() -> None:
    asked = {"question": "Is Kenya or Peru better for wind?", "source-3": KENYA}
    assert instance(get_answer_schema(ShortAnswer), **asked)["missing"] == LACKS.format("Peru")
    assert instance(get_answer_schema(Findings), **asked)["gaps"] == [LACKS.format("Peru")]
    sections = instance(get_answer_schema(Report), **asked)["sections"]
    assert [section["missing"] for section in sections] == ["", LACKS.format("Peru")]


NIGER = """Niger: Geography

Niger: Geography
Gini Index coefficient, Niger: 37.3 (2018 est.)
Drainage basins, Niger: the Niger river is divided among ten countries"""


@pytest.mark.parametrize(
    "question", ["What are best practices for database indexing?", "Wie backt man Brot?"]
)
def test_what_the_sources_do_not_hold_is_said_in_a_sentence(question: str) -> None:
    said = instance(get_answer_schema(ShortAnswer), question=question, **{"source-1": NIGER})
    assert said["claims"] == []
    assert "--library" in said["missing"]
    assert "ANTHROPIC_API_KEY" in said["missing"]


def test_a_word_that_no_source_has_is_named() -> None:
    said = instance(get_answer_schema(Findings), question="Has Kenya wind turbines?", **PAGES)
    assert said["findings"]
    assert said["gaps"] == ["No passage with the word “turbines” was taken."]


@pytest.mark.parametrize(
    "question",
    [
        *("How much of Norway's electricity is hydro?", "Is solar or hydropower larger in Norway?"),
        "What share of Norway's electricity is nuclear?",
    ],
)
def test_nothing_is_said_of_what_the_sources_do_not_hold(question: str) -> None:
    page = (
        "Norway\n\nElectricity generation sources, fossil fuels, Norway: 1.2%\n"
        "Electricity generation sources, solar, Norway: 0.2%\n"
        "Electricity generation sources, hydroelectricity, Norway: 89.1%"
    )
    said = instance(get_answer_schema(ShortAnswer), question=question, **{"source-1": page})
    assert said["claims"]
    sentences = said["missing"].split(". ") if said["missing"] else []
    assert all(sentence.startswith("No passage ") for sentence in sentences)
    assert "“hydro”" not in said["missing"]


def test_an_identifier_keeps_its_underscores() -> None:
    question = "How do we set max_connections in PostgreSQL?"
    page = "PostgreSQL notes\n\nSet max_connections to 200, and `work_mem` to 64 MB."
    plan = instance(get_answer_schema(PlanDraft), question=question)
    assert "max_connections" in plan["search_terms"][0]
    said = instance(get_answer_schema(Findings), question=question, **{"source-1": page})
    assert "max_connections to 200" in said["findings"][0]["text"]


@pytest.mark.parametrize(
    ("question", "line"),
    [
        ("Wie hat sich die Kündigungsrate verändert?", "Kündigungsraten: 11,4 % im Jahr 2025"),
        ("¿Cómo ha cambiado la rotación de clientes?", "La rotación del cliente fue del 11 %."),
        ("客户流失率是多少？", "客户流失率为11%。"),
    ],
)
def test_a_question_finds_an_answer_in_its_own_language(question: str, line: str) -> None:
    said = instance(get_answer_schema(Findings), question=question, **{"source-1": line})
    assert [found["citations"][0]["quote"] for found in said["findings"]] == [line]


@pytest.mark.parametrize(("least", "most", "asked"), [("2", "3", 2), ("0", "3", 0), ("3", "3", 3)])
def test_as_few_questions_are_asked_as_may_be(least: str, most: str, asked: int) -> None:
    given = {"question": COMPARED, "min_questions": least, "max_questions": most}
    said = instance(get_answer_schema(Questions), **given)
    assert len(said["questions"]) == asked
    assert all("Kenya and Peru" in question["question"] for question in said["questions"])


def test_an_answer_and_a_wish_are_searched_for() -> None:
    answers = [{"id": "q1", "question": "What counts?", "context": "", "answer": "Cost of land"}]
    given: Json = {"question": COMPARED, "answers": answers, "feedback": "Also look at Chile"}
    plan = instance(get_answer_schema(PlanDraft), **given)
    assert {"Kenya wind power", "Chile wind power", "Peru Cost of land"} <= {*plan["search_terms"]}
    assert "Also look at Chile" in plan["requirements"]


@pytest.mark.parametrize(
    ("wish", "names"),
    [
        ("Add Chile", ["Kenya", "Peru", "Chile"]),
        ("Add Chile and Togo, and leave out coal", ["Kenya", "Peru", "Chile", "Togo"]),
        ("Leave coal out, add Chile", ["Kenya", "Peru", "Chile"]),
        ("Please drop Kenya. Don't forget Chile.", ["Peru", "Chile"]),
        ("without coal, hydropower and gas", ["Kenya", "Peru"]),
        ("Füge Chile hinzu und lass Kohle weg", ["Kenya", "Peru", "Chile"]),
        ("Añade Chile y quita el carbón", ["Kenya", "Peru", "Chile"]),
    ],
)
def test_what_is_added_is_searched_for_and_what_is_left_out_is_not(
    wish: str, names: list[str]
) -> None:
    plan = instance(get_answer_schema(PlanDraft), question=COMPARED, feedback=wish)
    assert plan["search_terms"] == [f"{name} wind power" for name in names]
    assert (plan["outline"], plan["focus_areas"]) == (names, names)
    assert plan["title"] == f"Wind power: {', '.join(names[:-1])} and {names[-1]}"


def test_a_word_that_leaves_out_within_a_phrase_leaves_nothing_out() -> None:
    plan = instance(get_answer_schema(PlanDraft), question=COMPARED, feedback="cost of sick leave")
    assert "Kenya cost of sick leave" in plan["search_terms"]


def test_what_a_plan_leaves_out_or_adds_holds_for_what_is_written() -> None:
    plan = {"requirements": ["Add Peru, and leave out coal"], "focus_areas": ["Kenya", "Peru"]}
    question = "Which energy has Kenya: wind, coal or gas?"
    said = instance(get_answer_schema(Report), question=question, plan=plan, **PAGES)
    told = str(said)
    assert said["comparison"]["columns"] == ["Kenya", "Peru"]
    assert "wind, Peru: 4%" in told
    assert "Coal" not in told


WRITTEN = {
    "sections": [
        {"heading": "Kenya", "sentences": {"1": "Wind gives 16.1%."}, "missing": ""},
        {"heading": "What follows", "sentences": {"1": "Kenya."}, "missing": ""},
    ],
    "table": [
        {
            "row": "Electricity generation sources, wind",
            "column": "Kenya",
            "text": "16.1% (2023 est.)",
        }
    ],
}
ADDED: Json = {
    "report_question": "Is Kenya or Togo better for wind power?",
    "question": "And Peru?",
    "report": WRITTEN,
}


def test_a_question_on_a_report_plans_only_what_it_adds() -> None:
    plan = instance(get_answer_schema(PlanDraft), **ADDED)
    assert plan["title"] == "Wind power: Kenya, Togo and Peru"
    assert plan["search_terms"] == ["Peru wind power"]
    assert plan["outline"] == ["Kenya", "What follows", "Peru"]
    asked = {"question": "What was asked since?", "answer": "And Peru?"}
    more = ADDED | {"question": "And Chile?", "answers": [asked]}
    assert instance(get_answer_schema(PlanDraft), **more)["search_terms"] == ["Chile wind power"]


def test_a_report_gets_what_is_new_and_keeps_what_it_has() -> None:
    headings = ["Kenya", "What follows", "Peru"]
    editor = update_report(headings, may_end=True).model_dump()
    content, _ = reply(Conversation.of(body(fence(ADDED | PAGES), tools=[editor])))
    calls = [block["input"] for block in content if block["type"] == "tool_use"]
    figures = [figure for call in calls for figure in call.get("figures", [])]
    assert "Electricity generation sources, wind" in {f["row"] for f in figures}
    known = [(f["row"], f["column"], f["claim"]["text"]) for f in figures]
    assert ("Electricity generation sources, wind", "Kenya", "16.1% (2023 est.)") not in known
    assert {"Peru"} <= {call["section"] for call in calls if call.get("add")}
    assert not [call for call in calls if call.get("missing")], "each section says something"


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        (COMPARED, "I don't know"),
        (COMPARED, "You decide."),
        (COMPARED, "no idea"),
        (COMPARED, "Not sure"),
        ("Wie steht es um die Windkraft in Kenia und Peru?", "Ich weiß nicht"),
        ("Wie steht es um die Windkraft in Kenia und Peru?", "keine Ahnung, entscheide du"),
        ("Comment se compare l'énergie éolienne au Kenya et au Pérou ?", "Je ne sais pas"),
    ],
)
def test_an_answer_that_names_nothing_is_not_searched_for(question: str, answer: str) -> None:
    answers = [{"id": "q1", "question": "What counts?", "context": "", "answer": answer}]
    plans = [
        instance(get_answer_schema(PlanDraft), question=question, answers=given)
        for given in (answers, [])
    ]
    assert plans[0]["search_terms"] == plans[1]["search_terms"]
    assert plans[0]["outline"] == plans[1]["outline"]


def test_a_chosen_startup_is_searched_for_beside_the_question() -> None:
    about = {"name": "Solar pumps", "description": "Pumps for farms", "industry": ""}
    startup = about | {"search_terms": ["solar pumps"], "geographical_scope": "East Africa"}
    plan = instance(
        get_answer_schema(PlanDraft), question="How has churn changed?", startup=startup
    )
    assert plan["search_terms"] == ["churn", "solar pumps"]
    assert plan["geographical_scope"] == "East Africa"
    assert (plan["title"], plan["outline"]) == ("How has churn changed", ["Churn"])


def test_guidance_is_no_subject() -> None:
    given = fence({"question": COMPARED})
    guided = f'{given}\n\n<guidance name="steering">\nLeave energy out\n</guidance>'
    schema = get_answer_schema(PlanDraft)
    [[plain], [told]] = (reply(Conversation.of(body(t, schema=schema)))[0] for t in (given, guided))
    assert told == plain


def test_a_plan_keeps_what_was_settled_before() -> None:
    settled = {"outline": ["Ports", "Rails"], "expanded_queries": ["ports of Kenya"]}
    plan = instance(get_answer_schema(PlanDraft), question=COMPARED, decomposition=settled)
    assert (plan["outline"], plan["expanded_queries"]) == (["Ports", "Rails"], ["ports of Kenya"])


def test_steps_take_turns_with_the_roles_they_may_have() -> None:
    schema: Json = copy.deepcopy(get_answer_schema(PlanDraft))
    roles = ["researcher", "engineer"]
    schema["$defs"]["PlanStep"]["properties"]["agent_role"] = {"enum": roles}
    plan = instance(schema, question=COMPARED, max_plan_steps="3")
    assert [step["agent_role"] for step in plan["steps"]] == roles


CLAIMS = [
    {"claim": 1, "text": "Wind gives 16.1% in Kenya.", "quotes": ["wind, Kenya: 16.1% (2023)"]},
    {"claim": 2, "text": "Wind gives 61% in Kenya.", "quotes": ["wind, Kenya: 16.1% (2023)"]},
    {"claim": 3, "text": "Kenya exports coal.", "quotes": ["wind, Kenya: 16.1% (2023)"]},
]


def test_it_judges_no_claim() -> None:
    said = instance(get_answer_schema(Judgements), claims=CLAIMS)
    assert [v["verdict"] for v in said["verdicts"]] == ["not_shown"] * 3
    assert [v["reason"] for v in said["verdicts"]] == ["No model was asked."] * 3
    assert [v["claim"] for v in said["verdicts"]] == [1, 2, 3]


@pytest.mark.parametrize(
    ("rule", "met"), [("It names wind in Kenya", True), ("It names tides in Chile", False)]
)
def test_a_rule_is_met_by_the_sentence_that_has_its_words(rule: str, met: bool) -> None:
    given = {"rule": rule, "report": "# Power\nThe share of wind in Kenya is named as 16.1%."}
    said = instance(get_answer_schema(DraftVerdict), **given)
    assert said["met"] is met
    assert bool(said["quote"]) is met


def test_a_review_has_no_objection() -> None:
    said = instance(get_answer_schema(PlanReview), question=COMPARED, plan={"title": "x"})
    assert (said["accepted"], said["issues"]) == (True, [])


def tool(name: str, **properties: Any) -> Json:
    schema = {"type": "object", "properties": properties, "required": list(properties)[:1]}
    return {"name": name, "description": "", "input_schema": schema}


TOOLS = [
    tool("reader", address={"type": "string", "format": "uri"}),
    tool("finder", words={"type": "string"}, most={"type": "integer"}),
]


def turn(name: str, arguments: Json, told: dict[str, Any]) -> list[Json]:
    use = {"type": "tool_use", "id": "t1", "name": name, "input": arguments}
    content = [{"type": "text", "text": fence(told)}]
    result = {"type": "tool_result", "tool_use_id": "t1", "content": content}
    return [{"role": "assistant", "content": [use]}, {"role": "user", "content": [result]}]


def next_uses(messages: list[Json]) -> list[tuple[str, Json]]:
    first = {"role": "user", "content": fence({"question": COMPARED})}
    request = body("", tools=TOOLS, schema=get_answer_schema(Findings))
    content, _ = reply(Conversation.of(request | {"messages": [first, *messages]}))
    return [(b["name"], b["input"]) for b in content if b["type"] == "tool_use"]


def test_tools_are_told_apart_by_what_they_take() -> None:
    assert next_uses([]) == [
        ("finder", {"words": "Kenya wind power"}),
        ("finder", {"words": "Peru wind power"}),
    ]
    hits = [
        {"link": "http://a.example/kenya", "label": "Kenya: Energy", "about": "wind 16.1%"},
        {"link": "http://a.example/chad", "label": "Chad: Energy", "about": "wind 0%"},
        {"link": "http://a.example/music", "label": "Kenya: Music", "about": "drums"},
    ]
    searched = turn("finder", {"words": "wind"}, {"results": hits})
    more = [use for use in next_uses(searched) if use[0] == "reader"]
    assert more == [] or more == [("reader", {"address": "http://a.example/kenya"})]


def test_a_page_of_elsewhere_is_not_quoted_though_it_names_a_thing_compared() -> None:
    chad = "Chad: Energy\n\nChad: Energy\nBorders Kenya: no\nWind power, Chad: 0%"
    said = instance(get_answer_schema(Findings), question=COMPARED, **PAGES, **{"source-5": chad})
    assert {found["citations"][0]["source"] for found in said["findings"]} == {3, 4}


def test_a_document_of_one_line_is_quoted_though_the_line_is_its_title() -> None:
    line = "Churn was 11.4 % in 2025, up from 8.9 % in 2024."
    page = f"url: http://a.example/churn.md\ntitle: {line}\n\n{line}"
    question = "How has our churn changed?"
    said = instance(get_answer_schema(Findings), question=question, **{"source-1": page})
    assert [found["text"] for found in said["findings"]] == [line]


PLANS = """Plans

| Plan | Price | Seats | Support |
| --- | --- | --- | --- |
| Starter | EUR 29 | 3 | e-mail |
| Team | EUR 99 | 10 | e-mail and chat |
| Enterprise | EUR 499 | 100 | phone |"""
TEAM = "Team: Price: EUR 99; Seats: 10; Support: e-mail and chat"
JAPAN = """Japan: Military and Security

US forces cost $3 billion a year.
A team of donors pays.
China: its navy (PLAN) has plans of its own."""


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("What does the Team plan cost?", [TEAM]),
        ("what does the team plan cost per month?", [TEAM]),
        (
            "Compare the Starter, Team and Enterprise plans",
            [
                "Starter: Price: EUR 29; Seats: 3; Support: e-mail",
                TEAM,
                "Enterprise: Price: EUR 499; Seats: 100; Support: phone",
            ],
        ),
    ],
)
def test_a_row_answers_by_its_label_and_a_passage_with_one_common_word_does_not(
    question: str, rows: list[str]
) -> None:
    given = {"question": question, "source-1": JAPAN, "source-2": PLANS}
    said = instance(get_answer_schema(ShortAnswer), **given)
    assert [claim["text"] for claim in said["claims"]] == rows


def test_a_row_keeps_the_mark_of_what_is_outdated() -> None:
    page = (
        "Prices\n\n| Plan | Price |\n| --- | --- |\n| Team | EUR 99 |\n| Team (outdated) | EUR 89 |"
    )
    asked = {"question": "What does the Team plan cost?", "source-1": page}
    said = instance(get_answer_schema(ShortAnswer), **asked)
    told = ["Team: Price: EUR 99", "Team (outdated): Price: EUR 89"]
    assert [claim["text"] for claim in said["claims"]] == told


PEOPLE = """title: Kenya: People

Population, total, Kenya: 55,751,717 (2025 est.)
Literacy, Kenya: 82.9% (2022 est.)"""
STATE = """title: Kenya: Government

Executive branch, chief of state, Kenya: President William RUTO (since 13 September 2022)
Flag, Kenya: three bands of black, red and green"""
MAIZE = """title: Prices of maize

The price of maize was KES 3,120 a bag in September 2026.
The price of maize rose to KES 3,480 a bag in November 2026."""


@pytest.mark.parametrize(
    ("question", "claims"),
    [
        ("What's Kenya's population?", [PEOPLE.splitlines()[2]]),
        ("Who is the president of Kenya?", [STATE.splitlines()[2]]),
        ("What is the current price of maize?", MAIZE.splitlines()[2:]),
    ],
)
def test_a_short_question_finds_its_answer(question: str, claims: list[str]) -> None:
    pages = {f"source-{n}": text for n, text in enumerate((PEOPLE, STATE, MAIZE), start=1)}
    said = instance(get_answer_schema(ShortAnswer), question=question, **pages)
    assert [claim["text"] for claim in said["claims"]] == claims


@pytest.mark.parametrize(
    ("question", "searched"),
    [
        ("What's Kenya's population?", "Kenya's population"),
        ("What are Kenya's neighbours' populations?", "Kenya's neighbours' populations"),
        ("How many people live in Kenya?", "people live in Kenya"),
    ],
)
def test_a_title_is_the_question_and_no_word_is_cut(question: str, searched: str) -> None:
    plan = instance(get_answer_schema(PlanDraft), question=question)
    assert (plan["title"], plan["search_terms"]) == (question[:-1], [searched])


HANDBOOK = """# Handbook

## Vacation

| Country | Days |
| --- | --- |
| Germany | 30 |
| Spain | 25 |

Line managers answer within 3 business days."""
SPAIN = """title: Spain: Economy

GDP (official exchange rate), Spain: $1.62 trillion (2023 est.)
Labor force, Spain: 24.1 million people (2024 est.)"""


@pytest.mark.parametrize(
    ("question", "claim"),
    [
        ("How many vacation days do people in Spain have?", "Spain: Days: 25"),
        ("Why did we choose Postgres over MySQL?", CHOICE),
    ],
)
def test_a_document_of_ones_own_answers_before_a_country_does(question: str, claim: str) -> None:
    own = (HANDBOOK, f"# ADR 7\n\n{CHOICE}")
    pages = {"source-1": SPAIN}
    pages |= {
        f"source-{n}": f"url: file:///{n}.md\n\n{text}" for n, text in enumerate(own, start=2)
    }
    said = instance(get_answer_schema(ShortAnswer), question=question, **pages)
    assert said["claims"][0]["text"] == claim
    assert not [c for c in said["claims"] if "GDP" in c["text"] or "Germany" in c["text"]]


def test_things_that_are_rows_of_a_table_are_columns_of_the_comparison() -> None:
    given = {"question": "Compare the Starter and Team plans", "source-1": PLANS}
    table = instance(get_answer_schema(Report), **given)["comparison"]
    assert table["columns"] == ["Starter", "Team"]
    cells = {row["label"]: [cell["text"] for cell in row["cells"]] for row in table["rows"]}
    assert cells["Price"] == ["EUR 29", "EUR 99"]


def test_a_document_that_was_handed_over_is_read_and_quoted_first() -> None:
    own = {"url": "file:///plans.md", "title": "Notes", "snippet": "Peru pays"}
    found = {"url": "http://a.example/peru", "title": "Peru: Energy", "snippet": "wind power, Peru"}
    searched = turn("finder", {"words": "wind"}, {"results": [found, own]})
    assert next_uses(searched) == [
        ("reader", {"address": "file:///plans.md"}),
        ("reader", {"address": "http://a.example/peru"}),
    ]
    pages = {"source-3": KENYA, "source-4": "url: file:///n.md\ntitle: N\n\nKenya has wind: 3 MW."}
    said = instance(get_answer_schema(Findings), question="Has Kenya wind power?", **pages)
    assert [each["citations"][0]["source"] for each in said["findings"]][:2] == [4, 3]


def test_a_document_that_was_handed_over_is_read_for_its_title() -> None:
    own = {"url": "file:///wind.md", "title": "Wind power", "snippet": "3 MW in 2025"}
    found = {"url": "http://a.example/peru", "title": "Peru: Energy", "snippet": "wind power, Peru"}
    searched = turn("finder", {"words": "wind"}, {"results": [found, own]})
    assert ("reader", {"address": "file:///wind.md"}) in next_uses(searched)


def test_of_things_compared_the_same_is_told_of_each_in_turn() -> None:
    pages = {
        "source-1": "Chad: Data\n\nBorder countries, Chad: Niger 1,196 km\nArea, Chad: 1,284,000",
        "source-2": "Niger: Data\n\nArea, Niger: 1,267,000\nBorder countries, Libya: Niger 342 km",
    }
    question = "Which country is larger: Chad or Niger?"
    said = instance(get_answer_schema(ShortAnswer), question=question, **pages)
    assert [claim["text"] for claim in said["claims"]][:2] == [
        "Area, Chad: 1,284,000",
        "Area, Niger: 1,267,000",
    ]
    plan = instance(get_answer_schema(PlanDraft), question=question)
    assert (plan["title"], plan["search_terms"]) == ("Chad and Niger", ["Chad", "Niger"])


def test_where_nothing_was_there_to_read_it_says_that_no_model_was_asked() -> None:
    maker = tool("sums", expression={"type": "string"}, digits={"type": "integer"}, more={})
    for offered in ([], [maker]):
        request = body(fence({"question": "Compute 17*23"}), schema=STEP, tools=offered)
        content, _ = reply(Conversation.of(request))
        said = json.loads(content[0]["text"])
        told = "No model was asked, and without one (ANTHROPIC_API_KEY) nothing is worked out here."
        assert (said["summary"], said["findings"], said["gaps"]) == (told, [], [told])


def test_a_search_that_failed_is_not_made_again_and_nothing_is_said_of_sources() -> None:
    uses, results = turn("finder", {"words": "Kenya wind power"}, {"error": "answered 500"})
    results["content"][0]["is_error"] = True
    assert next_uses([uses, results]) == []
    first = {"role": "user", "content": fence({"question": COMPARED})}
    request = body("", tools=TOOLS, schema=get_answer_schema(Gaps))
    content, _ = reply(Conversation.of(request | {"messages": [first, uses, results]}))
    [gap] = json.loads(content[0]["text"])["gaps"]
    assert gap == "No search was answered, so nothing was read on “wind power”."
    editor = update_report(["Kenya", "Peru"]).model_dump()
    given = fence({"question": COMPARED, "gaps": [gap]})
    calls, _ = reply(Conversation.of(body(given, tools=[editor])))
    assert [call["input"]["missing"] for call in calls] == [gap, gap]
