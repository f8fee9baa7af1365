"""``save`` and ``load``: pickles of leaves and of anything around them."""

from __future__ import annotations

import pickle
from typing import Any


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


def load(f: Any, map_location: Any = None, *, weights_only: bool | None = None) -> Any:
    """Read what `save` wrote. A pickle can run code: load only files you trust.

    Parameters
    ----------
    f : a path, or a file that was opened to be read
    map_location, weights_only : PyTorch's; everything is on the CPU, and a file is read whole
    """
    if hasattr(f, "read"):
        return pickle.load(f)
    with open(f, "rb") as file:
        return pickle.load(file)
