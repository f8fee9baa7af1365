"""``save`` and ``load``: pickles of leaves and of anything around them."""

from __future__ import annotations

import pickle
from typing import Any

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


class _OfWeights(pickle.Unpickler):
    """Reads tensors, arrays, numbers and containers, and refuses every other name that a file asks for."""

    def find_class(self, module: str, name: str) -> Any:
        if name in _WEIGHTS.get(module, "").split():
            return super().find_class(module, name)
        if module == "symgrad.return_types" and name.isidentifier():
            found = super().find_class(module, name)
            if isinstance(found, type) and issubclass(found, tuple):
                return found
        raise LoadError(
            f"the file asks for {module}.{name}, which is no tensor, container or number", "A pickle can run any code.",
            "If you trust whoever wrote it: sg.load(file, weights_only=False).",
        )  # fmt: skip


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
