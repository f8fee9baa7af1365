"""Modules that are functions of `functional` with their options fixed: activations, losses, pools.

The idea to hold: a row names the function, and takes the function's arguments: those behind the tensors, or those of
them that it names in `_takes`. (The stub beside this file says for type checkers what they are.)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..core import Tensor
from . import functional as F
from ._layers import Linear
from ._linear_functions import check_probability
from ._loss_functions import reduction_of
from ._module import Applied, Module
from ._windows import sizes

# -------------------------------------------------------------------------------------- Activation functions as modules


class ReLU(Applied, of=F.relu):
    """Apply `functional.relu`.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.nn.ReLU()(sg.tensor([-1.0, 2.0]))
    tensor([0., 2.])
    """


class ReLU6(Applied, of=F.relu6):
    """Apply `functional.relu6`."""


class LeakyReLU(Applied, of=F.leaky_relu):
    """Apply `functional.leaky_relu`."""


class ELU(Applied, of=F.elu):
    """Apply `functional.elu`."""


class CELU(Applied, of=F.celu):
    """Apply `functional.celu`."""


class SELU(Applied, of=F.selu):
    """Apply `functional.selu`."""


class GELU(Applied, of=F.gelu):
    """Apply `functional.gelu`."""


class SiLU(Applied, of=F.silu):
    """Apply `functional.silu`."""


class Mish(Applied, of=F.mish):
    """Apply `functional.mish`."""


class Hardsigmoid(Applied, of=F.hardsigmoid):
    """Apply `functional.hardsigmoid`."""


class Hardswish(Applied, of=F.hardswish):
    """Apply `functional.hardswish`."""


class Hardtanh(Applied, of=F.hardtanh):
    """Apply `functional.hardtanh`."""


class Threshold(Applied, of=F.threshold):
    """Apply `functional.threshold`."""


class Sigmoid(Applied, of=F.sigmoid):
    """Apply `functional.sigmoid`."""


class LogSigmoid(Applied, of=F.logsigmoid):
    """Apply `functional.logsigmoid`."""


class Tanh(Applied, of=F.tanh):
    """Apply `functional.tanh`."""


class Tanhshrink(Applied, of=F.tanhshrink):
    """Apply `functional.tanhshrink`."""


class Softplus(Applied, of=F.softplus):
    """Apply `functional.softplus`."""


class Softsign(Applied, of=F.softsign):
    """Apply `functional.softsign`."""


class GLU(Applied, of=F.glu):
    """Apply `functional.glu`."""


class Hardshrink(Applied, of=F.hardshrink):
    """Apply `functional.hardshrink`."""

    _shown = "{lambd}"


class Softshrink(Applied, of=F.softshrink):
    """Apply `functional.softshrink`."""

    _shown = "{lambd}"


class RReLU(Applied, of=F.rrelu):
    """Apply `functional.rrelu`: random slopes in training, the middle one in evaluation."""

    _takes = "lower upper inplace"

    def forward(self, input: Tensor) -> Tensor:
        """Compute `functional.rrelu`."""
        return super().forward(input, training=self.training)


class Softmax(Applied, of=F.softmax):
    """Apply `functional.softmax`.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.nn.Softmax(dim=0)(sg.tensor([1.0, 1.0]))
    tensor([0.5000, 0.5000])
    """

    _takes = "dim"

    def forward(self, input: Tensor) -> Tensor:
        """Turn logits into probabilities."""
        return super().forward(input)


class LogSoftmax(Applied, of=F.log_softmax):
    """Apply `functional.log_softmax`."""

    _takes = "dim"

    def forward(self, input: Tensor) -> Tensor:
        """Turn logits into log-probabilities."""
        return super().forward(input)


class Softmin(Applied, of=F.softmin):
    """Apply `functional.softmin`."""

    _takes = "dim"

    def forward(self, input: Tensor) -> Tensor:
        """Turn costs into probabilities."""
        return super().forward(input)


class Softmax2d(Module):
    """Apply `functional.softmax` along the channels of (batch, channels, height, width)."""

    def forward(self, input: Tensor) -> Tensor:
        """Turn the logits of each pixel into probabilities."""
        if input.ndim not in (3, 4):
            raise ValueError(f"Softmax2d: expected input to be 3D or 4D, got {input.ndim}D instead")
        return F.softmax(input, -3)


# -------------------------------------------------------------------------------------- Functions of vectors, and noise


class CosineSimilarity(Applied, of=F.cosine_similarity):
    """Compute the cosine of the angle between vectors: `functional.cosine_similarity`."""

    _shown = ""


class PairwiseDistance(Applied, of=F.pairwise_distance):
    """Compute the distance of vectors: `functional.pairwise_distance`."""

    _shown = ""


class LocalResponseNorm(Applied, of=F.local_response_norm):
    """Divide each channel by what its neighbours show: `functional.local_response_norm`."""

    _shown = "{size}, alpha={alpha}, beta={beta}, k={k}"


class _Dropout(Applied):
    _takes = "p inplace"
    _shown = "p={p}, inplace={inplace}"

    def __init__(self, *, p: float, inplace: bool) -> None:
        check_probability(p)
        super().__init__(p=p, inplace=inplace)

    def forward(self, input: Tensor) -> Tensor:
        """Compute the function of the same name, in training."""
        return super().forward(input, training=self.training)


class Dropout(_Dropout, of=F.dropout):
    """Zero each element with probability `p` and scale up the rest; in evaluation, do nothing."""


class Dropout1d(_Dropout, of=F.dropout1d):
    """Zero each channel of (batch, channels, length) with probability `p` and scale up the rest."""


class Dropout2d(_Dropout, of=F.dropout2d):
    """Zero each channel of (batch, channels, height, width) with probability `p` and scale up the rest."""


class Dropout3d(_Dropout, of=F.dropout3d):
    """Zero each channel of (batch, channels, depth, height, width) with probability `p` and scale up the rest."""


class AlphaDropout(_Dropout, of=F.alpha_dropout):
    """Set elements to what SELU saturates at with probability `p`: `functional.alpha_dropout`."""


class FeatureAlphaDropout(_Dropout, of=F.feature_alpha_dropout):
    """Set channels to what SELU saturates at with probability `p`: `functional.feature_alpha_dropout`."""


# -------------------------------------------------------------------------------------------- Loss functions as modules


class _Loss(Applied):
    """A loss with a reduction; weights are buffers, so that they follow the module's dtype."""

    _shown = ""

    def __init__(self, *, size_average: bool | None = None, reduce: bool | None = None, **options: Any) -> None:
        options["reduction"] = reduction_of(options["reduction"], size_average, reduce)
        weights = {name: options.pop(name) for name in ("weight", "pos_weight") if name in options}
        super().__init__(**options)
        for name, weight in weights.items():
            self.register_buffer(name, weight)


