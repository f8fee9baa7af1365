"""PyTorch's ``torch.special`` names, and SciPy's of the functions that PyTorch lacks."""

from ..core import TABLE
from ..ops import FUNCTIONS
from ..ops import set_public_names as _settle
from ..ops import with_further_names as _taking
from ..ops.entries.all_special import SCIPY_NAMES
from ..ops.entries.bessel import SPECIAL

erf, erfc, erfinv = FUNCTIONS["erf"], FUNCTIONS["erfc"], FUNCTIONS["erfinv"]
exp2, expm1, log1p = FUNCTIONS["exp2"], FUNCTIONS["expm1"], FUNCTIONS["log1p"]
gammaln, digamma, polygamma = FUNCTIONS["lgamma"], FUNCTIONS["digamma"], FUNCTIONS["polygamma"]
psi, multigammaln, round = digamma, FUNCTIONS["mvlgamma"], FUNCTIONS["round"]
expit, logsumexp, softmax, log_softmax = (FUNCTIONS[n] for n in ("sigmoid", "logsumexp", "softmax", "log_softmax"))
xlogy, sinc, logit = FUNCTIONS["xlogy"], FUNCTIONS["sinc"], FUNCTIONS["logit"]
xlog1py, ndtr, normal_pdf = TABLE["xlog1py"].apply, TABLE["ndtr"].apply, TABLE["normal_pdf"].apply
beta, betaln, gamma = (TABLE[n].apply for n in ("beta", "betaln", "gamma"))
kl_div, rel_entr = TABLE["kl_div"].apply, TABLE["rel_entr"].apply
entr, log_ndtr, ndtri = (TABLE[n].apply for n in ("entr", "log_ndtr", "ndtri"))
globals().update({name: _taking(fn, {"x": "input"}, out=True) for name, fn in SPECIAL.items()})
_OF_SCIPY = {
    name: SCIPY_NAMES[name] for name in sorted(SCIPY_NAMES) if not name.startswith("_") and name not in SPECIAL
}
globals().update(_OF_SCIPY)

__all__ = [
    "beta", "betaln", "digamma", "entr", "erf", "erfc", "erfinv", "exp2", "expit", "expm1", "gamma", "gammaln",
    "kl_div", "log1p", "log_ndtr", "log_softmax", "logit", "logsumexp", "multigammaln", "ndtr", "ndtri", "normal_pdf",
    "polygamma", "psi", "rel_entr", "round", "sinc", "softmax", "xlog1py", "xlogy", *SPECIAL, *_OF_SCIPY,
]  # fmt: skip

_settle(__name__, globals(), __all__)
