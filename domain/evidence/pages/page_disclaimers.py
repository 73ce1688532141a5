"""Notices of a page that its text is invented, disputed, outdated, or someone else's words."""

import math
import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from operator import itemgetter
from typing import NamedTuple

from domain.evidence.quotes import Span
from domain.evidence.sentences import find_introduced_end, introduces

_SHOWN = 300
"""Characters of a notice that are shown, at most; one that reaches beyond its section has no more."""

_BEFORE = 150
"""Maximum number of these before the word that makes it a notice."""

_BRIEF = 120
"""Characters of a sentence that is about all that follows, or all above, in other sections too, at most."""

_SUBJECT = 40
"""A sentence names the text that it introduces within this many characters."""

_SECTION = 20_000
"""Characters above and below a notice that it holds for, at most, unless it opens or ends the page."""

_OPENING = 2_000
"""Characters at the beginning of a page in which a notice of the page holds for all of it."""

_NEAR = 100
"""Characters between what a notice is about and the word that makes it one, at most."""

_PART = 600
"""Characters of a text without an end of a sentence that are read together."""

_LABEL = 60
"""Maximum length of a line that labels what follows, such as `Satire` or `DRAFT – do not cite`."""

_END = re.compile(
    r"^[ \t]*+#{1,6}[ \t][^\n]*+|^[ \t]*+\|[^\n]*+"
    r"|[.!?][\"'”’»)\]*_]{0,3}\s++(?![a-zß-öø-ÿ])|(?<=:)[*_]{0,3}\s++|[。！？｡]"
    r"|\n(?>(?:[ \t]*+\n)+)|\n(?=[ \t]*+(?:[|#>]|[-*•][ \t]))",
    re.MULTILINE,
)
"""A heading, a table row, or the probable end of a sentence."""


def _compile(**kinds: tuple[str, ...]) -> re.Pattern[str]:
    groups = (f"(?P<{name}>{'|'.join(words)})" for name, words in kinds.items())
    return re.compile(rf"\b(?:{'|'.join(groups)})\b")


