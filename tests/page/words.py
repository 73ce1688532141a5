"""Texts of the page and of notices by key, so that tests pin the key instead of the wording."""

import json
import re
import subprocess
from collections.abc import Mapping
from functools import cache

from contracts.words import CATALOGUES, Language, Param, fill
from greenlight.stack.page import WEB, find_node

DUMP = """
const at = name => import(`${process.argv[1]}/${name}.ts`);
const [{en}, english, {de}, german] = await Promise.all(["en", "en-views", "de", "de-views"].map(at));
console.log(JSON.stringify({en: {...en, ...english.views}, de: {...de, ...german.views}}));
"""
HOLE = re.compile(r"\{(\w+)")
OPTIONAL = re.compile(r"\[[^\[\]]*\]")
ANYTHING = "\0"
"""Matches any text."""


@cache
def load_words() -> Mapping[Language, Mapping[str, str]]:
    """Return what the page is built with: its own catalogues, and those of notices."""
    argv = [str(find_node()), "--input-type=module", "--eval", DUMP, str(WEB / "src" / "strings")]
    done = subprocess.run(argv, capture_output=True, text=True, check=True)
    page: dict[Language, dict[str, str]] = json.loads(done.stdout)
    return {language: {**CATALOGUES[language], **words} for language, words in page.items()}


def t(key: str, /, language: Language = "en", **params: Param) -> str:
    """Return the words of a key in a language."""
    return fill(language, load_words()[language][key], params)


def like(key: str, /, language: Language = "en", **known: Param) -> re.Pattern[str]:
    """Return a pattern for a key's text, with any optional parts, and any values of placeholders that are not given."""
    message = OPTIONAL.sub(ANYTHING, load_words()[language][key])
    holes = dict.fromkeys(HOLE.findall(message), ANYTHING)
    found = fill(language, message, {**holes, **known})
    return re.compile(re.escape(found).replace(ANYTHING, ".*"))
