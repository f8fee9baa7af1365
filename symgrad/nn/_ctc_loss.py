"""Connectionist temporal classification: the loss of a sequence whose alignment is unknown.

The idea to hold: the probability of a target is a sum over all alignments, and obeys a recursion in time over the
target with blanks between its letters. The recursion runs in logarithms, for all examples of a batch at once.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import ops
from .._errors import ShapeError
from ..core import Tensor, wrap
from ._loss_functions import reduced

__all__ = ["ctc_loss"]

_NEVER = -1e30
"""The logarithm of what has no probability: finite, so that sums of two such things have a slope, 0."""


def ctc_loss(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: Any,
    target_lengths: Any,
    blank: int = 0,
    reduction: str = "mean",
    zero_infinity: bool = False,
) -> Tensor:
    """Compute the negative log-probability that a path reads, blanks and repetitions removed, as its target.

    Parameters
    ----------
    log_probs : Tensor, shape (time, batch, classes) or (time, classes)
        Log-probabilities.
    targets : Tensor of int, shape (batch, longest) or (sum of the lengths,)
        The letters, none of them `blank`.
    input_lengths, target_lengths : Tensor of int, or sequence of int
        The lengths of each example.
    blank : int
        The class that means nothing.
    reduction : {"mean", "sum", "none"}
        "mean" divides each loss by the length of its target first.
    zero_infinity : bool
        Whether a target that no path can read costs nothing, rather than infinity.

    Examples
    --------
    >>> import symgrad as sg
    >>> even = sg.full((2, 1, 2), 0.5).log()
    >>> sg.nn.functional.ctc_loss(even, sg.tensor([[1]]), [2], [1]).exp()
    tensor(1.3333)
    """
    single = log_probs.ndim == 2
    log_p = log_probs.unsqueeze(1) if single else log_probs
    if log_p.ndim != 3:
        raise ShapeError(f"Expected log_probs of shape (time, batch, classes), but got {tuple(log_probs.shape)}")
    time, batch, classes = log_p.shape
    lengths, counts = (np.array(_whole(x)).reshape(-1) for x in (input_lengths, target_lengths))
    if not 0 <= blank < classes:
        raise ShapeError(f"blank must be in label range, got {blank} for {classes} classes")
    if len(lengths) != batch or len(counts) != batch:
        raise ShapeError(f"input_lengths and target_lengths must be of size batch_size ({batch})")
    if lengths.max(initial=0) > time:
        raise ShapeError(f"Expected input_lengths to have value at most {time}, but got value {lengths.max()}")
    shape = tuple(targets.shape)
    if shape != (counts.sum(),) and (len(shape) != 2 or shape[0] != batch or shape[1] < counts.max(initial=0)):
        raise ShapeError(
            f"Expected targets of shape ({batch}, at least {counts.max(initial=0)}) or ({counts.sum()},), got {shape}"
        )
    losses = _losses(log_p, _with_blanks(targets, counts, blank), lengths, counts)
    if zero_infinity:
        losses = ops.where(losses.detach() == np.inf, 0.0, losses)
    if reduction == "mean":
        return (losses / wrap(np.maximum(counts, 1).astype(log_p.dtype))).mean()
    return reduced(losses[0] if single else losses, reduction)


def _whole(x: Any) -> Any:
    return x.detach().numpy() if isinstance(x, Tensor) else x


def _with_blanks(targets: Tensor, counts: np.ndarray, blank: int) -> np.ndarray:
    """Write each target as a row with blanks before, between and after its letters, and behind it."""
    letters = _whole(targets)
    rows = np.full((len(counts), 2 * counts.max(initial=0) + 1), blank, np.int64)
    if letters.ndim == 1:
        parts = np.split(letters, np.cumsum(counts)[:-1])
    else:
        parts = [row[:count] for row, count in zip(letters, counts, strict=True)]
    for row, part, count in zip(rows, parts, counts, strict=True):
        row[1 : 2 * count : 2] = part
    return rows


def _losses(log_p: Tensor, letters: np.ndarray, lengths: np.ndarray, counts: np.ndarray) -> Tensor:
    time, batch, _ = log_p.shape
    size = letters.shape[1]
    seen = log_p.gather(2, wrap(np.broadcast_to(letters, (time, batch, size)).copy()))
    # A letter may follow the last but one directly where the blank between them can be left out.
    skips = np.zeros((batch, size), bool)
    skips[:, 3::2] = letters[:, 3::2] != letters[:, 1:-2:2]
    reached = ops.where(wrap(np.arange(size) < 2), seen[0], _NEVER)
    for t in range(1, time):
        one, two = (ops.pad(reached, (k, 0), value=_NEVER)[:, :size] for k in (1, 2))
        ways = ops.stack([reached, one, ops.where(wrap(skips), two, _NEVER)])
        moved = ops.logsumexp(ways, 0) + seen[t]
        reached = ops.where(wrap(t < lengths[:, None]), moved, reached)
    ends = np.stack([2 * counts, np.maximum(2 * counts - 1, 0)], 1)
    both = reached.gather(1, wrap(ends))
    both = ops.where(wrap(np.stack([counts >= 0, counts > 0], 1)), both, _NEVER)
    total = ops.logsumexp(both, 1)
    return ops.where(total < _NEVER / 2, np.inf, -total)
