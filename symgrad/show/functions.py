"""What each operation is called, its parameters as one would write them, and linear operations in a product."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from .._limits import bound
from ..core import TABLE
from ..ops import FUNCTIONS
from ..ops.entries.distributions import DOMAINS
from ..ops.index import index_at_places
from .layout import Note, digits, filled, hadamard

# -------------------------------------------------------------------------- The libraries that source is written for

# The idea to hold: what they are called stands here, once; lists of them are read from here. What formulas and programs
# are in their words is in `code` and in `programs.dialects`.


class Library(NamedTuple):
    """A library that source is written for.

    Attributes
    ----------
    name, title : as users call it, and as it is written
    module : what its functions are called by
    column : which of a row's expressions is its own
    imports : by what its source may mention, the module that this is
    package : what is installed
    """

    name: str
    title: str
    module: str
    column: int
    imports: dict[str, str]
    package: str

    @property
    def roots(self) -> frozenset[str]:
        """The names that its source may begin a dotted one with."""
        return frozenset([word.partition(".")[0] for word in self.imports])

    def imports_of(self, source: str) -> list[str]:
        """The lines that import what a source mentions."""
        used = [(word, module) for word, module in self.imports.items() if _mentions(source, word)]
        return [f"import {module}" + (f" as {word}" if word != module else "") for word, module in used]


def _mentions(source: str, word: str) -> bool:
    """Whether a module is used: its name followed by a dot, and no letter before it."""
    return re.search(rf"(?<![\w.]){re.escape(word)}\.", source) is not None


def _modules(package: str, *names: str) -> dict[str, str]:
    return {f"{package}.{name}": f"{package}.{name}" for name in names}


_ALL = {"math": "math", "np": "numpy"}
LIBRARIES: dict[str, Library] = {library.name: library for library in (
    Library("numpy", "NumPy", "np", 0, {
        "math": "math", "numba": "numba", "np": "numpy", **_modules("scipy", "linalg", "special"),
    }, "numpy"),
    Library("torch", "PyTorch", "torch", 1, _ALL | {"torch": "torch"}, "torch"),
    Library("jax", "JAX", "jnp", 2, {
        **_ALL, "jax": "jax", "jnp": "jax.numpy", **_modules("jax.scipy", "linalg", "special", "stats"),
    }, "jax"),
)}  # fmt: skip
"""By name, in the order of their columns."""

# ------------------------------------------------------------ What each operation is called in NumPy, PyTorch and JAX

# The idea to hold: a row of this table is a Python expression in ``{0}``, ``{1}``… (operands), the operation's
# parameters by name, and ``{np}``, the library. A function that all three call by one name is in `SAME`; what is in no
# table goes through symgrad itself (NumPy) or is refused.


SAME = frozenset({
    "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sin", "cos", "tan", "asin", "acos", "atan", "atan2",
    "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "sinc", "floor", "ceil", "trunc", "sign", "abs", "fmax",
    "fmin", "hypot", "logaddexp", "logaddexp2", "copysign", "where", "isnan", "isinf", "isfinite", "signbit",
    "square", "reciprocal", "sqrt", "fmod", "remainder", "logical_and", "logical_or", "logical_xor", "logical_not",
    "real", "conj", "angle", "bitwise_not",
})  # fmt: skip

Row = tuple[str, str, str]


def _alike(call: str, torch: str = "") -> Row:
    """A call that NumPy and JAX write alike, and PyTorch too unless its own is given."""
    return f"np.{call}", f"torch.{torch or call}", f"jnp.{call}"


def _scipy(name: str, torch: str) -> Row:
    return (f"scipy.special.{name}({{0}})", f"torch.{torch}({{0}})", f"jax.scipy.special.{name}({{0}})")


def _pair(name: str, torch: str) -> Row:
    return (f"scipy.special.{name}({{0}}, {{1}})", torch, f"jax.scipy.special.{name}({{0}}, {{1}})")


def _of_scipy(call: str) -> Row:
    """A call that NumPy's users have in SciPy, and the others not at all."""
    return f"scipy.special.{call}", "", ""


_SIGN_OF_GAMMA = "torch.where(({0}) < 0, 1 - 2*torch.remainder(torch.floor({0}), 2), 1.0)"
_LOG_BETA = "torch.lgamma({0}) + torch.lgamma({1}) - torch.lgamma(({0}) + ({1}))"
_BETA = "*".join(["torch.exp(" + _LOG_BETA + ")", *[_SIGN_OF_GAMMA.format(x) for x in ("{0}", "{1}", "({0}) + ({1})")]])
_RELATIVE_ENTROPY = (  # of what is negative it is infinite, of NaN NaN
    "torch.where((({0}) > 0) & (({1}) > 0), ({0})*torch.log(({0})/({1})), "
    "torch.where((({0}) == 0) & (({1}) >= 0), 0.0, ({0}) + ({1}) + math.inf))"
)

