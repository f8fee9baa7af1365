"""Derivatives of holomorphic functions: ``sg.grad(f, holomorphic=True)`` and its kind, complex numbers in and out.

The idea to hold: where f is holomorphic, the sweeps of real calculus know f′ already. A sweep backwards that begins
with 1 gives the conjugate of f′, a tangent of 1 pushed forwards gives f′. Whether f is holomorphic is seen by beginning
with i as well: the answer must be i times the first, which are the Cauchy-Riemann equations.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .._errors import DTypeError, GradientError
from ..core import Tensor, wrap
from ..ops._public import METHODS
from ._jacobian import columns, goes_forwards, rows
from ._run import Run
from ._variables import recording, zeros_for


class HolomorphicRun(Run):
    """A function of complex numbers, run, and its complex derivative."""

    number_may_be_complex = True

    def __init__(self, kind: str, call: Any, has_aux: bool = False) -> None:
        super().__init__(kind, call, has_aux)
        if not self.of_symbols:
            self._require_complex(self.inputs, "takes complex arguments", "Pass complex numbers, z + 0j.")
            step = "Return the complex number itself, or leave holomorphic out for a real function."
            self._require_complex(self.outputs, "differentiates functions that return complex numbers", step)

    def _require_complex(self, tensors: Sequence[Tensor], what: str, step: str) -> None:
        for t in tensors:
            if t._data.dtype.kind != "c":
                title = f"sg.{self.kind} with holomorphic=True {what}"
                raise DTypeError(title, f"One has dtype {t._data.dtype}.", step)

    def _grad(self) -> Any:
        return self.form(self._gradients(self.variables.concerns_outside([self.output])))

    def _hessian(self) -> Any:
        graph = self.variables.concerns_outside([self.output])
        return self.form([self.form(self._all_blocks([g], graph)[0]) for g in self._gradients(True)])

    def _gradients(self, graph: bool) -> list[Tensor]:
        """The derivatives of one number in the variables."""
        one = wrap(np.ones((), self.output._data.dtype))
        with recording():
            found = [_conj(g) for g in self.variables.pull([self.output], [one], graph, True)]
        self._check([self.output])
        return zeros_for(found, self.inputs)

    def _jacfwd(self) -> Any:
        return self._by_output(columns)

    def _all_blocks(
        self, outputs: list[Tensor], graph: bool, way: Callable[..., Any] | None = None
    ) -> list[list[Tensor]]:
        tensors = self.variables.tensors
        few = sum(x._data.size for x in tensors) < sum(o._data.size for o in outputs)
        way = way or (columns if few and not graph and goes_forwards(outputs) else rows)
        with recording():
            found = way(outputs, tensors, graph)
            if way is rows:
                found = [[_conj(block) for block in blocks] for blocks in found]
        self._check(outputs, way is columns)
        return [zeros_for(b, self.inputs, o._data.shape) for b, o in zip(found, outputs, strict=True)]

    def _check(self, outputs: Sequence[Tensor], forwards: bool = False) -> None:
        """Raise where a random combination of the derivatives is not complex linear."""
        rng = np.random.default_rng(0)
        along = self.variables.tensors if forwards else outputs
        seeds = [_random(t._data, rng) for t in along]
        by_one, by_i = (self._derivatives(outputs, [s * turn for s in seeds], forwards) for turn in (1, 1j))
        for one, turned in zip(by_one, by_i, strict=True):
            if one is None or turned is None:
                continue
            a, b = one._data * 1j, turned._data
            sizes = np.abs(a) + np.abs(b)
            rounding = float(np.finfo(a.dtype).eps) ** 0.5 * np.max(sizes, initial=0, where=np.isfinite(sizes))
            if (np.abs(a - b) > rounding)[np.isfinite(sizes)].any():
                raise _not_holomorphic(self.kind)

    def _derivatives(self, outputs: Sequence[Tensor], seeds: list[np.ndarray], forwards: bool) -> list[Any]:
        vectors = [wrap(s) for s in seeds]
        if not forwards:
            return self.variables.pull(list(outputs), vectors, False, True)
        from ._push import Pushforward

        return Pushforward(list(outputs), self.variables.tensors, self.inputs).along(vectors, False)


def _conj(t: Any) -> Any:
    return None if t is None else METHODS["conj"](t)


def _random(like: np.ndarray, rng: Any) -> np.ndarray:
    return np.asarray(rng.standard_normal(like.shape) + 1j * rng.standard_normal(like.shape), like.dtype)


def _not_holomorphic(kind: str) -> GradientError:
    return GradientError(
        f"sg.{kind} with holomorphic=True got a function that is not holomorphic at this point",
        "Its derivative along i is not i times that along 1 (the Cauchy-Riemann equations): there is no one complex "
        "number. conj, abs, real, imag and angle are such functions.",
        "sg.vjp and sg.jvp give its products with any vector; of a real number sg.grad gives the gradient.",
    )


__all__ = ["HolomorphicRun"]
