"""From rows to the interface: names as functions, methods, in-place methods and NumPy entries; arguments besides."""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Callable, Iterable, Mapping
from types import FunctionType
from typing import Any

from ..core import (
    NUMPY,
    TABLE,
    Carrier,
    Symbol,
    Tensor,
    check_writable,
    content,
    extra,
    fill_by,
    has_history,
    make_symbolic,
    next_seq,
    sizes_of,
    with_tangent_of,
    wrap,
    write_result,
)

# -------------------------------------------------------------------------------------------------------------------
# From rows to the interface: which names users see, as functions, methods, in-place methods and NumPy entries


FUNCTIONS: dict[str, Callable[..., Any]] = {}
"""Public functions, ``sg.name``."""

METHODS: dict[str, Callable[..., Any]] = {}
"""Methods of Tensor."""

PROPERTIES: dict[str, Callable[..., Any]] = {}
"""Properties of Tensor that are operations: ``x.T``."""


def publish(
    fn: Callable[..., Any],
    *names: str,
    function: bool = True,
    method: bool = True,
    inplace: bool = False,
    numpy: Iterable[Any] = (),
) -> Callable[..., Any]:
    """Make ``fn`` public under its names: as functions, as methods, as in-place methods ``name_``, for NumPy's
    functions ``numpy`` when they meet a tensor."""
    for name in names:
        if function:
            FUNCTIONS[name] = fn
        if method:
            METHODS[name] = fn
        if inplace:
            METHODS[name + "_"] = in_place(fn, name + "_")
    for np_function in numpy:
        NUMPY[np_function] = fn
    return fn


def public(*aliases: str, **options: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorate a function to `publish` it under its own name (less a trailing underscore) and ``aliases``."""

    def decorate(fn: Callable[..., Any]) -> Callable[..., Any]:
        publish(fn, fn.__name__.rstrip("_"), *aliases, **options)
        return fn

    return decorate


def publish_rows(names: str, **options: Any) -> None:
    """Publish rows of the table, named in one text, that need no other arguments than inputs and parameters."""
    for name in names.split():
        publish(TABLE[name].apply, name, **options)


@functools.cache
def docstrings() -> dict[bytes, bytes]:
    """The docstrings that are worked out of the table and of signatures, by full names: see docs/_docstrings.py."""
    path = os.path.join(os.path.dirname(__file__), os.pardir, "data", "docstrings.txt")
    text = __loader__.get_data(path)  # type: ignore[name-defined]
    return {name: doc for name, _, doc in (entry.partition(b"\n") for entry in text.split(b"\f\n"))}


def describe(value: Any, name: str) -> None:
    """Give a function or class the docstring that is written for its full name, if there is one."""
    doc = docstrings().get(name.encode())
    if doc is not None:
        value.__doc__ = doc.decode()


def set_public_names(module: str, space: dict[str, Any], names: Iterable[str]) -> None:
    """Let public functions and classes say where users find them, ``symgrad.linalg.inv``, for help and pickle; and give
    them their docstrings where those are written for them. ``dir`` of the module says no more than is public."""
    if space["__name__"] == module:
        space.setdefault("__getattr__", functools.partial(_refuse, module))
        space.setdefault("__dir__", lambda: [n for n in space if n in space["__all__"] or n.startswith("__")])
    elsewhere = {id(fn) for fn in FUNCTIONS.values()} if module != "symgrad" else set()
    for name in names:
        value = space[name]
        if not isinstance(value, FunctionType | type) or id(value) in elsewhere:
            continue
        if value.__module__.partition(".")[0] == "symgrad":
            if space.get(value.__name__) is not value:
                value.__name__ = name
            value.__module__, value.__qualname__ = module, value.__name__
            describe(value, f"{module}.{value.__name__}")


def _refuse(module: str, name: str) -> Any:
    """What a module does that is asked for what it has not: say why, where it is a name of PyTorch's."""
    from .._errors import missing

    raise missing(module, name)


def named(fn: Any, name: str, doc: str | None = None) -> Any:
    """A function that was made, under the name and with the docstring that users know it by."""
    fn.__name__ = fn.__qualname__ = name
    fn.__doc__ = doc or fn.__doc__
    return fn


def in_place(fn: Callable[..., Any], name: str) -> Callable[..., Any]:
    """The in-place method of an out-of-place function: computed beside, then written to the tensor's memory."""

    def method(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        for a in args:
            if isinstance(a, Carrier):
                args = tuple(map(content, args))
                break
        given = (*args, *kwargs.values())
        check_writable(self, name, *given)
        since = next_seq()
        return write_result(self, fn(_as_it_was(self, given), *args, **kwargs), name, since)

    method.__wrapped__ = fn  # type: ignore[attr-defined]  # whose arguments it takes
    doc = f"In-place version of `{fn.__name__}`: writes the result to the tensor's memory and returns it."
    return named(method, name, doc)


def _as_it_was(x: Tensor, args: tuple[Any, ...]) -> Tensor:
    """What an in-place method computes from: a constant that is written over with what has a history is still an
    operand of that history, so it is kept as it was."""
    if x._node is None and any(map(has_history, args)):
        return _symbol_as_it_was(x) if type(x) is Symbol else with_tangent_of(wrap(x._data.copy()), x)
    return x


def _symbol_as_it_was(x: Symbol) -> Symbol:
    before: Symbol = make_symbolic(wrap(x._data.copy()), sizes_of(x))
    if x._extra is not None:
        extra(before).name, extra(before).origin = x._extra.name, x._extra.origin
    return before


class Signature(inspect.Signature):
    """A function's signature with further keywords, worked out when it is asked for: import has no time for it."""

    __slots__ = ("_also", "_fn")

    def __init__(self, fn: Callable[..., Any], also: tuple[str, ...]) -> None:
        self._fn, self._also = fn, also

    def _whole(self) -> inspect.Signature:
        own = inspect.signature(self._fn)
        known = list(own.parameters.values())
        new = [name for name in self._also if name not in own.parameters]
        more = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None) for name in new]
        place = len(known) - any(p.kind is p.VAR_KEYWORD for p in known)
        return own.replace(parameters=[*known[:place], *more, *known[place:]])

    @property
    def parameters(self) -> Mapping[str, inspect.Parameter]:  # type: ignore[override]
        """Each parameter by its name."""
        return self._whole().parameters

    @property
    def return_annotation(self) -> Any:
        """What the function is said to return."""
        return inspect.signature(self._fn).return_annotation

    def replace(self, **changes: Any) -> inspect.Signature:  # type: ignore[override]
        """Return a plain signature with some of this one's parts exchanged."""
        return self._whole().replace(**changes)

    def __reduce__(self) -> Any:
        return self._whole().__reduce__()


