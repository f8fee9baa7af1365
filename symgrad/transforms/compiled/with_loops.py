"""Programs of functions with loops in them: the function around the loops, the loops' steps, and the chain rule.

The idea to hold: with V the values of the loops, f(x) = φ(x, V(u(x))). One program has the derivatives of φ in x and V,
another those of what each loop uses, u, in x; a loop's own are by the program of its step. Each is small, however long
the loops are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np

from ... import _limits
from ...core import Facts, edge, make_symbol
from ...ops import FUNCTIONS, METHODS
from ...programs import Dialect, Program, Unprogrammable, function_of_module, widened
from ...programs import helpers as chain
from ...programs.loops import (
    Input,
    ModuleWithLoops,
    Scalar,
    ScalarForm,
    StepNotFinite,
    TranslatedModuleWithLoops,
    compiled_step,
    scalar_form,
)
from ..calls.variables import recording


class NotLooped(Exception):
    """A loop is to be written out."""


class _SubProgram:
    """A program, and how to take its arguments from those of the whole."""

    program: Program

    def __init__(self, program: Program, source: Any) -> None:
        self.program, self._source = program, source
        self.places: list[tuple[str | None, Any]] = [self.place(name) for name, _ in program.whole.arguments]
        self._numbers: Any = None
        self._constant: Any = None

    def place(self, name: str) -> tuple[str | None, Any]:
        """What one of its arguments is called by the user, and its value here; None for what the function catches."""
        word: str | None = self._source.words.get(name)
        return word, self._source.point[name]

    def number_by_number(self) -> ScalarForm | None:
        """Let it run on single numbers, where it can."""
        places = [k for k, (word, _) in enumerate(self.places) if word is not None]
        every = [(name, value) for (name, _), (_, value) in zip(self.program.whole.arguments, self.places, strict=True)]
        inputs = [Input(name, np.shape(v), isinstance(v, np.ndarray)) for name, v in [every[k] for k in places]]
        constants = {name: np.array(v) for k, (name, v) in enumerate(every) if k not in places}
        form = scalar_form(self.program, inputs, constants, (self.program.total,) * 2)
        if form is None or not form.for_python:
            return None
        self._numbers = form.function(self.program.outputs), places
        return form

    def run(self, *given: Any) -> Any:
        """Its results in alphabetical order, of its arguments, after which its source takes constants."""
        if self._numbers is not None:
            function, places = self._numbers
            found = function(*[given[k] for k in places])
            if found is not None:
                return found
        if not any(word for word, _ in self.places):  # it is of data alone, the same in each call
            self._constant = self._constant or self._run(*given)
            return self._constant
        return self._run(*given)

    def _run(self, *given: Any) -> Any:
        values = given[: len(self.places)]
        return self.program.run([widened(value, self.program.dtype) for value in values])


class _Inner:
    """A loop: what it uses as a function of the arguments, the same of data alone, and the program of its step."""

    def __init__(
        self,
        name: str,
        used: Any,
        part: _SubProgram,
        still: _SubProgram | None,
        is_compiled: bool,
        total: int,
        fed: list[str],
    ) -> None:
        self.name, self.part, self.still = name, part, still
        self.fed = fed  # the loops before it, not of data alone, whose values it uses, which come after the arguments
        made = used.made()
        if made is None:
            raise NotLooped
        self.length, self.reverse, sizes = used.loop.length, used.loop.reverse, used.sizes
        self.program, self.state, self.outer = made.program, sizes.state, sizes.state + sizes.outer
        self.moving, self.is_single = sizes.moving > 0, used.is_single
        self.is_compiled = is_compiled and made.program.cost <= _limits.SCAN_COMPILED
        self.size, self.places = sum([t._data.size for t in used.variables]), used.places
        self.places_of_still: np.ndarray = used.places_of_still
        self.directions = min(self.size, total)
        self.xs = list(zip(used.names, [x for x in used.xs if x is not None], strict=True))
        self.shape = self.length, sizes.state + sizes.collected
        form = part.number_by_number()
        self.is_linear = False  # in the arguments
        self.moves: np.ndarray | None = None  # how what it uses moves with these, where that is the same everywhere
        if form is not None:
            moves, curved = np.split(form.outputs["h"][0].numbers[:, self.size :], [self.size])
            self.is_linear = not any(isinstance(a, Scalar) or a for a in curved.reshape(-1))
            if not any(isinstance(a, Scalar) for a in moves.reshape(-1)):
                self.moves = moves.astype(float)

    def functions(self, is_single: bool) -> dict[str, Any]:
        """What the whole program's source calls of it."""
        name, step = self.name, self.program
        used = {f"used_by_{name}": _finite(self.part.run)}
        if self.still is not None:
            used[f"data_of_{name}"] = _finite(self.still.run)
        if self.is_compiled:
            return used | compiled_step(step, name, self.directions, self.size)
        run = _finite(partial(_in_single, step.run) if is_single and self.is_single else step.run)
        matrices = {f"jacobians_of_{name}": "jacobian", f"second_of_{name}": "second"}
        return {**used, f"run_{name}": run, **{n: _finite(step.at_once[which]) for n, which in matrices.items()}}


