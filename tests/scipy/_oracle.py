"""The functions in mpmath, and the points where they are compared: written before the code, from the functions' books.

A case is a function's truth at 50 digits, its points, and the arguments that are differentiated. Every second point
goes into a file of its own, `_truths_held_out.json`, which nobody looks at while the rules are written.

`python -m tests.scipy._oracle` writes both files anew (five minutes).
"""

import itertools
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import mpmath as mp

HERE = Path(__file__).parent
OPEN, HELD_OUT = HERE / "_truths.json", HERE / "_truths_held_out.json"


@dataclass(frozen=True)
class Case:
    """A function's truth.

    truth : in mpmath, of the arguments
    points : of all arguments
    wrt : places of the arguments that are differentiated
    pairs : the second derivatives (pairs of places); None: all of ``wrt``
    slopes : a function with the same derivatives, where those of ``truth`` would be lost beside its value
    within : the relative error that is promised
    digits : of mpmath, more where a value near 1 hides its slopes
    saturates : its slopes are computed from a result near 1, and exact to a rounding of that
    """

    truth: Callable
    points: tuple
    wrt: tuple
    pairs: tuple | None = None
    slopes: Callable | None = None
    within: float = 1e-10
    saturates: bool = False
    digits: int = 50

    @property
    def seconds(self):
        found = itertools.combinations_with_replacement(self.wrt, 2) if self.pairs is None else self.pairs
        return tuple(tuple(p) for p in found)


CASES: dict[str, Case] = {}


def case(
    name, truth, *arguments, wrt=None, pairs=None, together=False, slopes=None, within=1e-10, saturates=False, digits=50
):
    """One case; ``arguments`` are the values of each, of which every combination is a point."""
    points = tuple(zip(*arguments, strict=True)) if together else tuple(itertools.product(*arguments))
    wrt = tuple(range(len(arguments))) if wrt is None else wrt
    CASES[name] = Case(truth, points, wrt, pairs, slopes, within, saturates, digits)


def lower(a, x):
    return mp.gammainc(a, 0, x, regularized=True)


def upper(a, x):
    return mp.gammainc(a, x, mp.inf, regularized=True)


def ibeta(a, b, x):
    return mp.betainc(a, b, 0, x, regularized=True)


def ibetac(a, b, x):
    return mp.betainc(b, a, 0, 1 - x, regularized=True)


def tail_of_gamma(a, x):
    """A function with the derivatives of `lower`, that is small where they are."""
    return lower(a, x) if x < a else -upper(a, x)


def tail_of_gamma_above(a, x):
    """The same for `upper`."""
    return -tail_of_gamma(a, x)


def tail_of_beta(a, b, x):
    """A function with the derivatives of `ibetac`, that is small where they are."""
    return -ibeta(a, b, x) if x < a / (a + b) else ibetac(a, b, x)


def tail_of_beta_below(a, b, x):
    """The same for `ibeta`."""
    return -tail_of_beta(a, b, x)


def inverse(f, start):
    """The inverse of ``f`` in its last argument, by secants from SciPy's value."""

    def value(*arguments):
        *rest, p = arguments
        x = mp.mpf(float(start(*map(float, arguments))))
        return mp.findroot(
            lambda x: f(*rest, x) - p, (x, x * (1 + mp.mpf(10) ** -8)), tol=mp.mpf(10) ** (-1.6 * mp.mp.dps)
        )

    return value


def bare(name):
    import scipy.special

    return getattr(scipy.special, name)


def chosen(function, part):
    return lambda *a: function(*a)[part]


def phi(x):
    return mp.erfc(-x / mp.sqrt(2)) / 2


def spherical(of, factor=None):
    return lambda n, x: mp.sqrt((factor or mp.pi) / 2 / x) * of(n + mp.mpf(1) / 2, x)


def student(df, t):
    half = mp.betainc(df / 2, mp.mpf(1) / 2, 0, df / (df + t * t), regularized=True) / 2
    return half if t < 0 else 1 - half


def fisher(n, d, x):
    return ibeta(n / 2, d / 2, n * x / (n * x + d))


