"""A tensor's values: as numbers and arrays, in other dtypes; and the errors of code that carries them off."""

from __future__ import annotations

import ast
import dis
import linecache
import os
import re
import sys
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from .._config import spoken_name
from .._errors import DeviceError, DTypeError, GradientError, InplaceError, ShapeError
from .._trees import parsed
from .._typing import DTYPES, WORDS, Device, as_device, as_dtype
from ..core import (
    Carrier,
    Symbol,
    Tensor,
    alias,
    carries,
    edge,
    extra,
    foreign_array_error,
    is_beside_sparse,
    is_leaf_node,
    modes,
    numpys_array_of,
    of_numpy,
    reachable,
    refuse_foreign,
    resize,
    row_function,
    storage,
    unwrap,
)
from ..ops import METHODS, named, numpys, rests_on_values
from .describe import make_member, member

# ------------------------------------- What leaves the record: the errors of code that carries a tensor's numbers off

# The idea to hold: nothing here runs until something went wrong, or might have. Who asked for the numbers is read from
# the frames of the calls under way, so that the message names the user's own line and the library's function.


_LIBRARIES = ("numpy", "scipy", "pandas")
_CONSTANTS = "detach() is for constants only: no derivative flows through it."


def _library(frame: Any) -> str:
    """The first part of the name of the module in which a frame runs."""
    return str(frame.f_globals.get("__name__", "")).partition(".")[0]


def _beyond(frame: Any, *libraries: str) -> Any:
    """The nearest frame, from one outwards, that runs in none of some libraries; None if there is none."""
    while frame is not None and _library(frame) in libraries:
        frame = frame.f_back
    return frame


def _named(frame: Any) -> tuple[str, str]:
    """The name of a frame's function and its module; of one that wraps another, that other's."""
    name, home = frame.f_code.co_name, str(frame.f_globals["__name__"])
    wrapped = frame.f_locals.get("f", frame.f_locals.get("fun")) if name in ("wrapper", "inner") else None
    if isinstance(frame.f_locals.get("self"), np.vectorize):
        return "vectorize", "numpy"
    if home.startswith("scipy.") and "self" in frame.f_locals:
        own = frame.f_locals["self"]
        if name in ("__init__", "__call__"):  # a class of SciPy's: its name says more than that of what it calls
            called = getattr(own, "__name__", type(own).__name__)  # a ufunc of several has a name of its own
            return called.removesuffix("_gen").removesuffix("_frozen"), home
        if home.startswith("scipy.stats"):  # a method: of norm, or of norm(0, 1)
            kind = type(getattr(own, "dist", own)).__name__
            return (f"{kind.removesuffix('_gen')}.{name}" if not name.startswith("_") else name), home
    return (wrapped.__name__, wrapped.__module__) if callable(wrapped) else (name, home)


def calling_library(frame: Any) -> tuple[str, str, str]:
    """(line of the user's file, library's public module, its function) that ``frame``, in symgrad, was called from."""
    frame = _beyond(frame, "symgrad")
    module = function = ""
    while frame is not None and _library(frame) in _LIBRARIES:
        name, home = _named(frame)
        if not function or not name.startswith(("_", "wrap", "inner", "<")):  # the outermost that has a name
            parts = [p for p in home.split(".")[:2] if not p.startswith("_") and p != "core"]
            module, function = ".".join(parts), name
        frame = frame.f_back
    frame = _beyond(frame, "symgrad", *_LIBRARIES)  # the function was handed over as it is
    where = "" if frame is None else f"line {frame.f_lineno} of {os.path.basename(frame.f_code.co_filename)}"
    return where, module, "" if function.startswith(("_", "<", "new_method")) else f"{function}()"


def _called_by_user() -> str:
    """What the user's line calls where no frame says it, as it is written there: a function in C, ``math.sin()``."""
    frame = _beyond(sys._getframe(2), "symgrad", *_LIBRARIES)
    text = "" if frame is None else _text_at(frame)
    try:
        call = parsed(text, "eval").body
    except SyntaxError:
        return ""
    name = ast.unparse(call.func) if isinstance(call, ast.Call) else ""
    return f"{name}()" if re.fullmatch(r"[\w.()]{1,50}", name) else ""