_LARGER = ("maximum", "clamp_min_tensor")
_SMALLER = ("minimum", "clamp_max_tensor")

ELEMENTWISE: dict[str, Row] = {
    "sigmoid": ("scipy.special.expit({0})", "torch.sigmoid({0})", "jax.nn.sigmoid({0})"),
    "softplus_unit": ("np.logaddexp({0}, 0)", "torch.logaddexp({0}, torch.zeros_like({0}))", "jnp.logaddexp({0}, 0)"),
    "logsigmoid": ("-np.logaddexp(-({0}), 0)", "torch.nn.functional.logsigmoid({0})", "jax.nn.log_sigmoid({0})"),
    "relu": _alike("maximum({0}, 0)", "relu({0})"),
    "gelu_erf": (
        "({0})*scipy.special.ndtr({0})", "torch.nn.functional.gelu({0})",
        "jax.nn.gelu({0}, approximate=False)",
    ),
    "silu": ("({0})*scipy.special.expit({0})", "torch.nn.functional.silu({0})", "jax.nn.silu({0})"),
    "erf": _scipy("erf", "erf"),
    "erfc": _scipy("erfc", "erfc"),
    "erfinv": _scipy("erfinv", "erfinv"),
    "lgamma": _scipy("gammaln", "lgamma"),
    "digamma": _scipy("digamma", "digamma"),
    "ndtr": _scipy("ndtr", "special.ndtr"),
    "ndtri": _scipy("ndtri", "special.ndtri"),
    "log_ndtr": _scipy("log_ndtr", "special.log_ndtr"),
    "logit": _scipy("logit", "logit"),
    "entr": _scipy("entr", "special.entr"),
    "normal_hazard": (
        "np.sqrt(2/np.pi)/scipy.special.erfcx(-({0})/np.sqrt(2))",
        "math.sqrt(2/math.pi)/torch.special.erfcx(-({0})/math.sqrt(2))",
        "jnp.exp(jax.scipy.stats.norm.logpdf({0}) - jax.scipy.special.log_ndtr({0}))",
    ),
    "fill_tensor": _alike("full_like({0}, {1})", "ones_like({0})*({1})"),
    "gamma": (
        "scipy.special.gamma({0})", f"torch.exp(torch.lgamma({{0}}))*{_SIGN_OF_GAMMA}", "jax.scipy.special.gamma({0})",
    ),
    "beta": _pair("beta", _BETA),
    "betaln": _pair("betaln", _LOG_BETA),
    "rel_entr": _pair("rel_entr", _RELATIVE_ENTROPY),
    "kl_div": _pair("kl_div", f"{_RELATIVE_ENTROPY} - ({{0}}) + ({{1}})"),
    "cbrt": ("np.cbrt({0})", "torch.sign({0})*torch.abs({0})**(1/3)", "jnp.cbrt({0})"),
    "normal_pdf": (
        "np.exp(-({0})**2/2)/np.sqrt(2*np.pi)", "torch.exp(-({0})**2/2)/math.sqrt(2*math.pi)",
        "jax.scipy.stats.norm.pdf({0})",
    ),
    "polygamma_order": (
        "scipy.special.polygamma({n}, {0})", "torch.polygamma({n}, {0})", "jax.scipy.special.polygamma({n}, {0})",
    ),
    "xlogy": _pair("xlogy", "torch.xlogy({0}, {1})"),
    "xlog1py": _pair("xlog1py", "torch.special.xlog1py({0}, {1})"),
    **dict.fromkeys(_LARGER, _alike("maximum({0}, {1})", "clamp({0}, min={1})")),
    **dict.fromkeys(_SMALLER, _alike("minimum({0}, {1})", "clamp({0}, max={1})")),
    "abs_complex": _alike("abs({0})"),
    "rsqrt": ("1/np.sqrt({0})", "torch.rsqrt({0})", "1/jnp.sqrt({0})"),
    "frac": _alike("fmod({0}, 1)", "frac({0})"),
    "round_even": _alike("round({0})"),
    "heaviside": _alike("heaviside({0}, {1})"),
    "nextafter": _alike("nextafter({0}, {1})"),
    "nan_to_num": _alike("nan_to_num({0}, nan={nan}, posinf={posinf}, neginf={neginf})"),
    "hardtanh_bounds": _alike("clip({0}, {low}, {high})", "clamp({0}, {low}, {high})"),
}  # fmt: skip

