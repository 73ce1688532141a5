"""Words and their stems, in the language that a text's function words show it to be in."""

import re
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources
from threading import Lock

import snowballstemmer

WORD = re.compile(r"\w+(?:['’.\-]\w+)*")
"""A word, a number, or an identifier such as `max_connections`, which stays whole."""
UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u0e00-\u0e7f]+")
"""Scripts that put no spaces between words; pairs of their characters stand for words."""

LANGUAGES = ("english", "german", "french", "spanish", "portuguese", "italian", "dutch")

_ONE_AT_A_TIME = Lock()


@dataclass(frozen=True)
class Language:
    """A language by its name in Snowball."""

    name: str

    @property
    def function_words(self) -> frozenset[str]:
        """Its words that name no subject."""
        return _function_words(self.name)

    def stem(self, word: str) -> str:
        """Return the common part of a word and its other forms; an identifier stays as it is."""
        return _stem(self.name, word.casefold())

    def list_content_words(self, text: str) -> list[str]:
        """Return the words that carry meaning as written, each once, in order."""
        found = {word.casefold(): word for word in reversed(split_words(text))}
        return [w for low, w in reversed(found.items()) if low not in self.function_words]

    def list_stems(self, text: str) -> frozenset[str]:
        """Return the stems of the words that carry meaning."""
        return frozenset(self.stem(word) for word in self.list_content_words(text))


@cache
def _function_words(language: str) -> frozenset[str]:
    """Return the words that hold a question together and name no subject."""
    text = resources.files("offline.text").joinpath("function_words.txt").read_text("utf-8")
    found = re.search(rf"^{language}:((?:.|\n )*)", text, re.MULTILINE)
    return frozenset(found[1].split() if found else ())


TIMELY = _function_words("timely")
"""Words, of all languages, for what changes from day to day."""
ADDING, LEAVING = _function_words("adding"), _function_words("leaving")
"""Words, of all languages, by which more is wished for, or less."""


@lru_cache(maxsize=131_072)
def _stem(language: str, word: str) -> str:
    if not word.isalpha():
        return word.removesuffix("'s").removesuffix("’s")
    with _ONE_AT_A_TIME:
        return str(_stemmer(language).stemWord(word))


@cache
def _stemmer(language: str) -> snowballstemmer.stemmer:
    return snowballstemmer.stemmer(language)


def detect_language(text: str) -> Language:
    """Return the language whose function words a text has most of; English where there are none."""
    return detect_languages(text)[0]


def detect_languages(text: str) -> list[Language]:
    """Return the languages whose function words a text has most of: all where there are none."""
    said = [word.casefold() for word in split_words(text)]
    counts = {name: sum(w in _function_words(name) for w in said) for name in LANGUAGES}
    return [Language(name) for name in LANGUAGES if counts[name] == max(counts.values())]


def split_words(text: str) -> list[str]:
    """Return the words of a text as written; of unspaced scripts, the pairs of characters."""
    found: list[str] = []
    for word in WORD.findall(text):
        is_run = UNSPACED.search(word)
        found += [word[at : at + 2] for at in range(max(1, len(word) - 1))] if is_run else [word]
    return found


def space_out(text: str) -> str:
    """Return a text with the characters of unspaced scripts set apart, as an index needs them."""
    return UNSPACED.sub(lambda run: f" {' '.join(run[0])} ", text).strip()


def clip(text: str, limit: int) -> str:
    """Return a text on one line, cut at a word if it is too long."""
    line = " ".join(text.split())
    if len(line) <= limit:
        return line
    cut = line[: limit - 1]
    return (cut.rsplit(" ", 1)[0] if " " in cut[limit // 2 :] else cut).rstrip(" ,;:") + "…"


def join_phrases(items: list[str], word: str = "and") -> str:
    """Return items as one phrase: `a, b and c`."""
    return f" {word} ".join(filter(None, [", ".join(items[:-1]), *items[-1:]]))
