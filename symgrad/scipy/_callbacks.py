"""A user's function for SciPy's solvers: what it is differentiated in becomes an argument.

The idea to hold: solvers call a function thousands of times with plain numbers; derivatives come of other integrals, of
the function's own derivatives. Both need the tensors that it was given in ``args`` or remembers from where it was
written, in their places: they are found, and replaced by what a call passes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.sparse import issparse

from .._array import ARRAYS
from .._array._protocols import _numbers, carried, is_known, unpacked
from .._errors import GradientError, refusal, require_not_refused
from ..autograd import grad as _grad
from ..core import Symbol, Tensor, edge, modes, wrap
from ..transforms._caught import DIFFERENTIATED, Found, is_differentiated, replaced
from ..transforms._derivative import jacobian as _jacobian
from ..transforms._variables import raise_cause
from ._mirrored import refused


def _number(value: Any) -> Any:
    """Numbers as NumPy's functions give them."""
    return value if value.ndim else value[()]


def _itself(value: Any) -> Any:
    return value


def _other(leaf: Any, known: Any, shown: Any) -> bool:
    """Whether a leaf is not the one that was shown, or was written to where the function saw it."""
    return leaf is not known or (type(shown) in ARRAYS and unpacked(shown) is not leaf)


def _is_settled(value: Any) -> bool:
    """Whether a value is nothing but its numbers, or a view of such."""
    if isinstance(value, (list, tuple)):
        return all(map(_is_settled, value))
    return is_known(value) or (type(value) is Tensor and not value.requires_grad)


def _full(what: str) -> str:
    return what if what.startswith("sg.") else f"symgrad.scipy.{what}"


class Callback:
    """A function of the user's, of variables that a solver passes and of leaves: all it is differentiated in.

    ``leaves`` are tensors. ``of_numbers(variables, leaves)`` gives numbers; ``of_tensors`` records.
    """

    def __init__(self, what: str, function: Callable[..., Any], args: Any, others: tuple[Any, ...]) -> None:
        self._what, self._function = what, function
        self._args = args if isinstance(args, tuple) else (args,)
        self._found = Found()
        self._found.search(self._function)
        self._found.search(self._args)
        known = [v for v in (*self._found.values, *others) if isinstance(v, DIFFERENTIATED)]
        self.of_arrays = any(type(v) in ARRAYS for v in known)
        self.leaves = [unpacked(v) for v in self._found.values]
        self._for: tuple[Any, ...] = ()
        self._shown: tuple[Any, ...] = ()
        self._seen: Any = None
        self._made = self._function, self._args
        if any(isinstance(v, Symbol) for v in (*self.leaves, *map(unpacked, others))):
            raise refused(what + " of a symbol", "A solver computes with numbers.", "Call it on numbers.")
        self.is_differentiated = bool(self.leaves) or any(map(is_differentiated, others))

    def _filled(self, leaves: tuple[Any, ...], seen: Callable[[Any], Any]) -> tuple[Any, Any]:
        """The function and its arguments with leaves in their places; those of the last call, if they are the same."""
        if seen is _number and self._seen is seen and leaves is self._for:  # a solver's next call
            return self._made
        if self._seen is not seen or len(leaves) != len(self._for) or any(map(_other, leaves, self._for, self._shown)):
            made: dict[int, Any] = {}
            shown = tuple(map(seen, leaves))
            self._made = (
                replaced(self._function, self._found, shown, made), replaced(self._args, self._found, shown, made)
            )  # fmt: skip
            self._for, self._shown, self._seen = leaves, shown, seen
        return self._made

    def _call(
        self, variables: tuple[Any, ...], leaves: tuple[Any, ...], seen: Callable[[Any], Any], own: Any = frozenset()
    ) -> Any:
        """The function's result; ``own`` are the edges of what it is called at."""
        # Single numbers that the function around this call collects are not these: they would be one node with them.
        running = modes.running.get()
        token = modes.running.set(running if running is None else running[:4])
        own = own - modes.under_way
        modes.under_way.update(own)  # so that the function cannot take their numbers without a word
        refused = refusal.get()
        try:
            function, args = self._filled(leaves, seen)
            found = unpacked(function(*variables, *args))
            require_not_refused(refused)
            return found
        except (ValueError, TypeError, AttributeError, SystemError) as error:
            raise_cause(error, refused)
            raise
        finally:
            modes.under_way.difference_update(own)
            modes.running.reset(token)

    def args_of_numbers(self, leaves: tuple[Any, ...]) -> tuple[Any, ...]:
        """The arguments with numbers in the places of what is differentiated."""
        return tuple(replaced(self._args, self._found, tuple(map(_number, leaves)), {}))

    def of_numbers(self, variables: tuple[Any, ...], leaves: tuple[Any, ...]) -> Any:
        """The function's numbers at numbers; an error where it is differentiated in something that was not found."""
        if not self.of_arrays:
            variables = tuple(wrap(np.asarray(v)) if isinstance(v, np.ndarray) else v for v in variables)
        token = modes.mode.set(modes.on_value())  # so that a tensor which was not found is seen in the result
        try:
            found = self._call(variables, leaves, _number if self.of_arrays else wrap)
        finally:
            modes.mode.reset(token)
        if type(found) is np.ndarray and found.dtype.kind == "f":
            return found
        if not _is_settled(found):
            raise GradientError(
                f"{_full(self._what)}: the function depends on a tensor that is neither among args nor a "
                "variable it sees",
                "It is in an attribute, say: no derivative in it would be found.", "Pass the tensor in args.",
            )  # fmt: skip
        return found if issparse(found) else np.asarray(_numbers(found))  # a Jacobian may be sparse

    def of_tensors(self, variables: tuple[Any, ...], leaves: tuple[Any, ...]) -> Any:
        """The function's tensor at tensors (numbers stay numbers)."""
        if self.of_arrays:
            variables = tuple(map(carried, variables))
        given = (unpacked(v) for v in (*variables, *leaves))
        own = {edge(v) for v in given if isinstance(v, Tensor) and v.requires_grad}
        found = self._call(variables, leaves, carried if self.of_arrays else _itself, own)
        if isinstance(found, (list, tuple)):
            found = np.stack([unpacked(v) for v in found])
        return found if isinstance(found, Tensor) else wrap(np.asarray(found))


