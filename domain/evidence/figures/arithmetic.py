"""Arithmetic on given numbers: simpleeval, restricted to floats."""

import ast
import math
import operator
import re
from collections.abc import Callable, Mapping

from simpleeval import InvalidExpression, SimpleEval

from contracts.errors import ToolFailed
from contracts.problems import Problem
from domain.evidence.figures.notation.figure_parser import has_foreign_scale
from domain.evidence.figures.notation.units import SCALES

FUNCTIONS: dict[str, Callable[..., float]] = {
    "abs": abs,
    "exp": math.exp,
    "log": math.log,
    "max": max,
    "min": min,
    "round": lambda value, digits=0.0: round(value, int(digits)),
    "sqrt": math.sqrt,
}
OPERATORS = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
}
CALL = re.compile(r"\w\s*\(")
GROUPED = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
"""Thousands separators in a number such as 1,234,567."""
_GAPS = re.compile(r"(?<=\d)['’ \u00a0\u2009\u202f](?=\d{3}(?!\d))|(?<=[^\W\d_])\.(?=[-+*/)\s]|\Z)")
"""Spaces and apostrophes between groups of digits, and the point of `Mrd.`"""
_ENGLISH = re.compile(r"\d\.(?!\d{3}(?!\d))\d|\d,\d{3}[.,]\d|\.\d+e\d")
_EUROPEAN = re.compile(r"\d,(?!\d{3}(?!\d))\d|\d\.\d{3}[.,]\d")
"""Numbers that only the English notation (`21,194.5`) or only the European one (`21.194,5`) allows."""
_SCALE_WORDS = "|".join(map(re.escape, SCALES))
_SWAPPED = str.maketrans(",.", ".,")
_NUMBER = r"(?<![\w.])(\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)"
_SCALED = re.compile(rf"(?:{_NUMBER}|(\([^()]*+\)))\s*({_SCALE_WORDS})\b", re.IGNORECASE)
"""A figure, or a bracket without another in it, with a word of scale."""
_PERCENT = re.compile(rf"{_NUMBER}\s*%(?=\s*(?:[-+*/);]|\Z))")
EXPONENTS = (0.5, 2, 3)
"""Exponents of formulas, such as the standard error's, that need no quote."""
NODES = (ast.Name, ast.BinOp, ast.UnaryOp, ast.Call)


def calculate(expression: str, variables: Mapping[str, float]) -> float:
    """Evaluate an expression.

    All numbers are floats, so a huge power overflows immediately instead of taking time and memory.

    Raises:
        ToolFailed: The text is not arithmetic, or has no finite, real value.
    """
    try:
        names = {name: float(value) for name, value in variables.items()}
        evaluator = SimpleEval(OPERATORS, FUNCTIONS, names)
        nodes = {node: evaluator.nodes[node] for node in NODES}
        evaluator.nodes = nodes | {ast.Constant: _evaluate_number}
        source = _strip_commas(expression)
        tree = ast.parse(source, mode="eval")
        if any(isinstance(node, ast.Tuple) for node in ast.walk(tree)):
            raise _refuse("sum-commas", text=expression)
        value = evaluator.eval(source, tree.body)
    except ZeroDivisionError:
        raise _refuse("sum-by-zero") from None
    except OverflowError:
        raise _refuse("sum-large") from None
    except (RecursionError, MemoryError):
        raise _refuse("sum-deep") from None
    except SyntaxError:
        raise _refuse("sum-none", text=expression) from None
    except (InvalidExpression, TypeError, ValueError) as error:
        raise _refuse("sum-wrong", reason=str(error)) from None
    if not isinstance(value, float) or not math.isfinite(value):
        raise _refuse("sum-unreal")
    return float(f"{value:.15g}")  # the digits that a float represents exactly: 0.1 + 0.2 gives 0.3


def _refuse(code: str, **params: str) -> ToolFailed:
    return ToolFailed(Problem.at("expression", code, **params))


def list_numbers(expression: str) -> list[str]:
    """Return the numbers of an expression as they are written, without exponents."""
    source = _strip_commas(expression)
    nodes = [*ast.walk(parse(expression))]
    exponents = [n.right for n in nodes if isinstance(n, ast.BinOp) and isinstance(n.op, ast.Pow)]
    found = (
        node
        for node in nodes
        if isinstance(node, ast.Constant) and not (node in exponents and node.value in EXPONENTS)
    )
    return [ast.get_source_segment(source, node) or "" for node in found]


def parse(expression: str) -> ast.Expression:
    """Return the syntax tree of an expression that can be calculated."""
    return ast.parse(_strip_commas(expression), mode="eval")


def list_readings(expression: str) -> list[str]:
    """Return what an expression may mean, with the scales and per cents of its figures as arithmetic.

    `3.8 billion * 5%` becomes `(3.8 * 1000000000) * (5 / 100)`; figures may be grouped, as in English or in German.
    With `51,566 Mrd` and `51.566 Mrd` either may be meant; the decimals come first.
    """
    plain = _GAPS.sub("", expression)
    swapped = plain.translate(_SWAPPED)
    if CALL.search(plain) or _ENGLISH.search(plain):
        readings = [plain]
    elif _EUROPEAN.search(plain):
        readings = [swapped]
    else:
        both = [swapped, plain] if "," in plain else [plain, swapped]
        readings = both if has_foreign_scale(plain) else [plain]
    return [*map(_spell_out, readings)]


def _spell_out(plain: str) -> str:
    scaled = _SCALED.sub(_multiply, plain)
    return _PERCENT.sub(lambda match: f"({GROUPED.sub('', match[1])} / 100)", scaled)


def _multiply(match: re.Match[str]) -> str:
    figure = match[2] or GROUPED.sub("", match[1])
    return f"({figure} * {SCALES[match[3].casefold()]})"


def _strip_commas(expression: str) -> str:
    """Return an expression with numbers as a program writes them, unless commas part arguments."""
    text = expression.strip()
    return text if CALL.search(text) else GROUPED.sub("", text)


def _evaluate_number(node: ast.Constant) -> float:
    if isinstance(node.value, bool) or not isinstance(node.value, int | float):
        raise InvalidExpression(f"{node.value!r} is no number")
    return float(node.value)
