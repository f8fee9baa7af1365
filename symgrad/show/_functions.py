"""What each operation is called in NumPy, PyTorch and JAX.

The idea to hold: a row of this table is a Python expression in ``{0}``, ``{1}``… (operands), the operation's parameters
by name, and ``{np}``, the library. A function that all three call by one name is in `SAME`; what is in no table goes
through symgrad itself (NumPy) or is refused.
"""

from __future__ import annotations

SAME = frozenset(
    [
        "exp",
        "exp2",
        "expm1",
        "log",
        "log2",
        "log10",
        "log1p",
        "sin",
        "cos",
        "tan",
        "asin",
        "acos",
        "atan",
        "atan2",
        "sinh",
        "cosh",
        "tanh",
        "asinh",
        "acosh",
        "atanh",
        "sinc",
        "floor",
        "ceil",
        "trunc",
        "sign",
        "abs",
        "fmax",
        "fmin",
        "hypot",
        "logaddexp",
        "logaddexp2",
        "copysign",
        "where",
        "isnan",
        "isinf",
        "isfinite",
        "signbit",
        "square",
        "reciprocal",
        "sqrt",
        "fmod",
        "remainder",
        "logical_and",
        "logical_or",
        "logical_xor",
        "logical_not",
        "real",
        "conj",
        "angle",
        "bitwise_not",
    ]
)

Row = tuple[str, str, str]


def _scipy(numpy: str, torch: str, jax: str = "") -> Row:
    return (f"scipy.special.{numpy}({{0}})", f"torch.{torch}({{0}})", f"jax.scipy.special.{jax or numpy}({{0}})")


def _pair(name: str, torch: str) -> Row:
    return (f"scipy.special.{name}({{0}}, {{1}})", torch, f"jax.scipy.special.{name}({{0}}, {{1}})")


_SIGN_OF_GAMMA = "torch.where(({0}) < 0, 1 - 2*torch.remainder(torch.floor({0}), 2), 1.0)"
_LOG_BETA = "torch.lgamma({0}) + torch.lgamma({1}) - torch.lgamma(({0}) + ({1}))"
_BETA = "*".join(["torch.exp(" + _LOG_BETA + ")", *[_SIGN_OF_GAMMA.format(x) for x in ("{0}", "{1}", "({0}) + ({1})")]])
_RELATIVE_ENTROPY = (  # of what is negative it is infinite, of NaN NaN
    "torch.where((({0}) > 0) & (({1}) > 0), ({0})*torch.log(({0})/({1})), "
    "torch.where((({0}) == 0) & (({1}) >= 0), 0.0, ({0}) + ({1}) + math.inf))"
)

_LARGER = ("maximum", "clamp_min_tensor", "clamp_min_1", "clamp_above_0", "clamp_above_1")
_SMALLER = ("minimum", "clamp_max_tensor", "clamp_max_1", "clamp_below_0", "clamp_below_1")

ELEMENTWISE: dict[str, Row] = {
    "sigmoid": ("scipy.special.expit({0})", "torch.sigmoid({0})", "jax.nn.sigmoid({0})"),
    "softplus_unit": ("np.logaddexp({0}, 0)", "torch.logaddexp({0}, torch.zeros_like({0}))", "jnp.logaddexp({0}, 0)"),
    "logsigmoid": ("-np.logaddexp(-({0}), 0)", "torch.nn.functional.logsigmoid({0})", "jax.nn.log_sigmoid({0})"),
    "relu": ("np.maximum({0}, 0)", "torch.relu({0})", "jnp.maximum({0}, 0)"),
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
    "fill_tensor": ("np.full_like({0}, {1})", "torch.ones_like({0})*({1})", "jnp.full_like({0}, {1})"),
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
    **dict.fromkeys(("xlogy", "xlogy_scalar", "xlogy_reflected"), (
        "scipy.special.xlogy({0}, {1})", "torch.xlogy({0}, {1})", "jax.scipy.special.xlogy({0}, {1})",
    )),
    "xlog1py": (
        "scipy.special.xlog1py({0}, {1})", "torch.special.xlog1py({0}, {1})",
        "jax.scipy.special.xlog1py({0}, {1})",
    ),
    **dict.fromkeys(_LARGER, (
        "np.maximum({0}, {1})", "torch.clamp({0}, min={1})", "jnp.maximum({0}, {1})",
    )),
    **dict.fromkeys(_SMALLER, (
        "np.minimum({0}, {1})", "torch.clamp({0}, max={1})", "jnp.minimum({0}, {1})",
    )),
    "sgn": ("np.sign({0})", "torch.sgn({0})", "jnp.sign({0})"),
    "abs_complex": ("np.abs({0})", "torch.abs({0})", "jnp.abs({0})"),
    "rsqrt": ("1/np.sqrt({0})", "torch.rsqrt({0})", "1/jnp.sqrt({0})"),
    "frac": ("np.fmod({0}, 1)", "torch.frac({0})", "jnp.fmod({0}, 1)"),
    "round_even": ("np.round({0})", "torch.round({0})", "jnp.round({0})"),
    "heaviside": ("np.heaviside({0}, {1})", "torch.heaviside({0}, {1})", "jnp.heaviside({0}, {1})"),
    "nan_to_num_values": tuple(  # type: ignore[dict-item]
        f"{library}.nan_to_num({{0}}, nan={{nan}}, posinf={{posinf}}, neginf={{neginf}})"
        for library in ("np", "torch", "jnp")
    ),
    "hardtanh_bounds": (
        "np.clip({0}, {low}, {high})", "torch.clamp({0}, {low}, {high})",
        "jnp.clip({0}, {low}, {high})",
    ),
}  # fmt: skip

