"""PyTorch's ``torch.special`` names, and SciPy's of the functions that PyTorch lacks. Written by docs/_stubs.py: change the functions, not this text."""

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

from .. import return_types
from ..core import Tensor

@overload
def airy_ai(input: Tensor, *, out: Any = None) -> Tensor:
    """Return Airy's function.

    Parameters
    ----------
    input : tensor, array or number
        Called x below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: airy_ai_slope(x)
    - Complex numbers: no
    - SymPy: ``airyai(x)``
    - In PyTorch: ``torch.special.airy_ai``

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor([-1.5, 0.5], requires_grad=True, name="x")
    >>> y = sg.special.airy_ai(x)
    >>> y
    tensor([0.4643, 0.2317], grad_fn=<AiryAiBackward0>)
    >>> (g,) = sg.autograd.grad(y.sum(), x, create_graph=True)
    >>> g
    tensor([ 0.3092, -0.2249], grad_fn=<MulBackward0>)
    >>> g.formula()
    airy_ai_slope(x)
    """
@overload
def airy_ai(input: Any, *, out: Any = None) -> Any: ...
@overload
def bessel_j0(input: Tensor, *, out: Any = None) -> Tensor:
    """Return the Bessel function of the first kind and order 0.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def bessel_j0(input: Any, *, out: Any = None) -> Any: ...
@overload
def bessel_j1(input: Tensor, *, out: Any = None) -> Tensor:
    """Return the Bessel function of the first kind and order 1.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def bessel_j1(input: Any, *, out: Any = None) -> Any: ...
@overload
def bessel_y0(input: Tensor, *, out: Any = None) -> Tensor:
    """Return the Bessel function of the second kind and order 0.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def bessel_y0(input: Any, *, out: Any = None) -> Any: ...
@overload
def bessel_y1(input: Tensor, *, out: Any = None) -> Tensor:
    """Return the Bessel function of the second kind and order 1.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def bessel_y1(input: Any, *, out: Any = None) -> Any: ...
@overload
def beta(input: Tensor, other: Any, *, out: Any = None) -> Tensor:
    """Return the beta function, gamma(a) gamma(b) / gamma(a + b).

    Parameters
    ----------
    input : tensor, array or number
        Called a below.
    other : tensor, array or number
        Called b below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: beta(a, b)(ψ(a) − ψ(a + b)) in a; beta(a, b)(ψ(b) − ψ(a + b)) in b
    - Complex numbers: no
    - SymPy: ``gamma(a)*gamma(b)/gamma(a + b)``

    Examples
    --------
    >>> import symgrad as sg
    >>> a = sg.tensor([0.5, 2.0], requires_grad=True, name="a")
    >>> b = sg.tensor([1.0, 3.0], requires_grad=True, name="b")
    >>> y = sg.special.beta(a, b)
    >>> y
    tensor([2.0000, 0.0833], grad_fn=<BetaBackward0>)
    >>> g_a, g_b = sg.autograd.grad(y.sum(), (a, b), create_graph=True)
    >>> g_a, g_b
    (tensor([-4.0000, -0.0903], grad_fn=<MulBackward0>), tensor([-1.2274, -0.0486], grad_fn=<MulBackward0>))
    >>> g_a.formula(), g_b.formula()
    (beta(a, b) ⊙ (ψ(a) − ψ(a + b)), beta(a, b) ⊙ (ψ(b) − ψ(a + b)))
    """
@overload
def beta(input: Any, other: Any, *, out: Any = None) -> Any: ...
@overload
def betaln(input: Tensor, other: Any, *, out: Any = None) -> Tensor:
    """Return log |beta(a, b)|, without overflow.

    Parameters
    ----------
    input : tensor, array or number
        Called a below.
    other : tensor, array or number
        Called b below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: ψ(a) − ψ(a + b) in a; ψ(b) − ψ(a + b) in b
    - Complex numbers: no
    - SymPy: ``loggamma(a) + loggamma(b) - loggamma(a + b)``

    Examples
    --------
    >>> import symgrad as sg
    >>> a = sg.tensor([0.5, 2.0], requires_grad=True, name="a")
    >>> b = sg.tensor([1.0, 3.0], requires_grad=True, name="b")
    >>> y = sg.special.betaln(a, b)
    >>> y
    tensor([ 0.6931, -2.4849], grad_fn=<BetalnBackward0>)
    >>> g_a, g_b = sg.autograd.grad(y.sum(), (a, b), create_graph=True)
    >>> g_a, g_b
    (tensor([-2.0000, -1.0833], grad_fn=<MulBackward0>), tensor([-0.6137, -0.5833], grad_fn=<MulBackward0>))
    >>> g_a.formula(), g_b.formula()
    (ψ(a) − ψ(a + b), ψ(b) − ψ(a + b))
    """
