"""What the client said, as sentences may rest on it."""

from contracts.planning.brief import Answered, Brief, Statement


def answered(*answers: str | None) -> list[Answered]:
    return [Answered(id=f"q{n}", question="?", answer=answer) for n, answer in enumerate(answers)]


def test_request_and_each_different_answer_are_statements() -> None:
    brief = Brief(query="Where?", answers=answered("Up to 600,000 euros.", None, "A farm."))
    again = brief.model_copy(update={"answers": [*brief.answers, *answered("A farm.", " ")]})
    said = [("Q", "Where?"), ("C1", "Up to 600,000 euros."), ("C2", "A farm.")]
    assert brief.statements == [Statement(id=name, text=text) for name, text in said]
    assert again.statements == brief.statements


def test_statements_keep_their_ids_in_a_follow_up() -> None:
    first = Brief(query="Where?", answers=answered("A farm."))
    update = {"report_question": "Where?", "query": "And in winter?"}
    assert first.model_copy(update=update).statements == [
        *first.statements,
        Statement(id="C2", text="And in winter?"),
    ]