class MSELoss(_Loss, of=F.mse_loss):
    """Mean of the squared differences: `functional.mse_loss`.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.nn.MSELoss()(sg.tensor([1.0, 2.0]), sg.tensor([0.0, 4.0]))
    tensor(2.5000)
    """

    _takes = "size_average reduce reduction"


class L1Loss(_Loss, of=F.l1_loss):
    """Mean of the absolute differences: `functional.l1_loss`."""

    _takes = "size_average reduce reduction"


class SmoothL1Loss(_Loss, of=F.smooth_l1_loss):
    """Squares near zero, absolute differences beyond `beta`: `functional.smooth_l1_loss`."""


class HuberLoss(_Loss, of=F.huber_loss):
    """Half squares near zero, straight lines of slope `delta` beyond it: `functional.huber_loss`."""

    _takes = "reduction delta"


class NLLLoss(_Loss, of=F.nll_loss):
    """Negative log-likelihood of classes, from log-probabilities: `functional.nll_loss`."""


class NLLLoss2d(NLLLoss):
    """Compute `NLLLoss`, under its older name for images."""


class CrossEntropyLoss(_Loss, of=F.cross_entropy):
    """Negative log-likelihood of classes, from logits: `functional.cross_entropy`.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.nn.CrossEntropyLoss()(sg.zeros(1, 4), sg.tensor([2]))
    tensor(1.3863)
    """


