"""Media types of pages and files that can be read: the one list that page, terminal, API and docs show."""

PDF = "application/pdf"
_OFFICE = "application/vnd.openxmlformats-officedocument"
DOCX = f"{_OFFICE}.wordprocessingml.document"
XLSX = f"{_OFFICE}.spreadsheetml.sheet"
PPTX = f"{_OFFICE}.presentationml.presentation"
EPUB, ODT = "application/epub+zip", "application/vnd.oasis.opendocument.text"
RTF, EML = "application/rtf", "message/rfc822"
HTML, PLAIN, MARKDOWN = "text/html", "text/plain", "text/markdown"
CSV, TSV = "text/csv", "text/tab-separated-values"
JSON, JSON_LINES = "application/json", "application/x-ndjson"
ZIP = "application/zip"
FILES = frozenset({PDF, DOCX, XLSX, PPTX, EPUB, ODT, RTF, EML})
NEVER_READ = (
    *("image/", "audio/", "video/", "font/", "text/css"),
    *("text/javascript", "application/javascript", "application/x-javascript"),
)
"""Prefixes of media types that are not requested; for others, the content decides."""
SUFFIXES = {
    ".md": MARKDOWN,
    ".markdown": MARKDOWN,
    ".txt": PLAIN,
    ".html": HTML,
    ".htm": HTML,
    ".xhtml": "application/xhtml+xml",
    ".pdf": PDF,
    ".docx": DOCX,
    ".docm": DOCX,
    ".dotx": DOCX,
    ".dotm": DOCX,
    ".xlsx": XLSX,
    ".xlsm": XLSX,
    ".xltx": XLSX,
    ".xltm": XLSX,
    ".pptx": PPTX,
    ".pptm": PPTX,
    ".ppsx": PPTX,
    ".ppsm": PPTX,
    ".potx": PPTX,
    ".epub": EPUB,
    ".odt": ODT,
    ".ott": ODT,
    ".rtf": RTF,
    ".eml": EML,
    ".csv": CSV,
    ".tsv": TSV,
    ".json": JSON,
    ".jsonl": JSON_LINES,
    ".ndjson": JSON_LINES,
}
"""Media type of a file by how its name ends; its bytes decide where they say otherwise."""
PAGES = frozenset(
    {
        HTML,
        "application/xhtml+xml",
        PLAIN,
        MARKDOWN,
        "text/x-markdown",
        CSV,
        TSV,
        JSON,
        JSON_LINES,
    }
)
