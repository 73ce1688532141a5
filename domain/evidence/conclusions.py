"""Claims that rest on other claims: computed from them, repeating them, or failing with them."""

import re
from collections.abc import Mapping, Sequence, Set

from pydantic import JsonValue

from contracts.base import Json
from contracts.evidence.claims import Claim
from contracts.evidence.reasons import Reason
from domain.evidence.claims import find_numbers, list_figures, replace_claims
from domain.evidence.part_computations import narrow_computation
from domain.text_matching.word_stems import list_stems

REPEATED_WORDS = 0.5
"""Part of a cell's words that sentences have to have, for it to say only what they do."""


def find_dependents(claims: Sequence[Claim], names: Set[str]) -> set[str]:
    """Return ids of sentences and of the claims that rest on them, directly or through others."""
    resting: dict[str, list[str]] = {}
    for claim in claims:
        for name in claim.rests_on if claim.id else ():
            resting.setdefault(name, []).append(claim.id)
    found, todo = {*names}, [*names]
    while todo:
        new = [name for name in resting.get(todo.pop(), ()) if name not in found]
        found.update(new)
        todo += new
    return found


def repeats_bases(claim: Claim, known: Mapping[str, Claim]) -> bool:
    """Return True if a cell only says what the sentences say that it rests on, by its figures or its words."""
    return _repeats_figures(claim, known) or _repeats_words(claim, known)


def _repeats_figures(claim: Claim, known: Mapping[str, Claim]) -> bool:
    """Return True if a claim has figures other than years, all of which occur in the sentences it rests on."""
    numbers = list_figures(claim.text)
    bases = (known[name] for name in claim.rests_on if name in known)
    return bool(numbers) and numbers <= frozenset().union(*(find_numbers(b.text) for b in bases))


def _repeats_words(claim: Claim, known: Mapping[str, Claim]) -> bool:
    """Return True if a claim has no figure, and quoted sentences that it rests on have half of its words and all its years."""
    bases = [known[name] for name in claim.rests_on if name in known]
    if not bases or list_figures(claim.text) or any(b.kind != "stated" or b.working for b in bases):
        return False
    told = " ".join(base.text for base in bases)
    words = list_stems(claim.text)
    is_near = bool(words) and len(words & list_stems(told)) >= REPEATED_WORDS * len(words)
    return is_near and find_numbers(claim.text) <= find_numbers(told)


def computes_from(claim: Claim, base: Claim) -> bool:
    """Return True if a claim's expression has a figure of a sentence that it rests on, in the same digits."""
    used, told = (
        {re.sub(r"[.,]", "", number) for number in find_numbers(text)}
        for text in (claim.expression, base.text)
    )
    return not used.isdisjoint(told)


def is_sum(claim: Claim, bases: Sequence[Claim]) -> bool:
    """Return True if a claim is computed from every sentence it rests on, so that it is not a judgement."""
    return bool(bases) and all(computes_from(claim, base) for base in bases)


def _may_be_repeated(base: Claim, figures: Set[str], known: Mapping[str, Claim]) -> bool:
    """Return True unless a sentence is a judgement; one computed from others must share one of the figures."""
    if base.kind != "concluded":
        return True
    own = [known[name] for name in base.rests_on if name in known]
    is_known = len(own) == len(base.rests_on)
    return is_known and is_sum(base, own) and not figures.isdisjoint(find_numbers(base.text))


def _gives_figure(base: Claim, figures: Set[str]) -> bool:
    """Return True if a computed sentence that declares its quoted figures has one of these as a result."""
    quoted = frozenset[str]().union(*(find_numbers(figure.value) for figure in base.figures))
    return bool(base.figures) and not figures.isdisjoint(find_numbers(base.text) - quoted)


def cite_bases(claim: Claim, known: Mapping[str, Claim]) -> Claim:
    """Replace the sentences a claim rests on by the sources that these cite.

    If all its figures occur in their quotes, the claim is not computed, and a cell keeps only the quotes with
    its figures. If it states results of theirs, it gets those expressions and quotes. If it repeats what is
    computed from other sentences, it is computed from these. A claim that rests on a judgement or an unknown
    sentence is returned unchanged.
    """
    bases = [known[name] for name in claim.rests_on if name in known]
    figures = list_figures(claim.text)
    is_own = not all(_may_be_repeated(base, figures, known) for base in bases)
    if claim.citations or not bases or len(bases) < len(claim.rests_on) or is_own:
        return claim
    cited = [*{(c.source, c.start, c.end): c for base in bases for c in base.citations}.values()]
    computed = [base for base in bases if base.expression]
    if figures and figures <= frozenset().union(*(find_numbers(c.quote) for c in cited)):
        computed = [base for base in computed if _gives_figure(base, figures)]
        cited = [c for c in cited if computed or claim.repeats or figures & find_numbers(c.quote)]
    update = {
        "citations": cited,
        "figures": [],
        "rests_on": [*dict.fromkeys(name for base in computed for name in base.rests_on)],
        "repeats": False,
        "assumed": claim.assumed or any(base.assumed for base in bases),
        "expression": "; ".join(base.expression for base in computed),
        "working": "; ".join(base.working for base in computed),
    }
    return narrow_computation(claim.model_copy(update=update))


def cite_repeated(value: JsonValue, known: Mapping[str, Claim]) -> JsonValue:
    """Give claims that only repeat known sentences the citations of these, as `cite_known` does."""

    def cite(said: Json, claim: Claim) -> Json:
        cited = cite_known(claim, known)
        return said if cited is claim else said | cited.model_dump(mode="json", exclude={"id"})

    return replace_claims(value, cite)


def cite_known(claim: Claim, known: Mapping[str, Claim]) -> Claim:
    """Return a claim that only repeats known sentences with the citations of these, and any other one unchanged.

    One that repeats a sentence verbatim also gets its verdict.
    """
    if not claim.repeats:
        return claim
    bases = (known[name] for name in claim.rests_on if name in known)
    same = next((base for base in bases if base.text == claim.text), None)
    return same.model_copy(update={"id": claim.id}) if same else cite_bases(claim, known)


def withdraw_conclusions(claims: Sequence[Claim]) -> list[Claim]:
    """Return the claims, with each conclusion refused that depends on a refused claim, directly or through others."""
    refused = {claim.id for claim in claims if claim.id and not claim.is_usable}
    fallen = find_dependents(claims, refused)
    withdrawn = Reason(code="base-fell")
    return [
        claim.rule("not_shown", withdrawn)
        if claim.is_usable and fallen.intersection(claim.rests_on)
        else claim
        for claim in claims
    ]