_TELLING = _compile(
    invented=(
        r"invented|made[ -]up|fiction\w*|fictiti\w+|imagin\w+|satir\w+|parod\w+|hoax\w*|spoofs?|jok(?:es?|ing)|pranks?"
        r"|april fool\w*|hypothe\w+|(?<!for )examples?|illustrative|for illustration|scenarios?|role[ -]?play\w*"
        r"|fabricat\w+|fantas(?:y|ies)|fairy tales?|short stor(?:y|ies)|thought experiments?|placeholders?|dummy"
        r"|not real|(?:did not|never) happen(?:ed)?|pretend\w*|simulat\w+|resemblance",
        r"erfunden\w*|ausgedacht\w*|erdacht\w*|fikti\w+|satiren?|parodie\w*|\w*scherz\w*|(?<!zum )beispiel\w*"
        r"|märchen|kurzgeschichten?|gedankenexperiment\w*|gefälscht\w*|szenari\w+|falschmeldung\w*",
        r"invent[ée]\w*|fictifs?|fictives?|canulars?|(?<!par )exemples?|blagues?|poisson d['’]avril|contes?"
        r"|récit imaginaire|scénarios?",
        r"inventad\w+|ficci\w+|sátir\w+|bromas?|bulos?|hipot\w+|hipót\w+|(?<!por )ejemplos?|cuentos?|escenarios?",
    ),
    disputed=(
        r"rumou?rs?|rumou?red|false\w*|untrue|(?:not|nothing|none|neither|never|n['’]t)(?: \w+){0,4}? (?:true|correct|accurate)"
        r"|incorrect|inaccurate|wrong|debunk\w*|den(?:y|ies|ied)|refut\w+|unconfirmed|unverified|unproven"
        r"|disputed|misleading|conspiracy|[md]isinformation|myths?|alleg\w+",
        r"falsch\w*|unwahr\w*|nichts?(?: \w+){0,4}? (?:wahr|richtig|korrekt|belegt|bestätigt)|gerüchte?n?|bestreite\w*"
        r"|bestritt\w*|widerleg\w+|dementier\w+|unbestätigt\w*|behauptungen|angeblich\w*|lügen?|irrt(?:um|ümer)\w*"
        r"|mythos|mythen",
        r"faux|fausses?|rumeurs?|pas(?: \w+)? (?:vrai|exact|confirmé)\w*|démen\w+|contesté\w*|infondé\w*|mensong\w+"
        r"|réfut\w+|mythes?|prétendu\w*",
        r"fals[ao]\w*|rumor(?:es)?|no (?:es|son)(?: \w+)? (?:ciert|verdad|correct|real)\w*|desm(?:ien|in|en)t\w+|nieg\w+"
        r"|mentiras?|infundad\w+|mitos?|supuest[ao]s?",
    ),
    dated=(
        r"outdated|out[ -]of[ -]date|obsolete|superseded|no longer|archived|drafts?|preliminary|provisional|withdrawn"
        r"|retracted|not(?: been)? (?:updated|reviewed|maintained|audited)|unaudited|unreviewed",
        r"veraltet\w*|überholt\w*|nicht mehr|\w*(?<!über)ungeprüft\w*|\w*entwurf\w*|\w*entwürfe\w*|vorläufig\w*|zurückgezogen\w*",
        r"périmé\w*|obsolètes?|dépassé\w*|n['’]est plus|ne sont plus|brouillons?|provisoires?|ébauches?",
        r"obsolet\w+|desactualizad\w+|anticuad\w+|ya no|borrador(?:es)?|provisional(?:es)?|retirad[ao]s?",
    ),
    forward=(
        r"forward[ -]looking|differ (?:materially|substantially|significantly)",
        r"zukunftsgerichtet\w*|zukunftsbezogen\w*|(?:wesentlich|erheblich|deutlich) (?:\w+ ){0,5}?abweichen",
        r"(?:déclarations|énoncés|informations) prospecti\w+|différer (?:\w+ ){0,2}?(?:sensible|matérielle|considérable|significative)ment",
        r"(?:declaraciones|manifestaciones) (?:prospectivas|a futuro)|diferir (?:material|sustancial|significativa|considerable)mente",
    ),
    announced=(
        r"claim(?:s|ed|ing)?|assert(?:s|ed)?|argu(?:es?|ed)|say|says|said|stat(?:es|ed)|writ(?:es|ing)|wrote|believ(?:es?|ed)"
        r"|according to|critics|opponents|insists?|promis(?:es|ed)|accus\w+|complain\w*|told",
        r"behaupte\w*|sagte?n?|sagt|schreib(?:t|en)|schrieb\w*|mein(?:t|en|te|ten)|glaub(?:t|en)|kritiker\w*|laut|zufolge"
        r"|erklär(?:t|te|en|ten)|gegner\w*|wirft|werfen",
        r"affirm\w+|prétend(?:ent)?|disent|dit|écri(?:t|vent)|selon|d['’]après|critiques|déclar\w+|soutien\w+|accus\w+",
        r"afirma\w*|dicen?|dijo|dijeron|según|sostien\w+|críticos|escrib\w+|asegura\w*|declar\w+|alega\w*",
    ),
)
"""Phrases of a page about its own text, by kind, in lower case: ignoring case takes three times as long."""

_NO_TIME = r"(?! (?:an?|the|his|her|its|their|several|many|years?|months?|weeks?|days?|quarters?|decades?)\b)"
"""Not as in “in the following year”, or “withdrawn following a cease-fire”."""

