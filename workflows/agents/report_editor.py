"""`update_report`: the living report, edited by the agent of one phase."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import TypeVar

from contracts.agents.tool_definitions import UPDATE_REPORT, update_report
from contracts.base import Json
from contracts.evidence.claims import Claim, Premise
from contracts.evidence.reasons import Reason
from contracts.evidence.sources import Source
from contracts.models.call import Block, Input, Tool, build_inputs, to_input
from contracts.notices import Notice, list_once
from contracts.planning.plan import Plan, PlanStep
from contracts.report.additions import ReportAdditions
from contracts.report.patches import TABLE, Opening, Patch
from contracts.report.report import Report, Search
from contracts.words import Language
from domain.agents.search_scope import describe_scope
from domain.evidence.conclusions import cite_bases, repeats_bases
from domain.lost_inputs import explain_loss
from domain.report.changes.follow_up_changes import list_changes
from domain.report.changes.patches import (
    EMPTY,
    add_headings,
    apply_patch,
    fold_patches,
    keep_ids,
    leave_out_patches,
    list_patch_claims,
    name_apart,
    name_findings,
    outline_changes,
    outline_report,
    place_patch,
)
from domain.report.changes.proposals import Draft, Revision, explain_refusal
from domain.report.changes.repeats import drop_repeated, join_moves
from domain.report.changes.verdict_patches import rule_report
from domain.report.claims.report_claims import (
    count_claims,
    list_claims,
    replace_claims,
    take_layer,
    take_text,
    withdraw_contradicted,
)
from domain.report.context import ReportContext
from domain.report.findings_for_writer import list_without_row
from domain.report.formats.markdown import render
from domain.report.parts.answer import put_answer_first
from domain.run_outputs import find_output_as
from workflows.agents.change_judge import Judged, Judging
from workflows.patch_log import add
from workflows.phase_context.context import PhaseContext
from workflows.runtime.event_outbox import log_tool_call

T = TypeVar("T")
TABLE_NAMES: Mapping[Language, str] = {"en": TABLE, "de": "Vergleichstabelle"}
"""The comparison's name in prompts, in the report's language.

It is not in the catalogues, because recorded answers must still match it after those are reworded.
"""
MAX_BEGINNING = 120
"""Characters shown of each sentence to an agent that repairs some of its own."""
MAX_LABEL_CHARS = 100


def name_part(steps: Sequence[PlanStep]) -> str:
    """Return what an agent's part is called: its steps."""
    name = ", ".join(step.name for step in steps)
    return name if len(name) <= MAX_LABEL_CHARS else f"{name[:MAX_LABEL_CHARS]}…"


