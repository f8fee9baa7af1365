"""Modules that are functions of `functional` with their options fixed: activations, losses, pools. Written by docs/_stubs.py: change the functions, not this text."""

# ruff: noqa
# fmt: off
from builtins import bool as _bool
from builtins import complex as _complex
from builtins import float as _float
from builtins import int as _int
from builtins import object as _object
from builtins import str as _str
from builtins import type as _type
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal, NamedTuple, Self, overload

import numpy as np
from numpy.typing import DTypeLike

from symgrad._typing import Operand

from ..core import Tensor
from ._module import Applied, Module


class ReLU(Applied):
    """Apply `functional.relu`.

    Parameters
    ----------
    inplace : bool, default False
        Whether the input is written over.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.nn.ReLU()(sg.tensor([-1.0, 2.0]))
    tensor([0., 2.])
    """
    def __init__(self, inplace: _bool = False) -> None: ...


class ReLU6(Applied):
    """Apply `functional.relu6`.

    Parameters
    ----------
    inplace : bool, default False
        Whether the input is written over.
    """
    def __init__(self, inplace: _bool = False) -> None: ...


class LeakyReLU(Applied):
    """Apply `functional.leaky_relu`.

    Parameters
    ----------
    negative_slope : float, default 0.01
        A number of the function's definition.
    inplace : bool, default False
        Whether the input is written over.
    """
    def __init__(self, negative_slope: _float = 0.01, inplace: _bool = False) -> None: ...


class ELU(Applied):
    """Apply `functional.elu`.

    Parameters
    ----------
    alpha : float, default 1.0
        A factor.
    inplace : bool, default False
        Whether the input is written over.
    """
    def __init__(self, alpha: _float = 1.0, inplace: _bool = False) -> None: ...


class CELU(Applied):
    """Apply `functional.celu`.

    Parameters
    ----------
    alpha : float, default 1.0
        A factor.
    inplace : bool, default False
        Whether the input is written over.
    """
    def __init__(self, alpha: _float = 1.0, inplace: _bool = False) -> None: ...


class SELU(Applied):
    """Apply `functional.selu`.

    Parameters
    ----------
    inplace : bool, default False
        Whether the input is written over.
    """
    def __init__(self, inplace: _bool = False) -> None: ...


class GELU(Applied):
    """Apply `functional.gelu`.

    Parameters
    ----------
    approximate : str, default 'none'
        Whether the distribution function is approximated.
    """
    def __init__(self, approximate: _str = 'none') -> None: ...


class SiLU(Applied):
    """Apply `functional.silu`.

    Parameters
    ----------
    inplace : bool, default False
        Whether the input is written over.
    """
    def __init__(self, inplace: _bool = False) -> None: ...


class Mish(Applied):
    """Apply `functional.mish`.

    Parameters
    ----------
    inplace : bool, default False
        Whether the input is written over.
    """
    def __init__(self, inplace: _bool = False) -> None: ...


class Hardsigmoid(Applied):
    """Apply `functional.hardsigmoid`.

    Parameters
    ----------
    inplace : bool, default False
        Whether the input is written over.
    """
    def __init__(self, inplace: _bool = False) -> None: ...


class Hardswish(Applied):
    """Apply `functional.hardswish`.

    Parameters
    ----------
    inplace : bool, default False
        Whether the input is written over.
    """
    def __init__(self, inplace: _bool = False) -> None: ...


class Hardtanh(Applied):
    """Apply `functional.hardtanh`.

    Parameters
    ----------
    min_val : float, default -1.0
        Bounds.
    max_val : float, default 1.0
        Bounds.
    inplace : bool, default False
        Whether the input is written over.
    """
    def __init__(self, min_val: _float = -1.0, max_val: _float = 1.0, inplace: _bool = False) -> None: ...


class Threshold(Applied):
    """Apply `functional.threshold`.

    Parameters
    ----------
    threshold : float
    value : float
        What is put there.
    inplace : bool, default False
        Whether the input is written over.
    """
    def __init__(self, threshold: _float, value: _float, inplace: _bool = False) -> None: ...


class Sigmoid(Applied):
    """Apply `functional.sigmoid`."""
    def __init__(self) -> None: ...


class LogSigmoid(Applied):
    """Apply `functional.logsigmoid`."""
    def __init__(self) -> None: ...


class Tanh(Applied):
    """Apply `functional.tanh`."""
    def __init__(self) -> None: ...


class Tanhshrink(Applied):
    """Apply `functional.tanhshrink`."""
    def __init__(self) -> None: ...


class Softplus(Applied):
    """Apply `functional.softplus`.

    Parameters
    ----------
    beta : float, default 1.0
        A factor.
    threshold : float, default 20.0
        A number of the function's definition.
    """
    def __init__(self, beta: _float = 1.0, threshold: _float = 20.0) -> None: ...


class Softsign(Applied):
    """Apply `functional.softsign`."""
    def __init__(self) -> None: ...


class GLU(Applied):
    """Apply `functional.glu`.

    Parameters
    ----------
    dim : int, default -1
        The dimension to work along, or several; from the end if negative.
    """
    def __init__(self, dim: _int = -1) -> None: ...


class Hardshrink(Applied):
    """Apply `functional.hardshrink`.

    Parameters
    ----------
    lambd : float, default 0.5
        A number of the function's definition.
    """
    def __init__(self, lambd: _float = 0.5) -> None: ...


class Softshrink(Applied):
    """Apply `functional.softshrink`.

    Parameters
    ----------
    lambd : float, default 0.5
        A number of the function's definition.
    """
    def __init__(self, lambd: _float = 0.5) -> None: ...