_SCOPE = re.compile(
    r"\b(?:(?:web)?pages?|(?:web)?sites?|articles?|stor(?:y|ies)|texts?|posts?|sections?|chapters?|paragraphs?|passages?"
    rf"|documents?|reports?|releases?|essays?|lists?|columns?|follows|following{_NO_TIME}|below|next|rest|everything|anything|nothing|all|none"
    r"|contents?|statements?|claims|names|persons|characters|events|(?:this|these|it|what|that|here) (?:is|are|was|were)"
    r"|(?:web)?seiten?|artikels?|beitr[aä]g\w*|geschichten?|kurzgeschichten?|abschnitt\w*|kapitels?|absatz|dokument\w*|folgen(?:d\w*|de)?|folgt|nachfolgend\w*"
    r"|unten|nächste\w*|alles|alle|nichts|inhalte?|aussagen|namen|personen|hier|(?:dies|das|es) (?:ist|sind|war)|was (?:hier|folgt|sie|man|du|ihr|wir)"
    r"|pages?|sites?|textes?|histoires?|récits?|sections?|chapitres?|suivante?s?|suit|suivent|dessous|tout(?:es)?|tous|rien|contenus?"
    r"|noms|personnages|(?:ceci|cela|ce|il) (?:est|sont)|c['’]est|ce qui"
    r"|páginas?|sitios?|artículos?|historias?|relatos?|textos?|secci(?:ón|ones)|capítulos?|documentos?|siguientes?|sigue|abajo"
    r"|continuación|tod[oa]s?|nada|contenidos?|nombres|personajes|est[oae] (?:es|son)|lo que)\b",
    re.IGNORECASE,
)
"""Words that show that a sentence is about the page, a part of it, or the text that follows."""

_FOLLOWING = re.compile(
    rf"\b(?:following{_NO_TIME}|follows|below|folgend\w*|folgt|nachfolgend\w*|unten|suivante?s?|suit|suivent|ci-dessous|siguientes?|sigue"
    r"|a continuación)\b|:[*_]{0,3}\s*\Z",
    re.IGNORECASE,
)
"""Words and marks of a sentence that introduces the sentences after it."""


_OF_WHOLE = re.compile(
    r"\b(?:(?:this|our|these) (?:\w+ ){0,2}?(?:(?:web)?(?:page|site)s?|articles?|stor(?:y|ies)|texts?|posts?|documents?|reports?"
    r"|releases?|essays?|columns?|pieces?|newsletters?|blogs?|interviews?|notices?)(?!\s(?-i:[A-Z\d]{1,3})\b)|(?:on|of) (?:the|this) (?:web)?(?:page|site)"
    r"|everything|nothing|above|foregoing|preceding|(?:have|just) read"
    r"|diese[rsmn]? (?:\w+ ){0,2}?(?:(?:web)?seiten?|artikels?|beitr[aä]g\w*|geschichten?|textes?|berichte?s?|dokuments?|meldung)"
    r"|alles|nichts|oben|obig\w*|vorstehend\w*|gelesen"
    r"|(?:cet?|cette) (?:\w+ ){0,2}?(?:pages?|sites?|textes?|articles?|histoires?|récits?|documents?|billets?)|tout (?:ce|ceci|cela|est|ici)|rien de|ci-dessus|précède\w*"
    r"|est[ae] (?:\w+ ){0,2}?(?:páginas?|sitios?|textos?|artículos?|historias?|relatos?|documentos?)|todo (?:es|esto|lo)|nada de|arriba|antecede|precede)\b"
    r"|\A\W*(?:all|any|alle|sämtliche|tous|toutes|todos|todas)\b",
    re.IGNORECASE,
)
"""Words that show that a sentence is about the whole page, including the text above it."""

_BARE = re.compile(
    r"\W*(?:this|it|what (?:you|we) \w+ here|dies|das|hier|ceci|cela|c['’]|ce|est[aeo])\W?\s?(?:is|are|was|were|ist|sind|war|est|es|son)\b",
    re.IGNORECASE,
)
"""The beginning of a sentence that is about the page without naming it: `This is satire.`"""

_NEGATION = re.compile(
    r"\b(?:not(?! (?:only|just|merely))|no|nor|never|neither|without|nicht|keine?|ni|sans|sin)\b[^.:;]{0,60}\Z"
)
_FAULTS = re.compile(
    r"false\w*|untrue|incorrect|inaccurate|wrong|misleading|falsch\w*|unwahr\w*|faux|fausses?|fals[ao]\w*"
)
"""Words that mean the contrary after a negation: `not misleading`, `no untrue statement`."""

