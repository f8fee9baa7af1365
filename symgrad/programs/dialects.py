"""What a library is to programs: its words, its arrays, and how its functions are run; one record for each."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from importlib import import_module
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from .._errors import MissingDependencyError
from ..ops.linalg.special_systems import carried
from ..show import LIBRARIES, Library
from .helpers import (
    AT_PLACES,
    BY_STEPS,
    CALLS,
    GRAM,
    HELPERS,
    MIRRORED,
    OF_ARRAYS,
    Helpers,
    in_words_of,
    pairs,
    rows_added,
    source_texts,
)

# ------------------------------------------------------------ The arrays of a library, and how its functions are run

# The idea to hold: programs are the same for all; here is what is not text. A library is imported when a program for it
# is asked for, never before.


class Arrays:
    """A library's arrays, and how its functions are run: here of one that has NumPy's manners."""

    def __init__(self, dialect: Dialect) -> None:
        self.dialect = dialect
        root, _, kind = dialect.array_type.partition(".")
        self.root: Any = _imported(root, dialect.library)
        self.kind: Any = getattr(self.root, kind)
        self.numpy: ModuleType = import_module(dialect.library.imports[dialect.library.module])

    def owns(self, leaf: Any) -> bool:
        return isinstance(leaf, self.kind)

    def dtype_of(self, leaf: Any) -> np.dtype[Any]:
        return np.dtype(leaf.dtype)

    def shown(self, leaf: Any) -> np.ndarray | None:
        """The numbers of an array; None for one that has none to show, of a transform under way."""
        return np.asarray(leaf)

    def setting(self) -> Any:
        """What else than the arguments a program hangs on."""
        return None

    def exact(self, dtype: np.dtype[Any]) -> np.dtype[Any]:
        """A dtype as the library has it now."""
        return dtype

    def place(self, leaves: list[Any]) -> Any:
        """Where arrays that are no arguments go: None where the library decides."""
        return None

    def fastest(self) -> Any:
        """The place where programs run fastest."""
        return self.place([])

    def array(self, value: Any, dtype: Any, place: Any) -> Any:
        """An argument as an array of this dtype (None: of its own)."""
        return self.numpy.asarray(value, dtype)

    def constant(self, value: np.ndarray, dtype: Any, place: Any) -> Any:
        """What a program holds: numbers have its dtype, indices their own."""
        return self.array(np.array(value), dtype if value.dtype.kind == "f" else None, place)

    def runnable(self, function: Any) -> Any:
        return function

    def cast(self, value: Any, dtype: Any, shape: tuple[int, ...]) -> Any:
        return self.numpy.asarray(value).astype(dtype).reshape(shape)

    def double(self) -> Any:
        """64 bits for a while: programs are compared in them."""
        return contextlib.nullcontext()

    def keep_double(self) -> None:
        """64 bits from now on."""


def _imported(module: str, library: Library) -> Any:
    try:
        return import_module(module)
    except ImportError:
        raise MissingDependencyError(
            f"sg.compile(…, target={library.name!r}) needs {library.name}", "It is not installed.",
            f"python -m pip install {library.package}",
        ) from None  # fmt: skip


# -------------------------------------- What other libraries call what programs are written in: one table per dialect

# The idea to hold: a program is NumPy's words and stays so. A dialect says which library's column of the tables of
# functions is its own, what becomes of NumPy's calls, methods and signs, which helpers it has, and what its arrays are;
# `translate` does the rest. What no table of the dialect has is refused by name, never guessed.


_KEYWORDS = {name: name for name in ("axis", "keepdims", "nan", "posinf", "neginf", "UPLO", "full_matrices")}
_METHODS = {name: name for name in ("reshape", "transpose", "copy")}
_AS_IN_NUMPY: dict[str, str] = {}
_OWN = {
    "solve_vector": "np.linalg.solve({0}, ({1})[..., None])[..., 0]", "eigh": "np.linalg.eigh({0}, UPLO={UPLO})",
    "svd": "np.linalg.svd({0}, full_matrices={full})", "lstsq": "np.linalg.lstsq({0}, {1})[0]",
    "block_diag": "scipy.linalg.block_diag({args})", "normal_hazard_excess": "_hazard_excess({0})",
    "aminmax": "(np.amin({0}, axis={dim}, keepdims={keepdim}), np.amax({0}, axis={dim}, keepdims={keepdim}))",
    **{name: f"np.{name}({{0}}, axis={{dim}}, keepdims={{keepdim}})" for name in ("nansum", "all", "any")},
    **CALLS,
}  # fmt: skip
"""Texts of operations that NumPy's program has symgrad run; they are in NumPy's words, which are translated."""


class Dialect(NamedTuple):
    """A library's words and arrays; what is left out is as in NumPy.

    Attributes
    ----------
    library : its names, and which column of the tables of functions is its own
    arrays, array_type : how its arrays come in and go out, and what they are
    calls : by NumPy's name another one, or a template: ``{0}``, ``{1}`` are arguments, ``{like}`` is an array or number
        of the program's dtype, on its device; by NumPy's module another one
    keywords : NumPy's keywords by name in its functions
    methods : NumPy's methods by name; "" for one that gives the array itself
    signs : what signs are that mean something else on its arrays: ``copy`` (``+x``), ``cast`` (truth values times 1.0),
        ``truth`` (a condition), ``backwards`` (an index with slices that are), ``number`` (one that stands for an
        array), ``begun`` (an array that is written into later)
    writes : how arrays that stay as they are get new entries: by ``=`` and ``+=`` the array ``{0}``, at ``{1}``, with a
        value ``{2}``; empty where they are written into
    own : texts of operations, before those of the tables
    helpers : source of its helpers, by name; one that calls another comes after it
    like : what ``{like}`` is: "" for the first argument, else a number made from all of them
    beside : the argument that puts a new array where another is
    view : the method that reshapes and never copies
    array, written, shown : what makes an array of NumPy's, and of numbers that are written out with their dtype, and
        what makes NumPy's of one
    all_arrays, number_first : functions all of whose arguments must be arrays, and those whose first is none; where
        there are such, that of all others must be one
    compiles : whether it compiles a program as a whole: long ones take long to, what one line reads of another is
        computed anew for each entry that reads it, and NumPy's arrays are taken as they are
    flag, set_flag : the setting without which it keeps no 64 bits, and what says it
    """

    library: Library
    arrays: type[Arrays] = Arrays
    array_type: str = ""
    calls: dict[str, str] = _AS_IN_NUMPY
    keywords: dict[str, str] = _KEYWORDS
    methods: dict[str, str] = _METHODS
    signs: dict[str, str] = _AS_IN_NUMPY
    writes: dict[str, str] = _AS_IN_NUMPY
    own: dict[str, str] = _OWN
    helpers: Mapping[str, str] = _AS_IN_NUMPY
    like: str = ""
    beside: str = ""
    view: str = "reshape"
    array: str = "np.asarray"
    written: str = "np.array({0}, dtype={1!r})"
    shown: str = "np.asarray({0})"
    all_arrays: frozenset[str] = frozenset()
    number_first: frozenset[str] = frozenset()
    compiles: bool = False
    flag: str = ""
    set_flag: str = ""

    @property
    def name(self) -> str:
        return self.library.name

    def imported(self) -> Arrays:
        """The library and its arrays."""
        return self.arrays(self)

    @property
    def before_test(self) -> str:
        """What a saved program's test begins with."""
        return f"    {self.set_flag}  # the numbers here are float64\n" if self.set_flag else ""