def _is_named(module: str, function: str) -> bool:
    """Whether a library's function is known by name."""
    return bool(module) and function not in ("", "()")


def _said(module: str, function: str, called: str = "") -> str:
    """Who asked, as messages say it: a library's function, or what stands in the user's line."""
    if _is_named(module, function):
        return f" by {module} ({function})"
    return f" by {called or module}" if called or module else ""


def _text_at(frame: Any) -> str:
    """The expression at which a frame is, where it is on one line."""
    line, last, start, end = list(frame.f_code.co_positions())[frame.f_lasti // 2]
    if line is None or line != last:
        return ""
    text = linecache.getline(frame.f_code.co_filename, line).encode()[start:end]
    return text.decode(errors="replace")


_FACTORS = "np.linalg.cholesky(A), the lower factor, and sg.linalg.solve_triangular or np.linalg.solve(A, b)"
_INSTEAD = {"cholesky_banded": _FACTORS, "cho_solve_banded": _FACTORS, "kron": "np.kron(A, B)"}
"""What to write for SciPy's linear algebra that symgrad.scipy has not."""


def _own(module: str, function: str) -> str:
    """What takes tensors in place of a function of SciPy's, where there is something."""
    if not module.startswith("scipy."):
        return ""
    symgrad = sys.modules["symgrad"]
    name = function.removesuffix("()")
    home = module.partition(".")[2]
    mirror = getattr(symgrad.scipy, home) if home in symgrad.scipy.__all__ else None
    first, _, member = name.partition(".")
    if mirror is not None and first in mirror.__all__ and (not member or hasattr(getattr(mirror, first), member)):
        return f"symgrad.scipy.{home}.{name}, which takes tensors"
    if module == "scipy.linalg" and name in _INSTEAD:
        return _INSTEAD[name]
    for place, spelled in ((symgrad, "sg"), (symgrad.special, "sg.special"), (symgrad.linalg, "sg.linalg")):
        if name and callable(getattr(place, name, None)):
            return f"{spelled}.{name}, which takes tensors"
    return ""


def _is_from_mirror() -> bool:
    """Whether SciPy's function, which asks, was called by symgrad.scipy's of that name, not by the user."""
    frame = _beyond(_beyond(sys._getframe(2), "symgrad", "numpy"), "scipy")
    return frame is not None and str(frame.f_globals.get("__name__", "")).startswith("symgrad.scipy.")


_NOT_FOUND = (
    "It was computed of a tensor that is neither among the args of symgrad's function nor a variable that the function "
    "handed to it sees: in an attribute, say. Pass the tensor in args, as it is or in a tuple."
)
_DRAWS = frozenset(
    ["choice", "exponential", "gamma", "multivariate_normal", "normal", "permutation", "poisson", "shuffle", "uniform"]
)
"""Methods of NumPy's random generators, which are in C: no frame names them."""
_NUMPYS = {
    "full()": "Write np.broadcast_to(value, shape), which takes tensors.",
    "fill_diagonal()": "Write a - np.diag(np.diag(a)) + np.diag(v), or fill a tensor: sg.zeros(n).",
}
_TABLE = "Take the array out of the table first: df.to_numpy() in place of df."


def asked_by() -> str:
    """Who asks a symbol for its array, in words."""
    _, module, _ = calling_library(sys._getframe(1))
    if module == "pandas":
        return "pandas (which takes arrays: write df.to_numpy() in place of df)"
    return "np.asarray() or a NumPy function"


def refused_by_scipy(frame: Any) -> GradientError | None:
    """The error where SciPy's own code, in a frame, fails at what is differentiated; None where it is not SciPy's."""
    return no_array(False, frame) if calling_library(frame)[1].startswith("scipy") else None


def no_array(explicit: bool, frame: Any = None) -> GradientError:
    """The error where the array of a tensor that requires grad is asked for; to be raised by the method that was.

    ``explicit`` is whether the user's code asked for it by name, by ``.numpy()``; ``frame`` where, if not here.
    """
    what = "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead."
    why = "An array has no history: what is computed from it would silently have no gradient."
    if explicit:
        step = "" if modes.running.get() is None else f"Go on with the tensor: NumPy's functions take it. {_CONSTANTS}"
        return GradientError(what, why, step)
    where, module, function = calling_library(frame or sys._getframe(1))
    called = "" if _is_named(module, function) else _called_by_user()
    if where:
        why = f"It is made an array{_said(module, function, called)} in {where}. {why}"
    own = _own(module, function)
    if module == "scipy.sparse":
        step = (
            "A sparse array is a factor, A @ x, and stands behind a number that is differentiated, lam * A; one whose "
            "entries move is made by symgrad.scipy.sparse.coo_array. "
            "A small one can be an array, A.toarray()."
        )
    elif module.startswith("pandas"):
        step = _TABLE
    elif module.startswith("numpy") and function in _NUMPYS:
        step = _NUMPYS[function]
    elif own and _is_from_mirror():
        step = _NOT_FOUND
    elif own:
        step = f"Use {own}."
    elif not module and _writes_here():
        step = _to_be_filled()
    elif called.removesuffix("()").rpartition(".")[2] in _DRAWS:
        step = (
            "Draw what does not depend on it, and compute with that: mean + scale * rng.standard_normal(n), "
            "x[rng.permutation(n)]."
        )
    elif module.startswith("scipy"):
        step = (
            "It has no derivative here: write it with NumPy's functions and symgrad's (sg.logsumexp, sg.special), or "
            "make it an operation with a derivative (sg.autograd.Function)."
        )
    else:
        step = (
            "Put numbers together with np.stack([…]) or np.concatenate, fill np.zeros_like(x), copy with np.copy(x), "
            "and leave out asarray, or write import symgrad.numpy as np, whose asarray differentiates. A library's "
            "function that needs arrays has no derivative here: use NumPy's or symgrad's (sg.logsumexp, sg.special), "
            "or sg.autograd.Function."
        )
    return GradientError(what, why, f"{step} {_CONSTANTS}")


def refuse_lost(t: Tensor, name: str) -> None:
    """Raise where the numbers of a tensor with a history are taken and a transform differentiates it; to be called by
    the tensor's method of this name."""
    if not modes.under_way and modes.running.get() is None and modes.tracing.get() is None:
        return
    if modes.mode.get() <= 0 or not is_under_way(t):
        return
    frame = _beyond(sys._getframe(2), "symgrad")
    if frame is not None and (_formats(frame) or (modes.tracing.get() is None and _tests(frame))):
        return
    where, module, function = calling_library(frame)
    called = "" if _is_named(module, function) else _called_by_user()
    who = _said(module, function, "" if called.endswith(f"{name}()") else called)
    what = f"{name}() takes the number of a tensor that is being differentiated{who}{f' in {where}' if where else ''}"
    why = "It has no history: no derivative would flow through what is computed from it."
    constant = f"x.detach().{'tolist' if name == 'tolist' else 'item'}() says that it is to be a constant."
    step = (
        "Go on with the tensor: NumPy's functions and symgrad's take it in place of math's, np.stack puts numbers "
        f"together, np.zeros_like(x) is an array to be filled. {constant}"
    )
    own = _own(module, function)
    if own:
        step = f"{_NOT_FOUND if _is_from_mirror() else f'Use {own}.'} {constant}"
    elif function == "vectorize()" and "dtype=" in _text_at(frame):
        step = "np.vectorize's array has the dtype of the first result, a plain number here: say otypes=[object]."
    elif not module and frame is not None and _writes(frame):
        step = _to_be_filled()
    raise GradientError(what, why, step)


_LOST_BY_A_WRITE = (
    "Converting a tensor with requires_grad=True to a scalar may lead to unexpected behavior.\n"
    "What is written to is an array of plain numbers: no derivative will flow through what is computed from it. "
    "Write to a tensor, sg.zeros(n), or write t.item(), which says that it is to be a constant."
)


def _to_be_filled() -> str:
    what = "What is written to is an array of plain numbers."
    if not modes.among_arrays():
        return f"{what} Write to a tensor, sg.zeros(n), or put the parts together, sg.stack([…])."
    return (
        f"{what} With `import symgrad.numpy as np`, arrays made inside the function (np.zeros(n), np.array(A), "
        "np.copy(A)) can be filled; with NumPy, those that are made of one that is differentiated (np.zeros_like(x), "
        "np.empty_like(x, shape=n)), or np.stack([…]) puts the parts together."
    )


def is_under_way(t: Tensor) -> bool:
    """Whether a derivative flows from a tensor to what a transform under way put in the place of an argument.

    None flows through what is flat: `floor(x)` is a constant, whatever x is.
    """
    tracing = modes.tracing.get() is not None  # what it caught is a variable too
    variables = modes.under_way  # whichever thread runs them: this one may have been started by their function
    seen = set()
    stack = [edge(t)]
    while stack:
        node = stack.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        if node in variables or (tracing and is_leaf_node(node)):
            return True
        stack += _inclined(node)
    return False


def _inclined(node: Any) -> list[Any]:
    """The nodes before one, without those in which it is flat."""
    parents, op = getattr(node, "parents", ()), node.op
    if op is None or op.variadic or len(parents) != len(op.rules):
        return list(parents)
    return [p for p, rule in zip(parents, op.rules) if callable(rule) or rule != 0]


def _writes(frame: Any) -> bool:
    """Whether a frame is at a write: ``a[k] = value``."""
    return frame.f_code.co_code[frame.f_lasti] == dis.opmap["STORE_SUBSCR"]


def _tests(frame: Any) -> bool:
    """Whether a frame calls one of math's functions that tell what kind of number it is: flat, as comparisons are."""
    return re.match(r"(math\.)?(isnan|isfinite|isinf|isclose)\(", _text_at(frame)) is not None


def step_of_a_write() -> str:
    """What to write instead, where the user's line under way puts a value into an array of plain numbers; else ""."""
    return _to_be_filled() if _writes_here() else ""


def _writes_here() -> bool:
    """Whether the user's line under way is a write."""
    frame = _beyond(sys._getframe(2), "symgrad")
    return frame is not None and _writes(frame)


def _formats(frame: Any) -> bool:
    """Whether a frame is at the ``%`` of a text: a tensor's own is no conversion."""
    return _opname(frame) in ("BINARY_MODULO", "BINARY_OP %", "BINARY_OP %=")


def _opname(frame: Any) -> str:
    """The instruction that a frame is at; of an operator its sign too."""
    step = next((s for s in dis.get_instructions(frame.f_code) if s.offset == frame.f_lasti), None)
    return "" if step is None else f"BINARY_OP {step.argrepr}" if step.opname == "BINARY_OP" else step.opname


Tensor._refuse_lost = refuse_lost  # type: ignore[method-assign,assignment]  # for functions of the table that take numbers
Tensor.__pandas_priority__ = 5000  # above a DataFrame's 4000: pandas leaves operators to us


# ---------------------------------------------------------- A tensor's values: as numbers and arrays, in other dtypes


def _get_data(self: Tensor) -> Tensor:
    """The same memory without history; writes through it go unnoticed by the graph."""
    return alias(self, untracked=True)


def _set_data(self: Tensor, value: Tensor) -> None:
    if not isinstance(value, Tensor):
        raise DTypeError(f"Variable data has to be a tensor, but got {type(value).__name__}")
    if self._node is not None and value._data.dtype.kind not in "fc":
        raise DTypeError(
            "data set to a tensor that requires gradients must be floating point or complex dtype",
            f"The new data are {value._data.dtype}.",
            "Cast them first.",
        )
    if modes.under_way and self._node is not None and not modes.under_way.isdisjoint(reachable([edge(self)])[3]):
        raise InplaceError(
            "mutating directly with `.data` inside functorch transform is not allowed.",
            "The derivative would be one of the new data, and not know that the function computed them.",
            "Compute a new tensor, or write to a copy: x.clone().",
        )
    extra(self).uncounted += storage.version(value._data) - storage.version(self._data)
    if is_leaf_node(self._node):
        self._node.data = value._data
    elif self._node is not None and self._data.shape != value._data.shape:
        resize(self)
    self._data = value._data


Tensor.data = property(_get_data, _set_data)  # type: ignore[method-assign,assignment]


@make_member
def item(self: Tensor) -> Any:
    """Return the one element as a Python number."""
    if self._data.size != 1:
        raise ShapeError(
            f"a Tensor with {self._data.size} elements cannot be converted to Scalar",
            f"Its shape is {list(self._data.shape)}.", "Index one element, or use tolist().",
        )  # fmt: skip
    if self._node is not None:
        refuse_lost(self, "item")
    return _noted(self, self._data.item())


@make_member
def tolist(self: Tensor) -> Any:
    """Return the elements as nested lists of Python numbers."""
    if self._node is not None:
        refuse_lost(self, "tolist")
    return _noted(self, self._data.tolist())


@make_member
def numpy(self: Tensor, *, force: bool = False) -> np.ndarray:
    """Return the array itself (shared memory); a tensor that requires grad must be detached first, or under no_grad."""
    if self._node is not None and not force and modes.mode.get() > 0:
        raise no_array(explicit=True)
    return self._data[...] if self._data.ndim == 0 else self._data


@make_member
def __array__(self: Tensor, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
    if is_beside_sparse(sys._getframe(1)):
        return numpys_array_of(self)  # the product is ours
    if self._node is not None and modes.mode.get() > 0:
        raise no_array(explicit=False)
    array = numpy(self, force=True)
    if dtype is not None and np.dtype(dtype) != array.dtype:
        return array.astype(dtype)
    return array.copy() if copy else array


@make_member
def __array_ufunc__(self: Tensor, ufunc: Any, method: str, x: Any, /, *others: Any, **kwargs: Any) -> Any:
    row = of_numpy[ufunc]
    if method == "__call__" and not others and not kwargs and row is not None:  # the commonest: look no further
        return row(x)
    inputs = (x, *others)
    for v in inputs:
        if isinstance(v, (Carrier, list, tuple)) and carries(v):
            return Carrier.ufunc(ufunc, method, inputs, kwargs)
    return numpys.ufunc_on_tensors(ufunc, method, inputs, kwargs)


@make_member
def __array_function__(self: Tensor, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
    if len(types) > 1:
        if any(issubclass(kind, Carrier) for kind in types):
            return NotImplemented
        refuse_foreign(types)
    for v in (*args, *kwargs.values()):
        if isinstance(v, (Carrier, list, tuple)) and carries(v):
            return Carrier.function(func, args, kwargs)
    return numpys.function_on_tensors(func, args, kwargs)


@member
def _mask(self: Tensor) -> Any:
    """What ``numpy.ma`` asks of its operands, once it has taken a tensor's ``_data`` for their numbers."""
    if self._node is None and type(self) is not Symbol:
        raise AttributeError("a tensor has no attribute '_mask'")
    raise foreign_array_error(np.ma.MaskedArray)


def _number(convert: Any) -> Any:
    def method(self: Tensor) -> Any:
        if self._data.size != 1:
            raise ShapeError(
                "only one element tensors can be converted to Python scalars",
                f"This one has shape {list(self._data.shape)}.", "Index one element, or use tolist().",
            )  # fmt: skip
        if self._node is not None:
            refuse_lost(self, convert.__name__)
            if modes.mode.get() > 0 and _writes(sys._getframe(1)):
                warnings.warn(_LOST_BY_A_WRITE, UserWarning, stacklevel=2)
        value = convert(self._data.item())
        return _noted(self, value)

    return method


for _name, _convert in {"__float__": float, "__int__": int, "__complex__": complex}.items():
    setattr(Tensor, _name, _number(_convert))


@make_member
def __index__(self: Tensor) -> int:
    if self._data.dtype.kind not in "iub" or self._data.size != 1:
        raise DTypeError("only integer tensors of a single element can be converted to an index")
    return _noted(self, int(self._data.item()))


def _noted(t: Tensor, value: Any) -> Any:
    """Numbers that may decide what follows: for a formula it is a branch, taken where they are the same."""
    branches = modes.tracing.get()
    if branches is not None and (t._node is not None or (t._data.dtype.kind in "iu" and rests_on_values(t))):
        same = t == t._data.item() if t._data.size == 1 else METHODS["all"](t == t._data.copy())
        branches.append((same, True))
    return value


@make_member
def __bool__(self: Tensor) -> bool:
    if self._data.size != 1:
        what = "no values" if self._data.size == 0 else "more than one value"
        raise GradientError(
            f"Boolean value of Tensor with {what} is ambiguous", f"Its shape is {list(self._data.shape)}.",
            "Use .any() or .all().",
        )  # fmt: skip
    value = bool(self._data.item())
    branches = modes.tracing.get()
    if branches is not None:
        branches.append((self, value))
    return value


@make_member
def __len__(self: Tensor) -> int:
    if self._data.ndim == 0:
        raise TypeError("len() of a 0-d tensor")
    return self._data.shape[0]


@make_member
def __iter__(self: Tensor) -> Iterator[Tensor]:
    if self._data.ndim == 0:
        raise TypeError("iteration over a 0-d tensor")
    return iter(METHODS["unbind"](self, 0))


@make_member
def __contains__(self: Tensor, value: Any) -> bool:
    return bool((self._data == (unwrap(value))).any())


@make_member
def to(self: Tensor, *args: Any, dtype: Any = None, device: Any = None, copy: bool = False, **options: Any) -> Tensor:
    """Return the tensor in another dtype (differentiable), or itself if nothing changes; the device is the CPU."""
    for a in args:
        if isinstance(a, Tensor):
            dtype = a._data.dtype
        elif isinstance(a, bool):
            continue
        elif isinstance(a, (str, Device)) and (isinstance(a, Device) or a not in DTYPES):
            device = a
        elif a is not None:
            dtype = a
    if device is not None:
        as_device(device)
    target = self._data.dtype if dtype is None else as_dtype(dtype)
    if target == self._data.dtype:
        return METHODS["clone"](self) if copy else self
    return row_function("cast")(self, target)


@make_member
def astype(
    self: Tensor, dtype: Any, order: str = "K", casting: Any = "unsafe", subok: bool = True, copy: bool = True
) -> Tensor:
    """Return the tensor in another dtype, as ``to(dtype)`` does, under NumPy's name: a copy, if not told otherwise.

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> sg.grad(lambda x: (x.astype(np.float64) ** 2).sum())(np.array([1.0, 2.0]))
    array([2., 4.])
    """
    target = as_dtype(dtype)
    if not np.can_cast(self._data.dtype, target, casting):
        raise TypeError(f"astype: {self._data.dtype} cannot be cast to {target} by the rule casting={casting!r}")
    return to(self, target, copy=copy)


def _type(self: Tensor, dtype: Any = None, non_blocking: bool = False) -> Any:
    """Return the tensor in another dtype, or without argument PyTorch's name of its type."""
    if dtype is None:
        return f"{spoken_name()}.{WORDS.get(self._data.dtype.name, self._data.dtype.name)}Tensor"
    return to(self, dtype=dtype)


Tensor.type = _type  # type: ignore[method-assign,assignment]


def _cast(name: str) -> Callable[[Tensor], Tensor]:
    target = DTYPES[name]

    def method(self: Tensor, memory_format: Any = None) -> Tensor:
        return to(self, target)

    return named(method, name, f"Return the tensor as {target}.")


for _name in ("double", "float", "half", "int", "long", "short", "bool", "cdouble", "cfloat"):
    setattr(Tensor, _name, _cast(_name))


@make_member
def type_as(self: Tensor, other: Tensor) -> Tensor:
    """Return the tensor in the dtype of ``other``."""
    return to(self, other._data.dtype)


@make_member
def cpu(self: Tensor, memory_format: Any = None) -> Tensor:
    """Return the tensor itself: it is on the CPU."""
    return self


@make_member
def cuda(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    """Raise: symgrad computes on the CPU."""
    raise DeviceError(
        "Torch not compiled with CUDA enabled: symgrad runs on the CPU, and there is no CUDA device.",
        "NumPy holds the numbers.",
        "Export the derivative as code for PyTorch or JAX to run it on a GPU, or leave out .cuda().",
    )  # fmt: skip


@make_member
def share_memory_(self: Tensor) -> Tensor:
    """Return the tensor itself (for scripts that call it)."""
    return self


@make_member
def pin_memory(self: Tensor, device: Any = None) -> Tensor:
    """Return the tensor itself (for scripts that call it)."""
    return self


@make_member
def increment_version(self: Tensor) -> None:
    """Note a write to the tensor's memory that was made outside symgrad."""
    storage.stamp(self._data)
