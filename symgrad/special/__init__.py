"""PyTorch's ``torch.special`` names."""

from ..core import TABLE
from ..ops import FUNCTIONS

erf, erfc, erfinv = FUNCTIONS["erf"], FUNCTIONS["erfc"], FUNCTIONS["erfinv"]
exp2, expm1, log1p = FUNCTIONS["exp2"], FUNCTIONS["expm1"], FUNCTIONS["log1p"]
gammaln, digamma, polygamma = FUNCTIONS["lgamma"], FUNCTIONS["digamma"], FUNCTIONS["polygamma"]
psi = digamma
expit, logsumexp, softmax, log_softmax = (FUNCTIONS[n] for n in ("sigmoid", "logsumexp", "softmax", "log_softmax"))
xlogy, sinc = FUNCTIONS["xlogy"], FUNCTIONS["sinc"]
xlog1py, ndtr, normal_pdf = TABLE["xlog1py"].apply, TABLE["ndtr"].apply, TABLE["normal_pdf"].apply

__all__ = [
    "digamma", "erf", "erfc", "erfinv", "exp2", "expit", "expm1", "gammaln", "log1p", "log_softmax", "logsumexp",
    "ndtr", "normal_pdf", "polygamma", "psi", "sinc", "softmax", "xlog1py", "xlogy",
]  # fmt: skip
