"""``save`` and ``load``: pickles of leaves and of anything around them."""

from __future__ import annotations

import math
import pickle
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from ._errors import LoadError


def save(obj: Any, f: Any) -> None:
    """Write an object (tensors, state dictionaries, …) to a path or an open binary file, as a pickle.

    Examples
    --------
    >>> import io, symgrad as sg
    >>> file = io.BytesIO()
    >>> sg.save({"w": sg.ones(2)}, file)
    >>> _ = file.seek(0)
    >>> sg.load(file)
    {'w': tensor([1., 1.])}
    """
    if hasattr(f, "write"):
        pickle.dump(obj, f)
    else:
        content = pickle.dumps(obj)  # first: a file is not opened for what cannot be pickled
        with open(f, "wb") as file:
            file.write(content)


_WEIGHTS = {
    **dict.fromkeys(
        ("builtins", "__builtin__"),
        "set frozenset bytearray complex slice range list dict tuple int float str bytes bool xrange",
    ),  # in old protocols by old names
    "collections": "OrderedDict defaultdict deque Counter",
    "_codecs": "encode",  # bytes, in the oldest protocols
    "numpy": "ndarray dtype",
    **dict.fromkeys(("numpy._core.multiarray", "numpy.core.multiarray"), "_reconstruct scalar"),
    **dict.fromkeys(("numpy._core.numeric", "numpy.core.numeric"), "_frombuffer"),
    "symgrad": "dtype Size device",
    "symgrad._tensor._history": "_rebuild",
}
"""What a file of weights may name, by module: what makes tensors, arrays, numbers and containers, and no more."""

_STANDING_IN = {"ndarray": "numpy.ndarray", "_reconstruct": lambda kind, shape, code: np.ndarray(0, np.int8)}
"""NumPy's own would make an array of memory as it is told; here it is empty until its state has been looked at."""


class _OfWeights(pickle._Unpickler):
    """Reads tensors, arrays, numbers and containers, and refuses every other name that a file asks for.

    So it does every state of what is not one of these, and one of an array by which NumPy would read memory that is
    none of the array's: bytes for objects, entries or fields beyond its end.
    """

    dispatch: ClassVar[dict[int, Callable[[Any], None]]] = dict(pickle._Unpickler.dispatch)

    def find_class(self, module: str, name: str) -> Any:
        if name in _WEIGHTS.get(module, "").split():
            return _STANDING_IN.get(name) or super().find_class(module, name)
        if module == "symgrad.return_types" and name.isidentifier():
            found = super().find_class(module, name)
            if isinstance(found, type) and issubclass(found, tuple):
                return found
        raise LoadError(
            f"the file asks for {module}.{name}, which is no tensor, container or number", "A pickle can run any code.",
            "If you trust whoever wrote it: sg.load(file, weights_only=False).",
        )  # fmt: skip

    def load_build(self) -> None:
        made, state = self.stack[-2:]  # type: ignore[attr-defined]
        allowed = _STATES.get(type(made)) or (isinstance(made, np.dtype) and _state_of_a_dtype)
        if not allowed or not allowed(made, state):
            raise LoadError(
                f"the file has a state for {made!r:.80}, which is no state of an array or a dictionary",
                "A pickle can change what a program is made of.",
                "If you trust whoever wrote it: sg.load(file, weights_only=False).",
            )
        super().load_build()  # type: ignore[misc]

    dispatch[pickle.BUILD[0]] = load_build


def _state_of_an_array(made: np.ndarray, state: Any) -> bool:
    _, shape, dtype, _, content = state
    whole = not isinstance(content, list) or len(content) == math.prod(shape)
    return made.size == 0 and isinstance(dtype, np.dtype) and whole  # what has entries may be in use


def _state_of_a_dtype(made: np.dtype, state: Any) -> bool:
    """Whether a state keeps the size of the entries and makes no objects of them."""
    if made.hasobject:
        return state == made.__reduce__()[2]
    _, _, inner, _, fields, size, alignment, flags = state[:8]
    parts = [] if inner is None else [(inner[0], 0, math.prod(inner[1]))]
    parts += [] if fields is None else [(part[0], part[1], 1) for part in fields.values()]
    return (
        size in (-1, made.itemsize)
        and alignment in (-1, 1, 2, 4, 8, 16)
        and not flags & _OBJECTS
        and (made.kind == "V" or not parts)
        and all(
            not d.hasobject and at >= 0 and times >= 0 and at + times * d.itemsize <= made.itemsize
            for d, at, times in parts
        )
    )


_OBJECTS = 7
"""The flags of a dtype whose entries are pointers."""

_STATES: dict[type, Callable[[Any, Any], bool]] = {
    np.ndarray: _state_of_an_array,
    OrderedDict: lambda made, state: isinstance(state, dict),
}
"""Whether what a file says of a value that it made is a state that such a value has, by type."""


def load(f: Any, map_location: Any = None, *, weights_only: bool | None = None) -> Any:
    """Read what `save` wrote: tensors, arrays, numbers, containers, state dictionaries.

    Parameters
    ----------
    f : a path, or a file that was opened to be read
    map_location : PyTorch's; everything is on the CPU, and a file is read whole
    weights_only : False reads any pickle (a whole module, say). That can run code: do so only with files that you trust

    Raises
    ------
    LoadError : the file is damaged, was not written by `save`, or asks for more than weights
    """
    if not hasattr(f, "read"):
        with open(f, "rb") as file:
            return load(file, map_location, weights_only=weights_only)
    unpickler = pickle.Unpickler if weights_only is False else _OfWeights
    # where any class may be read its errors are its own
    damage = (pickle.UnpicklingError, EOFError, UnicodeDecodeError) if weights_only is False else (Exception,)
    try:
        return unpickler(f).load()
    except LoadError:
        raise
    except damage as error:
        raise LoadError(
            "this is no file that sg.save has written, or it is damaged", f"{type(error).__name__}: {error}",
            "Of a file of PyTorch's take the arrays there: sg.save({k: v.numpy() for k, v in state.items()}, file).",
        ) from error  # fmt: skip
