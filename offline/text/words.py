"""Words and their stems, in the language that a text's function words show it to be in."""

import re
from dataclasses import dataclass
from functools import cache, lru_cache
from threading import Lock

import snowballstemmer

WORD = re.compile(r"\w+(?:['’.\-]\w+)*")
"""A word, a number, or an identifier such as `max_connections`, which stays whole."""
UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u0e00-\u0e7f]+")
"""Scripts that put no spaces between words; pairs of their characters stand for words."""

FUNCTION_WORDS = {
    "english": """
        a about above across after again against all also am among an and any are as at be because been
        before being below between both but by can cannot could did do does doing down during each etc
        few for from further get got had has have having he her here hers him his how i if in into is
        isn't it it's its itself just let like me more most much must my no nor not now of off on once one
        only or other our ours out over own per same she should so some such than that the their theirs them
        then there these they this those through to too under until up upon us very via was we were what
        when where whether which while who whom whose why will with within without would yes you your yours
        advise analyse analyze answer assess best better bigger biggest buying changed cheaper cheapest
        choose compare compared comparison consider decide differ difference enter evaluate explain find
        first give good help highest interested know largest last latest learn look lowest main make many
        need please question recommend research report safer safest see select sell selling show smallest
        study suggest tell think today understand use want wanted worse worst worth write""",
    "german": """
        aber alle als also am an auf aus bei beim besser beste besten bin bis bitte da damit dann das dass
        dein dem den denn der des die dies diese dieser dieses doch du durch ein eine einem einen einer eines
        er es für gegen gibt hat haben hier hoch ich ihr im in ins ist ja jede jeder kann kein keine können
        man mehr mein mit muss nach nicht noch nur ob oder ohne sehr seine sich sie sind so soll sollen sollte
        über um und uns unser unsere unserem unseren unter vom von vor war waren warum was welche welcher welches
        wenn wer werden wie wieder wieviel viel viele wir wird wo wurde wurden zu zum zur zwischen""",
    "french": """
        à au aux avec avons c'est ce ces cette combien comment d'un d'une dans de depuis des devons doit donc du
        elle en entre est et être il ils je la le les leur leurs lui ma mais meilleur meilleure mes moi mon ne
        nos notre nous on ont ou où par pas plus pour pourquoi qu'est quand que quel quelle quelles quels qui
        quoi sa sans se ses si son sont sous sur ta te tes toi ton tu un une vers vos votre vous y""",
    "spanish": """
        a al ante como cómo con contra cuál cuáles cuando cuándo cuánta cuántas cuánto cuántos de del desde
        donde dónde e el ella ellos en entre era es esta está este esto fue ha hacia han hasta hay la las le
        les lo los más mejor mi muy ni no nos nuestra nuestro o para pero por porque qué que quién se según ser si
        sin sobre son su sus también tiene tu un una unas uno unos y ya""",
    "portuguese": """
        a ao aos as até com como da das de do dos e é ela ele em entre era essa esse esta está este eu foi há
        isso já mais mas melhor meu minha muito na não nas no nos nosso nossa o onde os ou para pela pelo por
        porque qual quais quando quanto quantos que quem são se sem ser seu sua também tem um uma umas uns você""",
    "italian": """
        a agli ai al alla alle anche c'è che chi ci come con cosa cui da dal dalla dei del della delle di dove e
        è gli ha hanno i il in io la le lo loro ma meglio mi migliore nei nel nella noi non nostra nostro o per
        perché più qual quale quali quando quanti quanto quello questa questo se sei si sono su sua suo tra un
        una uno voi""",
    "dutch": """
        aan als bij dan dat de den der deze die dit door een en er geen had heb hebben heeft het hij hoe hoeveel
        ik in is je kan maar mag me meer met mij mijn moet na naar niet nog nu of om onder ons onze ook op over te
        tegen tot uit van veel voor waar waarom wanneer wat welke we wel werd wie wij worden zal ze zich zij zijn
        zo zou""",
}
"""Words that hold a question together and name no subject."""

_ONE_AT_A_TIME = Lock()


@dataclass(frozen=True)
class Language:
    """A language by its name in Snowball."""

    name: str

    @property
    def function_words(self) -> frozenset[str]:
        """Its words that name no subject."""
        return _function_words(self.name)

    @property
    def capitalizes_nouns(self) -> bool:
        """Tell whether a large letter makes no name of a word."""
        return self.name == "german"

    def stem(self, word: str) -> str:
        """Return the common part of a word and its other forms; an identifier stays as it is."""
        return _stem(self.name, word.casefold())

    def content_words(self, text: str) -> list[str]:
        """Return the words that carry meaning as written, each once, in order."""
        found = {word.casefold(): word for word in reversed(words(text))}
        return [w for low, w in reversed(found.items()) if low not in self.function_words]

    def stems(self, text: str) -> frozenset[str]:
        """Return the stems of the words that carry meaning."""
        return frozenset(self.stem(word) for word in self.content_words(text))


@cache
def _function_words(name: str) -> frozenset[str]:
    return frozenset(FUNCTION_WORDS[name].split())


@lru_cache(maxsize=131_072)
def _stem(language: str, word: str) -> str:
    if not word.isalpha():
        return word.removesuffix("'s").removesuffix("’s")
    with _ONE_AT_A_TIME:
        return str(_stemmer(language).stemWord(word))


@cache
def _stemmer(language: str) -> snowballstemmer.stemmer:
    return snowballstemmer.stemmer(language)


def language_of(text: str) -> Language:
    """Return the language whose function words a text has most of; English where there are none."""
    said = [word.casefold() for word in words(text)]
    counts = {name: sum(w in _function_words(name) for w in said) for name in FUNCTION_WORDS}
    return Language(max(counts, key=lambda name: counts[name]))


def words(text: str) -> list[str]:
    """Return the words of a text as written; of unspaced scripts, the pairs of characters."""
    found: list[str] = []
    for word in WORD.findall(text):
        found += pairs(word) if UNSPACED.search(word) else [word]
    return found


def pairs(run: str) -> list[str]:
    """Return each character with its neighbour."""
    return [run[at : at + 2] for at in range(max(1, len(run) - 1))]


def spaced(text: str) -> str:
    """Return a text with the characters of unspaced scripts set apart, as an index needs them."""
    return UNSPACED.sub(lambda run: f" {' '.join(run[0])} ", text).strip()


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