class RReLU(Applied):
    """Apply `functional.rrelu`: random slopes in training, the middle one in evaluation.

    Parameters
    ----------
    lower : float, default 0.125
        Bounds of the random slope.
    upper : float, default 0.3333333333333333
        Which triangle of the matrix counts.
    inplace : bool, default False
        Whether the input is written over.
    """
    def forward(self, input: Tensor) -> Tensor:
        """Compute `functional.rrelu`."""
    def __init__(self, lower: _float = 0.125, upper: _float = 0.3333333333333333, inplace: _bool = False) -> None: ...


class Softmax(Applied):
    """Apply `functional.softmax`.

    Parameters
    ----------
    dim : int, optional
        The dimension to work along, or several; from the end if negative.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.nn.Softmax(dim=0)(sg.tensor([1.0, 1.0]))
    tensor([0.5000, 0.5000])
    """
    def forward(self, input: Tensor) -> Tensor:
        """Turn logits into probabilities."""
    def __init__(self, dim: _int | None = None) -> None: ...


class LogSoftmax(Applied):
    """Apply `functional.log_softmax`.

    Parameters
    ----------
    dim : int, optional
        The dimension to work along, or several; from the end if negative.
    """
    def forward(self, input: Tensor) -> Tensor:
        """Turn logits into log-probabilities."""
    def __init__(self, dim: _int | None = None) -> None: ...


class Softmin(Applied):
    """Apply `functional.softmin`.

    Parameters
    ----------
    dim : int, optional
        The dimension to work along, or several; from the end if negative.
    """
    def forward(self, input: Tensor) -> Tensor:
        """Turn costs into probabilities."""
    def __init__(self, dim: _int | None = None) -> None: ...


class Softmax2d(Module):
    """Apply `functional.softmax` along the channels of (batch, channels, height, width)."""
    def forward(self, input: Tensor) -> Tensor:
        """Turn the logits of each pixel into probabilities."""


class CosineSimilarity(Applied):
    """Compute the cosine of the angle between vectors: `functional.cosine_similarity`.

    Parameters
    ----------
    dim : int, default 1
        The dimension to work along, or several; from the end if negative.
    eps : float, default 1e-08
        What keeps a quotient finite.
    """
    def __init__(self, dim: _int = 1, eps: _float = 1e-08) -> None: ...


class PairwiseDistance(Applied):
    """Compute the distance of vectors: `functional.pairwise_distance`.

    Parameters
    ----------
    p : float, default 2.0
        A number of the function's definition.
    eps : float, default 1e-06
        What keeps a quotient finite.
    keepdim : bool, default False
        Whether a reduced dimension stays, with size 1.
    """
    def __init__(self, p: _float = 2.0, eps: _float = 1e-06, keepdim: _bool = False) -> None: ...


class LocalResponseNorm(Applied):
    """Divide each channel by what its neighbours show: `functional.local_response_norm`.

    Parameters
    ----------
    size : int
        Sizes: separately, or in one sequence.
    alpha : float, default 0.0001
        A factor.
    beta : float, default 0.75
        A factor.
    k : float, default 1.0
        How many.
    """
    def __init__(self, size: _int, alpha: _float = 0.0001, beta: _float = 0.75, k: _float = 1.0) -> None: ...


class _Dropout(Applied):
    """Apply a function whose options are attributes."""
    def __init__(self, *, p: _float, inplace: _bool) -> None: ...
    def forward(self, input: Tensor) -> Tensor:
        """Compute the function of the same name, in training."""


class Dropout(_Dropout):
    """Zero each element with probability `p` and scale up the rest; in evaluation, do nothing.

    Parameters
    ----------
    p : float, default 0.5
    inplace : bool, default False
        Whether the input is written over.
    """
    def __init__(self, p: _float = 0.5, inplace: _bool = False) -> None: ...


class Dropout1d(_Dropout):
    """Zero each channel of (batch, channels, length) with probability `p` and scale up the rest.

    Parameters
    ----------
    p : float, default 0.5
    inplace : bool, default False
        Whether the input is written over.
    """
    def __init__(self, p: _float = 0.5, inplace: _bool = False) -> None: ...


class Dropout2d(_Dropout):
    """Zero each channel of (batch, channels, height, width) with probability `p` and scale up the rest.

    Parameters
    ----------
    p : float, default 0.5
    inplace : bool, default False
        Whether the input is written over.
    """
    def __init__(self, p: _float = 0.5, inplace: _bool = False) -> None: ...


class Dropout3d(_Dropout):
    """Zero each channel of (batch, channels, depth, height, width) with probability `p` and scale up the rest.

    Parameters
    ----------
    p : float, default 0.5
    inplace : bool, default False
        Whether the input is written over.
    """
    def __init__(self, p: _float = 0.5, inplace: _bool = False) -> None: ...


class AlphaDropout(_Dropout):
    """Set elements to what SELU saturates at with probability `p`: `functional.alpha_dropout`.

    Parameters
    ----------
    p : float, default 0.5
    inplace : bool, default False
        Whether the input is written over.
    """
    def __init__(self, p: _float = 0.5, inplace: _bool = False) -> None: ...


class FeatureAlphaDropout(_Dropout):
    """Set channels to what SELU saturates at with probability `p`: `functional.feature_alpha_dropout`.

    Parameters
    ----------
    p : float, default 0.5
    inplace : bool, default False
        Whether the input is written over.
    """
    def __init__(self, p: _float = 0.5, inplace: _bool = False) -> None: ...