def tracked(leaves: Any) -> list[Any]:
    """The same tensors as nodes of their own: a derivative in one is partial, whatever else depends on the original."""
    return [v.clone() if v.requires_grad else v.detach().requires_grad_() for v in leaves]


def pulled(y: Any, g: Any, leaves: list[Any], recorded: bool = True) -> Any:
    """The gradient of ``(g * y).sum()`` in the leaves, as one vector."""
    if not y.requires_grad or not leaves:
        return wrap(np.zeros(sum(v.numel() for v in leaves)))
    found = _grad((y * g).sum(), leaves, create_graph=recorded, allow_unused=True)
    parts = [(v * 0.0 if d is None else d).reshape((-1,)) for v, d in zip(leaves, found, strict=True)]
    return np.concatenate(parts) if len(parts) > 1 else parts[0]


def shaped(flat: Any, leaves: list[Any]) -> list[Any]:
    """The parts of a vector in the leaves' shapes."""
    found, at = [], 0
    for v in leaves:
        found.append(flat[at : at + v.numel()].reshape(tuple(v.shape)))
        at += v.numel()
    return found


def jacobian_at(function: Callable[[Any], Any], x: Any) -> np.ndarray:
    """The Jacobian (m, n) of a function of a tensor, at numbers: what nobody differentiates again is cheaper so."""
    numbers = np.asarray(x, np.float64)
    found = _jacobian(lambda x: carried(function(unpacked(x))))(numbers)
    return np.asarray(found).reshape((-1, numbers.size))


def rows(y: Any, leaves: list[Any]) -> Any:
    """The Jacobian (n, …) of a vector in leaves, which are laid behind each other."""
    n = int(y.shape[0])
    if not y.requires_grad:
        return wrap(np.zeros((n, sum(v.numel() for v in leaves))))
    found = _grad(y, leaves, wrap(np.eye(n)), create_graph=True, allow_unused=True, is_grads_batched=True)
    return np.concatenate(
        [
            wrap(np.zeros((n, v.numel()))) if d is None else d.reshape((n, -1))
            for v, d in zip(leaves, found, strict=True)
        ],
        -1,
    )
