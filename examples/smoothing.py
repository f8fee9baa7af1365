"""A smoothing spline through the Nile's flow: how smooth, by cross-validation, and what each year has to say in it.

B-splines with a knot at every year, and a penalty on the integral of the squared second derivative. The score of
generalised cross-validation is minimised by its exact derivatives; and the minimum itself has a derivative in the data.
"""

import numpy as np
import scipy.interpolate
import scipy.optimize
from kalman import FLOW

import symgrad as sg
import symgrad.scipy as sp

YEARS = np.arange(1871.0, 1971.0)
KNOTS = np.concatenate([[YEARS[0]] * 3, YEARS, [YEARS[-1]] * 3])
BASIS = sp.interpolate.BSpline(KNOTS, np.eye(len(KNOTS) - 4), 3)
MIDDLE, HALF = (YEARS[1:] + YEARS[:-1]) / 2, np.diff(YEARS) / 2
BENDS = np.concatenate([BASIS(MIDDLE + s * HALF / np.sqrt(3), nu=2) for s in (-1, 1)])
PENALTY = BENDS.T @ (np.tile(HALF, 2)[:, None] * BENDS)  # Gauss' rule of two points, exact for a square of lines


def smoothed(log_penalty, y):
    """The spline at the years, and the matrix that makes it of the data."""
    B = BASIS(YEARS)
    hat = B @ sp.linalg.solve(B.T @ B + np.exp(log_penalty) * PENALTY, B.T, assume_a="pos")
    return hat @ y, hat


def score(log_penalty, y):
    """Of generalised cross-validation (Craven and Wahba 1979)."""
    curve, hat = smoothed(log_penalty, y)
    return ((y - curve) ** 2).mean() / (1 - np.trace(hat) / len(y)) ** 2


def best(y):
    """The logarithm of the best penalty: a minimum, differentiated by the implicit function theorem."""
    return sp.optimize.minimize_scalar(score, (0.0, 4.0), args=(y,)).x


def main():
    found = best(FLOW)
    curve, hat = smoothed(found, FLOW)
    print(f"penalty {np.exp(found):.2f}, degrees of freedom {np.trace(hat):.2f}, score {score(found, FLOW):.1f}")
    theirs = scipy.interpolate.make_smoothing_spline(YEARS, FLOW)  # it chooses the penalty by the same score
    assert np.allclose(theirs(YEARS), curve, rtol=1e-6), "SciPy's spline"

    slope, curvature = sg.grad(score)(found, FLOW), sg.hessian(score)(found, FLOW)
    influence = sg.grad(best)(FLOW)
    by_hand = -sg.jacobian(sg.grad(score), argnums=1)(found, FLOW) / curvature
    assert abs(slope / curvature) < 1e-6 and np.allclose(influence, by_hand, rtol=1e-6)
    for k in (0, 42, 99):  # a second source: SciPy's minimum for other data
        ends = [scipy.optimize.minimize_scalar(score, (0.0, 4.0), args=(FLOW + h * np.eye(100)[k],)).x for h in (5, -5)]
        assert np.isclose((ends[0] - ends[1]) / 10, influence[k], rtol=1e-3)

    print("\nwhat 10⁸ m³ more in a year would do to the logarithm of the penalty")
    for k in np.argsort(-np.abs(influence))[:5]:
        print(f"{YEARS[k]:6.0f} {influence[k]:9.5f}   flow {FLOW[k]:5.0f}, spline {curve[k]:5.0f}")
    print("\nyear  flow (o), spline (*)")
    for year in range(0, 100, 2):
        line = [" "] * 76
        line[round((curve[year] - 450) / 13)], line[round((FLOW[year] - 450) / 13)] = "*", "o"
        print(f"{1871 + year}  {''.join(line).rstrip()}")


if __name__ == "__main__":
    main()
