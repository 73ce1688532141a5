"""Runs what the product does with foreign texts over texts of one token, and finds what grows faster."""

import contextlib
from collections.abc import Callable, Iterable

from activities.parsing.document import Unreadable, clean
from activities.parsing.html.captcha_and_consent_walls import find_wall
from activities.parsing.html.tables import narrow_tables
from activities.parsing.pdf.directions import arrange_directions, list_signs, read_line
from activities.parsing.pdf.lines import make_line
from activities.parsing.pdf.paragraphs import TextPart, close_hyphens
from activities.parsing.read_document import read_document
from activities.parsing.superscripts import separate_raised
from activities.parsing.text.dates import find_stated_day
from activities.parsing.text.encodings import decode
from api.reports.html import render_page
from contracts.evidence.claims import Citation, Claim
from contracts.phases.typed_answers import CompanyAction
from contracts.report.checks import Gap
from contracts.report.document import Document
from contracts.report.patches import Patch, PlacedClaim
from contracts.report.report import Comparison, ComparisonRow, Report, Section
from domain.company.news import find_repeats
from domain.evidence.claim_check import check_claims
from domain.evidence.figures.notation.dates import parse_dates
from domain.evidence.figures.notation.figure_parser import parse_figures
from domain.evidence.figures.notation.quantities import read_quantities
from domain.evidence.figures.notation.scales import list_scales
from domain.evidence.figures.unfounded_figures import KnownFigures
from domain.evidence.normal_forms import fold, normalize
from domain.evidence.pages.cited_page import CitedPage, describe_pages
from domain.evidence.quotes import Snapshot
from domain.own_numbers import leave_out_own_numbers
from domain.report.changes.patches import apply_patch, leave_out_patches, place_patch
from domain.report.changes.repeats import drop_repeated
from domain.report.changes.report_diff import diff_reports
from domain.report.claims.claim_index import ToldClaims
from domain.report.context import ReportContext
from domain.report.document_builder import build_document
from domain.report.formats.markdown import write_markdown
from domain.report.gaps.kept_gaps import list_new_lines
from domain.report.gaps.listed_gaps import list_found
from domain.report.parts.details import Details
from domain.report.parts.paragraphs import split_paragraphs
from domain.retrieval.document_names import says_nothing
from domain.retrieval.document_rows import Row, split_rows
from domain.retrieval.row_passages import find_passages
from domain.retrieval.row_ranking import count_row
from domain.retrieval.search_words import parse_query
from domain.retrieval.shown_parts import open_best, open_section
from domain.sources.urls import find_urls
from domain.text_matching.question_match import find_difference, is_same_question
from tests.growth.measure import find_growth

CHARS = 2_000
QUOTE = "Cash was 301,958 in 2024."


def _check(text: str) -> object:
    """Check a claim that quotes the end of a page of this text."""
    claim = Claim(text=QUOTE, citations=[Citation(source=1, quote=QUOTE)])
    return check_claims([claim], {1: CitedPage("T", Snapshot(f"{text}\n\n{QUOTE}"))})


def _find_nearest(text: str) -> object:
    return Snapshot(text).find_nearest(QUOTE)


def _read(media_type: str) -> Callable[[str], object]:
    def read(text: str) -> object:
        with contextlib.suppress(Unreadable):
            return read_document(text.encode(), media_type)
        return None

    return read


def _read_leftward(text: str) -> object:
    """Read a line of a PDF with these characters between Hebrew letters, in one word and as words."""
    shown = f"\u05d0{text}\u05d0 {text}"
    lefts, zeros, tens = [*range(len(shown))], [0] * len(shown), [10] * len(shown)
    signs = [*list_signs(shown, 0, [lefts, zeros, [left + 1 for left in lefts], zeros, tens])]
    y, height, words = read_line(signs, on_leftward=True)
    line = make_line(
        y, height, [*words, *[(n, n + 1, char) for n, char in enumerate(text, len(signs))]], 0
    )
    arrange_directions([line], on_leftward=True)
    return line.text


def _write(texts: Iterable[str]) -> tuple[Report, ReportContext]:
    claims = [Claim(text=text, citations=[Citation(source=1, quote=text)]) for text in texts]
    sections = [Section(heading="T", claims=claims, missing="\n".join(texts), account=QUOTE)]
    return Report(title="T", sections=sections), ReportContext([])


def _name_unfounded(text: str) -> str:
    """Compare a line for each character with as many sentences of a report."""
    told = (f"{char} {QUOTE}" for char in text)
    lines = (f"What {char} cost in 2024, of 301,958" for char in text)
    return KnownFigures(told).name_unfounded("\n".join(lines), "en")


