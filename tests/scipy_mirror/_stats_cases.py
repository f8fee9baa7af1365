"""Cases of scipy.stats. The second text was set aside while the mirror was written.

``x`` are real numbers, ``d``, ``p`` and ``q`` positive ones, ``t`` lies between 0 and 1, ``s`` is one number.
"""
# ruff: noqa: E501  (a line of cases is one thing after the other)

CASES = """
st.norm.logpdf(x) | st.norm.logpdf(x, v, p) | st.norm.pdf(x, loc=v, scale=p) | st.norm.cdf(x, v, p) | st.norm.sf(x, v)
st.norm.logcdf(x, v, p) | st.norm.logsf(x, scale=p) | st.norm.ppf(t, v, p) | st.norm.entropy(v, p) | st.norm(v, p).logpdf(x)
st.t.logpdf(x, p) | st.t.pdf(x, p, v, q) | st.gamma.logpdf(d, p) | st.gamma.pdf(d, p, 0.01 * v, q) | st.gamma.cdf(d, 2.5)
st.gamma.sf(d, 2.5, scale=q) | st.gamma.entropy(p) | st.beta.logpdf(t, p, q) | st.beta.pdf(t, p, q) | st.beta.entropy(p, q)
st.lognorm.logpdf(d, p) | st.lognorm.cdf(d, p, scale=q) | st.lognorm.ppf(t, p) | st.weibull_min.logpdf(d, p, scale=q)
st.weibull_min.cdf(d, p) | st.weibull_min.logsf(d, p, scale=q) | st.weibull_min.ppf(t, p) | st.logistic.logpdf(x, v, p)
st.logistic.cdf(x, v, p) | st.logistic.logcdf(x, v, p) | st.cauchy.logpdf(x, v, p) | st.cauchy.cdf(x, v, p)
st.cauchy.ppf(t) | st.laplace.logpdf(x, 0.3 * v, p) | st.laplace.cdf(x, v, p) | st.expon.logpdf(d, scale=p)
st.expon.sf(d, scale=p) | st.expon.ppf(t, scale=p) | st.chi2.logpdf(d, p) | st.chi2.cdf(d, 3.0) | st.f.logpdf(d, p, q)
st.pareto.logpdf(1 + d, p) | st.pareto.sf(1 + d, p) | st.gumbel_r.logpdf(x, v, p) | st.gumbel_r.cdf(x, v, p)
st.gumbel_r.ppf(t) | st.vonmises.logpdf(x, p) | st.vonmises.pdf(x, p, 0.1 * v) | st.uniform.pdf(t, 0.0, 2 * q)
st.uniform.cdf(t, -0.1, 2 * q) | st.truncnorm.logpdf(0.1 * x, -p, q) | st.truncnorm.cdf(0.1 * x, -p, q)
st.skewnorm.logpdf(x, v) | st.skewnorm.pdf(x, v, w, p)
st.poisson.logpmf([0, 1, 3, 8], p) | st.poisson.pmf(2, p) | st.binom.logpmf([0, 1, 3, 5], 5, t) | st.binom.pmf(2, 5, t)
st.nbinom.logpmf([0, 1, 3, 8], p, t) | st.geom.logpmf([1, 2, 3, 8], t) | st.geom.cdf([1, 2, 3, 8], t)
st.multinomial.logpmf([1, 2, 0, 3], 6, d / d.sum()) | st.betabinom.logpmf([0, 1, 3, 5], 5, p, q)
st.multivariate_normal.logpdf(A[:, :3], u, P) | st.multivariate_normal.pdf(u, y, P) | st.multivariate_normal.entropy(u, P)
st.multivariate_t.logpdf(A[:, :3], u, P, 3.0) | st.dirichlet.logpdf(t / t.sum(), p) | st.dirichlet.entropy(p)
st.t.ppf(t, p, v, q) | st.gamma.ppf(t, p, scale=q) | st.chi2.ppf(t, p) | st.beta.ppf(t, p, q) | st.f.ppf(t, p, 2 + q)
st.truncnorm.ppf(t, -p, q, 0.1 * v, d) | st.truncnorm.isf(t, -p, q) | st.poisson.ppf(0.37, p, v) | st.vonmises.cdf(x, p, 0.1 * v)
st.skewnorm.cdf(x, v, w, p) | st.betabinom.cdf([0, 1, 3, 5], 5, p, q) | st.f.entropy(p, q) | st.betabinom.entropy(5, p, q)
st.wishart.logpdf(P, 5.5, M) | st.gaussian_kde(z).logpdf(x) | st.zscore(A) | st.pearsonr(x, v)[0]
"""

