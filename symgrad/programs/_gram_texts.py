"""The helpers that multiply matrices with themselves, for every dialect: Gram matrices and sums over pairs of rows.

The idea to hold: a Gram matrix is one text, in which a dialect fills in what it does better; a sum over pairs is
another text where arrays can be written into: no more than a part of it is held beside the matrix.
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

MIRRORED = '''def _mirrored(T):
    """T + T.T"""
    return T + T.T'''

_SUM = "sum over s of A[s, i] * A[s, k] * N[s, j, l]"


def gram() -> str:
    """The Gram matrix in a library that writes nothing in place."""
    return _GRAM.format(also="", before="", rank="d.ndim", large="")


def pairs(grams: str, transpose: str) -> str:
    """The sum over pairs there: ``grams`` are the Gram matrices for each column of N, stacked."""
    return f'''def _pairs(A, N):
    """The {_SUM} as H[i, j, k, l]; each pair of indices is summed once."""
    s, n, h = A.shape[0], A.shape[1], N.shape[1]
    j, l = np.triu_indices(h)
    N = 0.5 * (N[:, j, l] + N[:, l, j])
    both = np.empty((h, h), np.int64)
    both[j, l] = both[l, j] = np.arange(len(j))
    if s * n * n > {_limits.PAIRS:_}:
        G = {grams}
        return G[both].{transpose}((2, 0, 3, 1))
    i, k = np.triu_indices(n)
    place = np.empty((n, n), np.int64)
    place[i, k] = place[k, i] = np.arange(len(i))
    G = (A[:, i] * A[:, k]).T @ N
    return G[place][:, :, both].{transpose}((0, 2, 1, 3))'''


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

PAIRS_OF_NUMPY = f'''def _pairs(A, N, H):
    """Set H[i, j, k, l] to the {_SUM}; each pair i, k is summed once."""
    s, n, h = A.shape[0], A.shape[1], N.shape[1]
    N = (0.5 * (N + N.transpose(0, 2, 1))).reshape(s, h * h)
    A = np.ascontiguousarray(A.T)
    i, k = np.triu_indices(n)
    most = max(n, min({_limits.PAIRS_ROWS}, {_limits.PAIRS_ENTRIES:_} // s))
    room = np.empty((min(most, len(i)), h * h), np.result_type(A, N))
    first = start = 0
    while first < n:
        end, count = first + 1, n - first
        while end < n and count + n - end <= most:
            end, count = end + 1, count + n - end
        rows = slice(start, start + count)
        G = np.matmul(A[i[rows]] * A[k[rows]], N, out=room[:count]).reshape(count, h, h)
        for a in range(first, end):
            B, G = G[: n - a], G[n - a :]
            B[0] = 0.5 * (B[0] + B[0].T)
            H[a, :, a:] = B.transpose(1, 0, 2)
            H[a:, :, a] = B.transpose(0, 2, 1)
        first, start = end, start + count'''