@overload
def betaln(input: Any, other: Any, *, out: Any = None) -> Any: ...
@overload
def chebyshev_polynomial_t(input: Tensor, n: Any, *, out: Any = None) -> Tensor:
    """Return Chebyshev's polynomial of degree ``n``: that kind's which torch.special so names.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    n : int
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def chebyshev_polynomial_t(input: Any, n: Any, *, out: Any = None) -> Any: ...
@overload
def chebyshev_polynomial_u(input: Tensor, n: Any, *, out: Any = None) -> Tensor:
    """Return Chebyshev's polynomial of degree ``n``: that kind's which torch.special so names.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    n : int
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def chebyshev_polynomial_u(input: Any, n: Any, *, out: Any = None) -> Any: ...
@overload
def chebyshev_polynomial_v(input: Tensor, n: Any, *, out: Any = None) -> Tensor:
    """Return Chebyshev's polynomial of degree ``n``: that kind's which torch.special so names.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    n : int
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def chebyshev_polynomial_v(input: Any, n: Any, *, out: Any = None) -> Any: ...
@overload
def chebyshev_polynomial_w(input: Tensor, n: Any, *, out: Any = None) -> Tensor:
    """Return Chebyshev's polynomial of degree ``n``: that kind's which torch.special so names.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    n : int
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def chebyshev_polynomial_w(input: Any, n: Any, *, out: Any = None) -> Any: ...
@overload
def digamma(input: Tensor, *, out: Any = None) -> Tensor:
    """Return the derivative of lgamma.

    Parameters
    ----------
    input : tensor, array or number
        Called x below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: polygamma(1, x)
    - Finite for: every x but 0, −1, −2, …
    - Complex numbers: no
    - SymPy: ``digamma(x)``
    - In PyTorch: ``torch.digamma``

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor([0.5, 2.0], requires_grad=True, name="x")
    >>> y = sg.digamma(x)
    >>> y
    tensor([-1.9635,  0.4228], grad_fn=<DigammaBackward0>)
    >>> (g,) = sg.autograd.grad(y.sum(), x, create_graph=True)
    >>> g
    tensor([4.9348, 0.6449], grad_fn=<MulBackward0>)
    >>> g.formula()
    polygamma(1, x)
    """
@overload
def digamma(input: Any, *, out: Any = None) -> Any: ...
@overload
def entr(input: Tensor, *, out: Any = None) -> Tensor:
    """Return -x * log(x), 0 at 0 and -inf below.

    Parameters
    ----------
    input : tensor, array or number
        Called x below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: −log(x) − 1
    - Finite for: x ≥ 0
    - Complex numbers: no
    - SymPy: ``-x*log(x)``
    - In PyTorch: ``torch.special.entr``

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor([0.5, 2.0], requires_grad=True, name="x")
    >>> y = sg.special.entr(x)
    >>> y
    tensor([ 0.3466, -1.3863], grad_fn=<SpecialEntrBackward0>)
    >>> (g,) = sg.autograd.grad(y.sum(), x, create_graph=True)
    >>> g
    tensor([-0.3069, -1.6931], grad_fn=<MulBackward0>)
    >>> g.formula()
    −log(x) − 1
    """
@overload
def entr(input: Any, *, out: Any = None) -> Any: ...
@overload
def erf(input: Tensor, *, out: Any = None) -> Tensor:
    """Return the error function.

    Parameters
    ----------
    input : tensor, array or number
        Called x below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: 2 exp(−x²)/√π
    - Complex numbers: no
    - SymPy: ``erf(x)``
    - In PyTorch: ``torch.erf``

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor([-1.5, 0.5], requires_grad=True, name="x")
    >>> y = sg.erf(x)
    >>> y
    tensor([-0.9661,  0.5205], grad_fn=<ErfBackward0>)
    >>> (g,) = sg.autograd.grad(y.sum(), x, create_graph=True)
    >>> g
    tensor([0.1189, 0.8788], grad_fn=<MulBackward0>)
    >>> g.formula()
    2 exp(−x²)/√π
    """
@overload
def erf(input: Any, *, out: Any = None) -> Any: ...
@overload
def erfc(input: Tensor, *, out: Any = None) -> Tensor:
    """Return 1 - erf(x), exact for large x.

    Parameters
    ----------
    input : tensor, array or number
        Called x below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: −2 exp(−x²)/√π
    - Complex numbers: no
    - SymPy: ``erfc(x)``
    - In PyTorch: ``torch.erfc``

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor([-1.5, 0.5], requires_grad=True, name="x")
    >>> y = sg.erfc(x)
    >>> y
    tensor([1.9661, 0.4795], grad_fn=<ErfcBackward0>)
    >>> (g,) = sg.autograd.grad(y.sum(), x, create_graph=True)
    >>> g
    tensor([-0.1189, -0.8788], grad_fn=<MulBackward0>)
    >>> g.formula()
    −2 exp(−x²)/√π
    """
