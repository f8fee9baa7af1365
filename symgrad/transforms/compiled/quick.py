"""Who compiles, the quick ways of a compiled function, and the term of a function that ran on symbols."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from ... import _limits
from ..._errors import SymbolicBranchError
from ..._trees import postorder
from ...calculus import Trace, edges_of, run_forward
from ...core import Tensor, wrap
from ...core.storage import layout
from ...programs import FINITE, reads_at_run_time, widened
from ...programs.loops import Input, ScalarForm, as_loops, beside_numpy, scalar_form
from ...terms import Call, Data, Expr, Var

# -------------------------------------------------------------------------------------------------------------------
# Who compiles functions: `compile`, for those below it that it is made of (repeated derivatives, steps of loops)


class _Compiler:
    """
    Attributes
    ----------
    compiled : the class of compiled functions, which `compile` enters here
    """

    compiled: Callable[..., Any]


compiler: _Compiler = _Compiler()


# -------------------------------------------------------------------------------------------------------------------
# The quick ways of a compiled function: on single numbers, or straight to its program, with the results as the caller
# gets them.
#
# The idea to hold: it answers only where it knows the arguments and every number on the way was finite. Anything else
# it leaves to the program of arrays, with which it is compared when that is compared with the tape.


DOUBLE = np.dtype(np.float64)


class Quick:
    """A function on single numbers, and which of all leaves it takes.

    Attributes
    ----------
    whole : whether it takes all that the user gives, and returns what the user gets
    compiled : the steps, if Numba compiles them
    """

    places: list[int]
    order: Any
    whole: bool

    def __init__(self, form: ScalarForm, made: Any, places: list[int], whole: bool, is_compiled: bool) -> None:
        self.function: Any = (form.compiled if is_compiled else form.function)(made.outputs)
        self.places, self.order, self.whole = places, made.order, whole
        self.compiled: ScalarForm | None = form if is_compiled else None

    def __call__(self, leaves: list[Any]) -> Any:
        """The results by letter in their alphabetical order, as the program returns them; None where it has none."""
        found = self.function(*[leaves[k] for k in self.places])
        if found is None:
            return None
        found = found if len(self.order) > 1 else (found,)
        return tuple([found[self.order.index(k)] for k in range(len(self.order))])


class Straight:
    """A program of arrays at arguments of known shapes, dtypes and layouts: a call does only what depends on values."""

    made: Any
    places: range

    def __init__(self, made: Any, leaves: list[Any]) -> None:
        self.made, self.places = made, range(len(leaves))
        self.kinds: list[tuple[Any, Any, Any]] = [(a.shape, a.dtype, layout(a)) for a in leaves]
        self.given: list[tuple[int, Any, Any]] = [
            (place, k, kind) for place, (k, kind, _) in enumerate(made.taken) if k is not None
        ]
        self.values: Any = made.values(leaves)
        for place, *_ in self.given:
            self.values[place] = None  # comes with every call

    def function(self, *args: Any) -> Any:
        """The results as the caller gets them; None where the arguments are others, or the program has none."""
        for a, (shape, dtype, order) in zip(args, self.kinds, strict=True):
            if type(a) is not np.ndarray or a.shape != shape or a.dtype != dtype or layout(a) != order:
                return None
        values, program = self.values.copy(), self.made.program
        for place, k, kind in self.given:
            values[place] = widened(args[k] if kind is None else kind(args[k]), program.dtype)
        try:
            results = program.run(values, self.made.fused)
        except np.linalg.LinAlgError:
            return None
        return None if results is None else self.made.form(results)


class AsLaid:
    """A way on single numbers at arrays that lie in memory as those that its program was made for."""

    way: Any
    places: Any
    layouts: list[Any]

    def __init__(self, way: Any, arrays: list[Any]) -> None:
        self.way, self.places, self.layouts = way, way.places, [_layout(a) for a in arrays]

    def function(self, *args: Any) -> Any:
        """The results as the caller gets them; None where the arguments are others, or as the way."""
        return self.way.function(*args) if [_layout(a) for a in args] == self.layouts else None


def _layout(a: Any) -> Any:
    return layout(a) if type(a) is np.ndarray else None


class OfTensors:
    """A way at arrays as one at tensors that have no history."""

    way: Any
    places: Any
    tensors: list[bool]

    def __init__(self, way: Any, args: tuple[Any, ...]) -> None:
        self.way, self.places, self.tensors = way, way.places, [type(a) is Tensor for a in args]

    def function(self, *args: Any) -> Any:
        """The results as tensors; None as the way."""
        arrays = []
        for a, tensor in zip(args, self.tensors, strict=True):
            if tensor:
                if type(a) is not Tensor or a._node is not None:
                    return None
                a = a._data
            arrays.append(a)
        return _wrapped(self.way.function(*arrays))


def _wrapped(found: Any) -> Any:
    """Arrays and numbers as tensors: what a way on single numbers returns."""
    if type(found) is tuple:
        return tuple(map(_wrapped, found))
    return wrap(np.asarray(found)) if isinstance(found, np.ndarray | np.generic) else found


def straight(made: Any, args: tuple[Any, ...]) -> Any:
    """The quickest way for calls like this one, which asks nothing of a program that was compared; None if there is
    none, as where an argument is a container."""
    arrays = [a._data if type(a) is Tensor else a for a in args]
    way = None
    if not all(isinstance(a, np.ndarray | float) for a in arrays):
        return None
    if made.quick is not None:
        way = made.quick if made.quick.whole and made.program.checked else None
        if way is not None and any(type(a) is np.ndarray and a.ndim > 1 for a in arrays):
            way = AsLaid(way, arrays)
    elif made.program.total <= _limits.COMPILED_DENSE and all(type(a) is np.ndarray for a in arrays):
        way = Straight(made, arrays)
    return OfTensors(way, args) if way is not None and made.tensors else way


def inputs_of(made: Any, leaves: list[Any]) -> Any:
    """What the steps of a compiled structure on single numbers take: places of leaves, inputs, and constants; with the
    shape of the matrix. None where it is not of numbers in double precision."""
    if made.of_value != DOUBLE or any(d != DOUBLE for d in made.dtypes):
        return None
    used = [name for name, _ in made.program.whole.arguments]
    constants = {n: np.array(v) for n, (k, _, v) in zip(used, made.taken, strict=True) if k is None}
    inputs = []
    for name, (k, kind) in made.numbers.items():
        leaf = leaves[k]
        if isinstance(leaf, float) or (type(leaf) is np.ndarray and leaf.dtype == DOUBLE and kind is None):
            inputs.append((k, Input(name, np.shape(leaf), kind is None)))
        elif name in used:
            return None
    if not inputs:
        return None
    inputs.sort()
    shape = made.program.assembly.height, made.program.total
    if made.simple:
        shape = (made.program.rows if "j" in made.outputs else made.shapes[0]) + made.shapes[0]
    return [k for k, _ in inputs], [x for _, x in inputs], constants, shape


def ways(made: Any, leaves: list[Any], target: str) -> tuple[Quick | None, Any]:
    """The quicker ways to run a compiled structure, where there are any: on single numbers, and its program of arrays
    with loops in it that Numba compiles.

    With Numba there is one of them: the steps on single numbers, compiled, where they are few; or the program as loops
    throughout, where it is little work; or the steps in Python, where they take less time than the lines, which are
    too many to compile; or loops where they take less time than lines.
    """
    places, *given = inputs_of(made, leaves) or ([],)
    form = scalar_form(made.program, *given) if given else None
    whole = made.simple and places == list(range(len(leaves)))
    if target == "numba" and form is not None and form.for_numba:
        return Quick(form, made, places, whole, True), None
    loops = target == "numba" and made.program.dtype == DOUBLE and made.program.format != "structured"
    found = as_loops(made.program, made.values(leaves)) if loops else None
    if found is not None:
        return None, found
    if form is not None and form.for_python:
        return Quick(form, made, places, whole, False), None
    return None, beside_numpy(made.program, made.values(leaves)) if loops else None


def agree(made: Any, run: Any, leaves: list[Any]) -> bool:
    """Whether the quick ways, where they have results, have those of the program of arrays, at three points."""
    for point in (leaves, *[made.moved(leaves, seed) for seed in (1, 2)]):
        ways = [] if made.quick is None else [made.quick(point)]
        ways += [] if made.fused is None else [run(point, made.fused)]
        truth = run(point, None)
        for mine in ways:
            if mine is not None and (truth is None or not _alike(mine, truth, made.dtype)):
                return False
    return True


def _alike(mine: Any, truth: Any, dtype: Any) -> bool:
    """Whether two ways to the same finite numbers differ by rounding only."""
    eps = np.sqrt(np.finfo(dtype).eps)
    for a, b in zip(mine, truth, strict=True):
        for p, q in zip(parts_of(a), parts_of(b), strict=True):
            p, q = (np.asarray(getattr(v, "data", v) if hasattr(v, "tocsr") else v) for v in (p, q))
            apart = np.abs(np.reshape(p, q.shape) - q).max(initial=0)
            if not apart <= eps * (1e-3 + np.abs(q).max(initial=0)):
                return False
    return True


def parts_of(value: Any) -> Any:
    """The parts of a gradient, or one result."""
    return value if isinstance(value, tuple) else (value,)


# -------------------------------------------------------- The term of a function that `sg.compile` has run on symbols

# The idea to hold: a program is made once, for all values. So what holds at the point only is refused, and what a
# function finds from values by an operation (the order of a sort, the place of a maximum) is found again at every run.


class Tracing(Trace):
    """A trace that refuses what holds at the point only; ``edges`` are those of the operations.

    ``arguments`` are the names of the symbols in their places: these are given anew at every run.
    """

    to_run = True

    def __init__(self, arguments: Iterable[str]) -> None:
        super().__init__()
        self.arguments: frozenset[str] = frozenset(arguments)
        self.edges: list[Any] = []

    def _store(self, node: Any, op: Any, args: list[Expr], values: list[Any], params: Any) -> None:
        for k in op.places:
            if not any(isinstance(v, Var) and self._is_given(v.name) for v in postorder(args[k])):
                args[k] = Data(values[k])  # constants are part of the program
            elif reads_at_run_time(op, args, values, params):
                result = self.values[node] = np.asarray(run_forward(op, values, params))
                self.dtypes.add(result.dtype)
                self.terms[node] = Call(op, tuple(args), params, result.shape)
                self.edges.append((args[0], FINITE))
                return
            else:
                raise SymbolicBranchError(
                    f"which elements an index picks (of '{op.label}') depends on the values", "", ""
                )
        super()._store(node, op, args, values, params)
        if not op.outputs:
            self.edges += edges_of(op, args, params, self.terms[node])

    def _computed(self, t: Tensor, op: Any, *rest: Any) -> Expr | None:
        """The term of what is not differentiated. Arithmetic of short whole numbers that are arguments is refused: a
        program has no 250 + 10 = 4."""
        term, dtype = super()._computed(t, op, *rest), t._data.dtype
        if op is None or term is None or dtype.kind not in "iub" or dtype == np.int64:
            return term
        computes = op.name == "diff" or op.kind not in ("linear", "constant")  # others move entries, sums are of int64
        if computes and any(isinstance(v, Var) and self._is_given(v.name) for v in postorder(term)):
            raise SymbolicBranchError(
                f"'{op.label}' of whole numbers of dtype {dtype} that are arguments: they wrap around where they are "
                "too large for it, which hangs on their values (astype(np.int64) does not)", "", "",
            )  # fmt: skip
        return term

    def _is_given(self, name: str) -> bool:
        """Whether a symbol stands for an argument: one of which the function takes pieces is no leaf."""
        return name in self.arguments or name in self.leaves

    def _symbol(self, name: str, data: np.ndarray, facts: Any = None, shape: Any = None) -> Var:
        """A symbol; of an array that is a part of the program, and so stays what it is, whether it is symmetric."""
        found = super()._symbol(name, data, facts, shape)
        if facts is None and shape is None and data.ndim == 2 and np.array_equal(data, data.T):
            return Var(found.name, found.shape, found.properties | {"symmetric"})
        return found

    def _array(self, data: np.ndarray) -> Expr:
        """The term of an array; -0.0 is another number than 0."""
        signed = data.dtype.kind == "f" and bool((np.signbit(data) & (data == 0)).any())
        return self._symbol(self._count("c"), data) if signed else super()._array(data)

    def literal(self, value: Any) -> Expr:
        """The term of an operand that is no tensor; -0.0 is another number than 0."""
        return Data(value) if isinstance(value, float) and str(value) == "-0.0" else super().literal(value)

    def of(self, output: Tensor) -> Expr:
        """The term of a result.

        Raises
        ------
        SymbolicBranchError : it is a formula only where it was computed
        """
        term = self.tensor(output)
        if self.choices:
            raise SymbolicBranchError(self.choices[0], "", "")
        if self.detached:
            names = ", ".join(sorted(self.detached))
            raise SymbolicBranchError(f"no gradient flows through part of what depends on {names}", "", "")
        return term
