"""The questions of a run as a form that a client shows its user (elicitation)."""

from typing import Any, ClassVar, Literal

from mcp.server.mcpserver import AcceptedElicitation, Elicit
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import BaseModel, ConfigDict, Field, create_model

from api.mcp.caller import ToolContext, asks_by_result, identify, refuse_in_words
from api.mcp.progress import limit_asking
from api.mcp.views import find_questions, show_question
from contracts.human.checkpoints import Checkpoint, OpenQuestion
from contracts.human.messages import AnswerQuestions
from contracts.notices import Notice, join_notices
from contracts.words import Language
from contracts.words.question_language import detect_language


class QuestionForm(BaseModel):
    """Answers to the questions of one checkpoint, by question id; what is left empty is left to the run."""

    model_config = ConfigDict(populate_by_name=True)
    checkpoint_id: ClassVar[str] = ""
    choices: ClassVar[dict[str, dict[str, str]]] = {}
    """Maps labels to choices, by question id."""

    def read(self) -> AnswerQuestions:
        """Return the answers as a message to the run."""
        given = {
            name: self.choices.get(name, {}).get(text, text) if text else None
            for name, text in self.model_dump(by_alias=True).items()
        }
        return AnswerQuestions(answers=given, checkpoint_id=self.checkpoint_id)


@refuse_in_words
async def ask_user(
    run_id: str, answers: dict[str, str | None] | None, ctx: ToolContext
) -> Elicit[QuestionForm] | QuestionForm | None:
    """Return the form to show, or filled in.

    Return None if answers were given, nothing is asked, or the form was not shown in time.
    """
    caller = identify(ctx)
    run = await caller.find_run(run_id)
    if answers is not None or not _shows_forms(ctx):
        return None
    asked = find_questions(await run.get_state())
    if asked is None:
        return None
    language = detect_language(run.row.query)
    intro = Notice.of("mcp-form", "info", query=run.row.query).say(language)
    told = [intro, join_notices(asked.asks, language)]
    words, form = "\n".join(filter(None, told)), build_form(asked, language)
    return (
        Elicit(words, form) if asks_by_result(ctx) else await _ask_now(ctx, words, form, language)
    )


async def _ask_now(
    ctx: ToolContext, words: str, form: type[QuestionForm], language: Language
) -> QuestionForm | None:
    """Ask the client for the form during the call and return the user's answers; None on a timeout."""
    try:
        async with limit_asking():
            outcome = await ctx.elicit(words, form)
    except TimeoutError:
        return None
    except ValueError as error:  # the client's answer does not fit the form
        raise ToolError(str(error)) from None
    if not isinstance(outcome, AcceptedElicitation):
        raise ToolError(Notice.of("mcp-not-answered").say(language))
    return outcome.data


def _shows_forms(ctx: ToolContext) -> bool:
    """Return whether the client declares forms; naming no mode means forms."""
    declared = ctx.client_capabilities
    elicitation = declared.elicitation if declared else None
    return elicitation is not None and (elicitation.form is not None or elicitation.url is None)


def build_form(asked: Checkpoint, language: Language) -> type[QuestionForm]:
    """Return a model of a flat object with a field for each question."""
    fields: Any = {
        f"q{n}": _build_field(question, language) for n, question in enumerate(asked.questions, 1)
    }
    form = create_model("QuestionForm", __base__=QuestionForm, **fields)
    form.checkpoint_id = asked.checkpoint_id
    form.choices = {q.id: _label_choices(q, language) for q in asked.questions}
    return form


def _build_field(question: OpenQuestion, language: Language) -> tuple[Any, Any]:
    """Return a field's type and description; without `strict` choices it accepts free text."""
    shown = show_question(question, language)
    labels = tuple(_label_choices(question, language))
    kind: Any = Literal[labels] if labels and question.strict else str
    offered = "" if question.strict or not labels else " / ".join(labels)
    about: dict[str, Any] = {
        "alias": question.id,
        "title": shown.question,
        "description": "\n".join(filter(None, [shown.why, offered])) or None,
    }
    if question.required:
        return kind, Field(**about)
    return kind | None, Field(default=None, **about)


def _label_choices(question: OpenQuestion, language: Language) -> dict[str, str]:
    """Return the choices of a question by their labels."""
    return {
        question.labels[choice].say(language) if choice in question.labels else choice: choice
        for choice in question.choices
    }
