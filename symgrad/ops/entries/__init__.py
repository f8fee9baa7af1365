"""Entry by entry: the table of functions of one to three numbers, and the operators.

all_special    all special functions, for those who ask which of SciPy's there are
arithmetic     elementwise functions under PyTorch's names: arithmetic, activations, division, bits, complex numbers
bessel         bessel functions and orthogonal polynomials; the scaled ones' derivatives of any order
copies         copies: of values, into another dtype, into another tensor's memory
distributions  distribution functions and quantiles, and probabilities of several normal numbers that are correlated
elementwise    the table, entry by entry: a forward function, a partial derivative per operand, and the rows' facts
gammas         the incomplete gamma and beta functions in every argument, with their inverses
integrals      functions that are integrals: elliptic ones, relatives of the error function, hypergeometric functions
"""

from ...core import TABLE
from . import arithmetic, copies, elementwise, gammas
from .arithmetic import complex_row
from .copies import blank, cast, clone_row
from .elementwise import remember
from .gammas import broadcast_parameter, flat_operands, in_operands_dtype

_LATER = {
    "bessel": """
bessel_j bessel_y bessel_i bessel_k bessel_ie bessel_ke bessel_ie_order bessel_ke_order hankel_1 hankel_2 airy_ai
airy_ai_slope airy_bi airy_bi_slope airye_ai airye_ai_slope airye_bi airye_bi_slope airye_rate zeta spherical_j
spherical_y spherical_i spherical_k struve modstruve spherical_theta gegenbauer chebyshev_t hermite_h hermite_he
laguerre legendre jacobi""",
    "distributions": """
student_log student_by_n student_density stdtr stdtr_by_n stdtr_by_nn stdtrit chdtr chdtrc chdtri gdtr gdtrc gdtrix
fdtr fdtrc fdtri bdtr bdtrc bdtri nbdtr nbdtrc poisson_density pdtr pdtrc pdtri
truncated_quantile skew_normal vonmises_mass skew_quantile vonmises_quantile poisson_quantile geom_quantile
nbinom_quantile binom_quantile betabinom_quantile
bivariate_normal normal_orthant in_positive in_nonnegative in_share in_nonzero_share with_domain""",
    "integrals": """
carlson elliprf elliprd elliprg elliprc ellipk ellipe ellipkm1 ellipkinc ellipeinc elliptic_moment ellipk_slope
ellipe_slope ellipkinc_slope ellipeinc_slope jacobi_sn jacobi_cn jacobi_dn jacobi_am
poisson_entropy nbinom_terms hazard_mean skew_normal_entropy
erfi erfcx erfcx_slope erfcx_order erfcinv dawsn dawsn_slope dawsn_order ndtri_exp owens_t exp1 expi expn sin_over
sinh_over sine_integral cosine_integral sinh_integral cosh_integral fresnel_s fresnel_c exprel exprel_order log1prel
log_over spence over_root pseudo_huber boxcox boxcox1p boxcox_slope
boxcox1p_slope boxcox_order boxcox1p_order inv_boxcox inv_boxcox1p wrightomega lambertw wofz wofz_slope
hyp1f1 hyp1f1_by_a hyp1f1_by_b hyp2f1 hyp2f1_by_a hyp2f1_by_c hyperu hyp0f1""",
}
"""The modules of special functions, which are imported when one of their rows is asked for."""

for _module, _names in _LATER.items():
    TABLE.later(f"{__name__}.{_module}", _names)
