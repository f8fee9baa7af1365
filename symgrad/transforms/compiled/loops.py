"""Programs of functions with loops in them: the function around the loops, the loops' steps, and the chain rule.

The idea to hold: with V the values of the loops, f(x) = φ(x, V(u(x))). One program has the derivatives of φ in x and V,
another those of what each loop uses, u, in x; a loop's own are by the program of its step. Each is small, however long
the loops are.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from types import SimpleNamespace
from typing import Any

import numpy as np

from ...core import Facts, edge, make_symbol
from ...ops import FUNCTIONS, METHODS
from ...programs import Dialect, Program, Unprogrammable, rows_added, widened
from ...programs.loops import CompiledStep, Input, LoopedModule, Scalar, ScalarForm, TranslatedLoops, scalar_form
from ..calls.variables import recording
from ..loops.scan import rows_of
from ..loops.scan_course import Course


class NotLooped(Exception):
    """A loop is to be written out."""


class _Part:
    """A program, and how to take its arguments from those of the whole."""

    def __init__(self, program: Program, source: Any) -> None:
        self.program, self._source = program, source
        self.places = [self.place(name) for name, _ in program.whole.arguments]
        self.numbers: Any = None
        self._constant: Any = None

    def place(self, name: str) -> tuple[str | None, Any]:
        """What one of its arguments is called by the user, and its value here; None for what the function catches."""
        word: str | None = self._source.words.get(name)
        return word, self._source.point[name]

    def number_by_number(self) -> ScalarForm | None:
        """Let it run on single numbers, where it can."""
        names = [name for name, _ in self.program.whole.arguments]
        given = [(n, word, v) for n, (word, v) in zip(names, self.places, strict=True) if word is not None]
        inputs = [Input(name, np.shape(value), isinstance(value, np.ndarray)) for name, _, value in given]
        constants = {n: np.array(v) for n, (word, v) in zip(names, self.places, strict=True) if word is None}
        form = scalar_form(self.program, inputs, constants, (self.program.total,) * 2)
        if form is None or not form.for_python:
            return None
        self.numbers = form.function(self.program.outputs), [word for _, word, _ in given]
        return form

    def run(self, values: dict[Any, Any]) -> Any:
        """Its results in alphabetical order; None where a number is not finite."""
        if self.numbers is not None:
            function, words = self.numbers
            found = function(*[values[word] for word in words])
            if found is not None:
                return found
        if not self.places:  # the same in each call
            self._constant = self._constant or self.program.run([])
            return self._constant
        return self.program.run([widened(values.get(word, value), self.program.dtype) for word, value in self.places])


class _Inner:
    """A loop: what it uses as a function of the arguments, and the program of its step."""

    def __init__(
        self, name: str, used: Any, part: _Part, weights: str, is_compiled: bool, total: int, fed: list[str]
    ) -> None:
        self.name, self.part, self.weights = name, part, weights
        self.fed = fed  # the loops before it whose values it uses, which come after the arguments
        made = used.made()
        if made is None:
            raise NotLooped
        self.length, self.reverse, sizes = used.loop.length, used.loop.reverse, used.sizes
        self.program, self.outer, self.is_single = made.program, sizes.state + sizes.outer, used.is_single
        self.size, self.places = sum([t._data.size for t in used.variables]), used.places
        self.compiled = CompiledStep(self.program.form, used.sizes, min(self.size, total)) if is_compiled else None
        self.xs = list(zip(used.names, [x for x in used.xs if x is not None], strict=True))
        self.shape = self.length, used.sizes.state + used.sizes.collected
        form = part.number_by_number()
        self.total = total
        matrix = None if form is None else form.outputs["h"][0].numbers
        self.is_linear = matrix is not None and not _any(matrix[self.size :, self.size :])  # in the arguments
        self.moves: np.ndarray | None = None  # how what it uses moves with these, where that is the same everywhere
        if matrix is not None and not any(isinstance(a, Scalar) for a in matrix[: self.size, self.size :].reshape(-1)):
            self.moves = matrix[: self.size, self.size :].astype(float)

    def course(self, values: dict[str, Any], dtype: Any) -> Any:
        """A run of the loop, and how what it uses moves with the arguments and the values of loops before it, (n, N +
        entries). Where all is float32, so are its values and what derivatives are made of: what is too large for it,
        or no longer a number, is so here too."""
        found = _finite(self.part.run({**values, self.weights: np.ones(self.size)}))
        used, rates = found[0][0], found[1][: self.size, self.size :]
        k, n = self.program.sizes.state, self.outer
        rows = rows_of([values.get(name, x) for name, x in self.xs], self.length, self.reverse)
        rows = np.concatenate([used[self.places], rows], 1) if n < self.size else rows
        if self.compiled is not None:
            given = used[:k], used[k:n], np.ascontiguousarray(rows), self.places
            return CompiledCourse(self.compiled, given, self.size), rates
        found = _finite(self.program.run(used[:k], used[k:n], rows))
        if self.is_single and dtype == np.float32:
            used, rows, found = used.astype(dtype), rows.astype(dtype), found.astype(dtype)
            _finite(found if np.isfinite(found).all() else None)
        made_of = SimpleNamespace(rows=rows, first=used[:k], numbers=used[k:n], places=self.places, recorded=None)
        course = Course(self.program, made_of, found)
        _finite(course.jacobian)
        return course, rates

    def walk(self, course: Any, rates: np.ndarray, before: dict[str, Walk]) -> Walk:
        """How it moves with the arguments alone: tangents are carried in what it uses, or in the arguments where these
        are fewer."""
        moves, at = rates[:, : self.total], self.total
        for name in self.fed:
            values = before[name].values
            moves, at = moves + rates[:, at : at + len(values)] @ values, at + len(values)
        return Walk(course, moves, None) if self.size > self.total else Walk(course, np.eye(self.size), moves)

    def pull(self, row: np.ndarray, rates: np.ndarray, arrived: dict[str, np.ndarray]) -> np.ndarray:
        """The gradient in the arguments of what it uses times ``row``; in the values of others it is added."""
        found, at = row @ rates, self.total
        for name in self.fed:
            size = arrived[name].size
            arrived[name] = arrived[name] + found[at : at + size].reshape(arrived[name].shape)
            at += size
        return found[: self.total]

    def second(self, values: dict[str, Any], weights: np.ndarray) -> Any:
        """The second derivatives of what it uses, weighed, in the arguments and the values of loops before it."""
        return _finite(self.part.run({**values, self.weights: weights}))[1][self.size :, self.size :]


class Walk:
    """A run of a loop, the directions in which tangents are carried, and how these move with the arguments; None where
    they are the arguments."""

    def __init__(self, course: Any, directions: np.ndarray, rest: np.ndarray | None) -> None:
        self.course, self.directions, self.rest = course, directions, rest

    @cached_property
    def values(self) -> np.ndarray:
        """How its values move with the arguments: (entries, N)."""
        found = self.course.jvp(self.directions)
        found = found.reshape(-1, found.shape[2])
        return np.asarray(found if self.rest is None else found @ self.rest)

    def curvature(self, g: np.ndarray) -> np.ndarray:
        """The second derivatives in the arguments of all values times ``g``."""
        found = _finite(self.course.curvature(g, self.directions))
        return np.asarray(found if self.rest is None else self.rest.T @ found @ self.rest)


def _any(numbers: np.ndarray) -> bool:
    """Whether any of some numbers can be other than 0."""
    return any(isinstance(a, Scalar) or a for a in numbers.reshape(-1))


class _NotFinite(Exception):
    """A number on the way is not finite."""


class CompiledCourse:
    """What `Course` is, by a loop that Numba compiled."""

    def __init__(self, step: CompiledStep, given: tuple[np.ndarray, ...], size: int) -> None:
        self.step, self.given, self.size = step, given, size
        self.values = _finite(step.run(*given))
        self._vjp: Any = None, None

    def jvp(self, directions: np.ndarray) -> Any:
        """How all values move in some directions of the variables, (n, m)."""
        return _finite(self.step.jvp(self, directions))

    def vjp(self, g: np.ndarray) -> Any:
        """The gradient in the variables, (n,), of all values times ``g``."""
        if self._vjp[0] is not g:
            self._vjp = g, _finite(self.step.vjp(self, g))
        return self._vjp[1][0]

    def curvature(self, g: np.ndarray, directions: np.ndarray) -> Any:
        """The second derivatives along directions of the variables, (m, m), of all values times ``g``."""
        self.vjp(g)
        return _finite(self.step.curvature(self, self._vjp[1][1], directions))


def _finite(found: Any) -> Any:
    if found is None:
        raise _NotFinite
    return found


class LoopedProgram:
    """What `Program` is to a compiled function, for a function with loops.

    Parameters
    ----------
    outer, source : the program of what is around the loops, of the arguments and the loops' values, and its source
    inner : the loops
    outputs : as the compiled function's, in alphabetical order
    """

    fixed: Any = ()

    def __init__(self, outer: _Part, source: Any, inner: list[_Inner], outputs: str, format: str) -> None:
        self.outer, self.inner, self.outputs = outer, inner, outputs
        self.checked, self.refused = False, ""
        self.sparse, self.is_compiled = format == "csr", any(loop.compiled is not None for loop in inner)
        self.shapes = outer.program.shapes[: len(source.variables)]
        self.total = sum([int(np.prod(s)) for s in self.shapes])
        self.rows = outer.program.rows
        height = int(np.prod(self.rows)) if "j" in outputs else self.total
        self.assembly = SimpleNamespace(height=height, width=self.total)
        self.variables, self.truths = [x.name for x in source.variables], outer.program.truths
        self.dtype = outer.program.dtype
        self.of_matrix = bool(set(outputs) & set("hj"))
        self.words = source.words
        self.steps = sum([loop.length for loop in inner])
        names = [name for name in source.words if source.words[name] not in {loop.name for loop in inner}]
        self.whole = SimpleNamespace(arguments=[(name, None) for name in names])

    def shown(self) -> LoopedModule:
        """Its source, in which the loops are loops."""
        return LoopedModule(self, [name for name, _ in self.whole.arguments])

    def translated(self, dialect: Dialect, given: Iterable[str]) -> TranslatedLoops:
        """The same in a dialect that has loops."""
        return TranslatedLoops(self, given, dialect)

    def run(self, values: list[Any], module: Any = None) -> Any:
        """The outputs in alphabetical order; None where a number on the way is not finite."""
        given = {self.words[name]: v for (name, _), v in zip(self.whole.arguments, values, strict=True)}
        try:
            with np.errstate(all="ignore"):
                return self._run(given)
        except _NotFinite:
            return None

    def _run(self, given: dict[str, Any]) -> Any:
        around, courses = dict(given), []
        dtype = np.result_type(*[given[self.words[name]] for name in self.variables])
        for loop in self.inner:
            course, rates = loop.course(around, dtype)
            courses.append((course, rates))
            around[loop.name] = course.values
        results = dict(zip(self.outer.program.outputs, _finite(self.outer.run(around)), strict=True))
        found, rows = {"f": results.get("f")}, list[np.ndarray]()
        if "g" in results:  # the gradients in the loops' values, the last of which is fed by the others
            count = len(self.shapes)
            row = np.concatenate([np.ravel(g) for g in results["g"][:count]])
            parts = zip(results["g"][count:], self.inner, strict=True)
            arrived = {loop.name: np.asarray(g).reshape(loop.shape) for g, loop in parts}
            for loop, (course, rates) in zip(self.inner[::-1], courses[::-1], strict=True):
                rows.insert(0, course.vjp(arrived[loop.name]))
                row = row + loop.pull(rows[0], rates, arrived)
        if "g" in self.outputs:
            found["g"] = self._gradient(row)
        if self.of_matrix:
            walks = dict[str, Walk]()
            for loop, (course, rates) in zip(self.inner, courses, strict=True):
                walks[loop.name] = loop.walk(course, rates, walks)
            if "j" in self.outputs:
                found["j"] = self._in_form(self._jacobian(results["j"], walks.values()))
            else:
                found["h"] = self._in_form(self._matrix(results.get("h"), walks, arrived, rows, around))
        if dtype == np.float32:
            found = {letter: _of_dtype(v, dtype) for letter, v in found.items()}
        return tuple([found[letter] for letter in self.outputs])

    def _gradient(self, row: np.ndarray) -> Any:
        ends = np.cumsum([int(np.prod(s)) for s in self.shapes])[:-1]
        parts = [p.reshape(s) for p, s in zip(np.split(row, ends), self.shapes, strict=True)]
        return tuple(parts) if len(parts) > 1 else parts[0]

    def _jacobian(self, first: Any, walks: Iterable[Walk]) -> np.ndarray:
        """What is around the loops moves with the arguments, and with the loops' values."""
        along = np.concatenate([np.eye(self.total), *[walk.values for walk in walks]])
        places, numbers = first
        matrix = np.zeros((self.assembly.height, self.total))
        return rows_added(matrix, places.rows, numbers[:, None] * along[places.columns])

    def _matrix(
        self, second: Any, walks: dict[str, Walk], arrived: Any, rows: list[np.ndarray], around: Any
    ) -> np.ndarray:
        matrix = np.zeros((self.total, self.total))
        if second is not None:  # what is around the loops is of second order too
            matrix += _curvature_along(second, self.total, walks.values())
        for loop, row in zip(self.inner, rows, strict=True):
            matrix += walks[loop.name].curvature(arrived[loop.name])
            if not loop.is_linear:
                matrix += _curvature_along(loop.second(around, row), self.total, [walks[name] for name in loop.fed])
        return 0.5 * (matrix + matrix.T)

    def _in_form(self, matrix: np.ndarray) -> Any:
        if self.sparse:
            from scipy.sparse import csr_array

            return csr_array(matrix)
        return matrix


