"""Held out: identities of matrix calculus, written from the books before the rules were touched.

Numbers in brackets after "Matrix Cookbook" are the equations of the version of November 15, 2012.
"""

import symgrad as sg

from .._entry import Entry

# An entry reads as three lines: what it is, the function, its derivatives.
# fmt: off


_MAGNUS = "Magnus and Neudecker, Matrix Differential Calculus"
_BOYD = "Boyd and Vandenberghe, Convex Optimization"
_MINKA = "Minka 2000, Old and new matrix algebra useful for statistics"
_GOLUB = "Golub and Pereyra 1973, The differentiation of pseudo-inverses"
_X = {"X": "n n invertible"}
_FORM = {"x": "n", "A": "n n symmetric"}
_PD = "n n pd symmetric"


_TRACES = (
    Entry("trace of the cube of a Gram matrix", _MINKA,
          lambda X: sg.trace(X.T @ X @ X.T @ X @ X.T @ X), {"X": "m n"}, "X",
          "6XXᵀXXᵀX"),
    Entry("aᵀXXXb", "Matrix Cookbook (91), n = 3",
          lambda X, a, b: a @ X @ X @ X @ b, {"X": "n n", "a": "n", "b": "n"}, "X",
          "abᵀXᵀXᵀ + XᵀabᵀXᵀ + XᵀXᵀabᵀ"),
    Entry("aᵀXXᵀb", _MAGNUS + ", chapter 9",
          lambda X, a, b: a @ X @ X.T @ b, {"X": "m n", "a": "m", "b": "m"}, "X",
          "(abᵀ + baᵀ)X", "(abᵀ + baᵀ) ⊗ I"),
    Entry("aᵀXBXᵀa", "Dwyer 1967, Some applications of matrix derivatives in multivariate analysis",
          lambda X, B, a: a @ X @ B @ X.T @ a, {"X": "m n", "B": "n n", "a": "m"}, "X",
          "aaᵀX(B + Bᵀ)", "aaᵀ ⊗ (B + Bᵀ)"),
    Entry("sum of X ⊙ Xᵀ", _MAGNUS + ", chapter 10 (tr XX)",
          lambda X: (X * X.T).sum(), {"X": "n n"}, "X",
          "2Xᵀ", "2K"),
    Entry("trace of a product of Kronecker products", _MAGNUS + ", chapter 2",
          lambda X, A, B, C: sg.trace(sg.kron(A, B) @ sg.kron(X, C)),
          {"X": "n n", "A": "n n", "B": "k k", "C": "k k"}, "X",
          "tr(BC)Aᵀ"),
    Entry("free energy of a matrix", "Nielsen and Chuang, Quantum Computation and Quantum Information, 11.3",
          lambda X: sg.log(sg.trace(sg.matrix_exp(X))), {"X": "n n symmetric"}, "X",
          "matrix_exp(X)/tr(matrix_exp(X))"),
)

_DETERMINANTS = (
    Entry("log-determinant of AX", _MAGNUS + ", chapter 10",
          lambda X, A: sg.logdet(A @ X), {**_X, "A": "n n invertible"}, "X",
          "X⁻ᵀ", "−K(X⁻¹ ⊗ X⁻ᵀ)"),
    Entry("log-determinant of A + XBXᵀ", _MINKA,
          lambda X, A, B: sg.logdet(A + X @ B @ X.T), {"X": "m n", "A": "m m pd symmetric", "B": _PD}, "X",
          "2(A + XBXᵀ)⁻¹XB"),
    Entry("log-determinant of A + BXC", _MAGNUS + ", chapter 9",
          lambda X, A, B, C: sg.logdet(A + B @ X @ C),
          {"X": "k p fraction", "A": _PD, "B": "n k fraction", "C": "p n fraction"}, "X",
          "Bᵀ(A + BXC)⁻ᵀCᵀ"),
    Entry("log-determinant of a Hadamard product", "Horn and Johnson, Topics in Matrix Analysis, 5.2",
          lambda X, A: sg.logdet(A * X), {"X": _PD, "A": _PD}, "X",
          "A ⊙ (A ⊙ X)⁻¹"),
    Entry("log-determinant of XᵀX + εI", "Fazel, Hindi and Boyd 2003, Log-det heuristic for matrix rank minimization",
          lambda X, ε: sg.logdet(X.T @ X + ε * sg.eye(X.shape[1])), {"X": "m n", "ε": "positive"}, "X",
          "2X(XᵀX + εI)⁻¹"),
    Entry("root of the determinant", _BOYD + ", 3.1, exercise 3.18",
          lambda X: sg.det(X) ** (1 / X.shape[0]), {"X": _PD}, "X",
          "det(X)^(1/n)X⁻¹/n"),
)

