"""`scipy.special` with derivatives: its ufuncs, which take tensors as they are, and what SciPy writes in Python. Written by docs/_stubs.py: change the functions, not this text."""

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

from ._python_written import lambertw as lambertw
from ._python_written import log_softmax as log_softmax
from ._python_written import logsumexp as logsumexp
from ._python_written import multigammaln as multigammaln
from ._python_written import polygamma as polygamma
from ._python_written import softmax as softmax
from ._python_written import softplus as softplus
from ._python_written import sph_harm_y as sph_harm_y
from ._python_written import spherical_in as spherical_in
from ._python_written import spherical_jn as spherical_jn
from ._python_written import spherical_kn as spherical_kn
from ._python_written import spherical_yn as spherical_yn
from ._python_written import stdtrit as stdtrit
from ._python_written import zeta as zeta

airy: np.ufunc
airye: np.ufunc
bdtr: np.ufunc
bdtrc: np.ufunc
bdtri: np.ufunc
beta: np.ufunc
betainc: np.ufunc
betaincc: np.ufunc
betainccinv: np.ufunc
betaincinv: np.ufunc
betaln: np.ufunc
boxcox: np.ufunc
boxcox1p: np.ufunc
cbrt: np.ufunc
chdtr: np.ufunc
chdtrc: np.ufunc
chdtri: np.ufunc
dawsn: np.ufunc
digamma: np.ufunc
ellipe: np.ufunc
ellipeinc: np.ufunc
ellipj: np.ufunc
ellipk: np.ufunc
ellipkinc: np.ufunc
ellipkm1: np.ufunc
elliprc: np.ufunc
elliprd: np.ufunc
elliprf: np.ufunc
elliprg: np.ufunc
entr: np.ufunc
erf: np.ufunc
erfc: np.ufunc
erfcinv: np.ufunc
erfcx: np.ufunc
erfi: np.ufunc
erfinv: np.ufunc
eval_chebyc: np.ufunc
eval_chebys: np.ufunc
eval_chebyt: np.ufunc
eval_chebyu: np.ufunc
eval_gegenbauer: np.ufunc
eval_genlaguerre: np.ufunc
eval_hermite: np.ufunc
eval_hermitenorm: np.ufunc
eval_jacobi: np.ufunc
eval_laguerre: np.ufunc
eval_legendre: np.ufunc
eval_sh_chebyt: np.ufunc
eval_sh_chebyu: np.ufunc
eval_sh_jacobi: np.ufunc
eval_sh_legendre: np.ufunc
exp1: np.ufunc
exp10: np.ufunc
exp2: np.ufunc
expi: np.ufunc
expit: np.ufunc
expm1: np.ufunc
expn: np.ufunc
exprel: np.ufunc
fdtr: np.ufunc
fdtrc: np.ufunc
fdtri: np.ufunc
fresnel: np.ufunc
gamma: np.ufunc
gammainc: np.ufunc
gammaincc: np.ufunc
gammainccinv: np.ufunc
gammaincinv: np.ufunc
gammaln: np.ufunc
gdtr: np.ufunc
gdtrc: np.ufunc
gdtrix: np.ufunc
hankel1: np.ufunc
hankel2: np.ufunc
huber: np.ufunc
hyp0f1: np.ufunc
hyp1f1: np.ufunc
hyp2f1: np.ufunc
hyperu: np.ufunc
i0: np.ufunc
i0e: np.ufunc
i1: np.ufunc
i1e: np.ufunc
inv_boxcox: np.ufunc
inv_boxcox1p: np.ufunc
iv: np.ufunc
ive: np.ufunc
j0: np.ufunc
j1: np.ufunc
jn: np.ufunc
jv: np.ufunc
jve: np.ufunc
k0: np.ufunc
k0e: np.ufunc
k1: np.ufunc
k1e: np.ufunc
kl_div: np.ufunc
kn: np.ufunc
kv: np.ufunc
kve: np.ufunc
log1p: np.ufunc
log_expit: np.ufunc
log_ndtr: np.ufunc
loggamma: np.ufunc
logit: np.ufunc
modstruve: np.ufunc
nbdtr: np.ufunc
nbdtrc: np.ufunc
ndtr: np.ufunc
ndtri: np.ufunc
ndtri_exp: np.ufunc
owens_t: np.ufunc
pdtr: np.ufunc
pdtrc: np.ufunc
pdtri: np.ufunc
poch: np.ufunc
pseudo_huber: np.ufunc
psi: np.ufunc
rel_entr: np.ufunc
rgamma: np.ufunc
round: np.ufunc
shichi: np.ufunc
sici: np.ufunc
sinc: Callable[..., Any]
spence: np.ufunc
stdtr: np.ufunc
struve: np.ufunc
wofz: np.ufunc
wrightomega: np.ufunc
xlog1py: np.ufunc
xlogy: np.ufunc
y0: np.ufunc
y1: np.ufunc
yn: np.ufunc
yv: np.ufunc
yve: np.ufunc

def __getattr__(name: _str) -> Any: ...

__all__ = [
    "lambertw", "log_softmax", "logsumexp", "multigammaln", "polygamma", "softmax", "softplus", "sph_harm_y",
    "spherical_in", "spherical_jn", "spherical_kn", "spherical_yn", "stdtrit", "zeta", "sinc", "bdtr", "bdtrc", "bdtri",
    "betainc", "betaincc", "betainccinv", "betaincinv", "boxcox", "boxcox1p", "chdtr", "chdtrc", "chdtri", "elliprc",
    "elliprd", "elliprf", "elliprg", "entr", "erfcinv", "erfinv", "eval_chebyc", "eval_chebys", "eval_chebyt",
    "eval_chebyu", "eval_gegenbauer", "eval_genlaguerre", "eval_hermite", "eval_hermitenorm", "eval_jacobi",
    "eval_laguerre", "eval_legendre", "eval_sh_chebyt", "eval_sh_chebyu", "eval_sh_jacobi", "eval_sh_legendre", "expn",
    "fdtr", "fdtrc", "fdtri", "gdtr", "gdtrc", "gdtrix", "huber", "hyp0f1", "hyp1f1", "hyperu", "inv_boxcox",
    "inv_boxcox1p", "kl_div", "kn", "nbdtr", "nbdtrc", "ndtri", "ndtri_exp", "owens_t", "pdtr", "pdtrc", "pdtri",
    "poch", "pseudo_huber", "rel_entr", "round", "shichi", "sici", "spence", "stdtr", "wrightomega", "yn", "jn", "airy",
    "airye", "exp1", "expi", "expit", "exprel", "gamma", "gammaln", "hankel1", "hankel2", "hyp2f1", "iv", "ive", "jv",
    "jve", "kv", "kve", "log_expit", "loggamma", "logit", "psi", "rgamma", "yv", "yve", "i0", "i0e", "i1", "i1e", "k0",
    "k0e", "k1", "k1e", "y0", "y1", "j0", "j1", "struve", "modstruve", "beta", "betaln", "gammaln", "cbrt", "gammainc",
    "gammaincinv", "gammaincc", "gammainccinv", "fresnel", "ellipe", "ellipeinc", "ellipk", "ellipkinc", "ellipkm1",
    "ellipj", "erf", "erfc", "erfcx", "erfi", "wofz", "dawsn", "ndtr", "log_ndtr", "exp2", "exp10", "expm1", "log1p",
    "xlogy", "xlog1py", "digamma",
]
