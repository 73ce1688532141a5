"""Every question of a run becomes a form that the protocol allows, and the form's answers its answers."""

import pytest
from mcp.server.elicitation import render_elicitation_schema
from pydantic import ValidationError

from api.mcp.questions import build_form
from contracts.human.checkpoints import Checkpoint, OpenQuestion
from contracts.notices import Notice
from tests.support.words import de

YES = Notice.of("decide-approve", "info")


def ask(*questions: OpenQuestion) -> Checkpoint:
    return Checkpoint(
        checkpoint_id="checkpoint-1",
        phase_id="clarification",
        kind="questions",
        questions=list(questions),
        deadline="2027-01-01T00:00:00Z",
    )


def test_each_kind_of_question_is_a_field_and_comes_back_as_the_runs_own_answer() -> None:
    form = build_form(
        ask(
            OpenQuestion(id="free", question="Which market?", context="It matters."),
            OpenQuestion(id="hint", question="How much?", choices=["little", "much"]),
            OpenQuestion(
                id="odd id: §1",
                question="Use it?",
                choices=["yes", "no"],
                labels={"yes": YES},
                strict=True,
                required=True,
            ),
            OpenQuestion(id="one", question="Sure?", choices=["sure"], strict=True),
        ),
        "de",
    )
    schema = render_elicitation_schema(form)
    fields = schema["properties"]
    assert list(fields) == ["free", "hint", "odd id: §1", "one"]
    assert schema["required"] == ["odd id: §1"]
    assert fields["odd id: §1"]["enum"] == [de("decide-approve"), "no"]
    assert fields["hint"]["description"] == "little / much"
    said = form.model_validate({"odd id: §1": de("decide-approve"), "hint": "some", "free": ""})
    message = said.read()
    assert message.checkpoint_id == "checkpoint-1"
    assert message.answers == {"free": None, "hint": "some", "odd id: §1": "yes", "one": None}
    with pytest.raises(ValidationError):
        form.model_validate({"odd id: §1": "perhaps"})