# -------------------------------------------------------------------------------------------------------------------
# Arguments that PyTorch's functions take besides: ``out=``, other names, and those that mean nothing here

# The idea to hold: the functions themselves know nothing of this; a public one is wrapped where these tables name it,
# and a call without such an argument goes straight through.


OUT = """
abs absolute add addbmm addcdiv addcmul addmm addmv addr all amax amin aminmax angle any arange argmax argmin baddbmm
bernoulli bitwise_left_shift bitwise_not bitwise_right_shift bmm bucketize cat chain_matmul cholesky cholesky_inverse
cholesky_solve clamp clamp_max clamp_min clip column_stack complex concat concatenate conj_physical cross cummax cummin
cumprod cumsum deg2rad diag diff div divide dot dstack empty eye float_power floor_divide fmod frexp full gather gcd
geqrf ger heaviside histc histogram hstack i0 igamma igammac index_add index_copy index_reduce index_select inner
inverse isin isneginf isposinf kron kthvalue lcm ldexp lerp linspace log_softmax logcumsumexp logit logspace logsumexp
lu_solve lu_unpack masked_select matmul matrix_power max mean median min mm mode msort multinomial mv mvlgamma
nan_to_num nanmean nanmedian nanquantile nansum narrow_copy neg negative nextafter nonzero norm normal ones orgqr ormqr
outer polar polygamma pow prod qr quantile rad2deg rand randint randn randperm remainder renorm round row_stack scatter
scatter_add scatter_reduce searchsorted sgn sign slogdet softmax sort stack std std_mean sub subtract sum svd take
take_along_dim tensordot topk triangular_solve tril triu true_divide var var_mean vdot vstack where xlogy zeros
""".split()  # noqa: SIM905
"""The functions that take ``out=``, besides rows of the table, which all do."""

_LINALG_INPUT = """
cholesky cholesky_ex cond eig eigh eigvals eigvalsh lstsq matrix_exp matrix_norm matrix_power matrix_rank norm pinv
solve_triangular tensorinv tensorsolve
""".split()  # noqa: SIM905

