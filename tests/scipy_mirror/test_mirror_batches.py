"""Every function of the mirror takes the batches that SciPy's takes, with the derivatives of the loop over them.

Nobody types what is a batch: arguments of single calls are stacked (`_stacked`), and SciPy says by its values which of
the stacks mean the loop. Of each function one stack of everything and, of each argument, one that is broadcast against
the others are compared, in first and second derivatives.
"""

import numpy as np
import pytest

import symgrad.scipy as sp
from symgrad.scipy.stats._multivariate import MULTIVARIATE

from ..helpers.cases import one_in
from ._single_calls import LAWS, of_function
from ._stacked import batches_of, derivatives
from ._undifferentiated import FUNCTIONS
from ._watched import public
from .test_mirror_every_argument import HERE

ONE_BY_ONE = {
    "It takes all entries of an argument for one vector.": "linalg.hankel",
    "Its argument is one number.": "fft.fftfreq fft.rfftfreq",
    "It takes all axes for the signal's.": (
        "signal.convolve signal.correlate signal.convolve2d signal.correlate2d ndimage.affine_transform ndimage.shift "
        "ndimage.zoom ndimage.spline_filter"
    ),
    "It smooths along the other axes, and has no axes= that SciPy keeps apart.": (
        "ndimage.sobel ndimage.prewitt ndimage.gaussian_gradient_magnitude"
    ),
    "It takes one signal.": "signal.deconvolve signal.lombscargle",
    "It takes one filter.": "signal.lfilter_zi signal.sosfilt_zi",
    "It calls a function, which makes what is computed at once; it returns one solution, or what the function does.": (
        "integrate.fixed_quad integrate.quad integrate.quad_vec integrate.dblquad integrate.nquad integrate.solve_ivp "
        "integrate.odeint"
    ),
    "It is of one sparse array.": (
        "sparse.coo_array sparse.coo_matrix sparse.csr_array sparse.csr_matrix sparse.csc_matrix sparse.dia_array "
        "sparse.dia_matrix sparse.diags sparse.diags_array sparse.spdiags sparse.block_array sparse.block_diag "
        "sparse.bmat sparse.hstack sparse.vstack sparse.kron sparse.kronsum sparse.tril sparse.triu "
        "sparse.SparseArray.asformat sparse.SparseArray.conj sparse.SparseArray.copy sparse.SparseArray.diagonal "
        "sparse.SparseArray.multiply sparse.SparseArray.power sparse.SparseArray.sum sparse.SparseArray.toarray "
        "sparse.SparseArray.trace sparse.SparseArray.transpose"
    ),
    "It takes one right side.": "sparse.linalg.cg sparse.linalg.gmres sparse.linalg.minres",
    "Its solutions are functions: those of splu are stacked.": "sparse.linalg.factorized",
    "Its data are one set, and its points have an axis for dimensions.": "stats.gaussian_kde",
    "It is of one matrix of parameters.": (
        "stats.dirichlet.entropy stats.multivariate_normal.entropy stats.wishart.entropy"
    ),
    "Its slope is 0.": "special.round",
}
"""By reason: functions whose batch is not the loop over single calls in SciPy, or is none. This is measured."""
ALONE = {name for names in ONE_BY_ONE.values() for name in names.split()}

PUBLIC = dict.fromkeys(
    [n for module in HERE if module != "optimize" for n, _ in public(module) if n not in FUNCTIONS]
    + [f"special.{n}" for n in sp.special.__all__]
    + [f"stats.{n}" for n in ("entropy", "gaussian_kde", "pearsonr", "zscore")]
    + [f"stats.{n}.{method}" for n, law in MULTIVARIATE.items() for method in law._formulas]
    + LAWS
)


@one_in(18)
@pytest.mark.parametrize("name", PUBLIC)
def test_a_batch_has_the_derivatives_of_the_loop_over_its_entries(name):
    found = batches_of(of_function(name))
    assert bool(found) != (name in ALONE), "SciPy takes batches of it" if found else "SciPy takes no batch of its cases"
    for about, batch in found.items():
        (first, second), (each_first, each_second) = derivatives(batch)
        words = f"{batch.copies[0].name}, stacked: {about or 'all'}"
        for ours, loop, tolerance in ((first, each_first, 1e-10), (second, each_second, 1e-9)):
            size = np.abs(loop).max(initial=0.0)
            np.testing.assert_allclose(ours, loop, rtol=tolerance, atol=tolerance * size, err_msg=words)


def test_what_is_said_to_take_no_batch_is_there():
    assert PUBLIC.keys() >= ALONE
