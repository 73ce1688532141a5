"""Whether a text names a company, by its ticker or by the leading words of its name.

A doubt counts as named: an article that is read in vain costs little, and its reader says whom it is about.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from domain.evidence.normal_forms import normalize

_LEGAL_FORMS = """
a ab adr ads ag as asa b bv c class co com common companies company corp corporation cos gmbh
group holding holdings inc incorporated kgaa kk limited llc llp lp ltd new nv oyj plc sa se spa
stock the trust
"""
LEGAL_FORMS = frozenset(_LEGAL_FORMS.split())
"""Words at a name's end that texts leave out."""
_GENERIC = """
a advanced air airlines all america american and applied at atlantic auto automatic bancorp
bancshares bank banks best brands british business buy by canada canadian capital central
chemical china chinese city communications community consolidated credit dairy data depot
digital dollar eastern electric electronic electronics energy england entertainment equity
express federal fifth financial first food foods for gas general german global gold great health
healthcare home hotels in india industrial industries insurance interactive international
investment investors it japan life machines markets materials media medical micro mills motor
motors mutual national natural network networks new north northern now of oil old on one pacific
paper partners petroleum pharmaceutical pharmaceuticals power premier products progress
properties property public railway realty republic research resources retail royal science
sciences security semiconductor service services so software solar solutions south southern
standard state states steel stores street super systems tech technologies technology telecom
texas the therapeutics third times tower trade uk union united universal us water west western
world york
"""
GENERIC = frozenset(_GENERIC.split())
"""Words that name no company alone, since headlines on others have them too."""
_GIVEN_NAMES = "charles edwards eli estee henry jack john philip robert walt william"
GIVEN_NAMES = frozenset(_GIVEN_NAMES.split())
"""A founder's first name, before the surname by which texts call the company."""
_ORDINARY_ACRONYMS = "AI AM CEO CFO CO ETF EU EV IPO IT PC PM TV UK UN US USA VR"
ORDINARY_ACRONYMS = frozenset(_ORDINARY_ACRONYMS.split())
"""Tickers that count only where they are marked as such."""
BRANDS = {
    "AXP": ("Amex",),
    "BAC": ("BofA",),
    "BK": ("BNY",),
    "C": ("Citi",),
    "GOOG": ("Google", "YouTube"),
    "GOOGL": ("Google", "YouTube"),
    "KO": ("Coke",),
    "META": ("Facebook", "Instagram", "WhatsApp"),
    "PEP": ("Pepsi",),
    "RTX": ("Raytheon",),
}
"""Names by which texts call a company that its registered name does not have."""
_SHORT = 3
_JOINED = 6
"""Characters from which on words written apart may be one, as `JP Morgan`: shorter ones meet by chance."""
_WORD = re.compile(r"[^\W_]+(?:['&][^\W_]+)*'?")
_STATE = re.compile(r"\s{0,5}/[A-Za-z ]{2,8}/?\s{0,5}$")
_INITIALS = re.compile(r"[A-Z]{1,2}")
NO_INITIALS = ORDINARY_ACRONYMS | {"A", "I"}
"""Short words in capitals that can precede a name without being part of it."""


class _Word(NamedTuple):
    """A word as written, and its normal form for comparison."""

    written: str
    form: str

    @property
    def is_lower(self) -> bool:
        return self.written == self.written.lower() != self.written.upper()


class _Phrase(NamedTuple):
    """Leading words of a name; one that the name itself writes in lower case is found so too."""

    words: tuple[str, ...]
    may_be_lower: bool = False


def names_company(text: str, name: str, ticker: str) -> bool:
    """Return whether a text may name a company; without a known name every text does.

    A text in another script than the name's may write it in a way that cannot be compared.
    """
    phrases = [*_list_phrases(name)]
    if not phrases:
        return True
    letters = [letter for letter in text if letter.isalpha()]
    latin = sum("LATIN" in unicodedata.name(letter, "") for letter in letters)
    if 2 * latin < len(letters) or _has_ticker(text, ticker):
        return True
    words = [*_split(text.title() if text == text.lower() else text)]
    brands = [
        _Phrase((form,)) for brand in BRANDS.get(ticker.upper(), ()) for _, form in _split(brand)
    ]
    return any(
        _is_at(words, n, phrase) for phrase in (*phrases, *brands) for n in range(len(words))
    ) or any(word.written == initials for initials in _list_initials(name) for word in words)


