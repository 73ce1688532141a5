"""Reports as documents: living drafts, HTML pages, and PDF and Word files from one parse of the Markdown."""

from typing import Literal

from contracts.media_types import DOCX, PDF

Format = Literal["pdf", "docx"]
MEDIA_TYPES: dict[Format, str] = {"pdf": PDF, "docx": DOCX}
MAX_CHARS = 500_000
MAX_SECONDS = 60
MAX_MEMORY_BYTES = 1_000_000_000
