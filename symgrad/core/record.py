"""The general way to run an operation and to record it: threads for large arrays, errors in the user's terms, hooks."""

from __future__ import annotations

import os
import re
import sys
from collections import deque
from collections.abc import Callable, Sequence
from contextvars import Context, Token
from dis import opmap
from functools import cache, partial
from itertools import combinations
from typing import Any

import numpy as np

from .. import _config, _limits
from .._errors import DimensionError, DTypeError, GradientError, InplaceError, RangeError, ShapeError, SymgradError
from .._limits import BLOCK, bound
from . import modes, storage
from .dim import LIBRARIES
from .graph import (
    FLOATS,
    FORGOTTEN,
    AnomalyFound,
    Node,
    SourceLocation,
    Tensor,
    WriteBan,
    edge,
    extra,
    hold_weakly,
    meta,
    new_node,
    output_node,
    raise_if_anomalous,
    register_view,
    wrap,
)
from .reading import constants_of, keep_saved, noting_operands, saved_values
from .symbols import constant_from, shape_of

# -------------------------------------------------------------------------------------------------------------------
# NumPy's notices (divide by zero, invalid value, overflow) held back while symgrad computes, whatever filters of
# warnings and settings of ``np.seterr`` are in force: log(0) is -inf and that is that, as in PyTorch.
#
# ``np.errstate`` does this too; it takes as long as an operation on a small array.


_QUIET = Context()
_QUIET.run(np.seterr, all="ignore")  # its setting is a context variable, the only one here

alone: Callable[..., Any] = _QUIET.run
"""Calls a function of NumPy's (that asks for no other context variable) quietly, and soonest; a RuntimeError says that
another thread is just doing so."""

((_variable, _value),) = _QUIET.items()
hush: Callable[[], Token[Any]] = partial(_variable.set, _value)
"""Holds notices back from here on, and returns what `unhush` takes."""

unhush: Callable[[Token[Any]], None] = _variable.reset


# ------------------------------- Large arrays: element-wise work in blocks that stay in cache, shared between threads

# A chain of NumPy calls makes a pass through memory per call, on one processor. An element-wise function may be
# applied block by block instead, its temporaries never leaving the cache, and NumPy lets go of the interpreter
# lock while it computes, so that two threads do twice the work.
#
# The idea to hold: parts of the work are taken, by whoever comes first, and the caller takes what nobody has taken. So
# it is done where no other thread can be had: the main one has ended, or the system allows no more.


_pool: Any = None


@cache
def _threads() -> int:
    """How many threads share the work, the caller's among them."""
    count = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(count, 8)


def _executor() -> Any:
    """The worker threads, started on first use (and anew in a forked process)."""
    global _pool
    if _pool is None:
        from concurrent.futures import ThreadPoolExecutor

        _pool = ThreadPoolExecutor(max(1, _threads() - 1), thread_name_prefix="symgrad")
    return _pool


def _after_fork() -> None:
    global _pool
    _pool = None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def blockable(arrays: Sequence[Any], shape: tuple[int, ...]) -> bool:
    """Whether the arrays can be cut where a result of ``shape`` is: numbers, and contiguous arrays of that shape."""
    return all(a.shape == shape and a.flags.c_contiguous for a in arrays if isinstance(a, np.ndarray))


