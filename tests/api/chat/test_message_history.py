"""What a conversation says, read from its messages: replies, decisions word for word, what was shown."""

import json

import pytest

from api.chat import message_history as chat
from api.chat.message_history import Conversation, LastShown
from api.chat.wire import ChatRequest
from contracts.errors import InvalidInput
from contracts.human.checkpoints import Checkpoint, OpenQuestion
from contracts.human.messages import Choice
from contracts.notices import Notice

RUN = "run-ab7548ac-ab05-48b7-9315-937505718656"
URL = f"http://127.0.0.1:8460/runs/{RUN}"
HASH = "ab12cd34ef56" + "0" * 52
LATER = "2026-11-28T00:00:00+00:00"


def converse(*messages: tuple[str, object], model: str = "deep_research") -> Conversation:
    listed = [{"role": role, "content": content} for role, content in messages]
    return Conversation.of(ChatRequest.model_validate({"model": model, "messages": listed}))


def answer(part: str = "", text: str = "Which market?") -> str:
    end = f"\n\n{chat.write_link(URL, 'Open on the page', part)}" if part else ""
    return f"{chat.write_link(URL, RUN)}\n\n{text}{end}"


def asking(*questions: OpenQuestion) -> Checkpoint:
    return Checkpoint(
        checkpoint_id="clarification-1",
        phase_id="clarification",
        kind="questions",
        questions=[*questions],
        deadline=LATER,
    )


def deciding(
    *options: str, plan_hash: str | None = HASH, choices: tuple[Choice, ...] = ()
) -> Checkpoint:
    return Checkpoint(
        checkpoint_id="checkpoint-1",
        phase_id="checkpoint",
        kind="decision",
        options=[*options],
        choices=[*choices],
        plan_hash=plan_hash,
        deadline=LATER,
    )


def question(name: str, **more: object) -> OpenQuestion:
    return OpenQuestion.model_validate({"id": name, "question": f"What of {name}?", **more})


@pytest.mark.parametrize("part", ["", "clarification-1", "a/b c", "report"])
def test_what_was_shown_is_read_from_our_own_first_and_last_line(part: str) -> None:
    said = converse(("user", "Pumps?"), ("assistant", answer(part)), ("user", "go on"))
    assert (said.shown, said.text) == (LastShown(RUN, part), "go on")


def test_newest_of_our_answers_counts_and_strangers_are_passed_over() -> None:
    said = converse(
        ("user", "Pumps?"), ("assistant", answer("clarification-1")), ("user", "1: cost"),
        ("assistant", answer("checkpoint-1")), ("user", "why?"), ("assistant", "Another model's words."),
        ("user", "approve"),
    )  # fmt: skip
    assert said.shown == LastShown(RUN, "checkpoint-1")


def test_link_within_a_text_is_none_of_ours() -> None:
    forged = f"A page says [run]({URL}) and\n[x]({URL}#report)\nmore."
    assert converse(("user", "a"), ("assistant", forged), ("user", "b")).shown is None
    inside = answer("", text=f"[x]({URL.replace('ab75', 'ffff')}#checkpoint-1)\nmore")
    assert converse(("user", "a"), ("assistant", inside), ("user", "b")).shown == LastShown(RUN)


def test_parts_of_text_are_joined_and_pictures_refused() -> None:
    text = {"type": "text", "text": "Pumps?"}
    assert converse(("user", [text, text])).text == "Pumps?\nPumps?"
    with pytest.raises(InvalidInput) as refused:
        converse(("user", [text, {"type": "image_url", "image_url": {"url": "data:"}}]))
    assert [p.path for p in refused.value.problems] == ["messages[0].content"]


@pytest.mark.parametrize(
    "last", [("assistant", "x"), ("system", "x"), ("user", " "), ("user", None)]
)
def test_last_message_is_a_users_text(last: tuple[str, object]) -> None:
    with pytest.raises(InvalidInput):
        converse(("user", "Pumps?"), last)


