"""Where an operation on anything else than plain tensors goes: arrays, numbers, symbols, carriers of tensors."""

from __future__ import annotations

import functools
from collections.abc import Callable
from fractions import Fraction
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from .._errors import DTypeError
from .._limits import WRAPPED
from .._trees import container_like
from . import modes
from .dim import Dim
from .dual import Dual
from .graph import (
    Symbol,
    Tensor,
    extra,
    is_sparse,
    is_table,
    meta,
    origin_of,
    output_node,
    plain_array,
    refuse_foreign,
    refuse_no_numbers,
    wrap,
)
from .reading import kept_copy
from .record import SCALARS, describe, explain, hush, make_node, refuse_complex, run, step_of_formulas, unhush
from .symbols import constant_from, make_symbolic, merged_sizes, params_in_numbers, sizes_of
from .table import row_function

# -------------------------------------------------------------------------------------------------------------------
# Values of another interface than Tensor's, which carry a tensor: operations take it out and put their result in one

# The idea to hold: the table, the sweeps and the programs know tensors only. `symgrad._array` makes arrays of NumPy's
# manners around them; here stands what an operation that meets one must know.


class Carrier:
    """Carries a tensor, which is what operations compute with.

    Attributes
    ----------
    _t : the tensor
    """

    __slots__ = ()
    _t: Tensor

    @staticmethod
    def around(t: Tensor) -> Any:
        """What carries the result of an operation; to be set by the class that there is."""
        raise NotImplementedError

    @staticmethod
    def ufunc(ufunc: Any, method: str, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """A ufunc of NumPy's that met one, maybe in a list; to be set likewise."""
        raise NotImplementedError

    @staticmethod
    def function(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """A function of NumPy's that met one, maybe in a list; to be set likewise."""
        raise NotImplementedError

    def sharing(self, found: Tensor, function: Callable[[Any], Any]) -> Any:
        """What carries a result of a function of this one: a view where it shares memory."""
        raise NotImplementedError

    def written(self, function: Callable[[Tensor], Any]) -> Any:
        """This one, to whose tensor (a copy) a function writes."""
        raise NotImplementedError


def content(value: Any) -> Any:
    """A value, or the tensor that it carries."""
    return value._t if isinstance(value, Carrier) else value


def run_carried(op: Any, operands: tuple[Any, ...], params: tuple[Any, ...]) -> Any:
    """Run ``op`` on operands some of which carry tensors: so do the results."""
    tensors, params = tuple([content(a) for a in operands]), contents(params) if params else params
    found = op.apply(tensors, *params) if op.variadic else op.apply(*tensors, *params)
    if op.view and isinstance(operands[0], Carrier):
        return views_of_carriers(operands[0], found, lambda x: op.apply(x, *tensors[1:], *params))
    return Carrier.around(found) if type(found) is Tensor else around_all(found)


def views_of_carriers(carrier: Carrier, found: Any, function: Callable[[Any], Any]) -> Any:
    """Results of a function of what carries a tensor: views of it, where they share memory."""
    if isinstance(found, Tensor):
        return carrier.sharing(found, function)
    if isinstance(found, (tuple, list)) and not hasattr(found, "_fields"):
        return type(found)([views_of_carriers(carrier, t, _part(function, k)) for k, t in enumerate(found)])
    return around_all(found)


def _part(function: Callable[[Any], Any], k: int) -> Callable[[Any], Any]:
    return lambda x: function(x)[k]


def contents(value: Any) -> Any:
    """What stands in containers, taken out of what carries it."""
    if isinstance(value, Carrier):
        return value._t
    if type(value) is list or type(value) is tuple:
        return type(value)([contents(v) for v in value])
    return value


def around_all(value: Any) -> Any:
    """Results with their tensors carried, in the containers that they are in."""
    if isinstance(value, Tensor):
        return Carrier.around(value)
    if isinstance(value, (tuple, list)):
        return container_like(value, list(map(around_all, value)))
    return value


def carries(value: Any) -> bool:
    """Whether a value, or something in it, carries a tensor."""
    if isinstance(value, Carrier):
        return True
    return (type(value) is list or type(value) is tuple) and any(map(carries, value))


def taking_carriers(fn: Callable[..., Any], writes: bool = False) -> Callable[..., Any]:
    """A function of tensors that also takes what carries them, of which its results then are.

    ``writes``: it writes to its first argument.
    """
    if hasattr(fn, "op") or isinstance(fn, type):
        return fn  # a row sees by itself
    made: Callable[..., Any] | None = _opened.get(fn)
    if made is not None:
        return made

    @functools.wraps(fn)
    def door(*args: Any, **kwargs: Any) -> Any:
        for a in args:
            if isinstance(a, _KINDS) and carries(a):
                return _through(fn, args, kwargs, writes)
        if kwargs and any(map(carries, kwargs.values())):
            return _through(fn, args, kwargs, writes)
        return fn(*args, **kwargs)

    _opened[fn] = door
    return door


_KINDS = (Carrier, list, tuple)
_opened: WeakKeyDictionary[Callable[..., Any], Callable[..., Any]] = WeakKeyDictionary()
MAKES_TENSORS = frozenset(["as_tensor", "asarray", "from_numpy", "tensor", "is_tensor"])
"""Functions that are asked for a tensor, whatever they are given."""


def _through(fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], writes: bool) -> Any:
    first, name = args[0] if args else None, getattr(fn, "__name__", "")
    given, options = tuple(map(contents, args)), {k: contents(v) for k, v in kwargs.items()}
    if isinstance(first, Carrier) and (writes or options.get("inplace")):
        return first.written(lambda t: fn(t, *given[1:], **options))
    found = fn(*given, **options)
    if name in MAKES_TENSORS:
        return found
    if isinstance(first, Carrier):
        return views_of_carriers(first, found, lambda x: fn(x, *given[1:], **options))
    return around_all(found)


# -------------------------------------------------------------------------------------------------------------------
# Operations on symbols: run on their stand-in values and recorded, whatever the mode, so that no value gets loose

# A symbol always has a history: where a tensor would have none (under no_grad, detached, a comparison) it keeps its
# origin, a constant's way to say what it was computed from.


def _has_history(a: Any) -> bool:
    """Whether an operand is more than a number (a seed is not, nor the zeros of an unused input)."""
    if not isinstance(a, Tensor):
        return False
    bag = a._extra
    return a._node is not None or (bag is not None and (bag.origin is not None or bag.name is not None))


def detached(t: Tensor) -> Symbol:
    """A symbol of the same value through which no gradient flows."""
    new = make_symbolic(wrap(t._data), dict(t._extra.sizes) if t._extra is not None and t._extra.sizes else None)
    if t._node is None and t._extra is not None:
        extra(new).origin, extra(new).name = t._extra.origin, t._extra.name
        return new
    return constant_from(row_function("clone").op, new, (t,), ("K",))  # type: ignore[return-value]


def run_symbolic(op: Any, operands: tuple[Any, ...], params: tuple[Any, ...]) -> Any:
    """Run ``op`` on operands among which there are symbols or named sizes: the result is a symbol (several are)."""
    operands = tuple(a.number() if type(a) is Dim else a for a in operands)
    there = modes.elsewhere.get()
    if there is not None:
        operands, params = tuple(map(there, operands)), tuple(map(there, params))
    sizes = merged_sizes([sizes_of(a) for a in (*operands, *params)])
    mode = modes.mode.get()
    token = modes.mode.set(modes.ON) if mode <= 0 else None
    try:
        given = params_in_numbers(params)
        plain = given is params and not (op.outputs or op.variadic or op.view) and Dim not in map(type, sizes.values())
        if plain and all(map(_is_recorded_as_it_is, operands)):
            out = op.apply(*[wrap(a._data, a._node) if type(a) is Symbol else a for a in operands], *params)
        else:
            out = run(op, operands, params, given)
    except (ArithmeticError, np.linalg.LinAlgError):
        decided = modes.tracing.get()
        if type(decided) is modes.Decisions:
            decided.append((None, True))  # whoever catches it goes a way that other values need not go
        raise
    finally:
        if token is not None:
            modes.mode.reset(token)
    if isinstance(out, tuple):
        if not all(t._node is not None for t in out) and _says_something(operands):
            out = _explained(op, out, operands, params)
        return tuple(_finish(op, t, operands, params, sizes, token is None) for t in out)
    return _finish(op, out, operands, params, sizes, token is None)


def _is_recorded_as_it_is(operand: Any) -> bool:
    """Whether a node says of an operand all that a symbol says: of a number, and of what has a history."""
    kind = type(operand)
    return kind is float or kind is int or ((kind is Symbol or kind is Tensor) and operand._node is not None)


def _says_something(operands: Any) -> bool:
    """Whether what is computed from these is more than a number."""
    return any(map(_has_history, operands))


def _finish(op: Any, t: Tensor, operands: Any, params: Any, sizes: dict[int, Any], tracked: bool) -> Tensor:
    make_symbolic(t, sizes)
    if t._node is None:
        origin = origin_of(t)
        if (origin is None or origin[0] is None) and _says_something(operands):  # symbols forget nothing
            constant_from(op, t, operands, params)
        return t
    if sizes:
        meta(t._node).sizes = sizes  # what is saved of it is a symbol again when a rule asks for it
    return t if tracked else detached(t)


def _explained(op: Any, out: tuple[Tensor, ...], operands: Any, params: Any) -> tuple[Tensor, ...]:
    """Several results, some without a history, each with the way to say which of them it is: one node for all.

    Only the constants among them remember it (detached, so that no gradient flows).
    """
    node = make_node(op, tuple(t._data for t in out), operands, params, (None,) * len(operands))
    node.consts = (tuple(operands), *node.consts[1:])  # also what is large: an origin is never forgotten
    return tuple(t if t._node is not None else _detached_from(output_node(node, k), t) for k, t in enumerate(out))


def _detached_from(edge: Any, t: Tensor) -> Tensor:
    constant_from(row_function("clone").op, t, (wrap(t._data, edge),), ("K",))
    return t


# -------------------------------------------------------------------------------------------------------------------
# Where an operation on anything else than plain tensors goes: arrays, numbers, symbols, or none that it takes


_NUMBERS: frozenset[Any] = frozenset([np.float64, np.int64])


def _unsupported(op: Any, operands: tuple[Any, ...]) -> DTypeError:
    """The error that an operand is nothing to compute with."""
    step = step_of_formulas(operands)
    for o in operands:
        if not step and hasattr(o, "_fields"):
            step = f"{type(o).__name__} along an axis has several results, as PyTorch's: take one, its .{o._fields[0]}."
    return DTypeError(
        f"unsupported operand type(s) for {op.symbol or op.name}: "
        + " and ".join(repr(type(o).__name__) for o in operands),
        f"It got {describe(operands)}.",
        step or "Pass tensors, NumPy arrays or numbers; sg.tensor(…) makes a tensor of a list.",
    )


def run_on_carriers(op: Any, operands: tuple[Any, ...], params: tuple[Any, ...]) -> Any:
    """Run ``op`` on operands that are not all plain tensors: arrays give arrays."""
    if len(operands) == 2 and not op.variadic:
        a, b = operands  # data in a NumPy array beside a tensor: a tensor for the time being
        if type(a) is Tensor:
            if type(b) is np.ndarray and b.dtype is a._data.dtype and b.size <= WRAPPED:
                return op.apply(a, wrap(b if a._node is None else kept_copy(b)), *params)
            if type(b) in _NUMBERS and op.kind == "elementwise":  # an entry of an array is a number
                return op.apply(a, b.item(), *params)
        elif type(b) is Tensor:
            if type(a) is np.ndarray and a.dtype is b._data.dtype and a.size <= WRAPPED:
                return op.apply(wrap(a if b._node is None else kept_copy(a)), b, *params)
            if type(a) in _NUMBERS and op.kind == "elementwise":
                return op.apply(a.item(), b, *params)
    return _run_on_any(op, operands, params)


def _run_on_any(op: Any, operands: tuple[Any, ...], params: tuple[Any, ...]) -> Any:
    refuse_foreign(map(type, operands))
    found = moves = False
    for a in operands:
        if isinstance(a, Carrier):
            return run_carried(op, operands, params)
    for a in operands:
        if type(a) is Symbol or type(a) is Dim:
            if any(hasattr(o, "_fields") for o in operands):
                raise _unsupported(op, operands)
            return run_symbolic(op, tuple(map(kept_copy, operands)), params)
        if isinstance(a, Tensor):
            found, moves = True, moves or type(a) is Dual
        elif not isinstance(a, (np.ndarray, np.generic, *SCALARS)) and (a is not None or op.variadic):
            if isinstance(a, Fraction):
                return run_on_carriers(
                    op, tuple([float(o) if isinstance(o, Fraction) else o for o in operands]), params
                )
            if is_table(a):
                return run_on_carriers(op, tuple([plain_array(o) if is_table(o) else o for o in operands]), params)
            if len(operands) == 2 and op.symbol and is_sparse(a):
                return modes.sparse(op.symbol, *operands)
            raise _unsupported(op, operands)
    if found:
        for a in operands:
            if isinstance(a, (np.ndarray, np.generic)):
                refuse_no_numbers(a)
        return (Dual.run if moves else run)(op, tuple(map(kept_copy, operands)), params)
    state = hush()
    try:
        out = op.forward(operands, *params) if op.variadic else op.forward(*operands, *params)
    except Exception as error:
        raise explain(op, operands, params, error) from error
    finally:
        unhush(state)
    if op.real_only:
        refuse_complex(op, operands)
    return out
