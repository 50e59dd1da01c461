"""From syntax trees to the names of MXNet that a program uses, and other signs that it was written for MXNet."""

import ast
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from .resolver import (
    EITHER_FRONT_END,
    PACKAGE,
    Paths,
    Place,
    Reading,
    Scope,
    Sign,
    Use,
    exception_types,
    is_ours,
    is_true,
    last_name,
)
from .sources import Source

_VERSIONS = {"mxnet.__version__", "mxnet.libinfo.__version__"}
_IMPORTERS = {"importorskip", "import_module", "__import__"}  # functions that are given the name of a module
_CAUGHT = {"ImportError", "ModuleNotFoundError", "AttributeError", "Exception", "BaseException"}


def read_uses(source: Source, star: Callable[[str], Sequence[str]]) -> Reading:
    """The names of MXNet in a file.

    Args:
        source: the parsed file.
        star: the names that a star import of a module brings.
    """
    reader = _Reader(source.path, star)
    for piece in source.pieces:  # the cells of a notebook share one scope
        reader.cell = piece.cell
        for statement in piece.tree.body:
            reader.visit(statement)
    reader.finish()
    return reader.found


class _Reader(ast.NodeVisitor):
    """Follows the bindings of names in the order of statements; bodies of functions come last, as they run later."""

    def __init__(self, path: str, star: Callable[[str], Sequence[str]]) -> None:
        self.found = Reading([], [], set(), set())
        self.cell = 0
        self._path, self._star = path, star
        self._scope = Scope()
        self._uses_mxnet = False
        self._branches = self._guards = 0
        self._later: deque[tuple[ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda, Scope, int, int]] = deque()

    def finish(self) -> None:
        """Reads the bodies of functions, and of those inside them."""
        while self._later:
            function, scope, self.cell, self._guards = self._later.popleft()
            self._scope, self._branches = scope, 0
            body = [function.body] if isinstance(function, ast.Lambda) else function.body
            for node in body:
                self.visit(node)

    # Where things are.

    def _place(self, node: ast.AST) -> Place:
        return Place(self._path, getattr(node, "lineno", 0), self.cell)

    def _use(self, paths: Paths, node: ast.AST) -> None:
        if paths:
            self.found.uses.append(Use(paths, self._place(node), self._guards > 0))

    def _sign(self, kind: str, detail: str, node: ast.AST) -> None:
        self.found.signs.append(Sign(kind, detail, self._place(node)))

    @contextmanager
    def _inside(self, scope: Scope) -> Iterator[None]:
        outer, self._scope = self._scope, scope
        yield
        self._scope = outer

    def _branch(self, nodes: Sequence[ast.AST], is_guarded: bool = False) -> None:
        """Statements that may not run; guarded ones are prepared for a name that is missing."""
        self._branches += 1
        self._guards += is_guarded
        for node in nodes:
            self.visit(node)
        self._guards -= is_guarded
        self._branches -= 1

    def _bind(self, name: str, paths: Paths) -> None:
        self._scope.bind(name, paths, not self._branches)

    # What expressions stand for.

    def _paths(self, node: ast.AST) -> Paths:
        """The names of MXNet that an expression stands for; none, for anything else."""
        match node:
            case ast.Name(id=name):
                return self._scope.find(name)
            case ast.Attribute(value=owner, attr=name):
                return tuple(f"{path}.{name}" for path in self._paths(owner))
            case ast.IfExp(body=first, orelse=second):
                return (*self._paths(first), *self._paths(second))
            case ast.BoolOp(op=ast.Or(), values=values):
                return tuple(path for value in values for path in self._paths(value))
            case ast.Call(args=[ast.Constant(value=str(path)), *_]) if last_name(node.func) in _IMPORTERS:
                return (path,) if is_ours(path) else ()
        return ()

    def visit_Name(self, node: ast.Name) -> None:
        """A name by itself: used, or bound to something that is not of MXNet."""
        if isinstance(node.ctx, ast.Load):
            self._use(self._scope.find(node.id), node)
        else:
            self._bind(node.id, ())

    def visit_Attribute(self, node: ast.Attribute) -> None:
        """The longest chain of names counts, not its parts."""
        paths = self._paths(node)
        if not paths:
            if node.attr == "handle" and isinstance(node.ctx, ast.Load) and self._uses_mxnet:
                self._sign("handle", ast.unparse(node), node)
            self.visit(node.value)
        elif isinstance(node.ctx, ast.Load):
            self._use(paths, node)
        else:
            self.found.defined.update(paths)
            self.visit(node.value)

    def visit_Call(self, node: ast.Call) -> None:
        """A call, with the functions that ask for a name given as text, and arguments that matter."""
        name = last_name(node.func)
        match node:
            case ast.Call(func=ast.Name(id="getattr" | "hasattr"), args=[owner, ast.Constant(value=str(text)), *more]):
                self._asked(tuple(f"{path}.{text}" for path in self._paths(owner)), name, bool(more), node)
            case ast.Call(func=ast.Name(id="getattr"), args=[owner, _, *_]) if paths := self._paths(owner):
                self._sign("computed", f"getattr({paths[0]}, ...)", node)
        if name in ("CDLL", "LoadLibrary") and "mxnet" in ast.unparse(node):
            self._sign("ctypes", ast.unparse(node), node)
        for keyword in node.keywords:
            if keyword.arg == "pretrained" and is_true(keyword.value):
                self._sign("pretrained", ast.unparse(node.func), node)
        self.generic_visit(node)

    def _asked(self, paths: Paths, function: str, has_default: bool, node: ast.AST) -> None:
        if function == "hasattr" or has_default:
            self.found.asked.update(paths)
        else:
            self._use(paths, node)

    def visit_Constant(self, node: ast.Constant) -> None:
        """Texts that name a variable of the environment."""
        text = node.value
        if isinstance(text, str) and text.startswith("MXNET_") and text.isidentifier() and text.isupper():
            self._sign("environment", text, node)

    # What binds names.

    def visit_Import(self, node: ast.Import) -> None:
        """`import mxnet.gluon as gluon`; without `as` the package is bound."""
        for alias in node.names:
            if not is_ours(alias.name):
                self._sign("library", alias.name.partition(".")[0], node)
                self._bind(alias.asname or alias.name.partition(".")[0], ())
                continue
            self._uses_mxnet = True
            self._use((alias.name,), node)
            if alias.asname:
                self._bind(alias.asname, (alias.name,))
            else:
                self._bind(PACKAGE, (PACKAGE,))

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        """`from mxnet.gluon import nn`, or a star."""
        module = node.module or ""
        if node.level or not is_ours(module):
            self._sign("library", module.partition(".")[0] if not node.level else "", node)
            for alias in node.names:
                self._bind(alias.asname or alias.name, ())
            return
        self._uses_mxnet = True
        for alias in node.names:
            if alias.name == "*":
                self._use((module,), node)
                self._scope.stars.update((name, (f"{module}.{name}",)) for name in self._star(module))
            else:
                self._use((f"{module}.{alias.name}",), node)
                self._bind(alias.asname or alias.name, (f"{module}.{alias.name}",))

    def visit_Assign(self, node: ast.Assign) -> None:
        """`F = mx.nd` and `a, b = mx.nd, mx.sym` bind names of MXNet; other assignments hide them."""
        self.visit(node.value)
        for target in node.targets:
            self._assign(target, node.value)

    def _assign(self, target: ast.expr, value: ast.expr) -> None:
        match target, value:
            case ast.Name(id=name), ast.Constant(value=None):
                self._scope.names.setdefault(name, ())  # `nd = None` prepares for an import that fails
            case ast.Name(id=name), _:
                self._bind(name, self._paths(value))
            case (ast.Tuple(elts=targets), ast.Tuple(elts=values)) if len(targets) == len(values):
                for each, given in zip(targets, values, strict=True):
                    self._assign(each, given)
            case _:
                self.visit(target)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        """`x: type = value`."""
        self.visit(node.annotation)
        if node.value:
            self.visit(node.value)
            self._assign(node.target, node.value)

    def visit_NamedExpr(self, node: ast.NamedExpr) -> None:
        """`(x := value)`."""
        self.visit(node.value)
        self._assign(node.target, node.value)

    # What makes scopes.

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> None:
        """A function: what stands in its head belongs outside, its body is read later."""
        arguments = node.args
        heads: list[ast.AST | None] = [*arguments.defaults, *arguments.kw_defaults]
        given = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        given += filter(None, (arguments.vararg, arguments.kwarg))
        heads += [argument.annotation for argument in given]
        if not isinstance(node, ast.Lambda):
            heads += [*node.decorator_list, node.returns]
            self._bind(node.name, ())
        for head in filter(None, heads):
            self.visit(head)
        inner = Scope(self._scope)
        for argument in given:
            inner.names[argument.arg] = self._argument(argument.arg, getattr(node, "name", ""))
        self._later.append((node, inner, self.cell, self._guards))

    def _argument(self, name: str, function: str) -> Paths:
        """`F` is MXNet's in `hybrid_forward`, and by custom in the functions that it is handed to."""
        is_front_end = name == EITHER_FRONT_END and (self._uses_mxnet or function == "hybrid_forward")
        return (EITHER_FRONT_END,) if is_front_end else ()

    visit_AsyncFunctionDef = visit_FunctionDef
    visit_Lambda = visit_FunctionDef

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        """A class: its body runs at once, in a scope of its own."""
        for head in (*node.decorator_list, *node.bases, *node.keywords):
            self.visit(head)
        self._bind(node.name, ())
        with self._inside(Scope(self._scope, is_class=True)):
            for statement in node.body:
                self.visit(statement)

    def _comprehension(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> None:
        with self._inside(Scope(self._scope)):
            for generator in node.generators:
                self.visit(generator)
            for value in (node.key, node.value) if isinstance(node, ast.DictComp) else (node.elt,):
                self.visit(value)

    visit_ListComp = visit_SetComp = visit_GeneratorExp = visit_DictComp = _comprehension

    # What may not run.

    def visit_If(self, node: ast.If) -> None:
        """Both branches may run; a test of MXNet's version guards both."""
        self.visit(node.test)
        is_version = any(_VERSIONS.intersection(self._paths(part)) for part in ast.walk(node.test))
        self._branch(node.body, is_version)
        self._branch(node.orelse, is_version)

    def visit_Try(self, node: ast.Try) -> None:
        """What stands in `try` is guarded if a missing name or module is caught."""
        caught = {last_name(each) for handler in node.handlers for each in exception_types(handler)}
        is_guarded = bool(caught & _CAUGHT)
        self._guards += is_guarded
        for statement in node.body:
            self.visit(statement)
        self._guards -= is_guarded
        for handler in node.handlers:
            self._branch([*filter(None, [handler.type]), *handler.body], is_guarded)
        self._branch(node.orelse, is_guarded)
        for statement in node.finalbody:
            self.visit(statement)

    def visit_For(self, node: ast.For | ast.AsyncFor) -> None:
        """The body may not run; `for F in (mx.nd, mx.sym)` binds one after the other."""
        self.visit(node.iter)
        values = node.iter.elts if isinstance(node.iter, (ast.Tuple, ast.List)) else []
        self.visit(node.target)
        if isinstance(node.target, ast.Name):
            self._bind(node.target.id, tuple(path for value in values for path in self._paths(value)))
        self._branch([*node.body, *node.orelse])

    visit_AsyncFor = visit_For

    def visit_While(self, node: ast.While) -> None:
        """The body may not run."""
        self.visit(node.test)
        self._branch([*node.body, *node.orelse])