class _Loss(Applied):
    """A loss with a reduction; weights are buffers, so that they follow the module's dtype."""
    def __call__(self, *args: Any, **kwargs: Any) -> Tensor: ...
    def __init__(self, *, size_average: _bool | None = None, reduce: _bool | None = None, **options: Any) -> None: ...


class MSELoss(_Loss):
    """Mean of the squared differences: `functional.mse_loss`.

    Parameters
    ----------
    size_average : bool, optional
        PyTorch's older way to say the reduction: whether losses become a mean, and whether they become one number.
    reduce : bool, optional
        PyTorch's older way to say the reduction: whether losses become a mean, and whether they become one number.
    reduction : str, default 'mean'
        What is made of the loss of each entry.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.nn.MSELoss()(sg.tensor([1.0, 2.0]), sg.tensor([0.0, 4.0]))
    tensor(2.5000)
    """
    def __init__(self, size_average: _bool | None = None, reduce: _bool | None = None, reduction: _str = 'mean') -> None: ...


class L1Loss(_Loss):
    """Mean of the absolute differences: `functional.l1_loss`.

    Parameters
    ----------
    size_average : bool, optional
        PyTorch's older way to say the reduction: whether losses become a mean, and whether they become one number.
    reduce : bool, optional
        PyTorch's older way to say the reduction: whether losses become a mean, and whether they become one number.
    reduction : str, default 'mean'
        What is made of the loss of each entry.
    """
    def __init__(self, size_average: _bool | None = None, reduce: _bool | None = None, reduction: _str = 'mean') -> None: ...


class SmoothL1Loss(_Loss):
    """Squares near zero, absolute differences beyond `beta`: `functional.smooth_l1_loss`.

    Parameters
    ----------
    size_average : bool, optional
        PyTorch's older way to say the reduction: whether losses become a mean, and whether they become one number.
    reduce : bool, optional
        PyTorch's older way to say the reduction: whether losses become a mean, and whether they become one number.
    reduction : str, default 'mean'
        What is made of the loss of each entry.
    beta : float, default 1.0
    """
    def __init__(self, size_average: _bool | None = None, reduce: _bool | None = None, reduction: _str = 'mean', beta: _float = 1.0) -> None: ...


class HuberLoss(_Loss):
    """Half squares near zero, straight lines of slope `delta` beyond it: `functional.huber_loss`.

    Parameters
    ----------
    reduction : str, default 'mean'
        What is made of the loss of each entry.
    delta : float, default 1.0
    """
    def __init__(self, reduction: _str = 'mean', delta: _float = 1.0) -> None: ...


class NLLLoss(_Loss):
    """Negative log-likelihood of classes, from log-probabilities: `functional.nll_loss`.

    Parameters
    ----------
    weight : Tensor, optional
        Factors: of classes, of entries, of positive entries.
    size_average : bool, optional
        PyTorch's older way to say the reduction: whether losses become a mean, and whether they become one number.
    ignore_index : int, default -100
        The class that does not count.
    reduce : bool, optional
        PyTorch's older way to say the reduction: whether losses become a mean, and whether they become one number.
    reduction : str, default 'mean'
        What is made of the loss of each entry.
    """
    def __init__(self, weight: Tensor | None = None, size_average: _bool | None = None, ignore_index: _int = -100, reduce: _bool | None = None, reduction: _str = 'mean') -> None: ...


class NLLLoss2d(NLLLoss):
    """Compute `NLLLoss`, under its older name for images.

    Parameters
    ----------
    weight : Tensor, optional
        Factors: of classes, of entries, of positive entries.
    size_average : bool, optional
        PyTorch's older way to say the reduction: whether losses become a mean, and whether they become one number.
    ignore_index : int, default -100
        The class that does not count.
    reduce : bool, optional
        PyTorch's older way to say the reduction: whether losses become a mean, and whether they become one number.
    reduction : str, default 'mean'
        What is made of the loss of each entry.
    """


class CrossEntropyLoss(_Loss):
    """Negative log-likelihood of classes, from logits: `functional.cross_entropy`.

    Parameters
    ----------
    weight : Tensor, optional
        Factors: of classes, of entries, of positive entries.
    size_average : bool, optional
        PyTorch's older way to say the reduction: whether losses become a mean, and whether they become one number.
    ignore_index : int, default -100
        The class that does not count.
    reduce : bool, optional
        PyTorch's older way to say the reduction: whether losses become a mean, and whether they become one number.
    reduction : str, default 'mean'
        What is made of the loss of each entry.
    label_smoothing : float, default 0.0
        How much of each target is spread over all classes.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.nn.CrossEntropyLoss()(sg.zeros(1, 4), sg.tensor([2]))
    tensor(1.3863)
    """
    def __init__(self, weight: Tensor | None = None, size_average: _bool | None = None, ignore_index: _int = -100, reduce: _bool | None = None, reduction: _str = 'mean', label_smoothing: _float = 0.0) -> None: ...


