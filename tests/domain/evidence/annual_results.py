"""Pages of a company's results, and what code settles about a claim that cites them."""

from contracts.evidence.checks import Check
from contracts.evidence.claims import Citation, Claim, JudgeTerms
from domain.evidence.claim_check import check_claims
from domain.evidence.pages.cited_page import CitedPage
from domain.evidence.quotes import Snapshot

RESULTS = """Harbour Tools plc, results for the year
Rotterdam, 14 March 2024

## Income statement
(Euros in thousands, except per share data)
Year ended 31 December
2023 2022
| Revenue | € 48,210 | € 41,905 |
| Gross profit | 19,284 | 15,924 |
| Operating loss | (1,130) | (2,417) |
| Loss per share | (0.14) | (0.31) |
| Change in revenue | 15 | % |

## Outlook
Order intake rose by about a third, said Ingrid Vos, who joined the board last year.
Two of the three yards are in Flushing; the third, in Ghent, employs 340 people.
The company expects revenue of €52 million to €55 million, a rate of 9% to 14%.
Interest costs fell from 6.5% to 5.1% of revenue.
The yard in Ghent employs 340 people.
"""
GERMAN = (
    "Der Umsatz stieg um sieben Prozent auf 1’396.342 Euro. Ein Drittel davon stammt aus Gent.\n"
)
BARE = "Steel 4,120 3,980\nCoal 2,011 2,250\n"
PAGES = {
    1: CitedPage("Harbour Tools plc: annual results", Snapshot(RESULTS), "harbour", "2024-03-14"),
    2: CitedPage("Harbour wächst", Snapshot(GERMAN), "blatt", "2024-03-15"),
    3: CitedPage("Freight table", Snapshot(BARE)),
}
TERMS = JudgeTerms(
    model="", question="How did Harbour Tools do against its 2021 plan of 45 million?"
)
REVENUE = "| Revenue | € 48,210 | € 41,905 |"
PROFIT = "| Gross profit | 19,284 | 15,924 |"
YARDS = "Two of the three yards are in Flushing; the third, in Ghent, employs 340 people."
GHENT = "The yard in Ghent employs 340 people."


def claim(text: str, *quotes: str, source: int = 1, **more: object) -> Claim:
    citations = [Citation(source=source, quote=quote) for quote in quotes]
    return Claim.model_validate({"text": text, "citations": citations, **more})


def check(text: str, *quotes: str, source: int = 1, **more: object) -> Check:
    [found] = check_claims([claim(text, *quotes, source=source, **more)], PAGES, TERMS)
    return found


def check_on(page: str, text: str, *quotes: str, title: str = "Page", **more: object) -> Check:
    """Return what code settles about a claim on a page of this text, which it quotes whole unless it names quotes."""
    pages = {1: CitedPage(title, Snapshot(page))}
    [found] = check_claims([claim(text, *(quotes or [page]), source=1, **more)], pages)
    return found
