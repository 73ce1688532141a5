"""The words and signs around a number that scale it and name its unit."""

import re
from decimal import Decimal

from domain.evidence.figures.notation.units import (
    ATTACHED,
    CODES,
    CURRENCIES,
    CURRENCY_NAMES,
    MONEY_LETTERS,
    ORDINALS,
    OTHER_CURRENCY,
    POWERS,
    SCALED_UNITS,
    SCALES,
    UNITS,
)

ONE = Decimal(1)
LETTER = "A-Za-zÀ-ÖØ-öø-ɏͰ-ԯ"
_HUNDREDTH = Decimal("0.01")
_DOZEN = Decimal(12)
_ABBREVIATED = 4
"""Letters of a scale that may be abbreviated with a dot."""
MONEY_SIGNS = "|".join(re.escape(sign) for sign in sorted(CURRENCIES, key=len, reverse=True))
_ISO = "|".join(sorted(CODES))
SIGN = rf"(?:{MONEY_SIGNS}|(?-i:[A-Z]{{1,3}}[$£¥])|(?-i:{_ISO}))"
_BEFORE = re.compile(rf"(?<![{LETTER}])({SIGN})\.?\s?\Z", re.IGNORECASE)
_LETTER_SCALES = {"k": 3, "t": 3, "m": 6, "mm": 6, "md": 9, "mds": 9}
_SCALED_SIGN = (
    r"(?P<by>[kKT](?=[€£]|[A-Z])|k(?=\$)|[mM](?=[€£$]|[A-Z])|MM|Mds?)(?P<of>€|£|\$|EUR|USD|GBP|CHF)"
)
"""A scale glued to a currency: `T€`, `MUSD`, `Md€`."""
_SCALED_BEFORE = re.compile(rf"(?<![{LETTER}]){_SCALED_SIGN}\s?\Z")
SCALED_AFTER = re.compile(rf"\s?{_SCALED_SIGN}(?!\s?[\d(]|[{LETTER}])")
_NAMED = re.compile(
    rf"\s(?P<name>{'|'.join(sorted(CURRENCY_NAMES, key=len, reverse=True))})(?!\w)", re.IGNORECASE
)
_SIGN_AFTER = re.compile(
    rf"\s?(?P<sign>(?-i:[A-Z]{{0,3}})[{''.join(s for s in CURRENCIES if len(s) == 1)}])(?!\s?[\d(])"
)
_SCALED_UNIT = re.compile(
    rf"\s?(?P<unit>{'|'.join(map(re.escape, SCALED_UNITS))})(?:\s?CO2)?(?:e|-?eq)?(?![\w/])"
)
_PERCENT = re.compile(
    r"[\s-]?(?:(?P<basis>basis[\s-]points?|bps?\b|basispunkte?n?\b)"
    r"|(?P<points>(?:percentage[\s-]|%[\s-]?|prozent)?(?:points?|punkte?n?|puntos?|pontos?|punti)\b|pp\b)"
    r"|(?:في|ب)\s?الم(?:ئ|ائ)[ةه]|درصد|אחוז(?:ים)?|प्रतिशत|パーセント|퍼센트|프로(?!\w)"
    r"|(?P<mille>‰|per\s?mille?\b|promille)|[%％٪]|per\s?cent(?!age)|pct\b|prozent|pour\s?cent|por\s?cien?to|procent|процент\w*+)",
    re.IGNORECASE,
)
_SUBUNIT = re.compile(
    r"[\s-]?(?:(?P<usd>(?i:(?:us|american)[\s-]cents?))|(?P<eur>(?i:euro[\s-]?cents?|cents? d['’]euro|céntimos de euro))"
    r"|(?P<gbp>(?i:pence|penny)|GBp|GBX|(?<=\d)p)|(?P<any>¢))(?![^\W_])"
)
_DOT = re.compile(r"\.(?=\s?[^\W\d_]|\s?[€£$])")
_NEXT = re.compile(r"[\s-]?([一-鿿]|°[CF]\b|[^\W\d_]++(?>(?:[²³]|\^[23](?!\d))?))")
_SQUARES = {"^2": "²", "^3": "³"}
_TIMES_TEN = re.compile(r"\s?[×x*·∙⋅]\s?10\^([+-]?\d{1,2})(?!\d)")
_MARK = re.compile(r"\s?\[(?:\d{1,3}|[a-z*†‡§])\](?=\s)|[⁰¹²³⁴-⁹]{1,3}(?=\s)")
"""A footnote's mark between a figure and what counts it: `$12.5 [1] million`."""


def find_money(text: str, start: int) -> tuple[int, Decimal, str] | None:
    """Return where the currency before a number begins, its scale and its unit: `T€ 5` is in thousands."""
    low = max(0, start - 8)
    if scaled := _SCALED_BEFORE.search(text, low, start):
        return scaled.start(), *_read_scaled(scaled)
    money = _BEFORE.search(text, low, start)
    return (money.start(), ONE, _read_sign(money[1])) if money else None


