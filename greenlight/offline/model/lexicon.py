"""How words sound: a sentiment lexicon, with what markets mean by some of them."""

from functools import cache

from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

NEUTRAL = 0.05
"""Below this a text sounds neither good nor bad."""
MARKETS = {
    **dict.fromkeys(["gross", "share", "shares", "interest", "security"], 0.0),  # a gross margin
    **dict.fromkeys(
        [
            "rose",
            "rise",
            "rises",
            "grew",
            "grow",
            "grows",
            "climbed",
            "surged",
            "gained",
            "record",
            "profit",
        ],
        1.5,
    ),
    **dict.fromkeys(
        ["fell", "fall", "falls", "dropped", "declined", "slumped", "shrank", "missed", "recall"],
        -1.5,
    ),
}


@cache
def lexicon() -> SentimentIntensityAnalyzer:
    """Return the sentiment lexicon, with the words of markets that it lacks."""
    analyzer = SentimentIntensityAnalyzer()
    analyzer.lexicon.update(MARKETS)
    return analyzer


def sound(text: str) -> float:
    """Return how a text sounds, from -1 to 1."""
    return float(lexicon().polarity_scores(text)["compound"])
