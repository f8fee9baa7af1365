"""A program's lines in another library's words, as a function of that library's arrays."""

from __future__ import annotations

import ast
import copy
import importlib
from collections.abc import Iterable
from typing import Any

from .. import _limits
from .._trees import parsed
from ..terms import Map
from .dialects import Dialect
from .graph_terms import entries_of
from .helpers import WORD
from .source_module import Module
from .survey import Unprogrammable

# ----------------------------------------------------------------------- A program's lines in another library's words

# The idea to hold: what is written is a small language, names, calls of NumPy by their dotted names, a few methods,
# operators, and writes to views of an array made on the way. Python reads it: a line is its statement. Each word is
# found in the dialect's table or refused by name. A write goes where its view says: in place where arrays can change,
# else to a new array under the old name.


_NEW = frozenset({"np.zeros", "np.empty", "np.ones", "np.eye", "np.full"})
"""Calls that are new arrays of given entries."""

_PLAIN = frozenset({"float", "slice"})
"""Calls of Python that are numbers or indices."""


class Translation:
    """Lines of NumPy become lines of a dialect, one by one.

    Parameters
    ----------
    dialect : whose words
    like : an argument of the program, which new arrays take their dtype from
    truths : names of arrays that are no floats
    statements : all lines, of which `line` translates each: what is written into is looked up there

    Attributes
    ----------
    asked : whether a line needs ``dialect.like``
    """

    dialect: Dialect
    like: str
    truths: set[str]

    def __init__(self, dialect: Dialect, like: str, truths: set[str], statements: list[ast.stmt]) -> None:
        self.dialect, self.like, self.truths = dialect, dialect.like or like, truths
        self.asked: bool = False
        self.aliases: dict[str, ast.expr] = {}  # views that have a name: what they are of another name
        self.written: set[Any] = {_root(target).id for statement in statements for target in _targets(statement)}
        for view in [s for s in statements if isinstance(s, ast.Assign) and _is_view(s.value)]:
            if _root(view.targets[0]).id in self.written:  # what is written into under another name
                self.written.add(_root(view.value).id)

    def line(self, statement: ast.stmt) -> list[str]:
        """One line's lines."""
        if isinstance(statement, ast.Assign):
            return self._assigned(statement.targets[0], statement.value)
        if isinstance(statement, ast.AugAssign):
            return self._augmented(statement)
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
            return self._called(statement.value)
        raise Unprogrammable(f"'{ast.unparse(statement)}' has no translation")

    def expression(self, text: str) -> str:
        """An expression in the dialect's words."""
        return ast.unparse(self._of(parsed(text, "eval").body))

    # ------------------------------------------------------------------------------------------------- statements

    def _assigned(self, target: ast.expr, value: ast.expr) -> list[str]:
        if not isinstance(target, ast.Name):
            return self._write(target, "=", self._text(value))
        name = target.id
        if name in self.written and _is_view(value):
            self.aliases[name] = value
            return []
        text = self._text(value)
        sign = "begun" if name in self.written else "number" if is_number(value) else ""
        known = sign in self.dialect.signs and not _is_new(value)
        return [f"{name} = {self._signed(sign, _grouped(value, text)) if known else text}"]

    def _augmented(self, statement: ast.AugAssign) -> list[str]:
        sign = "-" if isinstance(statement.op, ast.Sub) else "+"
        if isinstance(statement.target, ast.Name):
            name = statement.target.id
            return [f"{name} = {name} {sign} {_grouped(statement.value, self._text(statement.value))}"]
        return self._write(statement.target, f"{sign}=", self._text(statement.value))

    def _called(self, call: ast.Call) -> list[str]:
        """A function that writes into what it gets."""
        name, args = ast.unparse(call.func), call.args
        if name == "_pairs":
            return self._write(args[2], "=", f"_pairs({self._text(args[0])}, {self._text(args[1])})")
        if name == "_even":
            block = self._text(copy.deepcopy(args[0]))
            return self._write(args[0], "=", f"0.5 * ({block} + {block}.T)")
        if name == "np.add.at" and isinstance(args[0], ast.Name) and isinstance(args[1], ast.Subscript):
            index = ast.unparse(args[1]).removeprefix("np.s_")
            return [self.dialect.calls[name].format(args[0].id, index, self._text(args[2]))]
        raise Unprogrammable(f"{name} has no name in {self.dialect.name}")

    def _write(self, target: ast.expr, sign: str, value: str) -> list[str]:
        """Set or add a value where a view of a name is."""
        target = _Aliases(self.aliases).visit(target)
        root = _root(target).id
        whole = isinstance(target, ast.Subscript) and _is_all(target.slice)
        view = target.value if isinstance(target, ast.Subscript) and whole else target
        if isinstance(view, ast.Name) and sign != "=":
            return [f"{root} = {root} {sign[0]} ({value})" if self.dialect.writes else f"{root} {sign} {value}"]
        if not self.dialect.writes and not self._is_backwards(view):
            return [f"{self._view(view)}{'[...]' if isinstance(view, ast.Call) else ''} {sign} {value}"]
        value, sign = (f"-({value})", "+=") if sign == "-=" else (value, sign)
        if isinstance(view, ast.Subscript) and isinstance(view.value, ast.Name) and self.dialect.writes:
            return [self.dialect.writes[sign].format(root, ast.unparse(view)[len(root) :], value)]
        places = ast.unparse(_OfRoot("a").visit(view))
        return [f"{root} = _placed({root}, lambda a: {places}, {value}, {sign != '='})"]

    def _view(self, view: ast.expr) -> str:
        """A view to write into: what would be a copy raises."""
        return self._text(view).replace(".reshape(", f".{self.dialect.view}(")

    def _is_backwards(self, view: ast.expr) -> bool:
        """Whether there is a slice with a negative step, where the library has none."""
        return "backwards" in self.dialect.signs and _turns(view)

    # ------------------------------------------------------------------------------------------------ expressions

    def _text(self, node: ast.expr) -> str:
        return ast.unparse(self._of(node))

    def _new(self) -> str:
        """What new arrays are made like."""
        self.asked = True
        return self.like

    def _signed(self, sign: str, *texts: str) -> str:
        """What a sign is there."""
        form = self.dialect.signs[sign]
        return form.format(*texts, like=self._new() if "{like}" in form else "")

    def _of(self, node: Any) -> Any:
        if isinstance(node, ast.Constant) and type(node.value) is int and abs(node.value) >= 2**31:
            return ast.Constant(float(node.value))  # JAX takes whole numbers of 32 bits, where it has no 64
        if isinstance(node, ast.Call):
            return self._call(node)
        if isinstance(node, ast.Attribute):
            return self._attribute(node)
        if isinstance(node, ast.BinOp) and "cast" in self.dialect.signs and self._is_cast(node):
            return _expression(self._signed("cast", ast.unparse(node.left)))
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.UAdd) and "copy" in self.dialect.signs:
            return _expression(self._signed("copy", self._text(node.operand)))
        if isinstance(node, ast.Subscript) and self._is_backwards(node.slice):
            index = ast.unparse(node)[len(ast.unparse(node.value)) :]
            return _expression(self._signed("backwards", self._text(node.value), index))
        for field, value in ast.iter_fields(node):
            if isinstance(value, ast.expr):
                setattr(node, field, self._of(value))
            elif isinstance(value, list):
                setattr(node, field, [self._of(v) if isinstance(v, ast.expr) else v for v in value])
        return node

    def _is_cast(self, node: ast.BinOp) -> bool:
        """Whether truth values become numbers."""
        known = isinstance(node.left, ast.Name) and node.left.id in self.truths
        return known and isinstance(node.op, ast.Mult) and ast.unparse(node.right) == "1.0"

    def _attribute(self, node: ast.Attribute) -> Any:
        dotted = _dotted(node)
        if dotted.split(".")[0] in {"np", *self.dialect.library.roots}:
            if dotted in ("np.pi", "np.inf", "np.nan"):
                return _expression(f"math.{dotted[3:]}")
            return node
        if node.attr != "T":
            raise Unprogrammable(f"'.{node.attr}' of an array has no name in {self.dialect.name}")
        node.value = self._of(node.value)
        return node

    def _call(self, node: ast.Call) -> Any:
        if isinstance(node.func, ast.Name):
            if node.func.id not in self.dialect.helpers and node.func.id not in _PLAIN:
                raise Unprogrammable(f"{node.func.id.lstrip('_')} has no name in {self.dialect.name}")
            node.args = [self._of(a) for a in node.args]
            return node
        name = _dotted(node.func)
        if name.split(".")[0] not in {"np", "scipy", *self.dialect.library.roots}:
            return self._method(node)
        args = [self._text(a) for a in node.args]
        target = self._called_there(name)
        if "{" in target:
            if "{like}" in target:
                self._new()
            return _expression(target.format(*args, like=self.like))
        args = self._as_arrays(target, node.args, args)
        if name.endswith(".where") and "truth" in self.dialect.signs and not isinstance(node.args[0], ast.Compare):
            args[0] = self._signed("truth", args[0])
        keywords = [(self.dialect.keywords.get(k.arg or ""), k) for k in node.keywords if k.arg != "optimize"]
        if name.startswith("np.") and any(mine is None for mine, _ in keywords):
            words = ", ".join([str(k.arg) for mine, k in keywords if mine is None])
            raise Unprogrammable(f"{name} with {words} has no name in {self.dialect.name}")
        named = [f"{mine or k.arg}={self._text(k.value)}" for mine, k in keywords if ast.unparse(k) != "axis=None"]
        return _expression(f"{target}({', '.join([*args, *named])})")

    def _as_arrays(self, target: str, nodes: list[ast.expr], args: list[str]) -> list[str]:
        """Arguments where numbers became arrays: all but those that say how (of ``clip``, bounds)."""
        if not self.dialect.all_arrays or target in self.dialect.number_first:
            return args
        bounds = target.endswith(".clip") and all(map(is_number, nodes[1:]))
        count = len(args) if target in self.dialect.all_arrays and not bounds else 1
        return [
            self._signed("number", text) if k < count and is_number(node) else text
            for k, (node, text) in enumerate(zip(nodes, args, strict=True))
        ]

    def _method(self, node: ast.Call) -> Any:
        func = node.func
        assert isinstance(func, ast.Attribute)
        if func.attr not in self.dialect.methods:
            raise Unprogrammable(f"'.{func.attr}()' of an array has no name in {self.dialect.name}")
        if not self.dialect.methods[func.attr]:
            return self._of(func.value)
        func.attr, func.value = self.dialect.methods[func.attr], self._of(func.value)
        node.args = [self._of(a) for a in node.args]
        return node

    def _called_there(self, name: str) -> str:
        """What a function is called: by the table, or by the same name where the library has it."""
        calls = self.dialect.calls
        if name in calls:
            return calls[name]
        module, _, word = name.rpartition(".")
        root, dot, inner = module.partition(".")
        place = calls.get(module) or (calls[root] + dot + inner if root in calls else module)
        if _has(place, word, self.dialect):
            return f"{place}.{word}"
        raise Unprogrammable(f"{name} has no name in {self.dialect.name}")


