"""Weighs a recommendation's reasons: its confidence, and whether it may open a report."""

from collections.abc import Iterator, Sequence, Set
from itertools import compress, takewhile
from typing import TypeVar

from contracts.base import Json
from contracts.evidence.claims import Claim
from contracts.notices import Notice, Told
from contracts.phases.typed_answers import (
    NOT_ENOUGH,
    NOT_YET,
    OPEN,
    CompanyAction,
    CompanyActions,
    Recommendation,
    WeighedAction,
)
from contracts.report.additions import NewestValue
from contracts.report.report import Report, Section
from contracts.words import Language, say
from domain.evidence.claims import find_claims, list_figures, list_texts
from domain.evidence.figures.notation.dates import parse_dates
from domain.evidence.figures.unfounded_figures import KnownFigures
from domain.report.claims.brought_bases import build_beyond
from domain.report.claims.one_sided_figures import list_one_sided
from domain.report.claims.report_claims import (
    find_free_names,
    leave_out_told,
    list_claims,
    rename_claim,
    replace_claims,
)
from domain.report.gaps.kept_gaps import list_new_lines
from domain.yardsticks import leave_out_said_again, list_yardstick_reasons

REPEATED_FIGURES = 2
"""A sentence repeats the report if the report has all its figures, and these are at least so many."""
IN_PART = 0.5
"""Weight of a reason that its sources partly support, or that was not judged."""


Action = TypeVar("Action", bound=WeighedAction)


def weigh_each(said: CompanyActions, companies: Sequence[str]) -> Recommendation:
    """Weigh the actions on several companies by their own reasons, and return them in ranked order.

    A company missing from the ranking comes last; without an action its evidence counts as insufficient. The
    ranking is explained by usable conclusions only.
    """
    ranking = [*dict.fromkeys([*(name for name in said.ranking if name in companies), *companies])]
    told = {one.company: one for one in reversed(said.companies)}
    empty = {"confidence": 0, "horizon": "", "rationale": [], "risks": [], "what_would_change": []}
    first, *others = [
        weigh_reasons(
            _name_company(told[name])
            if name in told
            else CompanyAction.model_validate({"company": name, "action": NOT_ENOUGH, **empty})
        )
        for name in ranking
    ]
    answer = _select_conclusions(said.answer)
    return Recommendation(**dict(first), ranking=ranking, answer=answer, others=others)


def weigh_one(said: Recommendation) -> Recommendation:
    """Return a recommendation weighed by its reasons; it opens with conclusions alone, and none without its action."""
    weighed = weigh_reasons(said)
    answer = [] if weighed.withheld else _select_conclusions(said.answer)
    return weighed.model_copy(update={"answer": answer})


def _select_conclusions(answer: Sequence[Claim]) -> list[Claim]:
    return [claim for claim in answer if claim.kind == "concluded" and claim.is_usable]


def mark_unfounded(
    said: Recommendation, known: Sequence[str], language: Language, day: str
) -> Recommendation:
    """Note the figures and days of a recommendation's plain texts that no known text mentions.

    Such a figure is a threshold that the decider chose, and is called so; no judge checks texts without
    quotes. Days after `day` (ISO), that of the decision, are not noted.
    """
    figures = KnownFigures(known, day)
    others = [_mark_action(other, figures, language) for other in said.others]
    return _mark_action(said, figures, language).model_copy(update={"others": others})


def _mark_action(said: Action, known: KnownFigures, language: Language) -> Action:
    changes = [
        known.name_unfounded(fact, language, is_plan=True) for fact in said.what_would_change
    ]
    horizon = known.name_unfounded(said.horizon, language, is_plan=True)
    return said.model_copy(update={"horizon": horizon, "what_would_change": changes})


def _name_company(said: CompanyAction) -> CompanyAction:
    """Return an action that names its company, unless it does."""
    action = said.action.strip(" .")
    is_told = action.casefold() in OPEN or said.company in action
    return said.model_copy(update={"action": action if is_told else f"{action} {said.company}"})