FOR_ALL: dict[str, str] = {
    "pow_tensor": "({0})**({1})",
    "clamp": "{np}clip({0}, {1}, {2})",
    "div_or_zero": "{np}where(({1}) == 0, 0.0, ({0})/{np}where(({1}) == 0, 1.0, {1}))",
    "abs_power": "{np}abs({0})**({p})",
    "signed_power": "{np}sign({0})*{np}abs({0})**({p})",
    "div_floor": "({0})//({1})",
    "fill": "{np}full_like({0}, {value})",
    "div_trunc": "{np}trunc(({0})/({1}))",
    "floor_divide": "({0})//({1})",
    "keep": "{np}where({1}, {0}, 0.0)",
    "masked_fill": "{np}where({1}, {2}, {0})",
    "gate": "{np}where(({1}) > 0, {0}, 0.0)",
    "slant": "{np}where(({1}) > 0, {0}, {slope}*({0}))",
    "between": "{np}where((({1}) > {low}) & (({1}) < {high}), {0}, 0.0)",
    "leaky_relu_slope": "{np}where(({0}) > 0, {0}, {slope}*({0}))",
    "elu_alpha": "{scale}*{np}where(({0}) > 0, {0}, {alpha}*{np}expm1({0}))",
    "tied": "{0}",
    **dict.fromkeys(("defined", "with_domain"), "{np}where({np}isnan({1}), {np}nan, {0})"),
    **{f"in_{word}": f"{{np}}where({condition}, {{0}}, {{np}}nan)" for word, condition in DOMAINS.items()},
    "bitwise_and": "({0}) & ({1})",
    "bitwise_or": "({0}) | ({1})",
    "bitwise_xor": "({0}) ^ ({1})",
}
"""Expressions that read alike in all three."""

COMPARE = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}

CALLS: dict[str, Row] = {
    **{name: _alike(f"linalg.{name}({{0}})") for name in ("inv", "det", "slogdet")},
    "pinv": _alike("linalg.pinv({0}, rtol={rtol}, hermitian={hermitian})"),
    "linalg_cholesky": _alike("linalg.cholesky({0})"),
    **dict.fromkeys(("solve", "solve_vector"), _alike("linalg.solve({0}, {1})")),
    "matrix_exp": ("scipy.linalg.expm({0})", "torch.linalg.matrix_exp({0})", "jax.scipy.linalg.expm({0})"),
    "softmax": (
        "scipy.special.softmax({0}, axis={dim})", "torch.softmax({0}, dim={dim})",
        "jax.nn.softmax({0}, axis={dim})",
    ),
    "log_softmax": (
        "scipy.special.log_softmax({0}, axis={dim})", "torch.log_softmax({0}, dim={dim})",
        "jax.nn.log_softmax({0}, axis={dim})",
    ),
    "softmax over several": (
        "scipy.special.softmax({0}, axis={dim})",
        "torch.exp(({0}) - torch.logsumexp({0}, dim={dim}, keepdim=True))", "jax.nn.softmax({0}, axis={dim})",
    ),
    "logsumexp": (
        "scipy.special.logsumexp({0}, axis={dim}, keepdims={keepdim})",
        "torch.logsumexp({0}, dim={dim}, keepdim={keepdim})",
        "jax.scipy.special.logsumexp({0}, axis={dim}, keepdims={keepdim})",
    ),
    **{name: _alike(
        f"{name}({{0}}, axis={{dim}}, keepdims={{keepdim}})", f"{name}({{0}}, dim={{dim}}, keepdim={{keepdim}})"
    ) for name in ("argmax", "argmin")},
    "argsort": (
        "np.argsort({0}, axis={dim}, kind='stable')", "torch.argsort({0}, dim={dim}, stable=True)",
        "jnp.argsort({0}, axis={dim})",
    ),
    "gather": _alike("take_along_axis({0}, {1}, {dim})", "gather({0}, {dim}, {1})"),
    "index_select": _alike("take({0}, {1}, {dim})", "index_select({0}, {dim}, {1})"),
    "take": _alike("take({0}, {1})"),
    "amax": _alike("max({0}, axis={dim}, keepdims={keepdim})", "amax({0}, dim={dim}, keepdim={keepdim})"),
    "amin": _alike("min({0}, axis={dim}, keepdims={keepdim})", "amin({0}, dim={dim}, keepdim={keepdim})"),
    "max": _alike("max({0})"),
    "min": _alike("min({0})"),
    "prod": _alike("prod({0})"),
    "prod_dim": _alike("prod({0}, axis={dim}, keepdims={keepdim})", "prod({0}, dim={dim}, keepdim={keepdim})"),
    "cumprod": _alike("cumprod({0}, axis={dim})", "cumprod({0}, dim={dim})"),
    **{name: _alike(
        f"{name}({{0}}, axis={{dim}}, ddof={{correction}}, keepdims={{keepdim}})",
        f"{name}({{0}}, dim={{dim}}, correction={{correction}}, keepdim={{keepdim}})",
    ) for name in ("var", "std")},
    "vector_norm": _alike(
        "linalg.vector_norm({0}, ord={p}, axis={dim}, keepdims={keepdim})",
        "linalg.vector_norm({0}, ord={p}, dim={dim}, keepdim={keepdim})",
    ),
    "cat": _alike("concatenate([{args}], axis={dim})", "cat([{args}], dim={dim})"),
    "stack": _alike("stack([{args}], axis={dim})", "stack([{args}], dim={dim})"),
    "kron": _alike("kron({0}, {1})"),
}  # fmt: skip

