"""The adaptive softmax: classes that are rare share clusters, whose logits are computed in fewer dimensions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from .. import ops
from .._errors import ShapeError
from ..core import Tensor, wrap
from ._containers import ModuleList, Sequential
from ._layers import Linear
from ._module import Module

__all__ = ["AdaptiveLogSoftmaxWithLoss"]


class _Result(NamedTuple):
    output: Tensor
    loss: Tensor


class AdaptiveLogSoftmaxWithLoss(Module):
    """Log-probabilities of many classes, numbered from the most frequent (Grave et al., 2017), and their loss.

    Parameters
    ----------
    in_features, n_classes : int
        Length of an input, and number of classes.
    cutoffs : sequence of int
        The first class of each cluster of rare ones, in order.
    div_value : float
        By how much each cluster has fewer dimensions than the one before it.
    head_bias : bool
        Whether the logits of the frequent classes and the clusters have a bias.

    Examples
    --------
    >>> import symgrad as sg
    >>> layer = sg.nn.AdaptiveLogSoftmaxWithLoss(8, 10, cutoffs=[2, 5], div_value=2.0)
    >>> layer.log_prob(sg.ones(3, 8)).shape == (3, 10)
    True
    >>> layer(sg.ones(3, 8), sg.tensor([0, 4, 9])).output.shape == (3,)
    True
    """

    def __init__(
        self,
        in_features: int,
        n_classes: int,
        cutoffs: Sequence[int],
        div_value: float = 4.0,
        head_bias: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        given = [int(c) for c in cutoffs]
        if not given:
            raise ValueError("cutoffs should be a sequence of length larger than 0")
        if any(a >= b for a, b in pairwise([0, *given, n_classes])):
            raise ValueError(
                "cutoffs should be a sequence of unique, positive integers sorted in an increasing order, where each "
                f"value is between 1 and n_classes-1\nThey are {given}, and n_classes is {n_classes}."
            )
        self.in_features, self.n_classes, self.div_value, self.head_bias = in_features, n_classes, div_value, head_bias
        self.cutoffs = [*given, n_classes]
        self.shortlist_size, self.n_clusters = given[0], len(given)
        self.head_size = self.shortlist_size + self.n_clusters
        make = {"device": device, "dtype": dtype}
        self.head = Linear(in_features, self.head_size, head_bias, **make)
        self.tail = ModuleList()
        for i, (first, end) in enumerate(pairwise(self.cutoffs)):
            width = int(in_features // div_value ** (i + 1))
            down, up = Linear(in_features, width, False, **make), Linear(width, end - first, False, **make)
            self.tail.append(Sequential(down, up))

    def reset_parameters(self) -> None:
        """Draw new random parameters."""
        for module in self.modules():
            if isinstance(module, Linear):
                module.reset_parameters()

    def forward(self, input_: Tensor, target_: Tensor) -> _Result:
        """Return the log-probability of each target class, and minus their mean."""
        input_, target_ = map(ops.as_tensor, (input_, target_))
        single = input_.ndim == 1
        rows, classes = (input_.unsqueeze(0), target_.unsqueeze(0)) if single else (input_, target_)
        if rows.shape[0] != classes.shape[0]:
            raise ShapeError("Input and target should have the same size in the batch dimension.")
        numbers = classes.detach().numpy()
        if numbers.size and not 0 <= numbers.min() <= numbers.max() < self.n_classes:
            raise ShapeError(
                f"Target values should be in [0, {self.n_classes - 1}], but values in range "
                f"[{numbers.min()}, {numbers.max()}] were found. "
            )
        which = np.searchsorted(self.cutoffs, numbers, side="right")  # 0: a frequent class
        head = ops.log_softmax(self.head(rows), 1)
        places = np.where(which > 0, self.shortlist_size + which - 1, numbers)
        output = head.gather(1, wrap(places[:, None])).squeeze(1)
        for i in range(self.n_clusters):
            members = np.flatnonzero(which == i + 1)
            if members.size:
                inside = ops.log_softmax(self.tail[i](rows.index_select(0, wrap(members))), 1)
                chosen = inside.gather(1, wrap((numbers[members] - self.cutoffs[i])[:, None])).squeeze(1)
                output = output.index_add(0, wrap(members), chosen)
        return _Result(output[0] if single else output, -output.mean())

    def _clusters(self, input: Tensor) -> Iterator[Tensor]:
        head = ops.log_softmax(self.head(input), 1)
        yield head[:, : self.shortlist_size]
        for i, tail in enumerate(self.tail):
            yield ops.log_softmax(tail(input), 1) + head[:, self.shortlist_size + i].unsqueeze(1)

    def log_prob(self, input: Tensor) -> Tensor:
        """Return the log-probabilities of all classes, (rows, classes)."""
        return ops.cat(list(self._clusters(input)), 1)

    def predict(self, input: Tensor) -> Tensor:
        """Return the most probable class of each row."""
        return self.log_prob(input).argmax(1)
