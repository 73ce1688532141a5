"""The context of a phase handler: its inputs, its calls, its humans, its log."""

from dataclasses import dataclass
from typing import TypeVar, cast

from pydantic import BaseModel

from contracts.base import Json
from contracts.errors import InvalidInput
from contracts.evidence.claims import CitablePage
from contracts.evidence.sources import Source
from contracts.models.call import Input, build_inputs
from contracts.planning.brief import tell_answers
from contracts.planning.plan import Plan
from contracts.planning.startup_company import Startup
from contracts.problems import Problem
from contracts.runs.lost_inputs import LostInput
from contracts.words import Language
from contracts.words.question_language import detect_language
from domain.run_outputs import find_output_as
from domain.sources.source_registry import list_citable_pages
from workflows.phase_context.attempt import Attempt
from workflows.phase_context.humans import Humans
from workflows.phase_context.losses import Losses
from workflows.phase_context.memoized_calls import Calls
from workflows.phase_context.phase_log import PhaseLog
from workflows.runtime.event_outbox import Recorder
from workflows.runtime.pause_gate import Gate
from workflows.runtime.truncation import count_chars, truncate

Model = TypeVar("Model", bound=BaseModel)
MAX_EARLIER_CHARS = 12_000
"""Limit of the output that a human sent back."""


@dataclass(frozen=True)
class PhaseContext(Attempt):
    """One attempt of one phase, with all that its handler works with."""

    log: PhaseLog
    losses: Losses
    humans: Humans
    calls: Calls

    def page(self, number: int) -> Source:
        """Return the run's page with this number.

        Raises:
            InvalidInput: No page has this number.
        """
        if not 0 < number <= len(self.state.sources):
            count = len(self.state.sources)
            raise InvalidInput(Problem.at("source", "source-number", number=number, n=count))
        return self.state.sources[number - 1]

    def inputs(self, model: type[Model]) -> Model:
        """Return the start's `inputs` that this phase reads."""
        given = self.state.request.inputs
        return model.model_validate({n: given[n] for n in model.model_fields if n in given})

    @property
    def language(self) -> Language:
        """The language of the run's question, which its reports are written in."""
        return detect_language(self.state.request.query)

    def list_asked(self) -> list[str]:
        """Return what the run was asked: its question first, the answers, its inputs, and what a human wants changed."""
        inputs = self.state.request.inputs.values()
        said = (statement.text for statement in self.brief.statements)
        return [*said, *map(str, inputs), *self.me.feedback]

    def list_given(self) -> list[str]:
        """Return whence an uncited text may have its figures and days: what the run was asked, its day, and its plan."""
        plan = find_output_as(self.state, "plan", Plan)
        day = [] if self.as_of else [self.today]
        return [*self.list_asked(), *day, *([plan.model_dump_json()] if plan else [])]

    def build_inputs(self, **more: object) -> list[Input]:
        """Return as a prompt's inputs the clarified question, what a human wants changed, and more."""
        brief, startup = self.brief, self.find("startup", Startup)
        given: dict[str, object] = {
            "report_question": brief.report_question,
            "question": brief.query,
            "answers": tell_answers(brief.answers),
            "startup": startup and startup.prompt_fields,
            "remarks": self.state.request.remarks or None,
            "feedback": "\n".join(self.me.feedback),
        }
        if "earlier_version" not in more:
            given |= self.shorten({"earlier_version": self.me.earlier}, MAX_EARLIER_CHARS)
        return build_inputs(**given | more)

    def shorten(self, values: Json, chars: int) -> Json:
        """Return values for a prompt, which share the room; the name of each that is cut is recorded."""
        shown = {**cast(Json, truncate(values, chars))}
        for name, value in values.items():
            if shown[name] is not value:
                found = count_chars(value)
                lost = max(found - count_chars(shown[name]), 1)
                self.losses.record(LostInput(kind="cut_values", name=name, found=found, lost=lost))
        return shown

    def list_citable_pages(self) -> list[CitablePage]:
        """Return the run's pages as an answer may cite them."""
        return list_citable_pages(self.state.sources, self.state.shown)


def open_context(attempt: Attempt, recorder: Recorder, gate: Gate) -> PhaseContext:
    """Return the context of an attempt at a phase."""
    log = PhaseLog(recorder, attempt.me)
    losses = Losses(attempt, log)
    humans = Humans(attempt, recorder, log)
    calls = Calls(attempt, gate, humans, losses, log)
    return PhaseContext(**vars(attempt), log=log, losses=losses, humans=humans, calls=calls)
