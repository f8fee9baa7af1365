"""Orders, made on the client: the function pickled, programs of it made once, and what they are known by.

The idea to hold: a function is known by its pickle, with all that it closes over and the globals that it reads. Where
one of these changes the programs are others; nothing that was seen earlier is used again.
"""

from __future__ import annotations

import hashlib
import sys
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from .. import _limits
from ..transforms._compiled_structure import mark
from ..transforms._tree import flatten
from ._cluster_errors import DistributedError, cause_of
from ._jobs import Job
from ._shipped import Shipped, block_sizes, blocks, shipped
from ._survey_of_rows import Sample
from ._worker_orders import Order

_PROGRAMS: OrderedDict[Any, tuple[list[int], dict[int, Shipped]]] = OrderedDict()


@contextmanager
def _by_value(f: Any) -> Iterator[None]:
    """Pickle a function with its code, wherever it is defined: a worker may have an older module, or none."""
    import cloudpickle

    module = sys.modules.get(getattr(f, "__module__", None) or "")
    if module is None or not hasattr(f, "__globals__"):
        yield
        return
    if (
        module.__name__.partition(".")[0] == "symgrad"
        or module.__name__ == "__main__"
        or module.__name__ in cloudpickle.list_registry_pickle_by_value()
    ):
        yield
        return
    cloudpickle.register_pickle_by_value(module)
    try:
        yield
    finally:
        cloudpickle.unregister_pickle_by_value(module)


def pickled(job: Any, f: Any, title: str) -> bytes:
    """A function as it travels.

    Raises
    ------
    DistributedError : it cannot be pickled
    """
    import cloudpickle

    try:
        with _by_value(f):
            return bytes(cloudpickle.dumps(job))
    except Exception as error:
        raise DistributedError(
            f"{title}: the function cannot be sent to workers", f"{cause_of(error)}.",
            "Let it close over arrays and numbers only: no open files, locks or connections.",
        ) from None  # fmt: skip


def order_of(
    title: str, job: Job, function: bytes, first: tuple[Any, ...], located: Any, sample: Sample, settings: Any,
    size: int, after: str,
) -> Order:  # fmt: skip
    """What to tell the workers, with programs for all lengths of chunks that there may be."""
    token = hashlib.sha256(function + settings.target.encode()).hexdigest()
    sizes: list[int] = []
    programs: dict[int, Shipped] = {}
    if settings.over == "rows":
        lengths = located.data[0].lengths if None not in located.data[0].lengths else None
        leaves, spec = flatten([v for kind, v in located.template if kind == "shared"])
        shared = [mark(leaf) for leaf in leaves], spec, [kind for kind, _ in located.template]
        first_marks = [(getattr(a, "shape", ()), str(getattr(a, "dtype", type(a)))) for a in flatten(first)[0]]
        key = token, settings.target, repr((shared, first_marks)), sample.kind, sample.row_bytes, tuple(lengths or ())
        known = _PROGRAMS.get(key)
        if known is None:
            known = _PROGRAMS[key] = _programs(job, first, located, sample, settings.target, lengths)
            while len(_PROGRAMS) > _limits.PLANS:
                _PROGRAMS.popitem(last=False)
        sizes, programs = known
    return Order(
        title, token, function, located.template, tuple([p.name for p in located.data]),
        tuple([p.whole for p in located.data]), settings.columns, sample.kind, sizes, programs, settings.target, size,
        after, located.weighted, located.grouped,
    )  # fmt: skip


def _programs(
    job: Job, first: tuple[Any, ...], located: Any, sample: Sample, target: str, lengths: list[int] | None
) -> tuple[list[int], dict[int, Shipped]]:
    """The sizes of blocks, and for NumPy a program for each; nothing where there is none."""
    sizes = block_sizes(sample.row_bytes)
    if target != "numpy":
        return sizes, {}
    needed = sizes
    if lengths is not None:
        needed = sorted({b - a for n in set(lengths) for a, b in blocks(n, sizes)}, reverse=True)
    programs: dict[int, Shipped] = {}
    for size in needed:
        made = shipped(job, [*first, *located.arguments(sample.repeated(size))])
        if made is None:
            return [], {}
        programs[size] = made
    return sizes, programs


__all__ = ["order_of", "pickled"]
