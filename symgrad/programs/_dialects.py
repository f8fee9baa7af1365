"""What other libraries call what programs are written in: one table per dialect.

The idea to hold: a program is NumPy's words and stays so. A dialect says which column of the tables of functions is its
own, what becomes of NumPy's calls and methods, and which helpers it has; `_translate` does the rest. What no table of
the dialect has is refused by name, never guessed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from . import _words_at_places as at_places
from ._gram_texts import MIRRORED, gram, pairs
from ._helpers import Helpers, sources
from ._loop_chain import OF_ARRAYS, carried, rows_added, times


class Dialect(NamedTuple):
    """A library's words.

    Attributes
    ----------
    name : as users call it: "numpy", "jax", "torch"
    column : of the tables of `show._functions`
    module : what its functions are called by, where NumPy's are ``np.``
    modules : by word what its source may mention, with the line that imports it
    calls : by NumPy's name another one, or a template: ``{0}``, ``{1}`` are arguments, ``{like}`` is an array or number
        of the program's dtype, on its device
    keywords : NumPy's keywords by name in its functions
    methods : NumPy's methods by name
    own : texts of operations, before those of the tables
    like : what ``{like}`` is: "" for the first argument, else a number made from all of them
    changes : whether arrays can be written into
    array : what makes an array of NumPy's
    before_test : what a saved program's test begins with
    helpers : source of its helpers, by name; one that calls another comes after it
    fuses : whether what one line reads of another is computed anew for each entry that reads it
    """

    name: str
    column: int
    module: str
    modules: dict[str, str]
    calls: dict[str, str]
    keywords: dict[str, str]
    methods: dict[str, str]
    own: dict[str, str]
    like: str
    changes: bool
    array: str
    before_test: str
    helpers: Mapping[str, str]
    fuses: bool = False


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
    **at_places.CALLS,
}  # fmt: skip
"""Functions as NumPy's quick ones, or as a helper."""

_SOLVE = "np.linalg.solve({0}, ({1})[..., None])[..., 0]"

NUMPY = Dialect("numpy", 0, "np", {}, {}, {}, {}, FAST, "", True, "np.asarray", "", {})

JAX = Dialect(
    name="jax",
    column=2,
    module="jnp",
    modules={
        "math": "import math", "np": "import numpy as np", "jax": "import jax", "jnp": "import jax.numpy as jnp",
        **{f"jax.scipy.{m}": f"import jax.scipy.{m}" for m in ("linalg", "special", "stats")},
    },
    calls={
        "np.add.reduce": "jnp.sum", "np.zeros": "jnp.zeros({0}, {like}.dtype)",
        "np.empty": "jnp.zeros({0}, {like}.dtype)",
        "np.ones": "jnp.ones({0}, {like}.dtype)", "np.full": "jnp.full({0}, {1}, {like}.dtype)",
        "np.eye": "jnp.eye({0}, dtype={like}.dtype)", "np.bincount": "_bincount({0}, {1}, {2})",
        "scipy.special": "jax.scipy.special", "scipy.linalg": "jax.scipy.linalg",
    },
    keywords={name: name for name in ("axis", "keepdims", "nan", "posinf", "neginf", "UPLO", "symmetrize_input")},
    methods={"reshape": "reshape", "transpose": "transpose", "copy": "copy"},
    own={
        "solve_vector": _SOLVE, "eigh": "jnp.linalg.eigh({0}, UPLO={UPLO}, symmetrize_input=False)",
        "svd": "jnp.linalg.svd({0}, full_matrices={full})", "lstsq": "jnp.linalg.lstsq({0}, {1})[0]",
        "logcumsumexp": "jax.lax.cumlogsumexp({0}, {dim})", "block_diag": "jax.scipy.linalg.block_diag({args})",
        "normal_hazard_excess": "_hazard_excess({0})",
        "aminmax": "(jnp.min({0}, axis={dim}, keepdims={keepdim}), jnp.max({0}, axis={dim}, keepdims={keepdim}))",
        **{name: f"jnp.{name}({{0}}, axis={{dim}}, keepdims={{keepdim}})" for name in ("nansum", "all", "any")},
        **at_places.CALLS,
    },
    like="",
    changes=False,
    array="jnp.asarray",
    before_test='    jax.config.update("jax_enable_x64", True)  # the numbers here are float64\n',
    helpers=Helpers({
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
        "_mirrored": MIRRORED,
        "_gram": gram(),
        "_pairs": pairs("jax.lax.map(lambda w: _gram(A, w), N.T)", "transpose"),
        "_carried": '''def _carried(A, b, reverse=False):
    """y[t] = A[t] @ y[t - 1] + b[t] (y[t + 1] if reverse), from nothing on."""
    def step(y, given):
        A, b = given
        y = (A[:, :, None] * y).sum(1) + b  # XLA makes one loop of this, and calls a product of matrices
        return y, y

    return jax.lax.scan(step, jnp.zeros_like(b[0]), (A, b), reverse=reverse)[1]''',
        "_rows_added": '''def _rows_added(A, places, values):
    """A new array with values added to its rows, more than once where a place comes more than once."""
    return A.at[places].add(values)''',
        **sources("_", {}, times, *OF_ARRAYS, called=(carried, rows_added)),
        **at_places.JAX,
    }, "jnp"),
    fuses=True,
)  # fmt: skip

