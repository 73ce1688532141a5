"""The page of a decision link: a plan with its price and two buttons, without scripts."""

import base64
import hashlib
from collections.abc import Sequence
from html import escape
from pathlib import Path

from api.reports.html import STYLE, draw
from contracts.base import Contract
from contracts.report.document import Document
from contracts.words import Language

_OWN_STYLE = Path(__file__).with_name("decide.css").read_text("utf-8")
_DIGESTS = " ".join(
    f"'sha256-{base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()}'"
    for style in (STYLE, _OWN_STYLE)
)
HEADERS = {
    "Content-Security-Policy": f"default-src 'none'; style-src {_DIGESTS}; img-src data:; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    # `no-referrer` would have browsers send `Origin: null` with the form, as a foreign page does
    "Referrer-Policy": "same-origin",
}


class Button(Contract):
    """A button that posts to an address."""

    label: str
    path: str
    style: str


class DecisionPage(Contract):
    """The contents of a decision link's page."""

    language: Language
    title: str
    plan: Document | None = None
    lines: Sequence[str] = ()
    buttons: Sequence[Button] = ()
    run_url: str = ""
    run_label: str = ""


def render_decision_page(page: DecisionPage) -> str:
    """Return a whole page."""
    plan = "".join(draw(page.plan)) if page.plan else ""
    lines = "".join(f"<p>{escape(line)}</p>" for line in page.lines)
    forms = "".join(
        f'<form method="post" action="{escape(each.path)}">'
        f'<button class="{escape(each.style)}">{escape(each.label)}</button></form>'
        for each in page.buttons
    )
    link = f'<p><a href="{escape(page.run_url)}">{escape(page.run_label)}</a></p>'
    return (
        f'<!doctype html><html lang="{page.language}"><head><meta charset="utf-8">'
        f"<title>{escape(page.title)}</title>"
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<style>{STYLE}</style><style>{_OWN_STYLE}</style></head><body>"
        f"<h1>{escape(page.title)}</h1>{plan}"
        f'<section class="decide">{lines}<div>{forms}</div>{link if page.run_url else ""}</section>'
        "</body></html>"
    )