@overload
def erfc(input: Any, *, out: Any = None) -> Any: ...
@overload
def erfcx(input: Tensor, *, out: Any = None) -> Tensor:
    """Return exp(x**2) * erfc(x), without underflow.

    Parameters
    ----------
    input : tensor, array or number
        Called x below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: −√2 erfcx(x)(−√2 x + φ(−√2 x)/Φ(−√2 x))
    - Complex numbers: no
    - SymPy: ``exp(x**2)*erfc(x)``
    - In PyTorch: ``torch.special.erfcx``

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor([-1.5, 0.5], requires_grad=True, name="x")
    >>> y = sg.special.erfcx(x)
    >>> y
    tensor([18.6539,  0.6157], grad_fn=<ErfcxBackward0>)
    >>> (g,) = sg.autograd.grad(y.sum(), x, create_graph=True)
    >>> g
    tensor([-57.0900,  -0.5127], grad_fn=<MulBackward0>)
    >>> g.formula()
    −√2 erfcx(x) ⊙ (−√2 x + φ(−√2 x)/Φ(−√2 x))
    """
@overload
def erfcx(input: Any, *, out: Any = None) -> Any: ...
@overload
def erfinv(input: Tensor, *, out: Any = None) -> Tensor:
    """Return the inverse of erf.

    Parameters
    ----------
    input : tensor, array or number
        Called x below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: √π exp(erfinv(x)²)/2
    - Finite for: |x| < 1
    - Complex numbers: no
    - SymPy: ``erfinv(x)``
    - In PyTorch: ``torch.erfinv``

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor([-0.5, 0.5], requires_grad=True, name="x")
    >>> y = sg.erfinv(x)
    >>> y
    tensor([-0.4769,  0.4769], grad_fn=<ErfinvBackward0>)
    >>> (g,) = sg.autograd.grad(y.sum(), x, create_graph=True)
    >>> g
    tensor([1.1126, 1.1126], grad_fn=<MulBackward0>)
    >>> g.formula()
    √π exp(erfinv(x)²)/2
    """
@overload
def erfinv(input: Any, *, out: Any = None) -> Any: ...
@overload
def exp2(input: Tensor, *, out: Any = None) -> Tensor:
    """Return 2 to the power of x.

    Parameters
    ----------
    input : tensor, array or number
        Called x below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: log(2) exp2(x)
    - Complex numbers: yes
    - SymPy: ``2**x``
    - In NumPy: ``np.exp2``
    - In PyTorch: ``torch.exp2``

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor([-1.5, 0.5], requires_grad=True, name="x")
    >>> y = sg.exp2(x)
    >>> y
    tensor([0.3536, 1.4142], grad_fn=<Exp2Backward0>)
    >>> (g,) = sg.autograd.grad(y.sum(), x, create_graph=True)
    >>> g
    tensor([0.2451, 0.9803], grad_fn=<MulBackward0>)
    >>> g.formula()
    log(2) exp2(x)
    """
@overload
def exp2(input: Any, *, out: Any = None) -> Any: ...
@overload
def expm1(input: Tensor, *, out: Any = None) -> Tensor:
    """Return exp(x) - 1, exact near 0.

    Parameters
    ----------
    input : tensor, array or number
        Called x below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: exp(x)
    - Complex numbers: yes
    - SymPy: ``exp(x) - 1``
    - In NumPy: ``np.expm1``
    - In PyTorch: ``torch.expm1``

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor([-1.5, 0.5], requires_grad=True, name="x")
    >>> y = sg.expm1(x)
    >>> y
    tensor([-0.7769,  0.6487], grad_fn=<Expm1Backward0>)
    >>> (g,) = sg.autograd.grad(y.sum(), x, create_graph=True)
    >>> g
    tensor([0.2231, 1.6487], grad_fn=<MulBackward0>)
    >>> g.formula()
    exp(x)
    """
@overload
def expm1(input: Any, *, out: Any = None) -> Any: ...
@overload
def gamma(input: Tensor, *, out: Any = None) -> Tensor:
    """Return the gamma function.

    Parameters
    ----------
    input : tensor, array or number
        Called x below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: ψ(x) gamma(x)
    - Finite for: every x but 0, −1, −2, …
    - Complex numbers: no
    - SymPy: ``gamma(x)``

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor([0.5, 2.0], requires_grad=True, name="x")
    >>> y = sg.special.gamma(x)
    >>> y
    tensor([1.7725, 1.0000], grad_fn=<GammaBackward0>)
    >>> (g,) = sg.autograd.grad(y.sum(), x, create_graph=True)
    >>> g
    tensor([-3.4802,  0.4228], grad_fn=<MulBackward0>)
    >>> g.formula()
    gamma(x) ⊙ ψ(x)
    """