def boxcox(x, k):
    return mp.log(x) if k == 0 else mp.expm1(k * mp.log(x)) / k


def inv_boxcox(y, k):
    return mp.exp(y) if k == 0 else mp.exp(mp.log1p(k * y) / k)


def entropy(a, b):
    return a * mp.log(a / b)


REAL = (-4.3, -0.7, -1e-6, 0.3, 1.2, 2.7, 6.4, 17.3)
POSITIVE = (1e-5, 0.07, 0.6, 1.7, 3.3, 8.9, 31.0, 170.5)
WIDE = (-30.2, -3.1, -0.4, 1e-7, 0.8, 2.2, 9.5, 40.1)

# the gamma function and its relatives
GAMMA = (-3.6, -0.4, 1e-3, 0.5, 1.3, 4.7, 20.2, 120.5)
case("gamma", mp.gamma, GAMMA)
case("rgamma", mp.rgamma, (*GAMMA, -2.0, 0.0))
case("gammaln", lambda x: mp.log(abs(mp.gamma(x))), (*GAMMA, 1e5, 3e-9))
case("loggamma", mp.loggamma, (*GAMMA[2:], 1e5, 3e-9))
case("digamma", lambda x: mp.psi(0, x), (*GAMMA, 1e6))
case("psi", lambda x: mp.psi(0, x), GAMMA)
case("polygamma", lambda n, x: mp.psi(int(n), x), (1, 2, 4), (0.2, 1.7, 6.3, 55.5), wrt=(1,))
case("zeta", lambda s, q: mp.zeta(s, q), (1.7, 3.0, 8.5), (0.2, 1.0, 3.3, 22.0), wrt=(1,))
case("beta", mp.beta, (0.3, 2.2, 9.1), (0.7, 3.4, 30.3))
case("betaln", lambda a, b: mp.log(mp.beta(a, b)), (0.3, 2.2, 90.1), (0.7, 3.4, 300.3))
case("multigammaln", lambda a: mp.log(mp.pi) / 2 + mp.loggamma(a) + mp.loggamma(a - mp.mpf(1) / 2), (0.8, 2.3, 15.0))
case("poch", mp.rf, (0.4, 2.3, 11.0), (0.6, 3.0, 7.5))

# incomplete ones, in every argument
SHAPES = (0.05, 0.9, 2.0, 7.3, 40.0, 310.0)
LEVELS = (0.02, 0.4, 0.97, 1.2, 2.5)
GAMMA_POINTS = tuple((a, a * r) for a in SHAPES for r in LEVELS) + ((1.0, 1e-8), (3.0, 60.0), (1e3, 1.05e3), (0.5, 1.5))
case("gammainc", lower, *zip(*GAMMA_POINTS, strict=True), together=True, slopes=tail_of_gamma)
case("gammaincc", upper, *zip(*GAMMA_POINTS, strict=True), together=True, slopes=tail_of_gamma_above)
case("gammaincinv", inverse(lower, bare("gammaincinv")), (0.6, 2.0, 7.3, 40.0), (0.01, 0.3, 0.8, 0.999))
case("gammainccinv", inverse(upper, bare("gammainccinv")), (0.6, 2.0, 7.3, 40.0), (0.01, 0.3, 0.8, 0.999))
BETA = ((0.3, 1.0, 2.7, 14.0, 120.0), (0.4, 2.0, 8.8, 75.0), (0.03, 0.35, 0.72, 0.96))
case("betainc", ibeta, *BETA, slopes=tail_of_beta_below)
case("betaincc", ibetac, *BETA, slopes=tail_of_beta)
INNER = ((0.7, 2.7, 14.0), (0.8, 2.0, 8.8), (0.03, 0.35, 0.96))
case("betaincinv", inverse(ibeta, bare("betaincinv")), *INNER)
case("betainccinv", inverse(ibetac, bare("betainccinv")), *INNER)

