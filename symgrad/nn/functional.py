"""Layers and losses as plain functions of tensors: ``symgrad.nn.functional``, usually imported as ``F``.

Each is written in differentiable operations, so it has gradients of every order and a formula. NumPy arrays serve as
tensors; of arrays alone the result is an array, as with the operations themselves.
"""

# ruff: noqa: F401, I001  (the names are for others, and are listed in lines)

from __future__ import annotations

from ..core import taking_carriers as _opened
from ..ops import with_further_names as _taking
from ..ops import set_public_names as _settle
from . import _activation_functions
from ._activation_functions import (
    celu, elu, gelu, glu, gumbel_softmax, hardshrink, hardsigmoid, hardswish, hardtanh, leaky_relu, log_softmax,
    logsigmoid, mish, prelu, relu, relu6, rrelu, selu, sigmoid, silu, softmax, softmin, softplus, softshrink, softsign,
    tanh, tanhshrink, threshold,
)  # fmt: skip
from ._linear_functions import multi_head_attention_forward, scaled_dot_product_attention
from ._loss_functions import cross_entropy, linear_cross_entropy, nll_loss
from ._loss_functions import ctc_loss
from ._resize_functions import affine_grid, grid_sample
from ._linear_functions import bilinear, embedding, embedding_bag, linear, one_hot
from ._loss_functions import (
    binary_cross_entropy, binary_cross_entropy_with_logits, gaussian_nll_loss, huber_loss, kl_div, l1_loss, mse_loss,
    poisson_nll_loss, smooth_l1_loss,
)  # fmt: skip
from ._margin_losses import (
    cosine_embedding_loss, cosine_similarity, hinge_embedding_loss, margin_ranking_loss, multi_margin_loss,
    multilabel_margin_loss, multilabel_soft_margin_loss, pairwise_distance, pdist, soft_margin_loss,
    triplet_margin_loss, triplet_margin_with_distance_loss,
)  # fmt: skip
from ._linear_functions import alpha_dropout, dropout, dropout1d, dropout2d, dropout3d, feature_alpha_dropout
from ._linear_functions import (
    batch_norm,
    group_norm,
    instance_norm,
    layer_norm,
    local_response_norm,
    normalize,
    rms_norm,
)
from ._windows import (
    adaptive_avg_pool1d,
    adaptive_avg_pool2d,
    adaptive_avg_pool3d,
    adaptive_max_pool1d,
    adaptive_max_pool1d_with_indices,
    adaptive_max_pool2d,
    adaptive_max_pool2d_with_indices,
    adaptive_max_pool3d,
    adaptive_max_pool3d_with_indices,
    avg_pool1d,
    avg_pool2d,
    avg_pool3d,
    fractional_max_pool2d,
    fractional_max_pool2d_with_indices,
    fractional_max_pool3d,
    fractional_max_pool3d_with_indices,
    lp_pool1d,
    lp_pool2d,
    lp_pool3d,
    max_pool1d,
    max_pool1d_with_indices,
    max_pool2d,
    max_pool2d_with_indices,
    max_pool3d,
    max_pool3d_with_indices,
    max_unpool1d,
    max_unpool2d,
    max_unpool3d,
)
from ._resize_functions import (
    channel_shuffle, interpolate, native_channel_shuffle, pad, pixel_shuffle, pixel_unshuffle, upsample,
    upsample_bilinear, upsample_nearest,
)  # fmt: skip
from ._windows import (
    conv1d, conv2d, conv3d, conv_tbc, conv_transpose1d, conv_transpose2d, conv_transpose3d, fold, unfold,
)  # fmt: skip

celu_, elu_, hardtanh_, leaky_relu_, relu_, rrelu_, selu_, threshold_ = map(
    _activation_functions.underscored, (celu, elu, hardtanh, leaky_relu, relu, rrelu, selu, threshold)
)

normalize = _taking(normalize, out=True)

__all__ = sorted(name for name, value in globals().items() if callable(value) and name[0] != "_")

globals().update(
    {
        name: _opened(_activation_functions.takes_arrays(globals()[name], __name__), name.endswith("_"))
        for name in __all__
    }
)
_settle(__name__, globals(), __all__)