def is_number(node: ast.expr) -> bool:
    """Whether an expression mentions no array."""
    return not any(isinstance(n, ast.Name) and n.id not in ("np", "math", "float") for n in ast.walk(node))


def _has(place: str, word: str, dialect: Dialect) -> bool:
    """Whether a module of the library has a function."""
    root, dot, inner = place.partition(".")
    if root == "np" != dialect.library.module:  # NumPy's own, by another name than here or not at all
        return False
    try:
        found = importlib.import_module(dialect.library.imports.get(root, root) + dot + inner)
    except ImportError:
        return False
    return hasattr(found, word)


def _dotted(node: ast.expr) -> str:
    """A name with dots; nothing if it is more than that."""
    if isinstance(node, ast.Attribute):
        before = _dotted(node.value)
        return f"{before}.{node.attr}" if before else ""
    return node.id if isinstance(node, ast.Name) else ""


def _expression(text: str) -> ast.expr:
    return parsed(text, "eval").body


def _grouped(node: ast.expr, text: str) -> str:
    return f"({text})" if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub) else text


def _targets(statement: ast.stmt) -> list[ast.expr]:
    """What a statement writes into."""
    if isinstance(statement, ast.Assign | ast.AugAssign):
        target = statement.targets[0] if isinstance(statement, ast.Assign) else statement.target
        return [] if isinstance(target, ast.Name) else [target]
    call = statement.value  # type: ignore[attr-defined]
    return [call.args[2 if ast.unparse(call.func) == "_pairs" else 0]]


