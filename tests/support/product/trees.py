"""The product's modules as syntax trees."""

import ast
from functools import cache
from pathlib import Path


@cache
def parse(path: Path) -> ast.Module:
    """Return a module's tree; tests that run in one process parse it once."""
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def walk(tree: ast.AST) -> list[ast.AST]:
    """Return all nodes of a tree, which tests walk more than once."""
    return list(ast.walk(tree))