SET_ASIDE = """
st.norm.logpdf(x, 1.0) | st.norm.isf(t, v, p) | st.norm.sf(x, v, p) | st.norm.logsf(x, v, p) | st.norm.logcdf(9 * x)
st.norm(loc=v).cdf(x) | st.norm.pdf(A, u[:, None], p) | st.norm.entropy(0, p)
st.t.logpdf(x, 3, v, p) | st.t.entropy(p) | st.gamma.logpdf(d, p, scale=q) | st.gamma.cdf(d, 1.5, scale=q)
st.gamma.logpdf(d, a=p, loc=-0.5) | st.beta.logpdf(t, p, q, -0.01, 1.02) | st.lognorm.pdf(d, p, 0, q) | st.lognorm.sf(d, p)
st.lognorm.entropy(p, scale=q) | st.lognorm.logsf(d, p) | st.weibull_min.pdf(d, p) | st.weibull_min.sf(d, p, scale=q)
st.weibull_min.entropy(p, scale=q) | st.weibull_min.isf(t, p) | st.logistic.pdf(x, v, p) | st.logistic.sf(x, v, p)
st.logistic.logsf(x, v, p) | st.logistic.ppf(t, v, p) | st.logistic.entropy(v, p) | st.cauchy.pdf(x, v, p) | st.cauchy.sf(x, v)
st.cauchy.logcdf(x, v) | st.cauchy.entropy(v, p) | st.laplace.pdf(x, 0.3 * v, p) | st.laplace.sf(x, v, p)
st.laplace.logcdf(x, v, p) | st.laplace.ppf(t, v, p) | st.laplace.entropy(v, p) | st.expon.pdf(d, scale=p)
st.expon.cdf(d, scale=p) | st.expon.logcdf(d, scale=p) | st.expon.entropy(scale=p) | st.chi2.pdf(d, p) | st.chi2.sf(d, 5)
st.chi2.entropy(p) | st.f.pdf(d, p, q) | st.f.logpdf(d, p, 4.0, scale=q) | st.pareto.pdf(1 + d, p) | st.pareto.cdf(1 + d, p)
st.pareto.ppf(t, p) | st.pareto.entropy(p) | st.gumbel_r.pdf(x, v, p) | st.gumbel_r.sf(x, v, p) | st.gumbel_r.entropy(v, p)
st.gumbel_r.logcdf(x, v, p) | st.gumbel_r.isf(t) | st.vonmises.logpdf(0.2 * x, 9 * p, 0.1 * v, q) | st.vonmises.entropy(p)
st.uniform.logpdf(t, -0.1, 2 * q + 1) | st.uniform.sf(t, -0.1, 2 * q) | st.uniform.ppf(t, v, p) | st.uniform.entropy(v, p)
st.truncnorm.pdf(0.1 * x, -p, q, 0.1 * s, 1.0) | st.truncnorm.sf(0.1 * x, -p, q) | st.truncnorm.logpdf(3 + t, 3, 4 + q)
st.skewnorm.logpdf(x, 5 * v, scale=p) | st.poisson.logpmf(A.shape[0] * np.arange(4), p) | st.poisson.pmf([1, 2], 2 + s**2)
st.poisson.logpmf([1, 2, 3, 4], p, 1) | st.binom.logpmf([[0], [5]], 5, t) | st.nbinom.pmf(3, p, t) | st.geom.pmf(3, t)
st.geom.sf([1, 2, 3, 8], t) | st.geom.logsf(2, t) | st.multinomial.pmf([[1, 2, 0, 3], [6, 0, 0, 0]], 6, d / d.sum()) | st.multinomial.pmf([1, 2, 0, 3], 6, d / d.sum())
st.t.isf(t, p) | st.gamma.isf(t, p) | st.gamma(p, v).ppf(0.3) | st.chi2.isf(t, p, scale=q) | st.beta.isf(t, p, q)
st.f.isf(t, p, 2 + q) | st.truncnorm.ppf(t, p, p + q) | st.truncnorm.isf(t, -4 - p, -3.9 - p + q, v) | st.binom.isf(0.2, 5, 0.3 + 0 * s, s)
st.nbinom.ppf(0.4, p, 0.31, v) | st.vonmises.sf(x, p) | st.vonmises.logcdf(0.4 * x, p, scale=q) | st.vonmises.cdf(2 + x, 9 * p)
st.skewnorm.sf(x, 3 * v) | st.skewnorm.logcdf(x, v) | st.skewnorm.logsf(A, w) | st.betabinom.sf([0, 1, 3, 4], 5, p, q)
st.betabinom.logcdf(2, 5, p, q) | st.betabinom.logsf([[0], [2]], 5, p, q) | st.binom.entropy(5, t[0])
st.betabinom.pmf(2, 5, p, q) | st.multivariate_normal.logpdf(u, cov=P) | st.multivariate_normal.logpdf(z, 0.5, 2.0)
st.multivariate_normal(u, P).logpdf(A[:, :3]) | st.multivariate_normal.logpdf(v, w, p)
st.multivariate_t.pdf(u, y, P, p[0]) | st.dirichlet.pdf(t / t.sum(), p) | st.dirichlet.logpdf((t / t.sum())[:3], p)
st.wishart.pdf(P, 4 + p[0], M) | st.wishart.entropy(4 + p[0], M) | st.gaussian_kde(z, 0.4).pdf(x) | st.gaussian_kde(A)(T[:, :1][:3])
st.gaussian_kde(z).evaluate(z[:2]) | st.zscore(A, axis=1, ddof=1) | st.zscore(B, axis=None) | st.pearsonr(A[0], T[:, 1])[0]
st.multivariate_normal.cdf(u[:2], y[:2], M[:2, :2]) | st.multivariate_normal.logcdf(u[:2], y[:2], M[:2, :2])
"""