def _root(view: ast.expr) -> Any:
    """The name that a view is of."""
    while not isinstance(view, ast.Name):
        if isinstance(view, ast.Subscript | ast.Attribute):
            view = view.value
        elif isinstance(view, ast.Call):
            view = view.args[1] if ast.unparse(view.func) == "np.einsum" else view.func
        else:
            raise Unprogrammable(f"'{ast.unparse(view)}' is written into")
    return view


def _is_view(value: ast.expr) -> bool:
    """Whether an expression is a name's memory."""
    method = isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute)
    return method and ast.unparse(value.func).endswith(".reshape") and isinstance(value.func.value, ast.Name)  # type: ignore[attr-defined]


def _is_new(value: ast.expr) -> bool:
    """Whether an expression is a new array of given entries."""
    return isinstance(value, ast.Call) and _dotted(value.func) in _NEW


def _is_all(index: ast.expr) -> bool:
    return isinstance(index, ast.Constant) and index.value is Ellipsis


def _turns(view: ast.expr) -> bool:
    """Whether there is a slice with a negative step."""
    steps = [n.step for n in ast.walk(view) if isinstance(n, ast.Slice) and n.step is not None]
    return any(isinstance(step, ast.UnaryOp) for step in steps)


def masks(statements: list[ast.stmt]) -> set[str]:
    """The names that lines read as truth values or indices."""
    found = set()
    for node in [n for statement in statements for n in ast.walk(statement)]:
        within: list[ast.expr] = []
        if isinstance(node, ast.Subscript):
            within = [node.slice]
        elif isinstance(node, ast.Call):
            name = _dotted(node.func)
            within = node.args[:1] if name == "np.where" else node.args if name.startswith("np.logical") else []
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Invert):
            within = [node.operand]
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitAnd | ast.BitOr | ast.BitXor):
            within = [node.left, node.right]
        found |= {n.id for part in within for n in ast.walk(part) if isinstance(n, ast.Name)}
    return found


