"""What differs between the versions of NumPy and SciPy that symgrad runs with."""

import numpy as np
from scipy.sparse import csr_array

YOUNGER = {"np.matvec": "2.2.0", "np.vecmat": "2.2.0", "np.cumulative_": "2.1.0", "np.clip(v, m": "2.1.0"}
"""What NumPy says it knows only since a version."""


def cases_of(text):
    """The expressions of a text, which are divided by bars, that the installed NumPy can evaluate."""
    version = np.lib.NumpyVersion(np.__version__)
    cases = [c.strip() for line in text.strip().splitlines() for c in line.split(" | ")]
    return [c for c in cases if not any(c.startswith(start) and version < since for start, since in YOUNGER.items())]


def random_sparse(n, density, rng):
    """A sparse matrix with about this share of its entries (SciPy renamed the generator of its own function)."""
    return csr_array(np.where(rng.random((n, n)) < density, rng.uniform(size=(n, n)), 0.0))