LINEAR: dict[str, Row] = {
    "diagonal": _alike("diagonal({0}, {offset}, {dim1}, {dim2})"),
    "flip": _alike("flip({0}, axis={dims})", "flip({0}, dims={dims})"),
    "roll": _alike("roll({0}, {shifts}, axis={dims})", "roll({0}, {shifts}, dims={dims})"),
    "cumsum": _alike("cumsum({0}, axis={dim})", "cumsum({0}, dim={dim})"),
    "cumsum reverse": (
        "np.flip(np.cumsum(np.flip({0}, axis={dim}), axis={dim}), axis={dim})",
        "torch.flip(torch.cumsum(torch.flip({0}, dims=({dim},)), dim={dim}), dims=({dim},))",
        "jnp.flip(jnp.cumsum(jnp.flip({0}, axis={dim}), axis={dim}), axis={dim})",
    ),
    "tril": _alike("tril({0}, {k})"),
    "triu": _alike("triu({0}, {k})"),
}
"""Linear operations, by name; with " reverse" where that parameter is set."""

SELF_ADJOINT = frozenset({"flip", "tril", "triu", "clear"})
"""Linear operations that are their own transposes."""

PUBLIC: dict[str, str] = {
    "diagonal": "diagonal({0}, offset={offset}, dim1={dim1}, dim2={dim2})",
    "flip": "flip({0}, {dims})",
    "roll": "roll({0}, {shifts}, {dims})",
    "cumsum": "cumsum({0}, {dim})",
    "cumsum reverse": "flip(cumsum(flip({0}, {dim}), {dim}), {dim})",
}
"""Linear operations as NumPy's function and symgrad's read them, whose parameters differ by name."""

PARAMETER_NAMES = {
    "tile": {"repeats": ""}, "reshape": {"size": ""}, "split": {"lengths": ""}, "index_put": {"index": "indices"},
    "triu": {"k": "diagonal"}, "tril": {"k": "diagonal"}, "leaky_relu": {"slope": "negative_slope"},
    "hardtanh": {"low": "min_val", "high": "max_val"}, "svd": {"full": "full_matrices"},
}  # fmt: skip
"""What a public function calls a parameter that the table calls otherwise; "" where its place must say it."""

QUALIFIED = {"svd": "linalg.svd", "qr": "linalg.qr"}
"""What a function is called whose label is that of another with other arguments."""

SPELLED = [name for name in FUNCTIONS if name.isalpha() and name.islower() and len(name) > 2] + [
    "ln", "tr", "psi", "vec", "inv", "len", "pinv", "chol", "expm", "expit", "fabs", "ndtr", "solve", "array",
    "vector", "matrix", "identity", "eigvalsh", "shift", "recurrence", "gammaln", "loggamma", "logistic", "nan", "inf",
    "float", "sn", "cn", "dn", "am", "sec", "csc", "cot", "sech", "csch", "coth", "sgn", "signum", "adj", "adjugate",
    "ifelse", "length", "pmax", "pmin", "crossprod", "arsinh", "arcosh", "artanh",
    "plogis", "qlogis", "pnorm", "normcdf", "pow", "power", "mod", "factorial", "binom", "binomial", "choose", "comb",
    "nchoosek",
    *[word for op in TABLE.values() if op.kind == "elementwise"
      for word in dict.fromkeys([op.name, op.label, op.scipy.partition("(")[0]]) if word.isalpha() and word.islower()],
    *[f"{arc}{name}" for arc in ("a", "arc", "ar") for name in ("sec", "csc", "sech", "csch", "coth")],
]  # fmt: skip
"""Functions whose names letters side by side may spell."""