def numpys_calls(module: str) -> dict[str, str]:
    """The calls of a library that has NumPy's functions by NumPy's names."""
    return {
        "np": module, "np.add.reduce": f"{module}.sum", "np.zeros": f"{module}.zeros({{0}}, {{like}}.dtype)",
        "np.empty": f"{module}.zeros({{0}}, {{like}}.dtype)", "np.ones": f"{module}.ones({{0}}, {{like}}.dtype)",
        "np.full": f"{module}.full({{0}}, {{1}}, {{like}}.dtype)", "np.bincount": "_bincount({0}, {1}, {2})",
        "np.eye": f"{module}.eye({{0}}, dtype={{like}}.dtype)",
        "np.add.at": f"{module}.add.at({{0}}, {module}.s_{{1}}, {{2}})",
    }  # fmt: skip


def numpys_helpers(module: str, own: dict[str, Any], grams: str = "", transpose: str = "transpose") -> Helpers:
    """The helpers of a library: NumPy's, where it has no ``own``; ``grams`` and ``transpose`` as `pairs` takes them."""
    return Helpers({
        "_mirrored": MIRRORED,
        "_gram": GRAM,
        "_pairs": pairs(grams or f"{module}.stack([_gram(A, w) for w in N.T])", transpose),
        **in_words_of(module, BY_STEPS | AT_PLACES),
        **source_texts("_", {}, rows_added),
        **own,
        **source_texts("_", {}, *OF_ARRAYS, called=(carried, rows_added)),
    }, module)  # fmt: skip