_ASIDE = re.compile(r"\([^()]*+\)")

_ABOVE = re.compile(
    r"above|foregoing|preceding|oben|obig\w*|vorstehend\w*|ci-dessus|précède\w*|arriba|antecede|precede",
    re.IGNORECASE,
)
"""Words that may also point to one thing above, as a long sentence does: `described under “Defaults” above`."""

_AHEAD = re.compile(
    r"\b(?:next|rest|remainder|nächst\w+|prochain\w*|reste|próxim\w+|resto)\b", re.IGNORECASE
)
"""Further words (see `_FOLLOWING`) of a sentence that is about what follows it."""

_REACHING_UP = frozenset({"invented", "disputed", "dated"})
"""Kinds of notices that may apply to the text above them."""

_INTRODUCED = "introduced"
"""Kind of a notice that ends with a colon, and holds for the paragraph, list or table below it alone."""

_TAIL = 600
"""A notice within this many characters of the page's end applies to the whole page."""

_ENDED = {
    "invented": r"stor(?:y|ies)|tales?|fiction|satire|parody|hoax|jokes?|examples?|scenarios?|simulation|thought experiment"
    r"|geschichten?|erzählung|satire|märchens?|beispiels?|scherzes|parodie|szenarios?|histoires?|récits?|contes?|exemples?"
    r"|scénario|historias?|relatos?|cuentos?|ficción|sátira|ejemplos?|escenario",
    "disputed": r"rumou?rs|myths|allegations|gerüchte|mythen|behauptungen|rumeurs|mythes|allégations|rumores|mitos|bulos",
    "dated": r"draft|archives?|old (?:notice|version|text)|entwurfs?|archivs?|brouillon|borrador|archivo",
    "announced": r"quot(?:e|ation)|statement|letter|speech|zitate?s?|briefe?s?|erklärung|citation|lettre|déclaration|cita|carta|declaración",
}
_ENDINGS = {
    kind: re.compile(
        rf"\W*(?:(?:the )?end of (?:the |this |our |my )?(?:\w+ )?(?:{words})"
        rf"|(?:and |so )?(?:here|there) (?:the|this|our|my) (?:\w+ )?(?:{words}) (?:ends?|stops?|is over)"
        rf"|(?:the|this|our|my) (?:\w+ )?(?:{words}) (?:(?:ends?|stops?) here|is over|has ended)"
        rf"|ende (?:der|des|dieser|dieses) (?:\w+ )?(?:{words})|hier ende[nt] (?:die|das|der) (?:\w+ )?(?:{words})"
        rf"|(?:die|das|der) (?:\w+ )?(?:{words}) (?:ende[nt] hier|ist (?:hier )?zu ende)"
        rf"|fin (?:de la |de l['’]|du |des |de cette |de ce )(?:{words})"
        rf"|ici (?:finit|se termine|s['’]achève) (?:la |le |l['’])(?:{words})"
        rf"|fin (?:de la |del |de los |de las |de este |de esta )(?:{words})"
        rf"|aquí (?:termina|acaba)n? (?:la |el |los |las )(?:{words}))\W*",
        re.IGNORECASE,
    )
    for kind, words in _ENDED.items()
}
"""Sentences that end the effect of a notice of the kind."""
_MAX_ENDING = 120
"""Maximum length of such a sentence."""


_HEADING = re.compile(r"(?:\A|(?<=\n)(?=##)|(?<=\n\n))(#{1,6})[ \t]")
"""The beginning of a heading; a single `#` needs an empty line before it, since it begins a comment in code."""


class PageNotice(NamedTuple):
    """A page's statement about its own text.

    Unless it is about the whole page, it applies up to the next heading of at least its section's level. With
    `of_whole` it also applies to the text above, from `since` on. With `ends` it only ends its kind.
    """

    start: int
    kind: str
    text: str
    of_whole: bool = False
    ends: bool = False
    since: float = 0
    until: float = math.inf
    is_cut: bool = False
    """Whether it is part of a longer sentence, so that it may not be a notice."""


