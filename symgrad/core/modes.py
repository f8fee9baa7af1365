"""Grad mode and its companions: one context variable each, so per thread and per task."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from types import CodeType
from typing import Any, NamedTuple, ParamSpec, TypeVar

from .. import _errors

_P = ParamSpec("_P")
_R = TypeVar("_R")

OFF, ON, WATCH, INFERENCE = 0, 1, 2, -1
"""Grad mode: off, on, on with something watching each recorded node, off for good."""

mode: ContextVar[int] = ContextVar("symgrad_grad_mode", default=ON)


class Anomaly(NamedTuple):
    """What anomaly mode looks for: NaN in gradients; infinities too; in recorded values too."""

    check_nan: bool = True
    inf: bool = False
    forward: bool = False


anomaly: ContextVar[Anomaly | None] = ContextVar("symgrad_anomaly", default=None)
blame: Callable[..., Exception]
"""Says whose a NaN is (see core/graph.py); symgrad's own module puts here what knows formulas."""


draw: Callable[..., Any]
"""Draws a matrix (``H.plot()``); symgrad's own module puts here what knows matplotlib."""


sparse: Callable[..., Any]
"""Computes with a sparse array; symgrad's own module puts here what knows them."""


moves_with: Callable[..., bool]
"""Whether a tensor, where a mask says so, moves with others; `sweep/directions.py` puts here what finds out."""


moves_apart: Callable[..., bool]
"""Whether entries of a vector move apart, in the pairs that a mask shows, with what outputs were computed from."""


decided: ContextVar[bool] = ContextVar("symgrad_decided", default=False)
"""Whether rules may take 0 / 0 as 0: it was found out that nobody asks for the quotient (sweep/bookkeeping.py)."""


saved_hooks: ContextVar[tuple[Any, ...]] = ContextVar("symgrad_saved_tensors_hooks", default=())


keeper: ContextVar[Any] = ContextVar("symgrad_keeper", default=None)
"""Who copies saved values before their memory is written to: a block of `allow_mutation_on_saved_tensors`."""


dual_level: ContextVar[Any] = ContextVar("symgrad_dual_level", default=None)
"""The level of forward-mode derivatives in which dual tensors move (see core/dual.py), None outside all."""


class Numerals:
    """How numbers become numbers of formulas, while a claim is proved.

    ``exactly``: floats are the decimals that they are written as, and no digit is lost when they are added; otherwise
    they are computed with. ``seen`` are those that were met, ``rounded`` says which numbers of a text are none of those
    that are computed with: 1 + 1e-17, or 0.3333333333333333, which is 1/3 there. ``long`` are decimals of a text of as
    many digits as a double has, which may be those of a constant; they are computed with so many ``times``.
    """

    def __init__(self, exactly: bool, times: float = 1.0) -> None:
        self.exactly, self.times = exactly, times
        self.long: list[str] = []
        self.seen: list[Any] = []
        self.rounded: list[str] = []


numerals: ContextVar[Numerals | None] = ContextVar("symgrad_numerals", default=None)
"""While a claim is proved: how numbers are read."""


tracing: ContextVar[list[tuple[Any, bool]] | None] = ContextVar("symgrad_tracing", default=None)
"""While a function runs for its formula: the tensors that Python branched on, and how; constants remember all then."""


class Decisions(list[tuple[Any, bool]]):
    """What `tracing` has while a function runs for a program: what a dtype hangs on is decided too, and that an
    operation raised at its values, which is None; with ``of_symbols`` what Python branches on may be a symbol, which
    has its value at the point."""

    def __init__(self, of_symbols: bool) -> None:
        super().__init__()
        self.of_symbols = of_symbols


elsewhere: ContextVar[Callable[[Any], Any] | None] = ContextVar("symgrad_elsewhere", default=None)
"""While something of symbols is computed again at other sizes: what gives a symbol, or a named size, as it is there."""


class Running(NamedTuple):
    """A transform that is running its function."""

    on_arrays: bool  # whether it (or one around it) was given NumPy arrays and no tensors
    variables: Any = ()  # what it made of its arguments
    around: Running | None = None  # the transform around it
    written: dict[int, Any] | None = None  # takes the tensors to which the function writes, by identity, weakly
    recorder: Any = None  # of single numbers, whose operations are steps of a list
    tables: list[Any] | None = None  # takes pandas' tables of which its function reads the arrays
    makers: set[CodeType] | None = None  # takes the code that makes arrays of objects in it


running: ContextVar[Running | None] = ContextVar("symgrad_running", default=None)
"""The transform that is running its function here, None outside of all."""


def among_arrays() -> bool:
    """Whether a function of arrays is running that a transform runs."""
    now = running.get()
    return now is not None and now.on_arrays


_errors.among_arrays = among_arrays


def note_table(table: Any) -> None:
    """Tell the transform that is running its function that one of pandas' tables is an array there."""
    now = running.get()
    if now is not None and now.tables is not None:
        now.tables.append(table)


under_way: set[Any] = set()
"""The edges of the variables of all transforms that run their functions just now, in whatever thread."""


def grad_enabled() -> bool:
    """Whether operations record."""
    return mode.get() > 0


@contextmanager
def setting(variable: ContextVar[Any], value: Any) -> Iterator[None]:
    """Inside, a context variable has a value."""
    token = variable.set(value)
    try:
        yield
    finally:
        variable.reset(token)


def recorded(fn: Callable[_P, _R]) -> Callable[_P, _R]:
    """The function with recording on inside, whatever the mode around it: what it finds out is for every mode."""

    @functools.wraps(fn)
    def inside(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        token = mode.set(ON)
        try:
            return fn(*args, **kwargs)
        finally:
            mode.reset(token)

    return inside


def on_value() -> int:
    """The value of 'on' here: WATCH while anomaly mode, saved-tensor hooks or a keeper are active."""
    return WATCH if anomaly.get() is not None or saved_hooks.get() or keeper.get() is not None else ON