FAST = {
    "sigmoid": "1/(1 + np.exp(-{0}))",  # exp(-x) = inf gives 0, as it should
    "softplus_unit": "np.maximum({0}, 0) + np.log1p(np.exp(-np.abs({0})))",
    "relu": "np.maximum({0}, 0)",
    "normal_hazard_excess": "_hazard_excess({0})",
    "hyp1f1": "_kummer({0}, {1}, {2})",
    "hyp2f1": "_gauss({0}, {1}, {2}, {3})",
    "polygamma_order": "_polygamma({n}, {0})",
    "bessel_ie_order": '_bessel_derivative("ive", {0}, {order}, {n})',
    "bessel_ke_order": '_bessel_derivative("kve", {0}, {order}, {n})',
    "spherical_i": "_bessel_spherical_in({order}, {0})",
    "softmax": "_softmax({0}, {dim})",
    "logsumexp": "_logsumexp({0}, {dim}, {keepdim})",
    **CALLS,
}  # fmt: skip
"""Functions as NumPy's quick ones, or as a helper."""

NUMPY = Dialect(LIBRARIES["numpy"], array_type="numpy.ndarray", own=FAST, helpers=HELPERS)

# ------------------------------------------------------------------------------------------------------------- JAX


_FOR_JAX = {
    "_added_along": '''def _added_along(y, places, dim, kept, shape):
    """Zeros with the entries of y added up at places along an axis."""
    at = list(jnp.ogrid[tuple([slice(n) for n in places.shape])])
    at[dim] = places
    return jnp.zeros(shape, y.dtype).at[tuple(at)].add(y if kept else jnp.expand_dims(y, dim))''',
    "_added_rows": '''def _added_rows(y, places, dim, shape):
    """Zeros with the slices of y added up at places of an axis."""
    return jnp.zeros(shape, y.dtype).at[(slice(None),) * dim + (places,)].add(y)''',
    "_latest": '''def _latest(x, dim, largest):
    """The place of the largest (or smallest) entry up to each along an axis, the latest of several."""
    best = jax.lax.cummax(x, dim) if largest else jax.lax.cummin(x, dim)
    places = jnp.arange(x.shape[dim]).reshape((-1,) + (1,) * (x.ndim - 1 - dim))
    return jax.lax.cummax(jnp.where((x == best) | jnp.isnan(x), places, 0), dim)''',
    "_extreme_along": '''def _extreme_along(x, y, places, dim, largest, own):
    """The largest (or smallest) of what y has for each place along an axis, and of x where it counts (own)."""
    at = list(jnp.ogrid[tuple([slice(n) for n in places.shape])])
    at[dim] = places
    z = (x if own else x.at[tuple(at)].set(y)).at[tuple(at)]
    return z.max(y) if largest else z.min(y)''',
    "_shares": '''def _shares(x, y, places, dim, largest, own):
    """What each entry of x and of y has of the largest (or smallest) that it meets: shared among those that tie."""
    at = list(jnp.ogrid[tuple([slice(n) for n in places.shape])])
    at[dim] = places
    z = _extreme_along(x, y, places, dim, largest, own)
    mine, sent = (x == z) * 1.0, (y == z[tuple(at)]) * 1.0
    mine = mine if own else mine.at[tuple(at)].set(0.0)
    share = 1 / jnp.maximum(mine.at[tuple(at)].add(sent), 1)
    return mine * share, sent * share[tuple(at)]''',
    "_hazard_excess": '''def _hazard_excess(x):
    """x plus the normal density over the normal distribution function: far to the left a continued fraction."""
    near = x + jnp.exp(jax.scipy.stats.norm.logpdf(x) - jax.scipy.special.log_ndtr(x))
    far = jnp.where(x < -6, x, -6.0)
    tail = 0.0 * far
    for k in range(70, 0, -1):
        tail = k / (tail - far)
    return jnp.where(x < -6, tail, near)''',
}


