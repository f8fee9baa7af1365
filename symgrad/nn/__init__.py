"""Networks: modules, layers, losses, initialisation. PyTorch's ``torch.nn``, written in symgrad's own operations."""

# ruff: noqa: F401, I001  (the names are for others, and are listed in lines)

from ..ops import set_public_names as _settle
from . import functional, init, utils
from ._applied_modules import (
    AdaptiveAvgPool1d, AdaptiveAvgPool2d, AdaptiveAvgPool3d, AdaptiveMaxPool1d, AdaptiveMaxPool2d, AdaptiveMaxPool3d,
    AlphaDropout, AvgPool1d, AvgPool2d, AvgPool3d, BCELoss, BCEWithLogitsLoss, CELU, CTCLoss, ChannelShuffle,
    CosineEmbeddingLoss, CosineSimilarity, CrossEntropyLoss, Dropout, Dropout1d, Dropout2d, Dropout3d, ELU,
    FeatureAlphaDropout, Fold, FractionalMaxPool2d, FractionalMaxPool3d, GELU, GLU, GaussianNLLLoss, Hardshrink,
    Hardsigmoid, Hardswish, Hardtanh, HingeEmbeddingLoss, HuberLoss, KLDivLoss, L1Loss, LPPool1d, LPPool2d, LPPool3d,
    LeakyReLU, LinearCrossEntropyLoss, LocalResponseNorm, LogSigmoid, LogSoftmax, MSELoss, MarginRankingLoss, MaxPool1d,
    MaxPool2d, MaxPool3d, MaxUnpool1d, MaxUnpool2d, MaxUnpool3d, Mish, MultiLabelMarginLoss, MultiLabelSoftMarginLoss,
    MultiMarginLoss, NLLLoss, NLLLoss2d, PairwiseDistance, PixelShuffle, PixelUnshuffle, PoissonNLLLoss, RReLU, ReLU,
    ReLU6, SELU, SiLU, Sigmoid, SmoothL1Loss, SoftMarginLoss, Softmax, Softmax2d, Softmin, Softplus, Softshrink,
    Softsign, Tanh, Tanhshrink, Threshold, TripletMarginLoss, TripletMarginWithDistanceLoss, Unfold, Upsample,
    UpsamplingBilinear2d, UpsamplingNearest2d,
)  # fmt: skip
from ._containers import ModuleDict, ModuleList, ParameterDict, ParameterList, Sequential
from ._layers import (
    AdaptiveLogSoftmaxWithLoss, BatchNorm1d, BatchNorm2d, BatchNorm3d, Bilinear, Embedding, EmbeddingBag, Flatten,
    GroupNorm, Identity, InstanceNorm1d, InstanceNorm2d, InstanceNorm3d, LayerNorm, Linear, PReLU, RMSNorm, Unflatten,
)  # fmt: skip
from ._module import Module
from ._parameter import Buffer, Parameter
from ._sequences import (
    GRU, GRUCell, LSTM, LSTMCell, MultiheadAttention, RNN, RNNBase, RNNCell, RNNCellBase, Transformer,
    TransformerDecoder, TransformerDecoderLayer, TransformerEncoder, TransformerEncoderLayer,
)  # fmt: skip
from ._sliding import (
    CircularPad1d, CircularPad2d, CircularPad3d, ConstantPad1d, ConstantPad2d, ConstantPad3d, Conv1d, Conv2d, Conv3d,
    ConvTranspose1d, ConvTranspose2d, ConvTranspose3d, ReflectionPad1d, ReflectionPad2d, ReflectionPad3d,
    ReplicationPad1d, ReplicationPad2d, ReplicationPad3d, ZeroPad1d, ZeroPad2d, ZeroPad3d,
)  # fmt: skip

__all__ = [name for name in sorted(globals()) if name[0] != "_"]

_settle(__name__, globals(), __all__)
