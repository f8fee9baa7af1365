# %% [markdown]
# # A statistical model: from data to standard errors
#
# The data are 23 shuttle flights: the temperature at launch, and whether an O-ring was damaged. The model is a logistic
# regression.

# %%
from importlib.resources import files

import matplotlib.pyplot as plt
import numpy as np

import symgrad as sg

temperature, damage = np.loadtxt(files("symgrad") / "data" / "challenger.csv", delimiter=",", skiprows=1, unpack=True)


def negative_log_likelihood(p, t, y):
    z = p["intercept"] + p["slope"] * (t - 65)
    return np.logaddexp(0, z) - y * z


# %% [markdown]
# The fit is by exact gradients and Hessians, and shows as the table of its estimates.

# %%
fit = sg.minimize(negative_log_likelihood, {"intercept": 0.0, "slope": 0.0}, temperature, damage)
fit

# %% [markdown]
# The temperature at which damage is as likely as not, with its error by the delta method, and the gradient that it
# rests on.

# %%
even = sg.stats.delta(lambda p: 65 - p["intercept"] / p["slope"], fit)
even

# %%
even.formula["slope"]

# %% [markdown]
# The Hessian at the estimates: its entries, and its eigenvalues.


# %%
def total(p):
    return negative_log_likelihood(p, temperature, damage).sum()


H = sg.hessian(total)(fit.x)
H.plot()

# %% [markdown]
# Standard errors of this kind take the likelihood for a parabola. The profile of the slope beside that parabola says
# that it is not quite one. Where a curve crosses the grey line an interval of 95% ends.


# %%
def profile(slope):
    """The smallest negative log-likelihood that this slope leaves."""
    return sg.minimize(sg.fix(total, {("p", "slope"): slope}), {"intercept": fit.x["intercept"]}).fun


error = fit.standard_errors()["slope"]
slopes = np.linspace(fit.x["slope"] - 3 * error, fit.x["slope"] + 3 * error, 41)
rise = np.array([profile(s) for s in slopes]) - fit.fun

figure, ax = plt.subplots()
ax.plot(slopes, rise, label="profile")
ax.plot(slopes, (slopes - fit.x["slope"]) ** 2 / (2 * error**2), "--", label="parabola of the standard error")
ax.axhline(1.92, color="0.6")
ax.set(xlabel="slope", ylabel="rise of the negative log-likelihood", ylim=(0, 6))
legend = ax.legend()

# %% [markdown]
# The likelihood in both parameters, and its minimum:


# %%
def surface(intercept, slope):
    return total({"intercept": intercept, "slope": slope})


ax = sg.plot(surface, (-4, -0.6), (1, 0.1))