class JaxArrays(Arrays):
    """JAX's arrays, tracers among them; programs run under ``jax.jit``."""

    def shown(self, leaf: Any) -> np.ndarray | None:
        return None if isinstance(leaf, self.root.core.Tracer) else np.asarray(leaf)

    def setting(self) -> Any:
        return bool(self.root.config.jax_enable_x64)

    def exact(self, dtype: np.dtype[Any]) -> np.dtype[Any]:
        """Without JAX's flag for 64 bits there are only 32."""
        return np.dtype(self.root.dtypes.canonicalize_dtype(dtype))

    def constant(self, value: np.ndarray, dtype: Any, place: Any) -> Any:
        """Indices stay NumPy's: they are part of the program. JAX keeps what it made of one under 64 bits and under
        32 as one, by the array that it is."""
        return self.numpy.asarray(value, dtype) if value.dtype.kind == "f" else value.copy()

    def runnable(self, function: Any) -> Any:
        return self.root.jit(function)

    @contextlib.contextmanager
    def double(self) -> Any:
        """In this thread only."""
        with self.root.enable_x64(True):
            yield

    def keep_double(self) -> None:
        self.root.config.update(self.dialect.flag, True)


JAX = Dialect(
    LIBRARIES["jax"],
    JaxArrays,
    "jax.Array",
    calls={
        **numpys_calls("jnp"), "np.add.at": "{0} = {0}.at{1}.add({2})",
        "scipy.special": "jax.scipy.special", "scipy.linalg": "jax.scipy.linalg",
    },
    keywords=_KEYWORDS | {"symmetrize_input": "symmetrize_input"},
    methods=_METHODS | {"copy": ""},
    writes={"=": "{0} = {0}.at{1}.set({2})", "+=": "{0} = {0}.at{1}.add({2})"},
    own={
        **_OWN, "eigh": "jnp.linalg.eigh({0}, UPLO={UPLO}, symmetrize_input=False)",
        "logcumsumexp": "jax.lax.cumlogsumexp({0}, {dim})",
    },
    helpers=numpys_helpers("jnp", {
        "_placed": '''def _placed(A, view, value, add):
    """A with a value set, or added, where a view of it is: found by taking the view of the numbers of its places."""
    places = view(np.arange(A.size).reshape(A.shape))
    if A.shape == 2 * places.shape and np.array_equal(places, np.arange(0, A.size, len(A) + 1)):
        # The diagonal: XLA makes one loop of this and of what A is made of, but for a scatter A is written first.
        return jnp.where(jnp.eye(len(A), dtype=bool), A + value if add else value, A)
    at = A.reshape(-1).at[places]
    put = at.add if add else at.set
    return put(value, unique_indices=True, mode="promise_in_bounds").reshape(A.shape)''',
        "_once": '''def _once(x):
    """x, computed once: XLA puts what x is made of into every loop that reads it, but for sums."""
    return jnp.sum(jnp.stack([x, jnp.zeros_like(x)]), 0)''',
        "_bincount": '''def _bincount(places, values, n):
    """Values added up by place."""
    return jnp.zeros(n, values.dtype).at[places].add(values, mode="promise_in_bounds")''',
        "_carried": '''def _carried(b, A, reverse):
    """The solution y of y[t] = b[t] + A[t-1] y[t-1] (A[t] y[t+1] if reverse); A are the matrices between the steps."""
    def step(y, given):
        A, b = given
        y = (A[:, :, None] * y).sum(1) + b  # XLA makes one loop of this, and calls a product of matrices
        return y, y

    first, rest = (b[-1], b[:-1]) if reverse else (b[0], b[1:])
    y = jax.lax.scan(step, first, (A, rest), reverse=reverse)[1]
    return jnp.concatenate([y, b[-1:]] if reverse else [b[:1], y])''',
        "_scan": '''def _scan(step, first, rows):
    """What all steps give."""
    return jax.lax.scan(step, tuple(first), rows)[1]''',
        "_rows_added": '''def _rows_added(A, places, values):
    """A new array with values added to its rows, more than once where a place comes more than once."""
    return A.at[places].add(values)''',
        "_order": in_words_of("jnp", AT_PLACES)["_order"].replace('kind="stable"', "stable=True"),
        **_FOR_JAX,
    }, "jax.lax.map(lambda w: _gram(A, w), N.T)"),
    array="jnp.asarray",
    compiles=True,
    flag="jax_enable_x64",
    set_flag='jax.config.update("jax_enable_x64", True)',
)  # fmt: skip

