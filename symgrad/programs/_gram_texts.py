"""The helpers that multiply matrices with themselves, for every dialect: Gram matrices and sums over pairs of rows.

The idea to hold: the algorithm is one text; a dialect fills in what NumPy does better with memory of its own.
"""

from __future__ import annotations

from .. import _limits

_GRAM = '''def _gram(A, d=None):
    """A.T @ diag(d) @ A, symmetric to the last bit{also}."""
{before}    if d is None:
        return A.T @ A
    if {rank} == 0:
        return d * (A.T @ A)
{large}    G = A.T @ (A * d[:, None])
    return 0.5 * (G + G.T)'''

_PAIRS = '''def _pairs(A, N{into}):
    """{what}; each pair of indices is summed once."""
    s, n, h = A.shape[0], A.shape[1], N.shape[1]
    j, l = np.triu_indices(h)
    N = 0.5 * (N[:, j, l] + N[:, l, j])
    both = np.empty((h, h), np.int64)
    both[j, l] = both[l, j] = np.arange(len(j))
    if s * n * n > {most}:
{many}
    i, k = np.triu_indices(n)
    place = np.empty((n, n), np.int64)
    place[i, k] = place[k, i] = np.arange(len(i))
    G = (A[:, i] * A[:, k]).T @ N
{few}'''

_SUM = "sum over s of A[s, i] * A[s, k] * N[s, j, l]"


def gram() -> str:
    """The Gram matrix in a library that writes nothing in place."""
    return _GRAM.format(also="", before="", rank="d.ndim", large="")


def pairs(grams: str, transpose: str) -> str:
    """The sum over pairs there: ``grams`` are the Gram matrices for each column of N, stacked."""
    return _PAIRS.format(
        into="", what=f"The {_SUM} as H[i, j, k, l]", most=f"{_limits.PAIRS:_}",
        many=f"        G = {grams}\n        return G[both].{transpose}((2, 0, 3, 1))",
        few=f"    return G[place][:, :, both].{transpose}((0, 2, 1, 3))",
    )  # fmt: skip


GRAM_OF_NUMPY = _GRAM.format(
    also=": a triangular product for either sign of d, if A is large", rank="np.ndim(d)",
    before="    A = A if A.flags.c_contiguous or A.flags.f_contiguous else np.ascontiguousarray(A)\n",
    large=f"""\
    if d.min() >= 0:
        B = A * np.sqrt(d)[:, None]
        return B.T @ B
    if A.size > {_limits.GRAM:_}:
        up = d > 0
        B, C = A[up] * np.sqrt(d[up])[:, None], A[~up] * np.sqrt(-d[~up])[:, None]
        return B.T @ B - C.T @ C
""",
)  # fmt: skip

PAIRS_OF_NUMPY = _PAIRS.format(
    into=", H", what=f"Add the {_SUM} to H[i, j, k, l]", most=f"{_limits.PAIRS:_}",
    many="""\
        for p in range(len(j)):
            G = _gram(A, N[:, p])
            H[:, j[p], :, l[p]] += G
            if j[p] != l[p]:
                H[:, l[p], :, j[p]] += G
        return""",
    few="""\
    G = G[:, both.reshape(-1)].reshape(len(i), h, h)
    for a in range(n):
        H[a] += G[place[a]].transpose(1, 0, 2)""",
)  # fmt: skip