FOR_ALL: dict[str, str] = {
    **dict.fromkeys(("pow_tensor", "pow_reflected"), "({0})**({1})"),
    **dict.fromkeys(("clamp", "clamp_numbers"), "{np}clip({0}, {1}, {2})"),
    "div_or_zero": "{np}where(({1}) == 0, 0.0, ({0})/{np}where(({1}) == 0, 1.0, {1}))",
    "abs_power": "{np}abs({0})**({p})",
    "signed_power": "{np}sign({0})*{np}abs({0})**({p})",
    "div_floor": "({0})//({1})",
    "fill": "{np}full_like({0}, {value})",
    "div_trunc": "{np}trunc(({0})/({1}))",
    "remainder_scalar": "{np}remainder({0}, {1})",
    "fmod_scalar": "{np}fmod({0}, {1})",
    "floor_divide": "({0})//({1})",
    "keep": "{np}where({1}, {0}, 0.0)",
    **dict.fromkeys(("masked_fill", "masked_fill_tensor"), "{np}where({1}, {2}, {0})"),
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
    "inv": ("np.linalg.inv({0})", "torch.linalg.inv({0})", "jnp.linalg.inv({0})"),
    "solve": ("np.linalg.solve({0}, {1})", "torch.linalg.solve({0}, {1})", "jnp.linalg.solve({0}, {1})"),
    "solve_vector": ("np.linalg.solve({0}, {1})", "torch.linalg.solve({0}, {1})", "jnp.linalg.solve({0}, {1})"),
    "det": ("np.linalg.det({0})", "torch.linalg.det({0})", "jnp.linalg.det({0})"),
    "slogdet": ("np.linalg.slogdet({0})", "torch.linalg.slogdet({0})", "jnp.linalg.slogdet({0})"),
    "pinv": ("np.linalg.pinv({0})", "torch.linalg.pinv({0})", "jnp.linalg.pinv({0})"),
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
    "amax": (
        "np.max({0}, axis={dim}, keepdims={keepdim})", "torch.amax({0}, dim={dim}, keepdim={keepdim})",
        "jnp.max({0}, axis={dim}, keepdims={keepdim})",
    ),
    "amin": (
        "np.min({0}, axis={dim}, keepdims={keepdim})", "torch.amin({0}, dim={dim}, keepdim={keepdim})",
        "jnp.min({0}, axis={dim}, keepdims={keepdim})",
    ),
    "max": ("np.max({0})", "torch.max({0})", "jnp.max({0})"),
    "min": ("np.min({0})", "torch.min({0})", "jnp.min({0})"),
    "prod": ("np.prod({0})", "torch.prod({0})", "jnp.prod({0})"),
    "prod_dim": (
        "np.prod({0}, axis={dim}, keepdims={keepdim})", "torch.prod({0}, dim={dim}, keepdim={keepdim})",
        "jnp.prod({0}, axis={dim}, keepdims={keepdim})",
    ),
    "cumprod": ("np.cumprod({0}, axis={dim})", "torch.cumprod({0}, dim={dim})", "jnp.cumprod({0}, axis={dim})"),
    "var": (
        "np.var({0}, axis={dim}, ddof={correction}, keepdims={keepdim})",
        "torch.var({0}, dim={dim}, correction={correction}, keepdim={keepdim})",
        "jnp.var({0}, axis={dim}, ddof={correction}, keepdims={keepdim})",
    ),
    "std": (
        "np.std({0}, axis={dim}, ddof={correction}, keepdims={keepdim})",
        "torch.std({0}, dim={dim}, correction={correction}, keepdim={keepdim})",
        "jnp.std({0}, axis={dim}, ddof={correction}, keepdims={keepdim})",
    ),
    "vector_norm": (
        "np.linalg.vector_norm({0}, ord={p}, axis={dim}, keepdims={keepdim})",
        "torch.linalg.vector_norm({0}, ord={p}, dim={dim}, keepdim={keepdim})",
        "jnp.linalg.vector_norm({0}, ord={p}, axis={dim}, keepdims={keepdim})",
    ),
    "cat": (
        "np.concatenate([{args}], axis={dim})", "torch.cat([{args}], dim={dim})",
        "jnp.concatenate([{args}], axis={dim})",
    ),
    "stack": ("np.stack([{args}], axis={dim})", "torch.stack([{args}], dim={dim})", "jnp.stack([{args}], axis={dim})"),
    "kron": ("np.kron({0}, {1})", "torch.kron({0}, {1})", "jnp.kron({0}, {1})"),
}  # fmt: skip
for _name in ("cholesky", "linalg_cholesky"):
    CALLS[_name] = ("np.linalg.cholesky({0})", "torch.linalg.cholesky({0})", "jnp.linalg.cholesky({0})")

