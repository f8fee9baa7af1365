"""Networks: modules, layers, losses, initialisation. PyTorch's ``torch.nn``, written in symgrad's own operations."""

from ..ops._public import settle as _settle
from . import functional, init, utils
from ._activations import (
    ELU,
    GELU,
    LeakyReLU,
    LogSigmoid,
    LogSoftmax,
    ReLU,
    Sigmoid,
    SiLU,
    Softmax,
    Softplus,
    Softsign,
    Tanh,
)
from ._containers import ModuleDict, ModuleList, ParameterDict, ParameterList, Sequential
from ._layers import Bilinear, Dropout, Embedding, Flatten, Identity, Linear, Unflatten
from ._losses import (
    BCELoss,
    BCEWithLogitsLoss,
    CrossEntropyLoss,
    GaussianNLLLoss,
    HuberLoss,
    KLDivLoss,
    L1Loss,
    MSELoss,
    NLLLoss,
    PoissonNLLLoss,
    SmoothL1Loss,
)
from ._module import Module
from ._norms import BatchNorm1d, BatchNorm2d, LayerNorm
from ._parameter import Parameter
from ._sliding import AvgPool1d, AvgPool2d, Conv1d, Conv2d, MaxPool1d, MaxPool2d

__all__ = [
    "ELU",
    "GELU",
    "AvgPool1d",
    "AvgPool2d",
    "BCELoss",
    "BCEWithLogitsLoss",
    "BatchNorm1d",
    "BatchNorm2d",
    "Bilinear",
    "Conv1d",
    "Conv2d",
    "CrossEntropyLoss",
    "Dropout",
    "Embedding",
    "Flatten",
    "GaussianNLLLoss",
    "HuberLoss",
    "Identity",
    "KLDivLoss",
    "L1Loss",
    "LayerNorm",
    "LeakyReLU",
    "Linear",
    "LogSigmoid",
    "LogSoftmax",
    "MSELoss",
    "MaxPool1d",
    "MaxPool2d",
    "Module",
    "ModuleDict",
    "ModuleList",
    "NLLLoss",
    "Parameter",
    "ParameterDict",
    "ParameterList",
    "PoissonNLLLoss",
    "ReLU",
    "Sequential",
    "SiLU",
    "Sigmoid",
    "SmoothL1Loss",
    "Softmax",
    "Softplus",
    "Softsign",
    "Tanh",
    "Unflatten",
    "functional",
    "init",
    "utils",
]

_settle(__name__, globals(), __all__)
