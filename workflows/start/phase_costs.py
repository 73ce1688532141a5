"""Cost of each phase of a run, estimated from tokens once, when it opens, so that no later price list changes a plan."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from statistics import fmean

from contracts.definitions import Definition
from contracts.documents import NONE_KNOWN, KnownDocuments
from contracts.models.catalogue import find_accepted
from contracts.models.prices import BATCH_SHARE, Price, find_price
from contracts.phases import Phase
from contracts.phases.phase_cost import PhaseCost, Share
from contracts.planning.depth import FACTORS, Settings
from contracts.planning.plan import Depth
from contracts.runs.run_terms import Terms
from domain.planning.depth import set_depth
from domain.retrieval.shown_parts import LONG_CHARS, weigh_documents
from workflows.phase_context.expected_tokens import CHARS_PER_TOKEN, UNITS, Use
from workflows.phases import PHASES

TOP_FACTOR = 2
"""A phase's maximum cost as a multiple of its expected cost."""
LONG_DOCUMENT_PAGES = 3
"""A long document costs as much as this many pages, unless the phase says otherwise: several parts are opened."""
MAX_LONG_DOCUMENTS = 8
"""Long documents that are expected to be read, of however many there are."""
TOKENS_PER_SECOND = 100
"""Tokens that a fast provider writes. Source: with it a run takes the times of docs/performance.md, searches and pages included."""
PAGE_CHARS = 3_600
"""Assumed characters of a page of unknown length. Source: the pages of the measured runs."""


@dataclass(frozen=True)
class Given:
    """Amounts that a run starts with and that its price depends on."""

    sources: int = 0
    """Sources of the report that a follow-up continues; each counts as a page."""
    known: KnownDocuments = NONE_KNOWN
    subjects: int = 1
    """Number of compared items, e.g. companies."""

    @property
    def long_documents(self) -> float:
        """Documents that are expected to be opened in parts, by their weight."""
        return min(weigh_documents(self.known.lengths), MAX_LONG_DOCUMENTS)

    @property
    def page_tokens(self) -> float:
        """Tokens of the text of a page: of the documents, up to the length that is shown whole, if no others can be read."""
        shown = [min(c, LONG_CHARS) for c in self.known.lengths] if self.known.is_all else []
        return (fmean(shown) if shown else PAGE_CHARS) / CHARS_PER_TOKEN


def estimate_costs(
    definition: Definition,
    terms: Terms,
    given: Given = Given(),
    *,
    batch: bool = False,
) -> dict[str, PhaseCost]:
    """Return each phase's cost in US dollars and minutes by its id.

    In batches half of it is expected; the most that a phase may cost is the ordinary one's.
    """
    limits = [getattr(phase.config, "max_sources", None) for phase in definition.phases]
    limits += [len(given.known.lengths)] if given.known.is_all else []
    return {
        phase.id: _estimate(phase, terms, given, limits, _find_part(phase, definition, batch))
        for phase in definition.phases
    }


def _find_part(phase: Phase, definition: Definition, batch: bool) -> float:
    """Return the expected share of a phase's full price; the maximum is not reduced."""
    if PHASES[phase.kind].costs_nothing(phase, definition):
        return 0.0
    return BATCH_SHARE if batch and phase.kind != "crew" else 1.0


def _estimate(
    phase: Phase, terms: Terms, given: Given, limits: Iterable[int | None], part: float
) -> PhaseCost:
    found = dict.fromkeys(UNITS, Share())
    slack = Share()
    for tokens in PHASES[phase.kind].tokens(phase):
        model = terms.choose_model(tokens.role, phase.models.get(tokens.role))
        price = find_price(model, terms.prices)
        if tokens.thoughtful and find_accepted(model).thinks:
            tokens = tokens.thoughtful
        for unit in UNITS:
            use: Use | None = getattr(tokens, unit)
            share = _share(price, use or tokens.page, given.page_tokens)
            found[unit] += share if use else share * LONG_DOCUMENT_PAGES
        slack += Share(top_usd=price.compute_usd(0, tokens.slack))
    once, subject = found.pop("once"), found.pop("subject")
    once += found["page"] * given.sources + subject * (given.subjects - 1) + slack
    shares = {"base": once, **found}
    shares = {n: each.model_copy(update={"usd": part * each.usd}) for n, each in shares.items()}
    for unit, fee in _estimate_fees(phase, terms, given).items():
        shares[unit] = shares.get(unit, Share()) + fee
    limited = {
        "documents": given.long_documents,
        "pages": min(filter(None, limits), default=None),
        "agents": getattr(phase.config, "max_agents", None),
    }
    return PhaseCost.model_validate(shares | limited)


def estimate_depths(
    definition: Definition,
    depths: Mapping[Depth, Settings],
    terms: Terms,
    given: Given = Given(),
    *,
    batch: bool = False,
) -> dict[Depth, dict[str, PhaseCost]]:
    """Return a definition's costs at each depth; empty if the depth changes nothing."""
    found: dict[Depth, dict[str, PhaseCost]] = {}
    for depth, settings in depths.items():
        costs = estimate_costs(set_depth(definition, settings), terms, given, batch=batch)
        deeper = {"reads": max(FACTORS.get(depth, {}).get("max_sources", 1), 1)}
        found[depth] = {name: cost.model_copy(update=deeper) for name, cost in costs.items()}
    return found


def _estimate_fees(phase: Phase, terms: Terms, given: Given) -> dict[str, Share]:
    """Return the fees of the searches that a phase is expected to make; a batch does not lower them."""
    searches, usd = PHASES[phase.kind].searches(phase), terms.search.compute_usd(phase.search)
    counts = {
        "base": searches.once + searches.subject * (given.subjects - 1),
        "fee": searches.planned,
        "agent": searches.agent,
        "step": searches.step,
    }
    return {
        unit: Share(usd=n * usd, top_usd=TOP_FACTOR * n * usd)
        for unit, n in counts.items()
        if n and usd
    }


def _share(price: Price, use: Use, page_tokens: float) -> Share:
    """Return a share; the minutes are those of a provider that writes `TOKENS_PER_SECOND`."""
    usd = price.compute_usd(use.input + use.texts * page_tokens, use.output)
    return Share(usd=usd, top_usd=TOP_FACTOR * usd, minutes=use.output / TOKENS_PER_SECOND / 60)