class LinearCrossEntropyLoss(_Loss):
    """The last layer and its loss in one: `functional.linear_cross_entropy`, with a `Linear` that is trained.

    Parameters
    ----------
    in_features : int
        Sizes of what comes in and goes out.
    num_classes : int
        The number of classes; found from the data if negative.
    out_features : tuple[int, ...], default ()
        Sizes of what comes in and goes out.
    bias : bool, default False
        What is added, or whether something is.
    device : optional
        Taken for PyTorch's sake: there is one device and one layout.
    dtype : dtype, optional
        The dtype of the result: ``sg.float32``, ``np.float32`` or its name.
    reduction : str, default 'mean'
        What is made of the loss of each entry.
    weight : Tensor, optional
        Factors: of classes, of entries, of positive entries.
    ignore_index : int, optional
        The class that does not count.
    label_smoothing : float, default 0.0
        How much of each target is spread over all classes.
    options : optional
        Further arguments.
    """
    def __init__(self, in_features: _int, num_classes: _int, *, out_features: tuple[_int, ...] = (), bias: _bool = False, device: Any = None, dtype: DTypeLike | None = None, reduction: _str = 'mean', weight: Tensor | None = None, ignore_index: _int | None = None, label_smoothing: _float = 0.0, options: Any = None) -> None: ...
    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Compute `functional.linear_cross_entropy`."""


class BCELoss(_Loss):
    """Cross entropy of yes/no targets, from probabilities: `functional.binary_cross_entropy`.

    Parameters
    ----------
    weight : Tensor, optional
        Factors: of classes, of entries, of positive entries.
    size_average : bool, optional
        PyTorch's older way to say the reduction: whether losses become a mean, and whether they become one number.
    reduce : bool, optional
        PyTorch's older way to say the reduction: whether losses become a mean, and whether they become one number.
    reduction : str, default 'mean'
        What is made of the loss of each entry.
    """
    def __init__(self, weight: Tensor | None = None, size_average: _bool | None = None, reduce: _bool | None = None, reduction: _str = 'mean') -> None: ...


class BCEWithLogitsLoss(_Loss):
    """Cross entropy of yes/no targets, from logits: `functional.binary_cross_entropy_with_logits`.

    Parameters
    ----------
    weight : Tensor, optional
        Factors: of classes, of entries, of positive entries.
    size_average : bool, optional
        PyTorch's older way to say the reduction: whether losses become a mean, and whether they become one number.
    reduce : bool, optional
        PyTorch's older way to say the reduction: whether losses become a mean, and whether they become one number.
    reduction : str, default 'mean'
        What is made of the loss of each entry.
    pos_weight : Tensor, optional
        Factors: of classes, of entries, of positive entries.
    """
    def __init__(self, weight: Tensor | None = None, size_average: _bool | None = None, reduce: _bool | None = None, reduction: _str = 'mean', pos_weight: Tensor | None = None) -> None: ...


class KLDivLoss(_Loss):
    """Divergence of a target distribution from the one whose logarithm is the input: `functional.kl_div`.

    Parameters
    ----------
    size_average : bool, optional
        PyTorch's older way to say the reduction: whether losses become a mean, and whether they become one number.
    reduce : bool, optional
        PyTorch's older way to say the reduction: whether losses become a mean, and whether they become one number.
    reduction : str, default 'mean'
        What is made of the loss of each entry.
    log_target : bool, default False
        Whether this operand is given as its logarithm.
    """
    def __init__(self, size_average: _bool | None = None, reduce: _bool | None = None, reduction: _str = 'mean', log_target: _bool = False) -> None: ...


class PoissonNLLLoss(_Loss):
    """Negative log-likelihood of Poisson counts: `functional.poisson_nll_loss`.

    Parameters
    ----------
    log_input : bool, default True
        Whether this operand is given as its logarithm.
    full : bool, default False
        Whether terms that do not depend on the input are kept.
    size_average : bool, optional
        PyTorch's older way to say the reduction: whether losses become a mean, and whether they become one number.
    eps : float, default 1e-08
        What keeps a quotient finite.
    reduce : bool, optional
        PyTorch's older way to say the reduction: whether losses become a mean, and whether they become one number.
    reduction : str, default 'mean'
        What is made of the loss of each entry.
    """
    def forward(self, log_input: Tensor, target: Tensor) -> Tensor:
        """Compute `functional.poisson_nll_loss`."""
    def __init__(self, log_input: _bool = True, full: _bool = False, size_average: _bool | None = None, eps: _float = 1e-08, reduce: _bool | None = None, reduction: _str = 'mean') -> None: ...


class GaussianNLLLoss(_Loss):
    """Negative log-likelihood of normal observations: `functional.gaussian_nll_loss`.

    Parameters
    ----------
    full : bool, default False
        Whether terms that do not depend on the input are kept.
    eps : float, default 1e-06
        What keeps a quotient finite.
    reduction : str, default 'mean'
        What is made of the loss of each entry.
    """
    def __init__(self, *, full: _bool = False, eps: _float = 1e-06, reduction: _str = 'mean') -> None: ...


class CTCLoss(_Loss):
    """Loss of a sequence whose alignment is unknown: `functional.ctc_loss`.

    Parameters
    ----------
    blank : int, default 0
        The class that stands for no label.
    reduction : str, default 'mean'
        What is made of the loss of each entry.
    zero_infinity : bool, default False
        Whether an infinite loss counts as zero.
    """
    def __init__(self, blank: _int = 0, reduction: _str = 'mean', zero_infinity: _bool = False) -> None: ...


class MarginRankingLoss(_Loss):
    """Which of two scores is to be larger: `functional.margin_ranking_loss`.

    Parameters
    ----------
    margin : float, default 0.0
        How far apart is far enough.
    size_average : bool, optional
        PyTorch's older way to say the reduction: whether losses become a mean, and whether they become one number.
    reduce : bool, optional
        PyTorch's older way to say the reduction: whether losses become a mean, and whether they become one number.
    reduction : str, default 'mean'
        What is made of the loss of each entry.
    """
    def __init__(self, margin: _float = 0.0, size_average: _bool | None = None, reduce: _bool | None = None, reduction: _str = 'mean') -> None: ...


class HingeEmbeddingLoss(_Loss):
    """Distances that are to be small or large: `functional.hinge_embedding_loss`.

    Parameters
    ----------
    margin : float, default 1.0
        How far apart is far enough.
    size_average : bool, optional
        PyTorch's older way to say the reduction: whether losses become a mean, and whether they become one number.
    reduce : bool, optional
        PyTorch's older way to say the reduction: whether losses become a mean, and whether they become one number.
    reduction : str, default 'mean'
        What is made of the loss of each entry.
    """
    def __init__(self, margin: _float = 1.0, size_average: _bool | None = None, reduce: _bool | None = None, reduction: _str = 'mean') -> None: ...


class CosineEmbeddingLoss(_Loss):
    """Vectors that are to be alike or not: `functional.cosine_embedding_loss`.

    Parameters
    ----------
    margin : float, default 0.0
        How far apart is far enough.
    size_average : bool, optional
        PyTorch's older way to say the reduction: whether losses become a mean, and whether they become one number.
    reduce : bool, optional
        PyTorch's older way to say the reduction: whether losses become a mean, and whether they become one number.
    reduction : str, default 'mean'
        What is made of the loss of each entry.
    """
    def __init__(self, margin: _float = 0.0, size_average: _bool | None = None, reduce: _bool | None = None, reduction: _str = 'mean') -> None: ...


class SoftMarginLoss(_Loss):
    """Logistic loss of targets 1 and -1: `functional.soft_margin_loss`.

    Parameters
    ----------
    size_average : bool, optional
        PyTorch's older way to say the reduction: whether losses become a mean, and whether they become one number.
    reduce : bool, optional
        PyTorch's older way to say the reduction: whether losses become a mean, and whether they become one number.
    reduction : str, default 'mean'
        What is made of the loss of each entry.
    """
    def __init__(self, size_average: _bool | None = None, reduce: _bool | None = None, reduction: _str = 'mean') -> None: ...


class MultiLabelMarginLoss(_Loss):
    """Scores of several right classes above all others: `functional.multilabel_margin_loss`.

    Parameters
    ----------
    size_average : bool, optional
        PyTorch's older way to say the reduction: whether losses become a mean, and whether they become one number.
    reduce : bool, optional
        PyTorch's older way to say the reduction: whether losses become a mean, and whether they become one number.
    reduction : str, default 'mean'
        What is made of the loss of each entry.
    """
    def __init__(self, size_average: _bool | None = None, reduce: _bool | None = None, reduction: _str = 'mean') -> None: ...


class MultiLabelSoftMarginLoss(_Loss):
    """Logistic losses of several yes/no targets: `functional.multilabel_soft_margin_loss`.

    Parameters
    ----------
    weight : Tensor, optional
        Factors: of classes, of entries, of positive entries.
    size_average : bool, optional
        PyTorch's older way to say the reduction: whether losses become a mean, and whether they become one number.
    reduce : bool, optional
        PyTorch's older way to say the reduction: whether losses become a mean, and whether they become one number.
    reduction : str, default 'mean'
        What is made of the loss of each entry.
    """
    def __init__(self, weight: Tensor | None = None, size_average: _bool | None = None, reduce: _bool | None = None, reduction: _str = 'mean') -> None: ...


class MultiMarginLoss(_Loss):
    """The score of the right class above all others: `functional.multi_margin_loss`.

    Parameters
    ----------
    p : float, default 1
        A number of the function's definition.
    margin : float, default 1.0
        How far apart is far enough.
    weight : Tensor, optional
        Factors: of classes, of entries, of positive entries.
    size_average : bool, optional
        PyTorch's older way to say the reduction: whether losses become a mean, and whether they become one number.
    reduce : bool, optional
        PyTorch's older way to say the reduction: whether losses become a mean, and whether they become one number.
    reduction : str, default 'mean'
        What is made of the loss of each entry.
    """
    def __init__(self, p: _float = 1, margin: _float = 1.0, weight: Tensor | None = None, size_average: _bool | None = None, reduce: _bool | None = None, reduction: _str = 'mean') -> None: ...


class TripletMarginLoss(_Loss):
    """An anchor nearer to one example than to another: `functional.triplet_margin_loss`.

    Parameters
    ----------
    margin : float, default 1.0
        How far apart is far enough.
    p : float, default 2.0
        A number of the function's definition.
    eps : float, default 1e-06
        What keeps a quotient finite.
    swap : bool, default False
        Whether the negative is compared with the positive, too.
    size_average : bool, optional
        PyTorch's older way to say the reduction: whether losses become a mean, and whether they become one number.
    reduce : bool, optional
        PyTorch's older way to say the reduction: whether losses become a mean, and whether they become one number.
    reduction : str, default 'mean'
        What is made of the loss of each entry.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.nn.TripletMarginLoss()(sg.zeros(1, 2), sg.ones(1, 2), sg.ones(1, 2))
    tensor(1.)
    """
    def __init__(self, margin: _float = 1.0, p: _float = 2.0, eps: _float = 1e-06, swap: _bool = False, size_average: _bool | None = None, reduce: _bool | None = None, reduction: _str = 'mean') -> None: ...


class TripletMarginWithDistanceLoss(_Loss):
    """`TripletMarginLoss` with a distance of your own: `functional.triplet_margin_with_distance_loss`.

    Parameters
    ----------
    distance_function : Callable[[Tensor, Tensor], Tensor] | Module, optional
        The distance of two tensors.
    margin : float, default 1.0
        How far apart is far enough.
    swap : bool, default False
        Whether the negative is compared with the positive, too.
    reduction : str, default 'mean'
        What is made of the loss of each entry.
    """
    def __init__(self, *, distance_function: Callable[[Tensor, Tensor], Tensor] | Module | None = None, margin: _float = 1.0, swap: _bool = False, reduction: _str = 'mean') -> None: ...


class _Pool(Applied):
    """A pool whose windows lie side by side where nothing is said of their distance."""
    def __init__(self, *, kernel_size: Any, stride: Any, padding: Any, **options: Any) -> None: ...


class _MaxPool(_Pool):
    """A pool whose windows lie side by side where nothing is said of their distance."""


class MaxPool1d(_MaxPool):
    """Take the largest value in each window of one dimension: `functional.max_pool1d`.

    Parameters
    ----------
    kernel_size : int or tuple of ints
        Of the sliding window: its size, step, margin and spacing.
    stride : int or tuple of ints, optional
        Of the sliding window: its size, step, margin and spacing.
    padding : int or tuple of ints, default 0
        Of the sliding window: its size, step, margin and spacing.
    dilation : int or tuple of ints, default 1
        Of the sliding window: its size, step, margin and spacing.
    return_indices : bool, default False
        Whether to return, too, where each maximum was.
    ceil_mode : bool, default False
        Whether a window that is cut off at the end counts.
    """
    def __init__(self, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, return_indices: _bool = False, ceil_mode: _bool = False) -> None: ...


class MaxPool2d(_MaxPool):
    """Take the largest value in each window: `functional.max_pool2d`.

    Parameters
    ----------
    kernel_size : int or tuple of ints
        Of the sliding window: its size, step, margin and spacing.
    stride : int or tuple of ints, optional
        Of the sliding window: its size, step, margin and spacing.
    padding : int or tuple of ints, default 0
        Of the sliding window: its size, step, margin and spacing.
    dilation : int or tuple of ints, default 1
        Of the sliding window: its size, step, margin and spacing.
    return_indices : bool, default False
        Whether to return, too, where each maximum was.
    ceil_mode : bool, default False
        Whether a window that is cut off at the end counts.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.nn.MaxPool2d(2)(sg.arange(16.0).reshape(1, 4, 4))
    tensor([[[ 5.,  7.],
             [13., 15.]]])
    """
    def __init__(self, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, return_indices: _bool = False, ceil_mode: _bool = False) -> None: ...


class MaxPool3d(_MaxPool):
    """Take the largest value in each window of three dimensions: `functional.max_pool3d`.

    Parameters
    ----------
    kernel_size : int or tuple of ints
        Of the sliding window: its size, step, margin and spacing.
    stride : int or tuple of ints, optional
        Of the sliding window: its size, step, margin and spacing.
    padding : int or tuple of ints, default 0
        Of the sliding window: its size, step, margin and spacing.
    dilation : int or tuple of ints, default 1
        Of the sliding window: its size, step, margin and spacing.
    return_indices : bool, default False
        Whether to return, too, where each maximum was.
    ceil_mode : bool, default False
        Whether a window that is cut off at the end counts.
    """
    def __init__(self, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, return_indices: _bool = False, ceil_mode: _bool = False) -> None: ...


class _AvgPool(_Pool):
    """A pool whose windows lie side by side where nothing is said of their distance."""


class AvgPool1d(_AvgPool):
    """Take the mean of each window of one dimension: `functional.avg_pool1d`.

    Parameters
    ----------
    kernel_size : int or tuple of ints
        Of the sliding window: its size, step, margin and spacing.
    stride : int or tuple of ints, optional
        Of the sliding window: its size, step, margin and spacing.
    padding : int or tuple of ints, default 0
        Of the sliding window: its size, step, margin and spacing.
    ceil_mode : bool, default False
        Whether a window that is cut off at the end counts.
    count_include_pad : bool, default True
        Whether margins count in a mean.
    """
    def __init__(self, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: _bool = False, count_include_pad: _bool = True) -> None: ...


class AvgPool2d(_AvgPool):
    """Take the mean of each window: `functional.avg_pool2d`.

    Parameters
    ----------
    kernel_size : int or tuple of ints
        Of the sliding window: its size, step, margin and spacing.
    stride : int or tuple of ints, optional
        Of the sliding window: its size, step, margin and spacing.
    padding : int or tuple of ints, default 0
        Of the sliding window: its size, step, margin and spacing.
    ceil_mode : bool, default False
        Whether a window that is cut off at the end counts.
    count_include_pad : bool, default True
        Whether margins count in a mean.
    divisor_override : int, optional
        What sums are divided by.
    """
    def __init__(self, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: _bool = False, count_include_pad: _bool = True, divisor_override: _int | None = None) -> None: ...


class AvgPool3d(_AvgPool):
    """Take the mean of each window of three dimensions: `functional.avg_pool3d`.

    Parameters
    ----------
    kernel_size : int or tuple of ints
        Of the sliding window: its size, step, margin and spacing.
    stride : int or tuple of ints, optional
        Of the sliding window: its size, step, margin and spacing.
    padding : int or tuple of ints, default 0
        Of the sliding window: its size, step, margin and spacing.
    ceil_mode : bool, default False
        Whether a window that is cut off at the end counts.
    count_include_pad : bool, default True
        Whether margins count in a mean.
    divisor_override : int, optional
        What sums are divided by.
    """
    def __init__(self, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: _bool = False, count_include_pad: _bool = True, divisor_override: _int | None = None) -> None: ...


class LPPool1d(Applied):
    """Take a norm of each window of one dimension: `functional.lp_pool1d`.

    Parameters
    ----------
    norm_type : float
        Which way is taken.
    kernel_size : int or tuple of ints
        Of the sliding window: its size, step, margin and spacing.
    stride : int or tuple of ints, optional
        Of the sliding window: its size, step, margin and spacing.
    ceil_mode : bool, default False
        Whether a window that is cut off at the end counts.
    """
    def __init__(self, norm_type: _float, kernel_size: Any, stride: Any = None, ceil_mode: _bool = False) -> None: ...


class LPPool2d(Applied):
    """Take a norm of each window: `functional.lp_pool2d`.

    Parameters
    ----------
    norm_type : float
        Which way is taken.
    kernel_size : int or tuple of ints
        Of the sliding window: its size, step, margin and spacing.
    stride : int or tuple of ints, optional
        Of the sliding window: its size, step, margin and spacing.
    ceil_mode : bool, default False
        Whether a window that is cut off at the end counts.
    """
    def __init__(self, norm_type: _float, kernel_size: Any, stride: Any = None, ceil_mode: _bool = False) -> None: ...


class LPPool3d(Applied):
    """Take a norm of each window of three dimensions: `functional.lp_pool3d`.

    Parameters
    ----------
    norm_type : float
        Which way is taken.
    kernel_size : int or tuple of ints
        Of the sliding window: its size, step, margin and spacing.
    stride : int or tuple of ints, optional
        Of the sliding window: its size, step, margin and spacing.
    ceil_mode : bool, default False
        Whether a window that is cut off at the end counts.
    """
    def __init__(self, norm_type: _float, kernel_size: Any, stride: Any = None, ceil_mode: _bool = False) -> None: ...


class AdaptiveAvgPool1d(Applied):
    """Take means in as many windows as asked: `functional.adaptive_avg_pool1d`.

    Parameters
    ----------
    output_size : int, float or tuple
        The sizes of the result, or their share of the input's.
    """
    def __init__(self, output_size: Any) -> None: ...


class AdaptiveAvgPool2d(Applied):
    """Take means in as many windows as asked: `functional.adaptive_avg_pool2d`.

    Parameters
    ----------
    output_size : int, float or tuple
        The sizes of the result, or their share of the input's.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.nn.AdaptiveAvgPool2d((1, None))(sg.arange(6.0).reshape(1, 2, 3))
    tensor([[[1.5000, 2.5000, 3.5000]]])
    """
    def __init__(self, output_size: Any) -> None: ...


class AdaptiveAvgPool3d(Applied):
    """Take means in as many windows as asked: `functional.adaptive_avg_pool3d`.

    Parameters
    ----------
    output_size : int, float or tuple
        The sizes of the result, or their share of the input's.
    """
    def __init__(self, output_size: Any) -> None: ...


class _AdaptiveMaxPool(Applied):
    """Apply a function whose options are attributes."""


class AdaptiveMaxPool1d(_AdaptiveMaxPool):
    """Take the largest values in as many windows as asked: `functional.adaptive_max_pool1d`.

    Parameters
    ----------
    output_size : int, float or tuple
        The sizes of the result, or their share of the input's.
    return_indices : bool, default False
        Whether to return, too, where each maximum was.
    """
    def __init__(self, output_size: Any, return_indices: _bool = False) -> None: ...


class AdaptiveMaxPool2d(_AdaptiveMaxPool):
    """Take the largest values in as many windows as asked: `functional.adaptive_max_pool2d`.

    Parameters
    ----------
    output_size : int, float or tuple
        The sizes of the result, or their share of the input's.
    return_indices : bool, default False
        Whether to return, too, where each maximum was.
    """
    def __init__(self, output_size: Any, return_indices: _bool = False) -> None: ...


class AdaptiveMaxPool3d(_AdaptiveMaxPool):
    """Take the largest values in as many windows as asked: `functional.adaptive_max_pool3d`.

    Parameters
    ----------
    output_size : int, float or tuple
        The sizes of the result, or their share of the input's.
    return_indices : bool, default False
        Whether to return, too, where each maximum was.
    """
    def __init__(self, output_size: Any, return_indices: _bool = False) -> None: ...


class FractionalMaxPool2d(Applied):
    """Take the largest values of windows at random distances: `functional.fractional_max_pool2d`.

    Parameters
    ----------
    kernel_size : int or tuple of ints
        Of the sliding window: its size, step, margin and spacing.
    output_size : int, float or tuple, optional
        The sizes of the result, or their share of the input's.
    output_ratio : int, float or tuple, optional
        The sizes of the result, or their share of the input's.
    return_indices : bool, default False
        Whether to return, too, where each maximum was.
    """
    def __init__(self, kernel_size: Any, output_size: Any = None, output_ratio: Any = None, return_indices: _bool = False, _random_samples: Tensor | None = None) -> None: ...


class FractionalMaxPool3d(Applied):
    """Take the largest values of windows at random distances: `functional.fractional_max_pool3d`.

    Parameters
    ----------
    kernel_size : int or tuple of ints
        Of the sliding window: its size, step, margin and spacing.
    output_size : int, float or tuple, optional
        The sizes of the result, or their share of the input's.
    output_ratio : int, float or tuple, optional
        The sizes of the result, or their share of the input's.
    return_indices : bool, default False
        Whether to return, too, where each maximum was.
    """
    def __init__(self, kernel_size: Any, output_size: Any = None, output_ratio: Any = None, return_indices: _bool = False, _random_samples: Tensor | None = None) -> None: ...


class _MaxUnpool(_Pool):
    """A pool whose windows lie side by side where nothing is said of their distance."""
    def forward(self, input: Tensor, indices: Tensor, output_size: Any = None) -> Tensor:
        """Put the values back to the places in `indices`."""


class MaxUnpool1d(_MaxUnpool):
    """Put back what `MaxPool1d` took: `functional.max_unpool1d`.

    Parameters
    ----------
    kernel_size : int or tuple of ints
        Of the sliding window: its size, step, margin and spacing.
    stride : int or tuple of ints, optional
        Of the sliding window: its size, step, margin and spacing.
    padding : int or tuple of ints, default 0
        Of the sliding window: its size, step, margin and spacing.
    """
    def __init__(self, kernel_size: Any, stride: Any = None, padding: Any = 0) -> None: ...


class MaxUnpool2d(_MaxUnpool):
    """Put back what `MaxPool2d` took: `functional.max_unpool2d`.

    Parameters
    ----------
    kernel_size : int or tuple of ints
        Of the sliding window: its size, step, margin and spacing.
    stride : int or tuple of ints, optional
        Of the sliding window: its size, step, margin and spacing.
    padding : int or tuple of ints, default 0
        Of the sliding window: its size, step, margin and spacing.
    """
    def __init__(self, kernel_size: Any, stride: Any = None, padding: Any = 0) -> None: ...


class MaxUnpool3d(_MaxUnpool):
    """Put back what `MaxPool3d` took: `functional.max_unpool3d`.

    Parameters
    ----------
    kernel_size : int or tuple of ints
        Of the sliding window: its size, step, margin and spacing.
    stride : int or tuple of ints, optional
        Of the sliding window: its size, step, margin and spacing.
    padding : int or tuple of ints, default 0
        Of the sliding window: its size, step, margin and spacing.
    """
    def __init__(self, kernel_size: Any, stride: Any = None, padding: Any = 0) -> None: ...


class Unfold(Applied):
    """Make a column of each position of a window: `functional.unfold`.

    Parameters
    ----------
    kernel_size : int or tuple of ints
        Of the sliding window: its size, step, margin and spacing.
    dilation : int or tuple of ints, default 1
        Of the sliding window: its size, step, margin and spacing.
    padding : int or tuple of ints, default 0
        Of the sliding window: its size, step, margin and spacing.
    stride : int or tuple of ints, default 1
        Of the sliding window: its size, step, margin and spacing.
    """
    def __init__(self, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> None: ...


class Fold(Applied):
    """Add up columns in images: `functional.fold`.

    Parameters
    ----------
    output_size : int, float or tuple
        The sizes of the result, or their share of the input's.
    kernel_size : int or tuple of ints
        Of the sliding window: its size, step, margin and spacing.
    dilation : int or tuple of ints, default 1
        Of the sliding window: its size, step, margin and spacing.
    padding : int or tuple of ints, default 0
        Of the sliding window: its size, step, margin and spacing.
    stride : int or tuple of ints, default 1
        Of the sliding window: its size, step, margin and spacing.
    """
    def __init__(self, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> None: ...


class PixelShuffle(Applied):
    """Make of channels larger images: `functional.pixel_shuffle`.

    Parameters
    ----------
    upscale_factor : int
        By how much the image grows or shrinks.
    """
    def __init__(self, upscale_factor: _int) -> None: ...


class PixelUnshuffle(Applied):
    """Make of images more channels: `functional.pixel_unshuffle`.

    Parameters
    ----------
    downscale_factor : int
        By how much the image grows or shrinks.
    """
    def __init__(self, downscale_factor: _int) -> None: ...


class ChannelShuffle(Applied):
    """Deal the channels of groups out in turn: `functional.channel_shuffle`.

    Parameters
    ----------
    groups : int
        Into how many separate parts the channels fall.
    """
    def __init__(self, groups: _int) -> None: ...


class _Resized(Applied):
    """Apply a function whose options are attributes."""
    def __init__(self, *, size: Any, scale_factor: Any, **options: Any) -> None: ...
    def extra_repr(self) -> _str:
        """Say what stands between the brackets when the module is printed; a subclass may."""


class Upsample(_Resized):
    """Give images another size: `functional.interpolate`.

    Parameters
    ----------
    size : int or tuple of ints, optional
        Sizes: separately, or in one sequence.
    scale_factor : float or tuple of floats, optional
        By how much each dimension grows.
    mode : str, default 'nearest'
        Which way is taken.
    align_corners : bool, optional
        Whether the corners keep their values.
    recompute_scale_factor : bool, optional
        Whether the factor is taken from the sizes.

    Examples
    --------
    >>> import symgrad as sg
    >>> sg.nn.Upsample(scale_factor=2)(sg.tensor([[[1.0, 2.0]]]))
    tensor([[[1., 1., 2., 2.]]])
    """
    def __init__(self, size: Any = None, scale_factor: Any = None, mode: _str = 'nearest', align_corners: _bool | None = None, recompute_scale_factor: _bool | None = None) -> None: ...


class UpsamplingNearest2d(Upsample):
    """Give images another size by the nearest pixel.

    Parameters
    ----------
    size : int or tuple of ints, optional
        Sizes: separately, or in one sequence.
    scale_factor : float or tuple of floats, optional
        By how much each dimension grows.
    """
    def __init__(self, size: Any = None, scale_factor: Any = None) -> None: ...


class UpsamplingBilinear2d(Upsample):
    """Give images another size by bilinear interpolation with aligned corners.

    Parameters
    ----------
    size : int or tuple of ints, optional
        Sizes: separately, or in one sequence.
    scale_factor : float or tuple of floats, optional
        By how much each dimension grows.
    """
    def __init__(self, size: Any = None, scale_factor: Any = None) -> None: ...