def weigh_reasons(said: Action) -> Action:
    """Limit a recommendation's confidence by its reasons, and withhold its action if they do not suffice.

    A supported reason weighs 1, a partly supported or unjudged one 1/2, an assumption or any other 0. An action needs a weight
    of at least 1 for it and some weight against it, because one-sided reasons weigh up nothing. The
    confidence is the minimum of the decider's own, the total weight per reason, and w / (w + 1), where w is
    the weight for the action.
    """
    gain, loss = _weigh(said.rationale), _weigh(said.risks)
    action = said.action.strip(" .").casefold()
    is_open = action in OPEN
    is_carried = gain >= 1 and loss > 0
    sure = 0.0
    if is_carried and not is_open:
        given = sum(claim.kind != "assumed" for claim in (*said.rationale, *said.risks))
        sure = round(min(said.confidence, (gain + loss) / given, gain / (gain + 1)), 2)
    return said.model_copy(
        update={
            "action": action if is_open else said.action if is_carried else NOT_ENOUGH,
            "confidence": sure,
            "stated_confidence": said.confidence,
            "withheld": "" if is_carried or is_open else said.action,
        }
    )


def add_recommendation(said: Recommendation, report: Report, language: Language) -> Report:
    """Return a report that opens with a weighed recommendation.

    The other sections do not repeat its sentences. With several companies, its remarks begin with their ranking. If the
    report was one short text, the reasons replace it, and what they leave out goes to the appendix.
    """
    actions = [said, *said.others]
    chosen = [each for one in actions for each in list_yardstick_reasons(one, language)]
    sections = [section for one in actions for section in _list_reasons(one, language)]
    sections += chosen
    told = [*said.answer, *(claim for section in sections for claim in section.claims)]
    is_ranked = said.ranking and (said.others or said.action not in OPEN)
    ranking = [say(language, "decision-ranking", names=said.ranking)] if is_ranked else []
    explained = [(one, notice.say(language)) for one in actions for notice in _explain(one)]
    headline = [_name_action(one, is_compared=bool(said.others)) for one in actions]
    heading = say(language, "decision", actions=headline)
    remarks = [*ranking, *(_begin(one, text) for one, text in explained)]
    has_reasons = bool(said.rationale and said.risks) and not any(one.withheld for one in actions)
    is_in_reasons = has_reasons and _is_short_text(report)
    left = leave_out_told(report.sections, told, language)
    if is_in_reasons:
        left = _leave_out_verdict(left, told)
        left = [section.model_copy(update={"is_detail": True}) for section in left]
    opening = {
        "answer": Section(heading=heading, claims=said.answer, remarks=remarks),
        "opens_with_decision": True,
        "sections": [*sections, *left],
        "caveats": said.caveats,
        "would_change": [
            _begin(one, fact) for one in actions for fact in _list_conditions(one, language)
        ],
        "notes": [
            *report.notes,
            *(one.yardstick_doubt for one in actions if one.yardstick_doubt),
            *_note_own_numbers(actions),
            *filter(None, [said.disclaimer]),
        ],
    }
    return report.model_copy(update=opening)


def _leave_out_verdict(sections: Sequence[Section], told: Sequence[Claim]) -> list[Section]:
    """Return a text without the conclusions that open it: the decision answers the request in their place.

    A conclusion stays if another sentence rests on it.
    """
    first = next((section for section in sections if section.claims), None)
    if first is None:
        return [*sections]
    opening = [*takewhile(lambda claim: claim.kind == "concluded", first.claims)]
    after = first.claims[len(opening) :]
    others = (claim for section in sections if section is not first for claim in section.claims)
    needed = {name for claim in (*told, *others, *after) for name in claim.rests_on}
    kept = list[Claim]()
    for claim in reversed(opening):
        if claim.id in needed:
            kept.insert(0, claim)
            needed.update(claim.rests_on)
    left = first.model_copy(update={"claims": [*kept, *after]})
    return [left if section is first else section for section in sections]