def _of_dtype(value: Any, dtype: Any) -> Any:
    """A value, the parts of a gradient or a matrix in a dtype."""
    if isinstance(value, tuple):
        return tuple([_of_dtype(v, dtype) for v in value])
    return value if value is None or value.dtype == dtype else value.astype(dtype)


def _curvature_along(second: Any, total: int, walks: Iterable[Walk]) -> np.ndarray:
    """Second derivatives in the arguments, of those in these and in the values of loops."""
    along = np.concatenate([np.eye(total), *[walk.values for walk in walks]])
    if isinstance(second, np.ndarray):
        return np.asarray(along.T @ (second @ along))
    places, numbers = second
    return np.asarray(along[places.rows].T @ (numbers[:, None] * along[places.columns]))


class _Entries:
    """Where derivatives are not zero, for a program whose matrix is sparse: SciPy's takes longer to be made than
    its product."""

    def __init__(self, pattern: Any) -> None:
        self.rows = np.repeat(np.arange(pattern.shape[0]), np.diff(pattern.indptr))
        self.columns, self.gather = pattern.indices.astype(np.intp), pattern.gather

    def matrix(self, values: np.ndarray) -> tuple[_Entries, np.ndarray]:
        """These places, and the numbers there."""
        return self, values[self.gather]


