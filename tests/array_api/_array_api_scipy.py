"""SciPy's own functions with SCIPY_ARRAY_API=1 on what is differentiated: a script that prints what came out.

Each call is judged by differences of SciPy on plain arrays. The variable must be set before SciPy is loaded, so that
it takes a process of its own. Its argument is the folder of the tests.
"""

import ast
import importlib.util
import json
import sys
import warnings
from pathlib import Path

import numpy as np

BY_BOTH = """
special.logsumexp(v) | special.logsumexp(M, axis=1) | special.softmax(M, axis=1) | special.expit(v) | special.logit(v)
special.erf(v) | special.erfc(v) | special.gammaln(v) | special.digamma(v) | special.xlogy(v, w) | special.entr(v)
special.rel_entr(v, w) | special.kl_div(v, w) | special.i0(v) | special.j0(v) | special.ndtr(v) | special.log_ndtr(v)
special.ndtri(v) | special.chdtr(3.0, v) | special.expm1(v) | special.log1p(v) | special.huber(1.0, v)
stats.zscore(v) | stats.zmap(v, w) | stats.gzscore(v) | stats.skew(v) | stats.kurtosis(v) | stats.moment(v, 3)
stats.gmean(v) | stats.hmean(v) | stats.pmean(v, 2) | stats.sem(v) | stats.tmin(v) | stats.kstat(v, 2)
special.betainc(v, w, 0.3)
stats.kstatvar(v, 1) | stats.circmean(v) | stats.circvar(v) | stats.circstd(v) | stats.entropy(v)
stats.entropy(v, w)
stats.directional_stats(M).mean_direction | stats.differential_entropy(v) | stats.trim_mean(v, 0.2)
stats.describe(v).variance | stats.kurtosistest(w).statistic
fft.fft(v) | fft.ifft(v) | fft.rfft(v) | fft.irfft(v) | fft.fft2(M) | fft.fftn(M) | fft.rfftn(M) | fft.rfft2(M)
fft.irfft2(M) | fft.hfft(v) | fft.ihfft(v) | fft.fftshift(v) | fft.ifftshift(v) | fft.hfft2(M) | fft.ifftn(M)
fft.irfftn(M) | fft.rfft(v, n=8, norm='ortho') | fft.fht(v, 0.1, 0.5)
signal.fftconvolve(v, w) | signal.hilbert(v) | signal.hilbert2(M) | signal.resample(v, 8) | signal.envelope(v)
signal.freqz(v, w)[1] | signal.zpk2tf(v[:2], w[:2], 1.0)[0] | signal.gauss_spline(v, 3)
signal.vectorstrength(v, 2.0)[0]
integrate.trapezoid(v, w) | integrate.cumulative_trapezoid(v) | integrate.romb(v[:5])
integrate.fixed_quad(lambda x: x**2, 0.0, v[0])[0] | optimize.rosen(v) | optimize.rosen_der(v)
integrate.cubature(lambda x: (x**2).sum(axis=-1), 0 * v[:1], v[:1]).estimate
interpolate.RBFInterpolator(M, w[:4])(M)
spatial.transform.Rotation.from_rotvec(v[:3]).as_matrix() | spatial.transform.Rotation.from_quat(v[:4]).as_matrix()
spatial.transform.Rotation.from_rotvec(v[:3]).apply(w[:3]) | constants.convert_temperature(v, 'Celsius', 'Kelvin')
"""

IN_TRANSFORMS = """
special.logsumexp(v, b=w) | special.log_softmax(M, axis=1) | stats.iqr(v) | stats.median_abs_deviation(v)
stats.jarque_bera(v).statistic | stats.bartlett(v, w).statistic | stats.quantile(v, 0.3)
stats.spearmanr(v, w).statistic
stats.boxcox_llf(0.5, v) | signal.oaconvolve(v, w) | linalg.block_diag(A, A) | cluster.vq.whiten(M)
integrate.cumulative_simpson(v, dx=1.0) | integrate.tanhsinh(lambda x: x * 0 + 1, 0.0 * v, v).integral
spatial.transform.Rotation.from_euler('xyz', v[:3]).as_quat() | spatial.transform.Rotation.from_matrix(A).as_rotvec()
differentiate.derivative(lambda x: x**3, v).df | stats.ttest_1samp(v, 0.5).pvalue
"""
"""Tensors raise here: SciPy writes to what was saved for the gradient, or meets NumPy's arrays that it made itself."""

