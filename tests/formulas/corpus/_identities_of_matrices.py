"""Traces, determinants, inverses, quotients, powers, blocks, entrywise products and projections of matrices.

A symmetric matrix is differentiated as if its entries were independent.
"""

import symgrad as sg

from ._entry import Entry

# An entry reads as three lines: what it is, the function, its derivatives.
# fmt: off


_MAGNUS = "Magnus and Neudecker, Matrix Differential Calculus"
_LÜTKEPOHL = "Lütkepohl, Handbook of Matrices, 10"
_GOLUB = "Golub and Van Loan, Matrix Computations"
_BERNSTEIN = "Bernstein, Matrix Mathematics"
_COOKBOOK = "Petersen and Pedersen, Matrix Cookbook"
_HORN = "Horn and Johnson, Matrix Analysis"
_BLOCKS = {"A": "n n pd symmetric", "B": "n k", "D": "k k pd symmetric"}


def _schur(A, B, D):
    return A - B @ sg.linalg.inv(D) @ B.T


def _fitted(y, A):
    return y @ A @ sg.linalg.solve(A.T @ A, A.T @ y)


_TRACES = (
    Entry("tr(XᵀAXB), A and B symmetric", _LÜTKEPOHL + ".3.2",
          lambda X, A, B: sg.trace(X.T @ A @ X @ B), {"X": "m n", "A": "m m symmetric", "B": "n n symmetric"}, "X",
          "2AXB", "2A ⊗ B"),
    Entry("tr(XXXX)", _LÜTKEPOHL + ".3.2",
          lambda X: sg.trace(X @ X @ X @ X), {"X": "n n"}, "X",
          "4(X³)ᵀ"),
    Entry("tr(AXX), A and X symmetric", _MAGNUS + ", 9.9",
          lambda X, A: sg.trace(A @ X @ X), {"X": "n n symmetric", "A": "n n symmetric"}, "X",
          "AX + XA"),
    Entry("tr(AX⁻¹BX⁻¹)", _LÜTKEPOHL + ".3.2",
          lambda X, A, B: sg.trace(A @ sg.linalg.inv(X) @ B @ sg.linalg.inv(X)),
          {"X": "n n invertible", "A": "n n", "B": "n n"}, "X",
          "−(X⁻¹(AX⁻¹B + BX⁻¹A)X⁻¹)ᵀ"),
    Entry("tr(X⁻¹X⁻¹)", _LÜTKEPOHL + ".3.2",
          lambda X: sg.trace(sg.linalg.inv(X) @ sg.linalg.inv(X)), {"X": "n n invertible"}, "X",
          "−2(X⁻³)ᵀ"),
    Entry("product of a trace and the inverse's", _BERNSTEIN + ", 8",
          lambda X: sg.trace(X) * sg.trace(sg.linalg.inv(X)), {"X": "n n pd symmetric"}, "X",
          "tr(X⁻¹)I − tr(X)X⁻²"),
    Entry("aᵀXXXb", _COOKBOOK + ", (91), n = 3",
          lambda X, a, b: a @ X @ X @ X @ b, {"X": "n n", "a": "n", "b": "n"}, "X",
          "abᵀ(X²)ᵀ + XᵀabᵀXᵀ + (X²)ᵀabᵀ"),
    Entry("aᵀXXa, X symmetric", _COOKBOOK + ", (92), n = 1",
          lambda X, a: a @ X @ X @ a, {"X": "n n symmetric", "a": "n"}, "X",
          "aaᵀX + Xaaᵀ"),
)