# error functions
case("erf", mp.erf, (*REAL[:-1], 0.0, 1e-9))
case("erfc", mp.erfc, (*REAL[:-1], 12.0))
case("erfcx", lambda x: mp.exp(x * x) * mp.erfc(x), (*REAL, 100.5, 1e6))
case("erfi", mp.erfi, REAL)
case("erfinv", mp.erfinv, (-0.999, -0.4, 1e-8, 0.3, 0.8, 0.99999))
case("erfcinv", lambda x: mp.erfinv(1 - x), (1e-12, 0.02, 0.5, 1.2, 1.7, 1.99))
case("dawsn", lambda x: mp.sqrt(mp.pi) / 2 * mp.exp(-x * x) * mp.erfi(x), (*REAL, 100.5, 1e5))
case("ndtr", phi, REAL, digits=200)
case("log_ndtr", lambda x: mp.log(phi(x)), (-300.5, -40.0, *REAL), digits=200)
case("ndtri", lambda p: mp.sqrt(2) * mp.erfinv(2 * p - 1), (1e-10, 0.02, 0.3, 0.6, 0.97, 0.9999))
case("ndtri_exp", inverse(lambda x: mp.log(phi(x)), bare("ndtri_exp")), (-50.0, -3.2, -0.8, -0.1, -1e-3))
case(
    "owens_t",
    lambda h, a: mp.quad(lambda t: mp.exp(-h * h * (1 + t * t) / 2) / (1 + t * t), [0, a]) / (2 * mp.pi),
    (0.2, 1.3, 3.1),
    (-0.7, 0.4, 2.5),
)

# integrals of exponentials and sines
case("exp1", mp.e1, POSITIVE)
case("expi", mp.ei, (-30.0, -2.2, -0.1, 0.05, 0.9, 3.1, 25.0))
case("expn", lambda n, x: mp.expint(int(n), x), (0, 1, 2, 5), (0.03, 0.8, 3.5, 40.0), wrt=(1,))
case("sici[0]", mp.si, WIDE)
case("sici[1]", lambda x: mp.re(mp.ci(x)), (1e-7, 0.3, 0.8, 2.2, 9.5, 40.1))
case("shichi[0]", mp.shi, WIDE)
case("shichi[1]", lambda x: mp.re(mp.chi(x)), (1e-7, 0.3, 0.8, 2.2, 9.5, 40.1))
case("fresnel[0]", mp.fresnels, (-3.3, -0.4, 1e-4, 0.7, 1.6, 8.2))
case("fresnel[1]", mp.fresnelc, (-3.3, -0.4, 1e-4, 0.7, 1.6, 8.2))
case("spence", lambda x: mp.re(mp.polylog(2, 1 - x)), (1e-4, 0.3, 0.93, 1.02, 1.6, 14.0))
case("exprel", lambda x: mp.expm1(x) / x if x else mp.mpf(1), (-60.0, -2.0, -1e-5, 1e-9, 0.4, 8.0))

# Bessel functions
ORDERS, AT = (0, 1, 2.5, 7), (0.02, 0.9, 4.3, 33.0)
case("jv", mp.besselj, ORDERS, AT, wrt=(1,))
case("yv", mp.bessely, ORDERS, AT, wrt=(1,))
case("iv", mp.besseli, ORDERS, AT, wrt=(1,))
case("kv", mp.besselk, ORDERS, AT, wrt=(1,))
case("jve", mp.besselj, ORDERS, AT, wrt=(1,))
case("yve", mp.bessely, ORDERS, AT, wrt=(1,))
case("ive", lambda n, x: mp.exp(-abs(x)) * mp.besseli(n, x), ORDERS, (*AT, 800.0), wrt=(1,), within=1e-9)
case("kve", lambda n, x: mp.exp(x) * mp.besselk(n, x), ORDERS, (*AT, 800.0), wrt=(1,), within=1e-9)
case("jn", lambda n, x: mp.besselj(n, x), (0, 3), (-4.4, -0.3, 0.7, 6.1), wrt=(1,))
case("yn", lambda n, x: mp.bessely(n, x), (0, 3), (0.3, 0.7, 6.1), wrt=(1,))
case("kn", lambda n, x: mp.besselk(n, x), (0, 3), (0.3, 0.7, 6.1), wrt=(1,))
for name, of, n in (("j0", mp.besselj, 0), ("j1", mp.besselj, 1), ("y0", mp.bessely, 0), ("y1", mp.bessely, 1)):
    case(name, lambda x, of=of, n=n: of(n, x), (0.02, 0.9, 4.3, 33.0))
