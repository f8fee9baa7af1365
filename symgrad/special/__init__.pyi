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
from numpy.typing import DTypeLike

from symgrad._typing import Operand

from .. import return_types
from ..core import Tensor

def airy(x: Operand) -> tuple[Tensor, ...]:
    """Return Airy's functions Ai and Bi with their derivatives: Ai, Ai′, Bi, Bi′.

    Parameters
    ----------
    x : tensor or array
        Points, one row each.
    """
@overload
def airy_ai(input: Tensor, *, out: Tensor | None = None) -> Tensor:
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
    - Derivative: Ai′(x)
    - Complex numbers: yes
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
    Ai′(x)
    """
@overload
def airy_ai(input: Operand, *, out: Tensor | None = None) -> Any: ...
def airye(x: Operand) -> tuple[Tensor, ...]:
    """Return Airy's functions scaled: exp(ζ) Ai, exp(ζ) Ai′, exp(-|Re ζ|) Bi, exp(-|Re ζ|) Bi′ for ζ = 2/3 x sqrt(x).

    Of negative numbers the first two are NaN, unless they are complex ones.

    Parameters
    ----------
    x : tensor or array
        Points, one row each.
    """
@overload
def bdtr(k: Tensor, n: Any, x: Operand, /) -> Tensor:
    """Return the binomial distribution function: at most k of n. Counts have no derivative.

    Parameters
    ----------
    k : number or array
        The count k. It has no derivative: one that is asked for raises.
    n : number or array
        The count n. It has no derivative: one that is asked for raises.
    x : tensor, array or number
        The operand.
    """
@overload
def bdtr(k: Any, n: Any, x: Operand, /) -> Any: ...
@overload
def bdtrc(k: Tensor, n: Any, x: Operand, /) -> Tensor:
    """Return 1 - bdtr: more than k of n. Counts have no derivative.

    Parameters
    ----------
    k : number or array
        The count k. It has no derivative: one that is asked for raises.
    n : number or array
        The count n. It has no derivative: one that is asked for raises.
    x : tensor, array or number
        The operand.
    """
@overload
def bdtrc(k: Any, n: Any, x: Operand, /) -> Any: ...
@overload
def bdtri(k: Tensor, n: Any, x: Operand, /) -> Tensor:
    """Return the probability at which bdtr(k, n, p) is x. Counts have no derivative.

    Parameters
    ----------
    k : number or array
        The count k. It has no derivative: one that is asked for raises.
    n : number or array
        The count n. It has no derivative: one that is asked for raises.
    x : tensor, array or number
        The operand.
    """
@overload
def bdtri(k: Any, n: Any, x: Operand, /) -> Any: ...
@overload
def bessel_j0(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the Bessel function of the first kind and order 0.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def bessel_j0(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def bessel_j1(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the Bessel function of the first kind and order 1.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def bessel_j1(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def bessel_y0(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the Bessel function of the second kind and order 0.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def bessel_y0(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def bessel_y1(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the Bessel function of the second kind and order 1.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def bessel_y1(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def beta(input: Tensor, other: Operand, *, out: Tensor | None = None) -> Tensor:
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
    - Derivative: B(a, b)(ψ(a) − ψ(a + b)) in a; B(a, b)(ψ(b) − ψ(a + b)) in b
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
    (B(a, b) ⊙ (ψ(a) − ψ(a + b)), B(a, b) ⊙ (ψ(b) − ψ(a + b)))
    """
