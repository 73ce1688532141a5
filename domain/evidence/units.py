"""The words that change what a number says: scales, units, currencies, months."""

from decimal import Decimal

SCALES = {
    word: Decimal(10) ** power
    for power, words in {
        2: "hundred 百",
        3: "thousand thousands mille mil mila tausend тысяча тысячи тысяч 千",
        4: "万 萬",
        5: "lakh lakhs",
        6: "million millions mn mio mln millionen millón millones milhão milhões milione milioni"
        " миллион миллиона миллионов млн",
        7: "crore crores",
        8: "亿 億",
        9: "billion billions bn mrd milliard milliards milliarden miliardo miliardi"
        " миллиард миллиарда миллиардов млрд",
        12: "trillion trillions trn 兆",
    }.items()
    for word in words.split()
}
"""A word after a number that multiplies it."""

ATTACHED = {
    "k": Decimal(10) ** 3,
    "K": Decimal(10) ** 3,
    "M": Decimal(10) ** 6,
    "B": Decimal(10) ** 9,
    "tn": Decimal(10) ** 12,
}
"""Letters that multiply a number only when glued to it."""

ORDINALS = frozenset({"st", "nd", "rd", "th"})

UNITS = {
    word: unit
    for unit, words in {
        "km": "km kilometre kilometres kilometer kilometers",
        "square km": "km² km2 sqkm",
        "m": "m metre metres meter meters",
        "cm": "cm centimetre centimetres centimeter centimeters",
        "mm": "mm millimetre millimetres millimeter millimeters",
        "mile": "mile miles mi",
        "ha": "ha hectare hectares",
        "acre": "acre acres",
        "kg": "kg kilogram kilograms kilogramme kilogrammes",
        "g": "gram grams gramme grammes",
        "t": "t tonne tonnes",
        "ton": "ton tons",
        "l": "l litre litres liter liters",
        "w": "w watt watts",
        "kw": "kw kilowatt kilowatts",
        "mw": "mw megawatt megawatts",
        "gw": "gw gigawatt gigawatts",
        "tw": "tw terawatt terawatts",
        "kwh": "kwh",
        "mwh": "mwh",
        "gwh": "gwh",
        "twh": "twh",
        "millisecond": "ms millisecond milliseconds",
        "second": "second seconds sec",
        "minute": "minute minutes min",
        "hour": "hour hours h",
        "day": "day days",
        "week": "week weeks",
        "month": "month months",
        "year": "year years yr yrs",
        "decade": "decade decades",
        "°c": "°c",
        "°f": "°f",
        "usd": "usd dollar dollars",
        "eur": "eur euro euros",
        "gbp": "gbp pound pounds",
        "jpy": "jpy yen",
        "inr": "inr rupee rupees",
        "cny": "cny yuan rmb",
        "kes": "kes ksh",
        "tzs": "tzs tsh",
        "ugx": "ugx ush",
        "etb": "etb birr",
        "ngn": "ngn naira",
        "zar": "zar rand",
        "chf": "chf",
        "shilling": "shilling shillings",
    }.items()
    for word in words.split()
}
"""A word after a number that says of what."""

BASE_UNITS = {
    unit: (base, factor)
    for base, units in {
        "m": {"km": 1_000.0, "m": 1.0, "cm": 0.01, "mm": 0.001, "mile": 1_609.344},
        "kg": {"kg": 1.0, "g": 0.001, "t": 1_000.0, "ton": 907.185},
        "w": {"w": 1.0, "kw": 1e3, "mw": 1e6, "gw": 1e9, "tw": 1e12},
        "kwh": {"kwh": 1.0, "mwh": 1e3, "gwh": 1e6, "twh": 1e9},
        "second": {"millisecond": 0.001, "second": 1.0, "minute": 60.0, "hour": 3_600.0}
        | {"day": 86_400.0, "week": 604_800.0},
        "month": {"month": 1.0, "year": 12.0, "decade": 120.0},
    }.items()
    for unit, factor in units.items()
}
"""A unit's base and its factor: units of one base can be converted."""

POWERS = {"square": "square", "sq": "square", "cubic": "cubic"}

_CODES = "usd eur gbp jpy inr cny kes ksh tzs tsh ugx etb ngn zar chf"

CURRENCIES = {
    "$": "usd",
    "us$": "usd",
    "a$": "aud",
    "c$": "cad",
    "€": "eur",
    "£": "gbp",
    "¥": "jpy",
    "₹": "inr",
    "rs": "inr",
    "₦": "ngn",
    **{code: UNITS[code] for code in _CODES.split()},
}
"""Signs and codes before an amount of money."""

MONTHS = {
    word: number
    for words in (
        "january february march april may june july august september october november december",
        "jan feb mar apr may jun jul aug sep oct nov dec",
        "januar februar märz april mai juni juli august september oktober november dezember",
        "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
        "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
        "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
        "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre"
        " dicembre",
    )
    for number, word in enumerate(words.split(), start=1)
} | {"sept": 9}

_SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen"
    " fifteen sixteen seventeen eighteen nineteen"
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"

TENS = {word: 10 * tens for tens, word in enumerate(_TENS.split(), start=2)}
WORDS = {word: number for number, word in enumerate(_SMALL.split())} | TENS | {"a": 1, "an": 1}
"""Numbers in English words."""