def _build(text: str) -> Document:
    return build_document(*_write([text]))


def _diff_lines(text: str) -> object:
    changed = (f"{char}\n{n}" for n, char in enumerate(text))
    return diff_reports(_write(text), _write(changed), "a", "b")


def _build_linked(text: str) -> object:
    """Build a report whose sentences, gaps and cells all share a passage and rest on their predecessors."""
    claims, gaps = list[Claim](), list[Gap]()
    for n, char in enumerate(text):
        cited = [Citation(source=1, quote=QUOTE), Citation(source=n + 1, quote=f"{char}{n}")]
        last = [f"s{n - 1}"] if n % 2 else []
        sum_ = {"expression": "1 + 2", "working": "1 + 2 = 3"}
        claims.append(
            Claim(text=f"{char} of 301,958 it.", citations=cited, id=f"s{n}", rests_on=last, **sum_)  # type: ignore[arg-type]
        )
        gaps.append(Gap(place="T", line=f"{char}{n}", verdict="partly", left=char))
    cell = Claim(text=QUOTE, citations=[], rests_on=[claim.id for claim in claims])
    table = Comparison(
        columns=["Cash"], rows=[ComparisonRow(label=c.text, cells=[c]) for c in claims[::2]]
    )
    report = Report(
        title="T",
        comparison=table.model_copy(
            update={"rows": [*table.rows, ComparisonRow(label="All", cells=[cell])]}
        ),
        sections=[Section(heading="T", claims=claims, missing="\n".join(g.line for g in gaps))],
        answer=Section(heading="Answer", claims=claims[::3]),
        gaps=gaps,
        searches=[],
    )
    return build_document(report, ReportContext([], has_appendix=False))


def _patch_lines(text: str) -> object:
    """Replace each other sentence of a section, and take the new ones out again."""
    report, _ = _write(f"{char}{n}" for n, char in enumerate(text))
    new, _ = _write(f"{n} {char}" for n, char in enumerate(text))
    claims, added = report.sections[0].claims, new.sections[0].claims
    patch = Patch(
        number=1,
        section="T",
        removed=[PlacedClaim(at=n, claim=claim) for n, claim in enumerate(claims) if n % 2],
        added=[PlacedClaim(at=n, claim=claim) for n, claim in enumerate(added)],
        missing="\n".join(text),
    )
    kept, _ = drop_repeated(patch, report)
    placed = place_patch(kept, report, claims[::3])
    return leave_out_patches(apply_patch(report, placed), [placed])


def _find_told(text: str) -> object:
    """Look up sentences that all contain the figure but cite only one of the two wanted passages."""
    claims = [
        Claim(text=f"{char} of 5", citations=[_cite(3), _cite(n % 2)])
        for n, char in enumerate(text)
    ]
    told, wanted = ToldClaims(claims), Claim(text="5", citations=[_cite(0), _cite(1)])
    return [told.find(wanted) for _ in text]


def _cite(start: int, size: int = 1) -> Citation:
    return Citation(source=1, quote=QUOTE, start=start, end=start + size)


def _list_new_lines(text: str) -> object:
    """Look up gaps of which every other one is listed."""
    lines = [f"{char}{n}" for n, char in enumerate(text)]
    return list_new_lines(lines, lines[::2])


def _list_found(text: str) -> object:
    """Look up passages that end before or begin after quotes of the same page."""
    claims = [Claim(text=char, citations=[_cite(2 * n)]) for n, char in enumerate(text)]
    gaps = [Gap(place="T", line=char, found=[_cite(2 * n, 2)]) for n, char in enumerate(text)]
    return list_found(Report(title="T", sections=[Section(heading="T", claims=claims)], gaps=gaps))


def _split_paragraphs(text: str) -> object:
    """Split sentences that all compute from the previous sentences' passage, and so form one paragraph."""
    cited = [Citation(source=1, quote=QUOTE)]
    claims = [Claim(text=char, citations=cited, expression="1 + 2") for char in text]
    return list(split_paragraphs(claims, [""] * len(claims), Details(None, claims, [])))


def _leave_out_own_numbers(text: str) -> object:
    """Leave out a chain of conclusions whose first sentence has a number of its own."""
    chain = [
        Claim(text=f"So it {char}.", citations=[], id=f"c{n}", rests_on=[f"c{n - 1}"])
        for n, char in enumerate(text[1:], start=1)
    ]
    first = Claim(text="We ask for 9.7%.", citations=[], id="c0", assumed=True)
    answer = [first, *reversed(chain)]
    _, left = leave_out_own_numbers(list[CompanyAction](), answer, [QUOTE], "2026-11-29")
    assert not left
    return left


