"""Arrays that are not what they look like: subclasses of NumPy's array whose operators mean something else.

The idea to hold: a tensor takes the numbers of an array and computes as NumPy does with arrays. The ``*`` of a matrix
is a product of matrices, a masked array leaves elements out, a quantity has a unit: what such an object means would be
lost without a word. A subclass that keeps the operators (a memory map, a record array) is an array like any other.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from functools import cache
from typing import Any

import numpy as np

from .._errors import DTypeError
from ._dim import Dim

_OWN_MEANING = ("__mul__", "__array_ufunc__", "__array_function__")


@cache
def _means_otherwise(kind: type) -> bool:
    return issubclass(kind, np.ndarray) and any(getattr(kind, n) is not getattr(np.ndarray, n) for n in _OWN_MEANING)


def refuse_foreign(kinds: Iterable[type]) -> None:
    """Raise where one of these types is a subclass of NumPy's array that means something else by its operators."""
    for kind in kinds:
        if kind is not np.ndarray and _means_otherwise(kind):
            raise foreign(kind)


def foreign(kind: type) -> DTypeError:
    """The error of such a type."""
    home = "np.ma" if kind.__module__ == "numpy.ma" else "np" if kind is np.matrix else kind.__module__
    name = f"{home}.{kind.__name__}"
    if kind is np.matrix:
        return DTypeError(
            f"tensors do not compute with {name}", "Its * is a product of matrices, and it never has one dimension.",
            "Use np.asarray(K), and K @ x for the product of matrices.",
        )  # fmt: skip
    if hasattr(kind, "filled"):
        return DTypeError(
            f"tensors do not compute with {name}", "Its mask would be lost: a tensor has a number everywhere.",
            "Use K.filled(0.0) for the numbers, and np.where(K.mask, …, …) for what is masked.",
        )  # fmt: skip
    return DTypeError(
        f"tensors do not compute with {name}", "It has operators of its own, and tensors only take its numbers.",
        "Use np.asarray(K) if these are what is meant.",
    )  # fmt: skip


_WHAT = {
    "O": ("objects", "NumPy computes with them one by one, by their own operators: no derivative would flow.",
          "K.astype(float) are the numbers; sg.stack puts tensors together."),
    "U": ("text", "A tensor computes with numbers.", "Make numbers of it: K.astype(float)."),
    "M": ("points in time", "A tensor computes with numbers.",
          'Take what has passed since some point: (K - K[0]) / np.timedelta64(1, "s").'),
    "m": ("spans of time", "A tensor computes with numbers.", 'Divide by the unit: K / np.timedelta64(1, "s").'),
    "V": ("records", "A tensor computes with numbers.", 'Take one field, K["a"], or a matrix of them: '
          "np.lib.recfunctions.structured_to_unstructured(K)."),
}  # fmt: skip


def no_numbers(dtype: np.dtype[Any]) -> tuple[str, str, str] | None:
    """What an array of this dtype holds, why a tensor does not take it, and what to write; None for numbers."""
    kind = dtype.kind
    return None if kind in "fciub" else _WHAT.get("U" if kind in "ST" else kind, _WHAT["O"])


def refuse_no_numbers(array: Any) -> None:
    """Raise for an array (or one of its entries) that holds anything else than numbers and truth values."""
    found = no_numbers(array.dtype)
    if found is not None:
        what, why, step = found
        raise DTypeError(f"tensors do not compute with arrays of {what} (dtype {array.dtype})", why, step)


def is_table(value: Any) -> bool:
    """Whether a value is one of pandas', which is asked only where the user has imported it."""
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(value, (pandas.Series, pandas.DataFrame, pandas.Index))


def array_of_table(table: Any) -> np.ndarray:
    """The array of a table. Columns of several kinds of numbers and of truth values are floats, not objects."""
    array = np.asarray(table)
    if array.dtype == object:
        dtypes = list(table.dtypes) if table.ndim == 2 else [table.dtype]
        if all(dtype.kind in "fiub" for dtype in dtypes):
            return np.asarray(table.to_numpy(float, na_value=np.nan))
    return array


def without_numbers(name: str, table: Any) -> tuple[str, str] | None:
    """Which columns of a table hold no numbers, and what to write; None where all do."""
    if array_of_table(table).dtype.kind in "fiubc":
        return None
    what = f"{name} holds other things than numbers"
    if table.ndim == 1:
        return f"{what}: it is of dtype {table.dtype}.", _as_numbers(name, table.dtype, table)
    columns = [(label, kind, table.iloc[:, k]) for k, (label, kind) in enumerate(table.dtypes.items())]
    wrong = {repr(c[0]): c for c in columns if not {c[1].kind, np.asarray(c[2]).dtype.kind} & {*"fiubc"}}
    where = ", ".join([f"{label} ({kind})" for label, (_, kind, _) in wrong.items()])
    label, (_, dtype, column) = next(iter(wrong.items()))
    return f"{what}, in {where}.", _as_numbers(f"{name}[{label}]", dtype, column)


def _as_numbers(spelled: str, dtype: Any, column: Any) -> str:
    """How a column becomes numbers, as a sentence."""
    if dtype.kind in "mM":
        since = f"({spelled} - {spelled}.min())" if dtype.kind == "M" else spelled
        return f"Make numbers of it: {since} / pd.Timedelta(days=1)."
    try:
        column.astype(float)
    except (TypeError, ValueError):
        return f"Leave it out, or code it as numbers: pd.get_dummies({spelled}, dtype=float)."
    return f"Make numbers of it: {spelled}.astype(float)."


def is_sparse(value: Any) -> bool:
    """Whether a value is a sparse array, of SciPy's (asked only where the user has imported it) or of ours."""
    sparse = sys.modules.get("scipy.sparse")
    return sparse is not None and (sparse.issparse(value) or hasattr(type(value), "_multiplies_tensors"))


def is_beside_sparse(frame: Any) -> bool:
    """Whether the frame that asks for an array is SciPy's product with a sparse one: it takes an object that is no
    array for one that knows the product itself."""
    return frame.f_code.co_name == "_matmul_dispatch" and frame.f_globals.get("__name__", "").startswith(
        "scipy.sparse."
    )


def unknown(value: Any) -> np.ndarray:
    """What NumPy makes of something that is no array."""
    made = np.empty(1, object)
    made[0] = value
    return made.reshape(())


def plain_array(value: Any) -> np.ndarray:
    """The array of anything but a tensor."""
    if isinstance(value, np.ndarray):
        refuse_foreign((type(value),))
        if value.dtype.kind not in "fciub":
            refuse_no_numbers(value)
        return np.asarray(value)
    if is_table(value):
        wrong = without_numbers("df", value)
        if wrong is not None:
            raise DTypeError("tensors compute with numbers", *wrong)
        return array_of_table(value)
    array = np.asarray(value)
    if array.dtype.kind == "O" and not array.ndim and value is not None and type(value) is not Dim:
        raise DTypeError(
            f"an object of type {type(value).__name__!r} is no array of numbers",
            "NumPy takes it for a single element.",
            "Convert it first: A.toarray() of a sparse matrix, np.asarray(a) of what knows how.",
        )  # fmt: skip
    return array