class ReportEditor:
    """Applies an agent's changes, in a plan's outline; claims that did not hold never enter the report."""

    def __init__(
        self,
        run: PhaseContext,
        plan: Plan | None,
        most: int,
        *,
        may_end: bool = False,
        steps: Sequence[PlanStep] = (),
    ) -> None:
        title = plan.title if plan else (run.brief.report_question or run.brief.query)[:300]
        self._run = run
        self.may_end = may_end
        """Whether it may end the whole report, and not a part of it."""
        self._is_finding = not may_end
        """Whether it writes findings, by the plan's subjects, and not the report's text, by its outline."""
        planned = (plan.subjects if self._is_finding else plan.outline) if plan else []
        outline = list(dict.fromkeys(planned)) or [title]
        assumed = plan.assumptions if plan else []
        said = run.brief.statements
        self._opening = Opening(title=title, outline=outline, assumptions=assumed, statements=said)
        self._most, self._part = most, name_part(steps)
        self._steps = steps or (plan.steps if plan else [])
        """The steps that its agent does: those given, or the whole plan's."""
        planned_measures = plan.measures if plan else []
        self._measures = planned_measures if self._is_finding else []
        self._compared = [] if self._is_finding else planned_measures
        self._emit = partial(run.log.emit, plan_step=self._part)
        self._is_last = self._is_open = False
        self.gaps: list[str] = []
        """The gaps reported with the changes of the newest turn."""
        self.unsettled: list[Claim] = []
        """Sentences of the latest turn that were refused, or are partly supported and may be repaired once."""
        self.judging: Judging | None = None
        self._renamed: dict[str, str] = {}
        """The ids of replaced sentences, by those that the newest turn gave the sentences in their place."""
        self._report, self._folded = EMPTY, 0
        self._shown = EMPTY

    @property
    def report(self) -> Report:
        """The current report, with the headings of its outline."""
        report = self._fold_new_patches()
        return add_headings(report, self._opening, is_finding=self._is_finding)

    @property
    def view(self) -> Report:
        """The report that the agent changes: the text, or the findings without those that parallel agents write."""
        patches = self._run.state.patches
        others = [p for p in patches if self._part and p.part not in {"", self._part}]
        shown = take_layer(self.report, is_finding=self._is_finding)
        return leave_out_patches(shown, others) if others else shown

    def _fold_new_patches(self) -> Report:
        """Return the report that all patches make, folding the new ones only."""
        patches = self._run.state.patches
        for patch in patches[self._folded :]:
            self._report = apply_patch(self._report, patch)
        self._folded = len(patches)
        return self._report

    def build_tool(self) -> Tool:
        """Build the tool that changes the report; it only accepts the outline's headings.

        The sentence numbers in the model's calls refer to the report as it is now.
        """
        self._shown = self.view
        self._is_last = self._is_open = False
        self.gaps, self.unsettled, self._renamed = [], [], {}
        headings = [section.heading for section in self._shown.sections]
        table = self._name_table(headings)
        return update_report(headings, may_end=self.may_end, table=table, measures=self._measures)

    def list_open(self) -> dict[str, list[str]] | None:
        """Return the measures that lack a finding, by subject, for the independent steps of this agent; None if all have one."""
        found = {
            section.heading: {claim.measure for claim in section.claims}
            for section in self.view.sections
        }
        own = [step.name for step in self._steps if step.independent]
        left = {name: [m for m in self._measures if m not in found.get(name, ())] for name in own}
        return {name: measures for name, measures in left.items() if measures} or None

    def _name_table(self, headings: Sequence[str]) -> str:
        """Return what its agent calls the comparison, in the report's language; no heading has that name."""
        name = TABLE_NAMES[self._run.language]
        return TABLE if name in headings else name

    @property
    def is_whole(self) -> bool:
        """Whether the model marked the turn as its last and none of its changes needs repair."""
        return self._is_last and not self._is_open

    @property
    def is_said_whole(self) -> bool:
        """Return whether the model marked the turn as the one that makes the report whole."""
        return self.may_end and self._is_last

    @property
    def is_mending(self) -> bool:
        """Whether the report would be complete except for changes of this turn that need repair."""
        return self.is_said_whole and self._is_open

    def list_unwritten(self) -> list[str]:
        """Return the answer's heading if the agent that completes the report left it empty; others may stay empty."""
        first = self.view.sections[:1] if self.may_end else []
        return [s.heading for s in first if not (s.is_written or s.missing)]

    def build_inputs(self) -> list[Input]:
        """Return the inputs that show the report and the size limit of one call.

        When repairing, other sentences are reduced to their beginnings.
        """
        shown = MAX_BEGINNING if self.is_mending else None
        doubts = (
            self.may_end or not self._part
        )  # agents that work in parallel only repair their own sentences
        written = take_text(self.report) if self._is_finding and self._has_text else None
        return [
            to_input("report", outline_report(self.view, shown, doubts=doubts)),
            *build_inputs(earlier_text=written and outline_report(written)["sections"]),
            to_input("max_update_size", str(self._most)),
        ]

    def count_words(self) -> int:
        """Return the length of the written text, without its tables."""
        claims = chain.from_iterable(section.claims for section in self.view.sections)
        written = (claim for claim in claims if not (claim.part and claim.part.form == "row"))
        return sum(len(claim.text.split()) for claim in written)

    def list_without_row(self) -> list[str]:
        """Return the plan's measures of which there are findings and no row in the comparison."""
        return list_without_row(self.report, self._compared)

    @property
    def _has_text(self) -> bool:
        """Whether a report's text is written, as before a follow-up."""
        return any(part.is_written and not part.is_detail for part in self.report.sections)

    def outline_turn(self) -> Json | None:
        """Return the sections that the last turn changed, or None."""
        return outline_changes(self._shown, self.view)

    def list_known(self) -> dict[str, Premise]:
        """Return the report's sentences by id, on which conclusions may rest."""
        return {claim.id: claim.as_premise for claim in list_claims(self.report) if claim.id}

    def list_written(self) -> dict[str, list[str]]:
        """Return the report's sentences by their headings, as they are numbered in this turn."""
        sections = self._shown.sections
        return {s.heading: [claim.text for claim in s.claims] for s in sections if s.claims}

    @property
    def draft(self) -> Draft:
        """The report that this turn's changes apply to."""
        return Draft(
            shown=self._shown,
            report=self.report,
            patches=self._run.state.patches,
            gaps=self._run.me.progress.gaps,
            most=self._most,
            table=self._name_table([section.heading for section in self._shown.sections]),
            is_finding=self._is_finding,
        )

    def join_moves(self, outcomes: Sequence[T]) -> list[T | Revision]:
        """Return a turn's outcomes, where the change that writes a removed sentence again also removes the old one."""
        made = [o for o in outcomes if isinstance(o, Revision) and not o.error]
        patches = iter(join_moves([change.patch for change in made]))
        return [
            outcome.give(next(patches))
            if isinstance(outcome, Revision) and not outcome.error
            else outcome
            for outcome in outcomes
        ]

    def refuse(self, call: Block, reason: str) -> Block:
        """Log a change that is not made, and return why as the tool result."""
        self._note_end(call.input)
        self._is_open = True
        log_tool_call(self._emit, call, reason, reason, is_error=True)
        error = to_input("error", reason)
        return Block(type="tool_result", id=call.id, inputs=[error], is_error=True)

    def write(self, call: Block, outcome: Revision) -> Block:
        """Apply the change, log it, and return the tool result for the model."""
        self._run.state.keep_refused(outcome.failed)  # logged with the result of the call
        self.unsettled += outcome.refused
        if outcome.error:
            return self.refuse(call, outcome.error)
        self._note_end(call.input)
        state, report = self._run.state, self._fold_new_patches()
        kept, repeated = drop_repeated(outcome.patch, report)
        placed, self._renamed = keep_ids(
            place_patch(kept, report, outcome.following), self._renamed
        )
        patch = name_apart(name_findings(placed, report), self.report).model_copy(
            update={
                "number": len(state.patches) + 1,
                "opening": self._opening if self.report != report else None,
                "part": self._part,
            }
        )
        written: Json = {"written": len(list_patch_claims(patch))}
        if patch.taken_out:
            written["taken_out"] = patch.taken_out
        if outcome.moved:
            written["moved"] = outcome.moved
        if repeated:
            self._is_open |= (
                self.may_end
            )  # a researcher need not repair this, because the section already says it
            self.unsettled += repeated
            written["repeated"] = [claim.text for claim in repeated]
        if refused := outcome.refused:
            self._is_open = True
            why = partial(explain_refusal, is_finding=self._is_finding)
            written["refused"] = [{"sentence": c.text, "reason": why(c)} for c in refused]
        if partly := [c for c in list_patch_claims(patch) if c.verdict == "partly"]:
            written["partly"] = [{"sentence": c.text, "reason": c.reason} for c in partly]
            self._ask_to_mend(patch, partly)
        if patch.is_empty:
            log_tool_call(self._emit, call, written, "nothing was changed")
        else:
            add(state, patch, call, self._emit)
        return Block(type="tool_result", id=call.id, inputs=[to_input("result", written)])

    def _ask_to_mend(self, patch: Patch, partly: list[Claim]) -> None:
        """Keep a report open for sentences that hold in part, unless the change replaces one that did."""
        before = [placed.claim for placed in patch.removed]
        before += [cell.before for cell in patch.cells if cell.before]
        if self.may_end and not any(claim.verdict == "partly" for claim in before):
            self._is_open = True
            self.unsettled += partly

    def rule(self, judged: Judged) -> list[Claim]:
        """Give the sentences that were being checked their verdicts; return those that fell or hold in part.

        What fell leaves the report.
        """
        state, report = self._run.state, self._fold_new_patches()
        patches, refused = rule_report(report, judged)
        for found in patches:
            patch = found.model_copy(update={"number": len(state.patches) + 1, "part": self._part})
            told: Json = {
                "section": patch.section,
                "checked": len(patch.verdicts) + len(patch.removed) + len(patch.cells),
                "taken_out": patch.taken_out,
            }
            name = f"verdicts-{patch.number}"
            call = Block(type="tool_use", id=name, name=UPDATE_REPORT, input=told)
            report = apply_patch(report, patch)
            add(state, patch, call, self._emit)
        self._run.log.refuse(refused)
        partly = [claim for claim in judged.values() if claim.verdict == "partly"]
        return [*(one.claim for one in refused), *partly]

    def says_end(self, said: Json) -> bool:
        """Return True if the model marks this change as its last one."""
        return (
            said.get("makes_whole") is True if self.may_end else isinstance(said.get("gaps"), list)
        )

    def _note_end(self, said: Json) -> None:
        """Record that the model marked a change as its last: it completes the report, or lists the gaps."""
        self._is_last |= self.says_end(said)
        gaps = said.get("gaps")
        if not self.may_end and isinstance(gaps, list):
            self.gaps = [*map(str, gaps)]


