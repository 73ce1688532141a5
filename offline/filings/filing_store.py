"""The filings of a folder or the sample, in the form in which EDGAR hands them out."""

import gzip
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

_FACTS = re.compile(r"CIK(\d{1,10})\.json(\.gz)?")
_FILE = re.compile(r"[\w-][\w.-]*", re.ASCII)
SAMPLE = Path(str(resources.files("offline.filings")))
_LISTS = ("company_tickers_exchange.json", "company_tickers.json")
MOST_SUBMISSIONS = 1_000


@dataclass(frozen=True)
class ListedCompany:
    """A company as EDGAR lists it."""

    cik: int
    name: str
    ticker: str
    exchange: str = ""


def find_facts_files(folder: Path | None) -> dict[int, Path]:
    """Return the facts files in a folder by CIK, searched recursively; empty if `folder` is None."""
    found = sorted(folder.rglob("CIK*")) if folder else []
    inner = {path: str(path.relative_to(folder or path)) for path in found}
    shown = [path for path in found if not re.search(r"(?:^|/)\.", inner[path])]
    return {int(match[1]): path for path in shown if (match := _FACTS.fullmatch(path.name))}


class Cabinet:
    """The filings of a folder, read again for each request, else those of the sample."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder

    def list_companies(self) -> list[ListedCompany]:
        """Return the companies, by CIK."""
        return [self._read_company(cik, path) for cik, path in sorted(self._find_files().items())]

    def facts(self, cik: int) -> bytes | None:
        """Return the content of a company's facts file, unpacked, or None."""
        path = self._find_files().get(cik)
        return _unpack(path) if path else None

    def document(self, cik: int, folder: str, name: str) -> bytes | None:
        """Return a document from the folder named after its filing's accession number, or None."""
        facts = self._find_files().get(cik)
        if facts is None or not _FILE.fullmatch(folder) or not _FILE.fullmatch(name):
            return None
        paths = (facts.parent / folder / f"{name}{packed}" for packed in ("", ".gz"))
        return next((_unpack(path) for path in paths if path.is_file()), None)

    def submissions(self, cik: int) -> bytes | None:
        """Return a company's submissions from its file, else derived from its facts, or None without facts."""
        path = self._find_files().get(cik)
        if path is None:
            return None
        own = path.with_name(f"submissions-CIK{cik:010d}.json")
        if own.exists():
            return own.read_bytes()
        facts = _read(path, path.stat().st_mtime_ns)
        return json.dumps(submissions(self._read_company(cik, path), facts)).encode()

    def older_submissions(self, cik: int, page: int) -> bytes | None:
        """Return a page of a company's older filings from its file, else derived from its facts, or None."""
        path = self._find_files().get(cik)
        if path is None:
            return None
        if (own := path.with_name(_name_page(cik, page))).exists():
            return own.read_bytes()
        if path.with_name(f"submissions-CIK{cik:010d}.json").exists():
            return None
        filed = _list_filed(_read(path, path.stat().st_mtime_ns))
        rows = filed[page * MOST_SUBMISSIONS : (page + 1) * MOST_SUBMISSIONS]
        return json.dumps(_to_columns(rows)).encode() if page and rows else None

    def _find_files(self) -> dict[int, Path]:
        return find_facts_files(self._folder) or find_facts_files(SAMPLE)

    def _read_company(self, cik: int, path: Path) -> ListedCompany:
        """Return who files: as a list in the folder says, else as the files do."""
        if found := self._read_lists().get(cik):
            return found
        name = str(_read(path, path.stat().st_mtime_ns).get("entityName") or f"CIK {cik}")
        own = path.with_name(f"submissions-CIK{cik:010d}.json")
        about = _read_object(own) if own.exists() else {}
        [ticker, *_] = about.get("tickers") or [f"CIK{cik}"]
        [exchange, *_] = about.get("exchanges") or [""]
        return ListedCompany(cik, about.get("name") or name, ticker, exchange or "")

    def _read_lists(self) -> dict[int, ListedCompany]:
        if not self._folder:
            return {}
        paths = (path for name in _LISTS for path in sorted(self._folder.rglob(name)))
        return {each.cik: each for path in paths for each in _parse_list(_read_object(path))}