@overload
def gamma(input: Any, *, out: Any = None) -> Any: ...
@overload
def gammainc(input: Tensor, other: Any, *, out: Any = None) -> Tensor:
    """Return the lower incomplete gamma function of ``input`` at ``other``, over ``gamma(input)``.

    Parameters
    ----------
    input : tensor, array or number
    other : tensor, array or number
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def gammainc(input: Any, other: Any, *, out: Any = None) -> Any: ...
@overload
def gammaincc(input: Tensor, other: Any, *, out: Any = None) -> Tensor:
    """Return ``1 - igamma(input, other)``, without cancellation.

    Parameters
    ----------
    input : tensor, array or number
    other : tensor, array or number
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def gammaincc(input: Any, other: Any, *, out: Any = None) -> Any: ...
@overload
def hermite_polynomial_h(input: Tensor, n: Any, *, out: Any = None) -> Tensor:
    """Return Hermite's polynomial of degree ``n``: that kind's which torch.special so names.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    n : int
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def hermite_polynomial_h(input: Any, n: Any, *, out: Any = None) -> Any: ...
@overload
def hermite_polynomial_he(input: Tensor, n: Any, *, out: Any = None) -> Tensor:
    """Return Hermite's polynomial of degree ``n``: that kind's which torch.special so names.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    n : int
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def hermite_polynomial_he(input: Any, n: Any, *, out: Any = None) -> Any: ...
@overload
def i0(input: Tensor, *, out: Any = None) -> Tensor:
    """Return the modified Bessel function of the first kind and order 0.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def i0(input: Any, *, out: Any = None) -> Any: ...
@overload
def i0e(input: Tensor, *, out: Any = None) -> Tensor:
    """Return exp(-|x|) times the modified Bessel function of the first kind and order 0.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def i0e(input: Any, *, out: Any = None) -> Any: ...
@overload
def i1(input: Tensor, *, out: Any = None) -> Tensor:
    """Return the modified Bessel function of the first kind and order 1.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def i1(input: Any, *, out: Any = None) -> Any: ...
@overload
def i1e(input: Tensor, *, out: Any = None) -> Tensor:
    """Return exp(-|x|) times the modified Bessel function of the first kind and order 1.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def i1e(input: Any, *, out: Any = None) -> Any: ...
@overload
def kl_div(input: Tensor, other: Any, *, out: Any = None) -> Tensor:
    """Return a * log(a / b) - a + b, b where a is 0 and b is not negative.

    Parameters
    ----------
    input : tensor, array or number
        Called a below.
    other : tensor, array or number
        Called b below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: log(a/b) in a; 1 − a/b in b
    - Complex numbers: no
    - SymPy: ``a*log(a/b) - a + b``

    Examples
    --------
    >>> import symgrad as sg
    >>> a = sg.tensor([0.5, 2.0], requires_grad=True, name="a")
    >>> b = sg.tensor([1.0, 3.0], requires_grad=True, name="b")
    >>> y = sg.special.kl_div(a, b)
    >>> y
    tensor([0.1534, 0.1891], grad_fn=<KlDivBackward0>)
    >>> g_a, g_b = sg.autograd.grad(y.sum(), (a, b), create_graph=True)
    >>> g_a, g_b
    (tensor([-0.6931, -0.4055], grad_fn=<MulBackward0>), tensor([0.5000, 0.3333], grad_fn=<MulBackward0>))
    >>> g_a.formula(), g_b.formula()
    (log(a/b), 1 − a/b)
    """
@overload
def kl_div(input: Any, other: Any, *, out: Any = None) -> Any: ...
@overload
def laguerre_polynomial_l(input: Tensor, n: Any, *, out: Any = None) -> Tensor:
    """Return Laguerre's polynomial of degree ``n``: that kind's which torch.special so names.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    n : int
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def laguerre_polynomial_l(input: Any, n: Any, *, out: Any = None) -> Any: ...
@overload
def legendre_polynomial_p(input: Tensor, n: Any, *, out: Any = None) -> Tensor:
    """Return Legendre's polynomial of degree ``n``: that kind's which torch.special so names.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    n : int
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def legendre_polynomial_p(input: Any, n: Any, *, out: Any = None) -> Any: ...
@overload
def log1p(input: Tensor, *, out: Any = None) -> Tensor:
    """Return log(1 + x), exact near 0.

    Parameters
    ----------
    input : tensor, array or number
        Called x below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: 1/(1 + x)
    - Finite for: x > −1
    - Complex numbers: yes
    - SymPy: ``log(1 + x)``
    - In NumPy: ``np.log1p``
    - In PyTorch: ``torch.log1p``

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor([0.5, 2.0], requires_grad=True, name="x")
    >>> y = sg.log1p(x)
    >>> y
    tensor([0.4055, 1.0986], grad_fn=<Log1PBackward0>)
    >>> (g,) = sg.autograd.grad(y.sum(), x, create_graph=True)
    >>> g
    tensor([0.6667, 0.3333], grad_fn=<DivBackward0>)
    >>> g.formula()
    1/(1 + x)
    """