# --------------------------------------------------------------------------------------------------------- PyTorch


_FOR_TORCH = {
    "_whole": '''def _whole(places):
    """Places that were computed with, as whole numbers."""
    return places.long()''',
    "_read_along": '''def _read_along(x, places, dim, kept):
    """The entries of x at places along an axis."""
    y = torch.take_along_dim(x, places.long(), dim)
    return y if kept else y.squeeze(dim)''',
    "_read_rows": '''def _read_rows(x, places, dim):
    """The slices of x at places of an axis."""
    return x[(slice(None),) * dim + (places.long(),)]''',
    "_added_along": '''def _added_along(y, places, dim, kept, shape):
    """Zeros with the entries of y added up at places along an axis."""
    return y.new_zeros(shape).scatter_add(dim, places.long(), y if kept else y.unsqueeze(dim))''',
    "_added_rows": '''def _added_rows(y, places, dim, shape):
    """Zeros with the slices of y added up at places of an axis."""
    rows = y.reshape((*shape[:dim], -1, *shape[dim + 1 :]))
    return y.new_zeros(shape).index_add(dim, places.reshape(-1).long() % shape[dim], rows)''',
    "_added_flat": '''def _added_flat(y, places, shape):
    """Zeros with the entries of y added up at places of the flat array."""
    return _added_rows(y.reshape(-1), places.reshape(-1), 0, (math.prod(shape),)).reshape(shape)''',
    "_order": '''def _order(x, dim, descending, first, stop):
    """The places that sort x along an axis, of those the ones from first to stop; what ties keeps its order."""
    found = torch.argsort(x, dim=dim, descending=descending, stable=True)
    return found[(slice(None),) * dim + (slice(first, stop),)]''',
    "_middle": '''def _middle(x, dim, skip):
    """The place of the lower median along an axis: of the first NaN where there is one, or without them (skip)."""
    n, missing = x.shape[dim], torch.isnan(x).sum(dim, keepdim=True)
    k = (n - missing - 1).clamp(min=0) // 2 if skip else torch.where(missing > 0, n - missing, (n - 1) // 2)
    return torch.take_along_dim(_order(x, dim, False, 0, None), k, dim)''',
    "_latest": '''def _latest(x, dim, largest):
    """The place of the largest (or smallest) entry up to each along an axis, the latest of several."""
    best = (torch.cummax if largest else torch.cummin)(x, dim).values
    places = torch.arange(x.shape[dim], device=x.device).reshape((-1,) + (1,) * (x.dim() - 1 - dim))
    return torch.cummax(torch.where((x == best) | torch.isnan(x), places, 0), dim).values''',
    "_extreme_along": '''def _extreme_along(x, y, places, dim, largest, own):
    """The largest (or smallest) of what y has for each place along an axis, and of x where it counts (own)."""
    return x.scatter_reduce(dim, places, y, "amax" if largest else "amin", include_self=own)''',
    "_shares": '''def _shares(x, y, places, dim, largest, own):
    """What each entry of x and of y has of the largest (or smallest) that it meets: shared among those that tie."""
    z = _extreme_along(x, y, places, dim, largest, own)
    mine, sent = (x == z).to(x.dtype), (y == z.gather(dim, places)).to(x.dtype)
    mine = mine if own else mine.scatter(dim, places, 0.0)
    share = 1 / mine.scatter_add(dim, places, sent).clamp(min=1)
    return mine * share, sent * share.gather(dim, places)''',
    "_hazard_excess": '''def _hazard_excess(x):
    """x plus the normal density over the normal distribution function: far to the left a continued fraction."""
    near = x + (2 / math.pi) ** 0.5 / torch.special.erfcx(-(0.5**0.5) * x)
    far = torch.where(x < -6, x, -6.0)
    tail = 0.0 * far
    for k in range(70, 0, -1):
        tail = k / (tail - far)
    return torch.where(x < -6, tail, near)''',
}  # fmt: skip