def _is_short_text(report: Report) -> bool:
    """Return whether a report is one section of text without a comparison, apart from what its text does not say."""
    written = [part for part in report.sections if part.claims and not part.is_beyond]
    return len(written) == 1 and not (report.comparison or written[0].is_detail)


def _name_action(said: WeighedAction, *, is_compared: bool) -> Told:
    """Return the decider's action with results that it leaves out, or a notice that there is none.

    If several companies are compared, the notice names its own.
    """
    if said.action not in OPEN:
        return said.unread.qualify(said.action) if said.unread else said.action
    if said.is_outdated:
        return Notice.of("decision-outdated", "info", company=said.company if is_compared else None)
    code = "decision-not-yet" if said.action == NOT_YET else "decision-not-enough"
    return Notice.of(code, "info", company=said.company if is_compared else None)


def list_beyond(analyses: Sequence[Json], report: Report, language: Language) -> list[Section]:
    """Return the analyses' findings and conclusions that a report lacks, and their open questions."""
    beyond: list[Claim] = []
    given = {each.id for each in report.list_given(language)}
    for said in analyses:
        beyond += _list_unsaid([*find_claims(said)], [*list_claims(report), *beyond], given)
    listed = [line for part in report.sections for line in part.missing.splitlines()]
    listed += (gap.line for gap in report.gaps)
    gaps = [gap for said in analyses for gap in list_texts(said.get("gaps") or [])]
    sections = [
        build_beyond(beyond, language, is_detail=report.has_findings),
        Section(
            heading=say(language, "decision-unknown"),
            missing="\n".join(list_new_lines(gaps, listed)),
        ),
    ]
    return [section for section in sections if section.claims or section.missing]


def add_one_sided(report: Report, said: Recommendation, beside: Sequence[NewestValue]) -> Report:
    """Add to a report's notes the bases that its decision leaves out, where it gives a figure on one basis alone.

    Of several companies, the reasons for each one's action are held against its own figures.
    """
    if said.others:
        reasons = {one.company: [*one.rationale, *one.risks] for one in (said, *said.others)}
    else:
        reasons = {each.company: list_decided(said) for each in beside}
    told = [
        note
        for company, claims in reasons.items()
        for note in list_one_sided(claims, [each for each in beside if each.company == company])
    ]
    return report.model_copy(update={"notes": [*told, *report.notes]})


def list_decided(said: Recommendation) -> list[Claim]:
    """Return the sentences of a decision: its answer, its reasons for and against each action, and for its yardstick."""
    actions = (said, *said.others)
    reasons = (c for o in actions for c in (*o.rationale, *o.risks, *o.yardstick_reason))
    return [*said.answer, *reasons]


def rest_on_what_holds(report: Report, said: Recommendation | None, language: Language) -> Report:
    """Let the decision rest on those of its reasons that the report still has, and say which sentence lost one, and why.

    A sentence that has lost all of its reasons leaves the opening. `said` has the sentences that were left out for numbers
    of the decider's own: these held.
    """
    answer = report.answer
    if answer is None:
        return report
    ids = {claim.id for claim in list_claims(report) if claim.id}
    ids |= {given.id for given in report.list_given(language)}
    actions = (said, *said.others) if said else ()
    numbered = {own.id for one in actions for own in one.own_numbers}
    claims, remarks = list[Claim](), list[str]()
    for claim in answer.claims:
        held = [name for name in claim.rests_on if name in ids]
        if len(held) < len(claim.rests_on):
            code = "decision-leaner" if held else "decision-baseless"
            lost = [name for name in claim.rests_on if name not in ids]
            own = sum(name in numbered for name in lost)
            told = Notice.of(code, text=claim.text, n=len(lost) - own or None, own=own or None)
            remarks.append(told.say(language))
        if held or not claim.rests_on:
            claims.append(claim.model_copy(update={"rests_on": held}))
    opening = {"claims": claims, "remarks": [*answer.remarks, *remarks]}
    return report.model_copy(update={"answer": answer.model_copy(update=opening)})