@overload
def log1p(input: Any, *, out: Any = None) -> Any: ...
@overload
def log_ndtr(input: Tensor, *, out: Any = None) -> Tensor:
    """Return log(ndtr(x)), exact for large negative x.

    Parameters
    ----------
    input : tensor, array or number
        Called x below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: φ(x)/Φ(x)
    - Complex numbers: no
    - SymPy: ``log(erfc(-x/sqrt(2))/2)``
    - In PyTorch: ``torch.special.log_ndtr``

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor([-1.5, 0.5], requires_grad=True, name="x")
    >>> y = sg.special.log_ndtr(x)
    >>> y
    tensor([-2.7059, -0.3689], grad_fn=<SpecialLogNdtrBackward0>)
    >>> (g,) = sg.autograd.grad(y.sum(), x, create_graph=True)
    >>> g
    tensor([1.9387, 0.5092], grad_fn=<MulBackward0>)
    >>> g.formula()
    φ(x)/Φ(x)
    """
@overload
def log_ndtr(input: Any, *, out: Any = None) -> Any: ...
@overload
def log_softmax(input: Tensor, dim: _int, dtype: Any = None, *, axis: Any = None, out: Any = None) -> Tensor:
    """Return ``log(softmax(input))`` along ``dim``, without overflow.

    Parameters
    ----------
    input : tensor, array or number
    dim : int
    dtype : dtype, optional
        The dtype of the result: ``sg.float32``, ``np.float32`` or its name.
    axis : int or tuple of ints, optional
        The dimension to work along, or several; from the end if negative.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def log_softmax(input: Any, dim: _int, dtype: Any = None, *, axis: Any = None, out: Any = None) -> Any: ...
@overload
def logit(input: Tensor, eps: _float | None = None, *, out: Any = None) -> Tensor:
    """Return ``log(x / (1 - x))``, the inverse of `sigmoid`; ``eps`` holds ``x`` between itself and ``1 - eps``.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    eps : float, optional
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def logit(input: Any, eps: _float | None = None, *, out: Any = None) -> Any: ...
@overload
def logsumexp(input: Tensor, dim: Any = None, keepdim: _bool = False, *, axis: Any = None, keepdims: Any = None, out: Any = None) -> Tensor:
    """Return ``log(sum(exp(input)))`` along ``dim`` (one, several, all), without overflow; its gradient is softmax.

    Parameters
    ----------
    input : tensor, array or number
    dim : int or tuple of ints, optional
    keepdim : bool, default False
        Whether a reduced dimension stays, with size 1.
    axis : int or tuple of ints, optional
        The dimension to work along, or several; from the end if negative.
    keepdims : bool, optional
        Whether a reduced dimension stays, with size 1.
    out : Tensor, optional
        Where the result is written; it is returned.

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor([1000.0, 1000.0], requires_grad=True)
    >>> sg.logsumexp(x, 0)
    tensor(1000.6931, grad_fn=<LogsumexpBackward0>)
    """
@overload
def logsumexp(input: Any, dim: Any = None, keepdim: _bool = False, *, axis: Any = None, keepdims: Any = None, out: Any = None) -> Any: ...
@overload
def modified_bessel_i0(input: Tensor, *, out: Any = None) -> Tensor:
    """Return the modified Bessel function of the first kind and order 0.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def modified_bessel_i0(input: Any, *, out: Any = None) -> Any: ...
@overload
def modified_bessel_i1(input: Tensor, *, out: Any = None) -> Tensor:
    """Return the modified Bessel function of the first kind and order 1.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def modified_bessel_i1(input: Any, *, out: Any = None) -> Any: ...
@overload
def modified_bessel_k0(input: Tensor, *, out: Any = None) -> Tensor:
    """Return the modified Bessel function of the second kind and order 0.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def modified_bessel_k0(input: Any, *, out: Any = None) -> Any: ...
@overload
def modified_bessel_k1(input: Tensor, *, out: Any = None) -> Tensor:
    """Return the modified Bessel function of the second kind and order 1.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def modified_bessel_k1(input: Any, *, out: Any = None) -> Any: ...
@overload
def ndtr(input: Tensor, *, out: Any = None) -> Tensor:
    """Return the normal distribution function.

    Parameters
    ----------
    input : tensor, array or number
        Called x below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: φ(x)
    - Complex numbers: no
    - SymPy: ``(1 + erf(x/sqrt(2)))/2``
    - In PyTorch: ``torch.special.ndtr``

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor([-1.5, 0.5], requires_grad=True, name="x")
    >>> y = sg.special.ndtr(x)
    >>> y
    tensor([0.0668, 0.6915], grad_fn=<SpecialNdtrBackward0>)
    >>> (g,) = sg.autograd.grad(y.sum(), x, create_graph=True)
    >>> g
    tensor([0.1295, 0.3521], grad_fn=<MulBackward0>)
    >>> g.formula()
    φ(x)
    """
