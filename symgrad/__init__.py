"""symgrad: autograd that shows its work.

Every derivative as a number, as a graph that can be differentiated again, and as a formula.

Examples
--------
>>> import symgrad as sg
>>> x = sg.tensor(0.5, requires_grad=True, name="x")
>>> sg.sin(x).backward(create_graph=True)
>>> x.grad
tensor(0.8776, grad_fn=<MulBackward0>)
>>> print(x.grad.formula())
cos(x)
"""

from __future__ import annotations

import builtins as _builtins
import importlib as _importlib
import sys as _sys
from math import e, inf, nan, pi
from typing import Any as _Any

from . import _config
from ._errors import (
    ConstraintError,
    DeviceError,
    DimensionError,
    DTypeError,
    FormulaError,
    GradientError,
    GraphFreedError,
    InplaceError,
    LoadError,
    MissingDependencyError,
    NotDifferentiableError,
    RangeError,
    ShapeError,
    SymbolicBranchError,
    SymgradError,
    TooLargeError,
)
from ._moved import Moved as _Moved
from ._serialize import load, save
from ._tensor import Symbol, Tensor, set_printoptions, symbol, symbols
from ._tensor import settle_members as _settle_members
from ._typing import DTYPES as _DTYPES
from ._typing import TYPE_NAMES as _TYPE_NAMES
from ._typing import Device as device
from ._typing import Size, dtype, finfo, iinfo
from .autograd import (
    detect_anomaly,
    enable_grad,
    inference_mode,
    is_anomaly_check_nan_enabled,
    is_anomaly_enabled,
    is_grad_enabled,
    is_inference_mode_enabled,
    no_grad,
    set_grad_enabled,
)
from .core import modes as _modes
from .ops import FUNCTIONS as _FUNCTIONS
from .ops import set_public_names as _settle

__version__ = "0.1.0"

newaxis = None
contiguous_format, preserve_format, strided = "contiguous_format", "preserve_format", "strided"  # what is always so

globals().update({name: fn for name, fn in _FUNCTIONS.items() if name != "fix"})  # `fix` holds arguments, and rounds
globals().update(_DTYPES)

_SUBMODULES = frozenset({
    "autograd", "backends", "cli", "cuda", "distributed", "distributions", "extend", "fft", "func", "linalg", "nn",
    "notation", "numpy", "optim", "return_types", "scipy", "special", "stats", "testing", "utils",
})  # fmt: skip
_ON_FIRST_USE = {
    "AnomalyError": "inspect.anomalies",
    **dict.fromkeys(("accelerator", "mps", "xpu"), "backends"),
    **dict.fromkeys(_TYPE_NAMES, "_tensor.types"),
    "Formula": "formulas", "Graph": "views", "ParseError": "notation", "Report": "views",
    "from_sympy": "notation", "parse": "notation",
    "compile": "transforms.compiled.compile", "cost": "transforms.cost", "sparsity": "transforms.sparse_hessian",
    "grad": "transforms.derivative", "jacobian": "transforms.derivative", "formula": "transforms.products",
    "diag_hessian": "transforms.products", "fix": "transforms.fix", "ggn_vp": "transforms.products",
    "graph": "views", "install": "interop", "report": "views",
    "StructurallyZeroWarning": "transforms.hessian", "UnknownParameterError": "transforms.matrix",
    "implicit": "scipy.optimize._roots",
    "hessian": "transforms.hessian", "hessian_operator": "transforms.hessian_operator", "hvp": "transforms.products",
    "jacfwd": "transforms.first_derivatives",
    "jacrev": "transforms.first_derivatives", "jvp": "transforms.first_derivatives", "laplacian": "transforms.products",
    "linearize": "transforms.first_derivatives", "map": "distributed._many_points", "minimize": "stats._minimize",
    "plot": "views",
    "taylor": "transforms.products", "value_and_grad": "transforms.first_derivatives",
    "scan": "transforms.loops.scan", "stop_gradient": "transforms.first_derivatives",
    "verify": "inspect", "vhp": "transforms.products", "vjp": "transforms.first_derivatives", "vmap": "transforms.vmap",
}  # fmt: skip


_sys.meta_path.append(_Moved())  # type: ignore[arg-type]


def __getattr__(name: str) -> _Any:
    if name in _ON_FIRST_USE:
        value = globals()[name] = getattr(_importlib.import_module(f"symgrad.{_ON_FIRST_USE[name]}"), name)
        _settle("symgrad", globals(), [name])
        return value
    if name in _SUBMODULES:
        return _importlib.import_module(f"symgrad.{name}")
    from ._errors import missing

    raise missing("symgrad", name, _where)


def _where(name: str) -> str:
    """In which of the other modules a name is, as a sentence; empty if in none."""
    mirrors = _importlib.import_module("symgrad.scipy").__all__
    if name in mirrors:
        return f"There is symgrad.scipy.{name}."
    for path in [*["linalg", "special", "fft", "stats", "func", "nn", "nn.functional", "optim"],
                 *(f"scipy.{m}" for m in [*mirrors, "sparse.linalg", "spatial.distance"])]:  # fmt: skip
        module = _importlib.import_module(f"symgrad.{path}")
        if name in getattr(module, "__all__", ()) and callable(getattr(module, name)):
            return f"There is symgrad.{path}.{name}."
    return ""


def __dir__() -> list[str]:
    return sorted({*_PUBLIC, *_SUBMODULES, *(name for name in globals() if name.startswith("__"))})


def _array_namespace(self: _Any, *, api_version: str | None = None) -> _Any:
    """Return `symgrad.numpy`, the namespace of the array API standard."""
    return _importlib.import_module("symgrad.numpy").namespace(api_version)