def leave_out_idle_assumptions(report: Report) -> Report:
    """Return a report without the assumptions on which no sentence rests, as those that did were left out."""
    claims = list_claims(report)
    needed = {name for claim in claims for name in claim.rests_on}
    kept = (None if c.kind == "assumed" and c.id not in needed else c for c in claims)
    return replace_claims(report, kept)


def _list_unsaid(found: Sequence[Claim], told: Sequence[Claim], given: Set[str]) -> list[Claim]:
    """Return the claims with new passages or figures, and new conclusions with the claims they rest on.

    A conclusion rests on a claim in the report with the same text or passage, on what the client said or the
    plan assumes, or on a claim returned here.
    """
    texts = {claim.text: claim.id for claim in reversed(told)}
    passages = {(c.source, c.quote): claim.id for claim in reversed(told) for c in claim.citations}
    figures = frozenset[str]().union(*(list_figures(claim.text) for claim in told))
    usable = _drop_repeats([claim for claim in found if claim.is_usable], figures)
    twins = {
        claim.id: texts.get(claim.text) or passages.get((first.source, first.quote), "")
        for claim in usable
        for first in claim.citations[:1]
    }
    twins |= {claim.id: texts.get(claim.text, "") for claim in usable if not claim.citations}
    concluded = [claim for claim in usable if claim.rests_on and claim.text not in texts]
    lacking = {name for claim in concluded for name in claim.rests_on if not twins.get(name)}
    is_new = [
        bool(claim.rests_on and claim.text not in texts)
        or claim.id in lacking
        or any((c.source, c.quote) not in passages for c in claim.citations)
        for claim in usable
    ]
    known_figures = KnownFigures(claim.text for claim in told)
    is_new = [
        new or _says_more(claim, known_figures) for new, claim in zip(is_new, usable, strict=True)
    ]
    new = _keep_antecedents(usable, is_new)
    own = {claim.id for claim in new if claim.id}
    names = {name: twin for name, twin in twins.items() if twin and name not in own}
    known = own | names.keys() | given
    names |= find_free_names(new, told)
    left = (
        claim.model_copy(update={"rests_on": [name for name in claim.rests_on if name in known]})
        for claim in new
    )
    return [
        rename_claim(claim, names)
        for claim in left
        if claim.citations or claim.rests_on or claim.kind == "assumed"
    ]


def _says_more(claim: Claim, known: KnownFigures) -> bool:
    """Return whether a cited claim states a figure, other than a date, that no known claim states in any rounding."""
    return bool(claim.citations) and any(
        not parse_dates(figure)[0] for figure in known.list_unfounded(claim.text)
    )


def _drop_repeats(claims: Sequence[Claim], told: Set[str]) -> list[Claim]:
    """Leave out claims with several figures, all already in the report, unless a remaining claim rests on them."""
    figures = [list_figures(claim.text) for claim in claims]
    is_new = [len(own) < REPEATED_FIGURES or not own <= told for own in figures]
    needed = {name for claim in compress(claims, is_new) for name in claim.rests_on}
    return [c for c, new in zip(claims, is_new, strict=True) if new or c.id in needed]


def _keep_antecedents(claims: Sequence[Claim], is_chosen: Sequence[bool]) -> list[Claim]:
    """Return the chosen claims, and each claim on which its kept successor rests."""
    kept = [*is_chosen]
    for n in range(len(claims) - 1, 0, -1):  # the last first, so that a chain is kept whole
        if kept[n] and claims[n - 1].id in claims[n].rests_on:
            kept[n - 1] = True
    return [*compress(claims, kept)]


