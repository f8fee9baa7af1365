"""Every distribution at a batch of parameters, some of them near an end, and values in its support."""

import numpy as np

SIGMA = np.array([[2.0, 0.5, 0.1], [0.5, 1.0, -0.2], [0.1, -0.2, 0.7]])
"""A covariance."""

FAMILIES = {
    "Normal": ({"loc": [0.0, 1.0, -30.0], "scale": [1.0, 0.01, 7.0]}, [0.3, 1.02, 4.0]),
    "Laplace": ({"loc": [0.0, 1.0, -30.0], "scale": [1.0, 0.01, 7.0]}, [0.3, 0.98, 4.0]),
    "StudentT": ({"df": [0.4, 3.0, 60.0], "loc": [0.0, 1.0, -3.0], "scale": [1.0, 0.01, 7.0]}, [0.3, 1.02, 40.0]),
    "Uniform": ({"low": [0.0, -2.0, 5.0], "high": [1.0, -1.5, 50.0]}, [0.2, -1.7, 49.0]),
    "Exponential": ({"rate": [1.0, 0.01, 70.0]}, [0.3, 200.0, 1e-3]),
    "Gamma": ({"concentration": [0.3, 1.0, 40.0], "rate": [1.0, 0.01, 7.0]}, [1e-4, 200.0, 4.0]),
    "Beta": ({"concentration1": [0.3, 1.0, 40.0], "concentration0": [0.5, 3.0, 7.0]}, [1e-4, 0.2, 0.9]),
    "LogNormal": ({"loc": [0.0, 1.0, -3.0], "scale": [1.0, 0.1, 2.0]}, [0.3, 3.0, 1e-3]),
    "Bernoulli": ({"probs": [0.3, 1e-6, 0.99]}, [0.0, 1.0, 1.0]),
    "Binomial": ({"total_count": [4.0, 30.0, 7.0], "probs": [0.3, 0.01, 0.99]}, [0.0, 3.0, 7.0]),
    "Poisson": ({"rate": [0.3, 4.0, 300.0]}, [0.0, 7.0, 310.0]),
    "Categorical": ({"probs": [[0.2, 0.3, 0.5], [1e-6, 2.0, 7.0]]}, [2, 0]),
    "OneHotCategorical": ({"probs": [[0.2, 0.3, 0.5], [1e-6, 2.0, 7.0]]}, [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]),
    "Dirichlet": ({"concentration": [[0.3, 1.0, 4.0], [20.0, 3.0, 1.5]]}, [[0.2, 0.3, 0.5], [0.7, 0.2, 0.1]]),
    "MultivariateNormal": (
        {"loc": [[0.0, 1.0, 2.0], [3.0, 0.0, 0.0]], "covariance_matrix": SIGMA.tolist()},
        [[0.3, -1.0, 2.5], [1.0, 1.0, 1.0]],
    ),
}
LOGITS = {
    "Bernoulli": ({"logits": [0.3, -40.0, 3.0]}, [0.0, 1.0, 1.0]),
    "Binomial": ({"total_count": [4.0, 30.0, 7.0], "logits": [0.3, -9.0, 3.0]}, [0.0, 3.0, 7.0]),
    "Categorical": ({"logits": [[0.2, 0.3, 0.5], [-40.0, 2.0, 7.0]]}, [2, 0]),
    "OneHotCategorical": ({"logits": [[0.2, 0.3, 0.5], [-40.0, 2.0, 7.0]]}, [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]),
}
CASES = [*FAMILIES.items(), *LOGITS.items()]
IDS = [f"{name} by {' '.join(case[0])}" for name, case in CASES]
CONTINUOUS = [
    name for name in FAMILIES
    if name not in ("Bernoulli", "Binomial", "Poisson", "Categorical", "OneHotCategorical")
]  # fmt: skip