for name, of, n in (("i0", mp.besseli, 0), ("i1", mp.besseli, 1), ("k0", mp.besselk, 0), ("k1", mp.besselk, 1)):
    case(name, lambda x, of=of, n=n: of(n, x), (0.02, 0.9, 4.3, 33.0))
for name, of, n in (("i0e", mp.besseli, 0), ("i1e", mp.besseli, 1)):
    case(name, lambda x, of=of, n=n: mp.exp(-abs(x)) * of(n, x), (-7.7, -0.3, 0.02, 0.9, 4.3, 33.0))
for name, of, n in (("k0e", mp.besselk, 0), ("k1e", mp.besselk, 1)):
    case(name, lambda x, of=of, n=n: mp.exp(x) * of(n, x), (0.02, 0.3, 0.9, 4.3, 11.0, 33.0))
case("spherical_jn", spherical(mp.besselj), (0, 1, 4), (0.02, 0.9, 4.3, 33.0), wrt=(1,))
case("spherical_yn", spherical(mp.bessely), (0, 1, 4), (0.02, 0.9, 4.3, 33.0), wrt=(1,))
case("spherical_in", spherical(mp.besseli), (0, 1, 4), (0.02, 0.9, 4.3, 33.0), wrt=(1,))
case("spherical_kn", spherical(mp.besselk), (0, 1, 4), (0.02, 0.9, 4.3, 33.0), wrt=(1,))
AIRY = (-20.3, -3.2, -0.6, 1e-5, 0.4, 1.9, 6.6, 20.0)
case("airy[0]", mp.airyai, AIRY)
case("airy[1]", lambda x: mp.airyai(x, derivative=1), AIRY)
case("airy[2]", mp.airybi, AIRY)
case("airy[3]", lambda x: mp.airybi(x, derivative=1), AIRY)
GROWN = (1e-5, 0.07, 0.4, 1.9, 6.6, 20.0)
case("airye[0]", lambda x: mp.airyai(x) * mp.exp(2 * mp.sqrt(x) ** 3 / 3), GROWN)
case("airye[1]", lambda x: mp.airyai(x, derivative=1) * mp.exp(2 * mp.sqrt(x) ** 3 / 3), GROWN)
case("airye[2]", lambda x: mp.airybi(x) * (mp.exp(-2 * mp.sqrt(x) ** 3 / 3) if x > 0 else 1), (-8.3, -0.6, *GROWN))
case(
    "airye[3]",
    lambda x: mp.airybi(x, derivative=1) * (mp.exp(-2 * mp.sqrt(x) ** 3 / 3) if x > 0 else 1),
    (-8.3, -0.6, *GROWN),
)
case("struve", mp.struveh, (0, 1, 2.5), (0.02, 0.9, 4.3, 33.0), wrt=(1,))
case("modstruve", mp.struvel, (0, 1, 2.5), (0.02, 0.9, 4.3, 33.0), wrt=(1,))

# elliptic integrals
M = (-40.0, -0.8, 1e-6, 0.01, 0.3, 0.7, 0.99, 0.999999)
case("ellipk", mp.ellipk, M)
case("ellipe", mp.ellipe, M)
case("ellipkm1", lambda p: mp.ellipk(1 - p), (1e-12, 1e-5, 0.2, 0.7, 3.0))
case("ellipkinc", mp.ellipf, (-1.2, 1e-3, 0.4, 1.5, 4.0), (-3.0, 1e-6, 0.2, 0.8))
case("ellipeinc", mp.ellipe, (-1.2, 1e-3, 0.4, 1.5, 4.0), (-3.0, 1e-6, 0.2, 0.8))
CARLSON = ((0.1, 1.0, 7.7), (0.3, 2.0), (0.05, 1.0, 30.0))
case("elliprc", mp.elliprc, (0.1, 1.0, 7.7), (0.3, 1.1, 20.0))
case("elliprf", mp.elliprf, *CARLSON)
case("elliprd", mp.elliprd, *CARLSON)
case("elliprg", mp.elliprg, *CARLSON)