_FLIP = ("np.flip({0}, axis={dims})", "torch.flip({0}, dims={dims})", "jnp.flip({0}, axis={dims})")
_ROLL = (
    "np.roll({0}, {shifts}, axis={dims})",
    "torch.roll({0}, {shifts}, dims={dims})",
    "jnp.roll({0}, {shifts}, axis={dims})",
)
_CUMSUM = ("np.cumsum({0}, axis={dim})", "torch.cumsum({0}, dim={dim})", "jnp.cumsum({0}, axis={dim})")
_BACKWARDS = (
    "np.flip(np.cumsum(np.flip({0}, axis={dim}), axis={dim}), axis={dim})",
    "torch.flip(torch.cumsum(torch.flip({0}, dims=({dim},)), dim={dim}), dims=({dim},))",
    "jnp.flip(jnp.cumsum(jnp.flip({0}, axis={dim}), axis={dim}), axis={dim})",
)
_TRIANGLES = {
    name: (f"np.{name}({{0}}, {{k}})", f"torch.{name}({{0}}, {{k}})", f"jnp.{name}({{0}}, {{k}})")
    for name in ("tril", "triu")
}

_DIAGONAL = (
    "np.diagonal({0}, {offset}, {dim1}, {dim2})",
    "torch.diagonal({0}, {offset}, {dim1}, {dim2})",
    "jnp.diagonal({0}, {offset}, {dim1}, {dim2})",
)

LINEAR: dict[str, Row] = {
    "diagonal": _DIAGONAL,
    "flip": _FLIP,
    "roll": _ROLL,
    "cumsum": _CUMSUM,
    "cumsum reverse": _BACKWARDS,
    **_TRIANGLES,
}
"""Linear operations, by name; with " reverse" where that parameter is set."""

TRANSPOSES: dict[str, Row] = {"flip": _FLIP, "cumsum": _BACKWARDS, "cumsum reverse": _CUMSUM, **_TRIANGLES}
"""Their transposes."""

SELF_ADJOINT = frozenset({"flip", "tril", "triu", "clear"})
"""Linear operations that are their own transposes."""

PUBLIC: dict[str, str] = {
    "diagonal": "diagonal({0}, offset={offset}, dim1={dim1}, dim2={dim2})",
    "flip": "flip({0}, {dims})",
    "roll": "roll({0}, {shifts}, {dims})",
    "cumsum": "cumsum({0}, {dim})",
    "cumsum reverse": "flip(cumsum(flip({0}, {dim}), {dim}), {dim})",
    "tril": "tril({0}, {k})",
    "triu": "triu({0}, {k})",
}
"""Linear operations as NumPy's function and symgrad's read them, whose parameters differ by name."""

PARAMETER_NAMES = {
    "tile": {"repeats": ""}, "reshape": {"size": ""}, "split": {"lengths": ""}, "index_put": {"index": "indices"},
    "triu": {"k": "diagonal"}, "tril": {"k": "diagonal"}, "leaky_relu": {"slope": "negative_slope"},
    "hardtanh": {"low": "min_val", "high": "max_val"}, "svd": {"full": "full_matrices"},
}  # fmt: skip
"""What a public function calls a parameter that the table calls otherwise; "" where its place must say it."""

QUALIFIED = {"svd": "linalg.svd", "qr": "linalg.qr", "triangular_solve": "solve_triangular"}
"""What a function is called whose label is that of another with other arguments."""

ALONG = frozenset(["softmax", "log_softmax", "logsumexp", "cumsum", "cumprod", "logcumsumexp", "flip"])
"""Functions along an axis that are written of vectors, and of whole arrays, without saying which."""

RESHAPES = frozenset(
    [
        "view",
        "reshape_alias",
        "reshape_copy",
        "squeeze",
        "squeeze_dim",
        "squeeze_dims",
        "unsqueeze",
        "clone",
        "unsqueeze_",
        "squeeze_",
        "squeeze_dim_",
        "squeeze_dims_",
        "flatten",
    ]
)
PICKS = frozenset({"take", "index_select", "gather"})
"""Functions that take of a vector what an index says."""

GETITEMS = frozenset({"getitem", "getitem_slice", "getitem_new", "getitem_all", "index"})
