"""Formulas in MathML as text: `10^6`, `(a + b)/2`."""

from typing import Any

from activities.parsing.html.tree.context import replace_by_text

_UNREAD = frozenset(("annotation", "annotation-xml", "mphantom", "none", "mprescripts"))
_PATTERNS = {
    "msup": "{0}^{1}",
    "msub": "{0}_{1}",
    "msubsup": "{0}_{1}^{2}",
    "mfrac": "{0}/{1}",
    "mroot": "root({0}, {1})",
    "munder": "{0}_{1}",
    "mover": "{0}^{1}",
    "munderover": "{0}_{1}^{2}",
}
_ARITY = {name: pattern.count("{") for name, pattern in _PATTERNS.items()}
_ACCENTS = frozenset("¯^~→˙¨‾_‐-")


def write_formulas(tree: Any) -> None:
    """Replace each formula by its text in one line."""
    for formula in [*tree.iter("math")]:
        replace_by_text(formula, f" {_write(formula).strip()} ")


def _write(tag: Any) -> str:
    """Return a formula's text; its depth is bounded as a page's is."""
    if not isinstance(tag.tag, str) or tag.tag in _UNREAD:
        return ""
    parts = [_write(each) for each in tag]
    if tag.tag in _PATTERNS and len(parts) == _ARITY[tag.tag]:
        return _write_pattern(tag.tag, parts)
    if tag.tag == "msqrt":
        return f"√({_join(parts)})"
    if tag.tag == "mtr":
        return " ".join(parts) + "; "
    if tag.tag == "mtd":
        return _join(parts)
    own = " ".join((tag.text or "").split())
    if tag.tag == "mo" and own in {"=", "+", "−", "-", "×", "≈", "≤", "≥", "<", ">", "±", "→"}:
        return f" {own} "
    return _join([own, *parts])


def _join(parts: list[str]) -> str:
    """Join parts on one line, with a space between two figures."""
    joined = ""
    for part in parts:
        joined += f" {part}" if joined[-1:].isdigit() and part[:1].isdigit() else part
    return joined


def _write_pattern(name: str, parts: list[str]) -> str:
    if name == "mover" and parts[1].strip() in _ACCENTS:
        return parts[0]
    return _PATTERNS[name].format(*map(_bracket, parts))


def _bracket(part: str) -> str:
    part = part.strip()
    is_term = part.lstrip("-−").replace(".", "").replace(",", "").isalnum()
    return part if is_term or (part[:1] == "(" and part[-1:] == ")") else f"({part})"