LETTER_OF = {name: TABLE[name].letter for name in ("sigmoid", "normal_pdf", "ndtr", "digamma")}
"""Functions that formulas call by a Greek letter, by which texts may call them too."""


def elementwise(op: Any, params: tuple[Any, ...] = ()) -> Row | None:
    """An element-wise operation in the three libraries; ``params`` of real operands, which may have shorter calls."""
    if op.short and len(params) == 1 and np.ndim(params[0]) == 0 and params[0] in range(len(op.short)):
        return _of_scipy(f"{op.short[int(params[0])]}({{0}})")
    return _of_scipy(op.scipy) if op.scipy else ELEMENTWISE.get(op.name)


# ----------------------------------- Parameters of operations as one would write them: ``dim=1``, ``1:3``, ``[0, 2]``


def parameter(name: str, value: Any) -> str:
    """A parameter's value."""
    if name == "steps":
        return "".join([_step(op, params) for op, params in value]) or "[...]"
    if name == "index" and isinstance(value, tuple):
        parts = value[:-1] if value and value[-1] is Ellipsis and len(value) > 1 else value
        return ", ".join([_index(k) for k in parts]) or "..."
    if name in ("dim", "dims", "shifts") and isinstance(value, tuple) and len(value) == 1:
        return repr(value[0])
    if isinstance(value, np.ndarray):
        return array(value)
    if isinstance(value, np.dtype):
        return value.name
    if isinstance(value, tuple):
        return tuple_text([parameter("", v) for v in value])
    return str(digits(value)) if isinstance(value, (int, float)) else repr(value)


def tuple_text(entries: list[str]) -> str:
    """A tuple as source."""
    return "(" + ", ".join(entries) + ("," if len(entries) == 1 else "") + ")"


def _step(op: Any, params: tuple[Any, ...]) -> str:
    """One of the views that lead to a part of an array: ``[1:]``, ``.transpose(0, 1)``."""
    values = ", ".join([parameter(n, p) for n, p in op.named(params)])
    return f"[{values}]" if op.name == "getitem" else f".{op.label}({values})"


def index_of(op: Any, params: Any, rank: int = 0) -> tuple[Any, ...] | None:
    """The index, as NumPy writes it, that a row reads entries of an array of that rank by; None if it reads none so."""
    known = dict(op.named(params))
    if op.name == "getitem":
        return known["index"] if isinstance(known["index"], tuple) else (known["index"],)
    if op.name == "index":
        return index_at_places(np.asarray(known["index"]), known["dim"], known["count"])
    return (known["index"],) if rank == 1 and op.name in _OF_A_VECTOR else None


_OF_A_VECTOR = ("take", "index_select", "gather")
WRITTEN = frozenset(["index", "index_put"])
"""Rows whose calls `written_call` writes."""


def written_call(note: Any, text: Callable[[Any], str], atom: Callable[[Any], str]) -> str:
    """A call at places that are a term: ``x[:, i]``, ``index_put(x, (None, i), values)``; ``text`` writes a note, and
    ``atom`` one that square brackets follow."""
    x, *values, places = note.parts
    op, (dim, count, *accumulate), _ = note.info
    if count > 1 and places.kind == "data" and places.info.value.dtype != bool:
        inner = [text(Note("data", (), type(places.info)(row), row.shape)) for row in places.info.value]
    elif count > 1 and places.kind == "call" and places.info[0].name == "stack":
        inner = [*map(text, places.parts)]
    else:
        inner = [text(places) if count == 1 or places.kind == "data" else f"*{text(places)}"]
    if op.name == "index":
        return f"{atom(x)}[{', '.join([*[':'] * dim, *inner])}]"
    indices = ", ".join([*["None"] * dim, *inner]) + ("," if dim + count == 1 else "")
    return f"index_put({text(x)}, ({indices}), {text(values[0])}{', accumulate=True' if accumulate[0] else ''})"


def full(index: Any, rank: int) -> tuple[Any, ...]:
    """An index into an array of that rank without dots."""
    parts = index if isinstance(index, tuple) else (index,)
    places = [k for k, part in enumerate(parts) if part is Ellipsis]
    if not places:
        return parts
    others = sum([part.ndim if is_mask(part) else part is not None for part in parts]) - 1
    return parts[: places[0]] + (slice(None),) * (rank - others) + parts[places[0] + 1 :]


def is_mask(part: Any) -> bool:
    """Whether a part of an index is an array of truths, which takes as many axes as it has."""
    return isinstance(part, np.ndarray) and part.dtype == bool


def chosen(note: Any) -> str:
    """The index of an ``index`` note; what it takes in full at the end goes without saying."""
    return ", ".join(map(_index, trimmed(note.info)))