def _list_reasons(said: WeighedAction, language: Language) -> Iterator[Section]:
    """Yield the reasons for and against an action.

    Each heading names the action, because reasons for "avoid" speak against the company.
    """
    is_open = said.action in OPEN and not said.withheld
    whose = said.company if is_open else said.withheld or said.action
    codes = (
        ("decision-open-for", "decision-open-against")
        if is_open
        else ("decision-for", "decision-against")
    )
    for code, claims in zip(codes, (said.rationale, said.risks), strict=True):
        yield Section(
            heading=Notice.of(code, "info", of=whose or None).say(language),
            claims=claims,
            remarks=[] if claims else [say(language, "decision-no-reason")],
        )


def _begin(said: WeighedAction, text: str) -> str:
    """Return a text prefixed with its company, if there are several."""
    return f"{said.company}: {text}" if said.company else text


def _weigh(reasons: Sequence[Claim]) -> float:
    carried = (claim for claim in reasons if claim.is_usable and claim.kind != "assumed")
    return sum(1 if claim.is_supported else IN_PART for claim in carried)


def _explain(said: WeighedAction) -> Iterator[Notice]:
    """Yield the notices that a reader needs about an action: its confidence, or why it is withheld."""
    if said.withheld and said.is_outdated:
        yield Notice.of("decision-withheld-outdated", action=said.withheld)
        return
    if said.withheld:
        lacks = "against" if _weigh(said.rationale) >= 1 else "for"
        yield Notice.of(
            f"decision-withheld-{lacks}", action=said.withheld, counts=_count_supported(said)
        )
        return
    if said.measured:
        yield said.measured.told
    if said.action == NOT_YET:
        for fact in said.what_would_change[:1]:
            yield Notice.of("decision-awaited", "info", text=fact)
    elif said.action != NOT_ENOUGH:
        yield from _count_marked(said)
    if said.horizon:
        yield Notice.of("decision-horizon", "info", text=said.horizon)


def _count_marked(said: WeighedAction) -> Iterator[Notice]:
    """Yield how many reasons of an action are not wholly shown by their sources, and how many hold under an assumption."""
    reasons = [claim for claim in (*said.rationale, *said.risks) if claim.kind != "assumed"]
    marked = sum(not claim.is_supported for claim in reasons)
    assumed = sum(claim.is_supported and claim.assumed for claim in reasons)
    for code, n in (("decision-marked", marked), ("decision-assuming", assumed)):
        if n:
            yield Notice.of(code, "info", n=n, of=len(reasons))


def _list_conditions(said: WeighedAction, language: Language) -> list[str]:
    """Return what would call for another action: the price at which the yardstick holds, then the decider's own facts."""
    if not (measured := said.measured):
        return said.what_would_change
    own = leave_out_said_again(said.what_would_change, measured.cell)
    return [measured.condition.say(language), *own]


def _note_own_numbers(actions: Sequence[WeighedAction]) -> list[Notice]:
    """Return the sentences that were left out for numbers of the decider's own, as one notice."""
    left = [
        Notice.of("own-number", "info", text=own.text, figures=own.figures or None)
        for one in actions
        for own in one.own_numbers
    ]
    return [Notice.of("decision-own-numbers", "info", texts=left)] if left else []


def _count_supported(said: WeighedAction) -> Notice:
    """Return how many of an action's reasons for and against it are supported; an assumption is none.

    A supported reason that was computed or concluded from an assumption is counted apart.
    """
    gains, losses = (
        [claim for claim in reasons if claim.kind != "assumed"]
        for reasons in (said.rationale, said.risks)
    )
    return Notice.of(
        "decision-counts",
        "info",
        gains=sum(map(_is_documented, gains)),
        of_gains=len(gains),
        losses=sum(map(_is_documented, losses)),
        of_losses=len(losses),
        assumed=sum(claim.is_supported and claim.assumed for claim in (*gains, *losses)) or None,
    )


def _is_documented(claim: Claim) -> bool:
    return claim.is_supported and not claim.assumed
