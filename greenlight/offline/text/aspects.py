"""What a text states: a time, people, a criterion, means, a purpose, measures."""

import re

from greenlight.offline.text.words import stem, words

TIME = re.compile(
    r"\b(?:(?:19|20)\d\d|q[1-4]|today|now(?:adays)?|current(?:ly)?|immediately|soon|decades?|"
    r"(?:this|next|last|coming|past|within)\s+(?:\w+\s+){0,2}(?:year|month|quarter|week|decade)s?|"
    r"(?:a|one|two|three|five|ten|\d+)\s*-?\s*(?:year|month|week|quarter|day)s?|"
    r"(?:short|medium|long)[- ](?:term|run)|later than that)\b",
    re.IGNORECASE,
)
MEANS = re.compile(
    r"[$€£¥]\s?\d|\b(?:budget|capital|funding|funds?|bootstrap\w*|usd|eur|million)\b", re.IGNORECASE
)
PURPOSE = re.compile(
    r"\b(?:because|so that|in order to|to decide|for (?:a|my|our) (?:pitch|thesis|board|talk|paper))\b",
    re.IGNORECASE,
)
TOWARDS = re.compile(
    r"\b(?:for|among|amongst|by|to|with|serving|targeting)\s+(?:\w+\s+){0,2}?"
    r"(\w{3,}(?:ers|ors|ists|ians|ees|men))\b",
    re.IGNORECASE,
)
_PEOPLE = """
    b2b b2c b2g sme smb customer consumer client user buyer business enterprise company corporation
    startup household family school student pupil hospital patient clinic government ngo child
    children kid parent teenager senior elderly woman women man men people person tourist
    smallholder farmer cooperative freelancer professional investor employee staff team worker
    teacher doctor nurse developer engineer commuter retailer manufacturer gardener homeowner
    landlord tenant driver traveler traveller patient municipality bank restaurant hotel
"""
PEOPLE = frozenset(stem(word) for word in _PEOPLE.split())
_THINGS = """
    boilers carriers centers chargers coolers computers containers covers cookers dryers engines
    factors fertilizers filters flowers freezers grinders heaters inverters letters meters mixers
    monitors motors numbers offers orders others papers powers printers processors routers scooters
    sensors servers shoulders speakers tankers towers tractors trailers trackers
"""
THINGS = frozenset(_THINGS.split())
"""Words that end like those for people and are none."""
_CRITERIA = """
    affordable cheap cheaper cheapest cost costs demand ease easiest easy efficiency efficient fast
    fastest growth impact margin market-size price profit profitable profitability quality quick
    regulation reliable return revenue risk risky roi safe safest safety speed sustainable
"""
CRITERIA = frozenset(stem(word) for word in _CRITERIA.split())


def states_time(text: str) -> bool:
    """Tell whether a text says when."""
    return TIME.search(text) is not None


def states_people(text: str) -> bool:
    """Tell whether a text says who buys or uses something."""
    agents = {word.lower() for word in TOWARDS.findall(text)}
    return bool(PEOPLE & {stem(word) for word in words(text)} or agents - THINGS)


def states_criterion(text: str) -> bool:
    """Tell whether a text says what counts."""
    return bool(CRITERIA & {stem(word) for word in words(text)})


def states_means(text: str) -> bool:
    """Tell whether a text says what may be spent."""
    return MEANS.search(text) is not None


def states_purpose(text: str) -> bool:
    """Tell whether a text says what an answer is for."""
    return PURPOSE.search(text) is not None


def measures_in(heading: str) -> list[str]:
    """Return what a heading `Name: measure, measure` lists, or else the heading itself."""
    name, *measures = [part for part in re.split(r"[:,;]\s+", heading) if part.strip()] or [heading]
    return measures or [name]
