"""A function run at variables of a transform's own, and Jacobians of what it recorded: by sweeps or tangents."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ... import _config, _limits
from ..._errors import (
    DTypeError,
    FormulaError,
    GradientError,
    ShapeError,
    SymbolicBranchError,
    SymgradError,
    TooLargeError,
)
from ..._function import Function
from ..._progress import Task
from ...core import (
    LEAF,
    Dim,
    OutputNode,
    Symbol,
    Tensor,
    edge,
    make_symbolic,
    named_shape,
    plain_array,
    reachable,
    row_function,
    sizes_of,
    tensor_around,
    wrap,
)
from ...ops import FUNCTIONS, METHODS
from ...sweep import NoForwardRule, PullMany, Push, many_tangents
from .symbolic_run import tracing
from .tree import LEAF as ONE
from .tree import Spec, difference, flatten_like, flatten_values, leaf_shape, require_numbers, unflatten
from .variables import Variables, all_plain, as_variable, grad_or_none, leave_to_nobody, recording, zeros_for

# ------------------------ What memory there is, and whether dense derivatives fit into it; how large numbers are said


def require_memory(n: int, dtype: Any) -> None:
    """Raise if a dense matrix of ``n`` rows does not fit into what memory there is."""
    need = n * n * np.dtype(dtype).itemsize
    free = available()
    if need > free:
        raise TooLargeError(
            f"a dense Hessian in {n:,} variables takes {in_bytes(need)}, and {in_bytes(free)} are free",
            f"It has {n:,} × {n:,} entries of {np.dtype(dtype)}.",
            'Ask for what the structure leaves (format="csr", "structured"), for products (sg.hessian_operator), '
            "or for the diagonal (sg.diag_hessian).",
        )


def require_room(outputs: Sequence[Tensor], inputs: Sequence[Tensor]) -> None:
    """Raise if the dense Jacobian does not fit into what memory there is."""
    m, n = sum(o._data.size for o in outputs), sum(x._data.size for x in inputs)
    if m * n > _limits.JACOBIAN_DENSE:
        require_entries(m, n, *{x._data.dtype for x in inputs})


def require_entries(m: int, n: int, *dtypes: Any) -> None:
    """Raise if a dense Jacobian of ``m`` rows and ``n`` columns does not fit into what memory there is."""
    need, free = m * n * max([np.dtype(d).itemsize for d in dtypes]), available()
    if need > free:
        names = ", ".join(sorted([str(d) for d in dtypes]))
        raise TooLargeError(
            f"a dense Jacobian of {m:,} outputs in {n:,} variables takes {in_bytes(need)}, and "
            f"{in_bytes(free)} are free",
            f"It has {m:,} × {n:,} entries of {names}.",
            'Ask for a sparse matrix if most of it is zero (format="csr"), for products (sg.vjp for Jᵀg, sg.jvp or '
            "sg.linearize for Jv), or for some rows at a time: sg.jacobian(lambda x: f(x)[:100]).",
        )


UNTOLD = sys.maxsize
"""The free memory of a system that does not say how much it has."""


def available() -> int:
    """Bytes of memory that are free, as far as the system says."""
    try:
        with open("/proc/meminfo", encoding="ascii") as lines:
            for line in lines:
                if line.startswith("MemAvailable:"):
                    return int(line.split()[1]) * 1024
    except OSError:
        pass
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return UNTOLD


def in_bytes(n: float) -> str:
    """A number of bytes as people say it."""
    return _in_units(n, ("bytes", "kB", "MB", "GB", "TB"))


def in_flops(n: float) -> str:
    """A number of operations as people say it."""
    return _in_units(n, ("flop", "kflop", "Mflop", "Gflop"))


def _in_units(n: float, units: tuple[str, ...]) -> str:
    for unit in units[:-1]:
        if n < 1000:
            return f"{n:.3g} {unit}"
        n /= 1000
    return f"{n:.3g} {units[-1]}"


# ------------------------------ Tangents pushed through what a function recorded: J t, for any number of directions t

# The idea to hold: tangents are arrays where nobody could differentiate the result again, else tensors. They go
# forwards, node by node (`sweep.Push`). Where that cannot be (hooks change gradients), the reverse mode is run twice:
# v ↦ Jᵀ v is linear, so it is recorded once, at v = 0, and its own reverse is J.


class Pushforward:
    """The map t ↦ J t of recorded outputs, kept for any number of tangents.

    Parameters
    ----------
    outputs, variables : tensors; the outputs were computed from the variables
    inputs : what the variables stand for, where that is something else
    """

    outputs: Sequence[Tensor]
    variables: Sequence[Tensor]
    inputs: Sequence[Tensor]

    def __init__(
        self, outputs: Sequence[Tensor], variables: Sequence[Tensor], inputs: Sequence[Tensor] | None = None
    ) -> None:
        self.outputs, self.variables, self.inputs = outputs, variables, variables if inputs is None else inputs
        self._push: Any = None

    def __call__(self, tangents: Sequence[Any], graph: bool) -> list[Any]:
        """Per output its tangent (None where it does not move); tensors if ``graph``, else arrays, as those given."""
        return self._by(lambda: self._push(tangents, graph))

    def many(self, k: int, units: np.ndarray) -> list[Any]:
        """Per output its tangents as input ``k`` moves along each of ``units``, stacked in front; None if it stays."""
        before, after = [None] * k, [None] * (len(self.inputs) - k - 1)
        return self.together([*before, units, *after], len(units))

    def together(self, units: Sequence[Any], count: int) -> list[Any]:
        """Per output its tangents for ``count`` directions at once, stacked in front, as ``units`` are per input (None
        where it stays)."""

        def pushed() -> list[Any]:
            if isinstance(self._push, Push):
                return self._push(units, False, many_tangents)
            each = [[None if u is None else u[i] for u in units] for i in range(count)]
            rows = [self._push(tangents, False) for tangents in each]
            return [None if any(t is None for t in column) else np.stack(column) for column in zip(*rows, strict=True)]

        return self._by(pushed)

    def _by(self, pushed: Callable[[], list[Any]]) -> list[Any]:
        """What is pushed forwards, or, where a rule for that is missing, by the reverse mode."""
        try:
            if self._push is None:
                self._push = Push([edge(o) for o in self.outputs], [edge(x) for x in self.variables])
            return pushed()
        except NoForwardRule:
            self._push = self._transposed()
            return pushed()

    def _transposed(self) -> Callable[[Sequence[Any], bool], list[Any]]:
        """Forward mode by reverse mode, twice: slower, and possible wherever that is."""
        linear, inputs = _Linearized(self.outputs, self.variables), self.inputs

        def push(tangents: Sequence[Any], graph: bool) -> list[Any]:
            given = [tensor_around(np.zeros_like(x._data) if t is None else t)
                     for t, x in zip(tangents, inputs, strict=True)]  # fmt: skip
            with recording(graph):
                found = linear(given, graph)
            return found if graph else [None if t is None else t._data for t in found]

        return push

    def along(self, tangents: Sequence[Tensor], graph: bool) -> list[Any]:
        """Per output its derivative along ``tangents``, a tensor in memory of its own; None where it does not move."""
        with recording(graph):
            given = [tangent_for(x, t, graph) for x, t in zip(self.inputs, tangents, strict=True)]
            found = self(given if graph else [t._data for t in given], graph)
        mine = {id(t._data) for t in given}
        return [t if graph or t is None else _own(np.asarray(t), mine, tangents) for t in found]


class _Linearized:
    """The map t ↦ J t of recorded outputs, by the reverse mode."""

    def __init__(self, outputs: Sequence[Tensor], inputs: Sequence[Tensor]) -> None:
        self.outputs = outputs
        self.seeds = [wrap(np.zeros_like(o._data), LEAF) for o in outputs]
        leave_to_nobody([edge(s) for s in self.seeds])
        with recording():
            grads = grad_or_none(outputs, inputs, self.seeds, True, True)
        self.live = [k for k, g in enumerate(grads) if g is not None and g._node is not None]
        self.grads = [grads[k] for k in self.live]

    def __call__(self, tangents: Sequence[Tensor], graph: bool) -> list[Any]:
        """Per output its tangent; None where it is independent of the inputs."""
        if not self.live:
            return [None] * len(self.outputs)
        return grad_or_none(self.grads, self.seeds, [tangents[k] for k in self.live], graph, True)


def _own(t: np.ndarray, seen: set[int], given: Sequence[Tensor]) -> Tensor:
    """A result in memory of its own: not that of the caller's tangents, nor of another result."""
    shared = id(t) in seen or t.base is not None or any(np.may_share_memory(t, v._data) for v in given)
    t = t.copy() if shared else t
    seen.add(id(t))
    return wrap(t)


