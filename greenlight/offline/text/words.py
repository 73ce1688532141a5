"""Words: cutting text into them, telling which carry meaning, and their stems."""

import re
from functools import lru_cache
from threading import Lock

import snowballstemmer

_STEMMER = snowballstemmer.stemmer("english")
_ONE_AT_A_TIME = Lock()
WORD = re.compile(r"[^\W_]+(?:['’\-][^\W_]+)*")

_STOP = """
    a about above across after again against all also am among an and any are aren't as at be because
    been before being below between both but by can can't cannot could did do does doing don't down
    during each etc few for from further get got had has have having he her here hers him his how i
    i'd i'll i'm i've if in into is isn't it it's its itself just let let's like me more most much my
    no nor not now of off on once one only or other our ours out over own per same she should so some
    such than that that's the their theirs them then there these they this those through to too
    under until up upon us very via none was we were what what's when where whether which while who whom
    whose why will with within without would yes you your yours
"""
STOP = frozenset(_STOP.split())
"""Words that hold a sentence together and say nothing by themselves."""

_ASKING = """
    add advise advice analyse analysing analysis analyze analyzing answer ask assess assessment best
    better bigger biggest build building buy buying change changed changes changing cheaper cheapest
    choice choose compare compared
    comparing comparison consider cover decide decision determine differ difference differences differs dive drop easier easiest enter
    entering evaluate evaluation examine exclude expand expanding explain explore exploring fast
    faster fastest figure find first focus give go going good guide help highest idea ideas identify ignore
    include including information interested invest investigate investing know launch launching learn limit
    look looking lowest make many move need opportunities opportunity options overview pick please prefer
    profitable promising question recommend remove report research review safer safest second see
    select sell selling show skip start starting study suggest sure tell thing things think understand
    use useful want wanted wish worse worst worth write instead rather too
"""
ASKING = frozenset(_ASKING.split())
"""Words that say what is to be done with a subject, not what the subject is."""


_VAGUE = """
    business businesses company companies country countries industry industries market markets
    opportunity product products sector service services solution solutions trend trends
    device devices equipment machine machines platform platforms plant plants power rate rates
    station stations storage system systems technologies technology tool tools unit units
"""
VAGUE = frozenset(_VAGUE.split())
"""Words that name no subject without another word beside them."""


def words(text: str) -> list[str]:
    """Return the words of a text, as written."""
    return WORD.findall(text)


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """Return what a word has in common with its other forms."""
    with _ONE_AT_A_TIME:
        return str(_STEMMER.stemWord(word.lower()))


def content_words(text: str) -> list[str]:
    """Return the words that carry meaning, in lower case, each once, in order."""
    found = (word.lower() for word in words(text))
    return list(dict.fromkeys(word for word in found if word not in STOP))


def stems(text: str) -> set[str]:
    """Return the stems of the words that carry meaning."""
    return {stem(word) for word in content_words(text)}


def subject_stems(text: str) -> set[str]:
    """Return the stems of the words that name a subject rather than the task."""
    return {stem(word) for word in subject_words(text)}


def telling_stems(text: str) -> set[str]:
    """Return the stems that tell a subject from others, or all where none does."""
    return {stem(word) for word in subject_words(text) if word not in VAGUE} or stems(text)


def subject_words(text: str) -> list[str]:
    """Return the content words that name a subject rather than the task."""
    return [word for word in content_words(text) if word not in ASKING]


def clip(text: str, limit: int) -> str:
    """Return a text on one line, cut at a word if it is too long."""
    line = " ".join(text.split())
    if len(line) <= limit:
        return line
    cut = line[: limit - 1]
    return (cut.rsplit(" ", 1)[0] if " " in cut[limit // 2 :] else cut).rstrip(" ,;:") + "…"


def listed(items: list[str], word: str = "and") -> str:
    """Return items as one phrase: `a, b and c`."""
    return f" {word} ".join(filter(None, [", ".join(items[:-1]), *items[-1:]]))
