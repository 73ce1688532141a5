"""Whether a text is in English, by the small words that every language uses most."""

from greenlight.offline.text.words import ASKING, STOP, words

_OTHER = """
    der die das und ist für wie soll sollen wir ein eine einen mit auf von nicht welche welcher welches
    sich eignet gibt warum unser unsere
    le la les des du est et pour que quel quelle quels quelles nous dans une sur avec faut pourquoi notre
    el los las es para cuál cual en qué con del debemos nuestro nuestra cómo por
    il lo gli che di per è quale quali nel della dobbiamo nostro
    os um uma com não devemos nosso qual no da ao
    het een voor naar wat welke wij moeten onze och är för att vi ska
"""
OTHER = frozenset(_OTHER.split()) - STOP
FEWEST = 2


def is_english(text: str) -> bool:
    """Tell whether a text reads as English; a few words in Latin letters do."""
    letters = [letter for letter in text if letter.isalpha()]
    if sum(letter > "ɏ" for letter in letters) * 2 > len(letters):
        return False
    found = [word.lower() for word in words(text)]
    foreign = sum(word in OTHER for word in found)
    return foreign < FEWEST or foreign <= sum(word in STOP or word in ASKING for word in found)