_DETERMINANTS = (
    Entry("square of a determinant", _COOKBOOK + ", (58)",
          lambda X: sg.det(X) ** 2, {"X": "n n invertible"}, "X",
          "2det(X)²X⁻ᵀ"),
    Entry("root of a determinant", "Pukelsheim, Optimal Design of Experiments, 6.2",
          lambda X: sg.det(X) ** (1 / X.shape[0]), {"X": "n n pd symmetric"}, "X",
          "det(X)^(1/n)X⁻¹/n"),
    Entry("logarithm of the sphericity", "Anderson, Multivariate Statistical Analysis, 10.7",
          lambda X: sg.log(sg.trace(X) / X.shape[0]) - sg.logdet(X) / X.shape[0], {"X": "n n pd symmetric"}, "X",
          "I/tr(X) − X⁻¹/n"),
    Entry("volume of a parallelepiped", _HORN + ", 0.8",
          lambda X: sg.sqrt(sg.det(X.T @ X)), {"X": "m n"}, "X",
          "√det(XᵀX) X(XᵀX)⁻¹"),
    Entry("determinant of I + xyᵀ", _HORN + ", 0.8.5",
          lambda x, y: sg.det(sg.eye(x.shape[0]) + sg.outer(x, y)), {"x": "n fraction", "y": "n fraction"}, "x",
          "y"),
    Entry("log-determinant of a rank-one update", _GOLUB + ", 2.1.4",
          lambda x, A: sg.logdet(A + sg.outer(x, x)), {"x": "n", "A": "n n pd symmetric"}, "x",
          "2(A + xxᵀ)⁻¹x"),
    Entry("log-determinant of A + BXC", _MAGNUS + ", 9.10",
          lambda X, A, B, C: sg.logdet(A + B @ X @ C),
          {"X": "k k fraction", "A": "n n invertible", "B": "n k", "C": "k n"}, "X",
          "Bᵀ(A + BXC)⁻ᵀCᵀ"),
    Entry("log-determinant of I + XAXᵀ", _MAGNUS + ", 9.10",
          lambda X, A: sg.logdet(sg.eye(X.shape[0]) + X @ A @ X.T), {"X": "m n", "A": "n n pd symmetric"}, "X",
          "2(I + XAXᵀ)⁻¹XA"),
    Entry("symmetric Stein divergence", "Sra 2012, A new metric on the manifold of kernel matrices",
          lambda X, A: sg.logdet((X + A) / 2) - sg.logdet(X @ A) / 2,
          {"X": "n n pd symmetric", "A": "n n pd symmetric"}, "X",
          "(X + A)⁻¹ − X⁻¹/2"),
    Entry("log-determinant divergence", "Dhillon and Tropp 2007, Matrix nearness problems with Bregman divergences",
          lambda X, A: sg.trace(X @ sg.linalg.inv(A)) - sg.logdet(X @ sg.linalg.inv(A)),
          {"X": "n n pd symmetric", "A": "n n pd symmetric"}, "X",
          "A⁻¹ − X⁻¹", "X⁻¹ ⊗ X⁻¹"),
    Entry("log-determinant of a Kronecker product", _MAGNUS + ", 2.2",
          lambda X, A: sg.logdet(sg.kron(X, A)), {"X": "n n pd symmetric", "A": "k k pd symmetric"}, "X",
          "kX⁻¹"),
)

_BLOCKWISE = (
    Entry("log-determinant of a Schur complement in A", _HORN + ", 0.8.5",
          lambda A, B, D: sg.linalg.slogdet(_schur(A, B, D))[1], _BLOCKS, "A",
          "(A − BD⁻¹Bᵀ)⁻¹"),
    Entry("log-determinant of a Schur complement in B", _HORN + ", 0.8.5",
          lambda B, A, D: sg.linalg.slogdet(_schur(A, B, D))[1], _BLOCKS, "B",
          "−2(A − BD⁻¹Bᵀ)⁻¹BD⁻¹"),
    Entry("log-determinant of a Schur complement in D", _HORN + ", 0.8.5",
          lambda D, A, B: sg.linalg.slogdet(_schur(A, B, D))[1], _BLOCKS, "D",
          "D⁻¹Bᵀ(A − BD⁻¹Bᵀ)⁻¹BD⁻¹"),
    Entry("quadratic form of a Schur complement in B", "Boyd and Vandenberghe, Convex Optimization, A.5.5",
          lambda B, x, A, D: x @ _schur(A, B, D) @ x, {**_BLOCKS, "x": "n"}, "B",
          "−2xxᵀBD⁻¹", "−2xxᵀ ⊗ D⁻¹"),
    Entry("quadratic form of a Schur complement in D", "Boyd and Vandenberghe, Convex Optimization, A.5.5",
          lambda D, x, A, B: x @ _schur(A, B, D) @ x, {**_BLOCKS, "x": "n"}, "D",
          "D⁻¹BᵀxxᵀBD⁻¹"),
    Entry("parallel sum", _BERNSTEIN + ", 8",
          lambda A, B, x: x @ sg.linalg.inv(sg.linalg.inv(A) + sg.linalg.inv(B)) @ x,
          {"A": "n n pd symmetric", "B": "n n pd symmetric", "x": "n"}, "A",
          "zzᵀ where z = A⁻¹(A⁻¹ + B⁻¹)⁻¹x"),
)

