"""Measures how often search finds the page that answers a question in a folder of long documents.

The questions are lines of JSON in the form of FinanceBench: `doc_name` (a file's name without its suffix),
`company`, `question`, and `evidence` with `evidence_text` and `evidence_page_num`, counted from 0. Each is put
as it stands, and in three ways by rule as a planner writes searches. A document is found if it is among the
first n, a page if it is among the first n pages; `any` means at least one of the planner's three. `shown` is how
often a call of `fetch_url` about the query shows of the right document the page or a passage of it, `evidence` how
much of the evidence's words it shows on average.
"""

import os
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.table import Table

from activities.collections.indexer import AT_ONCE
from activities.parsing.page_parser import PageParser
from bench.documents.collection import open_collection, time_library
from bench.harness import make_table
from contracts.documents import PAGE_BREAK
from contracts.media_types import SUFFIXES
from domain.retrieval.document_rows import Row, split_rows
from domain.retrieval.row_ranking import (
    CorpusStatistics,
    RowKey,
    RowTerms,
    count_row,
    group_rows,
    rank,
    score_rows,
)
from domain.retrieval.search_words import Query, is_stop_word, list_terms, parse_query, split_name
from domain.retrieval.shown_parts import PAGE_CHARS, open_best

PLANNED = ("company and question", "company and statement", "rare words")
WAYS = ("question", *PLANNED, "any")
OWN = ("rows", "rows in PostgreSQL")
"""Systems that open pages as the product does."""
DEPTHS = (1, 5, 10)
RATIOS = {
    "processor time: all that indexing used, to the library": ("index", "library"),
    "clock: indexing, to the library in one process": ("index_wall", "library_wall"),
    "clock: indexing, to the library in as many processes": (
        *("index_wall", "library_side_by_side_wall"),
    ),
}
"""Ratios of our indexing time to that of the PDF library: by processor time, and by wall time in one or more processes."""
OVERLAP = 0.9
"""A page with this share of the best page's word groups in common with the evidence holds it as well."""
STATEMENTS = {
    "consolidated statement of cash flows": r"cash flow",
    "consolidated balance sheet": r"balance sheet|financial position",
    "consolidated statement of income": r"income statement|p&l|profit (?:and|&) loss|statements? of (?:income|operations|earnings)",
}
_YEAR = re.compile(r"(?:19|20)\d\d")
_ASKED = re.compile(r"[^.?!]*\?")
_WORD = re.compile(r"[\w&'’-]+")

Key = RowKey[str]
Search = Callable[[str], list[Key]]
Figures = dict[str, Any]


@dataclass(frozen=True)
class Library:
    """The rows of a folder's documents, with their terms."""

    rows: dict[Key, Row]
    terms: dict[Key, RowTerms]
    frequencies: Mapping[str, int]
    """Rows that have each term."""
    average_length: float
    texts: dict[str, str]

    def count(self, query: Query) -> CorpusStatistics:
        """Return the statistics that a query needs."""
        found = {term: self.frequencies[term] for term in query.terms if term in self.frequencies}
        return CorpusStatistics(len(self.rows), self.average_length, found)


Shown = list[tuple[int | None, str]]
"""The stretches of a document that are shown for a query, each with its page."""
Opens = Callable[[Library, str, str, Sequence[Key]], Shown]


