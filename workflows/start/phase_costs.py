"""Cost estimate of a run: made once, when it opens, so that no later price list changes a plan."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from contracts.definitions import Definition
from contracts.planning.depth import FACTORS, Settings
from contracts.planning.plan import Depth
from contracts.terms import BATCH_SHARE, PhaseCost, Price, Share, Terms, find_price
from domain.depth import set_depth
from domain.retrieval.parts import LONG_CHARS
from workflows.phases import PHASES

TOP_FACTOR = 3
"""The most that a phase may cost, as a multiple of what is expected of it."""
LONG_DOCUMENT_SEARCHES = 3
"""Searches that a long document costs as much as in a phase that does not say: it is opened in several places."""
MAX_LONG_DOCUMENTS = 8
"""Long documents that are expected to be read, of however many there are."""


@dataclass(frozen=True)
class Given:
    """Amounts that a run starts with and that its price depends on."""

    sources: int = 0
    """Sources of the report that it goes on from: each costs a search."""
    long_documents: int = 0
    """Documents of its own that are opened in parts."""
    subjects: int = 1
    """What is set side by side, e.g. companies."""


def count_long_documents(lengths: Iterable[int]) -> int:
    """Return how many long documents are expected to be read, by the lengths of those that are known before the start."""
    return min(sum(chars > LONG_CHARS for chars in lengths), MAX_LONG_DOCUMENTS)


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
    costs: dict[str, PhaseCost] = {}
    for phase in definition.phases:
        base = search = step = company = document = Share()
        for tokens in PHASES[phase.kind].tokens(phase):
            price = find_price(
                terms.choose_model(tokens.role, phase.models.get(tokens.role)), terms.prices
            )
            base += _share(price, tokens.input, tokens.output, tokens.slack)
            searched = _share(price, tokens.search_input, tokens.search_output)
            search += searched
            document += (
                searched * LONG_DOCUMENT_SEARCHES
                if tokens.document_input is None
                else _share(price, tokens.document_input, tokens.document_output)
            )
            step += _share(price, tokens.step_input, tokens.step_output)
            company += _share(price, tokens.subject_input, tokens.subject_output)
        base += search * given.sources + document * given.long_documents
        base += company * (given.subjects - 1)
        if batch and phase.kind != "crew":
            base, search, step = (
                share.model_copy(update={"usd": BATCH_SHARE * share.usd})
                for share in (base, search, step)
            )
        pages = getattr(phase.config, "max_sources", None)
        costs[phase.id] = PhaseCost(base=base, search=search, step=step, pages=pages)
    return costs


def estimate_depths(
    definition: Definition,
    depths: Mapping[Depth, Settings],
    terms: Terms,
    given: Given = Given(),
    *,
    batch: bool = False,
) -> dict[Depth, dict[str, PhaseCost]]:
    """Return the costs of a definition at each depth; none where the depth changes nothing."""
    found: dict[Depth, dict[str, PhaseCost]] = {}
    for depth, settings in depths.items():
        costs = estimate_costs(set_depth(definition, settings), terms, given, batch=batch)
        deeper = {"reads": max(FACTORS.get(depth, {}).get("max_sources", 1), 1)}
        found[depth] = {name: cost.model_copy(update=deeper) for name, cost in costs.items()}
    return found


def _share(price: Price, read: float, written: float, slack: int = 0) -> Share:
    """Return a share; 60 written tokens a second, half as much again for search and pages."""
    usd = price.compute_usd(read, written)
    top = TOP_FACTOR * usd + price.compute_usd(0, slack)
    return Share(usd=usd, top_usd=top, minutes=1.5 * written / 60 / 60)