_QUOTIENTS = (
    Entry("Rayleigh quotient in the matrix", _GOLUB + ", 8.2",
          lambda A, x: x @ A @ x / (x @ x), {"A": "n n", "x": "n"}, "A",
          "xxᵀ/‖x‖²"),
    Entry("logarithm of a Rayleigh quotient", _GOLUB + ", 8.2",
          lambda x, A: sg.log(x @ A @ x / (x @ x)), {"x": "n", "A": "n n pd symmetric"}, "x",
          "2Ax/xᵀAx − 2x/‖x‖²"),
    Entry("two-sided Rayleigh quotient", "Ostrowski 1959, On the convergence of the Rayleigh quotient iteration",
          lambda x, y, A: y @ A @ x / (y @ x), {"x": "n positive", "y": "n positive", "A": "n n"}, "x",
          "(Aᵀy − ry)/yᵀx where r = yᵀAx/yᵀx"),
    Entry("quotient of traces", "Fukunaga, Introduction to Statistical Pattern Recognition, 10.2",
          lambda X, A, B: sg.trace(X.T @ A @ X) / sg.trace(X.T @ B @ X),
          {"X": "n k", "A": "n n symmetric", "B": "n n pd symmetric"}, "X",
          "2(AX − rBX)/t where t = tr(XᵀBX), r = tr(XᵀAX)/t"),
    Entry("Rayleigh quotient of a subspace", "Absil, Mahony and Sepulchre, Optimization on Matrix Manifolds, 2.1",
          lambda X, A: sg.trace(sg.linalg.inv(X.T @ X) @ (X.T @ A @ X)), {"X": "n k", "A": "n n symmetric"}, "X",
          "2(AX − XG⁻¹XᵀAX)G⁻¹ where G = XᵀX"),
    Entry("cosine between matrices", _GOLUB + ", 2.3",
          lambda X, A: (A * X).sum() / sg.linalg.norm(X), {"X": "m n", "A": "m n"}, "X",
          "A/‖X‖ − ⟨A, X⟩X/‖X‖³"),
)

_INVERSES = (
    Entry("xᵀA⁻²x", _GOLUB + ", 2.1",
          lambda x, A: x @ sg.linalg.solve(A, sg.linalg.solve(A, x)), {"x": "n", "A": "n n pd symmetric"}, "x",
          "2A⁻²x", "2A⁻²"),
    Entry("resolvent", "Kato, Perturbation Theory for Linear Operators, I.5",
          lambda t, A, a, b: a @ sg.linalg.inv(A - t * sg.eye(A.shape[0])) @ b,
          {"t": "fraction", "A": "n n invertible", "a": "n", "b": "n"}, "t",
          "aᵀ(A − tI)⁻²b", "2aᵀ(A − tI)⁻³b"),
    Entry("squared norm of the inverse", _LÜTKEPOHL + ".3.2",
          lambda X: (sg.linalg.inv(X) ** 2).sum(), {"X": "n n invertible"}, "X",
          "−2X⁻ᵀX⁻¹X⁻ᵀ"),
    Entry("quadratic form of an updated inverse", _GOLUB + ", 2.1.4",
          lambda x, A, b: b @ sg.linalg.inv(A + sg.outer(x, x)) @ b, {"x": "n", "A": "n n pd symmetric", "b": "n"}, "x",
          "−2zzᵀx where z = (A + xxᵀ)⁻¹b"),
    Entry("residual of an approximate inverse", "Benzi and Tůma 1999, Sparse approximate inverse preconditioners",
          lambda X, A: ((sg.eye(A.shape[0]) - A @ X) ** 2).sum(), {"X": "n n", "A": "n n"}, "X",
          "2Aᵀ(AX − I)", "2AᵀA ⊗ I"),
    Entry("residual of a generalised inverse", "Penrose 1955, A generalized inverse for matrices",
          lambda X, A: ((A @ X @ A - A) ** 2).sum(), {"X": "n m", "A": "m n"}, "X",
          "2Aᵀ(AXA − A)Aᵀ", "2AᵀA ⊗ AAᵀ"),
    Entry("residual of a square root", "Higham, Functions of Matrices, 6.1",
          lambda X, A: ((X @ X - A) ** 2).sum(), {"X": "n n", "A": "n n"}, "X",
          "2(XᵀR + RXᵀ) where R = X² − A"),
)