def _read_scaled(match: re.Match[str]) -> tuple[Decimal, str]:
    return Decimal(10) ** _LETTER_SCALES[match["by"].casefold()], _read_sign(match["of"])


def _read_sign(sign: str) -> str:
    """Return the unit of a currency's sign or code; a dollar of unknown origin is another currency than the American."""
    code = sign.rstrip("$£¥")
    if known := CURRENCIES.get(sign.casefold()):
        return known
    return code.casefold() if code in CODES else OTHER_CURRENCY


def parse_suffix(text: str, at: int, *, is_money: bool) -> tuple[Decimal, str, int]:
    """Return the scale and the unit that follow a number, and their end."""
    times_ten = _TIMES_TEN.match(text, at)
    scale = Decimal(10) ** int(times_ten[1]) if times_ten else ONE
    start = times_ten.end() if times_ten else at
    mark = _MARK.match(text, start)
    behind = mark.end() if mark else start
    counted, unit, end = _parse_counts(text, behind, is_money=is_money)
    return scale * counted, unit, end if end > behind else start


def _parse_counts(text: str, at: int, *, is_money: bool) -> tuple[Decimal, str, int]:
    scale, power = ONE, ""
    while True:
        if named := _parse_rate(text, at) or _parse_currency(text, at):
            factor, unit, end = named
            return scale * factor, unit, end
        following = _NEXT.match(text, at)
        if not following:
            return scale, power, at
        word, is_glued = following[1].casefold(), following.start(1) == at
        word = word[:-2] + _SQUARES.get(word[-2:], word[-2:])
        end = following.end()
        times = _find_factor(text, following, is_glued=is_glued, is_money=is_money)
        if not times and word not in POWERS:
            is_code = following[1] in CODES
            unit = (
                "th" if is_glued and word in ORDINALS else word if is_code else UNITS.get(word, "")
            )
            return scale, power + unit, end if unit else at
        scale *= times or 1
        power += "" if times else f"{POWERS[word]} "
        at = end
        if len(word) <= _ABBREVIATED and _DOT.match(text, at):
            behind = _parse_currency(text, at + 1) or _NEXT.match(text, at + 1)
            is_unit = isinstance(behind, tuple) or (behind and behind[1].casefold() in UNITS)
            at += bool(is_unit)


def _parse_rate(text: str, at: int) -> tuple[Decimal, str, int] | None:
    """Return the factor and the unit of a percentage, of points or of the hundredths of a currency, and their end."""
    if percent := _PERCENT.match(text, at):
        unit = "basis points" if percent["basis"] else "points" if percent["points"] else "%"
        return Decimal("0.1") if percent["mille"] else ONE, unit, percent.end()
    if subunit := _SUBUNIT.match(text, at):
        return _HUNDREDTH, (subunit.lastgroup or "").replace("any", ""), subunit.end()
    if scaled := _SCALED_UNIT.match(text, at):
        return *SCALED_UNITS[scaled["unit"]], scaled.end()
    return None


def _parse_currency(text: str, at: int) -> tuple[Decimal, str, int] | None:
    """Return the scale and the unit of a currency's sign or full name, and their end."""
    if scaled := SCALED_AFTER.match(text, at):
        return *_read_scaled(scaled), scaled.end()
    if sign := _SIGN_AFTER.match(text, at):
        return ONE, _read_sign(sign["sign"]), sign.end()
    if named := _NAMED.match(text, at):
        unit = CURRENCY_NAMES.get(named["name"].casefold())  # a dotless ı matches an i as well
        return (ONE, unit, named.end()) if unit else None
    return None


def _find_factor(
    text: str, following: re.Match[str], *, is_glued: bool, is_money: bool
) -> Decimal | None:
    """Return what the word after a number multiplies it by: a word of scale, or a letter that is glued to an amount."""
    word = following[1].casefold()
    if factor := SCALES.get(word) or (_DOZEN if word in {"dozen", "dozens"} else None):
        return factor
    if not is_glued:
        return None
    if word in MONEY_LETTERS and (is_money or _counts_units(text, following)):
        return MONEY_LETTERS[word]
    return ATTACHED.get(following[1])


def _counts_units(text: str, following: re.Match[str]) -> bool:
    """Return whether a unit follows a glued `m`, which is then no metre: `3.2m euros`, `5m tonnes`."""
    end = following.end()
    after = _NEXT.match(text, end)
    is_unit = bool(after and after.start(1) > end and after[1].casefold() in UNITS)
    is_unit |= bool(after and after[1] in CODES)
    return following[1] == "m" and (is_unit or _parse_currency(text, end) is not None)