def list_notices(text: str) -> dict[str, list[PageNotice]]:
    """Return the notices of a page by kind, in their order; a sentence can be of several kinds."""
    found: dict[str, list[PageNotice]] = {}
    lowered = _lower(text)
    headings = [(m.start(), len(m[1])) for m in _HEADING.finditer(text)]
    ends = _list_section_ends([level for _, level in headings])
    n = 0
    for start, end in _split(text):
        while n < len(headings) and headings[n][0] <= start:
            n += 1
        closing = ends[n - 1] if n else len(headings)
        until = headings[closing][0] if closing < len(headings) else math.inf
        kind = _find_ended(text[start : min(end, start + _MAX_ENDING + 1)])
        ended = [PageNotice(start, kind, "", ends=True)] if kind in found else []
        for notice in ended or _read(text, lowered, start, end, until):
            found.setdefault(notice.kind, []).append(notice)
    return found


def find_governing(notices: Sequence[PageNotice], at: int) -> PageNotice | None:
    """Return the last notice of one kind above an offset that still applies there, or None."""
    for n in range(bisect_left(notices, at, key=itemgetter(0)) - 1, -1, -1):
        if notices[n].ends or (notices[n].kind == _INTRODUCED and notices[n].start < at - _SECTION):
            return None
        if at < notices[n].until:
            return notices[n]
    return None


def _list_section_ends(levels: Sequence[int]) -> list[int]:
    """Return for each heading which one ends its section: the next of its level or above; else their number."""
    ends = [len(levels)] * len(levels)
    open_ones: list[int] = []
    for n, level in enumerate(levels):
        while open_ones and levels[open_ones[-1]] >= level:
            ends[open_ones.pop()] = n
        open_ones.append(n)
    return ends


def _find_ended(sentence: str) -> str:
    """Return the kind of notice that a sentence ends, or an empty string."""
    if len(sentence) > _MAX_ENDING:
        return ""
    return next((kind for kind in _ENDINGS if _ENDINGS[kind].fullmatch(sentence)), "")


def _lower(text: str) -> str:
    """Return a text in lower case, each character at its place."""
    lowered = text.lower()
    return lowered if len(lowered) == len(text) else "".join(char.lower()[0] for char in text)


def _read(text: str, lowered: str, start: int, end: int, until: float) -> Iterator[PageNotice]:
    """Yield what a sentence says of the page's words, once for each kind; `until` is where its section ends."""
    told = {
        match.lastgroup or "": match.start()
        for match in _TELLING.finditer(lowered, start, end)
        if not _is_negated(lowered, match, start)
    }
    sentence = text[start:end]
    if introduces(sentence):
        told.setdefault("announced", end)
    if not told:
        return
    follows = bool(_FOLLOWING.search(sentence))
    is_titled = follows or _is_label(text, start, end)
    for kind, at in told.items():
        is_about = is_titled or kind == "forward" or bool(_find_near(_SCOPE, sentence, at - start))
        if follows if kind == "announced" else is_about:
            of_whole = kind in _REACHING_UP and _is_of_whole(text, start, end, at)
            is_far = of_whole or (kind in _REACHING_UP and _reaches_on(sentence, at - start))
            is_opening, is_last = start < _OPENING, start >= len(text) - _TAIL
            limit = math.inf if is_far and is_opening else start + _SECTION
            limit = limit if is_far else min(until, limit)
            since = 0 if is_opening or is_last else start - _SECTION
            is_open = kind == "announced" and sentence.rstrip("*_ ").endswith(":")
            close = find_introduced_end(text, end, _SECTION) if is_open else None
            if close is not None:
                kind, limit = _INTRODUCED, min(limit, close)
            if limit > end:
                is_cut = end - start > _SHOWN
                shown = _show(text, start, end, at)
                yield PageNotice(
                    start, kind, shown, of_whole, since=since, until=limit, is_cut=is_cut
                )