def trimmed(entries: tuple[Any, ...]) -> list[Any]:
    """The entries of an index without those at the end that take everything."""
    kept = list(entries)
    while len(kept) > 1 and kept[-1] == slice(None):
        kept.pop()
    return kept


LISTED_ENTRIES = bound(12)
"""Entries up to which an array of numbers is written out where it has a shorter form."""


def array(value: np.ndarray) -> str:
    """A short array in full, the ends of a long one."""
    if value.size <= LISTED_ENTRIES:
        return _list(value.tolist())
    return np.array2string(value, separator=", ", threshold=6).replace("\n", "")


def labels(value: np.ndarray) -> np.ndarray | None:
    """The places of the ones in an array whose rows have one each, and else 0; None for others."""
    if value.ndim != 2 or value.size <= LISTED_ENTRIES or value.dtype.kind != "f":
        return None
    is_choice = bool((((value == 1) | (value == 0)).all()) and (value.sum(1) == 1).all())
    return value.argmax(1) if is_choice else None


def _list(value: Any) -> str:
    return "[" + ", ".join(map(_list, value)) + "]" if isinstance(value, list) else str(digits(value))


def _index(k: Any) -> str:
    if isinstance(k, slice):
        ends = ["" if e is None else str(e) for e in (k.start, k.stop)]
        return ":".join(ends) + ("" if k.step in (None, 1) else f":{k.step}")
    if isinstance(k, (np.ndarray, list)):
        return array(np.asarray(k))
    return "..." if k is Ellipsis else repr(k)


def shown_parameters(op: Any, params: tuple[Any, ...], rank: int = -1) -> list[tuple[str, Any]]:
    """The parameters of an operation that are not its defaults, by the public function's names for them.

    ``rank`` is that of the operand, or of the result if that is higher: where it is 1 an axis goes without saying, and
    so does the tuple of all axes. A name of "" is that of a parameter which its place must say.
    """
    names = PARAMETER_NAMES.get(op.label, {})
    public = signature(op.label)
    kept = dict(op.named(params)).get("keepdim") is True
    shown = []
    for name, value in _as_public(op, params):
        known_as = names.get(name, name)
        if value is None or (name in ("keepdim", "reverse", "upper", "hermitian") and value is False):
            continue
        if known_as in public and _is_default(value, public[known_as].default):
            continue
        whole = isinstance(value, tuple) and len(value) == rank and "keepdim" in op.params  # of what is reduced
        if name == "dim" and not kept and (rank == 1 or whole):
            continue
        shown.append((known_as, value))
    return shown


def _as_public(op: Any, params: tuple[Any, ...]) -> list[tuple[str, Any]]:
    """Parameters; the index of one axis as its function has it: its number and what is taken there."""
    if op.label not in ("select_scatter", "slice_scatter"):
        return list(op.named(params))
    (index,) = params
    places = [k for k, part in enumerate(index) if part is not Ellipsis and part != slice(None)]
    dim = places[0] if places else 0
    if op.label == "select_scatter":
        return [("dim", dim), ("index", index[dim])]
    return [("dim", dim), ("start", index[dim].start), ("end", index[dim].stop), ("step", index[dim].step)]


def takes_many(op: Any) -> bool:
    """Whether its function takes any number of arrays, not a list of them."""
    return any(p.kind is p.VAR_POSITIONAL for p in list(signature(op.label).values())[:1])


@cache
def signature(label: str) -> dict[str, inspect.Parameter]:
    """The parameters of a public function; none if there is no function of that name."""
    function = FUNCTIONS.get(label)
    return {} if function is None else dict(inspect.signature(function).parameters)


def _is_default(value: Any, default: Any) -> bool:
    if isinstance(value, bool) or isinstance(default, bool):
        return value is default
    return isinstance(value, (int, float)) and isinstance(default, (int, float)) and value == default


_SELU = (1.6732632423543772, 1.0507009873554805)


def elu(op: Any, params: tuple[Any, ...]) -> tuple[str, list[tuple[str, Any]], Any]:
    """A row for elu as a public function: its name, its parameters, and what it is multiplied by."""
    alpha, scale = params
    if params == _SELU:
        return "selu", [], 1
    return op.label, shown_parameters(op, (alpha, None)), scale


# --------------- Selections and other linear operations in a product: x[1:], X[:, 0], cumsum(Ax) and their transposes

# The idea to hold: the array of a linear operation never shows as such where it can be run. What is summed over the
# inputs of one is its operand; what is summed over its outputs is the operand of its transpose. A selection along one
# axis goes straight to the factor that has this axis: ``I[1:] A x`` is ``A[1:]x``.