_SPLITS = {"indices": "indices_or_sections", "sections": "indices_or_sections"}
NAMES: dict[str, dict[str, str]] = {
    **{name: {"input": "A"} for name in ("det", "inverse", "matrix_exp", "matrix_power")},
    "cholesky_inverse": {"input": "L"}, "cholesky_solve": {"input": "B", "input2": "L"},
    "isin": {"element": "elements", "test_element": "test_elements"},
    "lu_solve": {"input": "b"}, "orgqr": {"input2": "tau"}, "ormqr": {"input2": "tau", "input3": "other"},
    "swapdims": {"dim0": "axis0", "dim1": "axis1"}, "triangular_solve": {"input": "b"}, "unflatten": {"sizes": "size"},
    "unsafe_split": {"input": "tensor"}, "hsplit": _SPLITS, "vsplit": _SPLITS, "dsplit": _SPLITS,
    "tensor_split": {**_SPLITS, "tensor_indices_or_sections": "indices_or_sections"},
}  # fmt: skip
"""Other names of arguments: of functions and their methods (PyTorch's documentation and its code differ in many)."""
LINALG_NAMES: dict[str, dict[str, str]] = {
    **{name: {"input": "A"} for name in _LINALG_INPUT}, "vector_norm": {"input": "x"},
    "lstsq": {"input": "A", "b": "B"}, "tensorsolve": {"input": "A", "other": "B"},
    "pinv": {"input": "A", "rcond": "rtol"}, "matrix_rank": {"input": "A", "tol": "atol"},
}  # fmt: skip
"""The same for `symgrad.linalg`."""

_CREATED = ("layout", "pin_memory")
_LIKE = (*_CREATED, "memory_format")
_MAKERS = """
arange empty_permuted eye linspace logspace new_empty_strided new_full new_tensor normal randint randperm scalar_tensor
tril_indices triu_indices
""".split()  # noqa: SIM905
IGNORED: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(_MAKERS, _CREATED), "empty": ("memory_format",), "randint_like": _LIKE,
    **{f"{name}_like": ("pin_memory",) for name in ("empty", "full", "ones", "zeros", "rand", "randn")},
}  # fmt: skip
"""Arguments of PyTorch's that mean nothing here: arrays have one layout, and one kind of memory."""


def with_further_names(
    fn: Callable[..., Any], names: Mapping[str, str] | None = None, ignored: tuple[str, ...] = (), out: bool = False,
    shown: tuple[str, ...] = (),
) -> Callable[..., Any]:  # fmt: skip
    """``fn``, which takes arguments under further ``names``, some that are ``ignored``, and ``out``; of the names its
    signature has those that are ``shown``."""
    names = names or {}

    @functools.wraps(fn)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        if not kwargs:
            return fn(*args)
        for name, meant in names.items():
            if name in kwargs:
                if meant in kwargs:
                    both = " and ".join(map(repr, sorted((name, meant), reverse=True)))  # dim, axis; input, A
                    raise TypeError(f"{fn.__name__}() got both {both}; they mean the same")
                kwargs[meant] = kwargs.pop(name)
        for name in ignored:
            kwargs.pop(name, None)
        target = kwargs.pop("out", None) if out else None
        if target is None:
            return fn(*args, **kwargs)
        return fill_by(target, fn.__name__, (*args, *kwargs.values()), lambda: fn(*args, **kwargs))

    more = (*ignored, *(("out",) if out else ()))
    wrapper.also = (*names, *more)  # type: ignore[attr-defined]
    wrapper.__signature__ = Signature(fn, (*shown, *more))  # type: ignore[attr-defined]
    return wrapper


def dims(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Let a function that takes ``dim`` and ``keepdim`` also take NumPy's ``axis`` and ``keepdims``."""
    code = inspect.unwrap(fn).__code__
    known = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    names = {"axis": "dims" if "dims" in known else "dim", "keepdims": "keepdim"}
    return with_further_names(fn, names, shown=tuple(n for n in names if names[n] in known))


def set_signatures() -> None:
    """Let the public functions and methods that the tables name take what they say."""
    made: dict[Any, Callable[..., Any]] = {}  # a function under two names stays one
    for name in {*OUT, *NAMES, *IGNORED}:
        names, ignored = NAMES.get(name), IGNORED.get(name, ())
        fn = FUNCTIONS.get(name)
        if fn is not None:
            key = fn, str(names), ignored, name in OUT
            made[key] = FUNCTIONS[name] = made.get(key) or with_further_names(fn, names, ignored, name in OUT)
        for method in (name, name + "_"):
            if (names or ignored) and method in METHODS:
                METHODS[method] = with_further_names(METHODS[method], names, ignored)
