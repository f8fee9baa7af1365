"""Networks: modules, layers, losses, initialisation. PyTorch's ``torch.nn``, written in symgrad's own operations. Written by docs/_stubs.py: change the functions, not this text."""

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

from . import functional as functional
from . import init as init
from . import utils as utils
from ._applied_modules import AdaptiveAvgPool1d as AdaptiveAvgPool1d
from ._applied_modules import AdaptiveAvgPool2d as AdaptiveAvgPool2d
from ._applied_modules import AdaptiveAvgPool3d as AdaptiveAvgPool3d
from ._applied_modules import AdaptiveMaxPool1d as AdaptiveMaxPool1d
from ._applied_modules import AdaptiveMaxPool2d as AdaptiveMaxPool2d
from ._applied_modules import AdaptiveMaxPool3d as AdaptiveMaxPool3d
from ._applied_modules import AlphaDropout as AlphaDropout
from ._applied_modules import AvgPool1d as AvgPool1d
from ._applied_modules import AvgPool2d as AvgPool2d
from ._applied_modules import AvgPool3d as AvgPool3d
from ._applied_modules import BCELoss as BCELoss
from ._applied_modules import BCEWithLogitsLoss as BCEWithLogitsLoss
from ._applied_modules import CELU as CELU
from ._applied_modules import CTCLoss as CTCLoss
from ._applied_modules import ChannelShuffle as ChannelShuffle
from ._applied_modules import CosineEmbeddingLoss as CosineEmbeddingLoss
from ._applied_modules import CosineSimilarity as CosineSimilarity
from ._applied_modules import CrossEntropyLoss as CrossEntropyLoss
from ._applied_modules import Dropout as Dropout
from ._applied_modules import Dropout1d as Dropout1d
from ._applied_modules import Dropout2d as Dropout2d
from ._applied_modules import Dropout3d as Dropout3d
from ._applied_modules import ELU as ELU
from ._applied_modules import FeatureAlphaDropout as FeatureAlphaDropout
from ._applied_modules import Fold as Fold
from ._applied_modules import FractionalMaxPool2d as FractionalMaxPool2d
from ._applied_modules import FractionalMaxPool3d as FractionalMaxPool3d
from ._applied_modules import GELU as GELU
from ._applied_modules import GLU as GLU
from ._applied_modules import GaussianNLLLoss as GaussianNLLLoss
from ._applied_modules import Hardshrink as Hardshrink
from ._applied_modules import Hardsigmoid as Hardsigmoid
from ._applied_modules import Hardswish as Hardswish
from ._applied_modules import Hardtanh as Hardtanh
from ._applied_modules import HingeEmbeddingLoss as HingeEmbeddingLoss
from ._applied_modules import HuberLoss as HuberLoss
from ._applied_modules import KLDivLoss as KLDivLoss
from ._applied_modules import L1Loss as L1Loss
from ._applied_modules import LPPool1d as LPPool1d
from ._applied_modules import LPPool2d as LPPool2d
from ._applied_modules import LPPool3d as LPPool3d
from ._applied_modules import LeakyReLU as LeakyReLU
from ._applied_modules import LinearCrossEntropyLoss as LinearCrossEntropyLoss
from ._applied_modules import LocalResponseNorm as LocalResponseNorm
from ._applied_modules import LogSigmoid as LogSigmoid
from ._applied_modules import LogSoftmax as LogSoftmax
from ._applied_modules import MSELoss as MSELoss
from ._applied_modules import MarginRankingLoss as MarginRankingLoss
from ._applied_modules import MaxPool1d as MaxPool1d
from ._applied_modules import MaxPool2d as MaxPool2d
from ._applied_modules import MaxPool3d as MaxPool3d
from ._applied_modules import MaxUnpool1d as MaxUnpool1d
from ._applied_modules import MaxUnpool2d as MaxUnpool2d
from ._applied_modules import MaxUnpool3d as MaxUnpool3d
from ._applied_modules import Mish as Mish
from ._applied_modules import MultiLabelMarginLoss as MultiLabelMarginLoss
from ._applied_modules import MultiLabelSoftMarginLoss as MultiLabelSoftMarginLoss
from ._applied_modules import MultiMarginLoss as MultiMarginLoss
from ._applied_modules import NLLLoss as NLLLoss
from ._applied_modules import NLLLoss2d as NLLLoss2d
from ._applied_modules import PairwiseDistance as PairwiseDistance
from ._applied_modules import PixelShuffle as PixelShuffle
from ._applied_modules import PixelUnshuffle as PixelUnshuffle
from ._applied_modules import PoissonNLLLoss as PoissonNLLLoss
from ._applied_modules import RReLU as RReLU
from ._applied_modules import ReLU as ReLU
from ._applied_modules import ReLU6 as ReLU6
from ._applied_modules import SELU as SELU
from ._applied_modules import SiLU as SiLU
from ._applied_modules import Sigmoid as Sigmoid
from ._applied_modules import SmoothL1Loss as SmoothL1Loss
from ._applied_modules import SoftMarginLoss as SoftMarginLoss
from ._applied_modules import Softmax as Softmax
from ._applied_modules import Softmax2d as Softmax2d
from ._applied_modules import Softmin as Softmin
from ._applied_modules import Softplus as Softplus
from ._applied_modules import Softshrink as Softshrink
from ._applied_modules import Softsign as Softsign
from ._applied_modules import Tanh as Tanh
from ._applied_modules import Tanhshrink as Tanhshrink
from ._applied_modules import Threshold as Threshold
from ._applied_modules import TripletMarginLoss as TripletMarginLoss
from ._applied_modules import TripletMarginWithDistanceLoss as TripletMarginWithDistanceLoss
from ._applied_modules import Unfold as Unfold
from ._applied_modules import Upsample as Upsample
from ._applied_modules import UpsamplingBilinear2d as UpsamplingBilinear2d
from ._applied_modules import UpsamplingNearest2d as UpsamplingNearest2d
from ._containers import ModuleDict as ModuleDict
from ._containers import ModuleList as ModuleList
from ._containers import ParameterDict as ParameterDict
from ._containers import ParameterList as ParameterList
from ._containers import Sequential as Sequential
from ._layers import AdaptiveLogSoftmaxWithLoss as AdaptiveLogSoftmaxWithLoss
from ._layers import BatchNorm1d as BatchNorm1d
from ._layers import BatchNorm2d as BatchNorm2d
from ._layers import BatchNorm3d as BatchNorm3d
from ._layers import Bilinear as Bilinear
from ._layers import Embedding as Embedding
from ._layers import EmbeddingBag as EmbeddingBag
from ._layers import Flatten as Flatten
from ._layers import GroupNorm as GroupNorm
from ._layers import Identity as Identity
from ._layers import InstanceNorm1d as InstanceNorm1d
from ._layers import InstanceNorm2d as InstanceNorm2d
from ._layers import InstanceNorm3d as InstanceNorm3d
from ._layers import LayerNorm as LayerNorm
from ._layers import Linear as Linear
from ._layers import PReLU as PReLU
from ._layers import RMSNorm as RMSNorm
from ._layers import Unflatten as Unflatten
from ._module import Module as Module
from ._parameter import Buffer as Buffer
from ._parameter import Parameter as Parameter
from ._sequences import GRU as GRU
from ._sequences import GRUCell as GRUCell
from ._sequences import LSTM as LSTM
from ._sequences import LSTMCell as LSTMCell
from ._sequences import MultiheadAttention as MultiheadAttention
from ._sequences import RNN as RNN
from ._sequences import RNNBase as RNNBase
from ._sequences import RNNCell as RNNCell
from ._sequences import RNNCellBase as RNNCellBase
from ._sequences import Transformer as Transformer
from ._sequences import TransformerDecoder as TransformerDecoder
from ._sequences import TransformerDecoderLayer as TransformerDecoderLayer
from ._sequences import TransformerEncoder as TransformerEncoder
from ._sequences import TransformerEncoderLayer as TransformerEncoderLayer
from ._sliding import CircularPad1d as CircularPad1d
from ._sliding import CircularPad2d as CircularPad2d
from ._sliding import CircularPad3d as CircularPad3d
from ._sliding import ConstantPad1d as ConstantPad1d
from ._sliding import ConstantPad2d as ConstantPad2d
from ._sliding import ConstantPad3d as ConstantPad3d
from ._sliding import Conv1d as Conv1d
from ._sliding import Conv2d as Conv2d
from ._sliding import Conv3d as Conv3d
from ._sliding import ConvTranspose1d as ConvTranspose1d
from ._sliding import ConvTranspose2d as ConvTranspose2d
from ._sliding import ConvTranspose3d as ConvTranspose3d
from ._sliding import ReflectionPad1d as ReflectionPad1d
from ._sliding import ReflectionPad2d as ReflectionPad2d
from ._sliding import ReflectionPad3d as ReflectionPad3d
from ._sliding import ReplicationPad1d as ReplicationPad1d
from ._sliding import ReplicationPad2d as ReplicationPad2d
from ._sliding import ReplicationPad3d as ReplicationPad3d
from ._sliding import ZeroPad1d as ZeroPad1d
from ._sliding import ZeroPad2d as ZeroPad2d
from ._sliding import ZeroPad3d as ZeroPad3d