REFUSED = """
stats.linregress(v, w).slope | fft.dct(v) | fft.dst(v)
signal.detrend(v) | signal.lfilter([0.5, 0.5], [1.0, 0.2], v) | signal.sosfilt([[1, 0, 0, 1, 0.5, 0]], v)
signal.savgol_filter(v, 3, 1) | signal.welch(v, nperseg=6)[1] | linalg.det(A) | linalg.inv(A) | linalg.solve(A, v[:3])
linalg.norm(A) | linalg.svdvals(A) | linalg.expm(A) | linalg.cholesky(A @ A.T) | linalg.qr(A)[1]
cluster.vq.vq(M, A)[1]
ndimage.gaussian_filter(M, 1.0) | spatial.distance.cdist(M, A) | spatial.distance.pdist(M)
interpolate.interp1d(np.arange(6.0), v)(2.3)
"""
"""SciPy takes the numbers out of what it is given here: that raises, and nothing loses a derivative without a word."""


def texts(part):
    """The calls of a text."""
    return [call.strip() for line in part.split("\n") if line for call in line.split(" | ")]


def leaves(found):
    """The arrays of a result."""
    return [leaf for part in found for leaf in leaves(part)] if isinstance(found, tuple | list) else [found]


def total(found, xp):
    """One real number that depends on all numbers of a result."""
    sums = 0.0
    for k, leaf in enumerate(leaves(found)):
        weights = np.cos(1.0 + k + np.arange(int(np.prod(leaf.shape)))).reshape(leaf.shape)
        parts = [xp.real(leaf), 0.7 * xp.imag(leaf)] if "complex" in str(leaf.dtype) else [leaf]
        sums = sums + sum(xp.sum(weights * part) for part in parts)
    return sums


class _Modules(dict):
    """SciPy's modules by their names, loaded when a call names them."""

    def __missing__(self, name):
        if name in ("spatial", "cluster"):
            importlib.import_module(f"scipy.{name}.{dict(spatial='transform', cluster='vq')[name]}")
            importlib.import_module(f"scipy.{name}.{dict(spatial='distance', cluster='hierarchy')[name]}")
        try:
            return importlib.import_module(f"scipy.{name}")
        except ModuleNotFoundError:
            raise KeyError(name) from None


def arrays():
    """The arguments."""
    rng = np.random.default_rng(0)
    return {
        "v": rng.uniform(0.3, 0.9, 6), "w": rng.uniform(1.2, 2.5, 6), "M": rng.uniform(0.2, 0.9, (4, 3)),
        "A": rng.uniform(0.2, 0.9, (3, 3)) + 3 * np.eye(3),
    }  # fmt: skip


def judge(text, gradient):
    """What is wrong with the gradient of a call in a transform, and by tensors; None where SciPy has none such."""
    import symgrad as sg
    import symgrad.numpy as xp

    base = arrays()
    names = sorted({n.id for n in ast.walk(ast.parse(text, mode="eval")) if isinstance(n, ast.Name)} & set(base))
    run = lambda given: eval(text, {}, _Modules({"np": np, **base, **given}))
    start = {name: base[name] for name in names}
    try:
        run(start)
    except (AttributeError, KeyError, NameError):
        return None
    expected = {
        name: gradient(lambda u, name=name: float(total(run({**start, name: u}), np)), v) for name, v in start.items()
    }

    def by_tensors():
        tensors = {name: sg.tensor(v, requires_grad=True) for name, v in start.items()}
        total(run(tensors), xp).backward()
        return {name: np.zeros(t.shape) if t.grad is None else t.grad.numpy() for name, t in tensors.items()}

    found = []
    for way in (lambda: sg.grad(lambda given: total(run(given), xp))(start), by_tensors):
        try:
            slopes = way()
            off = max(np.abs(slopes[n] - e).max() / max(1, np.abs(e).max()) for n, e in expected.items())
            found.append("" if off < 1e-6 else f"off by {off:.1e}")
        except Exception as error:
            found.append(f"{type(error).__name__}: {error}")
    return found


def main(folder):
    """Print the judgement of each call."""
    spec = importlib.util.spec_from_file_location("numeric", Path(folder).parent / "helpers" / "numeric.py")
    numeric = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(numeric)
    warnings.simplefilter("ignore")
    print(json.dumps({t: judge(t, numeric.gradient) for t in texts(BY_BOTH + IN_TRANSFORMS + REFUSED)}))


if __name__ == "__main__":
    main(sys.argv[1])