def selected(note: Note) -> Any:
    """What is taken of one axis, if a note is the array of such a selection; else None."""
    term = note.info
    if note.kind != "linear" or len(term.in_shape) != 1 or term.out_rank > 1:
        return None
    parts = [k for k in index_of(term.op, term.params, 1) or () if k is not Ellipsis]
    if len(parts) != 1 or parts[0] is None:
        return None
    part = parts[0]
    if isinstance(part, np.ndarray):
        return part.tolist() if part.ndim == 1 else int(part) if part.ndim == 0 and part.dtype.kind == "i" else None
    return int(part) if isinstance(part, (int, np.integer)) and not isinstance(part, bool) else part


def taken(note: Note, axis: int, index: Any, size: int | None) -> Note:
    """What an index takes of an array along one axis; ``size`` of them, None for a number, whose axis goes."""
    shape = note.shape[:axis] + (() if size is None else (size,)) + note.shape[axis + 1 :]
    if note.kind == "index" and (place := _open_axis(note, axis, index)) is not None:
        entries = (*note.info[:place], index, *note.info[place + 1 :])
        return Note("index", note.parts, entries, shape)
    entries = tuple([index if k == axis else slice(None) for k in range(note.rank)])
    return Note("index", (note,), entries, shape)


def _open_axis(note: Note, axis: int, index: Any) -> int | None:
    """The place of an axis in an index that takes all of it; None if one index cannot say both."""
    if any(isinstance(e, list) for e in (*note.info, index)):
        return None
    place = [k for k, e in enumerate(note.info) if isinstance(e, slice)][axis]
    return place if note.info[place] == slice(None) else None


def own_transpose(op: Any, params: tuple[Any, ...]) -> tuple[Any, ...] | None:
    """The parameters with which an operation is its own transpose; None if there are none."""
    if op.name == "roll":
        shifts, dims = params
        return (tuple([-s for s in shifts]) if isinstance(shifts, tuple) else -shifts), dims
    if op.params[-1:] == ("reverse",):  # what runs along an axis runs the other way
        return *params[:-1], not params[-1]
    return params if op.name in SELF_ADJOINT else None


def written(op: Any, params: tuple[Any, ...], adjoint: bool) -> tuple[str, tuple[Any, ...], bool]:
    """The name in LINEAR that an operation (its transpose, if ``adjoint``) is written by, its parameters, and whether
    it is still the transpose of that."""
    if adjoint and (own := own_transpose(op, params)) is not None:
        adjoint, params = False, own
    backwards = dict(op.named(params)).get("reverse", False)
    return f"{op.name} reverse" if backwards else op.name, params, adjoint


def _select(p: Any) -> bool:
    """A selection along an axis that one other factor has, or vectors alone."""
    for k, (note, s) in p.items.items():
        inside = s[-1]
        index = selected(note)
        if index is None or inside < p.rank or inside in s[:-1]:
            continue
        others = [m for m in p.at[inside] if m != k]
        arrays = [p.items[m] for m in others]
        if len(others) > 1 and all(len(r) == 1 for _, r in arrays):
            return p.replace(tuple(others), hadamard(*[n for n, _ in arrays]), (inside,))
        if len(others) != 1 or arrays[0][1].count(inside) > 1 or set(s[:-1]) & set(arrays[0][1]):
            continue
        array, labels = arrays[0]
        if array.kind == "linear" and selected(array) is not None and labels[-1] == inside:
            continue  # I[1:] I[2:]ᵀ, which the rules for matrices write
        axis = labels.index(inside)
        out = taken(array, axis, index, note.shape[0] if len(s) == 2 else None)
        return p.replace((k, others[0]), out, labels[:axis] + s[:-1] + labels[axis + 1 :])
    return False


SELECTIONS = (_select,)

ORDERED = {f"{name}_dim": name for name in ("kthvalue", "topk", "sort", "median", "nanmedian", "mode")}
"""Rows that pick where another row found what is chosen, and the function that does both."""
PICKING = frozenset({*ORDERED, "max_dim", "min_dim", "cummax_dim", "cummin_dim"})
"""Rows whose text does not say where they pick: of another array they would pick elsewhere."""
ALONG_ROWS = frozenset({"cumsum", "flip", "diff", "clear", "roll", "shift", "repeat_interleave"})
"""Linear operations whose matrix is what they make of the identity, along its first axis."""


def has_own_sign(note: Note) -> bool:
    """Whether the array of a linear operation has a notation: rows of I, what becomes of I, I in another shape."""
    term = note.info
    if term.op.name == "reshape_copy" or selected(note) is not None:
        return True
    is_of_vectors = len(term.in_shape) == 1
    return is_of_vectors and (index_of(term.op, term.params) is not None or term.op.name in ALONG_ROWS)


