"""Sentences of earlier work on which sentences of a report rest: they join it under a heading of their own."""

from collections.abc import Mapping, Sequence
from itertools import chain, count

from contracts.evidence.claims import Claim
from contracts.report.report import Report, Section
from contracts.words import Language, say
from domain.evidence.claims import find_numbers
from domain.report.claims.report_claims import list_claims, replace_claims


def bring_bases(
    report: Report, resting: Sequence[Claim], known: Mapping[str, Claim], language: Language
) -> Report:
    """Make the claims in `resting` rest on sentences of the report, by their ids in the report.

    `known` has sentences of earlier work by the ids that the writer was shown. A sentence that the report already has,
    in the same words or with the same figures from the same passage, gets the id that it has there. Any other is added
    to the section on what else was found.
    """
    claims, brought, names = list_claims(report), dict[str, Claim](), dict[str, str]()
    ids = {n: claim.id for n, claim in enumerate(claims)}
    texts = {claims[n].text: n for n in sorted(ids, key=lambda n: (bool(ids[n]), -n))}
    twins = {_describe(claim): claim.id for claim in reversed(claims) if claim.id}
    own = {claim.id for claim in resting if claim.id}
    taken = {claim.id for claim in claims}
    asked = [name for claim in resting for name in claim.rests_on]
    for name in asked:  # grows by what these rest on
        base = known.get(name)
        if name in own or name in names or base is None:
            continue
        free = next(
            new for new in chain([name], (f"{name}-{n}" for n in count(2))) if new not in taken
        )
        told = texts.get(base.text)
        if told is not None:
            names[name] = ids[told] = ids[told] or free
            taken.add(ids[told])
            continue
        key = _describe(base) if base.citations else (base.text,)
        twin = twins.get(key)
        names[name] = twin or free
        if not twin:
            twins[key] = free
            brought[name] = base
            taken.add(free)
            asked += base.rests_on
    rests = {claim.key for claim in resting}
    settled = [
        _rename_bases(claim, names if claim.key in rests else {}).model_copy(update={"id": ids[n]})
        for n, claim in enumerate(claims)
    ]
    report = replace_claims(report, settled)
    added = [
        _rename_bases(base, names).model_copy(update={"id": names[name]})
        for name, base in brought.items()
    ]
    if not added:
        return report
    return join_sections(report, [build_beyond(added, language, is_detail=True)])


def build_beyond(claims: Sequence[Claim], language: Language, *, is_detail: bool) -> Section:
    """Return the section of what a report rests on and its text does not say."""
    heading = say(language, "decision-beyond")
    return Section(heading=heading, claims=[*claims], is_detail=is_detail, is_beyond=True)


def join_sections(report: Report, added: Sequence[Section]) -> Report:
    """Add sections at the end of a report; the claims of a section that it already has are added to that section.

    A sentence that the section has already is not said again.
    """
    sections, names = [*report.sections], dict[str, str]()
    for section in added:
        before = next((each for each in sections if _is_same(each, section)), None)
        joined = _join_claims(before.claims, section.claims, names) if before else section.claims
        sections = [each for each in sections if each is not before]
        sections.append((before or section).model_copy(update={"claims": joined}))
    joined_report = report.model_copy(update={"sections": sections})
    if not names:
        return joined_report
    renamed = [_rename_bases(claim, names) for claim in list_claims(joined_report)]
    return replace_claims(joined_report, renamed)


def restore_order(report: Report, written: Sequence[Claim]) -> Report:
    """Return a report whose section on what else was found has sentences of earlier work in the order they were written in.

    Each then follows those that its writer put before it. Others keep their place.
    """
    places = {claim.text: n for n, claim in reversed([*enumerate(written)])}
    sections = [
        section.model_copy(update={"claims": _sort_known(section.claims, places)})
        if section.is_beyond
        else section
        for section in report.sections
    ]
    return report.model_copy(update={"sections": sections})


def _sort_known(claims: Sequence[Claim], places: Mapping[str, int]) -> list[Claim]:
    """Return claims with those that have a place sorted among themselves."""
    known = sorted((c for c in claims if c.text in places), key=lambda claim: places[claim.text])
    rest = iter(known)
    return [next(rest) if claim.text in places else claim for claim in claims]


def _join_claims(
    before: Sequence[Claim], added: Sequence[Claim], names: dict[str, str]
) -> list[Claim]:
    """Return claims with others behind them that are not there already.

    `names` gets the id that stays, by that of the sentence that is left out.
    """
    claims = [*before]
    known = {_read(claim): claim for claim in reversed(before)}
    for claim in added:
        twin = known.get(_read(claim))
        if twin and (twin.id or not claim.id):
            names |= {claim.id: twin.id} if claim.id else {}
        else:
            claims.append(claim)
            known[_read(claim)] = claim
    return claims


def _read(claim: Claim) -> tuple[object, ...]:
    """Return what a reader sees of a claim: its words and its passages."""
    return (claim.text, *((c.source, c.quote) for c in claim.citations))


def _is_same(one: Section, other: Section) -> bool:
    """Return whether two sections are one: both of what the text does not say, or both under a heading."""
    is_named = one.is_beyond or one.heading == other.heading
    return (one.is_beyond, one.is_detail, is_named) == (other.is_beyond, other.is_detail, True)


def _describe(claim: Claim) -> tuple[object, ...]:
    """Return the first passage and the figures of a claim."""
    return (*((c.source, c.quote) for c in claim.citations[:1]), find_numbers(claim.text))


def _rename_bases(claim: Claim, names: Mapping[str, str]) -> Claim:
    """Return a claim that rests on others by their new ids, never on itself."""
    rests_on = dict.fromkeys(names.get(name, name) for name in claim.rests_on)
    return claim.model_copy(update={"rests_on": [n for n in rests_on if n != claim.id or not n]})
