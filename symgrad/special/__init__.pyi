"""PyTorch's ``torch.special`` names, and SciPy's of the functions that PyTorch lacks. Written by docs/_stubs.py: change the functions, not this text."""

# ruff: noqa
# fmt: off
from builtins import bool as _bool, complex as _complex, float as _float, int as _int, object as _object, str as _str, type as _type
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, overload

import numpy as np

from .. import return_types
from ..core import Tensor

@overload
def beta(_a: Tensor, _b: Any) -> Tensor:
    """the beta function, gamma(a) gamma(b) / gamma(a + b)"""
@overload
def beta(_a: Any, _b: Any) -> Any: ...
@overload
def betaln(_a: Tensor, _b: Any) -> Tensor:
    """log |beta(a, b)|, without overflow"""
@overload
def betaln(_a: Any, _b: Any) -> Any: ...
@overload
def digamma(_a: Tensor) -> Tensor:
    """the derivative of lgamma"""
@overload
def digamma(_a: Any) -> Any: ...
@overload
def entr(_a: Tensor) -> Tensor:
    """-x * log(x), 0 at 0 and -inf below"""
@overload
def entr(_a: Any) -> Any: ...
@overload
def erf(_a: Tensor) -> Tensor:
    """the error function"""
@overload
def erf(_a: Any) -> Any: ...
@overload
def erfc(_a: Tensor) -> Tensor:
    """1 - erf(x), exact for large x"""
@overload
def erfc(_a: Any) -> Any: ...
@overload
def erfinv(_a: Tensor) -> Tensor:
    """the inverse of erf"""
@overload
def erfinv(_a: Any) -> Any: ...
@overload
def exp2(_a: Tensor) -> Tensor:
    """2 to the power of x"""
@overload
def exp2(_a: Any) -> Any: ...
@overload
def expit(_a: Tensor) -> Tensor:
    """1 / (1 + exp(-x)), without overflow"""
@overload
def expit(_a: Any) -> Any: ...
@overload
def expm1(_a: Tensor) -> Tensor:
    """exp(x) - 1, exact near 0"""
@overload
def expm1(_a: Any) -> Any: ...
@overload
def gamma(_a: Tensor) -> Tensor:
    """the gamma function"""
@overload
def gamma(_a: Any) -> Any: ...
@overload
def gammaln(_a: Tensor) -> Tensor:
    """log |gamma(x)|"""
@overload
def gammaln(_a: Any) -> Any: ...
@overload
def kl_div(_a: Tensor, _b: Any) -> Tensor:
    """a * log(a / b) - a + b, b where a is 0 and b is not negative"""
@overload
def kl_div(_a: Any, _b: Any) -> Any: ...
@overload
def log1p(_a: Tensor) -> Tensor:
    """log(1 + x), exact near 0"""
@overload
def log1p(_a: Any) -> Any: ...
@overload
def log_ndtr(_a: Tensor) -> Tensor:
    """log(ndtr(x)), exact for large negative x"""
@overload
def log_ndtr(_a: Any) -> Any: ...
@overload
def log_softmax(input: Tensor, dim: _int, dtype: Any = None) -> Tensor:
    """Return ``log(softmax(input))`` along ``dim``, without overflow."""
@overload
def log_softmax(input: Any, dim: _int, dtype: Any = None) -> Any: ...
@overload
def logit(_a: Tensor) -> Tensor:
    """log(x / (1 - x)), the inverse of sigmoid"""
@overload
def logit(_a: Any) -> Any: ...
@overload
def logsumexp(input: Tensor, dim: Any, keepdim: _bool = False) -> Tensor:
    """Return ``log(sum(exp(input)))`` along ``dim`` (a number or several), without overflow; its gradient is softmax.

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor([1000.0, 1000.0], requires_grad=True)
    >>> sg.logsumexp(x, 0)
    tensor(1000.6931, grad_fn=<LogsumexpBackward0>)
    """
@overload
def logsumexp(input: Any, dim: Any, keepdim: _bool = False) -> Any: ...
@overload
def ndtr(_a: Tensor) -> Tensor:
    """the normal distribution function"""
@overload
def ndtr(_a: Any) -> Any: ...
@overload
def ndtri(_a: Tensor) -> Tensor:
    """the inverse of ndtr: the quantile of the normal distribution"""
@overload
def ndtri(_a: Any) -> Any: ...
@overload
def normal_pdf(_a: Tensor) -> Tensor:
    """the standard normal density, exp(-x**2/2) / sqrt(2 pi)"""
@overload
def normal_pdf(_a: Any) -> Any: ...
@overload
def polygamma(n: Tensor, input: Any) -> Tensor:
    """Return the ``n``-th derivative of digamma at ``input`` (the method is ``input.polygamma(n)``)."""
@overload
def polygamma(n: Any, input: Any) -> Any: ...
@overload
def psi(_a: Tensor) -> Tensor:
    """the derivative of lgamma"""
@overload
def psi(_a: Any) -> Any: ...
@overload
def rel_entr(_a: Tensor, _b: Any) -> Tensor:
    """a * log(a / b), 0 where a is 0 and b is not negative"""
@overload
def rel_entr(_a: Any, _b: Any) -> Any: ...
@overload
def sinc(_a: Tensor) -> Tensor:
    """sin(pi x) / (pi x), 1 at 0"""
@overload
def sinc(_a: Any) -> Any: ...
@overload
def softmax(input: Tensor, dim: _int, dtype: Any = None) -> Tensor:
    """Return ``exp(input) / sum(exp(input))`` along ``dim``, without overflow."""
@overload
def softmax(input: Any, dim: _int, dtype: Any = None) -> Any: ...
@overload
def xlog1py(_a: Tensor, _b: Any) -> Tensor:
    """a * log1p(b), 0 where a is 0"""
@overload
def xlog1py(_a: Any, _b: Any) -> Any: ...
@overload
def xlogy(input: Tensor, other: Any) -> Tensor:
    """a * log(b), 0 where a is 0"""
@overload
def xlogy(input: Any, other: Any) -> Any: ...

__all__ = [
    "beta", "betaln", "digamma", "entr", "erf", "erfc", "erfinv", "exp2", "expit", "expm1", "gamma", "gammaln",
    "kl_div", "log1p", "log_ndtr", "log_softmax", "logit", "logsumexp", "ndtr", "ndtri", "normal_pdf", "polygamma",
    "psi", "rel_entr", "sinc", "softmax", "xlog1py", "xlogy",
]