def images(note: Note, k: int = 0) -> Note:
    """The array of what is linear in its part ``k``, by what it makes of the arrays that have one 1."""
    shape = note.parts[k].shape
    return Note("images", (note,), k, (*note.shape, *shape))


def array_of(note: Note) -> Note:
    """A linear operation's array, by a notation of its own or by what it makes of the arrays that have one 1."""
    term = note.info
    if has_own_sign(note):
        return note
    operand = filled("zeros", term.in_shape)
    return images(Note("lin", (operand,), (term, False), term.out_shape))


def axis_by_axis(note: Note, s: tuple[int, ...]) -> list[tuple[Note, tuple[int, ...]]] | None:
    """The array of what runs along some axes of a larger array: a matrix for each of them, the others stay apart.

    A triangle of a matrix is the product with a triangle of ones.
    """
    term = note.info
    rank, n = term.out_rank, len(term.in_shape)
    if rank != n or n < 2:
        return None
    pairs: list[tuple[int, ...]] = [(s[k], s[n + k]) for k in range(n)]
    eyes = [filled("eye", (size, size)) for size in term.in_shape]
    if term.op.name in ("tril", "triu"):
        along = [filled("ones", (size,)) for size in term.in_shape[-2:]]
        ones = Note("outer", tuple(along), None, term.in_shape[-2:])
        matrix = type(term)(term.op, term.params, term.in_shape[-2:], term.in_shape[-2:])
        triangle = Note("lin", (ones,), (matrix, False), ones.shape)
        return [(triangle, (s[n - 2], s[n - 1])), *zip(eyes, pairs)]
    if term.op.name not in ALONG_ROWS or not term.op.along:
        return None
    given = dict(term.op.named(term.params))
    name = "dims" if "dims" in given else "dim"
    several = isinstance(given[name], (tuple, list))
    dims = [d % n for d in (given[name] if several else (given[name],))]
    if len(set(dims)) < len(dims):
        return None
    found: list[tuple[Note, tuple[int, ...]]] = []
    for k, pair in enumerate(pairs):
        if k not in dims:
            found.append((eyes[k], pair))
            continue
        own = {q: (p[dims.index(k)],) if several and isinstance(p, (tuple, list)) else p for q, p in given.items()}
        own[name] = (0,) if several else 0
        sizes = (term.out_shape[k],), (term.in_shape[k],)
        matrix = type(term)(term.op, tuple(own.values()), *sizes)
        found.append((Note("linear", (), matrix, matrix.shape), pair))
    return found


def run_operations(p: Any) -> None:
    """Let every linear operation that is summed over its inputs, or over its outputs, be applied to its operand."""
    while any(_run(p, k) for k in p.items):
        pass


def _run(p: Any, k: int) -> bool:
    note, s = p.items[k]
    if note.kind != "linear":
        return False
    cut = note.info.out_rank
    return _apply(p, k, s[cut:], s[:cut], False) or _apply(p, k, s[:cut], s[cut:], True)


def _apply(p: Any, k: int, summed: tuple[int, ...], kept: tuple[int, ...], transposed: bool) -> bool:
    """Replace operation number ``k`` and all that its summed indices lead to by what it makes of that."""
    if not summed or len(set(summed)) < len(summed) or any(i < p.rank or i in kept for i in summed):
        return False
    reach, inside = set(summed), set[int]()
    grown = True
    while grown:
        grown = False
        for m, (_, s) in p.items.items():
            if m != k and m not in inside and not reach.isdisjoint(s):
                inside.add(m)
                reach.update(s)
                grown = True
    if any(i < p.rank for i in reach) or not reach.isdisjoint(kept):
        return False
    labels = {i: n for n, i in enumerate([*summed, *sorted(reach - set(summed))])}
    items = [(n, tuple([labels[i] for i in s])) for m, (n, s) in p.items.items() if m in inside]
    items += [(filled("ones", (p.dims[i],)), (labels[i],)) for i in summed]
    note = p.items[k][0]
    operand = p.operand(type(p)(items, [p.dims[i] for i in labels], len(summed), p.name).note(1))
    shape = note.info.in_shape if transposed else note.info.out_shape
    return p.replace((k, *inside), Note("lin", (operand,), (note.info, transposed), shape), kept)


def is_enclosed(text: str) -> bool:
    """Whether the parenthesis that a text begins with is closed by its last character."""
    depth = 0
    for k, c in enumerate(text):
        depth += (c == "(") - (c == ")")
        if depth == 0:
            return c == ")" and k == len(text) - 1
    return False