def still(o: Tensor, lead: tuple[int, ...]) -> Tensor:
    """The derivative of an output that does not move."""
    dtype = o._data.dtype if o._data.dtype.kind in "fc" else np.dtype(np.float64)
    zero = wrap(np.zeros(o._data.shape + lead, dtype))
    return make_symbolic(zero, sizes_of(o)) if type(o) is Symbol else zero


def tangent_for(x: Tensor, t: Tensor, graph: bool) -> Tensor:
    """A tangent in the dtype of its input; a symbol's as a symbol, which makes symbols of all that follows."""
    if t._data.dtype.kind == "c" and x._data.dtype.kind != "c":
        raise DTypeError(
            "a real argument moves in a real direction",
            f"The argument has dtype {x._data.dtype}, its tangent {t._data.dtype}.",
            "Take the tangent's real part, or make the argument complex.",
        )
    if t._data.dtype != x._data.dtype:
        t = row_function("cast")(t, x._data.dtype) if graph else wrap(t._data.astype(x._data.dtype))
    if type(x) is Symbol and type(t) is Tensor:
        return make_symbolic(wrap(t._data, t._node), sizes_of(x))
    return t


def tangents_like(
    what: str, primals: Any, tangents: Any, inputs: Sequence[Tensor], name: str = "primals", other: str = "tangents"
) -> list[Tensor]:
    """The arrays of ``tangents`` in the order of those of ``primals``, as tensors; raises where they do not fit."""
    spec = flatten_values(primals)[1]
    leaves = flatten_like(spec, tangents)
    if leaves is None or any(leaf_shape(t) != x._data.shape for t, x in zip(leaves, inputs)):
        raise ShapeError(
            f"{what} takes {other} like {name}",
            str(difference(primals, tangents, name, other)),
            "A tangent is a direction in which an argument moves: give it the argument's structure and shapes.",
        )
    found = []
    for t, x in zip(leaves, inputs, strict=True):
        try:
            found.append(as_variable(np.asarray(t, x._data.dtype) if isinstance(t, (bool, np.bool_)) else t))
        except ValueError:
            raise DTypeError(
                f"{what} takes numbers as tangents, got {type(t).__name__!r}", "", "Pass arrays like the primals.",
            ) from None  # fmt: skip
    return found