class TorchArrays(Arrays):
    """PyTorch's tensors, on their device."""

    def dtype_of(self, leaf: Any) -> np.dtype[Any]:
        return np.dtype(str(leaf.dtype).removeprefix("torch.").replace("bfloat16", "float16"))

    def shown(self, leaf: Any) -> np.ndarray | None:
        if not self.owns(leaf):
            return np.asarray(leaf)
        try:
            found: np.ndarray = leaf.detach().cpu().numpy()
        except (RuntimeError, TypeError):
            return None
        return found

    def place(self, leaves: list[Any]) -> Any:
        """The device of the arguments."""
        return next((leaf.device for leaf in leaves if self.owns(leaf)), self.root.device("cpu"))

    def fastest(self) -> Any:
        return self.root.device("cuda" if self.root.cuda.is_available() else "cpu")

    def array(self, value: Any, dtype: Any, place: Any) -> Any:
        return self.root.as_tensor(value, dtype=None if dtype is None else self._own(dtype), device=place)

    def cast(self, value: Any, dtype: Any, shape: tuple[int, ...]) -> Any:
        return value.to(dtype if isinstance(dtype, self.root.dtype) else self._own(dtype)).reshape(shape)

    def double(self) -> Any:
        """PyTorch has 64 bits always; no history is kept meanwhile."""
        return self.root.no_grad()

    def _own(self, dtype: Any) -> Any:
        return getattr(self.root, np.dtype(dtype).name)


_ALIKE = str.split("""
exp exp2 expm1 log log2 log10 log1p sin cos tan asin acos atan atan2 sinh cosh tanh asinh acosh atanh sinc floor ceil
trunc sign abs fmax fmin hypot logaddexp logaddexp2 copysign isnan isinf isfinite signbit square reciprocal sqrt fmod
remainder logical_and logical_or logical_xor logical_not real conj angle bitwise_not maximum minimum where clip
""")
_MORE = str.split("""
einsum matmul reshape broadcast_to full_like nansum all any amin amax linalg.solve linalg.eigh linalg.svd
""")

