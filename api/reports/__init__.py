"""Reports in their formats, each drawn from one document: Markdown, JSON, HTML, PDF and Word."""

from typing import Literal

from contracts.media_types import DOCX, PDF

ReportFormat = Literal["md", "html", "pdf", "docx", "json", "bib", "ris", "csl", "zip"]
Format = Literal["pdf", "docx"]
MEDIA_TYPES: dict[Format, str] = {"pdf": PDF, "docx": DOCX}
MAX_CHARS = 1_000_000
"""Limit of a document as JSON, which is about twice its text."""
