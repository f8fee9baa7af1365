"""PyTorch's ``torch.special`` names, and SciPy's of the functions that PyTorch lacks."""

from ..core import TABLE
from ..ops import FUNCTIONS
from ..ops._public import settle as _settle

erf, erfc, erfinv = FUNCTIONS["erf"], FUNCTIONS["erfc"], FUNCTIONS["erfinv"]
exp2, expm1, log1p = FUNCTIONS["exp2"], FUNCTIONS["expm1"], FUNCTIONS["log1p"]
gammaln, digamma, polygamma = FUNCTIONS["lgamma"], FUNCTIONS["digamma"], FUNCTIONS["polygamma"]
psi = digamma
expit, logsumexp, softmax, log_softmax = (FUNCTIONS[n] for n in ("sigmoid", "logsumexp", "softmax", "log_softmax"))
xlogy, sinc = FUNCTIONS["xlogy"], FUNCTIONS["sinc"]
xlog1py, ndtr, normal_pdf = TABLE["xlog1py"].apply, TABLE["ndtr"].apply, TABLE["normal_pdf"].apply
beta, betaln, gamma = (TABLE[n].apply for n in ("beta", "betaln", "gamma"))
kl_div, rel_entr = TABLE["kl_div"].apply, TABLE["rel_entr"].apply
entr, log_ndtr, logit, ndtri = (TABLE[n].apply for n in ("entr", "log_ndtr", "logit", "ndtri"))

__all__ = [
    "beta", "betaln", "digamma", "entr", "erf", "erfc", "erfinv", "exp2", "expit", "expm1", "gamma", "gammaln",
    "kl_div", "log1p", "log_ndtr", "log_softmax", "logit", "logsumexp", "ndtr", "ndtri", "normal_pdf", "polygamma",
    "psi", "rel_entr", "sinc", "softmax", "xlog1py", "xlogy",
]  # fmt: skip

_settle(__name__, globals(), __all__)
