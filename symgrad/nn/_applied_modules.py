"""Activations and losses as modules: `functional`'s, with their options fixed at construction."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .. import ops
from .._errors import ShapeError
from ..core import Tensor, wrap
from . import functional as F
from ._containers import ModuleList, Sequential
from ._layers import Linear
from ._loss_functions import reduction_of
from ._module import Applied, Module
from ._parameter import Parameter

# ------------------------------------------------------------------------------------ Activation functions as modules


class ReLU(Applied):
    """Apply `functional.relu`.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.nn.ReLU()(sg.tensor([-1.0, 2.0]))
    tensor([0., 2.])
    """

    _function = staticmethod(F.relu)

    def __init__(self, inplace: bool = False) -> None:
        super().__init__(inplace=inplace)


class ReLU6(Applied):
    """Apply `functional.relu6`."""

    _function = staticmethod(F.relu6)

    def __init__(self, inplace: bool = False) -> None:
        super().__init__(inplace=inplace)


class LeakyReLU(Applied):
    """Apply `functional.leaky_relu`."""

    _function = staticmethod(F.leaky_relu)

    def __init__(self, negative_slope: float = 0.01, inplace: bool = False) -> None:
        super().__init__(negative_slope=negative_slope, inplace=inplace)


class ELU(Applied):
    """Apply `functional.elu`."""

    _function = staticmethod(F.elu)

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__(alpha=alpha, inplace=inplace)


class CELU(Applied):
    """Apply `functional.celu`."""

    _function = staticmethod(F.celu)

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__(alpha=alpha, inplace=inplace)


class SELU(Applied):
    """Apply `functional.selu`."""

    _function = staticmethod(F.selu)

    def __init__(self, inplace: bool = False) -> None:
        super().__init__(inplace=inplace)


class GELU(Applied):
    """Apply `functional.gelu`."""

    _function = staticmethod(F.gelu)

    def __init__(self, approximate: str = "none") -> None:
        super().__init__(approximate=approximate)


class SiLU(Applied):
    """Apply `functional.silu`."""

    _function = staticmethod(F.silu)

    def __init__(self, inplace: bool = False) -> None:
        super().__init__(inplace=inplace)


class Mish(Applied):
    """Apply `functional.mish`."""

    _function = staticmethod(F.mish)

    def __init__(self, inplace: bool = False) -> None:
        super().__init__(inplace=inplace)


class Hardsigmoid(Applied):
    """Apply `functional.hardsigmoid`."""

    _function = staticmethod(F.hardsigmoid)

    def __init__(self, inplace: bool = False) -> None:
        super().__init__(inplace=inplace)


class Hardswish(Applied):
    """Apply `functional.hardswish`."""

    _function = staticmethod(F.hardswish)

    def __init__(self, inplace: bool = False) -> None:
        super().__init__(inplace=inplace)


class Hardtanh(Applied):
    """Apply `functional.hardtanh`."""

    _function = staticmethod(F.hardtanh)

    def __init__(self, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> None:
        super().__init__(min_val=min_val, max_val=max_val, inplace=inplace)


class Threshold(Applied):
    """Apply `functional.threshold`."""

    _function = staticmethod(F.threshold)

    def __init__(self, threshold: float, value: float, inplace: bool = False) -> None:
        super().__init__(threshold=threshold, value=value, inplace=inplace)


class Sigmoid(Applied):
    """Apply `functional.sigmoid`."""

    _function = staticmethod(F.sigmoid)


class LogSigmoid(Applied):
    """Apply `functional.logsigmoid`."""

    _function = staticmethod(F.logsigmoid)


class Tanh(Applied):
    """Apply `functional.tanh`."""

    _function = staticmethod(F.tanh)


class Tanhshrink(Applied):
    """Apply `functional.tanhshrink`."""

    _function = staticmethod(F.tanhshrink)


class Softplus(Applied):
    """Apply `functional.softplus`."""

    _function = staticmethod(F.softplus)

    def __init__(self, beta: float = 1.0, threshold: float = 20.0) -> None:
        super().__init__(beta=beta, threshold=threshold)


class Softsign(Applied):
    """Apply `functional.softsign`."""

    _function = staticmethod(F.softsign)


class GLU(Applied):
    """Apply `functional.glu`."""

    _function = staticmethod(F.glu)

    def __init__(self, dim: int = -1) -> None:
        super().__init__(dim=dim)


class _Shrink(Applied):
    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__(lambd=lambd)

    def extra_repr(self) -> str:
        return str(self.lambd)


class Hardshrink(_Shrink):
    """Apply `functional.hardshrink`."""

    _function = staticmethod(F.hardshrink)


class Softshrink(_Shrink):
    """Apply `functional.softshrink`."""

    _function = staticmethod(F.softshrink)


class RReLU(Applied):
    """Apply `functional.rrelu`: random slopes in training, the middle one in evaluation."""

    _function = staticmethod(F.rrelu)

    def __init__(self, lower: float = 1 / 8, upper: float = 1 / 3, inplace: bool = False) -> None:
        super().__init__(lower=lower, upper=upper, inplace=inplace)

    def forward(self, input: Tensor) -> Tensor:
        """Compute `functional.rrelu`."""
        return super().forward(input, training=self.training)


class PReLU(Module):
    """Apply `functional.prelu`: the slope below 0 is learned, one for all or one for each channel.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.nn.PReLU(init=0.5)(sg.tensor([-1.0, 2.0])).detach()
    tensor([-0.5000,  2.0000])
    """

    def __init__(self, num_parameters: int = 1, init: float = 0.25, device: Any = None, dtype: Any = None) -> None:
        super().__init__()
        self.num_parameters, self.init = num_parameters, init
        self.weight = Parameter(ops.full((num_parameters,), float(init), device=device, dtype=dtype))

    def reset_parameters(self) -> None:
        """Return to the slope that was given."""
        self.weight.data.fill_(self.init)

    def forward(self, input: Tensor) -> Tensor:
        """Compute `functional.prelu`."""
        return F.prelu(input, self.weight)

    def extra_repr(self) -> str:
        return f"num_parameters={self.num_parameters}"


class _AlongDim(Module):
    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = dim

    def extra_repr(self) -> str:
        return f"dim={self.dim}"


class Softmax(_AlongDim):
    """Apply `functional.softmax`.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.nn.Softmax(dim=0)(sg.tensor([1.0, 1.0]))
    tensor([0.5000, 0.5000])
    """

    def forward(self, input: Tensor) -> Tensor:
        """Turn logits into probabilities."""
        return F.softmax(input, self.dim)


class LogSoftmax(_AlongDim):
    """Apply `functional.log_softmax`."""

    def forward(self, input: Tensor) -> Tensor:
        """Turn logits into log-probabilities."""
        return F.log_softmax(input, self.dim)


class Softmin(_AlongDim):
    """Apply `functional.softmin`."""

    def forward(self, input: Tensor) -> Tensor:
        """Turn costs into probabilities."""
        return F.softmin(input, self.dim)


class Softmax2d(Module):
    """Apply `functional.softmax` along the channels of (batch, channels, height, width)."""

    def forward(self, input: Tensor) -> Tensor:
        """Turn the logits of each pixel into probabilities."""
        if input.ndim not in (3, 4):
            raise ValueError(f"Softmax2d: expected input to be 3D or 4D, got {input.ndim}D instead")
        return F.softmax(input, -3)


# -------------------------------- Loss functions as modules: `functional`'s, with their options fixed at construction


class _Loss(Applied):
    """A loss with a reduction; `weights` are buffers, so that they follow the module's dtype."""

    def __init__(self, reduction: str, weights: dict[str, Tensor | None] | None = None, **options: Any) -> None:
        super().__init__(reduction=reduction, **options)
        for name, weight in (weights or {}).items():
            self.register_buffer(name, weight)
        self._options += tuple(weights or ())

    def extra_repr(self) -> str:
        return ""

    if TYPE_CHECKING:

        def __call__(self, *args: Any, **kwargs: Any) -> Tensor: ...


