"""Small questions about syntax trees."""

import ast

PACKAGE = "mxnet"
PACKAGES = ("mxnet", "regluon")  # in which the interface is implemented


def exception_types(handler: ast.ExceptHandler) -> list[ast.AST]:
    """The exceptions that a handler catches."""
    if handler.type is None:
        return [ast.Name("Exception")]
    return list(handler.type.elts) if isinstance(handler.type, ast.Tuple) else [handler.type]


def last_name(node: ast.AST) -> str:
    """`c` of `a.b.c`; nothing for what is no name."""
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def is_ours(module: str) -> bool:
    """Whether a dotted name begins with the package."""
    return module == PACKAGE or module.startswith(f"{PACKAGE}.")


def is_true(node: ast.AST) -> bool:
    """Whether an expression is True, as written."""
    return isinstance(node, ast.Constant) and node.value is True
