"""The dtypes by PyTorch's names, ``sg.float32 == x.dtype == np.float32``; sizes, and the one device."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from ._config import complex_of, default_dtype, real_of, spoken_name
from ._errors import DeviceError, DTypeError, RangeError

if TYPE_CHECKING:  # stubs say it: nothing asks for it at run time
    from typing import Protocol

    class HasArray(Protocol):
        """A tensor, an array, a column of a table: what NumPy can take for an array without counting its entries."""

        def __array__(self, *args: Any, **options: Any) -> Any: ...

    Operand = HasArray | complex
    """What an operation takes: a tensor, an array or a number. A list is none: `symgrad.tensor` makes one of it."""

# ------------------------------------------- Sizes and devices as PyTorch's scripts expect them: a tuple, and the CPU


class Size(tuple[int, ...]):
    """A shape: a tuple of ints that prints as ``symgrad.Size([2, 3])``."""

    __slots__ = ()

    def numel(self) -> int:
        """Return the number of elements."""
        return math.prod(self)

    def __repr__(self) -> str:
        return f"{spoken_name()}.Size([{', '.join(map(str, self))}])"

    def __getitem__(self, index: Any) -> Any:
        value = super().__getitem__(index)
        return Size(value) if isinstance(index, slice) else value

    def __add__(self, other: Any) -> Size:
        return Size(tuple(self) + tuple(other))


class Device:
    """The CPU; any other device raises."""

    __slots__ = ("index", "type")

    def __init__(self, type: Any = "cpu", index: int | None = None) -> None:
        text = str(type)
        name, _, number = text.partition(":")
        if name != "cpu":
            raise DeviceError(
                f"symgrad runs on the CPU: there is no device {text!r}" + (" (CUDA)." if "cuda" in text else "."),
                "NumPy holds the numbers.",
                "Leave out device=, or export the derivative as code for PyTorch or JAX to run it there.",
            )
        self.type: str = "cpu"
        self.index: int | None = int(number) if number else index

    def __enter__(self) -> Device:
        return self

    def __exit__(self, *error: object) -> None:
        pass

    def __repr__(self) -> str:
        return "device(type='cpu')"

    def __str__(self) -> str:
        return "cpu"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Device) or other == "cpu"

    def __hash__(self) -> int:
        return hash("cpu")

    def __reduce__(self) -> Any:
        return Device, (self.type, self.index)


def as_device(device: Any) -> Device:
    """The CPU, whatever way it is said; another device raises DeviceError."""
    return device if isinstance(device, Device) else Device(device)


# -------------------------------- The dtypes by PyTorch's names: ``sg.float32 == x.dtype == np.float32 == "float32"``

# The idea to hold: a `dtype` stands for one of NumPy's, prints as itself and answers PyTorch's questions. NumPy takes
# it wherever it takes a dtype, since it has a ``.dtype``. Inside symgrad arrays are asked for NumPy's own (`as_dtype`
# gives it); only what a tensor is asked for is this one.


class dtype:
    """The dtype of a tensor: there is one object per dtype, and NumPy takes it for its own.

    Parameters
    ----------
    x : a dtype, a NumPy scalar type, a name, or one of Python's types

    Examples
    --------
    >>> import numpy as np
    >>> import symgrad as sg
    >>> x = sg.ones(2)
    >>> x.dtype
    symgrad.float64
    >>> x.dtype is sg.float64, x.dtype == np.float64, x.dtype.is_floating_point
    (True, True, True)
    >>> np.zeros(2, sg.float32)
    array([0., 0.], dtype=float32)
    """

    # It passes for a numpy.dtype (`isinstance` asks __class__), which is what everyone who asks means to know.
    __slots__ = ("dtype", "itemsize", "kind", "name", "type")
    dtype: np.dtype[Any]
    itemsize: int
    kind: str
    name: str
    type: Any

    def __new__(cls, x: Any) -> Any:
        own = as_dtype(x)
        if own not in ONLY:
            new = object.__new__(cls)
            new.dtype, new.itemsize, new.kind, new.name, new.type = own, own.itemsize, own.kind, own.name, own.type
            ONLY.setdefault(own, new)  # another thread may have been sooner
        return ONLY[own]

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        return np.dtype

    @property
    def is_floating_point(self) -> bool:
        """Whether it is a real float."""
        return self.kind == "f"

    @property
    def is_complex(self) -> bool:
        """Whether it is complex."""
        return self.kind == "c"

    @property
    def is_signed(self) -> bool:
        """Whether it has negative numbers."""
        return self.kind in "fci"

    def to_real(self) -> Any:
        """Return the dtype of the parts of a complex dtype; another dtype itself."""
        return dtype(real_of(self.dtype))

    def to_complex(self) -> Any:
        """Return the complex dtype whose parts are of this float dtype."""
        if self.kind not in "fc":
            raise DTypeError(f"to_complex: no complex dtype has parts in {self.name}", "", "Start from a float dtype.")
        return dtype(complex_of(self.dtype))

    def __getattr__(self, name: str) -> Any:
        return getattr(self.dtype, name)

    def __eq__(self, other: object) -> Any:
        return self is other or self.dtype == other

    def __hash__(self) -> int:
        return hash(self.dtype)

    def __repr__(self) -> str:
        return f"{spoken_name()}.{self.name}"

    def __reduce__(self) -> Any:
        return dtype, (self.name,)


ONLY: dict[np.dtype[Any], Any] = {}
"""NumPy's dtype → the one object that stands for it."""