def run_in_blocks(fn: Callable[..., Any], arrays: Sequence[Any], out: np.ndarray, block: int = BLOCK) -> np.ndarray:
    """Fill ``out`` with ``fn(*arrays, out=…)`` block by block; ``fn(*slices, out)`` writes its slice."""
    if not out.flags.c_contiguous:
        raise ValueError("blocks are written to contiguous memory")  # a flattened copy would be filled, and lost
    flat = [a.reshape(-1) if isinstance(a, np.ndarray) else a for a in arrays]
    target = out.reshape(-1)
    size = target.size
    state: Any = {**np.geterr(), "call": np.geterrcall()}

    def part(start: int, stop: int) -> None:
        with np.errstate(**state):  # a worker thread has its own floating-point settings
            for lo in range(start, stop, block):
                hi = min(lo + block, stop)
                fn(*(a[lo:hi] if isinstance(a, np.ndarray) else a for a in flat), target[lo:hi])

    count = _threads()
    parts = deque((size * i // count, size * (i + 1) // count) for i in range(count))

    def work() -> None:
        while parts:
            try:
                taken = parts.popleft()
            except IndexError:  # by somebody else meanwhile
                return
            part(*taken)

    jobs: list[Any] = []
    try:
        for _ in range(count - 1):
            jobs.append(_executor().submit(work))
    except RuntimeError:  # there is no thread to be had
        pass
    try:
        work()
    finally:
        for job in jobs:
            if not job.cancel():
                job.result()
        flat.clear()  # what was cancelled lies in the queue until a thread comes by, and holds no memory there
        target = np.empty(0)
    return out


# ----------------------------- The error of a failed operation, in the user's terms and in PyTorch's well-known words


def describe(operands: tuple[Any, ...]) -> str:
    """The operands' names, shapes and dtypes."""
    words = []
    for a in operands:
        if isinstance(a, Tensor):
            name = f"{a._extra.name} " if a._extra is not None and a._extra.name else ""
            words.append(f"{name}{tuple(shape_of(a))} {a._data.dtype}")
        elif isinstance(a, np.ndarray):
            words.append(f"array {a.shape} {a.dtype}")
        else:
            words.append(f"{type(a).__name__} {a!r}"[:60])
    return ", ".join(words)


def step_of_formulas(operands: tuple[Any, ...]) -> str:
    """What to write where one of the operands is a formula, which operations do not know; else nothing."""
    if not any(type(a).__name__ == "Formula" for a in operands):
        return ""
    return 'Write the formula first, f * x; functions of formulas are sg.parse("sin(u)", u=()).subs(u=f).'


def refuse_reduced(op: Any, given: dict[str, Any]) -> None:
    """Raise if a user's row that is declared entry by entry is not so: it is tried on an array of what it was given."""
    if op.kind != "elementwise" or op.variadic or (getattr(op.forward, "__module__", None) or "numpy").startswith(_OWN):
        return
    state = hush()
    try:
        entries = [np.asarray(getattr(given[a], "_data", given[a])).flat[0] for a in op.arguments]
        shape = np.shape(op.forward(*(np.full((2, 3), e) for e in entries), *(given[p] for p in op.params)))
    except Exception:  # it says so itself where it is called
        return
    finally:
        unhush(state)
    if shape != (2, 3):
        raise ShapeError(
            f"row {op.name!r} is declared elementwise, and is not",
            f"Of operands of shape (2, 3) its forward function makes a result of shape {shape}.",
            "Keep the operands' shape; what reduces or moves entries is declared by `linear` or `general`, with its "
            "vector-Jacobian product.",
        )


_OWN = ("symgrad", "numpy")
_OF_NUMPY = r"shape|broadcast|dimension|align|\bax[ie]s\b|out of bounds|too many indices|ufunc|dtype"
"""What NumPy says of operands that do not fit."""


def _is_own(error: Exception) -> bool:
    """Whether an error is the user's: raised by a row of his own, and not by NumPy because operands do not fit."""
    step = error.__traceback__
    while step is not None and step.tb_next is not None:
        step = step.tb_next
    if step is None or str(step.tb_frame.f_globals.get("__name__")).partition(".")[0] in LIBRARIES:
        return False
    return step.tb_frame.f_code.co_code[step.tb_lasti] == _RAISE or re.search(_OF_NUMPY, str(error)) is None


_RAISE = opmap["RAISE_VARARGS"]


def explain(op: Any, operands: tuple[Any, ...], params: tuple[Any, ...], error: Exception) -> Exception:
    """The error of a failed forward, in the user's terms; one of the user's own is raised as it is."""
    if isinstance(error, (SymgradError, MemoryError, NotImplementedError)):
        raise error
    step = step_of_formulas(operands)
    if step:
        return DTypeError(f"{op.name} takes no formula", f"It got {describe(operands)}.", step)
    evidence = (
        f"{op.name} got {describe(operands)}"
        + (f" with {dict(zip(op.params, params, strict=False))}" if params else "")
        + "."
    )
    if _is_own(error):
        error.add_note(f"The operation {evidence}")
        raise error
    if isinstance(error, np.exceptions.AxisError):
        low, high = -error.ndim if error.ndim else -1, error.ndim - 1 if error.ndim else 0
        return DimensionError(
            f"Dimension out of range (expected to be in range of [{low}, {high}], but got {error.axis})",
            evidence,
            "Count the tensor's dimensions with .dim().",
        )
    if isinstance(error, IndexError):
        return DimensionError(f"{error}", evidence, "Check the index against the tensor's shape.")
    if isinstance(error, (TypeError, np.exceptions.DTypePromotionError)):
        kinds = ", ".join(str(np.asarray(a._data).dtype) for a in operands if isinstance(a, Tensor))
        return DTypeError(
            f"{op.name} is not implemented for {kinds or 'these types'}: {error}",
            evidence,
            "Cast the operands with .to(dtype).",
        )
    if isinstance(error, OverflowError):
        return RangeError(f"{op.name}: {error}", evidence, "Cast the tensor to a wider dtype with .to(dtype).")
    if isinstance(error, ValueError) and op.refusal is not None:
        return op.refusal(*operands)
    if isinstance(error, ValueError):
        return ShapeError(
            mismatch(*[shape_of(a) for a in operands if a is not None]) or f"{op.name}: {error}",
            evidence,
            "Make the shapes agree: reshape, unsqueeze or broadcast_to.",
        )
    return error


def mismatch(*shapes: tuple[int, ...]) -> str:
    """PyTorch's words for two shapes that do not broadcast; none if all do."""
    for a, b in combinations(shapes, 2):
        for k in range(1, min(len(a), len(b)) + 1):
            if a[-k] != b[-k] and 1 not in (a[-k], b[-k]):
                return (
                    f"The size of tensor a ({a[-k]}) must match the size of tensor b ({b[-k]}) "
                    f"at non-singleton dimension {max(len(a), len(b)) - k}"
                )
    return ""


# -------------------------------------------------------------------------------------------------------------------
# What anomaly mode, saved-tensor hooks and a keeper do to a node as it is recorded; where the user's code stands


def watch(node: Node, results: tuple[Any, ...]) -> None:
    """What anomaly mode, saved-tensor hooks and a keeper of values do to a node as it is recorded."""
    asked = modes.anomaly.get()
    if asked is not None:
        meta(node).where = SourceLocation(*caller_frame())
        if asked.forward:
            try:
                raise_if_anomalous("forward", node, results)
            except AnomalyFound as found:
                raise modes.blame(found) from None
    hooks = modes.saved_hooks.get()
    if hooks and node.saved is not None:
        _pack(node, hooks[-1])
    keeper = modes.keeper.get()
    if keeper is not None:
        keeper.note(node)


def _pack(node: Node, hooks: tuple[Any, Any]) -> None:
    pack, unpack = hooks
    if pack is None:
        raise GradientError(str(unpack), "", "Leave the disable_saved_tensors_hooks block first.")

    op = node.op
    numbers = op is not None and any(isinstance(c, (int, float)) for c in constants_of(node))
    with modes.setting(modes.mode, modes.OFF):
        keep_saved(node, tuple(packed(v, pack, unpack, numbers) for v in saved_values(node)))
    meta(node).packed = True
    # the caller wants to decide what is kept: operands without gradient are let go too (and with them the formula)
    if op is not None and not numbers:
        node.consts = (None, *node.consts[1:]) if op.packs else None


def packed(v: Any, pack: Any, unpack: Any, numbers: bool = False) -> Any:
    """A saved value in the user's form; where there may be ``numbers``, one without dimensions stays."""
    if type(v) is tuple:
        return tuple(packed(u, pack, unpack, numbers) for u in v)
    if type(v) is not np.ndarray or (numbers and v.ndim == 0):
        return v  # a Python number that was an operand is no tensor
    t = wrap(v)
    bag = extra(t)
    bag.write_ban = _GIVEN
    before = storage.version(v)
    kept = pack(t)
    bag.write_ban = None
    if storage.version(v) != before:  # past the ban: through detach()
        raise InplaceError(_GIVEN.why, "", _GIVEN.advice)
    return Packed(kept, unpack)


_GIVEN = WriteBan(
    "A saved tensor pack hook is modifying its input in place. Tensors provided as input to pack hook cannot be "
    "modified by in-place operations as this can lead to unexpected side-effects.",
    "clone() it in the hook first.",
    always=True,
)


def unpacked(v: Any) -> Any:
    """Saved values again as they were, through the user's unpack hooks."""
    return tuple(map(unpacked, v)) if type(v) is tuple else v.get() if type(v) is Packed else v


class Packed:
    """A saved value in the form that the user's pack hook gave it."""

    __slots__ = ("unpack", "value")

    unpack: Any
    value: Any

    def __init__(self, value: Any, unpack: Any) -> None:
        self.value, self.unpack = value, unpack

    def get(self) -> np.ndarray:
        """The array again, through the user's unpack hook."""
        t = self.unpack(self.value)
        if not isinstance(t, Tensor):
            raise DTypeError(
                f"unpack_hook must return a tensor, got {type(t).__name__!r}", "", "Return what pack_hook was given."
            )
        return t._data


def caller_frame() -> tuple[Any, int, int]:
    """The code object, line and instruction of the innermost frame outside symgrad."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("symgrad"):
        frame = frame.f_back
    return frame.f_code, frame.f_lineno, frame.f_lasti


# ----------------------------------------- The general way to run an operation and to record it, by looking things up

# What ``op.py`` writes out for the common case is done here for every case: any number of inputs, mixed dtypes,
# arrays as operands, several outputs, large arrays.


SCALARS = (int, float, complex, bool)
"""Python's numbers, which are operands as they are."""


def run(op: Any, operands: tuple[Any, ...], params: tuple[Any, ...], given: Any = None) -> Any:
    """Run ``op`` on operands of which at least one is a tensor, and record it (as tensors: see `run_symbolic`).

    ``given``: the parameters as the forward function gets them, where that differs from how they are recorded.
    """
    given = params if given is None else given
    values = tuple(a._data if isinstance(a, Tensor) else a.item() if isinstance(a, np.generic) else a for a in operands)
    values = promoted(op, values)
    state = hush()
    try:
        if op.variadic:
            out = op.forward(values, *given)
        elif op.kind == "elementwise" and _is_big(values):
            out = _big_forward(op.forward, values, given)
        else:
            out = op.forward(*values, *given)
    except Exception as error:
        raise explain(op, operands, params, error) from error
    finally:
        unhush(state)
    if op.outputs:
        return record_several(op, out, operands, params)
    if type(out) is not np.ndarray:
        out = np.asarray(out)
    return record(op, out, operands, params)


def promoted(op: Any, values: tuple[Any, ...]) -> tuple[Any, ...]:
    """Short whole numbers beside floats as floats: NumPy takes the logarithm of an int8 in half precision."""
    if op.kind != "elementwise" or op.own_dtype or op.masks:
        return values
    arrays = [v.dtype for v in values if isinstance(v, np.ndarray)]
    if not any(d.itemsize < 4 and d.kind in "iu" for d in arrays):
        return values
    floats = [d for d in arrays if d.kind in "fc"]
    if not floats:
        return values
    want = np.result_type(*floats)
    return tuple([
        v.astype(want) if isinstance(v, np.ndarray) and v.dtype.kind in "iu" and k not in op.unmoved else v
        for k, v in enumerate(values)
    ])  # fmt: skip


def _is_big(values: tuple[Any, ...]) -> bool:
    arrays = [v for v in values if isinstance(v, np.ndarray)]
    if not arrays or arrays[0].size <= _limits.BIG or arrays[0].dtype.kind != "f":
        return False
    return blockable(values, arrays[0].shape)


def _kind(value: Any) -> Any:
    """What decides the dtype of a result: an array's dtype, a number's type (NumPy takes ``bool`` for no type)."""
    if isinstance(value, (np.ndarray, np.generic)):
        return value.dtype
    return np.dtype(bool) if type(value) is bool else type(value)


def _big_forward(forward: Any, values: tuple[Any, ...], params: tuple[Any, ...]) -> np.ndarray:
    shape = next(v.shape for v in values if isinstance(v, np.ndarray))
    if isinstance(forward, np.ufunc):
        out = np.empty(shape, forward.resolve_dtypes((*map(_kind, values), None))[-1])
        # one ufunc has no temporaries to keep in cache: a block per thread is enough
        return run_in_blocks(lambda *a: forward(*a[:-1], out=a[-1]), values, out, block=1 << 30)
    first = forward(*(v.reshape(-1)[:1] if isinstance(v, np.ndarray) else v for v in values), *params)

    def block(*a: Any) -> None:
        a[-1][...] = forward(*a[:-1], *params)

    return run_in_blocks(block, values, np.empty(shape, first.dtype))


def settle(op: Any, out: np.ndarray, operands: tuple[Any, ...]) -> np.ndarray:
    """Give the result PyTorch's dtype where NumPy's differs: tensors of whole numbers never widen floats, and
    a float function of whole numbers gives the default dtype."""
    dtype = out.dtype
    if dtype.kind in "fc" and all(
        a._data.dtype is dtype if isinstance(a, Tensor) else type(a) is float or type(a) is int for a in operands
    ):
        return out  # nothing was promoted
    if out.dtype.kind not in "fc" or op.own_dtype:
        return out
    dtypes = [
        a._data.dtype if isinstance(a, Tensor) else a.dtype for a in operands if isinstance(a, (Tensor, np.ndarray))
    ]
    want = promoted_float(out.dtype, dtypes)
    if out.dtype == want:
        return out
    with np.errstate(all="ignore"):
        return out.astype(want)


def promoted_float(dtype: np.dtype[Any], dtypes: Sequence[np.dtype[Any]]) -> np.dtype[Any]:
    """The dtype of a result that NumPy gives the float ``dtype``, of operands of ``dtypes``."""
    floats = [d for d in dtypes if d.kind in "fc"]
    want = np.result_type(*floats) if floats else _config.default_dtype()
    if dtype.kind == "c" and want.kind == "f":
        return _config.complex_of(want)
    return _config.real_of(want) if dtype.kind == "f" and want.kind == "c" else want


def refuse_complex(op: Any, operands: tuple[Any, ...]) -> None:
    """Raise if an operand of a row for real numbers is complex."""
    for a in operands:
        value = a._data if isinstance(a, Tensor) else a
        if isinstance(value, complex) or getattr(getattr(value, "dtype", None), "kind", "") == "c":
            raise DTypeError(
                f"'{op.name}' is not implemented for complex numbers",
                f"It got {describe(operands)}.",
                "Apply it to .real, .imag or .abs().",
            )


def finish(op: Any, out: np.ndarray, operands: tuple[Any, ...], params: tuple[Any, ...]) -> Tensor:
    """Wrap the result of an operation none of whose inputs requires grad."""
    if op.real_only:
        refuse_complex(op, operands)
    if out.dtype.kind in "fc":
        # NumPy computes functions of small integers in half precision
        if out.dtype.itemsize == 2 and not op.own_dtype and not op.variadic and not op.view:
            arrays = [a._data if isinstance(a, Tensor) else a for a in operands]
            halves = any(isinstance(a, np.ndarray) and a.dtype.kind == "f" for a in arrays)  # whole numbers are places
            kinds = "f" if halves else "biuf"
            wide = (a.astype(np.float64) if isinstance(a, np.ndarray) and a.dtype.kind in kinds else a for a in arrays)
            with np.errstate(all="ignore"):
                out = np.asarray(op.forward(*wide, *params))
        out = settle(op, out, operands)
    t = wrap(out)
    if op.view:
        register_view(t, operands[0], op, params)
    for a in operands:
        if isinstance(a, Tensor) and (op.kind == "constant" if a._node is not None else a._extra is not None):
            _note_origin(t, op, operands, params)
            break
    if modes.mode.get() == modes.INFERENCE and (t._extra is None or t._extra.view is None):  # a view is as its base
        extra(t).inference = True
    return t


ORIGIN = bound(24)
"""Steps back that constants remember how they were computed: a loop must not pile up memory."""


def _note_origin(t: Tensor, op: Any, operands: tuple[Any, ...], params: tuple[Any, ...]) -> None:
    """Let a constant remember how it was computed from named ones, or by comparing, so that formulas show ``-y`` and
    ``abs(r) < 1`` rather than what these happened to be.

    A mask keeps the nodes of what was compared (not the values): they may hang on nothing else. Whatever is smaller
    than what it was computed from, a metric say, keeps none of that, so that a list of metrics keeps no graphs; it says
    only that it was computed, as does what is computed where nothing records, or by a row of several results.
    """
    length, compared = 0, False
    for a in operands:
        if not isinstance(a, Tensor):
            continue
        bag = a._extra
        if a._node is not None:
            length, compared = max(length, 1), True
        elif bag is not None and bag.name is not None:
            length = max(length, 1)
        elif bag is not None and bag.origin is not None:
            length = max(length, 1 + bag.origin[4])
            compared = compared or bag.origin[5]
        if compared and a._data.size > t._data.size and modes.tracing.get() is None:
            extra(t).origin = FORGOTTEN
            return
    if modes.mode.get() <= 0 or op.outputs or length > ORIGIN:
        if compared and t._data.dtype.kind not in "fc":
            extra(t).origin = FORGOTTEN
    elif length:
        constant_from(op, t, operands, params, compared, length)


def record(op: Any, out: np.ndarray, operands: tuple[Any, ...], params: tuple[Any, ...]) -> Tensor:
    """Wrap a result; make its node if grad mode is on and an input requires grad."""
    edges = tuple(edge(a) if isinstance(a, Tensor) else None for a in operands)
    mode = modes.mode.get()
    if mode <= 0 or op.kind == "constant" or not any(e is not None for e in edges):
        return finish(op, out, operands, params)
    out = settle(op, out, operands)
    if out.dtype.kind not in "fc":
        t = wrap(out)
        _note_origin(t, op, operands, params)
        return t
    if op.real_only:
        refuse_complex(op, operands)
    node = make_node(op, out, operands, params, edges)
    t = wrap(out, node)
    if op.view:
        register_view(t, operands[0], op, params)
    if mode == modes.WATCH:
        watch(node, (out,))
    return t


def make_node(op: Any, out: Any, operands: tuple[Any, ...], params: tuple[Any, ...], edges: tuple[Any, ...]) -> Node:
    """A node for ``op`` with what its rules ask for, whatever its form."""
    constants: Any = tuple(None if e is not None else hold_weakly(a) for e, a in zip(edges, operands, strict=True))
    if all(c is None for c in constants):
        constants = None
    consts = (constants, params, tuple(shape_of(a) for a in operands)) if op.packs else constants
    fit = _fit(op, out, operands, edges)
    node: Node = new_node(op.node, edges, _saved(op, out, operands, params, edges), consts, fit)
    if node.saved is not None:
        refuse_inference(op.name, operands, saved_values(node))
        noting_operands(node, operands)
    return node


def refuse_inference(name: str, operands: Sequence[Any], saved: Sequence[Any]) -> None:
    """Raise where a tensor made in inference mode would be saved."""
    for a in operands:
        if isinstance(a, Tensor) and a._extra is not None and a._extra.inference and any(v is a._data for v in saved):
            raise GradientError(
                "Inference tensors cannot be saved for backward. Please do not use Tensors created in inference mode "
                "in computation tracked by autograd.",
                f"{name} got a tensor made in inference_mode.",
                "To work around you can make a clone to get a normal tensor and use it in autograd.",
            )


def _saved(op: Any, out: Any, operands: Any, params: Any, edges: Any) -> Any:
    if not op.saved:
        return None
    if op.variadic:
        values = tuple(a._data if isinstance(a, Tensor) else a for a in operands)
        return tuple(values if s in op.inputs else out if s == "y" else params[op.params.index(s)] for s in op.saved)
    live = {a for i, e in enumerate(edges) if e is not None for a in op.rule_args[i]}
    saved = []
    for name in op.saved:
        if name == "y":
            saved.append(out if name in live else None)
        elif name in op.inputs:
            a = operands[op.inputs.index(name)]
            if isinstance(a, SCALARS) and op.kind == "elementwise" and not isinstance(a, complex):
                a = np.asarray(a, out.dtype)  # in the tensors' dtype: np.log(2.0) would be a float64
            value = a._data if isinstance(a, Tensor) else a
            if name in live and op.kind == "elementwise" and getattr(value, "dtype", out.dtype) != out.dtype:
                value = promoted(op, (value, out))[0]  # as it was computed with
            saved.append(value if name in live else None)
        else:
            saved.append(params[op.params.index(name)])
    if op.bare:
        return saved[0]
    return None if all(v is None for v in saved) else tuple(saved)


def _fit(op: Any, out: Any, operands: Any, edges: Any) -> Any:
    """Per input (shape, dtype) to which its gradient must be brought, or None if all fit as they are."""
    outs = out if op.outputs else (out,)
    rows: list[Any] = []
    plain = outs[0].dtype in FLOATS and not op.outputs and not op.variadic
    if op.kind == "elementwise" and outs[0].size > _limits.BIG:
        plain = False  # large arrays are pulled in blocks
    for a, e in zip(operands, edges, strict=True):
        if e is None:
            rows.append(None)  # beside whole numbers, say, NumPy computes a wider gradient than the operand is
            value = a._data if isinstance(a, Tensor) else a
            if op.kind in ("elementwise", "multilinear") and getattr(value, "dtype", outs[0].dtype).kind in "biu":
                plain = False
            continue
        x = a._data
        rows.append((x.shape, x.dtype))
        if x.dtype != outs[0].dtype or (op.kind == "elementwise" and x.shape != outs[0].shape):
            plain = False
    if op.outputs:
        return tuple((o.shape, o.dtype) for o in outs)
    return None if plain else tuple(rows)


def record_several(op: Any, outs: tuple[np.ndarray, ...], operands: Any, params: Any) -> tuple[Tensor, ...]:
    """Wrap the outputs of an operation with several; they share one node."""
    edges = tuple(edge(a) if isinstance(a, Tensor) else None for a in operands)
    mode = modes.mode.get()
    if mode <= 0 or not any(e is not None for e in edges):
        return tuple(finish(op, np.asarray(o), operands, params) for o in outs)
    outs = tuple(settle(op, np.asarray(o), operands) for o in outs)
    origin = make_node(op, outs, operands, params, edges)
    if mode == modes.WATCH:
        watch(origin, outs)
    return tuple(wrap(o, output_node(origin, i)) if o.dtype.kind in "fc" else wrap(o) for i, o in enumerate(outs))