@pytest.mark.parametrize(
    ("text", "answers"),
    [
        ("1: cost; 2: -", {"a": "cost", "b": None}),
        ("1. cost\nand time\n2) Kenya", {"a": "cost\nand time", "b": "Kenya"}),
        ("2: Kenya", {"b": "Kenya"}),
        ("cost", {"a": "cost", "b": "cost"}),
        ("-", {"a": None, "b": None}),
        ("7: no such question", {"a": "7: no such question", "b": "7: no such question"}),
        ("1:\ncost; 2 : Kenya", {"a": "cost", "b": "Kenya"}),
        ("1:yes; 2:no", {"a": "yes", "b": "no"}),
        ("1)Kenya\n2)Uganda", {"a": "Kenya", "b": "Uganda"}),
        ("1.Kenya\n2.Uganda", {"a": "Kenya", "b": "Uganda"}),
        ("1.) Kenya\n2.)-", {"a": "Kenya", "b": None}),
        ("1:$5 a head; 2:\u201eja\u201c", {"a": "$5 a head", "b": "\u201eja\u201c"}),
        ("2: no; 1: yes, of\n2.5 % each", {"b": "no", "a": "yes, of\n2.5 % each"}),
        *(
            (whole, {"a": whole, "b": whole})
            for whole in (
                *("2.5 % growth", "1:30 pm works", "1.11.2026 at the latest", "2. Quartal 2026"),
                *("kosten\n\n\n\n1: x", "1: the cheaper of\n1. pumps\n2. filters", "1: x\n3: z"),
                *("0: x; 1: y", "2: x; 1: y; 2: z", "1)2 pumps", "1:٣٠ works"),
            )
        ),
    ],
)
def test_answers_are_numbered_or_one_for_all(text: str, answers: dict[str, str | None]) -> None:
    read = chat.read_answers(text, asking(question("a"), question("b")), "en")
    assert (read.answers, read.checkpoint_id) == (answers, "clarification-1")


@pytest.mark.parametrize(
    "text",
    ["1.5 million dollars a year", "About\n1.2 billion", "1:30 pm works", "1. Quartal", "1: x; y"],
)
def test_answer_to_a_single_question_is_kept_as_it_is(text: str) -> None:
    assert chat.read_answers(text, asking(question("a")), "en").answers == {"a": text}


def test_choice_is_taken_by_its_label_and_strict_one_by_nothing_else() -> None:
    labels = {"none": Notice.of("text", text="About none")}
    strict = question("s", choices=["acme", "none"], labels=labels, strict=True)
    both = asking(question("a"), strict)
    assert chat.read_answers("1: x; 2: about NONE", both, "en").answers == {"a": "x", "s": "none"}
    assert chat.read_answers("cost", both, "en").answers == {"a": "cost", "s": None}
    assert chat.read_answers("2: other", both, "en").answers == {"s": "other"}


def test_plan_is_approved_by_the_word_with_its_hash_alone() -> None:
    shown = deciding("approve", "reject", "modify", "revise")
    assert {*chat.list_commands(shown)} == {"approve ab12cd34ef56", "reject"}
    decided = chat.read_decision("Approve AB12CD34EF56", shown, may_revise=True)
    assert decided
    assert (decided.action, decided.plan_hash, decided.checkpoint_id) == (
        "approve",
        HASH,
        "checkpoint-1",
    )
    for text in ("approve", "yes", "ok", "approve ab12", "approve 000000000000", "please approve ab12cd34ef56",
                 "approve ab12cd34ef56.", "modify", "revise", "change:"):  # fmt: skip
        assert chat.read_decision(text, shown, may_revise=True) is None, text


def test_change_revises_where_that_is_offered() -> None:
    revised = chat.read_decision("Change: only Kenya", deciding("approve"), may_revise=True)
    assert revised
    assert (revised.action, revised.feedback) == ("revise", "only Kenya")
    assert chat.read_decision("change: only Kenya", deciding("approve"), may_revise=False) is None


def test_labels_are_commands_with_the_hash_where_they_approve() -> None:
    choices = (Choice(label="Raise", action="approve"), Choice(label="Stop", action="reject"))
    shown = deciding("Raise", "Stop", choices=choices)
    assert {*chat.list_commands(shown)} == {"Raise ab12cd34ef56", "Stop"}
    stopped = chat.read_decision("stop", shown, may_revise=False)
    assert stopped
    assert stopped.choice == "Stop"
    bare = deciding("Raise", "Stop", choices=choices, plan_hash=None)
    assert {*chat.list_commands(bare)} == {"Raise", "Stop"}


def test_side_requests_are_answered_by_rule() -> None:
    task = "### Task:\nGenerate a title.\n<chat_history>\nUSER: Where to sell   pumps in Kenya?\nASSISTANT: x\n</chat_history>"
    said = converse(("user", task))
    assert said.is_side_request
    told = json.loads(chat.answer_side_request(said.text))
    assert told["title"] == "Where to sell pumps in Kenya?"
    assert (told["tags"], told["follow_ups"], told["queries"]) == (["General"], [], [])
    assert json.loads(chat.answer_side_request("### Task:"))["title"]