def as_dtype(x: Any) -> np.dtype[Any]:
    """NumPy's dtype that ``x`` says: a dtype, a NumPy scalar type, a name, or one of Python's types.

    As in PyTorch and NumPy, Python's own ``float`` is float64, ``int`` int64, ``complex`` complex128.
    """
    if type(x) is dtype:
        return x.dtype
    if isinstance(x, str):
        name = x.rpartition(".")[2]
        if name in NAMES or name in TENSOR_TYPES:
            return np.dtype({**TENSOR_TYPES, **NAMES}[name])
    if type(getattr(x, "dtype", None)) is dtype:  # sg.FloatTensor
        return x.dtype.dtype
    try:
        own = None if x is None else np.dtype(x)
    except TypeError:
        own = None
    if own is not None and own.kind in "fciub":
        return own
    raise DTypeError(
        f"dtype must be a dtype, not {x!r}" if own is None else f"dtype {own} is not one of numbers or truth values",
        f"Known names: {', '.join(DTYPES)}.", "Pass one of them, sg.float64, or leave dtype= away.",
    )  # fmt: skip


def in_dtype(value: Any, own: np.dtype[Any], what: str) -> Any:
    """The Python number that an array of the dtype would hold, which must have room for it; anything else as it is."""
    if own.kind != "c" and np.iscomplexobj(value):
        if np.any(np.imag(value)):
            raise RangeError(
                f"{what}: the number {value!r} cannot be converted to {own} without overflow",
                "Its imaginary part would be lost.", "Take its real part, or a complex dtype.",
            )  # fmt: skip
        value = value.real
    if not isinstance(value, (int, float)) or (own.kind in "fc" and type(value) is not int):
        return value
    try:
        held = np.array(value, own)
        return value if own.kind in "fc" else held.item()
    except (OverflowError, ValueError):
        limits = f"It holds whole numbers from {iinfo(own).min} to {iinfo(own).max}." if own.kind in "iu" else ""
        raise RangeError(
            f"{what}: the number {value!r} cannot be converted to {own} without overflow", limits,
            "Take a wider dtype, or a number within the range.",
        ) from None  # fmt: skip


NAMES = {
    "float64": "float64", "double": "float64", "float32": "float32", "float": "float32",
    "float16": "float16", "half": "float16",
    "complex128": "complex128", "cdouble": "complex128", "complex64": "complex64", "cfloat": "complex64",
    "int64": "int64", "long": "int64", "int32": "int32", "int": "int32", "int16": "int16", "short": "int16",
    "int8": "int8", "uint8": "uint8", "uint16": "uint16", "uint32": "uint32", "uint64": "uint64", "bool": "bool",
}  # fmt: skip
"""PyTorch's name of a dtype → NumPy's; the *name* ``float`` is float32 and ``int`` is int32, as there."""

WORDS = {
    "float64": "Double", "float32": "Float", "float16": "Half",
    "complex128": "ComplexDouble", "complex64": "ComplexFloat",
    "int64": "Long", "int32": "Int", "int16": "Short", "int8": "Char", "uint8": "Byte", "bool": "Bool",
}  # fmt: skip
"""NumPy's name of a dtype → PyTorch's word for it in messages, and in the names of its types: ``LongTensor``."""

TENSOR_TYPES = {f"{word}Tensor": name for name, word in WORDS.items()}
TYPE_NAMES = [name for name in TENSOR_TYPES if "Complex" not in name]
"""PyTorch's types of tensors; those of complex ones are known as texts only."""

DTYPES: dict[str, dtype] = {name: dtype(np.dtype(numpy_name)) for name, numpy_name in NAMES.items()}


class finfo:
    """The limits of a float dtype (of its parts, for a complex one; of the default one, if none is given) as numbers.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.finfo(sg.float32).eps
    1.1920928955078125e-07
    """

    bits: int
    resolution: float
    min: float
    max: float
    eps: float
    tiny: float

    def __init__(self, type: Any = None) -> None:
        own = default_dtype() if type is None else real_of(as_dtype(type))
        if own.kind != "f":
            raise DTypeError(f"finfo() requires a floating point input type, got {own.name}", "", "Use iinfo.")
        limits = np.finfo(own)
        self.bits, self.dtype = int(limits.bits), own.name
        self.resolution, self.min, self.max = 10.0**-limits.precision, float(limits.min), float(limits.max)
        self.eps, self.tiny = float(limits.eps), float(limits.tiny)
        self.smallest_normal: float = self.tiny

    def __repr__(self) -> str:
        names = ("resolution", "min", "max", "eps", "smallest_normal", "tiny")
        return f"finfo({', '.join(f'{n}={getattr(self, n):g}' for n in names)}, dtype={self.dtype})"


class iinfo:
    """The limits of an integer dtype.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.iinfo(sg.int32).max
    2147483647
    """

    bits: int
    min: int
    max: int

    def __init__(self, type: Any) -> None:
        own = as_dtype(type)
        if own.kind not in "iu":
            raise DTypeError(f"iinfo() requires an integer input type, got {own.name}", "", "Use finfo for floats.")
        limits = np.iinfo(own)
        self.bits, self.dtype, self.min, self.max = limits.bits, own.name, limits.min, limits.max

    def __repr__(self) -> str:
        return f"iinfo(min={self.min}, max={self.max}, dtype={self.dtype})"