def _list_phrases(name: str) -> Iterator[_Phrase]:
    """Yield the leading words of a name that distinguish it from others: generic words up to its first own word."""
    words = [*_split(_STATE.sub("", name))]
    if words and words[0].form == "the":
        words = words[1:]
    core = [*words]
    while len(core) > 1 and core[-1].form in LEGAL_FORMS:
        core.pop()
    if len(core) == 1 and _is_generic(core[0].form):
        core = words[:2]
    forms = tuple(word.form for word in core)
    own = next((n for n, form in enumerate(forms) if not _is_generic(form)), len(forms) - 1)
    if forms:
        first = core[0]
        count = max(own + 1, 2) if forms[0] in GIVEN_NAMES and forms[1:] else own + 1
        yield _Phrase(forms[:count], first.is_lower)
        yield _Phrase(forms, first.is_lower)  # as one word too: `ExxonMobil`
        if forms[0] in GIVEN_NAMES and forms[1:]:
            yield _Phrase(forms[1:2])
        if len(forms) == 2 and forms[1] in ("co", "company"):
            yield from (_Phrase((forms[0], last)) for last in ("co", "company"))


def _is_generic(form: str) -> bool:
    return form in GENERIC or len(form) == 1


def _split(text: str) -> Iterator[_Word]:
    """Yield a text's words without accents, apostrophes and `and`, which names write as they like."""
    plain = unicodedata.normalize("NFKD", normalize(text))
    bare = "".join(letter for letter in plain if not unicodedata.combining(letter))
    joined = re.sub(r"\bUnited States\b", "US", bare, flags=re.IGNORECASE)
    for found in _WORD.findall(joined):
        form = re.sub(r"['&]", "", found).casefold()
        if form != "and":
            yield _Word(found, form)


def _is_at(words: Sequence[_Word], n: int, phrase: _Phrase) -> bool:
    """Return whether a phrase starts at a capitalized word that no initials precede, as they would in another name."""
    wanted = "".join(phrase.words)
    is_short = len(wanted) <= _SHORT and not phrase.words[0].isdigit()
    if words[n].is_lower and not phrase.may_be_lower:
        return False
    before = words[n - 1].written if n else ""
    if len(phrase.words) == 1 and _INITIALS.fullmatch(before) and before not in NO_INITIALS:
        return False
    so_far = ""
    for count, word in enumerate(islice(words, n, n + len(wanted)), start=1):
        endings = {word.form, *_strip_ending(word)}
        is_spelled = count == len(phrase.words) or len(wanted) >= _JOINED
        if is_spelled and wanted in {so_far + ending for ending in endings}:
            return not (is_short and word.is_lower)
        so_far += word.form
        if not wanted.startswith(so_far):
            return False
    return False


def _strip_ending(word: _Word) -> Iterator[str]:
    """Yield a word without the ending of a genitive."""
    if word.written.casefold().endswith(("'s", "s'")) or word.form.endswith("s"):
        yield word.form[:-1]


def _list_initials(name: str) -> Iterator[str]:
    """Yield the initials by which texts may call a company of several words: `AMD`, `TSMC`, `P&G`."""
    words = [*_split(_STATE.sub("", name))]
    core = [*words]
    while core and core[-1].form in LEGAL_FORMS:
        core.pop()
    if len(core) >= _SHORT:
        initials = "".join(word.form[0].upper() for word in words)
        yield from {initials[: len(core)], initials[: len(core) + 1]}
    if "&" in name and len(core) == 2:
        yield f"{core[0].form[0].upper()}&{core[1].form[0].upper()}"


def _has_ticker(text: str, ticker: str) -> bool:
    """Return whether a text has a ticker as a word; one letter is none, and an acronym must be marked as a ticker."""
    written = ticker.upper()
    if len(written) < 2:
        return False
    spelled = re.escape(written).replace(r"\-", "[.-]").replace(r"\.", "[.-]")
    if written in ORDINARY_ACRONYMS:
        return bool(re.search(rf"(?:\$|\(|: ?){spelled}\b", text))
    is_shouted = text == text.upper()
    return not is_shouted and bool(re.search(rf"(?<![\w.-]){spelled}(?![\w-]|\.\w)", text))