@overload
def beta(input: Operand, other: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def betainc(a: Tensor, b: Operand, x: Operand, *, out: Tensor | None = None) -> Tensor:
    """Return the incomplete beta function, divided by beta(a, b).

    Parameters
    ----------
    a : tensor, array or number
        Called a below.
    b : tensor, array or number
        Called b below.
    x : tensor, array or number
        Called x below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: ∂I/∂a(x; a, b) in a; ∂I/∂b(x; a, b) in b; x^(a − 1) (1 − x)^(b − 1)/B(a, b) in x
    - Complex numbers: no

    Examples
    --------
    >>> import symgrad as sg
    >>> a = sg.tensor([0.5, 2.0], requires_grad=True, name="a")
    >>> b = sg.tensor([1.0, 3.0], requires_grad=True, name="b")
    >>> x = sg.tensor([0.25, 0.5], requires_grad=True, name="x")
    >>> y = sg.special.betainc(a, b, x)
    >>> y
    tensor([0.5000, 0.6875], grad_fn=<BetaincBackward0>)
    >>> g_a, g_b, g_x = sg.autograd.grad(y.sum(), (a, b, x), create_graph=True)
    >>> g_a, g_b, g_x
    (tensor([-0.6931, -0.1953], grad_fn=<MulBackward0>), tensor([0.2616, 0.1541], grad_fn=<MulBackward0>), tensor([1.0000, 1.5000], grad_fn=<MulBackward0>))
    >>> g_a.formula(), g_b.formula(), g_x.formula()
    (∂I/∂a(x; a, b), ∂I/∂b(x; a, b), x^(a − 1) ⊙ (1 − x)^(b − 1)/B(a, b))
    """
@overload
def betainc(a: Operand, b: Operand, x: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def betaincc(a: Tensor, b: Operand, x: Operand, *, out: Tensor | None = None) -> Tensor:
    """Return 1 - betainc, without cancellation.

    Parameters
    ----------
    a : tensor, array or number
        Called a below.
    b : tensor, array or number
        Called b below.
    x : tensor, array or number
        Called x below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: −∂I/∂a(x; a, b) in a; −∂I/∂b(x; a, b) in b; −(x^(a − 1) (1 − x)^(b − 1)/B(a, b)) in x
    - Complex numbers: no

    Examples
    --------
    >>> import symgrad as sg
    >>> a = sg.tensor([0.5, 2.0], requires_grad=True, name="a")
    >>> b = sg.tensor([1.0, 3.0], requires_grad=True, name="b")
    >>> x = sg.tensor([0.25, 0.5], requires_grad=True, name="x")
    >>> y = sg.special.betaincc(a, b, x)
    >>> y
    tensor([0.5000, 0.3125], grad_fn=<BetainccBackward0>)
    >>> g_a, g_b, g_x = sg.autograd.grad(y.sum(), (a, b, x), create_graph=True)
    >>> g_a, g_b, g_x
    (tensor([0.6931, 0.1953], grad_fn=<MulBackward0>), tensor([-0.2616, -0.1541], grad_fn=<MulBackward0>), tensor([-1.0000, -1.5000], grad_fn=<MulBackward0>))
    >>> g_a.formula(), g_b.formula(), g_x.formula()
    (−∂I/∂a(x; a, b), −∂I/∂b(x; a, b), −x^(a − 1) ⊙ (1 − x)^(b − 1)/B(a, b))
    """
@overload
def betaincc(a: Operand, b: Operand, x: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def betainccinv(input: Tensor, other: Operand, p: Operand, *, out: Tensor | None = None) -> Tensor:
    """Return the x at which betaincc(a, b, x) is p.

    Parameters
    ----------
    input : tensor, array or number
        Called a below.
    other : tensor, array or number
        Called b below.
    p : tensor, array or number
        Called p below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: −∂I/∂a(s; a, b)/(s^(a − 1) (1 − s)^(b − 1)/B(a, b)) in a, where s = betainccinv(a, b, p); −∂I/∂b(s; a, b)/(s^(a − 1) (1 − s)^(b − 1)/B(a, b)) in b, where s = betainccinv(a, b, p); −1/(betainccinv(a, b, p)^(a − 1) (1 − betainccinv(a, b, p))^(b − 1)/B(a, b)) in p
    - Complex numbers: no

    Examples
    --------
    >>> import symgrad as sg
    >>> a = sg.tensor([0.5, 2.0], requires_grad=True, name="a")
    >>> b = sg.tensor([1.0, 3.0], requires_grad=True, name="b")
    >>> p = sg.tensor([0.25, 0.5], requires_grad=True, name="p")
    >>> y = sg.special.betainccinv(a, b, p)
    >>> y
    tensor([0.5625, 0.3857], grad_fn=<BetainccinvBackward0>)
    >>> g_a, g_b, g_p = sg.autograd.grad(y.sum(), (a, b, p), create_graph=True)
    >>> g_a, g_b, g_p
    (tensor([0.6473, 0.1400], grad_fn=<MulBackward0>), tensor([-0.4293, -0.0883], grad_fn=<MulBackward0>), tensor([-1.5000, -0.5726], grad_fn=<MulBackward0>))
    """
@overload
def betainccinv(input: Operand, other: Operand, p: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def betaincinv(input: Tensor, other: Operand, p: Operand, *, out: Tensor | None = None) -> Tensor:
    """Return the x at which betainc(a, b, x) is p.

    Parameters
    ----------
    input : tensor, array or number
        Called a below.
    other : tensor, array or number
        Called b below.
    p : tensor, array or number
        Called p below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: −∂I/∂a(s; a, b)/(s^(a − 1) (1 − s)^(b − 1)/B(a, b)) in a, where s = betaincinv(a, b, p); −∂I/∂b(s; a, b)/(s^(a − 1) (1 − s)^(b − 1)/B(a, b)) in b, where s = betaincinv(a, b, p); 1/(betaincinv(a, b, p)^(a − 1) (1 − betaincinv(a, b, p))^(b − 1)/B(a, b)) in p
    - Complex numbers: no

    Examples
    --------
    >>> import symgrad as sg
    >>> a = sg.tensor([0.5, 2.0], requires_grad=True, name="a")
    >>> b = sg.tensor([1.0, 3.0], requires_grad=True, name="b")
    >>> p = sg.tensor([0.25, 0.5], requires_grad=True, name="p")
    >>> y = sg.special.betaincinv(a, b, p)
    >>> y
    tensor([0.0625, 0.3857], grad_fn=<BetaincinvBackward0>)
    >>> g_a, g_b, g_p = sg.autograd.grad(y.sum(), (a, b, p), create_graph=True)
    >>> g_a, g_b, g_p
    (tensor([0.3466, 0.1400], grad_fn=<MulBackward0>), tensor([-0.0741, -0.0883], grad_fn=<MulBackward0>), tensor([0.5000, 0.5726], grad_fn=<MulBackward0>))
    """
@overload
def betaincinv(input: Operand, other: Operand, p: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def betaln(input: Tensor, other: Operand, *, out: Tensor | None = None) -> Tensor:
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
def betaln(input: Operand, other: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def boxcox(input: Tensor, k: Operand, *, out: Tensor | None = None) -> Tensor:
    """Return (x**k - 1) / k, log(x) where k is 0: the power transformation of Box and Cox.

    Parameters
    ----------
    input : tensor, array or number
        Called x below.
    k : tensor, array or number
        Called k below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: x^(k − 1) in x; (1 + k log(x) x^k − x^k)/k² in k
    - Complex numbers: no
    - SymPy: ``(x**k - 1)/k``

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor([0.5, 2.0], requires_grad=True, name="x")
    >>> k = sg.tensor([2.0, 0.5], requires_grad=True, name="k")
    >>> y = sg.special.boxcox(x, k)
    >>> y
    tensor([-0.3750,  0.8284], grad_fn=<BoxcoxBackward0>)
    >>> g_x, g_k = sg.autograd.grad(y.sum(), (x, k), create_graph=True)
    >>> g_x, g_k
    (tensor([0.5000, 0.7071], grad_fn=<MulBackward0>), tensor([0.1009, 0.3037], grad_fn=<MulBackward0>))
    >>> g_x.formula(), g_k.formula()
    (x^(k − 1), (1 + k ⊙ log(x) ⊙ x^k − x^k)/k²)
    """
@overload
def boxcox(input: Operand, k: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def boxcox1p(input: Tensor, k: Operand, *, out: Tensor | None = None) -> Tensor:
    """Return boxcox(1 + x, k).

    Parameters
    ----------
    input : tensor, array or number
        Called x below.
    k : tensor, array or number
        Called k below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: exp(log1p(x)(k − 1)) in x; (1 + k log1p(x) (1 + x)^k − (1 + x)^k)/k² in k
    - Complex numbers: no
    - SymPy: ``((1 + x)**k - 1)/k``

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor([0.5, 2.0], requires_grad=True, name="x")
    >>> k = sg.tensor([2.0, 0.5], requires_grad=True, name="k")
    >>> y = sg.special.boxcox1p(x, k)
    >>> y
    tensor([0.6250, 1.4641], grad_fn=<Boxcox1pBackward0>)
    >>> g_x, g_k = sg.autograd.grad(y.sum(), (x, k), create_graph=True)
    >>> g_x, g_k
    (tensor([1.5000, 0.5774], grad_fn=<MulBackward0>), tensor([0.1436, 0.8775], grad_fn=<MulBackward0>))
    >>> g_x.formula(), g_k.formula()
    (exp(log1p(x) ⊙ (k − 1)), (1 + k ⊙ log1p(x) ⊙ (1 + x)^k − (1 + x)^k)/k²)
    """
@overload
def boxcox1p(input: Operand, k: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def chdtr(v: Tensor, input: Operand, *, out: Tensor | None = None) -> Tensor:
    """Return the chi-squared distribution function with v degrees of freedom.

    Parameters
    ----------
    v : tensor, array or number
        Called v below.
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
    - Derivative: ∂P/∂a(v/2, x/2)/2 in v; ((x/2)^(v/2 − 1) exp(−x/2)/Γ(v/2))/2 in x
    - Complex numbers: no

    Examples
    --------
    >>> import symgrad as sg
    >>> v = sg.tensor([0.5, 2.0], requires_grad=True, name="v")
    >>> x = sg.tensor([1.0, 3.0], requires_grad=True, name="x")
    >>> y = sg.special.chdtr(v, x)
    >>> y
    tensor([0.8465, 0.7769], grad_fn=<ChdtrBackward0>)
    >>> g_v, g_x = sg.autograd.grad(y.sum(), (v, x), create_graph=True)
    >>> g_v, g_x
    (tensor([-0.3251, -0.1596], grad_fn=<MulBackward0>), tensor([0.1407, 0.1116], grad_fn=<MulBackward0>))
    >>> g_v.formula(), g_x.formula()
    (∂P/∂a(v/2, x/2)/2, ((x/2)^(v/2 − 1) ⊙ exp(−x/2)/Γ(v/2))/2)
    """
@overload
def chdtr(v: Operand, input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def chdtrc(v: Tensor, input: Operand, *, out: Tensor | None = None) -> Tensor:
    """Return 1 - chdtr, without cancellation.

    Parameters
    ----------
    v : tensor, array or number
        Called v below.
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
    - Derivative: −∂P/∂a(v/2, x/2)/2 in v; −((x/2)^(v/2 − 1) exp(−x/2)/Γ(v/2))/2 in x
    - Complex numbers: no

    Examples
    --------
    >>> import symgrad as sg
    >>> v = sg.tensor([0.5, 2.0], requires_grad=True, name="v")
    >>> x = sg.tensor([1.0, 3.0], requires_grad=True, name="x")
    >>> y = sg.special.chdtrc(v, x)
    >>> y
    tensor([0.1535, 0.2231], grad_fn=<ChdtrcBackward0>)
    >>> g_v, g_x = sg.autograd.grad(y.sum(), (v, x), create_graph=True)
    >>> g_v, g_x
    (tensor([0.3251, 0.1596], grad_fn=<MulBackward0>), tensor([-0.1407, -0.1116], grad_fn=<MulBackward0>))
    >>> g_v.formula(), g_x.formula()
    (−∂P/∂a(v/2, x/2)/2, −((x/2)^(v/2 − 1) ⊙ exp(−x/2)/Γ(v/2))/2)
    """
@overload
def chdtrc(v: Operand, input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def chdtri(v: Tensor, p: Operand, *, out: Tensor | None = None) -> Tensor:
    """Return the x at which chdtrc(v, x) is p.

    Parameters
    ----------
    v : tensor, array or number
        Called v below.
    p : tensor, array or number
        Called p below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: −∂P/∂a(v/2, s)/(s^(v/2 − 1) exp(−s)/Γ(v/2)) in v, where s = chdtri(v, p)/2; −2/((chdtri(v, p)/2)^(v/2 − 1) exp(−chdtri(v, p)/2)/Γ(v/2)) in p
    - Complex numbers: no

    Examples
    --------
    >>> import symgrad as sg
    >>> v = sg.tensor([0.5, 2.0], requires_grad=True, name="v")
    >>> p = sg.tensor([0.25, 0.5], requires_grad=True, name="p")
    >>> y = sg.special.chdtri(v, p)
    >>> y
    tensor([0.5213, 1.3863], grad_fn=<ChdtriBackward0>)
    >>> g_v, g_p = sg.autograd.grad(y.sum(), (v, p), create_graph=True)
    >>> g_v, g_p
    (tensor([1.6467, 0.9680], grad_fn=<MulBackward0>), tensor([-3.4325, -4.0000], grad_fn=<MulBackward0>))
    """
@overload
def chdtri(v: Operand, p: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def chebyshev_polynomial_t(input: Tensor, n: Any, *, out: Tensor | None = None) -> Tensor:
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
def chebyshev_polynomial_t(input: Operand, n: Any, *, out: Tensor | None = None) -> Any: ...
@overload
def chebyshev_polynomial_u(input: Tensor, n: Any, *, out: Tensor | None = None) -> Tensor:
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
def chebyshev_polynomial_u(input: Operand, n: Any, *, out: Tensor | None = None) -> Any: ...
@overload
def chebyshev_polynomial_v(input: Tensor, n: Any, *, out: Tensor | None = None) -> Tensor:
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
def chebyshev_polynomial_v(input: Operand, n: Any, *, out: Tensor | None = None) -> Any: ...
@overload
def chebyshev_polynomial_w(input: Tensor, n: Any, *, out: Tensor | None = None) -> Tensor:
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
def chebyshev_polynomial_w(input: Operand, n: Any, *, out: Tensor | None = None) -> Any: ...
@overload
def dawsn(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return Dawson's integral, exp(-x**2) times that of exp(t**2) from 0 to x.

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
    - Derivative: 1 − 2x D(x)
    - Complex numbers: no
    - SymPy: ``sqrt(pi)/2*exp(-x**2)*erfi(x)``

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor([-1.5, 0.5], requires_grad=True, name="x")
    >>> y = sg.special.dawsn(x)
    >>> y
    tensor([-0.4282,  0.4244], grad_fn=<DawsnBackward0>)
    >>> (g,) = sg.autograd.grad(y.sum(), x, create_graph=True)
    >>> g
    tensor([-0.2847,  0.5756], grad_fn=<MulBackward0>)
    >>> g.formula()
    1 − 2x ⊙ D(x)
    """
@overload
def dawsn(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def digamma(input: Tensor, *, out: Tensor | None = None) -> Tensor:
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
    - Derivative: ψ⁽¹⁾(x)
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
    ψ⁽¹⁾(x)
    """
@overload
def digamma(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def ellipe(m: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the complete elliptic integral of the second kind.

    Parameters
    ----------
    m : tensor, array or number
        Called m below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: (E(m) − K(m))/(2m)
    - Finite for: x ≤ 1
    - Complex numbers: no
    - SymPy: ``elliptic_e(m)``

    Examples
    --------
    >>> import symgrad as sg
    >>> m = sg.tensor([-0.5, 0.5], requires_grad=True, name="m")
    >>> y = sg.special.ellipe(m)
    >>> y
    tensor([1.7518, 1.3506], grad_fn=<EllipeBackward0>)
    >>> (g,) = sg.autograd.grad(y.sum(), m, create_graph=True)
    >>> g
    tensor([-0.3360, -0.5034], grad_fn=<MulBackward0>)
    >>> g.formula()
    (E(m) − K(m))/(2m)
    """
@overload
def ellipe(m: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def ellipeinc(phi: Tensor, m: Operand, *, out: Tensor | None = None) -> Tensor:
    """Return the incomplete elliptic integral of the second kind.

    Parameters
    ----------
    phi : tensor, array or number
        Called phi below.
    m : tensor, array or number
        Called m below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: √(1 − m sin(φ)²) in phi; (E(φ, m) − F(φ, m))/(2m) in m
    - Complex numbers: no

    Examples
    --------
    >>> import symgrad as sg
    >>> phi = sg.tensor([-0.5, 0.5], requires_grad=True, name="phi")
    >>> m = sg.tensor([-0.5, 0.5], requires_grad=True, name="m")
    >>> y = sg.special.ellipeinc(phi, m)
    >>> y
    tensor([-0.5097,  0.4899], grad_fn=<EllipeincBackward0>)
    >>> g_phi, g_m = sg.autograd.grad(y.sum(), (phi, m), create_graph=True)
    >>> g_phi, g_m
    (tensor([1.0559, 0.9408], grad_fn=<MulBackward0>), tensor([ 0.0192, -0.0206], grad_fn=<MulBackward0>))
    >>> g_phi.formula(), g_m.formula()
    (√(1 − m ⊙ sin(φ)²), (E(φ, m) − F(φ, m))/(2m))
    """
@overload
def ellipeinc(phi: Operand, m: Operand, *, out: Tensor | None = None) -> Any: ...
def ellipj(u: Any, m: Any) -> tuple[Tensor, ...]:
    """Return Jacobi's elliptic functions sn, cn and dn, and the amplitude, at ``u``; the parameter m has no derivative.

    Parameters
    ----------
    u : tensor, array or number
        The operand.
    m : number or array
        The parameter. It has no derivative: one that is asked for raises.
    """
@overload
def ellipk(m: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the complete elliptic integral of the first kind.

    Parameters
    ----------
    m : tensor, array or number
        Called m below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: (E(m) − (1 − m) K(m))/(2m(1 − m))
    - Finite for: x < 1
    - Complex numbers: no
    - SymPy: ``elliptic_k(m)``

    Examples
    --------
    >>> import symgrad as sg
    >>> m = sg.tensor([-0.5, 0.5], requires_grad=True, name="m")
    >>> y = sg.special.ellipk(m)
    >>> y
    tensor([1.4157, 1.8541], grad_fn=<EllipkBackward0>)
    >>> (g,) = sg.autograd.grad(y.sum(), m, create_graph=True)
    >>> g
    tensor([0.2479, 0.8472], grad_fn=<MulBackward0>)
    >>> g.formula()
    (E(m) − (1 − m) ⊙ K(m))/(2m ⊙ (1 − m))
    """
@overload
def ellipk(m: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def ellipkinc(phi: Tensor, m: Operand, *, out: Tensor | None = None) -> Tensor:
    """Return the incomplete elliptic integral of the first kind.

    Parameters
    ----------
    phi : tensor, array or number
        Called phi below.
    m : tensor, array or number
        Called m below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: 1/√(1 − m sin(φ)²) in phi; E(φ, m)/(2m(1 − m)) − F(φ, m)/(2m) − sin(2φ)/(4(1 − m) √(1 − m sin(φ)²)) in m
    - Complex numbers: no

    Examples
    --------
    >>> import symgrad as sg
    >>> phi = sg.tensor([-0.5, 0.5], requires_grad=True, name="phi")
    >>> m = sg.tensor([-0.5, 0.5], requires_grad=True, name="m")
    >>> y = sg.special.ellipkinc(phi, m)
    >>> y
    tensor([-0.4906,  0.5105], grad_fn=<EllipkincBackward0>)
    >>> g_phi, g_m = sg.autograd.grad(y.sum(), (phi, m), create_graph=True)
    >>> g_phi, g_m
    (tensor([0.9471, 1.0629], grad_fn=<MulBackward0>), tensor([-0.0179,  0.0221], grad_fn=<MulBackward0>))
    >>> g_phi.formula(), g_m.formula()
    (1/√(1 − m ⊙ sin(φ)²), E(φ, m)/(2m ⊙ (1 − m)) − F(φ, m)/(2m) − sin(2φ)/(4(1 − m) ⊙ √(1 − m ⊙ sin(φ)²)))
    """
@overload
def ellipkinc(phi: Operand, m: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def ellipkm1(p: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return ellipk(1 - p), exact where p is small.

    Parameters
    ----------
    p : tensor, array or number
        Called p below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: −carlson(0, 1, p, n=0, alpha=0.5, beta=0.5, gamma=1.5)/4, where carlson(a, b, c) is the integral of t**n (t + a)**-alpha (t + b)**-beta (t + c)**-gamma from 0 to infinity
    - Finite for: x > 0
    - Complex numbers: no

    Examples
    --------
    >>> import symgrad as sg
    >>> p = sg.tensor([0.5, 2.0], requires_grad=True, name="p")
    >>> y = sg.special.ellipkm1(p)
    >>> y
    tensor([1.8541, 1.3110], grad_fn=<Ellipkm1Backward0>)
    >>> (g,) = sg.autograd.grad(y.sum(), p, create_graph=True)
    >>> g
    tensor([-0.8472, -0.1780], grad_fn=<MulBackward0>)
    """
@overload
def ellipkm1(p: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def elliprc(input: Tensor, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """Return Carlson's degenerate elliptic integral.

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
    - Derivative: −carlson(a, b, 1, n=0, alpha=1.5, beta=1, gamma=0)/4 in a, where carlson(a, b, c) is the integral of t**n (t + a)**-alpha (t + b)**-beta (t + c)**-gamma from 0 to infinity; −carlson(a, b, 1, n=0, alpha=0.5, beta=2, gamma=0)/2 in b, where carlson(a, b, c) is the integral of t**n (t + a)**-alpha (t + b)**-beta (t + c)**-gamma from 0 to infinity
    - Complex numbers: no

    Examples
    --------
    >>> import symgrad as sg
    >>> a = sg.tensor([0.5, 2.0], requires_grad=True, name="a")
    >>> b = sg.tensor([1.0, 3.0], requires_grad=True, name="b")
    >>> y = sg.special.elliprc(a, b)
    >>> y
    tensor([1.1107, 0.6155], grad_fn=<ElliprcBackward0>)
    >>> g_a, g_b = sg.autograd.grad(y.sum(), (a, b), create_graph=True)
    >>> g_a, g_b
    (tensor([-0.3035, -0.0458], grad_fn=<MulBackward0>), tensor([-0.4036, -0.0720], grad_fn=<MulBackward0>))
    """
@overload
def elliprc(input: Operand, other: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def elliprd(input: Tensor, other: Operand, c: Operand, *, out: Tensor | None = None) -> Tensor:
    """Return Carlson's elliptic integral of the second kind.

    Parameters
    ----------
    input : tensor, array or number
        Called a below.
    other : tensor, array or number
        Called b below.
    c : tensor, array or number
        Called c below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: −3 carlson(a, b, c, n=0, alpha=1.5, beta=0.5, gamma=1.5)/4 in a, where carlson(a, b, c) is the integral of t**n (t + a)**-alpha (t + b)**-beta (t + c)**-gamma from 0 to infinity; −3 carlson(a, b, c, n=0, alpha=0.5, beta=1.5, gamma=1.5)/4 in b, where carlson(a, b, c) is the integral of t**n (t + a)**-alpha (t + b)**-beta (t + c)**-gamma from 0 to infinity; −9 carlson(a, b, c, n=0, alpha=0.5, beta=0.5, gamma=2.5)/4 in c, where carlson(a, b, c) is the integral of t**n (t + a)**-alpha (t + b)**-beta (t + c)**-gamma from 0 to infinity
    - Complex numbers: no

    Examples
    --------
    >>> import symgrad as sg
    >>> a = sg.tensor([0.5, 2.0], requires_grad=True, name="a")
    >>> b = sg.tensor([1.0, 3.0], requires_grad=True, name="b")
    >>> c = sg.tensor([1.0, 3.0], requires_grad=True, name="c")
    >>> y = sg.special.elliprd(a, b, c)
    >>> y
    tensor([1.2108, 0.2161], grad_fn=<ElliprdBackward0>)
    >>> g_a, g_b, g_c = sg.autograd.grad(y.sum(), (a, b, c), create_graph=True)
    >>> g_a, g_b, g_c
    (tensor([-0.6101, -0.0294], grad_fn=<MulBackward0>), tensor([-0.3778, -0.0221], grad_fn=<MulBackward0>), tensor([-1.1334, -0.0664], grad_fn=<MulBackward0>))
    """
@overload
def elliprd(input: Operand, other: Operand, c: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def elliprf(input: Tensor, other: Operand, c: Operand, *, out: Tensor | None = None) -> Tensor:
    """Return Carlson's elliptic integral of the first kind.

    Parameters
    ----------
    input : tensor, array or number
        Called a below.
    other : tensor, array or number
        Called b below.
    c : tensor, array or number
        Called c below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: −carlson(a, b, c, n=0, alpha=1.5, beta=0.5, gamma=0.5)/4 in a, where carlson(a, b, c) is the integral of t**n (t + a)**-alpha (t + b)**-beta (t + c)**-gamma from 0 to infinity; −carlson(a, b, c, n=0, alpha=0.5, beta=1.5, gamma=0.5)/4 in b, where carlson(a, b, c) is the integral of t**n (t + a)**-alpha (t + b)**-beta (t + c)**-gamma from 0 to infinity; −carlson(a, b, c, n=0, alpha=0.5, beta=0.5, gamma=1.5)/4 in c, where carlson(a, b, c) is the integral of t**n (t + a)**-alpha (t + b)**-beta (t + c)**-gamma from 0 to infinity
    - Complex numbers: no

    Examples
    --------
    >>> import symgrad as sg
    >>> a = sg.tensor([0.5, 2.0], requires_grad=True, name="a")
    >>> b = sg.tensor([1.0, 3.0], requires_grad=True, name="b")
    >>> c = sg.tensor([1.0, 3.0], requires_grad=True, name="c")
    >>> y = sg.special.elliprf(a, b, c)
    >>> y
    tensor([1.1107, 0.6155], grad_fn=<ElliprfBackward0>)
    >>> g_a, g_b, g_c = sg.autograd.grad(y.sum(), (a, b, c), create_graph=True)
    >>> g_a, g_b, g_c
    (tensor([-0.3035, -0.0458], grad_fn=<MulBackward0>), tensor([-0.2018, -0.0360], grad_fn=<MulBackward0>), tensor([-0.2018, -0.0360], grad_fn=<MulBackward0>))
    """
@overload
def elliprf(input: Operand, other: Operand, c: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def elliprg(input: Tensor, other: Operand, c: Operand, *, out: Tensor | None = None) -> Tensor:
    """Return Carlson's symmetric elliptic integral of the second kind.

    Parameters
    ----------
    input : tensor, array or number
        Called a below.
    other : tensor, array or number
        Called b below.
    c : tensor, array or number
        Called c below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: carlson(a, b, c, n=1, alpha=1.5, beta=0.5, gamma=0.5)/8 in a, where carlson(a, b, c) is the integral of t**n (t + a)**-alpha (t + b)**-beta (t + c)**-gamma from 0 to infinity; carlson(a, b, c, n=1, alpha=0.5, beta=1.5, gamma=0.5)/8 in b, where carlson(a, b, c) is the integral of t**n (t + a)**-alpha (t + b)**-beta (t + c)**-gamma from 0 to infinity; carlson(a, b, c, n=1, alpha=0.5, beta=0.5, gamma=1.5)/8 in c, where carlson(a, b, c) is the integral of t**n (t + a)**-alpha (t + b)**-beta (t + c)**-gamma from 0 to infinity
    - Complex numbers: no

    Examples
    --------
    >>> import symgrad as sg
    >>> a = sg.tensor([0.5, 2.0], requires_grad=True, name="a")
    >>> b = sg.tensor([1.0, 3.0], requires_grad=True, name="b")
    >>> c = sg.tensor([1.0, 3.0], requires_grad=True, name="c")
    >>> y = sg.special.elliprg(a, b, c)
    >>> y
    tensor([0.9089, 1.6303], grad_fn=<ElliprgBackward0>)
    >>> g_a, g_b, g_c = sg.autograd.grad(y.sum(), (a, b, c), create_graph=True)
    >>> g_a, g_b, g_c
    (tensor([0.2018, 0.1081], grad_fn=<MulBackward0>), tensor([0.1768, 0.0998], grad_fn=<MulBackward0>), tensor([0.1768, 0.0998], grad_fn=<MulBackward0>))
    """
@overload
def elliprg(input: Operand, other: Operand, c: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def entr(input: Tensor, *, out: Tensor | None = None) -> Tensor:
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
def entr(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def erf(input: Tensor, *, out: Tensor | None = None) -> Tensor:
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
    - Complex numbers: yes
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
def erf(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def erfc(input: Tensor, *, out: Tensor | None = None) -> Tensor:
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
    - Complex numbers: yes
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
def erfc(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def erfcinv(p: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the inverse of erfc.

    Parameters
    ----------
    p : tensor, array or number
        Called p below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: −√π exp(erfcinv(p)²)/2
    - Finite for: 0 < x < 2
    - Complex numbers: no
    - SymPy: ``erfinv(1 - p)``

    Examples
    --------
    >>> import symgrad as sg
    >>> p = sg.tensor([0.25, 0.5], requires_grad=True, name="p")
    >>> y = sg.special.erfcinv(p)
    >>> y
    tensor([0.8134, 0.4769], grad_fn=<ErfcinvBackward0>)
    >>> (g,) = sg.autograd.grad(y.sum(), p, create_graph=True)
    >>> g
    tensor([-1.7175, -1.1126], grad_fn=<MulBackward0>)
    >>> g.formula()
    −√π exp(erfcinv(p)²)/2
    """
@overload
def erfcinv(p: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def erfcx(input: Tensor, *, out: Tensor | None = None) -> Tensor:
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
    - Derivative: 2x erfcx(x) − 2/√π
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
    2x ⊙ erfcx(x) − 2/√π
    """
@overload
def erfcx(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def erfi(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the imaginary error function, -i erf(i x).

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
    - Derivative: 2 exp(x²)/√π
    - Complex numbers: yes
    - SymPy: ``erfi(x)``

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor([-1.5, 0.5], requires_grad=True, name="x")
    >>> y = sg.special.erfi(x)
    >>> y
    tensor([-4.5847,  0.6150], grad_fn=<ErfiBackward0>)
    >>> (g,) = sg.autograd.grad(y.sum(), x, create_graph=True)
    >>> g
    tensor([10.7058,  1.4489], grad_fn=<MulBackward0>)
    >>> g.formula()
    2 exp(x²)/√π
    """
@overload
def erfi(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def erfinv(input: Tensor, *, out: Tensor | None = None) -> Tensor:
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
def erfinv(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def eval_chebyc(degree: Tensor, x: Operand, /) -> Tensor:
    """Return SciPy's eval_chebyc: its degree has no derivative.

    Parameters
    ----------
    degree : number or array
        The degree. It has no derivative: one that is asked for raises.
    x : tensor, array or number
        The operand.
    """
@overload
def eval_chebyc(degree: Any, x: Operand, /) -> Any: ...
@overload
def eval_chebys(degree: Tensor, x: Operand, /) -> Tensor:
    """Return SciPy's eval_chebys: its degree has no derivative.

    Parameters
    ----------
    degree : number or array
        The degree. It has no derivative: one that is asked for raises.
    x : tensor, array or number
        The operand.
    """
@overload
def eval_chebys(degree: Any, x: Operand, /) -> Any: ...
@overload
def eval_chebyt(degree: Tensor, x: Operand, /) -> Tensor:
    """Return SciPy's eval_chebyt: its degree has no derivative.

    Parameters
    ----------
    degree : number or array
        The degree. It has no derivative: one that is asked for raises.
    x : tensor, array or number
        The operand.
    """
@overload
def eval_chebyt(degree: Any, x: Operand, /) -> Any: ...
@overload
def eval_chebyu(degree: Tensor, x: Operand, /) -> Tensor:
    """Return SciPy's eval_chebyu: its degree has no derivative.

    Parameters
    ----------
    degree : number or array
        The degree. It has no derivative: one that is asked for raises.
    x : tensor, array or number
        The operand.
    """
@overload
def eval_chebyu(degree: Any, x: Operand, /) -> Any: ...
@overload
def eval_gegenbauer(degree: Tensor, alpha: Any, x: Operand, /) -> Tensor:
    """Return SciPy's eval_gegenbauer: its degree has no derivative.

    Parameters
    ----------
    degree : number or array
        The degree. It has no derivative: one that is asked for raises.
    alpha : number or array
        The alpha. It has no derivative: one that is asked for raises.
    x : tensor, array or number
        The operand.
    """
@overload
def eval_gegenbauer(degree: Any, alpha: Any, x: Operand, /) -> Any: ...
@overload
def eval_genlaguerre(degree: Tensor, alpha: Any, x: Operand, /) -> Tensor:
    """Return SciPy's eval_genlaguerre: its degree has no derivative.

    Parameters
    ----------
    degree : number or array
        The degree. It has no derivative: one that is asked for raises.
    alpha : number or array
        The alpha. It has no derivative: one that is asked for raises.
    x : tensor, array or number
        The operand.
    """
@overload
def eval_genlaguerre(degree: Any, alpha: Any, x: Operand, /) -> Any: ...
@overload
def eval_hermite(degree: Tensor, x: Operand, /) -> Tensor:
    """Return SciPy's eval_hermite: its degree has no derivative.

    Parameters
    ----------
    degree : number or array
        The degree. It has no derivative: one that is asked for raises.
    x : tensor, array or number
        The operand.
    """
@overload
def eval_hermite(degree: Any, x: Operand, /) -> Any: ...
@overload
def eval_hermitenorm(degree: Tensor, x: Operand, /) -> Tensor:
    """Return SciPy's eval_hermitenorm: its degree has no derivative.

    Parameters
    ----------
    degree : number or array
        The degree. It has no derivative: one that is asked for raises.
    x : tensor, array or number
        The operand.
    """
@overload
def eval_hermitenorm(degree: Any, x: Operand, /) -> Any: ...
@overload
def eval_jacobi(degree: Tensor, alpha: Any, beta: Any, x: Operand, /) -> Tensor:
    """Return SciPy's eval_jacobi: its degree has no derivative.

    Parameters
    ----------
    degree : number or array
        The degree. It has no derivative: one that is asked for raises.
    alpha : number or array
        The alpha. It has no derivative: one that is asked for raises.
    beta : number or array
        The beta. It has no derivative: one that is asked for raises.
    x : tensor, array or number
        The operand.
    """
@overload
def eval_jacobi(degree: Any, alpha: Any, beta: Any, x: Operand, /) -> Any: ...
@overload
def eval_laguerre(degree: Tensor, x: Operand, /) -> Tensor:
    """Return SciPy's eval_laguerre: its degree has no derivative.

    Parameters
    ----------
    degree : number or array
        The degree. It has no derivative: one that is asked for raises.
    x : tensor, array or number
        The operand.
    """
@overload
def eval_laguerre(degree: Any, x: Operand, /) -> Any: ...
@overload
def eval_legendre(degree: Tensor, x: Operand, /) -> Tensor:
    """Return SciPy's eval_legendre: its degree has no derivative.

    Parameters
    ----------
    degree : number or array
        The degree. It has no derivative: one that is asked for raises.
    x : tensor, array or number
        The operand.
    """
@overload
def eval_legendre(degree: Any, x: Operand, /) -> Any: ...
@overload
def eval_sh_chebyt(degree: Tensor, x: Operand, /) -> Tensor:
    """Return SciPy's eval_sh_chebyt: its degree has no derivative.

    Parameters
    ----------
    degree : number or array
        The degree. It has no derivative: one that is asked for raises.
    x : tensor, array or number
        The operand.
    """
@overload
def eval_sh_chebyt(degree: Any, x: Operand, /) -> Any: ...
@overload
def eval_sh_chebyu(degree: Tensor, x: Operand, /) -> Tensor:
    """Return SciPy's eval_sh_chebyu: its degree has no derivative.

    Parameters
    ----------
    degree : number or array
        The degree. It has no derivative: one that is asked for raises.
    x : tensor, array or number
        The operand.
    """
@overload
def eval_sh_chebyu(degree: Any, x: Operand, /) -> Any: ...
@overload
def eval_sh_jacobi(degree: Tensor, p: Any, q: Any, x: Operand, /) -> Tensor:
    """Return SciPy's eval_sh_jacobi: its degree has no derivative.

    Parameters
    ----------
    degree : number or array
        The degree. It has no derivative: one that is asked for raises.
    p : number or array
        The p. It has no derivative: one that is asked for raises.
    q : number or array
        The q. It has no derivative: one that is asked for raises.
    x : tensor, array or number
        The operand.
    """
@overload
def eval_sh_jacobi(degree: Any, p: Any, q: Any, x: Operand, /) -> Any: ...
@overload
def eval_sh_legendre(degree: Tensor, x: Operand, /) -> Tensor:
    """Return SciPy's eval_sh_legendre: its degree has no derivative.

    Parameters
    ----------
    degree : number or array
        The degree. It has no derivative: one that is asked for raises.
    x : tensor, array or number
        The operand.
    """
@overload
def eval_sh_legendre(degree: Any, x: Operand, /) -> Any: ...
@overload
def exp1(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the exponential integral, that of exp(-t)/t from x to infinity.

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
    - Derivative: −exp(−x)/x
    - Finite for: x > 0
    - Complex numbers: yes
    - SymPy: ``expint(1, x)``

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor([0.5, 2.0], requires_grad=True, name="x")
    >>> y = sg.special.exp1(x)
    >>> y
    tensor([0.5598, 0.0489], grad_fn=<Exp1Backward0>)
    >>> (g,) = sg.autograd.grad(y.sum(), x, create_graph=True)
    >>> g
    tensor([-1.2131, -0.0677], grad_fn=<MulBackward0>)
    >>> g.formula()
    −exp(−x)/x
    """
@overload
def exp1(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def exp2(input: Tensor, *, out: Tensor | None = None) -> Tensor:
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
def exp2(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def expi(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the exponential integral, that of exp(t)/t from -infinity to x.

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
    - Derivative: exp(x)/x
    - Finite for: x ≠ 0
    - Complex numbers: yes
    - SymPy: ``Ei(x)``

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor([-1.5, 0.5], requires_grad=True, name="x")
    >>> y = sg.special.expi(x)
    >>> y
    tensor([-0.1000,  0.4542], grad_fn=<ExpiBackward0>)
    >>> (g,) = sg.autograd.grad(y.sum(), x, create_graph=True)
    >>> g
    tensor([-0.1488,  3.2974], grad_fn=<MulBackward0>)
    >>> g.formula()
    exp(x)/x
    """
@overload
def expi(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def expm1(input: Tensor, *, out: Tensor | None = None) -> Tensor:
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
def expm1(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def expn(order: Tensor, x: Operand, /) -> Tensor:
    """Return the exponential integral of order ``n``: the order has no derivative.

    Parameters
    ----------
    order : number or array
        The order. It has no derivative: one that is asked for raises.
    x : tensor, array or number
        The operand.
    """
@overload
def expn(order: Any, x: Operand, /) -> Any: ...
@overload
def exprel(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return (exp(x) - 1) / x, 1 at 0.

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
    - Derivative: (1 + exp(x)(x − 1))/x²
    - Complex numbers: no
    - SymPy: ``(exp(x) - 1)/x``

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor([-1.5, 0.5], requires_grad=True, name="x")
    >>> y = sg.special.exprel(x)
    >>> y
    tensor([0.5179, 1.2974], grad_fn=<ExprelBackward0>)
    >>> (g,) = sg.autograd.grad(y.sum(), x, create_graph=True)
    >>> g
    tensor([0.1965, 0.7026], grad_fn=<MulBackward0>)
    """
@overload
def exprel(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def fdtr(n: Tensor, d: Operand, input: Operand, *, out: Tensor | None = None) -> Tensor:
    """Return the F distribution function with n and d degrees of freedom.

    Parameters
    ----------
    n : tensor, array or number
        Called n below.
    d : tensor, array or number
        Called d below.
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
    - Derivative: d(t^(n/2) (1 − t)^(d/2 − 1)/B(1 + n/2, d/2))/(s(d + n)) + ∂I/∂a(t; n/2, d/2)/2 in n, where s = nx + d, t = nx/s; ∂I/∂b(t; n/2, d/2)/2 − n(t^(n/2) (1 − t)^(d/2 − 1)/B(1 + n/2, d/2))/(s(d + n)) in d, where s = nx + d, t = nx/s; d n((nx/s)^(n/2 − 1) (1 − nx/s)^(d/2 − 1)/B(n/2, d/2))/s² in x, where s = nx + d
    - Complex numbers: no

    Examples
    --------
    >>> import symgrad as sg
    >>> n = sg.tensor([0.5, 2.0], requires_grad=True, name="n")
    >>> d = sg.tensor([1.0, 3.0], requires_grad=True, name="d")
    >>> x = sg.tensor([1.0, 3.0], requires_grad=True, name="x")
    >>> y = sg.special.fdtr(n, d, x)
    >>> y
    tensor([0.6022, 0.8075], grad_fn=<FdtrBackward0>)
    >>> g_n, g_d, g_x = sg.autograd.grad(y.sum(), (n, d, x), create_graph=True)
    >>> g_n, g_d, g_x
    (tensor([-0.3158, -0.0049], grad_fn=<MulBackward0>), tensor([0.1220, 0.0416], grad_fn=<MulBackward0>), tensor([0.1183, 0.0642], grad_fn=<MulBackward0>))
    """
@overload
def fdtr(n: Operand, d: Operand, input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def fdtrc(n: Tensor, d: Operand, input: Operand, *, out: Tensor | None = None) -> Tensor:
    """Return 1 - fdtr, without cancellation.

    Parameters
    ----------
    n : tensor, array or number
        Called n below.
    d : tensor, array or number
        Called d below.
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
    - Derivative: −d(t^(n/2) (1 − t)^(d/2 − 1)/B(1 + n/2, d/2))/(s(d + n)) − ∂I/∂a(t; n/2, d/2)/2 in n, where s = nx + d, t = nx/s; n(t^(n/2) (1 − t)^(d/2 − 1)/B(1 + n/2, d/2))/(s(d + n)) − ∂I/∂b(t; n/2, d/2)/2 in d, where s = nx + d, t = nx/s; −d n((nx/s)^(n/2 − 1) (1 − nx/s)^(d/2 − 1)/B(n/2, d/2))/s² in x, where s = nx + d
    - Complex numbers: no

    Examples
    --------
    >>> import symgrad as sg
    >>> n = sg.tensor([0.5, 2.0], requires_grad=True, name="n")
    >>> d = sg.tensor([1.0, 3.0], requires_grad=True, name="d")
    >>> x = sg.tensor([1.0, 3.0], requires_grad=True, name="x")
    >>> y = sg.special.fdtrc(n, d, x)
    >>> y
    tensor([0.3978, 0.1925], grad_fn=<FdtrcBackward0>)
    >>> g_n, g_d, g_x = sg.autograd.grad(y.sum(), (n, d, x), create_graph=True)
    >>> g_n, g_d, g_x
    (tensor([0.3158, 0.0049], grad_fn=<MulBackward0>), tensor([-0.1220, -0.0416], grad_fn=<MulBackward0>), tensor([-0.1183, -0.0642], grad_fn=<MulBackward0>))
    """
@overload
def fdtrc(n: Operand, d: Operand, input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def fdtri(n: Tensor, d: Operand, p: Operand, *, out: Tensor | None = None) -> Tensor:
    """Return the quantile of the F distribution: the x at which fdtr(n, d, x) is p.

    Parameters
    ----------
    n : tensor, array or number
        Called n below.
    d : tensor, array or number
        Called d below.
    p : tensor, array or number
        Called p below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: −(2t(u^(n/2) (1 − u)^(d/2 − 1)/B(1 + n/2, d/2))/(d + n) + t² ∂I/∂a(u; n/2, d/2)/d)/(2n(u^(n/2 − 1) (1 − u)^(d/2 − 1)/B(n/2, d/2))) in n, where s = fdtri(n, d, p), t = ns + d, u = ns/t; (2t(u^(n/2) (1 − u)^(d/2 − 1)/B(1 + n/2, d/2))/(d + n) − t² ∂I/∂b(u; n/2, d/2)/n)/(2d(u^(n/2 − 1) (1 − u)^(d/2 − 1)/B(n/2, d/2))) in d, where s = fdtri(n, d, p), t = ns + d, u = ns/t; t²/(d n((ns/t)^(n/2 − 1) (1 − ns/t)^(d/2 − 1)/B(n/2, d/2))) in p, where s = fdtri(n, d, p), t = ns + d
    - Complex numbers: no

    Examples
    --------
    >>> import symgrad as sg
    >>> n = sg.tensor([0.5, 2.0], requires_grad=True, name="n")
    >>> d = sg.tensor([1.0, 3.0], requires_grad=True, name="d")
    >>> p = sg.tensor([0.25, 0.5], requires_grad=True, name="p")
    >>> y = sg.special.fdtri(n, d, p)
    >>> y
    tensor([0.0232, 0.8811], grad_fn=<FdtriBackward0>)
    >>> g_n, g_d, g_p = sg.autograd.grad(y.sum(), (n, d, p), create_graph=True)
    >>> g_n, g_d, g_p
    (tensor([0.2026, 0.1707], grad_fn=<MulBackward0>), tensor([-0.0177, -0.0731], grad_fn=<MulBackward0>), tensor([0.3744, 3.1748], grad_fn=<MulBackward0>))
    """
@overload
def fdtri(n: Operand, d: Operand, p: Operand, *, out: Tensor | None = None) -> Any: ...
def fresnel(x: Operand) -> tuple[Tensor, ...]:
    """Return Fresnel's integral of the sine, of pi t**2 / 2, Fresnel's integral of the cosine, of pi t**2 / 2.

    Parameters
    ----------
    x : tensor or array
        Points, one row each.
    """
@overload
def gamma(input: Tensor, *, out: Tensor | None = None) -> Tensor:
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
    - Derivative: ψ(x) Γ(x)
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
    Γ(x) ⊙ ψ(x)
    """
@overload
def gamma(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def gammainc(input: Tensor, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """Return the lower incomplete gamma function, divided by gamma(a).

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
    - Derivative: ∂P/∂a(a, b) in a; b^(a − 1) exp(−b)/Γ(a) in b
    - Complex numbers: no
    - In PyTorch: ``torch.special.gammainc``

    Examples
    --------
    >>> import symgrad as sg
    >>> a = sg.tensor([0.5, 2.0], requires_grad=True, name="a")
    >>> b = sg.tensor([1.0, 3.0], requires_grad=True, name="b")
    >>> y = sg.special.gammainc(a, b)
    >>> y
    tensor([0.8427, 0.8009], grad_fn=<IgammaBackward0>)
    >>> g_a, g_b = sg.autograd.grad(y.sum(), (a, b), create_graph=True)
    >>> g_a, g_b
    (tensor([-0.3898, -0.1974], grad_fn=<MulBackward0>), tensor([0.2076, 0.1494], grad_fn=<MulBackward0>))
    >>> g_a.formula(), g_b.formula()
    (∂P/∂a(a, b), b^(a − 1) ⊙ exp(−b)/Γ(a))
    """
@overload
def gammainc(input: Operand, other: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def gammaincc(input: Tensor, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """Return 1 - igamma, without cancellation.

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
    - Derivative: −∂P/∂a(a, b) in a; −(b^(a − 1) exp(−b)/Γ(a)) in b
    - Complex numbers: no
    - In PyTorch: ``torch.special.gammaincc``

    Examples
    --------
    >>> import symgrad as sg
    >>> a = sg.tensor([0.5, 2.0], requires_grad=True, name="a")
    >>> b = sg.tensor([1.0, 3.0], requires_grad=True, name="b")
    >>> y = sg.special.gammaincc(a, b)
    >>> y
    tensor([0.1573, 0.1991], grad_fn=<IgammacBackward0>)
    >>> g_a, g_b = sg.autograd.grad(y.sum(), (a, b), create_graph=True)
    >>> g_a, g_b
    (tensor([0.3898, 0.1974], grad_fn=<MulBackward0>), tensor([-0.2076, -0.1494], grad_fn=<MulBackward0>))
    >>> g_a.formula(), g_b.formula()
    (−∂P/∂a(a, b), −b^(a − 1) ⊙ exp(−b)/Γ(a))
    """
@overload
def gammaincc(input: Operand, other: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def gammainccinv(input: Tensor, p: Operand, *, out: Tensor | None = None) -> Tensor:
    """Return the x at which igammac(a, x) is p.

    Parameters
    ----------
    input : tensor, array or number
        Called a below.
    p : tensor, array or number
        Called p below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: −∂P/∂a(a, s)/(s^(a − 1) exp(−s)/Γ(a)) in a, where s = gammainccinv(a, p); −1/(gammainccinv(a, p)^(a − 1) exp(−gammainccinv(a, p))/Γ(a)) in p
    - Complex numbers: no

    Examples
    --------
    >>> import symgrad as sg
    >>> a = sg.tensor([0.5, 2.0], requires_grad=True, name="a")
    >>> p = sg.tensor([0.25, 0.5], requires_grad=True, name="p")
    >>> y = sg.special.gammainccinv(a, p)
    >>> y
    tensor([0.6617, 1.6783], grad_fn=<GammainccinvBackward0>)
    >>> g_a, g_p = sg.autograd.grad(y.sum(), (a, p), create_graph=True)
    >>> g_a, g_p
    (tensor([1.5432, 0.9933], grad_fn=<MulBackward0>), tensor([-2.7941, -3.1916], grad_fn=<MulBackward0>))
    """
@overload
def gammainccinv(input: Operand, p: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def gammaincinv(input: Tensor, p: Operand, *, out: Tensor | None = None) -> Tensor:
    """Return the x at which igamma(a, x) is p.

    Parameters
    ----------
    input : tensor, array or number
        Called a below.
    p : tensor, array or number
        Called p below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: −∂P/∂a(a, s)/(s^(a − 1) exp(−s)/Γ(a)) in a, where s = gammaincinv(a, p); 1/(gammaincinv(a, p)^(a − 1) exp(−gammaincinv(a, p))/Γ(a)) in p
    - Complex numbers: no

    Examples
    --------
    >>> import symgrad as sg
    >>> a = sg.tensor([0.5, 2.0], requires_grad=True, name="a")
    >>> p = sg.tensor([0.25, 0.5], requires_grad=True, name="p")
    >>> y = sg.special.gammaincinv(a, p)
    >>> y
    tensor([0.0508, 1.6783], grad_fn=<GammaincinvBackward0>)
    >>> g_a, g_p = sg.autograd.grad(y.sum(), (a, p), create_graph=True)
    >>> g_a, g_p
    (tensor([0.3193, 0.9933], grad_fn=<MulBackward0>), tensor([0.4202, 3.1916], grad_fn=<MulBackward0>))
    """
@overload
def gammaincinv(input: Operand, p: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def gdtr(a: Tensor, b: Operand, x: Operand, *, out: Tensor | None = None) -> Tensor:
    """Return the gamma distribution function with rate a and shape b.

    Parameters
    ----------
    a : tensor, array or number
        Called a below.
    b : tensor, array or number
        Called b below.
    x : tensor, array or number
        Called x below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: b((ax)^b exp(−ax)/Γ(1 + b))/a in a; ∂P/∂a(b, ax) in b; a((ax)^(b − 1) exp(−ax)/Γ(b)) in x
    - Complex numbers: no

    Examples
    --------
    >>> import symgrad as sg
    >>> a = sg.tensor([0.5, 2.0], requires_grad=True, name="a")
    >>> b = sg.tensor([1.0, 3.0], requires_grad=True, name="b")
    >>> x = sg.tensor([1.0, 3.0], requires_grad=True, name="x")
    >>> y = sg.special.gdtr(a, b, x)
    >>> y
    tensor([0.3935, 0.9380], grad_fn=<GdtrBackward0>)
    >>> g_a, g_b, g_x = sg.autograd.grad(y.sum(), (a, b, x), create_graph=True)
    >>> g_a, g_b, g_x
    (tensor([0.6065, 0.1339], grad_fn=<MulBackward0>), tensor([-0.4895, -0.0654], grad_fn=<MulBackward0>), tensor([0.3033, 0.0892], grad_fn=<MulBackward0>))
    >>> g_a.formula(), g_b.formula(), g_x.formula()
    (b ⊙ ((a ⊙ x)^b ⊙ exp(−a ⊙ x)/Γ(1 + b))/a, ∂P/∂a(b, a ⊙ x), a ⊙ ((a ⊙ x)^(b − 1) ⊙ exp(−a ⊙ x)/Γ(b)))
    """
@overload
def gdtr(a: Operand, b: Operand, x: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def gdtrc(a: Tensor, b: Operand, x: Operand, *, out: Tensor | None = None) -> Tensor:
    """Return 1 - gdtr, without cancellation.

    Parameters
    ----------
    a : tensor, array or number
        Called a below.
    b : tensor, array or number
        Called b below.
    x : tensor, array or number
        Called x below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: −b((ax)^b exp(−ax)/Γ(1 + b))/a in a; −∂P/∂a(b, ax) in b; −a((ax)^(b − 1) exp(−ax)/Γ(b)) in x
    - Complex numbers: no

    Examples
    --------
    >>> import symgrad as sg
    >>> a = sg.tensor([0.5, 2.0], requires_grad=True, name="a")
    >>> b = sg.tensor([1.0, 3.0], requires_grad=True, name="b")
    >>> x = sg.tensor([1.0, 3.0], requires_grad=True, name="x")
    >>> y = sg.special.gdtrc(a, b, x)
    >>> y
    tensor([0.6065, 0.0620], grad_fn=<GdtrcBackward0>)
    >>> g_a, g_b, g_x = sg.autograd.grad(y.sum(), (a, b, x), create_graph=True)
    >>> g_a, g_b, g_x
    (tensor([-0.6065, -0.1339], grad_fn=<MulBackward0>), tensor([0.4895, 0.0654], grad_fn=<MulBackward0>), tensor([-0.3033, -0.0892], grad_fn=<MulBackward0>))
    >>> g_a.formula(), g_b.formula(), g_x.formula()
    (−b ⊙ ((a ⊙ x)^b ⊙ exp(−a ⊙ x)/Γ(1 + b))/a, −∂P/∂a(b, a ⊙ x), −a ⊙ ((a ⊙ x)^(b − 1) ⊙ exp(−a ⊙ x)/Γ(b)))
    """
@overload
def gdtrc(a: Operand, b: Operand, x: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def gdtrix(input: Tensor, other: Operand, p: Operand, *, out: Tensor | None = None) -> Tensor:
    """Return the x at which gdtr(a, b, x) is p.

    Parameters
    ----------
    input : tensor, array or number
        Called a below.
    other : tensor, array or number
        Called b below.
    p : tensor, array or number
        Called p below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: −gdtrix(a, b, p)/a in a; −∂P/∂a(b, s)/(a(s^(b − 1) exp(−s)/Γ(b))) in b, where s = a gdtrix(a, b, p); 1/(a((a gdtrix(a, b, p))^(b − 1) exp(−a gdtrix(a, b, p))/Γ(b))) in p
    - Complex numbers: no

    Examples
    --------
    >>> import symgrad as sg
    >>> a = sg.tensor([0.5, 2.0], requires_grad=True, name="a")
    >>> b = sg.tensor([1.0, 3.0], requires_grad=True, name="b")
    >>> p = sg.tensor([0.25, 0.5], requires_grad=True, name="p")
    >>> y = sg.special.gdtrix(a, b, p)
    >>> y
    tensor([0.5754, 1.3370], grad_fn=<GdtrixBackward0>)
    >>> g_a, g_b, g_p = sg.autograd.grad(y.sum(), (a, b, p), create_graph=True)
    >>> g_a, g_b, g_p
    (tensor([-1.1507, -0.6685], grad_fn=<MulBackward0>), tensor([1.1611, 0.4986], grad_fn=<MulBackward0>), tensor([2.6667, 2.0276], grad_fn=<MulBackward0>))
    """
@overload
def gdtrix(input: Operand, other: Operand, p: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def hankel1(order: Tensor, x: Operand, /) -> Tensor:
    """Return Hankel's function of the first kind, which is complex: the order has no derivative.

    Parameters
    ----------
    order : number or array
        The order. It has no derivative: one that is asked for raises.
    x : tensor, array or number
        The operand.
    """
@overload
def hankel1(order: Any, x: Operand, /) -> Any: ...
@overload
def hankel2(order: Tensor, x: Operand, /) -> Tensor:
    """Return Hankel's function of the second kind, which is complex: the order has no derivative.

    Parameters
    ----------
    order : number or array
        The order. It has no derivative: one that is asked for raises.
    x : tensor, array or number
        The operand.
    """
@overload
def hankel2(order: Any, x: Operand, /) -> Any: ...
@overload
def hermite_polynomial_h(input: Tensor, n: Any, *, out: Tensor | None = None) -> Tensor:
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
def hermite_polynomial_h(input: Operand, n: Any, *, out: Tensor | None = None) -> Any: ...
@overload
def hermite_polynomial_he(input: Tensor, n: Any, *, out: Tensor | None = None) -> Tensor:
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
def hermite_polynomial_he(input: Operand, n: Any, *, out: Tensor | None = None) -> Any: ...
@overload
def hyp0f1(v: Tensor, x: Operand, /) -> Tensor:
    """Return the confluent hypergeometric limit function 0F1(; v; x).

    Parameters
    ----------
    v : number or array
        The parameter v. It has no derivative: one that is asked for raises.
    x : tensor, array or number
        The operand.
    """
@overload
def hyp0f1(v: Any, x: Operand, /) -> Any: ...
@overload
def hyp1f1(a: Tensor, b: Operand, x: Operand, *, out: Tensor | None = None) -> Tensor:
    """Return Kummer's function, the confluent hypergeometric function.

    Parameters
    ----------
    a : tensor, array or number
        Called a below.
    b : tensor, array or number
        Called b below.
    x : tensor, array or number
        Called x below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: ∂₁F₁/∂a(a, b, x) in a; ∂₁F₁/∂b(a, b, x) in b; a ₁F₁(1 + a, 1 + b, x)/b in x
    - Complex numbers: no

    Examples
    --------
    >>> import symgrad as sg
    >>> a = sg.tensor([0.5, 2.0], requires_grad=True, name="a")
    >>> b = sg.tensor([1.0, 3.0], requires_grad=True, name="b")
    >>> x = sg.tensor([1.0, 3.0], requires_grad=True, name="x")
    >>> y = sg.special.hyp1f1(a, b, x)
    >>> y
    tensor([1.7534, 9.1491], grad_fn=<Hyp1f1Backward0>)
    >>> g_a, g_b, g_x = sg.autograd.grad(y.sum(), (a, b, x), create_graph=True)
    >>> g_a, g_b, g_x
    (tensor([1.7066, 7.7624], grad_fn=<MulBackward0>), tensor([-0.9060, -5.5940], grad_fn=<MulBackward0>), tensor([1.0893, 7.2909], grad_fn=<MulBackward0>))
    >>> g_a.formula(), g_b.formula(), g_x.formula()
    (∂₁F₁/∂a(a, b, x), ∂₁F₁/∂b(a, b, x), a ⊙ ₁F₁(1 + a, 1 + b, x)/b)
    """
@overload
def hyp1f1(a: Operand, b: Operand, x: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def hyp2f1(a: Tensor, b: Operand, c: Operand, x: Operand, *, out: Tensor | None = None) -> Tensor:
    """Return Gauss's hypergeometric function.

    Parameters
    ----------
    a : tensor, array or number
        Called a below.
    b : tensor, array or number
        Called b below.
    c : tensor, array or number
        Called c below.
    x : tensor, array or number
        Called x below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: ∂₂F₁/∂a(a, b, c, x) in a; ∂₂F₁/∂a(b, a, c, x) in b; ∂₂F₁/∂c(a, b, c, x) in c; ab ₂F₁(1 + a, 1 + b, 1 + c, x)/c in x
    - Complex numbers: no

    Examples
    --------
    >>> import symgrad as sg
    >>> a = sg.tensor([0.5, 2.0], requires_grad=True, name="a")
    >>> b = sg.tensor([1.0, 3.0], requires_grad=True, name="b")
    >>> c = sg.tensor([1.0, 3.0], requires_grad=True, name="c")
    >>> x = sg.tensor([0.25, 0.5], requires_grad=True, name="x")
    >>> y = sg.special.hyp2f1(a, b, c, x)
    >>> y
    tensor([1.1547, 4.0000], grad_fn=<Hyp2f1Backward0>)
    >>> g_a, g_b, g_c, g_x = sg.autograd.grad(y.sum(), (a, b, c, x), create_graph=True)
    >>> g_a, g_b, g_c, g_x
    (tensor([0.3322, 2.7726], grad_fn=<MulBackward0>), tensor([0.1721, 2.0000], grad_fn=<MulBackward0>), tensor([-0.1721, -2.0000], grad_fn=<MulBackward0>), tensor([ 0.7698, 16.0000], grad_fn=<MulBackward0>))
    >>> g_a.formula(), g_b.formula(), g_c.formula(), g_x.formula()
    (∂₂F₁/∂a(a, b, c, x), ∂₂F₁/∂a(b, a, c, x), ∂₂F₁/∂c(a, b, c, x), a ⊙ b ⊙ ₂F₁(1 + a, 1 + b, 1 + c, x)/c)
    """
@overload
def hyp2f1(a: Operand, b: Operand, c: Operand, x: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def hyperu(a: Tensor, b: Any, x: Operand, /) -> Tensor:
    """Return Tricomi's confluent hypergeometric function.

    Parameters
    ----------
    a : number or array
        The parameter a. It has no derivative: one that is asked for raises.
    b : number or array
        The parameter b. It has no derivative: one that is asked for raises.
    x : tensor, array or number
        The operand.
    """
@overload
def hyperu(a: Any, b: Any, x: Operand, /) -> Any: ...
@overload
def i0(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the modified Bessel function of the first kind and order 0.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def i0(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def i0e(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return exp(-|x|) times the modified Bessel function of the first kind and order 0.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def i0e(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def i1(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the modified Bessel function of the first kind and order 1.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def i1(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def i1e(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return exp(-|x|) times the modified Bessel function of the first kind and order 1.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def i1e(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def inv_boxcox(input: Tensor, k: Operand, *, out: Tensor | None = None) -> Tensor:
    """Return (1 + k x)**(1/k), exp(x) where k is 0: the inverse of boxcox.

    Parameters
    ----------
    input : tensor, array or number
        Called x below.
    k : tensor, array or number
        Called k below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: inv_boxcox(x, k)/(1 + kx) in x; s^(1/k − 1)(kx − s log(s))/k² in k, where s = 1 + kx
    - Complex numbers: no
    - SymPy: ``(1 + k*x)**(1/k)``

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor([0.5, 2.0], requires_grad=True, name="x")
    >>> k = sg.tensor([1.0, 3.0], requires_grad=True, name="k")
    >>> y = sg.special.inv_boxcox(x, k)
    >>> y
    tensor([1.5000, 1.9129], grad_fn=<InvBoxcoxBackward0>)
    >>> g_x, g_k = sg.autograd.grad(y.sum(), (x, k), create_graph=True)
    >>> g_x, g_k
    (tensor([1.0000, 0.2733], grad_fn=<MulBackward0>), tensor([-0.1082, -0.2314], grad_fn=<MulBackward0>))
    """
@overload
def inv_boxcox(input: Operand, k: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def inv_boxcox1p(input: Tensor, k: Operand, *, out: Tensor | None = None) -> Tensor:
    """Return inv_boxcox(x, k) - 1, the inverse of boxcox1p.

    Parameters
    ----------
    input : tensor, array or number
        Called x below.
    k : tensor, array or number
        Called k below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: (1 + inv_boxcox1p(x, k))/(1 + kx) in x; s^(1/k − 1)(kx − s log(s))/k² in k, where s = 1 + kx
    - Complex numbers: no
    - SymPy: ``(1 + k*x)**(1/k) - 1``

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor([0.5, 2.0], requires_grad=True, name="x")
    >>> k = sg.tensor([1.0, 3.0], requires_grad=True, name="k")
    >>> y = sg.special.inv_boxcox1p(x, k)
    >>> y
    tensor([0.5000, 0.9129], grad_fn=<InvBoxcox1pBackward0>)
    >>> g_x, g_k = sg.autograd.grad(y.sum(), (x, k), create_graph=True)
    >>> g_x, g_k
    (tensor([1.0000, 0.2733], grad_fn=<MulBackward0>), tensor([-0.1082, -0.2314], grad_fn=<MulBackward0>))
    """
@overload
def inv_boxcox1p(input: Operand, k: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def iv(order: Tensor, x: Operand, /) -> Tensor:
    """Return the modified Bessel function of the first kind; ``v`` is the order, which has no derivative.

    Parameters
    ----------
    order : number or array
        The order. It has no derivative: one that is asked for raises.
    x : tensor, array or number
        The operand.
    """
@overload
def iv(order: Any, x: Operand, /) -> Any: ...
@overload
def ive(order: Tensor, x: Operand, /) -> Tensor:
    """Return exp(-|x|) times the modified Bessel function of the first kind; ``v`` is the order, which has no derivative.

    Parameters
    ----------
    order : number or array
        The order. It has no derivative: one that is asked for raises.
    x : tensor, array or number
        The operand.
    """
@overload
def ive(order: Any, x: Operand, /) -> Any: ...
@overload
def jv(order: Tensor, x: Operand, /) -> Tensor:
    """Return the Bessel function of the first kind; ``v`` is the order, which has no derivative.

    Parameters
    ----------
    order : number or array
        The order. It has no derivative: one that is asked for raises.
    x : tensor, array or number
        The operand.
    """
@overload
def jv(order: Any, x: Operand, /) -> Any: ...
@overload
def jve(order: Tensor, x: Operand, /) -> Tensor:
    """Return the Bessel function of the first kind, which of real numbers is not scaled; ``v`` is the order, which has no derivative.

    Parameters
    ----------
    order : number or array
        The order. It has no derivative: one that is asked for raises.
    x : tensor, array or number
        The operand.
    """
@overload
def jve(order: Any, x: Operand, /) -> Any: ...
@overload
def kl_div(input: Tensor, other: Operand, *, out: Tensor | None = None) -> Tensor:
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
def kl_div(input: Operand, other: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def kn(order: Tensor, x: Operand, /) -> Tensor:
    """Return the modified Bessel function of the second kind, of a whole order; ``v`` is the order, which has no derivative.

    Parameters
    ----------
    order : number or array
        The order. It has no derivative: one that is asked for raises.
    x : tensor, array or number
        The operand.
    """
@overload
def kn(order: Any, x: Operand, /) -> Any: ...
@overload
def kv(order: Tensor, x: Operand, /) -> Tensor:
    """Return the modified Bessel function of the second kind; ``v`` is the order, which has no derivative.

    Parameters
    ----------
    order : number or array
        The order. It has no derivative: one that is asked for raises.
    x : tensor, array or number
        The operand.
    """
@overload
def kv(order: Any, x: Operand, /) -> Any: ...
@overload
def kve(order: Tensor, x: Operand, /) -> Tensor:
    """Return exp(x) times the modified Bessel function of the second kind; ``v`` is the order, which has no derivative.

    Parameters
    ----------
    order : number or array
        The order. It has no derivative: one that is asked for raises.
    x : tensor, array or number
        The operand.
    """
@overload
def kve(order: Any, x: Operand, /) -> Any: ...
@overload
def laguerre_polynomial_l(input: Tensor, n: Any, *, out: Tensor | None = None) -> Tensor:
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
def laguerre_polynomial_l(input: Operand, n: Any, *, out: Tensor | None = None) -> Any: ...
@overload
def lambertw(z: Tensor, k: Any = 0, tol: Any = 1e-08) -> Tensor:
    """Return Lambert's W function of ``z``, which is complex.

    Parameters
    ----------
    z : tensor, array or number
        The operand.
    k : int
        The branch. It has no derivative: one that is asked for raises.
    tol : float
        Taken for SciPy's sake.
    """
@overload
def lambertw(z: Any, k: Any = 0, tol: Any = 1e-08) -> Any: ...
@overload
def legendre_polynomial_p(input: Tensor, n: Any, *, out: Tensor | None = None) -> Tensor:
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
def legendre_polynomial_p(input: Operand, n: Any, *, out: Tensor | None = None) -> Any: ...
@overload
def log1p(input: Tensor, *, out: Tensor | None = None) -> Tensor:
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
def log1p(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def log_ndtr(input: Tensor, *, out: Tensor | None = None) -> Tensor:
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
def log_ndtr(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def log_softmax(input: Tensor, dim: _int, dtype: DTypeLike | None = None, *, axis: _int | Sequence[_int] | None = None, out: Tensor | None = None) -> Tensor:
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
def log_softmax(input: Operand, dim: _int, dtype: DTypeLike | None = None, *, axis: _int | Sequence[_int] | None = None, out: Tensor | None = None) -> Any: ...
@overload
def loggamma(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the logarithm of gamma, NaN for negative numbers.

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
    - Finite for: x > 0
    - Complex numbers: no
    - SymPy: ``loggamma(x)``

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor([0.5, 2.0], requires_grad=True, name="x")
    >>> y = sg.special.loggamma(x)
    >>> y
    tensor([0.5724, 0.0000], grad_fn=<LoggammaBackward0>)
    >>> (g,) = sg.autograd.grad(y.sum(), x, create_graph=True)
    >>> g
    tensor([-1.9635,  0.4228], grad_fn=<MulBackward0>)
    >>> g.formula()
    ψ(x)
    """
@overload
def loggamma(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def logit(input: Tensor, eps: _float | None = None, *, out: Tensor | None = None) -> Tensor:
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
def logit(input: Operand, eps: _float | None = None, *, out: Tensor | None = None) -> Any: ...
@overload
def logsumexp(input: Tensor, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, axis: _int | Sequence[_int] | None = None, keepdims: _bool | None = None, out: Tensor | None = None) -> Tensor:
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
def logsumexp(input: Operand, dim: _int | Sequence[_int] | None = None, keepdim: _bool = False, *, axis: _int | Sequence[_int] | None = None, keepdims: _bool | None = None, out: Tensor | None = None) -> Any: ...
@overload
def modified_bessel_i0(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the modified Bessel function of the first kind and order 0.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def modified_bessel_i0(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def modified_bessel_i1(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the modified Bessel function of the first kind and order 1.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def modified_bessel_i1(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def modified_bessel_k0(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the modified Bessel function of the second kind and order 0.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def modified_bessel_k0(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def modified_bessel_k1(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the modified Bessel function of the second kind and order 1.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def modified_bessel_k1(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def modstruve(order: Tensor, x: Operand, /) -> Tensor:
    """Return the modified Struve function; ``v`` is the order, which has no derivative.

    Parameters
    ----------
    order : number or array
        The order. It has no derivative: one that is asked for raises.
    x : tensor, array or number
        The operand.
    """
@overload
def modstruve(order: Any, x: Operand, /) -> Any: ...
@overload
def nbdtr(k: Tensor, n: Any, x: Operand, /) -> Tensor:
    """Return the negative binomial distribution function: at most k failures before n successes. Counts have no derivative.

    Parameters
    ----------
    k : number or array
        The count k. It has no derivative: one that is asked for raises.
    n : number or array
        The count n. It has no derivative: one that is asked for raises.
    x : tensor, array or number
        The operand.
    """
@overload
def nbdtr(k: Any, n: Any, x: Operand, /) -> Any: ...
@overload
def nbdtrc(k: Tensor, n: Any, x: Operand, /) -> Tensor:
    """Return 1 - nbdtr: more than k failures before n successes. Counts have no derivative.

    Parameters
    ----------
    k : number or array
        The count k. It has no derivative: one that is asked for raises.
    n : number or array
        The count n. It has no derivative: one that is asked for raises.
    x : tensor, array or number
        The operand.
    """
@overload
def nbdtrc(k: Any, n: Any, x: Operand, /) -> Any: ...
@overload
def ndtr(input: Tensor, *, out: Tensor | None = None) -> Tensor:
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
def ndtr(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def ndtri(input: Tensor, *, out: Tensor | None = None) -> Tensor:
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
def ndtri(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def ndtri_exp(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the inverse of log_ndtr: the quantile of the normal distribution at exp(x).

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
    - Derivative: 1/(φ(ndtri_exp(x))/Φ(ndtri_exp(x)))
    - Finite for: x < 0
    - Complex numbers: no

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor([-1.5, -0.5], requires_grad=True, name="x")
    >>> y = sg.special.ndtri_exp(x)
    >>> y
    tensor([-0.7617,  0.2703], grad_fn=<NdtriExpBackward0>)
    >>> (g,) = sg.autograd.grad(y.sum(), x, create_graph=True)
    >>> g
    tensor([0.7475, 1.5769], grad_fn=<MulBackward0>)
    >>> g.formula()
    1/(φ(ndtri_exp(x))/Φ(ndtri_exp(x)))
    """
@overload
def ndtri_exp(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def normal_pdf(input: Tensor, *, out: Tensor | None = None) -> Tensor:
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
def normal_pdf(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def owens_t(h: Tensor, input: Operand, *, out: Tensor | None = None) -> Tensor:
    """Return Owen's T function.

    Parameters
    ----------
    h : tensor, array or number
        Called h below.
    input : tensor, array or number
        Called a below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: −φ(h) erf(ah/√2)/2 in h; exp(−h²s/2)/(2πs) in a, where s = 1 + a²
    - Complex numbers: no

    Examples
    --------
    >>> import symgrad as sg
    >>> h = sg.tensor([-1.5, 0.5], requires_grad=True, name="h")
    >>> a = sg.tensor([2.0, 0.5], requires_grad=True, name="a")
    >>> y = sg.special.owens_t(h, a)
    >>> y
    tensor([0.0334, 0.0645], grad_fn=<OwensTBackward0>)
    >>> g_h, g_a = sg.autograd.grad(y.sum(), (h, a), create_graph=True)
    >>> g_h, g_a
    (tensor([ 0.0646, -0.0348], grad_fn=<MulBackward0>), tensor([0.0001, 0.1089], grad_fn=<MulBackward0>))
    """
@overload
def owens_t(h: Operand, input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def pdtr(k: Tensor, x: Operand, /) -> Tensor:
    """Return the Poisson distribution function: at most k. The count has no derivative.

    Parameters
    ----------
    k : number or array
        The count k. It has no derivative: one that is asked for raises.
    x : tensor, array or number
        The operand.
    """
@overload
def pdtr(k: Any, x: Operand, /) -> Any: ...
@overload
def pdtrc(k: Tensor, x: Operand, /) -> Tensor:
    """Return 1 - pdtr: more than k. The count has no derivative.

    Parameters
    ----------
    k : number or array
        The count k. It has no derivative: one that is asked for raises.
    x : tensor, array or number
        The operand.
    """
@overload
def pdtrc(k: Any, x: Operand, /) -> Any: ...
@overload
def pdtri(k: Tensor, x: Operand, /) -> Tensor:
    """Return the mean at which pdtr(k, m) is x. The count has no derivative.

    Parameters
    ----------
    k : number or array
        The count k. It has no derivative: one that is asked for raises.
    x : tensor, array or number
        The operand.
    """
@overload
def pdtri(k: Any, x: Operand, /) -> Any: ...
@overload
def poch(input: Tensor, m: Operand, *, out: Tensor | None = None) -> Tensor:
    """Return Pochhammer's symbol, gamma(a + m) / gamma(a).

    Parameters
    ----------
    input : tensor, array or number
        Called a below.
    m : tensor, array or number
        Called m below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: (ψ(a + m) − ψ(a)) poch(a, m) in a; poch(a, m) ψ(a + m) in m
    - Complex numbers: no
    - SymPy: ``gamma(a + m)/gamma(a)``

    Examples
    --------
    >>> import symgrad as sg
    >>> a = sg.tensor([0.5, 2.0], requires_grad=True, name="a")
    >>> m = sg.tensor([1.0, 3.0], requires_grad=True, name="m")
    >>> y = sg.special.poch(a, m)
    >>> y
    tensor([ 0.5000, 24.0000], grad_fn=<PochBackward0>)
    >>> g_a, g_m = sg.autograd.grad(y.sum(), (a, m), create_graph=True)
    >>> g_a, g_m
    (tensor([ 1., 26.], grad_fn=<MulBackward0>), tensor([1.8245e-02, 3.6147e+01], grad_fn=<MulBackward0>))
    >>> g_a.formula(), g_m.formula()
    ((ψ(a + m) − ψ(a)) ⊙ poch(a, m), poch(a, m) ⊙ ψ(a + m))
    """
@overload
def poch(input: Operand, m: Operand, *, out: Tensor | None = None) -> Any: ...
def polygamma(n: Any, input: Operand, *, out: Tensor | None = None) -> Any:
    """Return the ``n``-th derivative of digamma at ``input`` (the method is ``input.polygamma(n)``).

    Parameters
    ----------
    n : int
    input : tensor, array or number
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def pseudo_huber(input: Tensor, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """Return a**2 (sqrt(1 + (b/a)**2) - 1), infinite for negative a: the smooth loss of Huber.

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
    - Derivative: b⁴/(√s (√s + a)²) in a, where s = a² + b²; where(s, where(a = 0, a sign(b), b/√(1 + b²/where(s ∧ (a ≠ 0), a, 1)²)), b/√(1 + b²/where(s, 1, a)²)) in b, where s = 1[|b| > a]
    - Complex numbers: no

    Examples
    --------
    >>> import symgrad as sg
    >>> a = sg.tensor([0.5, 2.0], requires_grad=True, name="a")
    >>> b = sg.tensor([1.0, 3.0], requires_grad=True, name="b")
    >>> y = sg.special.pseudo_huber(a, b)
    >>> y
    tensor([0.3090, 3.2111], grad_fn=<PseudoHuberBackward0>)
    >>> g_a, g_b = sg.autograd.grad(y.sum(), (a, b), create_graph=True)
    >>> g_a, g_b
    (tensor([0.3416, 0.7150], grad_fn=<MulBackward0>), tensor([0.4472, 1.6641], grad_fn=<MulBackward0>))
    """
@overload
def pseudo_huber(input: Operand, other: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def rel_entr(input: Tensor, other: Operand, *, out: Tensor | None = None) -> Tensor:
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
def rel_entr(input: Operand, other: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def rgamma(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return 1 / gamma(x), 0 where gamma has a pole.

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
    - Derivative: −(ψ(x)/Γ(x))
    - Complex numbers: no
    - SymPy: ``1/gamma(x)``

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor([0.5, 2.0], requires_grad=True, name="x")
    >>> y = sg.special.rgamma(x)
    >>> y
    tensor([0.5642, 1.0000], grad_fn=<RgammaBackward0>)
    >>> (g,) = sg.autograd.grad(y.sum(), x, create_graph=True)
    >>> g
    tensor([ 1.1078, -0.4228], grad_fn=<MulBackward0>)
    >>> g.formula()
    −ψ(x)/Γ(x)
    """
@overload
def rgamma(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def round(input: Tensor, decimals: _int = 0, *, out: Tensor | None = None) -> Tensor:
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
def round(input: Operand, decimals: _int = 0, *, out: Tensor | None = None) -> Any: ...
@overload
def scaled_modified_bessel_k0(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return exp(x) times the modified Bessel function of the second kind and order 0.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def scaled_modified_bessel_k0(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def scaled_modified_bessel_k1(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return exp(x) times the modified Bessel function of the second kind and order 1.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def scaled_modified_bessel_k1(input: Operand, *, out: Tensor | None = None) -> Any: ...
def shichi(x: Operand) -> tuple[Tensor, ...]:
    """Return the hyperbolic sine integral, the hyperbolic cosine integral.

    Parameters
    ----------
    x : tensor or array
        Points, one row each.
    """
@overload
def shifted_chebyshev_polynomial_t(input: Tensor, n: Any, *, out: Tensor | None = None) -> Tensor:
    """Return Chebyshev's polynomial of degree ``n`` at ``2 * input - 1``: that kind's which torch.special so names.

    Parameters
    ----------
    input : tensor, array or number
    n : int
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def shifted_chebyshev_polynomial_t(input: Operand, n: Any, *, out: Tensor | None = None) -> Any: ...
@overload
def shifted_chebyshev_polynomial_u(input: Tensor, n: Any, *, out: Tensor | None = None) -> Tensor:
    """Return Chebyshev's polynomial of degree ``n`` at ``2 * input - 1``: that kind's which torch.special so names.

    Parameters
    ----------
    input : tensor, array or number
    n : int
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def shifted_chebyshev_polynomial_u(input: Operand, n: Any, *, out: Tensor | None = None) -> Any: ...
@overload
def shifted_chebyshev_polynomial_v(input: Tensor, n: Any, *, out: Tensor | None = None) -> Tensor:
    """Return Chebyshev's polynomial of degree ``n`` at ``2 * input - 1``: that kind's which torch.special so names.

    Parameters
    ----------
    input : tensor, array or number
    n : int
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def shifted_chebyshev_polynomial_v(input: Operand, n: Any, *, out: Tensor | None = None) -> Any: ...
@overload
def shifted_chebyshev_polynomial_w(input: Tensor, n: Any, *, out: Tensor | None = None) -> Tensor:
    """Return Chebyshev's polynomial of degree ``n`` at ``2 * input - 1``: that kind's which torch.special so names.

    Parameters
    ----------
    input : tensor, array or number
    n : int
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def shifted_chebyshev_polynomial_w(input: Operand, n: Any, *, out: Tensor | None = None) -> Any: ...
def sici(x: Operand) -> tuple[Tensor, ...]:
    """Return the sine integral, the cosine integral.

    Parameters
    ----------
    x : tensor or array
        Points, one row each.
    """
@overload
def sinc(input: Tensor, *, out: Tensor | None = None) -> Tensor:
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
    - Derivative: (cos(πx) − sinc(x))/x
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
    >>> g.formula()
    (cos(πx) − sinc(x))/x
    """
@overload
def sinc(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def softmax(input: Tensor, dim: _int, dtype: DTypeLike | None = None, *, axis: _int | Sequence[_int] | None = None, out: Tensor | None = None) -> Tensor:
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
def softmax(input: Operand, dim: _int, dtype: DTypeLike | None = None, *, axis: _int | Sequence[_int] | None = None, out: Tensor | None = None) -> Any: ...
@overload
def spence(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return Spence's function, the integral of log(t)/(1 - t) from 1 to x.

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
    - Derivative: −log_over(x, n=0), where log_over(x) is the n-th derivative of log(x) / (x - 1)
    - Finite for: x ≥ 0
    - Complex numbers: no

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor([0.5, 2.0], requires_grad=True, name="x")
    >>> y = sg.special.spence(x)
    >>> y
    tensor([ 0.5822, -0.8225], grad_fn=<SpenceBackward0>)
    >>> (g,) = sg.autograd.grad(y.sum(), x, create_graph=True)
    >>> g
    tensor([-1.3863, -0.6931], grad_fn=<MulBackward0>)
    """
@overload
def spence(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def spherical_bessel_j0(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return ``sin(x) / x``, the spherical Bessel function of order 0; 1 at 0.

    Parameters
    ----------
    input : tensor, array or number
        The operand.
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def spherical_bessel_j0(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def spherical_in(order: Tensor, x: Operand, /) -> Tensor:
    """Return the modified spherical Bessel function of the first kind; ``v`` is the order, which has no derivative.

    Parameters
    ----------
    order : number or array
        The order. It has no derivative: one that is asked for raises.
    x : tensor, array or number
        The operand.
    """
@overload
def spherical_in(order: Any, x: Operand, /) -> Any: ...
@overload
def spherical_jn(order: Tensor, x: Operand, /) -> Tensor:
    """Return the spherical Bessel function of the first kind; ``v`` is the order, which has no derivative.

    Parameters
    ----------
    order : number or array
        The order. It has no derivative: one that is asked for raises.
    x : tensor, array or number
        The operand.
    """
@overload
def spherical_jn(order: Any, x: Operand, /) -> Any: ...
@overload
def spherical_kn(order: Tensor, x: Operand, /) -> Tensor:
    """Return the modified spherical Bessel function of the second kind; ``v`` is the order, which has no derivative.

    Parameters
    ----------
    order : number or array
        The order. It has no derivative: one that is asked for raises.
    x : tensor, array or number
        The operand.
    """
@overload
def spherical_kn(order: Any, x: Operand, /) -> Any: ...
@overload
def spherical_yn(order: Tensor, x: Operand, /) -> Tensor:
    """Return the spherical Bessel function of the second kind; ``v`` is the order, which has no derivative.

    Parameters
    ----------
    order : number or array
        The order. It has no derivative: one that is asked for raises.
    x : tensor, array or number
        The operand.
    """
@overload
def spherical_yn(order: Any, x: Operand, /) -> Any: ...
@overload
def stdtr(n: Tensor, t: Operand, *, out: Tensor | None = None) -> Tensor:
    """Return Student's distribution function with n degrees of freedom.

    Parameters
    ----------
    n : tensor, array or number
        Called n below.
    t : tensor, array or number
        Called t below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: stdtr_by_n(n, t) in n, where stdtr_by_n(n, t) is the derivative of Student's distribution function by its degrees of freedom; student_density(n, t) in t, where student_density(n, t) is Student's density with n degrees of freedom
    - Complex numbers: no

    Examples
    --------
    >>> import symgrad as sg
    >>> n = sg.tensor([0.5, 2.0], requires_grad=True, name="n")
    >>> t = sg.tensor([2.0, 0.5], requires_grad=True, name="t")
    >>> y = sg.special.stdtr(n, t)
    >>> y
    tensor([0.7772, 0.6667], grad_fn=<StdtrBackward0>)
    >>> g_n, g_t = sg.autograd.grad(y.sum(), (n, t), create_graph=True)
    >>> g_n, g_t
    (tensor([0.2324, 0.0109], grad_fn=<MulBackward0>), tensor([0.0519, 0.2963], grad_fn=<MulBackward0>))
    """
@overload
def stdtr(n: Operand, t: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def stdtrit(n: Tensor, p: Operand, *, out: Tensor | None = None) -> Tensor:
    """Return the quantile of Student's distribution: the t at which stdtr(n, t) is p.

    Parameters
    ----------
    n : tensor, array or number
        Called n below.
    p : tensor, array or number
        Called p below.
    out : Tensor, optional
        Where the result is written.

    Returns
    -------
    Tensor
        An array or a number where no operand is a tensor.

    Notes
    -----
    - Derivative: −stdtr_by_n(n, s)/student_density(n, s) in n, where s = stdtrit(n, p), stdtr_by_n(n, t) is the derivative of Student's distribution function by its degrees of freedom, student_density(n, t) is Student's density with n degrees of freedom; 1/student_density(n, stdtrit(n, p)) in p, where student_density(n, t) is Student's density with n degrees of freedom
    - Complex numbers: no

    Examples
    --------
    >>> import symgrad as sg
    >>> n = sg.tensor([0.5, 2.0], requires_grad=True, name="n")
    >>> p = sg.tensor([0.25, 0.5], requires_grad=True, name="p")
    >>> y = sg.special.stdtrit(n, p)
    >>> y
    tensor([-1.5538,  0.0000], grad_fn=<StdtritBackward0>)
    >>> g_n, g_p = sg.autograd.grad(y.sum(), (n, p), create_graph=True)
    >>> g_n, g_p
    (tensor([2.9017, -0.0000], grad_fn=<MulBackward0>), tensor([13.9098,  2.8284], grad_fn=<MulBackward0>))
    """
@overload
def stdtrit(n: Operand, p: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def struve(order: Tensor, x: Operand, /) -> Tensor:
    """Return Struve's function; ``v`` is the order, which has no derivative.

    Parameters
    ----------
    order : number or array
        The order. It has no derivative: one that is asked for raises.
    x : tensor, array or number
        The operand.
    """
@overload
def struve(order: Any, x: Operand, /) -> Any: ...
@overload
def wofz(z: Tensor) -> Tensor:
    """Return the Faddeeva function of ``z``, exp(-z**2) erfc(-i z), which is complex.

    Parameters
    ----------
    z : tensor, array or number
        The operand.
    """
@overload
def wofz(z: Any) -> Any: ...
@overload
def wrightomega(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return Wright's omega function, the y with y + log(y) = x.

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
    - Derivative: wrightomega(x)/(1 + wrightomega(x))
    - Complex numbers: yes

    Examples
    --------
    >>> import symgrad as sg
    >>> x = sg.tensor([-1.5, 0.5], requires_grad=True, name="x")
    >>> y = sg.special.wrightomega(x)
    >>> y
    tensor([0.1854, 0.7662], grad_fn=<WrightomegaBackward0>)
    >>> (g,) = sg.autograd.grad(y.sum(), x, create_graph=True)
    >>> g
    tensor([0.1564, 0.4338], grad_fn=<MulBackward0>)
    >>> g.formula()
    wrightomega(x)/(1 + wrightomega(x))
    """
@overload
def wrightomega(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def xlog1py(input: Tensor, other: Operand, *, out: Tensor | None = None) -> Tensor:
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
def xlog1py(input: Operand, other: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def xlogy(input: Tensor, other: Operand, *, out: Tensor | None = None) -> Tensor:
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
def xlogy(input: Operand, other: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def yn(order: Tensor, x: Operand, /) -> Tensor:
    """Return the Bessel function of the second kind, of a whole order; ``v`` is the order, which has no derivative.

    Parameters
    ----------
    order : number or array
        The order. It has no derivative: one that is asked for raises.
    x : tensor, array or number
        The operand.
    """
@overload
def yn(order: Any, x: Operand, /) -> Any: ...
@overload
def yv(order: Tensor, x: Operand, /) -> Tensor:
    """Return the Bessel function of the second kind; ``v`` is the order, which has no derivative.

    Parameters
    ----------
    order : number or array
        The order. It has no derivative: one that is asked for raises.
    x : tensor, array or number
        The operand.
    """
@overload
def yv(order: Any, x: Operand, /) -> Any: ...
@overload
def yve(order: Tensor, x: Operand, /) -> Tensor:
    """Return the Bessel function of the second kind, which of real numbers is not scaled; ``v`` is the order, which has no derivative.

    Parameters
    ----------
    order : number or array
        The order. It has no derivative: one that is asked for raises.
    x : tensor, array or number
        The operand.
    """
@overload
def yve(order: Any, x: Operand, /) -> Any: ...
@overload
def zeta(input: Tensor, other: Operand, *, out: Tensor | None = None) -> Tensor:
    """Return Hurwitz's zeta function, the sum of ``(other + k)**-input``.

    Parameters
    ----------
    input : tensor, array or number
    other : tensor, array or number
    out : Tensor, optional
        Where the result is written; it is returned.
    """
@overload
def zeta(input: Operand, other: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def expit(input: Tensor, *, out: Tensor | None = None) -> Tensor:
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
def expit(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def gammaln(input: Tensor, *, out: Tensor | None = None) -> Tensor:
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
def gammaln(input: Operand, *, out: Tensor | None = None) -> Any: ...
@overload
def multigammaln(input: Tensor, p: _int, *, out: Tensor | None = None) -> Tensor:
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
def multigammaln(input: Operand, p: _int, *, out: Tensor | None = None) -> Any: ...
psi = digamma

__all__ = [
    "beta", "betaln", "digamma", "entr", "erf", "erfc", "erfinv", "exp2", "expit", "expm1", "gamma", "gammaln",
    "kl_div", "log1p", "log_ndtr", "log_softmax", "logit", "logsumexp", "multigammaln", "ndtr", "ndtri", "normal_pdf",
    "polygamma", "psi", "rel_entr", "round", "sinc", "softmax", "xlog1py", "xlogy", "i0", "airy_ai", "zeta",
    "bessel_j0", "bessel_y0", "modified_bessel_i0", "modified_bessel_k0", "scaled_modified_bessel_k0", "i0e",
    "bessel_j1", "bessel_y1", "modified_bessel_i1", "modified_bessel_k1", "scaled_modified_bessel_k1", "i1e", "i1",
    "spherical_bessel_j0", "chebyshev_polynomial_t", "shifted_chebyshev_polynomial_t", "chebyshev_polynomial_u",
    "shifted_chebyshev_polynomial_u", "chebyshev_polynomial_v", "shifted_chebyshev_polynomial_v",
    "chebyshev_polynomial_w", "shifted_chebyshev_polynomial_w", "hermite_polynomial_h", "hermite_polynomial_he",
    "laguerre_polynomial_l", "legendre_polynomial_p", "airy", "airye", "bdtr", "bdtrc", "bdtri", "betainc", "betaincc",
    "betainccinv", "betaincinv", "boxcox", "boxcox1p", "chdtr", "chdtrc", "chdtri", "dawsn", "ellipe", "ellipeinc",
    "ellipj", "ellipk", "ellipkinc", "ellipkm1", "elliprc", "elliprd", "elliprf", "elliprg", "erfcinv", "erfcx", "erfi",
    "eval_chebyc", "eval_chebys", "eval_chebyt", "eval_chebyu", "eval_gegenbauer", "eval_genlaguerre", "eval_hermite",
    "eval_hermitenorm", "eval_jacobi", "eval_laguerre", "eval_legendre", "eval_sh_chebyt", "eval_sh_chebyu",
    "eval_sh_jacobi", "eval_sh_legendre", "exp1", "expi", "expn", "exprel", "fdtr", "fdtrc", "fdtri", "fresnel",
    "gammainc", "gammaincc", "gammainccinv", "gammaincinv", "gdtr", "gdtrc", "gdtrix", "hankel1", "hankel2", "hyp0f1",
    "hyp1f1", "hyp2f1", "hyperu", "inv_boxcox", "inv_boxcox1p", "iv", "ive", "jv", "jve", "kn", "kv", "kve", "lambertw",
    "loggamma", "modstruve", "nbdtr", "nbdtrc", "ndtri_exp", "owens_t", "pdtr", "pdtrc", "pdtri", "poch",
    "pseudo_huber", "rgamma", "shichi", "sici", "spence", "spherical_in", "spherical_jn", "spherical_kn",
    "spherical_yn", "stdtr", "stdtrit", "struve", "wofz", "wrightomega", "yn", "yv", "yve",
]