class LinearCrossEntropyLoss(_Loss, of=F.linear_cross_entropy):
    """The last layer and its loss in one: `functional.linear_cross_entropy`, with a `Linear` that is trained."""

    _takes = "reduction weight ignore_index label_smoothing"

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
        super().__init__(reduction=reduction, weight=weight, ignore_index=ignore_index, label_smoothing=label_smoothing)
        self.in_features, self.num_classes, self.out_features = in_features, num_classes, tuple(out_features)
        rows = num_classes
        for n in self.out_features:
            rows *= n
        self.linear = Linear(in_features, rows, bias, device, dtype)

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Compute `functional.linear_cross_entropy`."""
        weight = self.linear.weight.reshape(self.num_classes, *self.out_features, self.in_features)
        return super().forward(input, weight, target, linear_bias=self.linear.bias)


class BCELoss(_Loss, of=F.binary_cross_entropy):
    """Cross entropy of yes/no targets, from probabilities: `functional.binary_cross_entropy`."""


class BCEWithLogitsLoss(_Loss, of=F.binary_cross_entropy_with_logits):
    """Cross entropy of yes/no targets, from logits: `functional.binary_cross_entropy_with_logits`."""


class KLDivLoss(_Loss, of=F.kl_div):
    """Divergence of a target distribution from the one whose logarithm is the input: `functional.kl_div`."""


class PoissonNLLLoss(_Loss, of=F.poisson_nll_loss):
    """Negative log-likelihood of Poisson counts: `functional.poisson_nll_loss`."""

    def forward(self, log_input: Tensor, target: Tensor) -> Tensor:
        """Compute `functional.poisson_nll_loss`."""
        return super().forward(log_input, target)


class GaussianNLLLoss(_Loss, of=F.gaussian_nll_loss):
    """Negative log-likelihood of normal observations: `functional.gaussian_nll_loss`."""

    _takes = "full eps reduction"

    def __init__(self, *, full: bool = False, eps: float = 1e-6, reduction: str = "mean") -> None:
        super().__init__(reduction=reduction, full=full, eps=eps)


class CTCLoss(_Loss, of=F.ctc_loss):
    """Loss of a sequence whose alignment is unknown: `functional.ctc_loss`."""

    _takes = "blank reduction zero_infinity"


# ----------------------------------------------------------------------------------------- Loss functions with a margin


class MarginRankingLoss(_Loss, of=F.margin_ranking_loss):
    """Which of two scores is to be larger: `functional.margin_ranking_loss`."""


class HingeEmbeddingLoss(_Loss, of=F.hinge_embedding_loss):
    """Distances that are to be small or large: `functional.hinge_embedding_loss`."""


class CosineEmbeddingLoss(_Loss, of=F.cosine_embedding_loss):
    """Vectors that are to be alike or not: `functional.cosine_embedding_loss`."""


class SoftMarginLoss(_Loss, of=F.soft_margin_loss):
    """Logistic loss of targets 1 and -1: `functional.soft_margin_loss`."""


class MultiLabelMarginLoss(_Loss, of=F.multilabel_margin_loss):
    """Scores of several right classes above all others: `functional.multilabel_margin_loss`."""


class MultiLabelSoftMarginLoss(_Loss, of=F.multilabel_soft_margin_loss):
    """Logistic losses of several yes/no targets: `functional.multilabel_soft_margin_loss`."""


class MultiMarginLoss(_Loss, of=F.multi_margin_loss):
    """The score of the right class above all others: `functional.multi_margin_loss`."""


class TripletMarginLoss(_Loss, of=F.triplet_margin_loss):
    """An anchor nearer to one example than to another: `functional.triplet_margin_loss`.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.nn.TripletMarginLoss()(sg.zeros(1, 2), sg.ones(1, 2), sg.ones(1, 2))
    tensor(1.)
    """


class TripletMarginWithDistanceLoss(_Loss, of=F.triplet_margin_with_distance_loss):
    """`TripletMarginLoss` with a distance of your own: `functional.triplet_margin_with_distance_loss`."""

    def __init__(
        self,
        *,
        distance_function: Callable[[Tensor, Tensor], Tensor] | Module | None = None,
        margin: float = 1.0,
        swap: bool = False,
        reduction: str = "mean",
    ) -> None:
        super().__init__(reduction=reduction, distance_function=distance_function, margin=margin, swap=swap)


# ---------------------- Layers that take one number of each window, and those that cut windows out or put them together


class _Pool(Applied):
    """A pool whose windows lie side by side where nothing is said of their distance."""

    _ndim: int | None = None  # by which sizes are repeated, where the attributes say one for each dimension

    def __init__(self, *, kernel_size: Any, stride: Any, padding: Any, **options: Any) -> None:
        given = kernel_size, kernel_size if stride is None else stride, padding
        kernel, stride, padding = given if self._ndim is None else (sizes(value, self._ndim) for value in given)
        super().__init__(kernel_size=kernel, stride=stride, padding=padding, **options)


class _MaxPool(_Pool):
    _takes = "kernel_size stride padding dilation return_indices ceil_mode"
    _shown = "kernel_size={kernel_size}, stride={stride}, padding={padding}, dilation={dilation}, ceil_mode={ceil_mode}"


class MaxPool1d(_MaxPool, of=F.max_pool1d):
    """Take the largest value in each window of one dimension: `functional.max_pool1d`."""


class MaxPool2d(_MaxPool, of=F.max_pool2d):
    """Take the largest value in each window: `functional.max_pool2d`.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.nn.MaxPool2d(2)(sg.arange(16.0).reshape(1, 4, 4))
    tensor([[[ 5.,  7.],
             [13., 15.]]])
    """


class MaxPool3d(_MaxPool, of=F.max_pool3d):
    """Take the largest value in each window of three dimensions: `functional.max_pool3d`."""


class _AvgPool(_Pool):
    _shown = "kernel_size={kernel_size}, stride={stride}, padding={padding}"


class AvgPool1d(_AvgPool, of=F.avg_pool1d):
    """Take the mean of each window of one dimension: `functional.avg_pool1d`."""

    _takes = "kernel_size stride padding ceil_mode count_include_pad"
    _ndim = 1


class AvgPool2d(_AvgPool, of=F.avg_pool2d):
    """Take the mean of each window: `functional.avg_pool2d`."""


class AvgPool3d(_AvgPool, of=F.avg_pool3d):
    """Take the mean of each window of three dimensions: `functional.avg_pool3d`."""


class LPPool1d(Applied, of=F.lp_pool1d):
    """Take a norm of each window of one dimension: `functional.lp_pool1d`."""


class LPPool2d(Applied, of=F.lp_pool2d):
    """Take a norm of each window: `functional.lp_pool2d`."""


class LPPool3d(Applied, of=F.lp_pool3d):
    """Take a norm of each window of three dimensions: `functional.lp_pool3d`."""


class AdaptiveAvgPool1d(Applied, of=F.adaptive_avg_pool1d):
    """Take means in as many windows as asked: `functional.adaptive_avg_pool1d`."""


class AdaptiveAvgPool2d(Applied, of=F.adaptive_avg_pool2d):
    """Take means in as many windows as asked: `functional.adaptive_avg_pool2d`.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.nn.AdaptiveAvgPool2d((1, None))(sg.arange(6.0).reshape(1, 2, 3))
    tensor([[[1.5000, 2.5000, 3.5000]]])
    """


class AdaptiveAvgPool3d(Applied, of=F.adaptive_avg_pool3d):
    """Take means in as many windows as asked: `functional.adaptive_avg_pool3d`."""


class _AdaptiveMaxPool(Applied):
    _shown = "output_size={output_size}"


class AdaptiveMaxPool1d(_AdaptiveMaxPool, of=F.adaptive_max_pool1d):
    """Take the largest values in as many windows as asked: `functional.adaptive_max_pool1d`."""


class AdaptiveMaxPool2d(_AdaptiveMaxPool, of=F.adaptive_max_pool2d):
    """Take the largest values in as many windows as asked: `functional.adaptive_max_pool2d`."""


class AdaptiveMaxPool3d(_AdaptiveMaxPool, of=F.adaptive_max_pool3d):
    """Take the largest values in as many windows as asked: `functional.adaptive_max_pool3d`."""


class FractionalMaxPool2d(Applied, of=F.fractional_max_pool2d):
    """Take the largest values of windows at random distances: `functional.fractional_max_pool2d`."""

    _shown = ""


class FractionalMaxPool3d(Applied, of=F.fractional_max_pool3d):
    """Take the largest values of windows at random distances: `functional.fractional_max_pool3d`."""

    _shown = ""


class _MaxUnpool(_Pool):
    _takes = "kernel_size stride padding"

    def forward(self, input: Tensor, indices: Tensor, output_size: Any = None) -> Tensor:
        """Put the values back to the places in `indices`."""
        return super().forward(input, indices, output_size=output_size)


class MaxUnpool1d(_MaxUnpool, of=F.max_unpool1d):
    """Put back what `MaxPool1d` took: `functional.max_unpool1d`."""

    _ndim = 1


class MaxUnpool2d(_MaxUnpool, of=F.max_unpool2d):
    """Put back what `MaxPool2d` took: `functional.max_unpool2d`."""

    _ndim = 2


class MaxUnpool3d(_MaxUnpool, of=F.max_unpool3d):
    """Put back what `MaxPool3d` took: `functional.max_unpool3d`."""

    _ndim = 3


class Unfold(Applied, of=F.unfold):
    """Make a column of each position of a window: `functional.unfold`."""


class Fold(Applied, of=F.fold):
    """Add up columns in images: `functional.fold`."""


# ---------------------------------------------------------------- Layers that give images another size or another order


class PixelShuffle(Applied, of=F.pixel_shuffle):
    """Make of channels larger images: `functional.pixel_shuffle`."""


class PixelUnshuffle(Applied, of=F.pixel_unshuffle):
    """Make of images more channels: `functional.pixel_unshuffle`."""


class ChannelShuffle(Applied, of=F.channel_shuffle):
    """Deal the channels of groups out in turn: `functional.channel_shuffle`."""


class _Resized(Applied):
    def __init__(self, *, size: Any, scale_factor: Any, **options: Any) -> None:
        factor = tuple(map(float, scale_factor)) if isinstance(scale_factor, list | tuple) else scale_factor
        super().__init__(
            size=tuple(size) if isinstance(size, list) else size,
            scale_factor=float(factor) if isinstance(factor, int) and factor else factor,
            **options,
        )

    def extra_repr(self) -> str:
        by = f"size={self.size}" if self.scale_factor is None else f"scale_factor={self.scale_factor}"
        return f"{by}, mode={self.mode!r}"


class Upsample(_Resized, of=F.interpolate):
    """Give images another size: `functional.interpolate`.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.nn.Upsample(scale_factor=2)(sg.tensor([[[1.0, 2.0]]]))
    tensor([[[1., 1., 2., 2.]]])
    """

    _takes = "size scale_factor mode align_corners recompute_scale_factor"


class UpsamplingNearest2d(Upsample):
    """Give images another size by the nearest pixel."""

    def __init__(self, size: Any = None, scale_factor: Any = None) -> None:
        super().__init__(size, scale_factor, "nearest")


class UpsamplingBilinear2d(Upsample):
    """Give images another size by bilinear interpolation with aligned corners."""

    def __init__(self, size: Any = None, scale_factor: Any = None) -> None:
        super().__init__(size, scale_factor, "bilinear", True)