ELLIPTIC = ((-2.3, -1e-3, 0.6, 1.7), (1e-6, 0.3, 0.8, 0.99))
case("ellipj[0]", lambda u, m: mp.ellipfun("sn", u, m=m), *ELLIPTIC, wrt=(0,))
case("ellipj[1]", lambda u, m: mp.ellipfun("cn", u, m=m), *ELLIPTIC, wrt=(0,))
case("ellipj[2]", lambda u, m: mp.ellipfun("dn", u, m=m), *ELLIPTIC, wrt=(0,))
case(
    "ellipj[3]",
    lambda u, m: mp.atan2(mp.ellipfun("sn", u, m=m), mp.ellipfun("cn", u, m=m)),
    *ELLIPTIC,
    wrt=(0,),
)

# hypergeometric functions
case("hyp0f1", mp.hyp0f1, (0.4, 2.0, 7.5), (-8.0, -0.3, 0.7, 20.0), wrt=(1,))
case("hyp1f1", mp.hyp1f1, (0.4, 2.0, 5.5), (0.9, 3.0, 7.7), (-6.0, -0.3, 0.7, 15.0), pairs=((0, 2), (1, 2), (2, 2)))
case(
    "hyp2f1",
    mp.hyp2f1,
    (0.4, 3.0),
    (0.9, 2.0),
    (1.6, 5.3),
    (-3.0, -0.4, 0.3, 0.85),
    pairs=((0, 3), (1, 3), (2, 3), (3, 3)),
)
case("hyperu", mp.hyperu, (0.4, 2.0, -2.0), (0.9, 3.0), (0.05, 0.7, 3.1, 25.0), wrt=(2,), within=1e-9)
case("lambertw", lambda z: mp.re(mp.lambertw(z)), (-0.35, -0.1, 1e-6, 0.6, 2.7, 30.0, 1e6))
case("wrightomega", lambda x: mp.lambertw(mp.exp(x)), (-30.0, -1.2, 0.3, 2.5, 50.0))

# orthogonal polynomials
DEGREES, INSIDE = (0, 1, 2, 5), (-0.8, 0.1, 0.6, 1.4)
case("eval_legendre", mp.legendre, DEGREES, INSIDE, wrt=(1,))
case("eval_chebyt", mp.chebyt, DEGREES, INSIDE, wrt=(1,))
case("eval_chebyu", mp.chebyu, DEGREES, INSIDE, wrt=(1,))
case("eval_chebyc", lambda n, x: 2 * mp.chebyt(n, x / 2), DEGREES, INSIDE, wrt=(1,))
case("eval_chebys", lambda n, x: mp.chebyu(n, x / 2), DEGREES, INSIDE, wrt=(1,))
case("eval_sh_legendre", lambda n, x: mp.legendre(n, 2 * x - 1), DEGREES, INSIDE, wrt=(1,))
case("eval_sh_chebyt", lambda n, x: mp.chebyt(n, 2 * x - 1), DEGREES, INSIDE, wrt=(1,))
case("eval_sh_chebyu", lambda n, x: mp.chebyu(n, 2 * x - 1), DEGREES, INSIDE, wrt=(1,))
case("eval_hermite", mp.hermite, DEGREES, INSIDE, wrt=(1,))
case(
    "eval_hermitenorm",
    lambda n, x: mp.mpf(2) ** (-mp.mpf(n) / 2) * mp.hermite(n, x / mp.sqrt(2)),
    DEGREES,
    INSIDE,
    wrt=(1,),
)
case("eval_laguerre", lambda n, x: mp.laguerre(n, 0, x), DEGREES, INSIDE, wrt=(1,))
case("eval_genlaguerre", mp.laguerre, (0, 1, 4), (0.0, 1.5), INSIDE, wrt=(2,))
case("eval_gegenbauer", mp.gegenbauer, (0, 1, 4), (0.7, 2.5), INSIDE, wrt=(2,))
case("eval_jacobi", mp.jacobi, (0, 1, 4), (0.3, 1.5), (-0.2, 2.0), INSIDE, wrt=(3,))
case(
    "eval_sh_jacobi",
    lambda n, p, q, x: mp.jacobi(n, p - q, q - 1, 2 * x - 1) / mp.binomial(2 * n + p - 1, n),
    (0, 1, 4),
    (2.3, 3.5),
    (0.8, 2.0),
    INSIDE,
    wrt=(3,),
)