_NORMS = (
    Entry("squared norm of a commutator", _BERNSTEIN + ", 9.9",
          lambda X, A: ((A @ X - X @ A) ** 2).sum(), {"X": "n n", "A": "n n"}, "X",
          "2(AᵀR − RAᵀ) where R = AX − XA"),
    Entry("norm of a product", _GOLUB + ", 2.3",
          lambda X, A, B: sg.linalg.norm(A @ X @ B), {"X": "m n", "A": "k m", "B": "n p"}, "X",
          "AᵀAXBBᵀ/‖AXB‖"),
    Entry("squared norm of XᵀAX", _MAGNUS + ", 9.9",
          lambda X, A: ((X.T @ A @ X) ** 2).sum(), {"X": "m n", "A": "m m symmetric"}, "X",
          "4AXXᵀAX"),
    Entry("skew-symmetric part", _HORN + ", 0.2.5",
          lambda X: ((X - X.T) ** 2).sum() / 4, {"X": "n n"}, "X",
          "X − Xᵀ", "I ⊗ I − K"),
    Entry("squared norm of a Kronecker product", _HORN + ", 4.2 (Topics)",
          lambda X, A: (sg.kron(A, X) ** 2).sum(), {"X": "m n", "A": "k p"}, "X",
          "2‖A‖²X", "2‖A‖²I ⊗ I"),
    Entry("squared norm off the diagonal", _GOLUB + ", 8.5",
          lambda X: (X**2).sum() - (sg.diagonal(X) ** 2).sum(), {"X": "n n"}, "X",
          "2(X − diag(diag(X)))"),
    Entry("logarithms of the diagonal", _HORN + ", 7.8 (Hadamard's inequality)",
          lambda X: sg.log(sg.diagonal(X)).sum(), {"X": "n n positive"}, "X",
          "diag(1/diag(X))"),
)

_ENTRYWISE = (
    Entry("quadratic form of an entrywise product", _MAGNUS + ", 3.6",
          lambda x, A, B: x @ (A * B) @ x, {"x": "n", "A": "n n symmetric", "B": "n n symmetric"}, "x",
          "2(A ⊙ B)x", "2A ⊙ B"),
    Entry("tr(A diag(x) B diag(x))", _HORN + ", 5.1 (Topics)",
          lambda x, A, B: sg.trace(A @ sg.diag(x) @ B @ sg.diag(x)),
          {"x": "n", "A": "n n symmetric", "B": "n n symmetric"}, "x",
          "2(A ⊙ B)x", "2A ⊙ B"),
    Entry("trace with an entrywise product", _LÜTKEPOHL + ".3.2",
          lambda X, A, B: sg.trace(A @ (X * B)), {"X": "m n", "A": "n m", "B": "m n"}, "X",
          "Aᵀ ⊙ B"),
    Entry("squared norm of an entrywise product", _LÜTKEPOHL + ".3.2",
          lambda X, A: ((A * X) ** 2).sum(), {"X": "m n", "A": "m n"}, "X",
          "2A ⊙ A ⊙ X"),
    Entry("AᵀXA scaled by a diagonal", _MAGNUS + ", 9.9",
          lambda d, A, x: x @ A.T @ sg.diag(d) @ A @ x, {"d": "m", "A": "m n", "x": "n"}, "d",
          "(Ax)²"),
)

_PROJECTIONS = (
    Entry("squared length of a projection", _GOLUB + ", 5.3",
          _fitted, {"y": "m", "A": "m k"}, "y",
          "2A(AᵀA)⁻¹Aᵀy", "2A(AᵀA)⁻¹Aᵀ"),
    Entry("variable projection", "Golub and Pereyra 1973, The differentiation of pseudo-inverses",
          lambda A, y: (y @ y - _fitted(y, A)) / 2, {"A": "m k", "y": "m"}, "A",
          "(Az − y)zᵀ where z = (AᵀA)⁻¹Aᵀy"),
    Entry("Householder reflection", _GOLUB + ", 5.1",
          lambda v, x, y: y @ x - 2 * (v @ x) * (v @ y) / (v @ v), {"v": "n", "x": "n", "y": "n"}, "v",
          "4vᵀx vᵀy v/‖v‖⁴ − 2(vᵀx y + vᵀy x)/‖v‖²"),
    Entry("squared distance to a hyperplane", "Boyd and Vandenberghe, Convex Optimization, 8.1",
          lambda x, a, b: (a @ x - b) ** 2 / (a @ a), {"x": "n", "a": "n", "b": ""}, "x",
          "2(aᵀx − b)a/‖a‖²", "2aaᵀ/‖a‖²"),
    Entry("squared distance to a hyperplane in the normal", "Boyd and Vandenberghe, Convex Optimization, 8.1",
          lambda a, x, b: (a @ x - b) ** 2 / (a @ a), {"a": "n", "x": "n", "b": ""}, "a",
          "2r(x − ra) where r = (aᵀx − b)/‖a‖²"),
)

ENTRIES = (
    _TRACES + _DETERMINANTS + _BLOCKWISE + _QUOTIENTS + _INVERSES + _NORMS + _ENTRYWISE + _PROJECTIONS
)