__all__ = [
    "AdaptiveAvgPool1d", "AdaptiveAvgPool2d", "AdaptiveAvgPool3d", "AdaptiveLogSoftmaxWithLoss", "AdaptiveMaxPool1d",
    "AdaptiveMaxPool2d", "AdaptiveMaxPool3d", "AlphaDropout", "AvgPool1d", "AvgPool2d", "AvgPool3d", "BCELoss",
    "BCEWithLogitsLoss", "BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "Bilinear", "Buffer", "CELU", "CTCLoss",
    "ChannelShuffle", "CircularPad1d", "CircularPad2d", "CircularPad3d", "ConstantPad1d", "ConstantPad2d",
    "ConstantPad3d", "Conv1d", "Conv2d", "Conv3d", "ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d",
    "CosineEmbeddingLoss", "CosineSimilarity", "CrossEntropyLoss", "Dropout", "Dropout1d", "Dropout2d", "Dropout3d",
    "ELU", "Embedding", "EmbeddingBag", "FeatureAlphaDropout", "Flatten", "Fold", "FractionalMaxPool2d",
    "FractionalMaxPool3d", "GELU", "GLU", "GRU", "GRUCell", "GaussianNLLLoss", "GroupNorm", "Hardshrink", "Hardsigmoid",
    "Hardswish", "Hardtanh", "HingeEmbeddingLoss", "HuberLoss", "Identity", "InstanceNorm1d", "InstanceNorm2d",
    "InstanceNorm3d", "KLDivLoss", "L1Loss", "LPPool1d", "LPPool2d", "LPPool3d", "LSTM", "LSTMCell", "LayerNorm",
    "LeakyReLU", "Linear", "LinearCrossEntropyLoss", "LocalResponseNorm", "LogSigmoid", "LogSoftmax", "MSELoss",
    "MarginRankingLoss", "MaxPool1d", "MaxPool2d", "MaxPool3d", "MaxUnpool1d", "MaxUnpool2d", "MaxUnpool3d", "Mish",
    "Module", "ModuleDict", "ModuleList", "MultiLabelMarginLoss", "MultiLabelSoftMarginLoss", "MultiMarginLoss",
    "MultiheadAttention", "NLLLoss", "NLLLoss2d", "PReLU", "PairwiseDistance", "Parameter", "ParameterDict",
    "ParameterList", "PixelShuffle", "PixelUnshuffle", "PoissonNLLLoss", "RMSNorm", "RNN", "RNNBase", "RNNCell",
    "RNNCellBase", "RReLU", "ReLU", "ReLU6", "ReflectionPad1d", "ReflectionPad2d", "ReflectionPad3d",
    "ReplicationPad1d", "ReplicationPad2d", "ReplicationPad3d", "SELU", "Sequential", "SiLU", "Sigmoid", "SmoothL1Loss",
    "SoftMarginLoss", "Softmax", "Softmax2d", "Softmin", "Softplus", "Softshrink", "Softsign", "Tanh", "Tanhshrink",
    "Threshold", "Transformer", "TransformerDecoder", "TransformerDecoderLayer", "TransformerEncoder",
    "TransformerEncoderLayer", "TripletMarginLoss", "TripletMarginWithDistanceLoss", "Unflatten", "Unfold", "Upsample",
    "UpsamplingBilinear2d", "UpsamplingNearest2d", "ZeroPad1d", "ZeroPad2d", "ZeroPad3d", "functional", "init", "utils",
]
