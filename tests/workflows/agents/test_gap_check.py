"""A report is checked before it is shown: removed sentences are logged, and answered gaps removed."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from temporalio.client import Client
from temporalio.exceptions import ApplicationError

from contracts.base import Json
from contracts.definitions import Definition
from contracts.documents import UnreadPart
from contracts.evidence.claims import JUDGE, Claim
from contracts.evidence.sources import SearchHit
from contracts.models.call import Block, ModelRequest
from contracts.notices import Notice
from contracts.phases import Phase
from contracts.phases.control import ControlPhase
from contracts.phases.crew import CrewPhase
from contracts.phases.hitl_checkpoint import HitlCheckpointPhase
from contracts.phases.planning import PlanningPhase
from contracts.phases.research import ResearchConfig, ResearchPhase
from contracts.phases.synthesis import SynthesisConfig, SynthesisPhase
from contracts.phases.typed_answers import AnalysisPhase, DecisionConfig, DecisionPhase
from contracts.report.checks import MAX_WHOLE_CHARS
from contracts.report.report import Report, Section
from contracts.words import say
from tests.support.words import en, phrase
from tests.workflows.support.fake_activities import TERMS, Fakes
from tests.workflows.support.model_answers import OUTPUTS, cited
from tests.workflows.support.phase_harness import Silent, context_of, opened
from tests.workflows.support.run_harness import with_crews
from workflows.agents.gap_check import check_report
from workflows.interpreter.phase_walk import Interpreter

FOUND, NOT_FOUND = say("en", "found-unused"), say("en", "not-found")
UNANSWERED, UNCHECKED = say("en", "unanswered"), say("en", "gaps-unchecked")
GAPS = say("en", "not-found-below")
LOST = say("en", "not-researched")
FALSE = "Pumps are free."
TOLD, TRUE, PARTLY = (
    "No source says whether pumps sell.",
    "No source says what pumps weigh.",
    "No source says whether pumps sell or weigh.",
)
LONG = MAX_WHOLE_CHARS + 1
APPROVED: list[Phase] = [PlanningPhase(), HitlCheckpointPhase(id="checkpoint")]
LIVING = Definition(
    id="living",
    phases=[
        *APPROVED,
        ResearchPhase(config=ResearchConfig(living=True)),
        SynthesisPhase(config=SynthesisConfig(living=True)),
    ],
)
RESEARCHED = Definition(id="made", phases=[*APPROVED, ResearchPhase(), SynthesisPhase()])


def rule(request: ModelRequest) -> Any:
    """Judge like a careful reader: the page says whether pumps sell, but not their weight."""
    inputs = {i.name: i.text for m in request.messages for b in m.content for i in b.inputs}
    rulings = []
    for line in inputs["lines"].splitlines():
        number, _, text = line.partition(". ")
        verdict = "partly" if "sell or" in text else "told" if "sell" in text else "not_told"
        left = "No source says whether pumps weigh." if verdict == "partly" else ""
        by = [] if verdict == "not_told" else ["p1"]
        rulings.append({"line": int(number), "verdict": verdict, "by": by, "left": left})
    return {"rulings": rulings}


def writes(*missing: str, false: str = "") -> Any:
    claims = [
        cited("Pumps cost 5.", 1, "Pumps cost 5."),
        *([cited(false, 1, "x")] if false else []),
    ]
    section = {"heading": "Market", "claims": claims, "missing": "\n".join(missing)}
    return {"title": "Pumps", "sections": [section]}


async def report_of(temporal: Client, fakes: Fakes, definition: Definition = RESEARCHED) -> Any:
    """Run a definition to its end, and return the report of its last phase."""
    fakes.definitions[definition.id] = definition
    async with with_crews(temporal, fakes) as runs:
        handle = await runs.start("Where to sell pumps?", definition_id=definition.id)
        await runs.decide(handle, "approve")
        await handle.result()
    last = definition.phases[-1].id
    records: Any = [p for batch in fakes.batches for p in batch.phases if p.id == last and p.output]
    return records[-1].output["report"]


def checks(fakes: Fakes) -> list[Any]:
    return [event.payload for event in fakes.events if event.type == "ReportChecked"]


def judged(fakes: Fakes) -> list[str]:
    return [r.scope.name for r in fakes.requests if r.role == JUDGE]


async def test_refused_sentence_is_in_the_log_and_in_no_report(temporal: Client) -> None:
    fakes = Fakes()
    fakes.contradicted = [FALSE]
    fakes.answers["Report"] = writes(false=FALSE)
    report = await report_of(temporal, fakes)
    assert "Pumps cost 5." in report["markdown"]
    assert FALSE not in json.dumps(report)
    refused = [(r["place"], r["claim"]["text"]) for c in checks(fakes) for r in c["refused"]]
    assert refused == [("Market", FALSE)]


async def test_summary_that_repeats_a_sentence_is_no_judgement(temporal: Client) -> None:
    """It is printed with the quotes of that sentence."""
    fakes = Fakes()
    written = writes()
    summary = {"text": "They cost 5.", "citations": [], "rests_on": ["cost"]}
    written["sections"][0]["claims"] = [
        cited("Pumps cost 5.", 1, "Pumps cost 5.") | {"id": "cost"},
        summary | {"repeats": True},
        summary | {"text": "Buy one at 5."},
    ]
    cells = [summary | {"text": "5"}]
    written["comparison"] = {"columns": ["Acme"], "rows": [{"label": "Price", "cells": cells}]}
    fakes.answers["Report"] = written
    report = await report_of(temporal, fakes)
    [row] = report["comparison"]["rows"]
    assert len(row["cells"][0]["citations"]) == 1
    claims = [claim for section in report["sections"] for claim in section["claims"]]
    assert [len(claim["citations"]) for claim in claims] == [1, 1, 0]
    shown, before = report["markdown"], en("concluded-from")
    assert ("They cost 5. [1]" in shown, f"Buy one at 5. [{before} " in shown) == (True, True)
    kinds = [en("claims-stated", n=3), en("claims-concluded", n=1)]
    assert en("claims-by-kind", kinds=kinds)[1:] in shown


async def test_line_that_an_unopened_page_may_tell_names_that_page(temporal: Client) -> None:
    fakes = Fakes()
    fakes.hits = [*fakes.hits, SearchHit(url="https://example.org/weight", title="Weights")]

    def rule_unopened(request: ModelRequest) -> Any:
        inputs = {i.name: i.text for m in request.messages for b in m.content for i in b.inputs}
        assert inputs["unopened"].startswith("u1. Weights")
        return {"rulings": [{"line": 1, "verdict": "not_opened", "by": ["u1"]}]}

    fakes.answers |= {"Report": writes(TRUE), "GapRulings": rule_unopened}
    report = await report_of(temporal, fakes)
    assert [page["url"] for page in report["gaps"][0]["not_opened"]] == [fakes.hits[1].url]
    assert say("en", "mark-not_opened") in report["markdown"]
    assert f"Weights ({fakes.hits[1].url})" in report["markdown"].replace("\\", "")


async def test_line_that_a_page_tells_is_replaced_by_its_passage(temporal: Client) -> None:
    fakes = Fakes()
    fakes.answers |= {"Report": writes(TOLD, TRUE, PARTLY), "GapRulings": rule}
    report = await report_of(temporal, fakes)
    shown = report["markdown"]
    assert TOLD not in shown
    assert PARTLY not in shown
    assert f"- {TRUE}\n- No source says whether pumps weigh.\n" in shown
    [told] = [line for line in shown.partition(FOUND)[2].splitlines() if line.startswith("- “")]
    assert told.startswith("- “Pumps sell.” — ")
    assert told.endswith(f" ({say('en', 'bears-on', place='Market')})")
    assert UNCHECKED not in shown
    assert judged(fakes) == ["check-gaps"], "one call for all lines of a phase"
    [logged] = checks(fakes)
    assert [gap["verdict"] for gap in logged["gaps"]] == ["told", "not_told", "partly"]


async def test_line_is_not_checked_while_a_page_was_not_searched_to_its_end(
    temporal: Client,
) -> None:
    fakes = Fakes()
    fakes.unsearched = [1]
    ruling = {"line": 1, "verdict": "not_told", "by": [], "left": ""}
    fakes.answers |= {"Report": writes(TRUE), "GapRulings": {"rulings": [ruling]}}
    report = await report_of(temporal, fakes)
    assert UNCHECKED in report["markdown"]
    lost = [part for batch in fakes.batches for phase in batch.phases for part in phase.lost_inputs]
    told = en("gaps-searched-in-part", n=1, names=[Notice.of("quoted", text="Page 0")])
    assert told in {part.told.text for part in lost if part.told}


async def test_lines_are_sought_by_the_phrases_of_one_call_and_the_log_tells_them(
    temporal: Client,
) -> None:
    fakes, sought = Fakes(), list[Any]()
    fakes.page_chars = LONG
    fakes.before = lambda name, asked: sought.append(asked) if name == "passages" else None
    fakes.answers["Report"] = writes(TRUE, PARTLY)
    fakes.answers["GapPhrases"] = {
        "phrases": [
            {"line": 2, "phrases": ["units sold", "weight in kg"]},
            {"line": 9, "phrases": ["of no line"]},
        ]
    }
    await report_of(temporal, fakes)
    assert judged(fakes) == ["phrase-gaps", "check-gaps"]
    [request] = sought
    assert request.lines == [
        [f"Market {TRUE}"],
        [f"Market {PARTLY}", "units sold", "weight in kg"],
    ]
    assert fakes.told(JUDGE, "lines")[0] == f"1. Market: {TRUE}\n2. Market: {PARTLY}"
    assert fakes.told(JUDGE, "pages")[0] == "1. Page 0"
    [logged] = checks(fakes)
    assert [gap["phrases"] for gap in logged["gaps"]] == [[], ["units sold", "weight in kg"]]


async def test_who_finishes_a_report_sees_what_pages_tell_of_its_gaps(temporal: Client) -> None:
    """Its lines are sought once: the check at the end asks for no phrases but those of other lines."""

    class Writing(Fakes):
        def _tool_calls(self, request: ModelRequest) -> list[Block]:
            if request.role != "synthesizer":
                is_read = request.scope.name.endswith("turn-3")
                return [] if is_read else super()._tool_calls(request)
            given: Json = {"section": "Market", "missing": self.missing, "makes_whole": True}
            given |= {"replaces": [1, 2]} if len(request.messages) == 1 else {}
            given |= {"replaces": [1]} if self.replaces else {}
            return [Block(type="tool_use", id="u", name="update_report", input=given)]

        missing, replaces = "", False

    phrases = {"phrases": [{"line": 1, "phrases": ["weight of pumps"]}]}
    for new, asked, replaces, given, at in (
        ("", 0, False, phrases, LONG - 11),
        ("", 0, False, phrases, 0),  # what its writer is shown of the page is not shown again
        ("", 0, False, {"phrases": []}, 0),  # not asked for again either if it got none
        ("Who built the wells.", 1, False, phrases, LONG - 11),
        # it has those of the line that it replaces
        ("Who built the wells.", 0, True, phrases, LONG - 11),
    ):
        fakes = Writing(LIVING)
        fakes.passage_at = at
        fakes.missing = new if replaces else f"{TRUE}\n{new}"
        fakes.replaces, fakes.page_chars = replaces, LONG
        fakes.answers |= {"researcher": {"gaps": [TRUE]}, "GapPhrases": given, "GapRulings": rule}
        report = await report_of(temporal, fakes, LIVING)
        [told] = fakes.told("synthesizer", "gaps")
        [gap] = json.loads(told)
        passages = [{"source": 1, "text": "Pumps sell."}] if at else []
        inputs = [
            i for r in fakes.requests for m in r.messages for b in m.content for i in b.inputs
        ]
        said = {i.about for i in inputs if i.name == "gaps" and LOST in i.text}
        assert said == {"gaps_with_passages" if at else ""}, "it promises those that it has"
        told_of = {"number": 1, "heading": LOST, "line": TRUE, "passages": passages}
        assert gap == {name: value for name, value in told_of.items() if value}
        names = ["phrase-gaps-of-draft", *["phrase-gaps"] * asked, "check-gaps"]
        assert [name for name in judged(fakes) if "gaps" in name] == names
        phrased = {gap["line"]: gap["phrases"] for gap in checks(fakes)[-1]["gaps"]}
        known = ["weight of pumps"] if given["phrases"] else []
        assert phrased.get(TRUE) == (None if replaces else known)
        assert report["markdown"].count(TRUE) == (not replaces)
        refused = "replaces: `gaps` has 1 lines, no line 2"
        is_told = any(refused in request.model_dump_json() for request in fakes.requests)
        assert is_told is not replaces, "a number that no line has is told"


async def test_judge_sees_what_a_page_says_of_its_passages(temporal: Client) -> None:
    fakes = Fakes()
    fakes.notice = "This page\nis satire."
    fakes.answers["Report"] = writes(TRUE)
    await report_of(temporal, fakes)
    assert fakes.told(JUDGE, "passages") == [
        "page 1, Page 0\nnotice: This page is satire.\np1. Pumps sell."
    ]


async def test_judge_sees_which_parts_of_a_page_were_not_read(temporal: Client) -> None:
    fakes = Fakes()
    fakes.unread = (UnreadPart(code="pages_without_text", count=3, of=40),)
    fakes.answers["Report"] = writes(TRUE)
    await report_of(temporal, fakes)
    told = en("unread-pages-without-text", name="Page 0", n=3, of=40)
    about = f"page 1, Page 0\nunread: {told}"
    assert fakes.told(JUDGE, "passages") == [f"{about}\np1. Pumps sell."]


async def test_without_phrases_lines_are_sought_in_their_own_words_and_the_check_says_so(
    temporal: Client,
) -> None:
    fakes = Fakes()
    fakes.page_chars = LONG
    fakes.answers |= {"Report": writes(TOLD, TRUE), "GapRulings": rule}

    def refuse(name: str, request: Any) -> None:
        if name == "model" and request.scope.name == "phrase-gaps":
            raise ApplicationError("no", type="model-refused", non_retryable=True)

    fakes.before = refuse
    shown = (await report_of(temporal, fakes))["markdown"]
    assert TOLD not in shown
    assert TRUE in shown
    [logged] = checks(fakes)
    assert [(gap["verdict"], gap["phrases"]) for gap in logged["gaps"]] == [
        ("told", []),
        ("not_told", []),
    ]
    [made] = [
        p for batch in fakes.batches for p in batch.phases if p.id == "synthesis" and p.ended_at
    ]
    [lost] = [each for each in made.lost_inputs if each.kind == "check"]
    assert lost.optional
    assert lost.name == "gaps-unphrased"
    assert made.status == "completed"


def synthesis(fakes: Fakes) -> Definition:
    fakes.answers["Report"] = writes(TOLD, TRUE)
    return RESEARCHED


def answer(fakes: Fakes) -> Definition:
    said = {"title": "Pumps", "claims": writes()["sections"][0]["claims"]}
    fakes.answers["ShortAnswer"] = said | {"missing": f"{TOLD}\n{TRUE}"}
    research = ResearchPhase(config=ResearchConfig(answers=True))
    written = SynthesisPhase(config=SynthesisConfig(form="answer"))
    return Definition(id="made", phases=[*APPROVED, research, written])


def living(fakes: Fakes) -> Definition:
    fakes.lacking = f"{TOLD}\n{TRUE}"
    research = ResearchPhase(config=ResearchConfig(living=True))
    written = SynthesisPhase(config=SynthesisConfig(living=True))
    return Definition(id="made", phases=[*APPROVED, research, written])


def crew(fakes: Fakes) -> Definition:
    fakes.outputs = {**OUTPUTS, "customers": {"segments": [], "gaps": [TOLD, TRUE]}}
    return Definition(id="made", phases=[*APPROVED, CrewPhase()])


def steps(fakes: Fakes) -> Definition:
    fakes.answers["StepDraft"] = {"summary": "Done.", "findings": [], "gaps": [TOLD, TRUE]}
    return Definition(id="made", phases=[*APPROVED, ControlPhase()])


def decision(fakes: Fakes) -> Definition:
    fakes.answers["Analysis"] = {"points": [cited("Pumps cost 5.", 1, "x")], "gaps": [TOLD, TRUE]}
    decided = DecisionPhase(config=DecisionConfig(inputs=["analysis"]))
    phases: list[Phase] = [*RESEARCHED.phases, AnalysisPhase(), decided]
    return Definition(id="made", phases=phases)


def unfinished(fakes: Fakes) -> Definition:
    """Return a definition whose research reports gaps, and whose report fails."""
    fakes.answers["Findings"] = {"findings": [cited("Pumps cost 5.", 1, "x")], "gaps": [TOLD, TRUE]}

    def refuse(name: str, request: Any) -> None:
        if name == "model" and request.scope.name == "report":
            raise ApplicationError("no", type="model-refused", non_retryable=True)

    fakes.before = refuse
    return RESEARCHED


def not_taken_over(fakes: Fakes) -> Definition:
    """Return a definition whose research reports gaps, which the writer omits."""
    fakes.answers["Findings"] = {"findings": [cited("Pumps cost 5.", 1, "x")], "gaps": [TOLD, TRUE]}
    fakes.answers["Report"] = writes()
    return RESEARCHED


def not_taken_over_by_the_last_pass(fakes: Fakes) -> Definition:
    fakes.answers["Gaps"] = {"gaps": [TOLD, TRUE]}
    research = ResearchPhase(config=ResearchConfig(living=True))
    written = SynthesisPhase(config=SynthesisConfig(living=True))
    return Definition(id="made", phases=[*APPROVED, research, written])


MAKES = [
    *(synthesis, answer, living, crew, steps, decision, unfinished),
    *(not_taken_over, not_taken_over_by_the_last_pass),
]


@pytest.mark.parametrize("make", [synthesis, living, crew, steps], ids=lambda m: m.__name__)
async def test_what_the_plan_does_not_hold_is_checked_and_stands_among_what_was_not_found(
    temporal: Client, make: Callable[[Fakes], Definition]
) -> None:
    fakes = Fakes()
    definition = make(fakes)
    held = ["Whether pumps sell.", "What duty is paid on pumps."]
    fakes.answers["PlanDraft"] = fakes.answers["PlanDraft"] | {"not_held": held}
    fakes.answers["GapRulings"] = rule
    shown = (await report_of(temporal, fakes, definition))["markdown"]
    assert [shown.count(line) for line in held] == [0, 1], "the first one is told by a page"
    assert f"- {held[1]}\n" in shown.partition(f"## {NOT_FOUND}\n")[2]
    assert judged(fakes) == ["check-gaps"]


@pytest.mark.parametrize("make", MAKES, ids=lambda m: m.__name__)
async def test_told_line_is_dropped_and_true_one_kept_in_every_phase(
    temporal: Client, make: Callable[[Fakes], Definition]
) -> None:
    fakes = Fakes()
    fakes.answers["GapRulings"] = rule
    shown = (await report_of(temporal, fakes, make(fakes)))["markdown"]
    assert TOLD not in shown
    assert TRUE in shown
    assert judged(fakes) == ["check-gaps"]


async def test_judge_without_an_answer_leaves_lines_unchecked_and_the_phase_partial(
    temporal: Client,
) -> None:
    fakes = Fakes()
    fakes.answers["Report"] = writes(TOLD)

    def refuse(name: str, request: Any) -> None:
        if name == "model" and request.role == JUDGE:
            raise ApplicationError("no", type="model-refused", non_retryable=True)

    fakes.before = refuse
    report = await report_of(temporal, fakes)
    assert f"## {NOT_FOUND}\n\n*{UNCHECKED}*\n\n- {TOLD}\n" in report["markdown"]
    [made] = [
        p for batch in fakes.batches for p in batch.phases if p.id == "synthesis" and p.ended_at
    ]
    assert made.status == "partial"
    assert any(phrase("gaps-not-checked") in told for told in made.warnings)


@pytest.mark.parametrize(
    ("ruling", "shown"),
    [
        ({"verdict": "told", "by": []}, f"- {TOLD} *({say('en', 'mark-gap_unchecked')})*"),
        ({"verdict": "told", "by": ["p9"]}, f"- {TOLD} *({say('en', 'mark-gap_unchecked')})*"),
        (
            {"verdict": "partly", "by": ["p1"], "left": "Pumps are dear."},
            f"- {TOLD} *({say('en', 'mark-gap_partly')})*",
        ),
        ({"verdict": "not_told", "by": []}, f"- {TOLD}"),
    ],
    ids=["told by nothing", "told by what is not shown", "rest that states a fact", "not told"],
)
async def test_ruling_counts_only_with_what_tells_the_line(
    temporal: Client, ruling: Any, shown: str
) -> None:
    fakes = Fakes()
    other = {"line": 2, "verdict": "not_told", "by": []}
    fakes.answers["Report"] = writes(TOLD, TRUE)
    fakes.answers["GapRulings"] = {"rulings": [{"line": 1, "left": "", **ruling}, other]}
    report = await report_of(temporal, fakes)
    assert f"## {NOT_FOUND}\n\n{shown}\n- {TRUE}\n" in report["markdown"]


async def test_nothing_listed_costs_no_call_and_says_so(temporal: Client) -> None:
    fakes = Fakes()
    await report_of(temporal, fakes)
    assert judged(fakes) == []
    assert [(c["gaps"], c["skipped"]) for c in checks(fakes)] == [([], "nothing_listed")]


async def test_without_a_judge_lines_are_not_certified(temporal: Client) -> None:
    fakes = Fakes()
    fakes.terms = TERMS.model_copy(update={"offline": True})
    fakes.answers["Report"] = writes(TRUE)
    report = await report_of(temporal, fakes)
    assert judged(fakes) == []
    assert UNCHECKED in report["markdown"]
    assert [c["skipped"] for c in checks(fakes)] == ["no_judge"]


async def test_section_whose_sentences_all_fell_is_called_unanswered(temporal: Client) -> None:
    fakes = Fakes()
    fakes.contradicted = [FALSE]
    lost = {"heading": "Prices", "claims": [cited(FALSE, 1, "x")]}
    fakes.answers["Report"] = {**writes(), "sections": [*writes()["sections"], lost]}
    report = await report_of(temporal, fakes)
    assert report["unanswered"] == [{"kind": "section", "name": "Prices"}]
    assert f"## {NOT_FOUND}\n\n- **{UNANSWERED}:** Prices\n" in report["markdown"]
    assert GAPS in report["markdown"]
    assert say("en", "no-evidence") not in report["markdown"]


async def test_requirement_that_nothing_answers_once_sentences_fell_is_named(
    temporal: Client,
) -> None:
    fakes = Fakes()
    fakes.contradicted = [FALSE]
    fakes.page_chars = LONG
    fakes.answers["PlanDraft"] = fakes.answers["PlanDraft"] | {
        "requirements": ["The price", "The weight of a pump"]
    }
    fakes.answers["Report"] = writes(false=FALSE)
    fakes.answers["GapRulings"] = {"rulings": [], "unanswered": [2, 9]}
    report = await report_of(temporal, fakes)
    assert f"- **{UNANSWERED}:** The weight of a pump\n\n" in report["markdown"]
    assert fakes.told(JUDGE, "parts") == ["1. The price\n2. The weight of a pump"]
    assert judged(fakes) == ["check-gaps"], "nothing is sought in the pages"
    assert [c["unanswered"] for c in checks(fakes) if not c["refused"]] == [report["unanswered"]]


@pytest.mark.parametrize(("count", "is_whole"), [(60, True), (400, False)])
async def test_requirement_is_unanswered_only_if_the_judge_saw_every_sentence(
    temporal: Client, count: int, is_whole: bool
) -> None:
    fakes = Fakes()
    fakes.contradicted = [FALSE]
    fakes.answers["PlanDraft"] = fakes.answers["PlanDraft"] | {"requirements": ["The price"]}
    fakes.answers["Report"] = written = writes(false=FALSE)
    usual = "as a visitor of the market is told when he asks for it in the street of the mills"
    told = [f"Pumps cost 5, {usual}, by the seller {'n' * n}." for n in range(1, count)]
    written["sections"][0]["claims"] += [cited(text, 1, "Pumps cost 5.") for text in told]
    fakes.answers["GapRulings"] = {"rulings": [], "unanswered": [1]}
    report = await report_of(temporal, fakes)
    [shown] = fakes.told(JUDGE, "claims")
    assert (len(shown.splitlines()) == count) is is_whole
    named = [part["name"] for part in report["unanswered"]]
    assert named == (["The price"] if is_whole else [])
    lost = en("gaps-compared-in-part", n=len(shown.splitlines()), of=count)
    assert (lost.casefold() in report["markdown"].casefold()) is not is_whole


@pytest.mark.parametrize(("unanswered", "left"), [([2], ["Price in Mali"]), ([], [])])
async def test_row_whose_cells_fell_is_named_unless_the_text_answers_it(
    temporal: Client, unanswered: list[int], left: list[str]
) -> None:
    fakes = Fakes()
    fakes.contradicted = [FALSE]
    fakes.answers["PlanDraft"] = fakes.answers["PlanDraft"] | {"requirements": ["The price"]}
    row = {"label": "Price in Mali", "cells": [cited(FALSE, 1, "x")]}
    fakes.answers["Report"] = {**writes(), "comparison": {"columns": ["Pumps"], "rows": [row]}}
    fakes.answers["GapRulings"] = {"rulings": [], "unanswered": unanswered}
    report = await report_of(temporal, fakes)
    assert fakes.told(JUDGE, "parts") == ["1. The price\n2. Price in Mali"]
    assert [part["name"] for part in report["unanswered"]] == left


async def test_nobody_is_asked_for_unanswered_parts_where_every_sentence_held(
    temporal: Client,
) -> None:
    fakes = Fakes()
    fakes.answers["Report"] = writes(TRUE)
    report = await report_of(temporal, fakes)
    assert fakes.told(JUDGE, "parts") == [""]
    assert report["unanswered"] == []


@pytest.mark.parametrize(("is_answered", "asked"), [(True, 0), (False, 1)])
async def test_undivided_request_is_not_judged_where_the_report_opens_with_its_answer(
    is_answered: bool, asked: int
) -> None:
    fakes = Fakes()
    fakes.answers["GapRulings"] = {"rulings": [], "unanswered": []}
    phase = SynthesisPhase(id="writing")
    state = opened(phase)
    interpreter = Interpreter(state)
    interpreter.recorder = Silent(state)  # type: ignore[assignment]
    run = context_of(interpreter, phase, fakes)
    held, fell = (
        Claim.model_validate({"text": text, "citations": [], "verdict": verdict})
        for text, verdict in (("Sell it.", "supported"), (FALSE, "contradicted"))
    )
    answer = Section(heading="Decision", claims=[held]) if is_answered else None
    sections = [Section(heading="Market", claims=[fell])]
    await check_report(run, Report(title="Pumps", answer=answer, sections=sections))
    assert len(fakes.requests) == asked
