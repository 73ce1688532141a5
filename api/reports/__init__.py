"""Reports as documents: living drafts, HTML pages, and PDF and Word files from one parse of the Markdown."""

from typing import Literal

Format = Literal["pdf", "docx"]
MEDIA_TYPES: dict[Format, str] = {
    "pdf": "application/pdf",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
}
MAX_CHARS = 500_000
MAX_SECONDS = 60
MAX_MEMORY_BYTES = 1_000_000_000
