"""Pages served in place of the requested one: robot checks, consent forms, empty applications."""

import re
from typing import Literal

MAX_WALL_CHARS = 1_500
MAX_PLAIN_CHARS = 300
"""A text this short is a wall by its words alone, with any title."""

Wall = Literal["robot_check", "consent", "scripts"]

_ROBOT_TITLE = re.compile(
    r"just a moment|attention required|verify (?:that )?you are (?:a )?human|are you (?:a )?(?:robot|human)"
    r"|robot check|(?:human|bot) verification|captcha|pardon our interruption|checking your browser|ddos-guard"
    r"|access (?:to this page (?:has been )?)?denied|security (?:check|verification|challenge)|client challenge"
    r"|request unsuccessful|one more step|sicherheits(?:überprüfung|abfrage)|bist du ein (?:roboter|mensch)"
    r"|vérification de sécurité|êtes-vous un (?:robot|humain)|un momento|einen moment|un instant",
    re.IGNORECASE,
)
_ROBOT = re.compile(
    r"verify(?:ing)? (?:that )?you are (?:a |not a )?(?:human|robot|bot)|(?:are|you're|you are) not a (?:ro)?bot"
    r"|confirm (?:that )?you are (?:a )?human|prove (?:that )?you are (?:a )?human|checking (?:if the site connection|your"
    r" browser)|needs to review the security|unusual (?:traffic|activity)|complete the (?:captcha|security check)"
    r"|enable javascript and cookies to continue|blocked because|incident id|ray id|reference #[\da-f.]{6}"
    r"|you don't have permission to access|dass (?:du|sie) kein roboter|ein mensch (?:bist|sind)"
    r"|que vous (?:êtes humain|n'êtes pas un robot)|que (?:eres|es) humano",
    re.IGNORECASE,
)
_ROBOT_SURELY = re.compile(
    r"verify(?:ing)? (?:that )?you are (?:a |not a )?(?:human|robot)|enable javascript and cookies to continue"
    r"|checking (?:if the site connection|your browser)|complete the captcha",
    re.IGNORECASE,
)
_CONSENT_TITLE = re.compile(
    r"before you continue|bevor (?:sie|du) (?:fortfahren|fortfährst)|avant d'accéder|consent\b|zustimmung|einwilligung"
    r"|cookies?\b(?!.{0,20}(?:policy|richtlinie|politique|política))|your privacy|privacy (?:choices|settings|preferences)"
    r"|privatsphäre|confidentialité",
    re.IGNORECASE,
)
_CONSENT = tuple(
    re.compile(words, re.IGNORECASE)
    for words in (
        r"cookies?|tracking|personal data|personenbezogen",
        r"accept|agree|allow all|akzeptier|zustimm|einwillig|accepte|acept",
        r"reject|decline|manage|more options|settings|customi[sz]e|ablehn|einstellung|refus|paramètre|rechaz|configur",
    )
)
_SCRIPTS = re.compile(
    r"(?:please|need to|must) (?:enable|turn on|activate) javascript|enable javascript to (?:run|view|use|continue)"
    r"|javascript is (?:disabled|required)|requires javascript|(?:bitte )?javascript aktivieren"
    r"|javascript ist deaktiviert|activer javascript",
    re.IGNORECASE,
)


def find_wall(title: str, text: str) -> Wall | None:
    """Return the kind of wall that a page shows instead of its text, or None unless title and text make it certain."""
    if len(text) > MAX_WALL_CHARS:
        return None
    is_plain = len(text) <= MAX_PLAIN_CHARS
    if _ROBOT_TITLE.search(title) and _ROBOT.search(text):
        return "robot_check"
    if is_plain and _ROBOT_SURELY.search(text):
        return "robot_check"
    if _CONSENT_TITLE.search(title) and all(words.search(text) for words in _CONSENT):
        return "consent"
    return "scripts" if is_plain and _SCRIPTS.search(text) else None