# -------------------------------------------------------------------------------------------------------------------
# Jacobians of recorded outputs: row by row, one reverse sweep each, or column by column, by tangents pushed forwards

# The idea to hold: both ways give the same blocks, one per output and input; who asks knows which there are fewer of.


def basis(data: np.ndarray) -> Iterator[Tensor]:
    """The unit vectors of the space in which ``data`` lies, shaped as it."""
    for j in range(data.size):
        unit = np.zeros(data.shape, data.dtype)
        unit.reshape(-1)[j] = 1
        yield wrap(unit)


def chunks(x: np.ndarray, largest: int, count: int | None = None) -> list[range]:
    """The entries of ``x``, so many at a time (if not told, as many as keep arrays of ``largest`` entries small)."""
    count = count or max(1, min(x.size, _limits.AT_ONCE // max(largest, 1)))
    return [range(start, min(start + count, x.size)) for start in range(0, x.size, count)]


def unit_vectors(x: np.ndarray, chosen: range) -> np.ndarray:
    """The unit vectors of a chunk, stacked in front."""
    return np.eye(len(chosen), x.size, chosen.start, x.dtype).reshape((-1, *x.shape))


def require_numbered(tensors: Sequence[Tensor]) -> None:
    """Raise for symbols with named sizes: how many rows their Jacobian has is not known."""
    for t in tensors:
        if type(t) is Symbol and any(type(size) is Dim for size in named_shape(t)):
            raise SymbolicBranchError(
                f"the rows of a Jacobian cannot be counted: there is a symbol of shape {named_shape(t)}",
                "It has named sizes, which stand for any.",
                "Use sg.jacobian(f)(x) or sg.hessian(f)(x) from outside, which give formulas, or declare the sizes "
                "as numbers.",
            )


def jacobian_rows(outputs: Sequence[Tensor], inputs: Sequence[Tensor], graph: bool) -> list[list[Any]]:
    """Per output and input the Jacobian block of shape ``output.shape + input.shape``; None where independent.

    With ``graph`` the blocks can be differentiated again. Cost: one sweep per element of the outputs. Raises
    TooLargeError, as `jacobian_columns` does, where the blocks do not fit into memory.
    """
    require_numbered(outputs)
    require_room(outputs, inputs)
    graph = graph or any(type(out) is Symbol for out in outputs)
    with Task("a Jacobian by rows"):
        return _rows(outputs, inputs, graph)


def _rows(outputs: Sequence[Tensor], inputs: Sequence[Tensor], graph: bool) -> list[list[Any]]:
    blocks = []
    for out in outputs:
        if out._node is None:
            blocks.append([None] * len(inputs))
            continue
        if not graph and out._data.size > 1:
            blocks.append(_at_once(out, inputs))
            if blocks[-1]:
                continue
            blocks.pop()
        columns: list[list[Any]] = [[] for _ in inputs]
        for unit in basis(out._data):
            for column, g in zip(columns, grad_or_none([out], inputs, [unit], graph, True), strict=True):
                column.append(g)
        blocks.append([_assemble(c, out._data.shape, x._data, graph) for c, x in zip(columns, inputs, strict=True)])
    return blocks


def _at_once(out: Tensor, inputs: Sequence[Tensor]) -> list[Any]:
    """Per input the block of one output, many rows at a time; empty where they are to be found one by one."""
    try:
        run = PullMany([edge(out)], [edge(x) for x in inputs])
        blocks: list[Any] = [None] * len(inputs)
        for chosen in chunks(out._data, max([out._data.size, *[x._data.size for x in inputs]])):
            for i, (found, x) in enumerate(zip(run([unit_vectors(out._data, chosen)]), inputs, strict=True)):
                if found is not None:
                    if blocks[i] is None:
                        blocks[i] = np.zeros((out._data.size, *x._data.shape), x._data.dtype)
                    blocks[i][chosen.start : chosen.stop] = found
    except NoForwardRule:
        return []
    return [None if b is None else wrap(b.reshape(out._data.shape + x._data.shape)) for b, x in zip(blocks, inputs)]


def _assemble(parts: list[Any], shape: tuple[int, ...], x: np.ndarray, graph: bool) -> Any:
    if all(g is None for g in parts):
        return None if parts else wrap(np.zeros(shape + x.shape, x.dtype))
    if not graph:
        block = np.zeros((len(parts), *x.shape), x.dtype)
        for k, g in enumerate(parts):
            if g is not None:
                block[k], parts[k] = g._data, None  # the rows and the block never take their memory twice
        return wrap(block.reshape(shape + x.shape))
    filled = [wrap(np.zeros_like(x)) if g is None else g for g in parts]
    if not shape:
        return filled[0]
    return METHODS["reshape"](FUNCTIONS["stack"](filled, 0), shape + x.shape)


def goes_forwards(outputs: Sequence[Tensor]) -> bool:
    """Whether every operation has a forward rule of its own.

    A user's that has no ``jvp`` has not: its backward can be transposed, but not where it computes on arrays.
    """
    nodes = reachable([edge(o) for o in outputs if o._node is not None])[0]
    functions = [n for n in nodes if n.op is None and type(n) is not OutputNode]
    return all(hasattr(n, "_function") and n._function.jvp is not Function.jvp for n in functions)


def jacobian_columns(outputs: Sequence[Tensor], inputs: Sequence[Tensor], graph: bool) -> list[list[Any]]:
    """What `jacobian_rows` gives, at the cost of one walk forwards per element of the inputs, many of them at once."""
    require_numbered([*outputs, *inputs])
    require_room(outputs, inputs)
    graph = graph or any(type(t) is Symbol for t in (*outputs, *inputs))
    push = Pushforward(outputs, inputs)
    with Task("a Jacobian by columns"):
        by_input = [(_recorded_columns if graph else _array_columns)(push, k) for k in range(len(inputs))]
    return [[blocks[j] for blocks in by_input] for j in range(len(outputs))]


def _recorded_columns(push: Any, k: int) -> list[Any]:
    """The blocks of input ``k`` with history, a walk per column; None where an output does not move."""
    x = push.inputs[k]
    found: list[list[Any]] = [[] for _ in push.outputs]
    with recording():
        for unit in basis(x._data):
            tangents: list[Any] = [None] * len(push.inputs)
            tangents[k] = tangent_for(x, unit, True)
            for column, t in zip(found, push(tangents, True), strict=True):
                column.append(t)
        blocks: list[Any] = []
        for column, o in zip(found, push.outputs, strict=True):
            if all(t is None for t in column):
                blocks.append(None)
                continue
            filled = [still(o, ()) if t is None else t for t in column]
            if not x._data.ndim:
                blocks += filled
                continue
            block = FUNCTIONS["stack"](filled, o._data.ndim)
            blocks.append(METHODS["reshape"](block, o._data.shape + x._data.shape))
    return blocks


def _array_columns(push: Any, k: int) -> list[Any]:
    """The blocks of input ``k`` as tensors without history, many columns per walk; None where an output stays."""
    x = push.inputs[k]._data
    blocks: list[Any] = [None] * len(push.outputs)
    for chosen in chunks(x, max([x.size, *(o._data.size for o in push.outputs)])):
        for j, (t, o) in enumerate(zip(push.many(k, unit_vectors(x, chosen)), push.outputs, strict=True)):
            if t is not None:
                if blocks[j] is None:
                    blocks[j] = np.zeros((*o._data.shape, x.size), t.dtype)
                blocks[j][..., chosen.start : chosen.stop] = np.moveaxis(t, 0, -1)
    return [b if b is None else wrap(b.reshape((*b.shape[:-1], *x.shape))) for b in blocks]


# ----------------------- A function run at variables of a transform's own: what `sg.grad` and all its kind begin with

# The idea to hold: a call (`call_arguments.py`) says which arguments are differentiated; they are replaced by
# variables, the function runs once, recorded, and what it returned is a list of tensors. Derivatives are sweeps over
# that.


OF_ARRAYS = ("jacobian", "jacrev", "jacfwd", "vjp", "jvp", "linearize", "taylor", "ggn_vp", "sparsity")
"""The transforms of functions that return arrays, or containers of them; the others are of one number."""

_HOLOMORPHIC = ("grad", "value_and_grad", "hessian")


_KEEP_RECORDS = ("vjp", "linearize", "hessian_operator")
"""Those whose result reads the record later: they record copies of NumPy's arrays, which are written to meanwhile."""


class Run:
    """A function run at variables of its own, and its derivative by sweeps.

    Parameters
    ----------
    kind : the transform that asks
    call : the function and its arguments, one of those of `call_arguments.py`
    has_aux : the function returns ``(output, aux)``
    listed : as in `run_on_variables`

    Attributes
    ----------
    inputs, spec : what to differentiate with respect to, array by array, and its structure
    variables : the tensors that stand for it
    outputs, output_spec, output : what the function returned, likewise, and the first of it
    """

    number_may_be_complex = False

    kind: str
    call: Any
    has_aux: bool
    aux: Any
    spec: Any
    inputs: list[Tensor]
    variables: Variables
    outputs: list[Tensor]

    def __init__(self, kind: str, call: Any, has_aux: bool = False, listed: bool = False) -> None:
        self.kind, self.call, self.has_aux, self.aux = kind, call, has_aux, None
        self.plain: bool = all_plain(call.given())
        leaves, self.spec = call.flat()
        self.output_spec: Spec = ONE
        try:
            self._start(leaves, listed)
        except SymgradError as error:
            if self.plain:
                error.say_to_arrays()
            raise
        self.output: Tensor = self.outputs[0]

    def _start(self, leaves: list[Any], listed: bool) -> None:
        """Run the function at new variables."""
        kind, call = self.kind, self.call
        require_numbers(f"sg.{kind}", call, leaves)
        if kind in _KEEP_RECORDS:
            leaves = [leaf.copy() if isinstance(leaf, np.ndarray) else leaf for leaf in leaves]
        self.inputs = [as_differentiable(leaf) for leaf in leaves]
        self.variables = Variables(self.inputs, self.plain)
        result = self.variables.run(call.run, self.spec, listed, call.as_called())
        if self.has_aux:
            result, self.aux = split(f"sg.{kind}", result)
        if kind in OF_ARRAYS:
            found, self.output_spec = flatten_values(result)
            self.outputs = [one_tensor(kind, o) for o in found or none_returned(f"sg.{kind}")]
        else:
            self.outputs = [one_tensor(kind, result)]
            require_number(kind, self.outputs[0], self.number_may_be_complex)

    @property
    def of_symbols(self) -> bool:
        """Whether the function caught a symbol, so that a formula is asked for."""
        return not tracing() and any(type(o) is Symbol for o in self.outputs)

    def graph(self, beside: Sequence[Tensor] = ()) -> bool:
        """Whether somebody could want to differentiate what is made of the outputs and of what is given beside."""
        every = [*self.outputs, *beside]
        return any(type(t) is Symbol for t in every) or self.variables.concerns_outside(every)

    def returned(self) -> Any:
        """What the function returned."""
        return unflatten(self.output_spec, self.outputs)

    def result(self) -> Any:
        """The derivative, in the form of the arguments."""
        found = self.leave(getattr(self, f"_{self.kind}")())
        return (found, self.leave(self.aux, returned=True)) if self.has_aux else found

    def leave(self, tree: Any, plain: bool = True, returned: bool = False) -> Any:
        """Results as the caller gets them, see `Variables.leave`."""
        return self.variables.leave(tree, plain, returned)

    def form(self, flat: Sequence[Any]) -> Any:
        """One result per variable, as containers like the arguments'."""
        return self.call.pack(unflatten(self.spec, flat))

    def _grad(self) -> Any:
        return self.form(self._gradients(self.variables.concerns_outside([self.output])))

    def _gradients(self, graph: bool) -> list[Tensor]:
        """The derivatives of one number in the variables."""
        return zeros_for(self.variables.pull([self.output], [None], graph, graph), self.inputs)

    def _value_and_grad(self) -> Any:
        return self.output, self._grad()

    def _jacobian(self) -> Any:
        return self._by_output()

    def _jacrev(self) -> Any:
        return self._by_output(jacobian_rows)

    def _jacfwd(self) -> Any:
        if any(map(_is_complex, self.inputs)):
            raise complex_arguments(self.kind, self.inputs)
        return self._by_output(jacobian_columns)

    def _by_output(self, way: Callable[..., Any] | None = None) -> Any:
        graph = self.variables.concerns_outside(self.outputs)
        blocks = self._all_blocks(self.outputs, graph, way)
        return unflatten(self.output_spec, [self.form(b) for b in blocks])

    def _hessian(self) -> Any:
        graph = self.variables.concerns_outside([self.output])
        return self.form([self.form(self._all_blocks([g], graph)[0]) for g in self._gradients(True)])

    def _all_blocks(self, outputs: list[Tensor], graph: bool, way: Any = None) -> list[list[Tensor]]:
        """Per output its blocks, by sweeps from the outputs or through the inputs: unless told, whichever are fewer."""
        tensors = self.variables.tensors
        if any(map(_is_complex, tensors)) and any(_is_complex(o) and o._node is not None for o in outputs):
            raise complex_arguments(self.kind, tensors)
        few = sum(x._data.size for x in tensors) < sum(o._data.size for o in outputs)
        forwards = few and not graph and not any(map(_is_complex, tensors)) and goes_forwards(outputs)
        way = way or (jacobian_columns if forwards else jacobian_rows)
        with recording():
            found = way(outputs, tensors, graph)
            if way is jacobian_rows and any(map(_is_complex, outputs)):
                self._turn(found, outputs, graph)
        return [zeros_for(b, self.inputs, o._data.shape) for b, o in zip(found, outputs, strict=True)]

    def _turn(self, found: list[list[Any]], outputs: list[Tensor], graph: bool) -> None:
        """Put in the derivatives of complex outputs in real inputs: the gradient in a real input is real, so a sweep
        does not see the imaginary part."""
        real = [k for k, x in enumerate(self.inputs) if not _is_complex(x)]
        turned = [j for j, o in enumerate(outputs) if _is_complex(o)]
        blocks = jacobian_columns([outputs[j] for j in turned], [self.variables.tensors[k] for k in real], graph)
        for j, row in zip(turned, blocks, strict=True):
            for k, block in zip(real, row, strict=True):
                found[j][k] = block


def _is_complex(t: Tensor) -> bool:
    return t._data.dtype.kind == "c"


def as_differentiable(value: Any) -> Tensor:
    """A value to differentiate at, as a tensor: NumPy's whole numbers are taken as floats."""
    t = as_variable(value)
    if t._data.dtype.kind in "iub" and not isinstance(value, Tensor):
        return wrap(t._data.astype(_config.default_dtype()))
    return t


def one_tensor(kind: str, result: Any) -> Tensor:
    """One of the outputs as a tensor; raises for what has no derivative."""
    if isinstance(result, Tensor):
        require_continuous(kind, result._data.dtype)
        return result
    if isinstance(result, (np.ndarray, np.generic, int, float, complex)):
        data = plain_array(result)
        if data.dtype.kind in "fciub":
            if type(result) is not int:  # as good a constant as 3.0
                require_continuous(kind, data.dtype)
            return wrap(data)
    raise FormulaError(
        f"the function given to sg.{kind} returned {type(result).__name__!r}",
        "It must return tensors, arrays or numbers, or containers of them." if kind in OF_ARRAYS
        else "It must return a tensor, an array or a number.",
        "Carry what else it returns along with has_aux=True; sg.jacobian differentiates containers of outputs."
        if kind in ("grad", "value_and_grad") else "Return one of these.",
    )  # fmt: skip


def require_continuous(kind: str, dtype: np.dtype[Any]) -> None:
    """Raise for truths and whole numbers: they jump or stay, and zeros would hide that the function is a test."""
    if dtype.kind not in "biu":
        return
    truth = dtype.kind == "b"
    raise DTypeError(
        f"sg.{kind} differentiates functions that return real or complex numbers; this one returned "
        + ("a truth value" if truth else "whole numbers"),
        f"The dtype is {dtype}: it has no derivative where it changes, and none but 0 elsewhere.",
        ("Return the numbers that are compared, np.max(np.abs(a - b)) in place of np.allclose(a, b), say"
         if truth else "Return the values that are counted or found (x.max() in place of x.argmax(), say)")
        + "; has_aux=True carries along what is not differentiated.",
    )  # fmt: skip


def require_traced(kind: str, output: Tensor) -> None:
    """As `require_continuous`, for what a function returned at symbols; whole numbers without any are constants."""
    if type(output) is Symbol or output._data.dtype.kind == "b":
        require_continuous(kind, output._data.dtype)


def require_no_hooks(what: str, output: Tensor, next_step: str) -> None:
    """Raise where hooks see and change gradients: the derivative of a formula knows nothing of them."""
    nodes, leaves, _, _ = reachable([edge(output)])
    for node in (*nodes, *leaves):
        if node.meta is not None and node.meta.has_hooks:
            raise GradientError(what, f"There are hooks on {node.name()}, which only a sweep runs.", next_step)


def complex_arguments(kind: str, inputs: Sequence[Tensor]) -> DTypeError:
    """The error where complex numbers are asked for their derivatives in complex numbers."""
    dtype = next(x._data.dtype for x in inputs if _is_complex(x))
    return DTypeError(
        f"sg.{kind} differentiates with respect to real arguments",
        f"One has dtype {dtype}: there is a derivative along 1 and one along i.",
        f"Of a holomorphic function they are one: sg.{kind}(f, holomorphic=True). Of any other, sg.jvp(f, (z,), (t,)) "
        "gives the derivative along any complex t, and sg.vjp the products from the left.",
    )


def require_number(kind: str, output: Tensor, may_be_complex: bool = False) -> None:
    """Raise unless the output is one real number (or complex, where that may be)."""
    if output._data.ndim:
        shape = "×".join(map(str, named_shape(output)))
        raise ShapeError(
            f"sg.{kind} differentiates functions that return one number; this one returned an array of shape {shape}",
            "grad can be implicitly created only for scalar outputs.",
            "Reduce it to one number (.sum(), or [0] of a single element), or use "
            + ('sg.compile(f, "j").' if kind == "compile" else "sg.jacobian."),
        )
    if _is_complex(output) and not may_be_complex:
        raise GradientError(
            f"sg.{kind} differentiates functions that return a real number, and this one returned a complex one",
            f"Its dtype is {output._data.dtype}.",
            "Differentiate .real, .imag or .abs() of it."
            + (f" Of a holomorphic one, sg.{kind}(f, holomorphic=True)." if kind in _HOLOMORPHIC else ""),
        )


def split(what: str, result: Any) -> tuple[Any, Any]:
    """What a function with has_aux returned: the output and what comes along."""
    if not (isinstance(result, tuple) and len(result) == 2):
        size = f" of {len(result)}" if isinstance(result, tuple) else ""
        raise GradientError(
            f"{what}: with has_aux=True the function returns (output, aux)",
            f"It returned {type(result).__name__!r}{size}.", "Return a pair, or leave has_aux out.",
        )  # fmt: skip
    return result


def none_returned(what: str) -> Any:
    """Raise: there is nothing to differentiate."""
    raise FormulaError(f"the function given to {what} returned no array", "", "Return a tensor, an array or a number.")


# -------------------------------------------------------------------------------------------------------------------
# Derivatives of holomorphic functions: ``sg.grad(f, holomorphic=True)`` and its kind, complex numbers in and out

# The idea to hold: where f is holomorphic, the sweeps of real calculus know f′ already. A sweep backwards that begins
# with 1 gives the conjugate of f′, a tangent of 1 pushed forwards gives f′. Whether f is holomorphic is seen by
# beginning with i as well: the answer must be i times the first, which are the Cauchy-Riemann equations.


class HolomorphicRun(Run):
    """A function of complex numbers, run, and its complex derivative."""

    number_may_be_complex = True

    def __init__(self, kind: str, call: Any, has_aux: bool = False) -> None:
        super().__init__(kind, call, has_aux)
        if not self.of_symbols:
            self._require_complex(self.inputs, "takes complex arguments", "Pass complex numbers, z + 0j.")
            step = "Return the complex number itself, or leave holomorphic out for a real function."
            self._require_complex(self.outputs, "differentiates functions that return complex numbers", step)

    def _require_complex(self, tensors: Sequence[Tensor], what: str, step: str) -> None:
        for t in tensors:
            if t._data.dtype.kind != "c":
                title = f"sg.{self.kind} with holomorphic=True {what}"
                raise DTypeError(title, f"One has dtype {t._data.dtype}.", step)

    def _gradients(self, graph: bool) -> list[Tensor]:
        one = wrap(np.ones((), self.output._data.dtype))
        with recording():
            found = [_conj(g) for g in self.variables.pull([self.output], [one], graph, True)]
        self._check([self.output])
        return zeros_for(found, self.inputs)

    def _jacfwd(self) -> Any:
        return self._by_output(jacobian_columns)

    def _all_blocks(
        self, outputs: list[Tensor], graph: bool, way: Callable[..., Any] | None = None
    ) -> list[list[Tensor]]:
        tensors = self.variables.tensors
        few = sum(x._data.size for x in tensors) < sum(o._data.size for o in outputs)
        way = way or (jacobian_columns if few and not graph and goes_forwards(outputs) else jacobian_rows)
        with recording():
            found = way(outputs, tensors, graph)
            if way is jacobian_rows:
                found = [[_conj(block) for block in blocks] for blocks in found]
        self._check(outputs, way is jacobian_columns)
        return [zeros_for(b, self.inputs, o._data.shape) for b, o in zip(found, outputs, strict=True)]

    def _check(self, outputs: Sequence[Tensor], forwards: bool = False) -> None:
        """Raise where a random combination of the derivatives is not complex linear."""
        rng = np.random.default_rng(0)
        along = self.variables.tensors if forwards else outputs
        seeds = [_random(t._data, rng) for t in along]
        by_one, by_i = (self._derivatives(outputs, [s * turn for s in seeds], forwards) for turn in (1, 1j))
        for one, turned in zip(by_one, by_i, strict=True):
            if one is None or turned is None:
                continue
            a, b = one._data * 1j, turned._data
            sizes = np.abs(a) + np.abs(b)
            rounding = float(np.finfo(a.dtype).eps) ** 0.5 * np.max(sizes, initial=0, where=np.isfinite(sizes))
            if (np.abs(a - b) > rounding)[np.isfinite(sizes)].any():
                raise _not_holomorphic(self.kind)

    def _derivatives(self, outputs: Sequence[Tensor], seeds: list[np.ndarray], forwards: bool) -> list[Any]:
        vectors = [wrap(s) for s in seeds]
        if not forwards:
            return self.variables.pull(list(outputs), vectors, False, True)
        return Pushforward(list(outputs), self.variables.tensors, self.inputs).along(vectors, False)


def _conj(t: Any) -> Any:
    return None if t is None else METHODS["conj"](t)


def _random(like: np.ndarray, rng: Any) -> np.ndarray:
    return np.asarray(rng.standard_normal(like.shape) + 1j * rng.standard_normal(like.shape), like.dtype)


def _not_holomorphic(kind: str) -> GradientError:
    return GradientError(
        f"sg.{kind} with holomorphic=True got a function that is not holomorphic at this point",
        "Its derivative along i is not i times that along 1 (the Cauchy-Riemann equations): there is no one complex "
        "number. conj, abs, real, imag and angle are such functions.",
        "sg.vjp and sg.jvp give its products with any vector; of a real number sg.grad gives the gradient.",
    )