# distribution functions
case("stdtr", student, (0.7, 3.0, 25.0), (-4.0, -0.3, 0.6, 2.2))
case("stdtrit", inverse(student, bare("stdtrit")), (0.7, 3.0, 25.0), (0.02, 0.3, 0.9))
case("chdtr", lambda v, x: lower(v / 2, x / 2), (0.8, 3.0, 20.0), (0.3, 2.2, 31.0))
case("chdtrc", lambda v, x: upper(v / 2, x / 2), (0.8, 3.0, 20.0), (0.3, 2.2, 31.0))
case("chdtri", inverse(lambda v, x: upper(v / 2, x / 2), bare("chdtri")), (0.8, 3.0, 20.0), (0.03, 0.4, 0.9))
case("fdtr", fisher, (0.8, 3.0, 20.0), (1.2, 9.0), (0.2, 1.1, 4.4))
case("fdtrc", lambda n, d, x: 1 - fisher(n, d, x), (0.8, 3.0, 20.0), (1.2, 9.0), (0.2, 1.1, 4.4))
case("fdtri", inverse(fisher, bare("fdtri")), (0.8, 3.0, 20.0), (1.2, 9.0), (0.2, 0.9))
case("gdtr", lambda a, b, x: lower(b, a * x), (0.4, 2.0), (0.8, 5.0), (0.6, 3.1))
case("gdtrc", lambda a, b, x: upper(b, a * x), (0.4, 2.0), (0.8, 5.0), (0.6, 3.1))
case("gdtrix", inverse(lambda a, b, x: lower(b, a * x), bare("gdtrix")), (0.4, 2.0), (0.8, 5.0), (0.1, 0.7))
case("bdtr", lambda k, n, p: ibeta(n - k, k + 1, 1 - p), (0, 2), (5, 12), (0.03, 0.4, 0.8), wrt=(2,))
case("bdtrc", lambda k, n, p: ibeta(k + 1, n - k, p), (0, 2), (5, 12), (0.03, 0.4, 0.8), wrt=(2,))
case(
    "bdtri",
    inverse(lambda k, n, p: ibeta(n - k, k + 1, 1 - p), bare("bdtri")),
    (0, 2),
    (5, 12),
    (0.03, 0.4, 0.8),
    wrt=(2,),
)
case("nbdtr", lambda k, n, p: ibeta(n, k + 1, p), (0, 2), (1, 6), (0.03, 0.4, 0.8), wrt=(2,))
case("nbdtrc", lambda k, n, p: ibeta(k + 1, n, 1 - p), (0, 2), (1, 6), (0.03, 0.4, 0.8), wrt=(2,))
case("pdtr", lambda k, m: upper(k + 1, m), (0, 3, 20), (0.1, 2.5, 30.0), wrt=(1,))
case("pdtrc", lambda k, m: lower(k + 1, m), (0, 3, 20), (0.1, 2.5, 30.0), wrt=(1,))
case("pdtri", inverse(lambda k, m: upper(k + 1, m), bare("pdtri")), (0, 3, 20), (0.02, 0.5, 0.9), wrt=(1,))

