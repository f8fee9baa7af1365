# %% [markdown]
# # Looking inside: who made the NaN, how a gradient came about, is a derivation right
#
# A loss of distances between points, two of which are the same.

# %%
import symgrad as sg

p = sg.tensor([[0.0, 1.0], [2.0, 3.0], [0.0, 1.0]], requires_grad=True, name="p")


def by_hand(p):
    apart = p[:, None] - p[None]
    distance = sg.sqrt((apart**2).sum(-1))
    return sg.exp(-distance).sum()


sg.grad(by_hand)(p).detach()

# %% [markdown]
# Which operation is to blame, with the numbers, and what to write instead:

# %%
try:
    with sg.detect_anomaly():
        by_hand(p).backward()
except sg.AnomalyError as error:
    print(error)


# %% [markdown]
# Written so, the gradient is there. The picture has the rule and the value of every step:


# %%
def safe(p):
    return sg.exp(-sg.cdist(p, p)).sum()


sg.graph(safe(p))

# %% [markdown]
# The way of the gradient, in formulas and numbers:

# %%
safe(p).explain()

# %% [markdown]
# Somebody derived a gradient by hand, and forgot a factor:

# %%
sg.verify("sum((X@w - y)**2)", grad="X'(X@w - y)", wrt="w", X=("m", "n"))

# %%
sg.verify("sum((X@w - y)**2)", grad="2*X'(X@w - y)", wrt="w", X=("m", "n"))

# %% [markdown]
# All that is known of a function on one page:

# %%
sg.report(safe, p.detach())