_ALIKE = str.split("""
exp exp2 expm1 log log2 log10 log1p sin cos tan asin acos atan atan2 sinh cosh tanh asinh acosh atanh sinc floor ceil
trunc sign abs fmax fmin hypot logaddexp logaddexp2 copysign isnan isinf isfinite signbit square reciprocal sqrt fmod
remainder logical_and logical_or logical_xor logical_not real conj angle bitwise_not maximum minimum where clip
""")

TENSORS = frozenset(f"torch.{name}" for name in _ALIKE)
"""Functions of PyTorch all of whose arguments must be tensors: a number is made one."""

NUMBERS_FIRST = frozenset({"torch.polygamma", "torch.special.polygamma", "torch.einsum"})
"""Functions of PyTorch whose first argument is no tensor; that of all others is one."""

TORCH = Dialect(
    name="torch",
    column=1,
    module="torch",
    modules={"math": "import math", "np": "import numpy as np", "torch": "import torch"},
    calls={
        **{f"np.{name}": f"torch.{name}" for name in (*_ALIKE, "einsum", "matmul", "reshape", "broadcast_to")},
        **{f"np.{name}": f"torch.{name}" for name in ("full_like", "linalg.solve")},
        "np.tensordot": "torch.tensordot({0}, {1}, dims={2})", "np.add.reduce": "torch.sum",
        "np.zeros": "{like}.new_zeros({0})", "np.empty": "{like}.new_zeros({0})", "np.ones": "{like}.new_ones({0})",
        "np.full": "torch.broadcast_to({like} + {1}, {0})",
        "np.eye": "torch.eye({0}, dtype={like}.dtype, device={like}.device)",
        "np.bincount": "_bincount({0}, {1}, {2})",
        "scipy.special": "torch.special", "scipy.linalg": "torch.linalg",
    },
    keywords={"axis": "dim", "UPLO": "UPLO", "keepdims": "keepdim", "dim": "dim", "dims": "dims", "keepdim": "keepdim"},
    methods={"reshape": "reshape", "transpose": "permute", "copy": "clone"},
    own={
        "solve_vector": _SOLVE, "eigh": "torch.linalg.eigh({0}, UPLO={UPLO})",
        "softmax": "torch.exp({0} - torch.logsumexp({0}, {dim}, keepdim=True))",
        "svd": "torch.linalg.svd({0}, full_matrices={full})", "lstsq": "torch.linalg.pinv({0}) @ {1}",
        "logcumsumexp": "torch.logcumsumexp({0}, {dim})", "block_diag": "torch.block_diag({args})",
        "prod_dim": "torch.prod({0}, {dim}[0], keepdim={keepdim})", "normal_hazard_excess": "_hazard_excess({0})",
        "aminmax": "(torch.amin({0}, dim={dim}, keepdim={keepdim}), torch.amax({0}, dim={dim}, keepdim={keepdim}))",
        **{name: f"torch.{name}({{0}}, dim={{dim}}, keepdim={{keepdim}})" for name in ("nansum", "all", "any")},
        **at_places.CALLS,
    },
    like="zero",
    changes=True,
    array="torch.as_tensor",
    before_test="",
    helpers=Helpers({
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
        "_mirrored": MIRRORED,
        "_gram": gram(),
        "_pairs": pairs("torch.stack([_gram(A, w) for w in N.T])", "permute"),
        "_carried": '''def _carried(A, b, reverse=False):
    """y[t] = A[t] @ y[t - 1] + b[t] (y[t + 1] if reverse), from nothing on."""
    order = range(len(b))[::-1] if reverse else range(len(b))
    y, found = torch.zeros_like(b[0]), []
    for t in order:
        y = A[t] @ y + b[t]
        found.append(y)
    return torch.stack(found[::-1] if reverse else found)''',
        "_rows_added": '''def _rows_added(A, places, values):
    """A new array with values added to its rows, more than once where a place comes more than once."""
    return A.index_add(0, places.reshape(-1), values.reshape((-1, *A.shape[1:])))''',
        **sources("_", {}, times, *OF_ARRAYS, called=(carried, rows_added)),
        **at_places.TORCH,
    }, "torch"),
)  # fmt: skip

DIALECTS = {"jax": JAX, "torch": TORCH}