# entropies, losses, transformations
case("xlogy", lambda a, b: a * mp.log(b), (-2.0, 0.3, 5.0), (1e-4, 0.7, 30.0))
case("xlog1py", lambda a, b: a * mp.log1p(b), (-2.0, 0.3, 5.0), (-0.9, 1e-9, 30.0))
case("entr", lambda x: -x * mp.log(x), POSITIVE)
case("rel_entr", entropy, (1e-4, 0.3, 5.0), (1e-3, 0.7, 30.0))
case("kl_div", lambda a, b: entropy(a, b) - a + b, (1e-4, 0.3, 5.0), (1e-3, 0.7, 30.0))
case("huber", lambda d, r: r * r / 2 if abs(r) <= d else d * (abs(r) - d / 2), (0.4, 1.5), (-3.0, -0.2, 0.7, 2.2))
case("pseudo_huber", lambda d, r: d * d * (mp.sqrt(1 + (r / d) ** 2) - 1), (0.4, 1.5), (-3.0, -1e-5, 0.7, 2.2))
case("boxcox", boxcox, (0.02, 0.8, 1.0001, 7.0), (-1.3, -1e-7, 1e-4, 0.6, 2.0))
case("boxcox1p", lambda x, k: boxcox(1 + x, k), (-0.9, 1e-7, 0.4, 7.0), (-1.3, -1e-7, 1e-4, 0.6, 2.0))
case("inv_boxcox", inv_boxcox, (-0.4, 1e-6, 0.7), (-1.2, -1e-7, 1e-4, 0.6, 2.0))
case("inv_boxcox1p", lambda y, k: mp.expm1(mp.log1p(k * y) / k), (-0.4, 1e-6, 0.7), (-1.2, -1e-7, 1e-4, 0.6, 2.0))
case("logit", lambda p: mp.log(p / (1 - p)), (1e-9, 0.2, 0.6, 0.999))
case("softplus", lambda x: mp.log1p(mp.exp(x)), WIDE, saturates=True)
case("cbrt", lambda x: mp.sign(x) * mp.cbrt(abs(x)), (-30.2, -0.4, 1e-7, 0.8, 9.5, 40.1))
case("exp2", lambda x: mp.mpf(2) ** x, WIDE)
case("exp10", lambda x: mp.mpf(10) ** x, WIDE)
case("expm1", mp.expm1, WIDE)
case("log1p", mp.log1p, (-0.9, -1e-9, 0.3, 2.2, 9.5, 1e6))
case("sinc", lambda x: mp.sincpi(x), (-3.3, -0.2, 1e-5, 0.4, 1.6, 8.3))
case("expit", lambda x: 1 / (1 + mp.exp(-x)), WIDE, saturates=True)
case("log_expit", lambda x: -mp.log1p(mp.exp(-x)), WIDE, saturates=True)


def _exact(values):
    """The doubles as such: what is written 0.3 is the double next to it."""
    return [mp.mpf(v) for v in values]


def _derivative(f, at, orders):
    orders = tuple(orders)
    one = [k for k, n in enumerate(orders) if n]
    if len(one) == 1:
        k = one[0]
        return mp.diff(lambda t: f(*at[:k], t, *at[k + 1 :]), at[k], orders[k])
    return mp.diff(f, tuple(at), orders)


def truths(one, points=None):
    """Per point: value, first derivatives, second derivatives, as doubles."""
    with mp.workdps(one.digits):
        return _truths(one, points)


def _truths(one, points):
    rows = []
    for point in one.points if points is None else points:
        at, n = _exact(point), len(point)
        unit = lambda *places, n=n: [places.count(k) for k in range(n)]
        value, slopes = float(mp.re(one.truth(*at))), one.slopes or one.truth
        first = [float(mp.re(_derivative(slopes, at, unit(k)))) for k in one.wrt]
        second = [float(mp.re(_derivative(slopes, at, unit(i, j)))) for i, j in one.seconds]
        scale = max(map(abs, first))
        second = [0.0 if abs(s) < 1e-30 * scale else s for s in second]  # what is left of a difference
        rows.append([list(point), value, first, second])
    return rows


def main(names):
    files = {path: json.loads(path.read_text()) if path.exists() else {} for path in (OPEN, HELD_OUT)}
    for name in names or CASES:
        try:
            rows = truths(CASES[name])
        except Exception as error:
            print(name, type(error).__name__, str(error)[:200])
            continue
        files[OPEN][name], files[HELD_OUT][name] = rows[::2], rows[1::2]
        print(name, len(rows), flush=True)
    for path, found in files.items():
        lines = ",\n".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in sorted(found.items()))
        path.write_text("{\n" + lines + "\n}\n")


if __name__ == "__main__":
    import sys

    main(sys.argv[1:])
