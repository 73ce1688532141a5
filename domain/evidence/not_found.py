"""Text that says that something was not found, not read, or is not stated."""

import re

from domain.text_matching.word_stems import list_stems

_TOLD = (
    r"(?:found|read|seen|opened|known|told|given|shown|quoted|stated?s?|says?|said|names?d?|tells?"
    r"|filed|published|disclosed|available|gefunden|gelesen|geöffnet|bekannt|gezeigt|zitiert|genannt"
    r"|nennt|nennen|sagt|sagen|angegeben|veröffentlicht|eingereicht|verfügbar)"
)
_WORD = r"\W+[^\W\d]+"
_NOT_FOUND = re.compile(
    rf"\b(?:no|none|nothing|nobody|nowhere|kein\w{{0,2}}|nichts|niemand|nirgends?)(?:{_WORD}){{0,8}}?\W+{_TOLD}\b"
    rf"|\b(?:not|never|nicht|nie)(?:{_WORD}){{0,2}}?\W+{_TOLD}\b"
    r"|\b(?:unknown|unread|missing|undisclosed|unbekannt|ungelesen|fehlt|fehlen)\b",
    re.IGNORECASE,
)
_NEGATION = re.compile(
    r"\b(?:no|none|nothing|nobody|nowhere|not|nor|neither|never|without|kein\w{0,2}|nichts?|niemand|nie|nirgends?|weder|noch|ohne)\b",
    re.IGNORECASE,
)
_ENGLISH = """
a an and are as at be been by do does each else elsewhere for from had has have how if in is it its no nor not of on
or other per rest so source sources still than that the their them there these they this those to was were what
when where whether which who whose why with stay stays remain remains say says said state states stated tell tells told
name names named give gives given show shows shown quote quotes quoted read found known unknown missing
"""
_GERMAN = """
aber als am an andere anderen anderer anderes auf aus bei bleibt bleiben das dass dem den der des die dies diese dieser
ein eine einem einen einer eines es für hat haben im in ist kein keine keinem keinen keiner mit nach nicht noch ob oder
quelle quellen sie sind sonst und vom von war waren was welche welchem welchen welcher welches wann warum wer wie wird wo
wurde wurden zu zum zur genannt gefunden gelesen gesagt bekannt unbekannt fehlt fehlen nennt nennen sagt sagen
"""
_FUNCTION_WORDS = frozenset([*_ENGLISH.split(), *_GERMAN.split()])
"""Words that state no fact of a line's subject."""
_EXCEPT = re.compile(
    r"\b(?:beyond|besides?|except(?:ing)?|excluding|(?:other|others|else) than|apart from|aside from|outside(?: of)?|in addition to"
    r"|außer|ausser|neben|jenseits|abgesehen von|ausgenommen|andere[mnrs]? als|anders als)\b([^,;:.()]*)",
    re.IGNORECASE,
)
"""A phrase that leaves out of a line what was found."""


def says_not_found(text: str) -> bool:
    """Return whether a text says that something was not found, not read, or is not stated."""
    return bool(_NOT_FOUND.search(text))


def is_shorter_form(left: str, line: str, told: str) -> bool:
    """Return whether the rest of a line says only that a smaller part of it was not found.

    It has the line's words and function words alone. After "beyond" or "other than" it may have those of `told`, which
    answers the other part. It may not drop that nothing was found, nor deny what the line does not.
    """
    own = _list_words(line)
    said = _list_words(_EXCEPT.sub(" ", left))
    if not said or not said <= own:
        return False
    if not _list_words(" ".join(_EXCEPT.findall(left))) <= own | _list_words(told):
        return False
    is_denied = bool(_NEGATION.search(left)) and not _NEGATION.search(line)
    return says_not_found(left) or not (says_not_found(line) or is_denied)


def _list_words(text: str) -> set[str]:
    """Return a text's words without function words, as stems."""
    words = {*re.findall(r"\w+", text.casefold())} - _FUNCTION_WORDS
    return set[str]().union(*(list_stems(word) or {word} for word in words))
