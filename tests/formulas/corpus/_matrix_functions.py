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

_PROJECTIONS = (
    Entry("squared distance to a line", _GOLUB + ", 5.1",
          lambda x, a: a @ a - (a @ x) ** 2 / (x @ x), {"x": "n", "a": "n"}, "x",
          "2r(rx − a) where r = aᵀx/‖x‖²"),
    Entry("squared norm of a least squares solution", _GOLUB + ", 5.3",
          lambda X, b: (sg.linalg.solve(X.T @ X, X.T @ b) ** 2).sum(), {"X": "m n", "b": "m"}, "X",
          "2((b − Xw)zᵀ − Xzwᵀ) where w = (XᵀX)⁻¹Xᵀb, z = (XᵀX)⁻¹w"),
    Entry("squared norm of the least solution", _GOLUB + ", 5.6",
          lambda X, b: b @ sg.linalg.inv(X @ X.T) @ b, {"X": "k n", "b": "k"}, "X",
          "−2zzᵀX where z = (XXᵀ)⁻¹b"),
    Entry("Jacobian of Ax/‖Ax‖", _HIGHAM + ", 4",
          lambda x, A: A @ x / sg.linalg.norm(A @ x), {"x": "n", "A": "m n"}, "x",
          "(I − uuᵀ)A/s where s = ‖Ax‖, u = Ax/s"),
    Entry("Jacobian of Oja's flow", "Helmke and Moore, Optimization and Dynamical Systems, 1.4",
          lambda x, A: A @ x - x @ A @ x * x, {"x": "n", "A": "n n symmetric"}, "x",
          "A − xᵀAxI − 2xxᵀA"),
)

_FORMS_OF_VECTORS = (
    Entry("square of a quadratic form", _MAGNUS + ", 10.1",
          lambda x, A: (x @ A @ x) ** 2, {"x": "n", "A": _FORMS["A"]}, "x",
          "4xᵀAxAx", "4(xᵀAxA + 2AxxᵀA)"),
    Entry("product of two quadratic forms", _MAGNUS + ", 10.1",
          lambda x, A, B: x @ A @ x * (x @ B @ x), _FORMS, "x",
          "2(xᵀBxAx + xᵀAxBx)", "2(xᵀBxA + xᵀAxB) + 4(AxxᵀB + BxxᵀA)"),
    Entry("product of Kantorovich", _HORN + ", 7.4",
          lambda x, A: x @ A @ x * (x @ sg.linalg.inv(A) @ x), {"x": "n", "A": _FORMS["A"]}, "x",
          "2(xᵀA⁻¹xAx + xᵀAxA⁻¹x)"),
    Entry("quotient of moments", _GOLUB + ", 8.2",
          lambda x, A: x @ A @ A @ x / (x @ A @ x), {"x": "n", "A": _FORMS["A"]}, "x",
          "2(A²x − rAx)/s where s = xᵀAx, r = xᵀA²x/s"),
    Entry("amplification", _HORN + ", 5.6",
          lambda x, A: sg.linalg.norm(A @ x) / sg.linalg.norm(x), {"x": "n", "A": "m n"}, "x",
          "AᵀAx/(‖Ax‖‖x‖) − ‖Ax‖x/‖x‖³"),
    Entry("approximation by xxᵀ", _GOLUB + ", 8.1",
          lambda x, A: ((A - sg.outer(x, x)) ** 2).sum(), {"x": "n", "A": "n n symmetric"}, "x",
          "4(‖x‖²x − Ax)", "4(‖x‖²I + 2xxᵀ − A)"),
    Entry("quadratic form between diagonals", _HARVILLE + ", 15.3",
          lambda x, a, A: a @ sg.diag(x) @ A @ sg.diag(x) @ a, {"x": "n", "a": "n", "A": "n n symmetric"}, "x",
          "2a ⊙ A(a ⊙ x)", "2diag(a)A diag(a)"),
    Entry("exponential along a line", _HIGHAM + ", 10",
          lambda t, A, a, b: a @ sg.matrix_exp(t * A) @ b, {"t": "fraction", "A": "n n", "a": "n", "b": "n"}, "t",
          "aᵀA matrix_exp(tA)b", "aᵀA²matrix_exp(tA)b"),
)

_FORMS_OF_MATRICES = (
    Entry("product of two traces", _MAGNUS + ", 9.10",
          lambda X, A, B: sg.trace(A @ X) * sg.trace(B @ X), {"X": "n n", "A": "n n", "B": "n n"}, "X",
          "tr(BX)Aᵀ + tr(AX)Bᵀ"),
    Entry("logarithm of tr(XᵀAX)", _MAGNUS + ", 9.10",
          lambda X, A: sg.log(sg.trace(X.T @ A @ X)), {"X": "n k", "A": "n n pd symmetric"}, "X",
          "2AX/tr(XᵀAX)"),
    Entry("norm of AX − B", _HIGHAM + ", B.7",
          lambda X, A, B: sg.linalg.norm(A @ X - B), {"X": "n k", "A": "m n", "B": "m k"}, "X",
          "Aᵀ(AX − B)/‖AX − B‖"),
    Entry("norm by rows", "Yuan and Lin 2006, Model selection and estimation with grouped variables",
          lambda X, a: sg.sqrt((X**2).sum(1) + a).sum(), {"X": "m n", "a": "positive"}, "X",
          "diag(1/√(X^∘2 𝟏 + a))X"),
    Entry("bilinear form of X ⊙ X", _HORN + ", Topics, 5.1",
          lambda X, a, b: a @ (X * X) @ b, {"X": "m n", "a": "m", "b": "n"}, "X",
          "2abᵀ ⊙ X"),
    Entry("trace of a squared Kronecker product", _HARVILLE + ", 16.1",
          lambda X, A: sg.trace(sg.kron(X, A) @ sg.kron(X, A)), {"X": "n n", "A": "k k"}, "X",
          "2tr(A²)Xᵀ"),
    Entry("residual of intertwining", _HORN + ", Topics, 4.4",
          lambda X, A, B: ((X @ A - B @ X) ** 2).sum(), {"X": "m n", "A": "n n", "B": "m m"}, "X",
          "2(RAᵀ − BᵀR) where R = XA − BX", "2(I ⊗ AAᵀ − B ⊗ A − Bᵀ ⊗ Aᵀ + BᵀB ⊗ I)"),
    Entry("residual of Stein's equation", _GOLUB + ", 7.7",
          lambda X, A, Q: ((A @ X @ A.T - X + Q) ** 2).sum(), {"X": "n n", "A": "n n", "Q": "n n symmetric"}, "X",
          "2(AᵀRA − R) where R = AXAᵀ − X + Q", "2(AᵀA ⊗ AᵀA − A ⊗ A − Aᵀ ⊗ Aᵀ + I ⊗ I)"),
)

ENTRIES = _INVERSES + _DETERMINANTS + _PROJECTIONS + _FORMS_OF_VECTORS + _FORMS_OF_MATRICES
