"""The code that reads cited pages: its packages are the worker's, so the worker hands it to the activities of claims."""

from activities.claims.claim_activities import EvidenceCode
from activities.claims.draft import read_draft
from activities.claims.judge import build_judging
from activities.claims.mend import build_mending, choose_changes
from contracts.evidence.claims import CitablePage
from contracts.evidence.rows import PageRows
from domain.evidence.claim_check import check_claims
from domain.evidence.pages.cited_page import CitedPage
from domain.evidence.quotes import Snapshot


def open_page(page: CitablePage, text: bytes, rows: bytes) -> CitedPage:
    """Return a page with its snapshot; `rows` is its index of figures, empty if it has none."""
    placed = PageRows.model_validate_json(rows).rows if rows else []
    about = page.by, page.published, tuple(page.unread)
    return CitedPage(page.title, Snapshot(text.decode(), page.shown), *about, tuple(placed))


EVIDENCE_CODE = EvidenceCode(
    open_page, check_claims, build_judging, build_mending, choose_changes, read_draft
)