async def measure(files: Sequence[Path], asked: Sequence[Any]) -> Figures:
    """Return how often each system finds the page, and how long reading, indexing and searching take."""
    times = time_library(files)
    texts = await _read(files)
    library = index_texts(texts)
    questions = [question for question in asked if question["doc_name"] in texts]
    systems: dict[str, Search] = {
        "rows": lambda text: search_rows(library, text),
        "BM25 over pages": lambda text: _search_plain(library, text),
    }
    async with open_collection(files) as collection:
        through = {
            text: await collection.rank(text)
            for question in questions
            for text in write_queries(question, library.frequencies)
        }
        systems["rows in PostgreSQL"] = through.__getitem__
        times |= collection.times
        seconds = sorted(collection.seconds)
    found = {
        name: judge(search, library, questions, open_as_asked if name in OWN else open_by_ranking)
        for name, search in systems.items()
    }
    return {
        "questions": len(questions),
        "documents": len(texts),
        "rows": len(library.rows),
        "load": round(os.getloadavg()[0], 1),
        "seconds": {name: round(value, 1) for name, value in times.items()},
        "search_median_ms": round(1_000 * seconds[len(seconds) // 2]) if seconds else 0,
        "search_p95_ms": round(1_000 * seconds[len(seconds) * 95 // 100]) if seconds else 0,
        "found": found,
    }


def make_tables(figures: Figures) -> Iterator[Table]:
    """Yield the shares of questions by system and way of asking, and the times."""
    title = f"{figures['questions']} questions, {figures['documents']} documents, {figures['rows']} rows"
    measures = [*(f"doc@{n}" for n in DEPTHS), "page@5", "page@10", "shown", "evidence"]
    table = make_table(title, "percent", "searched with", *measures)
    for system, ways in figures["found"].items():
        for way, shares in ways.items():
            table.add_row(system, way, *(f"{shares[name]:.1f}" for name in measures))
    yield table
    seconds = figures["seconds"]
    times = make_table(f"Indexing, load {figures['load']}", "seconds", "processor", "clock")
    alone = f"{seconds['library']}", f"{seconds['library_wall']}"
    times.add_row("PDF library alone, one process", *alone)
    side_by_side = f"{seconds['library_side_by_side_wall']}"
    times.add_row(f"PDF library alone, {AT_ONCE} processes", "", side_by_side)
    indexing = f"{seconds['index']}", f"{seconds['index_wall']}"
    times.add_row(f"indexing, {AT_ONCE} reading processes", *indexing)
    yield times
    shares = make_table("Times the PDF library's own time", "", "times")
    for name, (took, base) in RATIOS.items():
        if seconds[base]:
            shares.add_row(name, f"{seconds[took] / seconds[base]:.2f}")
    yield shares
    searches = make_table("Searching", "", "median ms", "95th percentile ms")
    searches.add_row("", f"{figures['search_median_ms']}", f"{figures['search_p95_ms']}")
    yield searches


async def _read(files: Iterable[Path]) -> dict[str, str]:
    parser = PageParser()
    try:
        return {
            path.stem: (await parser.read(path.read_bytes(), SUFFIXES[path.suffix.lower()])).text
            for path in files
        }
    finally:
        await parser.close()


def list_documents(folder: Path) -> list[Path]:
    """Return the files of a folder that can be read."""
    return sorted(path for path in folder.iterdir() if path.suffix.lower() in SUFFIXES)


def index_texts(texts: dict[str, str]) -> Library:
    """Return the rows of documents by their names, counted as a collection counts them."""
    rows = {
        (name, n): row for name, text in texts.items() for n, row in enumerate(split_rows(text))
    }
    terms = {key: count_row(split_name(key[0]), row.head, row.text) for key, row in rows.items()}
    frequencies = Counter(t for row in terms.values() for t in {*row.name, *row.head, *row.text})
    average = sum(row.length for row in terms.values()) / max(len(terms), 1)
    return Library(rows, terms, frequencies, average, texts)


def search_rows(library: Library, text: str) -> list[Key]:
    """Return the rows of a library for a query as the product ranks them."""
    query = parse_query(text)
    return rank(score_rows(query, library.terms, library.count(query)))


def _search_plain(library: Library, text: str) -> list[Key]:
    """Rank by BM25 over the text of pages alone, with its usual constants."""
    statistics = library.count(Query(text, dict.fromkeys(list_terms(text), 1.0)))
    weights = {term: statistics.weigh(term) for term in statistics.frequencies}
    scores = {}
    for key, row in library.terms.items():
        offset = 1.2 * (0.25 + 0.75 * row.length / library.average_length)
        score = sum(
            w * row.text[t] / (row.text[t] + offset) for t, w in weights.items() if t in row.text
        )
        if score:
            scores[key] = score
    return rank(scores)


def judge(
    search: Search,
    library: Library,
    questions: Sequence[Any],
    opens: Opens,
) -> dict[str, dict[str, float]]:
    """Return the share of questions that a system answers with the right document and page, by way of asking."""
    outcomes: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for question in questions:
        pages = find_evidence(question, library.texts[question["doc_name"]])
        planned: dict[str, float] = defaultdict(float)
        queries = write_queries(question, library.frequencies)
        for way, text in zip(WAYS, queries, strict=False):
            ranking = search(text)
            document = question["doc_name"]
            found = _check(ranking, library, document, pages)
            shown = opens(library, document, text, ranking)
            found["shown"] = bool(pages & {page for page, _ in shown})
            found["evidence"] = measure_evidence(question, [text for _, text in shown])
            for name, share in found.items():
                outcomes[way][name].append(share)
                planned[name] = max(planned[name], share * (way in PLANNED))
        for name, share in planned.items():
            outcomes["any"][name].append(share)
    return {
        way: {name: 100 * sum(each) / len(each) for name, each in names.items()}
        for way, names in outcomes.items()
    }


def _check(
    ranking: list[Key], library: Library, document: str, pages: set[int]
) -> dict[str, float]:
    def holds(keys: Iterable[Key]) -> bool:
        return any(name == document and library.rows[name, n].page in pages for name, n in keys)

    documents = list(group_rows(ranking, max(DEPTHS)))
    found: dict[str, float] = {f"doc@{n}": document in documents[:n] for n in DEPTHS}
    found |= {f"page@{n}": holds(ranking[:n]) for n in (5, 10)}
    return found


def open_by_ranking(library: Library, document: str, _: str, ranking: Sequence[Key]) -> Shown:
    """Return the best pages of a document that fit `PAGE_CHARS`, in the order of a ranking."""
    shown: Shown = []
    room = PAGE_CHARS
    for key in ranking:
        if key[0] == document and (chars := len(library.rows[key].text)) <= room:
            room -= chars
            shown.append((library.rows[key].page, library.rows[key].text))
    return shown


def open_as_asked(library: Library, document: str, text: str, _: Sequence[Key]) -> Shown:
    """Return the pages and passages of a document that the product opens for a query."""
    whole = library.texts[document]
    opened = open_best(whole, (), split_name(document), text)
    parts = [part for part in opened if not isinstance(part, str)]
    return [(part.page, whole[part.start : part.end]) for part in parts]


def measure_evidence(question: Any, shown: Iterable[str]) -> float:
    """Return the share of the word groups of a question's best shown evidence that are shown."""
    groups = set().union(*map(_group_words, shown))
    wanted = [_group_words(evidence["evidence_text"]) for evidence in question["evidence"]]
    return max((len(each & groups) / len(each) for each in wanted if each), default=0.0)


def write_queries(question: Any, frequencies: Mapping[str, int]) -> list[str]:
    """Return the question verbatim, and three queries derived from it by rule."""
    text, company = question["question"], question["company"]
    years = " ".join(dict.fromkeys(_YEAR.findall(text)))
    asked = [part for part in _ASKED.findall(text) if len(part.split()) > 4]
    sentence = asked[-1] if asked else re.split(r"(?<=[.!])\s", text)[0]
    statements = [name for name, words in STATEMENTS.items() if re.search(words, text.casefold())]

    def measure_rarity(word: str) -> int:
        return min((frequencies.get(term, 0) or 10**9 for term in list_terms(word)), default=10**9)

    rare = sorted(_list_content(text, company), key=measure_rarity)
    return [
        " ".join(text[:400].split()[:50]),
        f"{company} {years} {' '.join(_list_content(sentence, company)[:5])}",
        f"{company} {years} {' '.join(statements or rare[:4])}",
        " ".join(rare[:5]),
    ]


def _list_content(text: str, company: str) -> list[str]:
    """Return a text's words, without stop words, years and words of the company's name."""
    known = set(list_terms(company))
    return [
        word
        for word in dict.fromkeys(_WORD.findall(text))
        if not (
            _YEAR.search(word)
            or word.isdigit()
            or is_stop_word(word)
            or known & {*list_terms(word)}
        )
    ]


def find_evidence(question: Any, text: str) -> set[int]:
    """Return the pages, counted from 1, that hold a question's evidence: as labelled, and as its words show."""
    groups = [_group_words(page) for page in text.split(PAGE_BREAK)]
    pages: set[int] = set()
    for evidence in question["evidence"]:
        if evidence.get("doc_name", question["doc_name"]) != question["doc_name"]:
            continue
        pages.add(evidence["evidence_page_num"] + 1)
        wanted = _group_words(evidence["evidence_text"])
        shared = [len(wanted & each) for each in groups]
        if best := max(shared):
            pages |= {n for n, count in enumerate(shared, start=1) if count >= OVERLAP * best}
    return pages


def _group_words(text: str) -> set[tuple[str, ...]]:
    words = re.findall(r"\w+", text.casefold())
    return set(zip(words, words[1:], words[2:], words[3:], strict=False))
