"""Which report is the run's."""

from typing import Any

import pytest

from contracts.base import Json
from contracts.definitions import Definition
from contracts.phases.planning import IdeaGenerationOutput
from contracts.planning.brief import Idea, IdeaReview
from contracts.report.report import Report, Section
from contracts.words import Language, say
from domain.report.run_report import add_accounts, find_report
from tests.support.words import en


def definition(report_phase: str | None = None) -> Definition:
    return Definition.model_validate(
        {"id": "d", "phases": [{"kind": "recall"}], "report_phase": report_phase}
    )


def report(title: str, **section: Any) -> Json:
    return {"report": {"title": title, "sections": [{"claims": [], **section}]}}


CLAIM = {"text": "Pumps sell.", "citations": []}
OUTPUTS: dict[str, Json | None] = {
    "recall": {},
    "written": report("Written", claims=[CLAIM]),
    "summed": report("Summed", claims=[CLAIM]),
    "told": report("Told", account="No source was given."),
    "failed": None,
}


def found(outputs: dict[str, Json | None], report_phase: str | None = None) -> Any:
    return find_report(definition(report_phase), "Which?", outputs, offline=False)


@pytest.mark.parametrize(
    ("report_phase", "title"),
    [(None, "Summed"), ("written", "Written"), ("told", "Told"), ("failed", "Summed")],
)
def test_the_named_report_counts_else_the_last_with_something_to_say(
    report_phase: str | None, title: str
) -> None:
    assert found(OUTPUTS, report_phase)["title"] == title


def test_an_account_is_the_report_where_there_is_no_other() -> None:
    assert found({"told": OUTPUTS["told"]})["title"] == "Told"
    assert found({"recall": {}, "failed": None}) is None


@pytest.mark.parametrize(
    ("query", "language"), [("Which?", "en"), ("Welche Ideen taugen für den Verkauf?", "de")]
)
def test_ideas_are_told_in_the_language_of_the_question(query: str, language: Language) -> None:
    idea = Idea(title="Rent", description="Rent out.", why="It pays.")
    review = IdeaReview(idea=1, strengths=["Cheap"], weaknesses=["Slow"], score=7.5)
    output = IdeaGenerationOutput(ideas=[idea], reviews=[review], selected_idea=idea)
    given: dict[str, Json | None] = {"ideas": output.model_dump(mode="json")}
    made = Report.model_validate(find_report(definition(), query, given, offline=False))
    assert [section.heading for section in made.sections] == [
        say(language, "idea-chosen", title="Rent")
    ]
    assert made.sections[0].account.splitlines()[2:] == [
        say(language, "idea-score", score=7.5),
        say(language, "idea-strength", text="Cheap"),
        say(language, "idea-weakness", text="Slow"),
    ]


def test_ideas_are_a_report_with_the_chosen_one_first() -> None:
    ideas = [Idea(title=t, description=f"Do {t}.", why="It pays.") for t in ("Sell", "Rent")]
    review = IdeaReview(idea=2, strengths=["Cheap"], weaknesses=["Slow"], score=7.5)
    output = IdeaGenerationOutput(ideas=ideas, reviews=[review], selected_idea=ideas[1])
    outputs: dict[str, Json | None] = {"ideas": output.model_dump(mode="json")}
    markdown = found(outputs)["markdown"]
    assert markdown.index(f"## {en('idea-chosen', title='Rent')}") < markdown.index("## Sell")
    score = en("idea-score", score=7.5)
    sides = en("idea-strength", text="Cheap"), en("idea-weakness", text="Slow")
    for told in ("# Which?", "Do Rent.", score, *sides):
        assert told in markdown
    assert found({**outputs, "told": OUTPUTS["told"]})["title"] == "Told"
    choosing = {"kind": "hitl_checkpoint", "id": "choice", "config": {"checkpoint_type": "custom"}}
    asked = Definition.model_validate({"id": "d", "phases": [{"kind": "recall"}, choosing]})
    made: list[tuple[Json | None, bool]] = [(None, False), ({"approval": {}}, True)]
    for output_of_choice, is_chosen in made:
        given = {**outputs, "choice": output_of_choice}
        shown: Any = find_report(asked, "Which?", given, offline=False)
        assert (en("idea-chosen", title="Rent") in shown["markdown"]) is is_chosen
    offline: Any = find_report(definition(), "Which?", outputs, offline=True)
    assert score not in offline["markdown"], "no critic was asked"


def test_an_idea_stands_behind_the_answer_and_a_step_under_the_heading_it_shares() -> None:
    written = [Section(heading=name) for name in ("Answer", "What the ice brings")]
    made = [Section(heading=n, account=f"{n}!") for n in ("What the ice brings?", "Letter")]
    idea = [Section(heading="The idea")]
    report = add_accounts(add_accounts(Report(title="", sections=written), [], made), idea, [])
    assert [(section.heading, section.account) for section in report.sections] == [
        ("Answer", ""),
        ("The idea", ""),
        ("What the ice brings", "What the ice brings?!"),
        ("Letter", "Letter!"),
    ]