@overload
def ndtr(input: Any, *, out: Any = None) -> Any: ...
@overload
def ndtri(input: Tensor, *, out: Any = None) -> Tensor:
    """Return the inverse of ndtr: the quantile of the normal distribution.

    Parameters
    ----------
    input : tensor, array or number
        Called x below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: √(2π) exp(ndtri(x)²/2)
    - Finite for: 0 < x < 1
    - Complex numbers: no
    - SymPy: ``sqrt(2)*erfinv(2*x - 1)``
    - In PyTorch: ``torch.special.ndtri``

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor([0.25, 0.5], requires_grad=True, name="x")
    >>> y = sg.special.ndtri(x)
    >>> y
    tensor([-0.6745,  0.0000], grad_fn=<SpecialNdtriBackward0>)
    >>> (g,) = sg.autograd.grad(y.sum(), x, create_graph=True)
    >>> g
    tensor([3.1469, 2.5066], grad_fn=<MulBackward0>)
    >>> g.formula()
    √(2π) exp(ndtri(x)²/2)
    """
@overload
def ndtri(input: Any, *, out: Any = None) -> Any: ...
@overload
def normal_pdf(input: Tensor, *, out: Any = None) -> Tensor:
    """Return the standard normal density, exp(-x**2/2) / sqrt(2 pi).

    Parameters
    ----------
    input : tensor, array or number
        Called x below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: −x φ(x)
    - Complex numbers: no
    - SymPy: ``exp(-x**2/2)/sqrt(2*pi)``

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor([-1.5, 0.5], requires_grad=True, name="x")
    >>> y = sg.special.normal_pdf(x)
    >>> y
    tensor([0.1295, 0.3521], grad_fn=<NormalPdfBackward0>)
    >>> (g,) = sg.autograd.grad(y.sum(), x, create_graph=True)
    >>> g
    tensor([ 0.1943, -0.1760], grad_fn=<MulBackward0>)
    >>> g.formula()
    −x ⊙ φ(x)
    """
@overload
def normal_pdf(input: Any, *, out: Any = None) -> Any: ...
def polygamma(n: Any, input: Any, *, out: Any = None) -> Any:
    """Return the ``n``-th derivative of digamma at ``input`` (the method is ``input.polygamma(n)``).

    Parameters
    ----------
    n : int
    input : tensor, array or number
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def rel_entr(input: Tensor, other: Any, *, out: Any = None) -> Tensor:
    """Return a * log(a / b), 0 where a is 0 and b is not negative.

    Parameters
    ----------
    input : tensor, array or number
        Called a below.
    other : tensor, array or number
        Called b below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: 1 + log(a/b) in a; −a/b in b
    - Complex numbers: no
    - SymPy: ``a*log(a/b)``

    Examples
    --------
    >>> import symgrad as sg
    >>> a = sg.tensor([0.5, 2.0], requires_grad=True, name="a")
    >>> b = sg.tensor([1.0, 3.0], requires_grad=True, name="b")
    >>> y = sg.special.rel_entr(a, b)
    >>> y
    tensor([-0.3466, -0.8109], grad_fn=<RelEntrBackward0>)
    >>> g_a, g_b = sg.autograd.grad(y.sum(), (a, b), create_graph=True)
    >>> g_a, g_b
    (tensor([0.3069, 0.5945], grad_fn=<MulBackward0>), tensor([-0.5000, -0.6667], grad_fn=<MulBackward0>))
    >>> g_a.formula(), g_b.formula()
    (1 + log(a/b), −a/b)
    """
@overload
def rel_entr(input: Any, other: Any, *, out: Any = None) -> Any: ...
@overload
def round(input: Tensor, decimals: _int = 0, *, out: Any = None) -> Tensor:
    """Round to the nearest integer (halves to even), or to ``decimals`` places.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    decimals : int, default 0
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def round(input: Any, decimals: _int = 0, *, out: Any = None) -> Any: ...
@overload
def scaled_modified_bessel_k0(input: Tensor, *, out: Any = None) -> Tensor:
    """Return exp(x) times the modified Bessel function of the second kind and order 0.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def scaled_modified_bessel_k0(input: Any, *, out: Any = None) -> Any: ...
@overload
def scaled_modified_bessel_k1(input: Tensor, *, out: Any = None) -> Tensor:
    """Return exp(x) times the modified Bessel function of the second kind and order 1.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def scaled_modified_bessel_k1(input: Any, *, out: Any = None) -> Any: ...
