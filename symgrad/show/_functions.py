"""What each operation is called in NumPy, PyTorch and JAX.

The idea to hold: a row of this table is a Python expression in ``{0}``, ``{1}``… (operands), the operation's parameters
by name, and ``{np}``, the library. A function that all three call by one name is in `SAME`; what is in no table goes
through symgrad itself (NumPy) or is refused.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import TABLE
from ..ops import FUNCTIONS

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


def _scipy(numpy: str, torch: str, jax: str = "") -> Row:
    return (f"scipy.special.{numpy}({{0}})", f"torch.{torch}({{0}})", f"jax.scipy.special.{jax or numpy}({{0}})")


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
    "xlogy": ("scipy.special.xlogy({0}, {1})", "torch.xlogy({0}, {1})", "jax.scipy.special.xlogy({0}, {1})"),
    "xlog1py": (
        "scipy.special.xlog1py({0}, {1})", "torch.special.xlog1py({0}, {1})",
        "jax.scipy.special.xlog1py({0}, {1})",
    ),
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
    "float", "sn", "cn", "dn", "am",
    *[word for op in TABLE.values() if op.kind == "elementwise"
      for word in dict.fromkeys([op.name, op.label]) if word.isalpha() and word.islower()],
]  # fmt: skip
"""Functions whose names letters side by side may spell."""

LETTERS = {name: TABLE[name].letter for name in ("sigmoid", "normal_pdf", "ndtr", "digamma")}
"""Functions that formulas call by a Greek letter, by which texts may call them too."""


def elementwise(op: Any, params: tuple[Any, ...] = ()) -> Row | None:
    """An element-wise operation in the three libraries; ``params`` of real operands, which may have shorter calls."""
    if op.short and len(params) == 1 and np.ndim(params[0]) == 0 and params[0] in range(len(op.short)):
        return _of_scipy(f"{op.short[int(params[0])]}({{0}})")
    return _of_scipy(op.scipy) if op.scipy else ELEMENTWISE.get(op.name)
