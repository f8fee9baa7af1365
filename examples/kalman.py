"""The Nile's level behind its yearly flow: a Kalman filter's likelihood, and what its derivatives mean.

Newton's method on the likelihood finds the variances. Then no smoother has to be written: the gradient of the same
log-likelihood in the data gives the smoothed level, and the diagonal of its Hessian the variance of that.
"""

import numpy as np

import symgrad as sg

FLOW = np.array([
    1120, 1160, 963, 1210, 1160, 1160, 813, 1230, 1370, 1140, 995, 935, 1110, 994, 1020, 960, 1180, 799, 958, 1140,
    1100, 1210, 1150, 1250, 1260, 1220, 1030, 1100, 774, 840, 874, 694, 940, 833, 701, 916, 692, 1020, 1050, 969,
    831, 726, 456, 824, 702, 1120, 1100, 832, 764, 821, 768, 845, 864, 862, 698, 845, 744, 796, 1040, 759,
    781, 865, 845, 944, 984, 897, 822, 1010, 771, 676, 649, 846, 812, 742, 801, 1040, 860, 874, 848, 890,
    744, 749, 838, 1050, 918, 986, 797, 923, 975, 815, 1020, 906, 901, 1170, 912, 746, 919, 718, 714, 740.0,
])  # fmt: skip
"""The flow at Aswan in 10⁸ m³, 1871 to 1970 (Cobb 1978): Durbin's and Koopman's first example."""


def negative_log_likelihood(p, y):
    """Of all years but the first, given that: the flow is a level and noise, and the level walks at random."""
    noise, drift = np.exp(p["noise"]), np.exp(p["drift"])
    level, variance, total = y[0], noise, 0.5 * (len(y) - 1) * np.log(2 * np.pi)
    for t in range(1, len(y)):
        surprise, spread = y[t] - level, variance + drift + noise
        total = total + 0.5 * (np.log(spread) + surprise**2 / spread)
        gain = (variance + drift) / spread
        level, variance = level + gain * surprise, gain * noise
    return total


def smoothed(p, y):
    """The level and its variance in every year, given all years, from derivatives of the likelihood in the data."""
    noise = np.exp(p["noise"])
    gradient = sg.grad(negative_log_likelihood, argnums="y")(p, y)
    curvature = np.diagonal(sg.hessian(negative_log_likelihood, argnums="y")(p, y))
    return y - noise * gradient, noise - noise**2 * curvature


def main():
    fit = sg.minimize(negative_log_likelihood, {"noise": 9.0, "drift": 7.0}, FLOW)
    print(f"logarithms of the variances\n{fit.summary()}\n")
    for name, published in (("noise", 15098.5), ("drift", 1469.1)):
        found = sg.stats.delta(lambda p, name=name: np.exp(p[name]), fit)
        print(f"variance of the {name}: {found}")
        assert abs(found.value - published) < 0.001 * published, "Durbin and Koopman (2012), section 2.10"
    print("(Durbin and Koopman: 15098.5 and 1469.1)")

    level, variance = smoothed(fit.x, FLOW)
    # a second source, matrices: the steps of the flow are normal; so is the level given all years
    noise, drift = (np.exp(fit.x[name]) for name in ("noise", "drift"))
    walk = np.diff(np.eye(100), axis=0)
    of_steps = drift * np.eye(99) + noise * walk @ walk.T
    square = (walk @ FLOW) @ np.linalg.solve(of_steps, walk @ FLOW)
    assert np.isclose(fit.loglik, -0.5 * (99 * np.log(2 * np.pi) + np.linalg.slogdet(of_steps)[1] + square), rtol=1e-12)
    covariance = np.linalg.inv(np.eye(100) / noise + walk.T @ walk / drift)
    assert np.allclose(level, covariance @ FLOW / noise, rtol=1e-10)
    assert np.allclose(variance, covariance.diagonal(), rtol=1e-7)

    print("\nyear  flow (o), level (*) and its 95% interval")
    for year in range(0, 100, 2):
        line = [" "] * 76
        error = 1.96 * np.sqrt(variance[year])
        marks = ((level[year] - error, "["), (level[year] + error, "]"), (level[year], "*"), (FLOW[year], "o"))
        for value, mark in marks:
            line[round((value - 450) / 13)] = mark
        print(f"{1871 + year}  {''.join(line).rstrip()}")


if __name__ == "__main__":
    main()
