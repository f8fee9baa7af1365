"""Cases of scipy.special. The second text was set aside while the mirror was written."""
# ruff: noqa: E501  (a line of cases is one thing after the other)

CASES = """
sc.gammaln(d) | sc.polygamma(1, p) | sc.polygamma([0, 1, 2, 3], p) | sc.multigammaln(2 + p, 3) | sc.logsumexp(A)
sc.logsumexp(A, axis=1, b=[1.0, 2.0, 0.5, 3.0]) | sc.softmax(A) | sc.log_softmax(A, axis=0) | sc.spherical_jn(1, d)
sc.spherical_yn(2, d) | sc.spherical_in(1, d, derivative=True) | sc.zeta(3, 1 + d) | sc.expit(x)
sc.sph_harm_y(3, 2, v, w) | sc.sph_harm_y([[0], [2]], [0, -1, 1, 2], v, 0.3) | sc.hankel1(1, d) | sc.hankel2(0.5, d + 0.3j * v) | sc.ellipj(v, 0.3)
sc.hyperu(0.7, 1.4, d) | sc.gammainc(p, q) | sc.sinc(v) | sc.lambertw(d) | sc.logsumexp(A, b=B[0], return_sign=True) | sc.softplus(v)
"""

SET_ASIDE = """
sc.polygamma(0, d) | sc.polygamma(2, d) | sc.multigammaln(3 + p[:, None], 2) | sc.logsumexp(A, axis=0, keepdims=True)
sc.logsumexp(v, b=d) | sc.logsumexp(B, axis=(0, 2)) | sc.softmax(A, axis=1) | sc.softmax(B, axis=(0, 1)) | sc.log_softmax(A)
sc.sph_harm_y(2, -1, A, s) | sc.sph_harm_y(1, 1, x, v[:, None]) | sc.hankel2(0, d) | sc.hankel1([0, 1, 2, 3], d + 0.5j) | sc.ellipj(d, [0.0, 0.2, 0.9, 1.0])
sc.hyperu([1.0, 2.5, -2, 0.2], 2.0, d) | sc.spherical_kn(1, d) | sc.spherical_jn(0, d, derivative=True) | sc.spherical_jn([0, 1, 2, 3], d, True)
sc.spherical_yn(1, d, derivative=True) | sc.zeta([2, 3, 4, 5], 1 + d) | sc.erfcx(v) | sc.betainc(p, q, t) | sc.jv(1, d)
sc.logsumexp(A, axis=1, b=B[0], keepdims=True, return_sign=True) | sc.lambertw(d, 1) | sc.log_softmax(B, (1, 2)) | sc.wofz(v + 0.3j * d)
"""