class MSELoss(_Loss):
    """Mean of the squared differences: `functional.mse_loss`.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.nn.MSELoss()(sg.tensor([1.0, 2.0]), sg.tensor([0.0, 4.0]))
    tensor(2.5000)
    """

    _function = staticmethod(F.mse_loss)

    def __init__(self, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean") -> None:
        super().__init__(reduction_of(reduction, size_average, reduce))


class L1Loss(_Loss):
    """Mean of the absolute differences: `functional.l1_loss`."""

    _function = staticmethod(F.l1_loss)

    def __init__(self, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean") -> None:
        super().__init__(reduction_of(reduction, size_average, reduce))


class SmoothL1Loss(_Loss):
    """Squares near zero, absolute differences beyond `beta`: `functional.smooth_l1_loss`."""

    _function = staticmethod(F.smooth_l1_loss)

    def __init__(
        self, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean", beta: float = 1.0
    ) -> None:
        super().__init__(reduction_of(reduction, size_average, reduce), beta=beta)


class HuberLoss(_Loss):
    """Half squares near zero, straight lines of slope `delta` beyond it: `functional.huber_loss`."""

    _function = staticmethod(F.huber_loss)

    def __init__(self, reduction: str = "mean", delta: float = 1.0) -> None:
        super().__init__(reduction, delta=delta)


class NLLLoss(_Loss):
    """Negative log-likelihood of classes, from log-probabilities: `functional.nll_loss`."""

    _function = staticmethod(F.nll_loss)

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        ignore_index: int = -100,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(reduction_of(reduction, size_average, reduce), {"weight": weight}, ignore_index=ignore_index)


class NLLLoss2d(NLLLoss):
    """Compute `NLLLoss`, under its older name for images."""


class CrossEntropyLoss(_Loss):
    """Negative log-likelihood of classes, from logits: `functional.cross_entropy`.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.nn.CrossEntropyLoss()(sg.zeros(1, 4), sg.tensor([2]))
    tensor(1.3863)
    """

    _function = staticmethod(F.cross_entropy)

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        ignore_index: int = -100,
        reduce: bool | None = None,
        reduction: str = "mean",
        label_smoothing: float = 0.0,
    ) -> None:
        super().__init__(
            reduction_of(reduction, size_average, reduce),
            {"weight": weight},
            ignore_index=ignore_index,
            label_smoothing=label_smoothing,
        )


class LinearCrossEntropyLoss(_Loss):
    """The last layer and its loss in one: `functional.linear_cross_entropy`, with a `Linear` that is trained."""

    _function = staticmethod(F.linear_cross_entropy)

    def __init__(
        self,
        in_features: int,
        num_classes: int,
        *,
        out_features: tuple[int, ...] = (),
        bias: bool = False,
        device: Any = None,
        dtype: Any = None,
        reduction: str = "mean",
        weight: Tensor | None = None,
        ignore_index: int | None = None,
        label_smoothing: float = 0.0,
        options: Any = None,
    ) -> None:
        super().__init__(reduction, {"weight": weight}, ignore_index=ignore_index, label_smoothing=label_smoothing)
        self.in_features, self.num_classes, self.out_features = in_features, num_classes, tuple(out_features)
        rows = num_classes
        for n in self.out_features:
            rows *= n
        self.linear = Linear(in_features, rows, bias, device, dtype)

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Compute `functional.linear_cross_entropy`."""
        weight = self.linear.weight.reshape(self.num_classes, *self.out_features, self.in_features)
        return super().forward(input, weight, target, linear_bias=self.linear.bias)


class BCELoss(_Loss):
    """Cross entropy of yes/no targets, from probabilities: `functional.binary_cross_entropy`."""

    _function = staticmethod(F.binary_cross_entropy)

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(reduction_of(reduction, size_average, reduce), {"weight": weight})


class BCEWithLogitsLoss(_Loss):
    """Cross entropy of yes/no targets, from logits: `functional.binary_cross_entropy_with_logits`."""

    _function = staticmethod(F.binary_cross_entropy_with_logits)

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
        pos_weight: Tensor | None = None,
    ) -> None:
        super().__init__(reduction_of(reduction, size_average, reduce), {"weight": weight, "pos_weight": pos_weight})


class KLDivLoss(_Loss):
    """Divergence of a target distribution from the one whose logarithm is the input: `functional.kl_div`."""

    _function = staticmethod(F.kl_div)

    def __init__(
        self,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
        log_target: bool = False,
    ) -> None:
        super().__init__(reduction_of(reduction, size_average, reduce), log_target=log_target)


class PoissonNLLLoss(_Loss):
    """Negative log-likelihood of Poisson counts: `functional.poisson_nll_loss`."""

    _function = staticmethod(F.poisson_nll_loss)

    def __init__(
        self,
        log_input: bool = True,
        full: bool = False,
        size_average: bool | None = None,
        eps: float = 1e-8,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(reduction_of(reduction, size_average, reduce), log_input=log_input, full=full, eps=eps)

    def forward(self, log_input: Tensor, target: Tensor) -> Tensor:
        """Compute `functional.poisson_nll_loss`."""
        return super().forward(log_input, target)


class GaussianNLLLoss(_Loss):
    """Negative log-likelihood of normal observations: `functional.gaussian_nll_loss`."""

    _function = staticmethod(F.gaussian_nll_loss)

    def __init__(self, *, full: bool = False, eps: float = 1e-6, reduction: str = "mean") -> None:
        super().__init__(reduction, full=full, eps=eps)


class CTCLoss(_Loss):
    """Loss of a sequence whose alignment is unknown: `functional.ctc_loss`."""

    _function = staticmethod(F.ctc_loss)

    def __init__(self, blank: int = 0, reduction: str = "mean", zero_infinity: bool = False) -> None:
        super().__init__(reduction, blank=blank, zero_infinity=zero_infinity)


# With a margin -------------------------------------------------------------------------------------------------------


class MarginRankingLoss(_Loss):
    """Which of two scores is to be larger: `functional.margin_ranking_loss`."""

    _function = staticmethod(F.margin_ranking_loss)

    def __init__(
        self, margin: float = 0.0, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean"
    ) -> None:
        super().__init__(reduction_of(reduction, size_average, reduce), margin=margin)


class HingeEmbeddingLoss(_Loss):
    """Distances that are to be small or large: `functional.hinge_embedding_loss`."""

    _function = staticmethod(F.hinge_embedding_loss)

    def __init__(
        self, margin: float = 1.0, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean"
    ) -> None:
        super().__init__(reduction_of(reduction, size_average, reduce), margin=margin)


class CosineEmbeddingLoss(_Loss):
    """Vectors that are to be alike or not: `functional.cosine_embedding_loss`."""

    _function = staticmethod(F.cosine_embedding_loss)

    def __init__(
        self, margin: float = 0.0, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean"
    ) -> None:
        super().__init__(reduction_of(reduction, size_average, reduce), margin=margin)


class SoftMarginLoss(_Loss):
    """Logistic loss of targets 1 and -1: `functional.soft_margin_loss`."""

    _function = staticmethod(F.soft_margin_loss)

    def __init__(self, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean") -> None:
        super().__init__(reduction_of(reduction, size_average, reduce))


class MultiLabelMarginLoss(_Loss):
    """Scores of several right classes above all others: `functional.multilabel_margin_loss`."""

    _function = staticmethod(F.multilabel_margin_loss)

    def __init__(self, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean") -> None:
        super().__init__(reduction_of(reduction, size_average, reduce))


class MultiLabelSoftMarginLoss(_Loss):
    """Logistic losses of several yes/no targets: `functional.multilabel_soft_margin_loss`."""

    _function = staticmethod(F.multilabel_soft_margin_loss)

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(reduction_of(reduction, size_average, reduce), {"weight": weight})


class MultiMarginLoss(_Loss):
    """The score of the right class above all others: `functional.multi_margin_loss`."""

    _function = staticmethod(F.multi_margin_loss)

    def __init__(
        self,
        p: float = 1,
        margin: float = 1.0,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(reduction_of(reduction, size_average, reduce), {"weight": weight}, p=p, margin=margin)


class TripletMarginLoss(_Loss):
    """An anchor nearer to one example than to another: `functional.triplet_margin_loss`.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.nn.TripletMarginLoss()(sg.zeros(1, 2), sg.ones(1, 2), sg.ones(1, 2))
    tensor(1.)
    """

    _function = staticmethod(F.triplet_margin_loss)

    def __init__(
        self,
        margin: float = 1.0,
        p: float = 2.0,
        eps: float = 1e-6,
        swap: bool = False,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(reduction_of(reduction, size_average, reduce), margin=margin, p=p, eps=eps, swap=swap)


class TripletMarginWithDistanceLoss(_Loss):
    """`TripletMarginLoss` with a distance of your own: `functional.triplet_margin_with_distance_loss`."""

    _function = staticmethod(F.triplet_margin_with_distance_loss)

    def __init__(
        self,
        *,
        distance_function: Callable[[Tensor, Tensor], Tensor] | Module | None = None,
        margin: float = 1.0,
        swap: bool = False,
        reduction: str = "mean",
    ) -> None:
        super().__init__(reduction, distance_function=distance_function, margin=margin, swap=swap)


# -------------------------------------------------------------------------------------------------------------------
# The adaptive softmax: classes that are rare share clusters, whose logits are computed in fewer dimensions


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


__all__ = [
    "CELU",
    "ELU",
    "GELU",
    "GLU",
    "Hardshrink",
    "Hardsigmoid",
    "Hardswish",
    "Hardtanh",
    "LeakyReLU",
    "LogSigmoid",
    "LogSoftmax",
    "Mish",
    "PReLU",
    "RReLU",
    "ReLU",
    "ReLU6",
    "SELU",
    "SiLU",
    "Sigmoid",
    "Softmax",
    "Softmax2d",
    "Softmin",
    "Softplus",
    "Softshrink",
    "Softsign",
    "Tanh",
    "Tanhshrink",
    "Threshold",
    "BCELoss",
    "BCEWithLogitsLoss",
    "CTCLoss",
    "CosineEmbeddingLoss",
    "CrossEntropyLoss",
    "GaussianNLLLoss",
    "HingeEmbeddingLoss",
    "HuberLoss",
    "KLDivLoss",
    "L1Loss",
    "LinearCrossEntropyLoss",
    "MSELoss",
    "MarginRankingLoss",
    "MultiLabelMarginLoss",
    "MultiLabelSoftMarginLoss",
    "MultiMarginLoss",
    "NLLLoss",
    "NLLLoss2d",
    "PoissonNLLLoss",
    "SmoothL1Loss",
    "SoftMarginLoss",
    "TripletMarginLoss",
    "TripletMarginWithDistanceLoss",
    "AdaptiveLogSoftmaxWithLoss",
]