def _in_single(run: Callable[..., Any], *given: Any) -> Any:
    """What a loop gives in float32; None where a number is too large for it."""
    found = run(*given)
    found = None if found is None else found.astype(np.float32)
    return found if found is not None and np.isfinite(found).all() else None


def _finite(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that raises where it has no finite numbers."""

    def call(*given: Any) -> Any:
        found = function(*given)
        if found is None:
            raise StepNotFinite
        return found

    return call


class ProgramWithLoops:
    """What `Program` is to a compiled function, for a function with loops: it runs its own source.

    Parameters
    ----------
    outer, source : the program of what is around the loops, of the arguments and the loops' values, and its source
    inner : the loops
    outputs : as the compiled function's, in alphabetical order
    """

    fixed: Any = ()

    outer: _SubProgram
    inner: list[_Inner]
    outputs: str
    checked: bool
    refused: str
    variables: list[Any]
    truths: set[Any]

    def __init__(self, outer: _SubProgram, source: Any, inner: list[_Inner], outputs: str, format: str) -> None:
        self.outer, self.inner, self.outputs = outer, inner, outputs
        self.checked, self.refused = False, ""
        self._functions: dict[bool, Callable[..., Any]] = {}
        self.sparse: bool = format == "csr"
        self.shapes: list[tuple[int, ...]] = outer.program.shapes[: len(source.variables)]
        self.total: int = sum([int(np.prod(s)) for s in self.shapes])
        self.rows: tuple[int, ...] = outer.program.rows
        height = int(np.prod(self.rows)) if "j" in outputs else self.total
        self.assembly: SimpleNamespace = SimpleNamespace(height=height, width=self.total)
        self.variables, self.truths = [x.name for x in source.variables], outer.program.truths
        self.dtype: Any = outer.program.dtype
        self.is_single: bool = np.result_type(*[source.point[name] for name in self.variables]) == np.float32
        self.of_matrix: bool = bool(set(outputs) & set("hj"))
        self.words: Any = source.words
        self.steps: int = sum([loop.length for loop in inner])
        names = [name for name in source.words if source.words[name] not in {loop.name for loop in inner}]
        self.whole: SimpleNamespace = SimpleNamespace(arguments=[(name, None) for name in names])

    def shown(self) -> ModuleWithLoops:
        """Its source, in which the loops are loops."""
        return self._module(self.is_single)

    def _module(self, is_single: bool) -> ModuleWithLoops:
        return ModuleWithLoops(self, [name for name, _ in self.whole.arguments], is_single=is_single)

    def translated(self, dialect: Dialect, given: Iterable[str]) -> TranslatedModuleWithLoops:
        """The same in a dialect that has loops."""
        return TranslatedModuleWithLoops(self, given, dialect)

    def _function(self, is_single: bool) -> Callable[..., Any]:
        """Its source as a function. What that calls is checked here: it raises where a number is not finite."""
        known = self._functions.get(is_single)
        if known is not None:
            return known
        shown = self._module(is_single)
        rule = {f"_{function.__name__}": function for function in chain.FUNCTIONS}
        space = {**rule, **shown.constants, "around": _finite(self.outer.run)}
        for loop in self.inner:
            space |= loop.functions(is_single)
        text = shown.own([name for name, _ in shown.arguments], [], [*shown.results, ""])
        function = function_of_module(text, shown.name, space)
        caught = [shown.caught[name] for name, _ in shown.arguments if name in shown.caught]
        found = self._functions[is_single] = lambda *values: function(*values, *caught)
        return found

    def run(self, values: list[Any], module: Any = None) -> Any:
        """The outputs in alphabetical order; None where a number on the way is not finite.

        Of arguments in double precision all is computed in it, whatever the function was compiled for.
        """
        is_single = self.is_single and any(np.asarray(v).dtype == np.float32 for v in values)
        try:
            with np.errstate(all="ignore"):
                found = self._function(is_single)(*values)
        except StepNotFinite:
            return None
        return tuple([_in_float32(v) for v in found]) if is_single else found


def _in_float32(value: Any) -> Any:
    """A value, the parts of a gradient or a matrix in float32."""
    if isinstance(value, tuple):
        return tuple([_in_float32(v) for v in value])
    return value if value.dtype == np.float32 else value.astype(np.float32)


class _Entries:
    """Where derivatives are not zero, for a program whose matrix is sparse, of which only the numbers are asked."""

    def __init__(self, pattern: Any) -> None:
        self.rows = np.repeat(np.arange(pattern.shape[0]), np.diff(pattern.indptr))
        self.columns, self.gather = pattern.indices.astype(np.intp), pattern.gather

    def matrix(self, values: np.ndarray) -> np.ndarray:
        """The numbers, in the order in which they are computed."""
        return values


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
    return ProgramWithLoops(_SubProgram(outer, source), source, inner, outputs, maker.owner.format), source


def _inner(maker: Any, symbol: Any, used: Any, within: list[Any], variables: list[str], source_of: Any) -> _Inner:
    n = sum([t._data.size for t in used.variables])
    weights = make_symbol(f"weights of {symbol._extra.name}", np.ones(n), Facts((n,)))
    with recording():
        weighed = (_in_a_row(used.variables) * weights).sum()
        still = _in_a_row(used.still) if used.still else None
    trace = type(maker.trace)(maker.symbols)
    term = trace.of(weighed)
    name, feeding = weights._extra.name, _feeding(trace, within)
    fed = [other._extra.name for other, used in within if other._extra.name in feeding and not used.stays]
    source = source_of(trace, {**maker.symbols, **feeding, name: weights}, [name, *variables, *fed])
    program = Program(source, source.term(term), "gh", "dense")
    total = sum([int(np.prod(shape)) for shape in program.shapes[1 : len(variables) + 1]])
    is_compiled = maker.owner.target == "numba" and used.is_double
    data = None
    if still is not None:
        trace = type(maker.trace)(maker.symbols)
        term = trace.of(still)
        own = source_of(trace, {**maker.symbols, **_feeding(trace, within)}, variables)
        data = _SubProgram(Program(own, own.term(term), "f"), own)
    return _Inner(symbol._extra.name, used, _SubProgram(program, source), data, is_compiled, total, fed)


def _feeding(trace: Any, within: list[Any]) -> dict[str, Any]:
    """The loops whose values a trace has, by their names."""
    leaves = set(trace.leaves.values())
    return {other._extra.name: other for other, _ in within if edge(other) in leaves}


def _in_a_row(tensors: list[Any]) -> Any:
    return FUNCTIONS["cat"]([METHODS["reshape"](t, (-1,)) for t in tensors], 0)
