"""NumPy's public namespace by what tensors can do with it, read from the table: ``python docs/_numpy_names.py``.

`conf.py` puts it in place of the note ``made: numpy`` of numpy.md. Written here are only the names that
have nothing to do with derivatives, each under its reason.
"""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
from _operations import code, table

from symgrad.core import NUMPY
from symgrad.ops.numpy.ufuncs import CONSTANT

HOMES: dict[str, Any] = {"np": np, "np.linalg": np.linalg, "np.fft": np.fft, "np.emath": np.emath}
DIFFERENTIABLE, NO_DERIVATIVE, NOT_APPLICABLE, MISSING = "differentiable", "constant", "not applicable", "missing"

NOT_OF_TENSORS: dict[str, str] = {
    "makes an array of sizes, numbers or Python's objects; no tensor comes in": """
        arange array asanyarray asarray asarray_chkfinite bartlett blackman diag_indices empty eye fft.fftfreq
        fft.rfftfreq from_dlpack frombuffer fromfunction fromiter fromstring full hamming hanning identity indices ix_
        kaiser mask_indices ones tri tril_indices triu_indices zeros
    """,
    "makes a matrix, whose * is another product": "asmatrix bmat matrix",
    "makes an index of slices": "index_exp mgrid ogrid s_ newaxis",
    "reads or writes files": """
        fromfile fromregex genfromtxt load loadtxt memmap save savetxt savez savez_compressed
    """,
    "asks about shapes, dtypes or Python's objects": """
        broadcast_shapes finfo iinfo isdtype isfortran isscalar issubdtype iterable mintypecode typename
    """,
    "settings, printing, help, tests": """
        base_repr binary_repr errstate format_float_positional format_float_scientific get_include get_printoptions
        getbufsize geterr geterrcall info printoptions set_printoptions setbufsize seterr seterrcall show_config
        show_runtime test linalg.test fft.test
    """,
    "dates": """
        busday_count busday_offset busdaycalendar datetime64 datetime_as_string datetime_data is_busday timedelta64
    """,
    "loops over arrays of numbers": "broadcast flatiter ndenumerate ndindex nditer nested_iters",
    "makes a ufunc of a Python function, for arrays of objects": "frompyfunc ufunc",
    "a number, or a table of dtypes": """
        False_ ScalarType True_ e euler_gamma inf little_endian nan pi sctypeDict typecodes
    """,
    "a class of arrays": "ndarray poly1d recarray record",
    "a type of numbers": """
        bool bool_ byte bytes_ cdouble character clongdouble complex128 complex192 complex256 complex64 complexfloating
        csingle double dtype flexible float128 float16 float32 float64 float96 floating generic half inexact int16 int32
        int64 int8 int_ intc integer intp long longdouble longlong number object_ short signedinteger single str_ ubyte
        uint uint16 uint32 uint64 uint8 uintc uintp ulong ulonglong unsignedinteger ushort void
    """,
    "an error": "linalg.LinAlgError",
    "a module": """
        char core ctypeslib dtypes emath exceptions f2py fft lib linalg ma matlib polynomial random rec strings testing
        typing
    """,
}
"""Names that have nothing to do with derivatives, by the reason; without the ``np.`` in front."""


def reason(name: str) -> str:
    """Why a name has nothing to do with derivatives; empty if it has."""
    return next((why for why, names in NOT_OF_TENSORS.items() if name in names.split()), "")


def names() -> dict[str, Any]:
    """Every public name of the installed NumPy, without the ``np.`` in front, with its value."""
    return {
        f"{home}.{name}".removeprefix("np."): getattr(module, name)
        for home, module in HOMES.items()
        for name in sorted(dir(module), key=str.lower)
        if not name.startswith("_")
    }


def kind(name: str, value: Any) -> str:
    """What tensors can do with a name of NumPy's.

    >>> [kind(name, getattr(np, name)) for name in ("tanh", "argmax", "loadtxt")]
    ['differentiable', 'constant', 'not applicable']
    """
    if not _has_row(value):
        return NOT_APPLICABLE if reason(name) else MISSING
    row = getattr(inspect.unwrap(NUMPY[value]), "op", None)
    constant = value in CONSTANT or getattr(row, "kind", "") == "constant"
    return NO_DERIVATIVE if constant else DIFFERENTIABLE


def _has_row(value: Any) -> bool:
    try:
        return value in NUMPY
    except TypeError:  # not every value can be looked up
        return False


def markdown() -> str:
    """Return the tables: how many names are of each kind, and which.

    >>> text = markdown()
    >>> [name for name in names() if f"`{name.rpartition('.')[2]}`" not in text]
    []
    """
    found: dict[tuple[str, str], list[str]] = {}
    for name, value in names().items():
        home, _, last = f"np.{name}".rpartition(".")
        found.setdefault((home, kind(name, value)), []).append(last)
    kinds = (DIFFERENTIABLE, NO_DERIVATIVE, NOT_APPLICABLE, MISSING)
    counts = [(code(h), *(str(len(found.get((h, k), ()))) for k in kinds)) for h in HOMES]
    sections = [table(("from", *kinds), counts)]
    for k in (DIFFERENTIABLE, NO_DERIVATIVE, MISSING):
        lines = [(code(h), ", ".join(map(code, found[h, k]))) for h in HOMES if (h, k) in found]
        if lines:
            sections.append(f"### {k.capitalize()}\n\n" + table(("from", "names"), lines))
    there = {name for name, value in names().items() if kind(name, value) == NOT_APPLICABLE}
    reasons = [(why, [n for n in text.split() if n in there]) for why, text in NOT_OF_TENSORS.items()]
    lines = [(why, ", ".join(code(n.rpartition(".")[2]) for n in listed)) for why, listed in reasons if listed]
    return "\n".join([*sections, f"### {NOT_APPLICABLE.capitalize()}\n\n" + table(("why", "names"), lines)])


if __name__ == "__main__":
    print(markdown())