@overload
def shifted_chebyshev_polynomial_t(input: Tensor, n: Any, *, out: Any = None) -> Tensor:
    """Return Chebyshev's polynomial of degree ``n`` at ``2 * input - 1``: that kind's which torch.special so names.

    Parameters
    ----------
    input : tensor, array or number
    n : int
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def shifted_chebyshev_polynomial_t(input: Any, n: Any, *, out: Any = None) -> Any: ...
@overload
def shifted_chebyshev_polynomial_u(input: Tensor, n: Any, *, out: Any = None) -> Tensor:
    """Return Chebyshev's polynomial of degree ``n`` at ``2 * input - 1``: that kind's which torch.special so names.

    Parameters
    ----------
    input : tensor, array or number
    n : int
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def shifted_chebyshev_polynomial_u(input: Any, n: Any, *, out: Any = None) -> Any: ...
@overload
def shifted_chebyshev_polynomial_v(input: Tensor, n: Any, *, out: Any = None) -> Tensor:
    """Return Chebyshev's polynomial of degree ``n`` at ``2 * input - 1``: that kind's which torch.special so names.

    Parameters
    ----------
    input : tensor, array or number
    n : int
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def shifted_chebyshev_polynomial_v(input: Any, n: Any, *, out: Any = None) -> Any: ...
@overload
def shifted_chebyshev_polynomial_w(input: Tensor, n: Any, *, out: Any = None) -> Tensor:
    """Return Chebyshev's polynomial of degree ``n`` at ``2 * input - 1``: that kind's which torch.special so names.

    Parameters
    ----------
    input : tensor, array or number
    n : int
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def shifted_chebyshev_polynomial_w(input: Any, n: Any, *, out: Any = None) -> Any: ...
@overload
def sinc(input: Tensor, *, out: Any = None) -> Tensor:
    """Return sin(pi x) / (pi x), 1 at 0.

    Parameters
    ----------
    input : tensor, array or number
        Called x below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: cos(π x)/x − sin(π x)/(πx²)
    - Complex numbers: yes
    - SymPy: ``sin(pi*x)/(pi*x)``
    - In NumPy: ``np.sinc``
    - In PyTorch: ``torch.sinc``

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor([-1.5, 0.5], requires_grad=True, name="x")
    >>> y = sg.sinc(x)
    >>> y
    tensor([-0.2122,  0.6366], grad_fn=<SincBackward0>)
    >>> (g,) = sg.autograd.grad(y.sum(), x, create_graph=True)
    >>> g
    tensor([-0.1415, -1.2732], grad_fn=<MulBackward0>)
    """
@overload
def sinc(input: Any, *, out: Any = None) -> Any: ...
@overload
def softmax(input: Tensor, dim: _int, dtype: Any = None, *, axis: Any = None, out: Any = None) -> Tensor:
    """Return ``exp(input) / sum(exp(input))`` along ``dim``, without overflow.

    Parameters
    ----------
    input : tensor, array or number
    dim : int
    dtype : dtype, optional
        The dtype of the result: ``sg.float32``, ``np.float32`` or its name.
    axis : int or tuple of ints, optional
        The dimension to work along, or several; from the end if negative.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def softmax(input: Any, dim: _int, dtype: Any = None, *, axis: Any = None, out: Any = None) -> Any: ...
@overload
def spherical_bessel_j0(input: Tensor, *, out: Any = None) -> Tensor:
    """Return ``sin(x) / x``, the spherical Bessel function of order 0; 1 at 0.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def spherical_bessel_j0(input: Any, *, out: Any = None) -> Any: ...
@overload
def xlog1py(input: Tensor, other: Any, *, out: Any = None) -> Tensor:
    """Return a * log1p(b), 0 where a is 0.

    Parameters
    ----------
    input : tensor, array or number
        Called a below.
    other : tensor, array or number
        Called b below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: where(logical_not((a = 0) ∧ (b ≤ −1)), log1p(b), 0) in a; a/(1 + b) in b
    - Complex numbers: no
    - SymPy: ``a*log(1 + b)``
    - In PyTorch: ``torch.special.xlog1py``

    Examples
    --------
    >>> import symgrad as sg
    >>> a = sg.tensor([0.5, 2.0], requires_grad=True, name="a")
    >>> b = sg.tensor([1.0, 3.0], requires_grad=True, name="b")
    >>> y = sg.special.xlog1py(a, b)
    >>> y
    tensor([0.3466, 2.7726], grad_fn=<SpecialXlog1PyBackward0>)
    >>> g_a, g_b = sg.autograd.grad(y.sum(), (a, b), create_graph=True)
    >>> g_a, g_b
    (tensor([0.6931, 1.3863], grad_fn=<WhereBackward0>), tensor([0.2500, 0.5000], grad_fn=<DivBackward0>))
    >>> g_a.formula(), g_b.formula()
    (where(logical_not((a = 0) ∧ (b ≤ −1)), log1p(b), 0), a/(1 + b))
    """