def finish_report(
    run: PhaseContext, report: Report, sources: list[Source], searches: list[Search]
) -> Report:
    """Return a report without what its sources contradict, with its answer, counts and Markdown."""
    state = run.state
    report, gone = withdraw_contradicted(report)
    run.log.refuse(gone)
    claims = [
        claim.rule(None, Reason(code="judge-silent")) if claim.check else claim
        for claim in list_claims(report)
    ]
    known = {claim.id: claim for claim in claims if claim.id}
    cells = [c for row in (report.comparison.rows if report.comparison else ()) for c in row.cells]
    cited = (
        cite_bases(claim, known)
        if claim.repeats or (claim in cells and repeats_bases(claim, known))
        else claim
        for claim in claims
    )
    report = replace_claims(report, cited)
    report = count_claims(report, is_judged=not state.terms.by_rule)
    base = state.resolved.base_report
    is_changed = base and state.resolved.definition.is_living
    before = fold_patches(base.patches) if base and is_changed else None
    changes = before and list_changes(before, report, state.request.remarks)
    plan = find_output_as(state, "plan", Plan)
    added = find_output_as(state, "additions", ReportAdditions) or ReportAdditions()
    scope = describe_scope(len(state.files), state.collection_states, state.terms.searched)
    context = replace(ReportContext.from_state(state), sources=sources)
    cut = [
        explain_loss(each) for phase in state.phases for each in phase.lost_inputs if each.is_cut
    ]
    is_told = bool(searches and state.terms.searched)
    searched = [Notice.of("searched-only", scope=scope)] if is_told else []
    notes = list_once([*added.notes, *report.notes, *searched])
    report = put_answer_first(report, context.language).model_copy(
        update={
            "assumptions": plan.assumptions if plan else report.assumptions,
            "statements": run.brief.statements,
            "losses": list_once([*report.losses, *cut]),
            "notes": notes,
            "changes": changes,
            "searches": searches,
            "exhibits": [artifact.id for artifact in state.artifacts],
        }
    )
    return report.model_copy(update={"markdown": render(report, context)})