def _find_near(words: re.Pattern[str], sentence: str, at: int) -> re.Match[str] | None:
    """Return the first of some words near an offset of a sentence."""
    found = words.search(sentence, max(at - _NEAR, 0))
    return found if found and found.start() <= at + _NEAR else None


def _is_negated(lowered: str, match: re.Match[str], start: int) -> bool:
    """Return whether a word that finds fault is itself negated, as in what an officer certifies of a report."""
    is_fault = _FAULTS.fullmatch(match.group()) is not None
    return is_fault and bool(
        _NEGATION.search(lowered, max(start, match.start() - 100), match.start())
    )


def _show(text: str, start: int, end: int, at: int) -> str:
    """Return a notice: its whole sentence, of a long one the words around what makes it one, with `…` for the rest."""
    if end - start <= _SHOWN:
        return " ".join(text[start:end].split())
    first = start if at - start <= _BEFORE else text.find(" ", at - _BEFORE, at) + 1 or at
    last = text.rfind(" ", first, min(end, first + _SHOWN - 4))
    shown = " ".join(text[first : last if last > at else first + _SHOWN - 4].split())
    return f"{'… ' if first > start else ''}{shown}{' …' if last < end else ''}"


def _reaches_on(sentence: str, at: int) -> bool:
    """Return whether a notice also applies to later sections: its subject is the page, or the text that follows."""
    about = _find_near(_OF_WHOLE, sentence, at)
    if _BARE.match(sentence) or (about and not _ABOVE.fullmatch(about.group())):
        return len(sentence) <= _SHOWN
    return len(sentence) <= _BRIEF and bool(_FOLLOWING.search(sentence[:_SUBJECT]))


def _is_of_whole(text: str, start: int, end: int, at: int) -> bool:
    """Return whether a notice applies to the text above it: it is about the whole page, or the page's last paragraph."""
    sentence = text[start:end]
    if text.startswith("#", start) or _FOLLOWING.search(sentence) or _AHEAD.search(sentence):
        return False
    is_last = start >= len(text) - _TAIL and _is_paragraph(text, start, end)
    is_aside = any(m.start() < at - start < m.end() for m in _ASIDE.finditer(sentence))
    about = None if is_aside else _find_near(_OF_WHOLE, sentence, at - start)
    most = _BRIEF if about and _ABOVE.fullmatch(about.group()) else _SHOWN
    return is_last or (about is not None and len(sentence) <= most)


def _is_paragraph(text: str, start: int, end: int) -> bool:
    """Return whether a passage fills whole lines."""
    before = text[text.rfind("\n", max(start - _LABEL, 0), start) + 1 : start]
    return not before.strip(" \t*_>|-") and text[end : end + 1] in {"", "\n"}


def _is_label(text: str, start: int, end: int) -> bool:
    """Return whether a passage is a heading, or a short line that contains nothing else."""
    if text.startswith("#", start):
        return True
    return end - start <= _LABEL and _is_paragraph(text, start, end)


def _split(text: str) -> Iterator[Span]:
    """Yield the spans of a page's sentences and headings; long ones as parts that overlap by half."""
    last = 0
    for match in _END.finditer(text):
        is_line = match.group().lstrip()[:1] in {"#", "|"} and match.group().strip() != ""
        yield from _trim(text, last, match.start() if is_line else match.end())
        if is_line and match.group().lstrip().startswith("#"):
            yield from _trim(text, *match.span())
        last = match.end()
    yield from _trim(text, last, len(text))


def _trim(text: str, start: int, end: int) -> Iterator[Span]:
    """Yield the span without the white space around it, in parts if it is long."""
    passage = text[start:end]
    start, end = start + len(passage) - len(passage.lstrip()), start + len(passage.rstrip())
    for first in range(start, max(end - _PART // 2, start + 1), _PART // 2):
        if first < end:
            yield first, min(first + _PART, end)