class _Aliases(ast.NodeTransformer):
    """Names of views as what they are."""

    def __init__(self, views: dict[str, ast.expr]) -> None:
        self.views = views

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return copy.deepcopy(self.views.get(node.id, node))


class _OfRoot(ast.NodeTransformer):
    """A view of another name."""

    def __init__(self, name: str) -> None:
        self.name = name

    def visit(self, node: Any) -> Any:
        root = _root(node)
        root.id = self.name
        return node


# ---------------------------------------------------------------- A program as a function of another library's arrays

# The idea to hold: it is the program's own text, line by line in the dialect's words, so that whoever knows the NumPy
# program reads this one. Nothing in it looks at a value: what NumPy's program asks the tape about is NaN here.


class TranslatedModule(Module):
    """A program in a dialect.

    Attributes
    ----------
    given : names of what comes with every call
    arguments : the variables, and what else it takes, by name
    constants : NumPy arrays that its source mentions by name
    """

    arguments: list[tuple[Any, Any]]
    constants: dict[Any, Any]
    results: list[str]

    def __init__(self, program: Any, dialect: Dialect, given: Iterable[str]) -> None:
        self.given: set[str] = set(given)
        super().__init__(program, {}, dialect)

    def _compile(self) -> None:
        source, program, dialect = self.source, self.program, self.dialect
        words = {name for name, _ in self.arguments}
        self.arguments = [(n, place) for n, place in program.inputs.items() if n in words or n in program.variables]
        statements = [parsed(line).body[0] for line in source.lines]
        shown = masks(statements)
        self.constants = {
            name: value * 1.0 if value.dtype.kind == "b" and name not in shown else value
            for name, value in self.constants.items()
        }
        translation = Translation(dialect, program.variables[0], source.truths, statements)
        lines: list[str] = []
        for number, (statement, (_, note)) in enumerate(zip(statements, source.lines_and_notes(), strict=True)):
            if number == self.filled_from:
                lines += [f"{name} = _once({name})" for name in self._spread()]
            found = translation.line(statement)
            if found and note:
                found[-1] += f"  # {note}"
            lines += found
        self.results = [translation.expression(text) for text in self.results]
        lines += self._sound(program.must_be_finite)
        if translation.asked and dialect.like:
            floats = [name for name, _ in self.arguments if name in self.given - program.truths]
            lines.insert(0, f"{dialect.like} = {' + '.join([f'{name}.new_zeros(())' for name in floats])}")
        self._lines = lines

    @property
    def lines(self) -> list[str]:
        return self._lines

    def _spread(self) -> list[str]:
        """Arrays that each entry of the matrix would compute again: smaller than it by much, with functions in them."""
        if not self.dialect.compiles:
            return []
        program, terms = self.program, self.program.builder.terms
        read = dict.fromkeys(WORD.findall("\n".join(self.source.lines[self.filled_from :])))
        most = program.assembly.height * program.assembly.width / _limits.COMPUTED_AGAIN
        small = [name for name in read if name in terms and 1 < entries_of(terms[name].shape) <= most]
        return [name for name in small if any(map(_takes_long, map(terms.get, program.builder.behind([name], {}))))]

    def _sound(self, must_be_finite: list[str]) -> list[str]:
        """Lines that make every result NaN where the function has an edge that its program has not."""
        if not must_be_finite:
            return []
        xp = self.dialect.library.module
        finite = " & ".join([f"{xp}.all({xp}.isfinite({name}))" for name in must_be_finite])
        lines = [f"sound = {xp}.where({finite}, 1.0, float('nan'))"]
        names = dict.fromkeys(name for text in self.results for name in WORD.findall(text))
        return lines + [f"{name} = {name} * sound" for name in names]

    def beginning(self, given: list[str], constants: dict[str, Any]) -> tuple[list[str], dict[str, Any]]:
        """Arguments become the library's arrays, and constants too, where they are: a file holds NumPy's."""
        array, first = self.dialect.array, self.program.variables[0]
        lines = [f"{name} = {array}({name})" for name in given]
        for name, value in constants.items():
            dtype = f", dtype={first}.dtype" if value.dtype.kind == "f" else ""
            lines.append(f"{name} = {array}(_{name}{dtype}{self.dialect.beside.format(first)})")
        return lines, {f"_{name}": value for name, value in constants.items()}

    def load(self, constants: dict[str, Any]) -> Any:
        """The function, with its constants as they are to be; it returns a tuple."""
        plain = self.plain()
        space: dict[str, Any] = dict(constants)
        exec("\n".join(self.imports(plain)), space)
        exec(compile(plain, f"<symgrad derivative program for {self.dialect.name}>", "exec"), space)  # our own source
        function = space[self.name]
        return function if len(self.results) > 1 else lambda *args: (function(*args),)


def _takes_long(term: Any) -> bool:
    """Whether a definition is a function that is not a few products."""
    if not isinstance(term, Map) or term.op.kind == "constant":
        return False
    return term.exponent not in (2, 3, 4)
