"""Approvals that a definition must ask for: of a plan before the web, by options that say what they do."""

import re
from collections.abc import Collection

from contracts.definitions import Definition
from contracts.human.messages import ACTIONS, Choice, Label
from contracts.notices import Notice
from contracts.phases.hitl_checkpoint import HitlCheckpointPhase
from contracts.problems import Problem
from domain.evidence.normal_forms import normalize
from domain.graph import PhaseGraph
from workflows.phases import PHASES

_ALONE = r"(?:,? thanks?(?: you)?|,? please)?\s*(?:[^\w\s]|$)"
_NO = re.compile(
    rf"\W{{0,20}}(?:(?:no|nope|no way|nein|non|não|stop|stopp|halt){_ALONE}"
    r"|(?:not|never|do not|don't|reject|refuse|decline|deny|cancel|abort|nicht|nie|ablehnen|abbrechen|verwerfen"
    r"|ne|jamais|refuser|rejeter|annuler|arrêter|nunca|rechazar|cancelar|rejeitar|annulla|rifiuta)\b)",
    re.IGNORECASE,
)
_YES = re.compile(
    rf"\W{{0,20}}(?:(?:go|go ahead|go on){_ALONE}"
    r"|(?:yes|yep|yeah|ok|okay|approved?|accept(?:ed)?|agreed?|proceed|ja|jawohl|genehmigen|genehmigt|annehmen|freigeben|einverstanden"
    r"|oui|approuver|accepter|sí|si|sì|sim|aprobar|aceptar|aprovar|aceitar|approva|accetta)\b)",
    re.IGNORECASE,
)
"""Beginnings of labels that say no, or yes; a plain “no” may also begin “No objections”."""


def find_option_problems(
    definition: Definition, bindings: dict[str, dict[str, list[str]]]
) -> list[Problem]:
    """Return the options that do not say whether they approve, or that say the opposite.

    At a `custom` checkpoint without a plan, a plain label is a choice that approves nothing. Elsewhere a plan
    or results are decided on, so each option must be or have an action.
    """
    return [
        Problem.told(f"phases[{i}].config.options[{n}]", wrong)
        for i, phase in enumerate(definition.phases)
        if isinstance(phase, HitlCheckpointPhase)
        for n, option in enumerate(phase.config.options)
        if (
            wrong := _check_option(
                option,
                is_decision=phase.config.checkpoint_type != "custom"
                or bool(phase.shows_plan and bindings[phase.id].get("plan")),
            )
        )
    ]


def _check_option(option: Label | Choice, *, is_decision: bool) -> Notice | None:
    """Return what is wrong with an option, or None."""
    if isinstance(option, str):
        if option in ACTIONS or not is_decision:
            return None
        example = f'{{"label": "{option}", "action": "approve"}}'
        told = {"label": option, "actions": list(ACTIONS), "example": example}
        return Notice.of("option-without-action", **told)
    opposites = {"approve": (_NO.match, "reject"), "reject": (_YES.match, "approve")}
    opposite = opposites.get(option.action)
    if opposite is None or not opposite[0](normalize(option.label)):
        return None
    code = "option-opposite" if is_decision else "option-opposite-choice"
    return Notice.of(code, label=option.label, action=option.action, meant=opposite[1])


def find_locked_phases(
    definition: Definition, graph: PhaseGraph, selected: list[str], approved_seeds: Collection[str]
) -> list[Problem]:
    """Return the web-reaching phases that no approval ahead of them can unlock.

    Where each approval ahead could be taken by a deadline, the problem is that of the last one's default.
    """
    if definition.consent:
        return []
    chosen = set(selected)
    gates = {
        phase.id: (i, phase.id not in approved_seeds and phase.config.default_on_timeout)
        for i, phase in enumerate(definition.phases)
        if isinstance(phase, HitlCheckpointPhase)
        and phase.unlocks
        and ((phase.enabled and phase.id in chosen) or phase.id in approved_seeds)
    }
    problems: dict[str, Notice] = {}
    for i, phase in enumerate(definition.phases):
        if not (PHASES[phase.kind].web(phase) and phase.enabled and phase.id in chosen):
            continue
        names = graph.to_ids(graph.to_mask(gates) & graph.ancestors[phase.id])
        ahead = [gates[name] for name in names]
        if not ahead:
            problems[f"phases[{i}]"] = Notice.of("web-needs-approval", phase=phase.id)
        elif all(default == "approve" for _, default in ahead):
            place = f"phases[{ahead[-1][0]}].config.default_on_timeout"
            problems[place] = Notice.of("timeout-unlocks-nothing", phase=phase.id)
    return [Problem.told(path, notice) for path, notice in problems.items()]