def _blame(found: _Any) -> Exception:
    """The error for what anomaly mode found: it is written above the layers that find it."""
    return _importlib.import_module("symgrad.inspect.anomalies").blame(found)  # type: ignore[no-any-return]


def _explain(self: Tensor, wrt: _Any = None) -> _Any:
    """Return how the gradients of this number came about: each recorded operation, then the chain rule back to the
    leaves, formulas and values side by side.

    Operations are named v1, v2… in the order in which they were recorded, v̄1 is the gradient in v1. Of a long graph the
    first and the last are shown, of large arrays the range and the norm. Nothing is added to ``.grad``, hooks do not
    run, and the graph can be walked afterwards.

    Parameters
    ----------
    wrt : tensor or sequence of tensors of the graph; default: every leaf

    Returns
    -------
    Derivation
        ``str()`` is text; it has ``text()``, ``markdown()``, ``latex()`` and ``html()``

    Raises
    ------
    GradientError : nothing was recorded, it is not a single number, or a tensor of ``wrt`` is not in its graph
    FormulaError : a formula and its number disagree, which is a bug; or the tensor is a symbol, which has no values

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor([1.0, 2.0], requires_grad=True, name="x")
    >>> sg.exp(x).sum().explain()
    let v1 = exp(x)        [2.7183, 7.3891]
    f = sum(v1)            10.107
    Back from f to x, v̄1 being the gradient of f in v1:
    v̄1 = 𝟏                 [1, 1]
    x̄ = ∂f/∂x = v1 ⊙ v̄1    [2.7183, 7.3891]
    """
    return _importlib.import_module("symgrad.inspect.tape").explain(self, wrt)


def _draw(*args: _Any) -> _Any:
    """What draws a matrix: it is written above the layers that make one."""
    return _importlib.import_module("symgrad.views.plot_matrix").draw_matrix(*args)


def _sparse(sign: str, a: _Any, b: _Any) -> _Any:
    """An operation with a sparse array: it is written above the layers that multiply."""
    return _importlib.import_module("symgrad.scipy.sparse._sparse_arrays").operation(sign, a, b)


_modes.blame, _modes.draw, _modes.sparse = _blame, _draw, _sparse
_explain.__name__ = "explain"
Tensor.explain = _explain  # type: ignore[method-assign]
_settle_members()


def _plot(self: _Any, **options: _Any) -> _Any:
    """Return a picture of how this tensor was computed: ``sg.graph(t, …)``, whose options it takes.

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor(0.5, requires_grad=True, name="x")
    >>> sg.sin(x).plot()
    Graph(2 boxes, 1 arrows)
    """
    return _importlib.import_module("symgrad.views").graph(self, **options)


def _repr_svg(self: _Any) -> str | None:
    """Return the picture that a notebook shows: of the graph, where there is one that is not large."""
    return _importlib.import_module("symgrad.views").notebook_picture(self)


_plot.__name__, _plot.__qualname__ = "plot", "Tensor.plot"
Tensor.plot, Tensor._repr_svg_ = _plot, _repr_svg  # type: ignore[attr-defined]
Tensor.__array_namespace__ = _array_namespace  # type: ignore[attr-defined]


def is_tensor(obj: _Any) -> bool:
    """Return whether ``obj`` is a Tensor.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.is_tensor(sg.ones(1)), sg.is_tensor(1.0)
    (True, False)
    """
    return isinstance(obj, Tensor)


def get_default_dtype() -> _Any:
    """Return the dtype of new float tensors.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.get_default_dtype()
    symgrad.float64
    """
    return dtype(_config.default_dtype())


def set_default_dtype(dtype: _Any) -> None:
    """Set the dtype of new float tensors: ``sg.float64`` (as NumPy) or ``sg.float32`` (as PyTorch).

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.set_default_dtype(sg.float32)
    >>> sg.tensor(1.5).dtype
    symgrad.float32
    >>> sg.set_default_dtype(sg.float64)
    """
    from ._typing import as_dtype

    target = as_dtype(dtype)
    if target.kind != "f":
        raise DTypeError(f"only floating-point types are supported as the default type, got {target}")
    _config.set_default(target)


set_default_tensor_type = set_default_dtype

__all__ = [
    "ConstraintError", "DTypeError", "DeviceError", "DimensionError", "FormulaError", "GradientError",
    "GraphFreedError", "InplaceError", "LoadError", "MissingDependencyError", "NotDifferentiableError",
    "RangeError", "ShapeError", "Size",
    "Symbol", "SymbolicBranchError", "SymgradError", "Tensor", "TooLargeError", "contiguous_format", "detect_anomaly",
    "device", "dtype", "e", "enable_grad",
    "finfo", "get_default_dtype", "iinfo", "inference_mode", "is_anomaly_check_nan_enabled",
    "inf", "is_anomaly_enabled", "is_grad_enabled", "is_inference_mode_enabled", "is_tensor", "load", "nan",
    "newaxis", "no_grad", "pi", "preserve_format", "save", "set_default_dtype", "set_default_tensor_type",
    "set_grad_enabled", "set_printoptions", "strided", "symbol", "symbols",
    *sorted({*_FUNCTIONS, *_DTYPES, *_ON_FIRST_USE}),
]  # fmt: skip
_settle("symgrad", globals(), (name for name in __all__ if name in globals()))
_PUBLIC = frozenset(__all__)
__all__ = [name for name in __all__ if not hasattr(_builtins, name)]  # `import *` leaves sum, abs and max alone