OF_MANY_ITEMS: dict[str, Callable[[str], object]] = {
    "apply_patch": lambda text: _patch_lines(text[::8]),
    "build_document of linked claims": lambda text: _build_linked(text[::32]),
    "diff_reports of lines": lambda text: _diff_lines(text[::4]),  # each is a claim
    "find told claims": _find_told,
    "list_found": lambda text: _list_found(text[::4]),
    "leave_out_own_numbers": _leave_out_own_numbers,
    "list_new_lines": _list_new_lines,
    "name_unfounded": lambda text: _name_unfounded(text[::4]),
    "split_paragraphs": lambda text: _split_paragraphs(text[::2]),
}
"""Functions whose time depends on the number of sentences or lines, not on their text: few tokens suffice."""

ITEM_TOKENS = ("1",)

FUNCTIONS: dict[str, Callable[[str], object]] = {
    "check_claims": _check,
    "describe_pages": lambda text: describe_pages(
        {1: CitedPage("T", Snapshot(text))}, {1: [(len(text) - 9, len(text))]}, 500
    ),
    "decode": lambda text: decode(text.encode("cp1252", "replace") + b"\xe9"),
    "count_row": lambda text: count_row(text, text, text),
    "diff_reports": lambda text: diff_reports(_write([text]), _write([text[::-1]]), "a", "b"),
    "clean": clean,
    "close_hyphens": lambda text: close_hyphens(
        [TextPart(f"{text} co\ufffeast {text}", make_line(0, 1, [], 0))]
    ),
    "find_difference": lambda text: find_difference(text, text[1:] + "b"),
    "find_nearest": _find_nearest,
    "find_passages": lambda text: find_passages(
        Row(0, len(text), None, "", text), parse_query(f"{QUOTE} {text[:400]}")
    ),
    "find_repeats": lambda text: find_repeats([text], [text[1:]]),
    "find_wall": lambda text: find_wall(text, text),
    "find_stated_day": find_stated_day,
    "separate_raised": separate_raised,
    "find_urls": lambda text: list(find_urls(text)),
    "fold": fold,
    "is_same_question": lambda text: is_same_question(text, text),
    "list_scales": list_scales,
    "narrow_tables": narrow_tables,
    "normalize": normalize,
    "parse_dates": parse_dates,
    "parse_figures": lambda text: list(parse_figures(text)),
    "read_csv": _read("text/csv"),
    "read_html": _read("text/html"),
    "read_json": lambda text: _read("application/json")(f'{{"a": [{text}, "{text}"]}}'),
    "read_leftward": _read_leftward,
    "read_mail": lambda text: _read("message/rfc822")(f"From: {text}\nTo: {text}\n\n{text}"),
    "read_markdown": _read("text/markdown"),
    "read_quantities": read_quantities,
    "read_text": _read("text/plain"),
    "render_page": lambda text: render_page(_build(text)),
    "write_markdown": lambda text: write_markdown(_build(text)),
    "open_best": lambda text: open_best(
        text * 6, (), "", f"{QUOTE} {text[:400]}"
    ),  # long ones alone
    "open_section": lambda text: open_section(text, (), text[:200]),
    "parse_query": parse_query,
    "says_nothing": says_nothing,
    "snapshot": lambda text: Snapshot(text).find(text[: len(text) // 2][:1_999]),
    "split_rows": split_rows,
}


def find_grown_functions(tokens: tuple[str, ...]) -> list[tuple[str, str, float]]:
    """Return name, token and ratio for each function whose time grows faster than its text."""
    return _find_grown(FUNCTIONS, tokens)


def find_grown_functions_of_items(tokens: tuple[str, ...]) -> list[tuple[str, str, float]]:
    """Return name, token and ratio for each function whose time grows faster than the number of items."""
    return _find_grown(OF_MANY_ITEMS, tokens)


def _find_grown(
    functions: dict[str, Callable[[str], object]], tokens: tuple[str, ...]
) -> list[tuple[str, str, float]]:
    for each in functions.values():
        each("Warm up: 301,958 USD in 2024.\n\n| a |\n|-|\n| 1 |")
    grown = []
    for name, function in functions.items():
        for token in tokens:
            if ratio := find_growth(function, token, CHARS):
                grown.append((name, token, round(ratio, 1)))
                break
    return grown