_NORMS = (
    Entry("norm of Xa", _MAGNUS + ", chapter 9",
          lambda X, a: sg.linalg.norm(X @ a), {"X": "m n", "a": "n"}, "X",
          "Xaaᵀ/‖Xa‖", "(I − uuᵀ) ⊗ aaᵀ/‖Xa‖ where u = Xa/‖Xa‖"),
    Entry("norm of AXB", "Matrix Cookbook (119), (130)",
          lambda X, A, B: sg.linalg.norm(A @ X @ B), {"X": "m n", "A": "k m", "B": "n p"}, "X",
          "AᵀAXBBᵀ/‖AXB‖"),
    Entry("squared norm of a Kronecker product", _MAGNUS + ", chapter 2",
          lambda X, A: (sg.kron(A, X) ** 2).sum(), {"X": "m n", "A": "k p"}, "X",
          "2‖A‖²X", "2‖A‖²I ⊗ I"),
    Entry("asymmetry", "Higham, Accuracy and Stability of Numerical Algorithms, problem 6",
          lambda X: ((X - X.T) ** 2).sum(), {"X": "n n"}, "X",
          "4(X − Xᵀ)", "4(I ⊗ I − K)"),
    Entry("commutator", "Horn and Johnson, Topics in Matrix Analysis, 4.4",
          lambda X, A: ((A @ X - X @ A) ** 2).sum(), {"X": "n n", "A": "n n"}, "X",
          "2(AᵀC − CAᵀ) where C = AX − XA", "2MᵀM where M = A ⊗ I − I ⊗ Aᵀ"),
    Entry("explained sum of squares in the design", _GOLUB,
          lambda X, y: y @ X @ sg.linalg.inv(X.T @ X) @ X.T @ y, {"X": "m n", "y": "m"}, "X",
          "2(I − P)yyᵀX(XᵀX)⁻¹ where P = X(XᵀX)⁻¹Xᵀ"),
)

_FORMS = (
    Entry("exponential of a quadratic form", "Matrix Cookbook (82), chain rule",
          lambda x, A: sg.exp(-x @ A @ x / 2), _FORM, "x",
          "−exp(−xᵀAx/2)Ax", "exp(−xᵀAx/2)(AxxᵀA − A)"),
    Entry("exponential of a bilinear form", "Matrix Cookbook (70), chain rule",
          lambda X, a, b: sg.exp(a @ X @ b), {"X": "m n", "a": "m", "b": "n"}, "X",
          "exp(aᵀXb)abᵀ", "exp(aᵀXb)aaᵀ ⊗ bbᵀ"),
    Entry("logarithm of a quadratic form", "Matrix Cookbook (81), chain rule",
          lambda x, A: sg.log(x @ A @ x), {"x": "n", "A": _PD}, "x",
          "2Ax/xᵀAx", "2A/xᵀAx − 4AxxᵀA/(xᵀAx)²"),
    Entry("square of a quadratic form", "Matrix Cookbook (81), chain rule",
          lambda x, A: (x @ A @ x) ** 2, _FORM, "x",
          "4xᵀAx Ax", "4xᵀAx A + 8AxxᵀA"),
    Entry("quadratic form by linear form", "Matrix Cookbook (81), (69), product rule",
          lambda x, A, b: (x @ A @ x) * (b @ x), {**_FORM, "b": "n"}, "x",
          "2bᵀx Ax + xᵀAx b", "2(bᵀx A + Axbᵀ + bxᵀA)"),
    Entry("quadratic form of the squares", "Parrilo 2000, Structured semidefinite programs (copositive forms)",
          lambda x, A: (x**2) @ A @ (x**2), _FORM, "x",
          "4x ⊙ Ax²", "8diag(x)A diag(x) + 4diag(Ax²)"),
    Entry("linear-fractional function", _BOYD + ", 2.3.3",
          lambda x, a, b: a @ x / (b @ x), {"x": "n positive", "a": "n", "b": "n positive"}, "x",
          "a/bᵀx − aᵀx b/(bᵀx)²", "2aᵀx bbᵀ/(bᵀx)³ − (abᵀ + baᵀ)/(bᵀx)²"),
)

_JACOBIANS = (
    Entry("Jacobian of XX", _MAGNUS + ", chapter 9",
          lambda X: X @ X, {"X": "n n"}, "X",
          "I ⊗ Xᵀ + X ⊗ I"),
    Entry("Jacobian of xxᵀ", _MAGNUS + ", chapter 9",
          lambda x: sg.outer(x, x), {"x": "n"}, "x",
          "I ⊗ x + x ⊗ I"),
    Entry("Jacobian of Cayley's transform", "Wen and Yin 2013, Optimization with orthogonality constraints",
          lambda X: (sg.eye(X.shape[0]) - X) @ sg.linalg.inv(sg.eye(X.shape[0]) + X), _X, "X",
          "−2(I + X)⁻¹ ⊗ (I + X)⁻ᵀ"),
    Entry("Jacobian of Ax ⊙ Bx", _MAGNUS + ", chapter 9",
          lambda x, A, B: (A @ x) * (B @ x), {"x": "n", "A": "m n", "B": "m n"}, "x",
          "diag(Bx)A + diag(Ax)B"),
)

ENTRIES = _TRACES + _DETERMINANTS + _NORMS + _FORMS + _JACOBIANS