TORCH = Dialect(
    LIBRARIES["torch"],
    TorchArrays,
    "torch.Tensor",
    calls={
        **{f"np.{name}": f"torch.{name}" for name in (*_ALIKE, *_MORE)},
        "np.tensordot": "torch.tensordot({0}, {1}, dims={2})", "np.add.reduce": "torch.sum",
        "np.zeros": "{like}.new_zeros({0})", "np.empty": "{like}.new_zeros({0})", "np.ones": "{like}.new_ones({0})",
        "np.full": "torch.broadcast_to({like} + {1}, {0})",
        "np.eye": "torch.eye({0}, dtype={like}.dtype, device={like}.device)",
        "np.bincount": "_bincount({0}, {1}, {2})", "np.add.at": "{0} = _added({0}, lambda a: a{1}, {2})",
        "scipy.special": "torch.special", "scipy.linalg": "torch.linalg",
    },
    keywords=_KEYWORDS | {"axis": "dim", "keepdims": "keepdim"},
    methods={"reshape": "reshape", "transpose": "permute", "copy": "clone"},
    signs={
        "copy": "({0}).clone()", "cast": "{0}.to({like}.dtype)", "truth": "({0}).bool()",
        "backwards": "_picked({0}, lambda a: a{1})", "number": "{like} + {0}",
        "begun": "({like} + {0}).contiguous()",  # one for each of a batch, and its views are views
    },
    own={
        **_OWN, "softmax": "torch.exp({0} - torch.logsumexp({0}, {dim}, keepdim=True))",
        "lstsq": "torch.linalg.pinv({0}) @ {1}", "logcumsumexp": "torch.logcumsumexp({0}, {dim})",
        "prod_dim": "torch.prod({0}, {dim}[0], keepdim={keepdim})", "block_diag": "torch.block_diag({args})",
    },
    helpers=numpys_helpers("torch", {
        "_bincount": '''def _bincount(places, values, n):
    """Values added up by place."""
    return values.new_zeros(n).index_add(0, places, values)''',
        "_picked": '''def _picked(A, view):
    """A view of A as a new array: found by taking the view of the numbers of its places."""
    places = view(np.arange(A.numel()).reshape(A.shape)).copy()
    return A.reshape(-1)[torch.as_tensor(places, device=A.device)]''',
        "_placed": '''def _placed(A, view, value, add):
    """A with a value set, or added, where a view of it is."""
    places = torch.as_tensor(view(np.arange(A.numel()).reshape(A.shape)).copy(), device=A.device)
    return A.reshape(-1).index_put((places,), value, accumulate=add).reshape(A.shape)''',
        "_added": '''def _added(A, view, value):
    """A with a value added where a view of it is, more than once where the view has a place more than once."""
    places = view(torch.arange(A.numel(), device=A.device).reshape(A.shape))
    value = torch.broadcast_to(value, places.shape).reshape(-1)
    return A.reshape(-1).index_add(0, places.reshape(-1), value).reshape(A.shape)''',
        "_rows_added": '''def _rows_added(A, places, values):
    """A new array with values added to its rows, more than once where a place comes more than once."""
    return A.index_add(0, places.reshape(-1), values.reshape((-1, *A.shape[1:])))''',
        **_FOR_TORCH,
    }, transpose="permute"),
    like="zero",
    beside=", device={0}.device",
    view="view",
    array="torch.as_tensor",
    written="torch.tensor({0}, dtype=torch.{1})",
    all_arrays=frozenset(f"torch.{name}" for name in _ALIKE),
    number_first=frozenset({"torch.polygamma", "torch.special.polygamma", "torch.einsum"}),
)  # fmt: skip

DIALECTS = {dialect.name: dialect for dialect in (JAX, TORCH)}
"""Those of other libraries than NumPy, by the name that `sg.compile` knows them by."""
