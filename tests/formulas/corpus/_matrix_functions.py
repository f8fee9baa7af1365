"""Matrix functions beyond the Matrix Cookbook: designs, projections, generalised inverses, structured quadratic forms.

Where a book prints a Hessian it is here, as a matrix or a Kronecker product of row by row matrices.
"""

import symgrad as sg

from ._entry import Entry

# An entry reads as three lines: what it is, the function, its derivatives.
# fmt: off


_MAGNUS = "Magnus and Neudecker, Matrix Differential Calculus"
_HARVILLE = "Harville, Matrix Algebra From a Statistician's Perspective"
_HORN = "Horn and Johnson, Matrix Analysis"
_BOYD = "Boyd and Vandenberghe, Convex Optimization"
_PUKELSHEIM = "Pukelsheim, Optimal Design of Experiments"
_GOLUB = "Golub and Van Loan, Matrix Computations"
_CONN = "Conn, Gould and Toint, Trust-Region Methods, 7.3"
_HIGHAM = "Higham, Functions of Matrices"
_SQUARE = {"X": "n n invertible"}
_DESIGN = {"w": "m positive", "X": "n m"}
_FORMS = {"x": "n", "A": "n n pd symmetric", "B": "n n pd symmetric"}


def _information(w, X):
    return X @ sg.diag(w) @ X.T


def _shifted(A, t):
    return A + t * sg.eye(A.shape[0])


_INVERSES = (
    Entry("tr(X⁻¹AXB)", _MAGNUS + ", 9.10",
          lambda X, A, B: sg.trace(sg.linalg.inv(X) @ A @ X @ B), {**_SQUARE, "A": "n n", "B": "n n"}, "X",
          "(BX⁻¹A − X⁻¹AXBX⁻¹)ᵀ"),
    Entry("tr(X⁻¹AX⁻ᵀ)", _MAGNUS + ", 9.10",
          lambda X, A: sg.trace(sg.linalg.inv(X) @ A @ sg.linalg.inv(X).T), {**_SQUARE, "A": "n n symmetric"}, "X",
          "−2X⁻ᵀX⁻¹AX⁻ᵀ"),
    Entry("trace of the inverse of XᵀX", _HARVILLE + ", 15.8",
          lambda X: sg.trace(sg.linalg.inv(X.T @ X)), {"X": "m n"}, "X",
          "−2X(XᵀX)⁻²"),
    Entry("effective degrees of freedom", "Hastie, Tibshirani and Friedman, Elements of Statistical Learning, (3.50)",
          lambda t, X: sg.trace(X @ sg.linalg.inv(_shifted(X.T @ X, t)) @ X.T), {"t": "positive", "X": "m n"}, "t",
          "−tr(XᵀXM⁻²) where M = XᵀX + tI", "2tr(XᵀXM⁻³) where M = XᵀX + tI"),
    Entry("squared norm of a shifted solution", _CONN,
          lambda t, A, b: (sg.linalg.solve(_shifted(A, t), b) ** 2).sum(),
          {"t": "positive", "A": "n n pd symmetric", "b": "n"}, "t",
          "−2bᵀ(A + tI)⁻³b", "6bᵀ(A + tI)⁻⁴b"),
    Entry("minor sum by the adjugate", _MAGNUS + ", 9.9",
          lambda X, A: sg.det(X) * sg.trace(sg.linalg.inv(X) @ A), {**_SQUARE, "A": "n n"}, "X",
          "det(X)(tr(X⁻¹A)X⁻ᵀ − X⁻ᵀAᵀX⁻ᵀ)"),
)

_DETERMINANTS = (
    Entry("determinant of I + XXᵀ", _HARVILLE + ", 15.8",
          lambda X: sg.det(sg.eye(X.shape[0]) + X @ X.T), {"X": "n k"}, "X",
          "2det(M)M⁻¹X where M = I + XXᵀ"),
    Entry("determinant of A + xxᵀ", _HORN + ", 0.8.5",
          lambda x, A: sg.det(A + sg.outer(x, x)), {"x": "n", "A": "n n pd symmetric"}, "x",
          "2det(A)A⁻¹x", "2det(A)A⁻¹"),
    Entry("determinant of a Kronecker product", _HARVILLE + ", 16.3",
          lambda X, A: sg.det(sg.kron(X, A)), {**_SQUARE, "A": "k k invertible"}, "X",
          "k det(X ⊗ A)X⁻ᵀ"),
    Entry("determinant-optimal design", _PUKELSHEIM + ", 6.2",
          lambda w, X: -sg.logdet(_information(w, X)), _DESIGN, "w",
          "−diag(Xᵀ(X diag(w)Xᵀ)⁻¹X)", "(Xᵀ(X diag(w)Xᵀ)⁻¹X)^∘2"),
    Entry("trace-optimal design", _PUKELSHEIM + ", 6.5",
          lambda w, X: sg.trace(sg.linalg.inv(_information(w, X))), _DESIGN, "w",
          "−diag(Xᵀ(X diag(w)Xᵀ)⁻²X)", "2XᵀM⁻¹X ⊙ XᵀM⁻²X where M = X diag(w)Xᵀ"),
    Entry("design for one contrast", _PUKELSHEIM + ", 2.1",
          lambda w, X, a: a @ sg.linalg.inv(_information(w, X)) @ a, {**_DESIGN, "a": "n"}, "w",
          "−(Xᵀ(X diag(w)Xᵀ)⁻¹a)²", "2diag(u)XᵀM⁻¹X diag(u) where M = X diag(w)Xᵀ, u = XᵀM⁻¹a"),
    Entry("barrier of a shifted diagonal", _BOYD + ", 11.8",
          lambda x, A: -sg.logdet(A + sg.diag(x)), {"x": "n positive", "A": "n n pd symmetric"}, "x",
          "−diag((A + diag(x))⁻¹)", "((A + diag(x))⁻¹)^∘2"),
    Entry("sum of two log-determinants", _BOYD + ", A.4.1",
          lambda X, A, B: sg.logdet(X + A) + sg.logdet(X + B),
          {"X": "n n pd symmetric", "A": "n n pd symmetric", "B": "n n pd symmetric"}, "X",
          "(X + A)⁻¹ + (X + B)⁻¹", "−(X + A)⁻¹ ⊗ (X + A)⁻¹ − (X + B)⁻¹ ⊗ (X + B)⁻¹"),
    Entry("log-determinant as a surrogate of rank", "Fazel, Hindi and Boyd 2003, Log-det heuristic",
          lambda X, a: sg.logdet(_shifted(X @ X.T, a)), {"X": "n k", "a": "positive"}, "X",
          "2(XXᵀ + aI)⁻¹X"),
)

ENTRIES = _INVERSES + _DETERMINANTS