@overload
def xlog1py(input: Any, other: Any, *, out: Any = None) -> Any: ...
@overload
def xlogy(input: Tensor, other: Any, *, out: Any = None) -> Tensor:
    """Return a * log(b), 0 where a is 0.

    Parameters
    ----------
    input : tensor, array or number
        Called a below.
    other : tensor, array or number
        Called b below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: where(logical_not((a = 0) ∧ (b ≤ 0)), log(b), 0) in a; a/b in b
    - Complex numbers: no
    - SymPy: ``a*log(b)``
    - In PyTorch: ``torch.xlogy``

    Examples
    --------
    >>> import symgrad as sg
    >>> a = sg.tensor([0.5, 2.0], requires_grad=True, name="a")
    >>> b = sg.tensor([1.0, 3.0], requires_grad=True, name="b")
    >>> y = sg.xlogy(a, b)
    >>> y
    tensor([0.0000, 2.1972], grad_fn=<XlogyBackward0>)
    >>> g_a, g_b = sg.autograd.grad(y.sum(), (a, b), create_graph=True)
    >>> g_a, g_b
    (tensor([0.0000, 1.0986], grad_fn=<WhereBackward0>), tensor([0.5000, 0.6667], grad_fn=<DivBackward0>))
    >>> g_a.formula(), g_b.formula()
    (where(logical_not((a = 0) ∧ (b ≤ 0)), log(b), 0), a/b)
    """
@overload
def xlogy(input: Any, other: Any, *, out: Any = None) -> Any: ...
@overload
def zeta(input: Tensor, other: Any, *, out: Any = None) -> Tensor:
    """Return Hurwitz's zeta function, the sum of ``(other + k)**-input``.

    Parameters
    ----------
    input : tensor, array or number
    other : tensor, array or number
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def zeta(input: Any, other: Any, *, out: Any = None) -> Any: ...
@overload
def expit(input: Tensor, *, out: Any = None) -> Tensor:
    """Return 1 / (1 + exp(-x)), without overflow.

    Parameters
    ----------
    input : tensor, array or number
        Called x below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: σ(x) σ(−x)
    - Complex numbers: yes
    - SymPy: ``1/(1 + exp(-x))``
    - In PyTorch: ``torch.sigmoid``

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor([-1.5, 0.5], requires_grad=True, name="x")
    >>> y = sg.sigmoid(x)
    >>> y
    tensor([0.1824, 0.6225], grad_fn=<SigmoidBackward0>)
    >>> (g,) = sg.autograd.grad(y.sum(), x, create_graph=True)
    >>> g
    tensor([0.1491, 0.2350], grad_fn=<MulBackward0>)
    >>> g.formula()
    σ(x) ⊙ (1 − σ(x))
    """
@overload
def expit(input: Any, *, out: Any = None) -> Any: ...
@overload
def gammaln(input: Tensor, *, out: Any = None) -> Tensor:
    """Return log |gamma(x)|.

    Parameters
    ----------
    input : tensor, array or number
        Called x below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: ψ(x)
    - Finite for: every x but 0, −1, −2, …
    - Complex numbers: no
    - SymPy: ``log(Abs(gamma(x)))``
    - In PyTorch: ``torch.lgamma``

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor([0.5, 2.0], requires_grad=True, name="x")
    >>> y = sg.lgamma(x)
    >>> y
    tensor([0.5724, 0.0000], grad_fn=<LgammaBackward0>)
    >>> (g,) = sg.autograd.grad(y.sum(), x, create_graph=True)
    >>> g
    tensor([-1.9635,  0.4228], grad_fn=<MulBackward0>)
    >>> g.formula()
    ψ(x)
    """
@overload
def gammaln(input: Any, *, out: Any = None) -> Any: ...
@overload
def multigammaln(input: Tensor, p: _int, *, out: Any = None) -> Tensor:
    """Return the logarithm of the multivariate gamma function of dimension ``p``.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    p : int
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def multigammaln(input: Any, p: _int, *, out: Any = None) -> Any: ...
psi = digamma

__all__ = [
    "beta", "betaln", "digamma", "entr", "erf", "erfc", "erfinv", "exp2", "expit", "expm1", "gamma", "gammaln",
    "kl_div", "log1p", "log_ndtr", "log_softmax", "logit", "logsumexp", "multigammaln", "ndtr", "ndtri", "normal_pdf",
    "polygamma", "psi", "rel_entr", "round", "sinc", "softmax", "xlog1py", "xlogy", "i0", "airy_ai", "erfcx", "zeta",
    "gammainc", "gammaincc", "bessel_j0", "bessel_y0", "modified_bessel_i0", "modified_bessel_k0",
    "scaled_modified_bessel_k0", "i0e", "bessel_j1", "bessel_y1", "modified_bessel_i1", "modified_bessel_k1",
    "scaled_modified_bessel_k1", "i1e", "i1", "spherical_bessel_j0", "chebyshev_polynomial_t",
    "shifted_chebyshev_polynomial_t", "chebyshev_polynomial_u", "shifted_chebyshev_polynomial_u",
    "chebyshev_polynomial_v", "shifted_chebyshev_polynomial_v", "chebyshev_polynomial_w",
    "shifted_chebyshev_polynomial_w", "hermite_polynomial_h", "hermite_polynomial_he", "laguerre_polynomial_l",
    "legendre_polynomial_p",
]
