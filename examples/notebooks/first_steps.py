# %% [markdown]
# # First steps: a number, a graph, a formula, a plot
#
# Every derivative is here in four forms. The last line of a cell shows its value.

# %%
import numpy as np

import symgrad as sg

x = sg.tensor([0.5, 1.0, 2.0], requires_grad=True, name="x")
loss = (sg.tanh(x) ** 2).sum()

# %% [markdown]
# A number, and how it was computed: a notebook draws the graph, with the rule of every step.

# %%
loss

# %% [markdown]
# The gradient is a number that has a graph itself, and a formula.

# %%
loss.backward(create_graph=True)
x.grad.detach()

# %%
x.grad.formula()

# %% [markdown]
# A function has derivatives of symbols too, for arrays of all sizes.


# %%
def logistic_loss(w, X, y):
    return sg.log(1 + sg.exp(-y * (X @ w))).mean()


w, X, y = sg.symbol("w", "n"), sg.symbol("X", ("m", "n")), sg.symbol("y", "m")
sg.grad(logistic_loss)(w, X, y)

# %%
sg.hessian(logistic_loss)(w, X, y)

# %% [markdown]
# How such a formula comes about, line by line:

# %%
sg.parse("sum((A@x - b)**2)", A=("m", "n")).grad("x").explain()

# %% [markdown]
# A function of one number with its derivatives and two Taylor polynomials. The function is plain NumPy.


# %%
def bump(t):
    return np.exp(-(t**2) / 2)


sg.plot(bump, -4, 4, taylor=(2, 6), at=0)

# %% [markdown]
# A function of two numbers: contours, the directions of the gradient, and the critical points with their Hessians.

# %%
sg.plot(lambda x, y: x**3 - 3 * x + y**2 + x * y / 2, (-2, -2), (2, 2))
