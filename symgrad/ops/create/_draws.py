"""Draws from distributions with parameters: Poisson's, the binomial, the gamma distribution."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._errors import DTypeError, NotDifferentiableError, ShapeError
from ...core import TABLE, Tensor, elementwise, modes
from .._dims import array
from .._public import public
from ._create import make
from ._random import Generator, numpy_generator

poisson_row = elementwise(
    "poisson", lambda x, noise: np.array(np.broadcast_to(noise, x.shape), x.dtype), 0, sample=(0.5,), domain="positive",
    doc="draws from Poisson distributions of means x (no gradient flows)",
)  # fmt: skip


@public(method=False)
def poisson(input: Any, generator: Generator | None = None) -> Any:
    """Return draws from Poisson's distributions of means ``input``; the gradient is zero."""
    means = array(input)
    if (means < 0).any():
        raise ShapeError("invalid Poisson rate, expected rate to be non-negative", f"The least is {means.min()}.", "")
    return poisson_row(input, numpy_generator(generator).poisson(means))


@public(method=False)
def binomial(count: Any, prob: Any, generator: Generator | None = None) -> Any:
    """Return how many of ``count`` trials succeed, each with probability ``prob``: drawn, from ``generator``.

    Of what requires a gradient it is refused where operations record: a number of successes has no derivative.
    """
    trials, chances = array(count), array(prob)
    for name, values in (("count", trials), ("prob", chances)):
        if values.dtype.kind != "f":
            what = f"binomial only supports floating-point dtypes for {name}, got: {values.dtype}"
            raise DTypeError(what, "", "Cast it: x.double().")
    if modes.grad_enabled() and any(isinstance(t, Tensor) and t._node is not None for t in (count, prob)):
        raise NotDifferentiableError(
            "the derivative of 'binomial' is not implemented", "Its draws are whole numbers.",
            "Draw under sg.no_grad(), or from detach() of what requires a gradient.",
        )  # fmt: skip
    if not ((chances >= 0) & (chances <= 1)).all() or not np.isfinite(trials).all():
        raise ShapeError(
            "binomial expects finite counts, and probabilities between 0 and 1", f"Got {chances}.", "Use sigmoid."
        )
    draws = numpy_generator(generator).binomial(np.maximum(trials, 0).astype(np.int64), chances)
    return make(np.asarray(draws, trials.dtype))


@public(method=False)
def _standard_gamma(alpha: Any, generator: Generator | None = None) -> Any:
    """Return draws from gamma distributions of the shapes ``alpha`` and scale 1.

    They are differentiable: quantiles at levels that are drawn, whose derivative in the shape is that of the quantile.
    """
    shapes = array(alpha)
    if shapes.dtype.kind != "f":
        raise DTypeError(f"_standard_gamma is not implemented for {shapes.dtype}", "", "Cast it: x.double().")
    if not (shapes > 0).all():
        raise ShapeError("a gamma distribution has a positive shape", f"The least is {shapes.min()}.", "Use softplus.")
    level = numpy_generator(generator).random(shapes.shape)
    least = TABLE["igamma"].forward(shapes, np.finfo(shapes.dtype).tiny)  # below it a draw is 0, without a derivative
    return TABLE["gammaincinv"].apply(alpha, np.maximum(level, least).astype(shapes.dtype))
