"""Loss functions as modules: `functional`'s, with their options fixed at construction."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..core import Tensor
from . import functional as F
from ._applied import Applied
from ._layers import Linear
from ._loss_functions import reduction_of
from ._module import Module

__all__ = [
    "BCELoss", "BCEWithLogitsLoss", "CTCLoss", "CosineEmbeddingLoss", "CrossEntropyLoss", "GaussianNLLLoss",
    "HingeEmbeddingLoss", "HuberLoss", "KLDivLoss", "L1Loss", "LinearCrossEntropyLoss", "MSELoss", "MarginRankingLoss",
    "MultiLabelMarginLoss", "MultiLabelSoftMarginLoss", "MultiMarginLoss", "NLLLoss", "NLLLoss2d", "PoissonNLLLoss",
    "SmoothL1Loss", "SoftMarginLoss", "TripletMarginLoss", "TripletMarginWithDistanceLoss",
]  # fmt: skip


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