def submissions(company: ListedCompany, facts: dict[str, Any]) -> dict[str, Any]:
    """Return a company's submissions in EDGAR's form, derived from its facts, newest first."""
    filed = _list_filed(facts)
    year_ends = [row["end"] for row in filed if row["form"].startswith(("10-K", "20-F", "40-F"))]
    pages = range(1, -(-len(filed) // MOST_SUBMISSIONS))
    return {
        "cik": f"{company.cik:010d}",
        "entityType": "operating",
        "name": company.name,
        "tickers": [company.ticker],
        "exchanges": [company.exchange],
        "fiscalYearEnd": year_ends[0][5:].replace("-", "") if year_ends else "",
        "filings": {
            "recent": _to_columns(filed[:MOST_SUBMISSIONS]),
            "files": [_describe_page(company.cik, filed, page) for page in pages],
        },
    }


def _name_page(cik: int, page: int) -> str:
    return f"CIK{cik:010d}-submissions-{page:03d}.json"


def _describe_page(cik: int, filed: list[dict[str, Any]], page: int) -> dict[str, Any]:
    rows = filed[page * MOST_SUBMISSIONS : (page + 1) * MOST_SUBMISSIONS]
    days = {"filingFrom": rows[-1]["filed"], "filingTo": rows[0]["filed"]}
    return {"name": _name_page(cik, page), "filingCount": len(rows), **days}


def _to_columns(filed: list[dict[str, Any]]) -> dict[str, list[str]]:
    names = ("accessionNumber", "filingDate", "reportDate", "form")
    columns = zip(names, ("accn", "filed", "end", "form"), strict=True)
    return {to: [row[of] for row in filed] for to, of in columns}


def _list_filed(facts: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the last row of each filing that the facts name, newest first."""
    last: dict[str, dict[str, Any]] = {}
    for row in _list_rows(facts):
        known = last.get(row["accn"])
        if known is None or row["end"] > known["end"]:
            last[row["accn"]] = row
    return sorted(last.values(), key=lambda row: (row["filed"], row["accn"]), reverse=True)


def _list_rows(facts: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the figures that name their filing, without the cover's count of shares."""
    taxonomies = facts.get("facts")
    for taxonomy, concepts in _list_objects(taxonomies):
        for _, concept in _list_objects(concepts) if taxonomy != "dei" else ():
            for _, rows in _list_items(concept.get("units")):
                known = (
                    (row for row in rows if isinstance(row, dict)) if isinstance(rows, list) else ()
                )
                yield from (row for row in known if {"accn", "end", "filed", "form"} <= row.keys())


def _list_items(value: Any) -> list[tuple[str, Any]]:
    return [*value.items()] if isinstance(value, dict) else []


def _list_objects(value: Any) -> list[tuple[str, dict[str, Any]]]:
    """Return the members of an object that are objects themselves."""
    return [(name, each) for name, each in _list_items(value) if isinstance(each, dict)]


def _parse_list(told: dict[str, Any]) -> list[ListedCompany]:
    """Parse either of EDGAR's two ticker lists; return an empty list for anything else."""
    try:
        if "fields" in told:
            rows = [dict(zip(told["fields"], row, strict=True)) for row in told["data"]]
            return [ListedCompany(**row) for row in rows]
        return [ListedCompany(r["cik_str"], r["title"], r["ticker"]) for r in told.values()]
    except (AttributeError, KeyError, TypeError, ValueError):
        return []


def _unpack(path: Path) -> bytes:
    return gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()


@cache
def _read(path: Path, _: int) -> dict[str, Any]:
    """Return the facts in a file, read once for each time that it was changed."""
    return _read_object(path)


def _read_object(path: Path) -> dict[str, Any]:
    """Return the JSON object in a file, or an empty one if the file does not contain one."""
    try:
        found = json.loads(_unpack(path))
    except (OSError, EOFError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
