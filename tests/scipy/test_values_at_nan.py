"""Values of plain arrays and of recorded ones, where an argument is NaN."""

import itertools

import numpy as np
import scipy.special as sc

import symgrad as sg


def test_values_of_gauss_function_at_nan_are_scipys_recorded_too():
    points = np.array(list(itertools.product([0.0, 0.5, -1.0, 2.5, np.nan], repeat=4))).T
    for k in range(4):
        operands = [*points]
        operands[k] = sg.tensor(points[k], requires_grad=True)
        np.testing.assert_allclose(sc.hyp2f1(*operands).detach().numpy(), sc.hyp2f1(*points), rtol=1e-14)