def looped(maker: Any, term: Any, within: list[Any], variables: list[str], source_of: Any) -> Any:
    """The program of a function with loops, and the source of what is around them.

    Raises
    ------
    NotLooped : a loop is to be written out
    """
    names = {symbol._extra.name: symbol for symbol, _ in within}
    outputs = "".join(sorted(maker.owner.outputs))
    source = source_of(maker.trace, {**maker.symbols, **names}, [*variables, *names])
    asked = outputs if set(outputs) <= set("fj") else "".join(sorted({*outputs, "g"}))
    is_matrix = bool(set(outputs) & set("hj"))
    try:
        outer = Program(source, source.term(term), asked, "csr" if is_matrix else "dense")
        if outer.zero:
            outer = Program(source, source.term(term), asked[:-1])
        elif is_matrix:
            outer.whole.pattern = _Entries(outer.whole.pattern)
        inner = [_inner(maker, symbol, used, within, variables, source_of) for symbol, used in within]
    except Unprogrammable as error:
        raise NotLooped from error
    source.variables = source.variables[: len(variables)]
    return LoopedProgram(_Part(outer, source), source, inner, outputs, maker.owner.format), source


def _inner(maker: Any, symbol: Any, used: Any, within: list[Any], variables: list[str], source_of: Any) -> _Inner:
    n = sum([t._data.size for t in used.variables])
    weights = make_symbol(f"weights of {symbol._extra.name}", np.ones(n), Facts((n,)))
    with recording():
        rows = [METHODS["reshape"](t, (-1,)) for t in used.variables]
        weighed = (FUNCTIONS["cat"](rows, 0) * weights).sum()
    trace = type(maker.trace)(maker.symbols)
    term = trace.of(weighed)
    name = weights._extra.name
    leaves = set(trace.leaves.values())
    fed = {other._extra.name: other for other, _ in within if edge(other) in leaves}
    source = source_of(trace, {**maker.symbols, **fed, name: weights}, [name, *variables, *fed])
    program = Program(source, source.term(term), "gh", "dense")
    total = sum([int(np.prod(shape)) for shape in program.shapes[1 : len(variables) + 1]])
    is_compiled = maker.owner.target == "numba" and used.is_double
    return _Inner(symbol._extra.name, used, _Part(program, source), name, is_compiled, total, list(fed))
