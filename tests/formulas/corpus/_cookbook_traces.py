"""Traces of first, second and higher order of the Matrix Cookbook.

Numbers in brackets are the equations of Petersen and Pedersen, "The Matrix Cookbook", version of November 15, 2012.
"""

import symgrad as sg

from ._entry import Entry

# An entry reads as three lines: what it is, the function, its derivatives.
# fmt: off


_FIRST_ORDER = (
    Entry("trace", "Matrix Cookbook (99)",
          lambda X: sg.trace(X), {"X": "n n"}, "X",
          "I"),
    Entry("tr(XA)", "Matrix Cookbook (100)",
          lambda X, A: sg.trace(X @ A), {"X": "m n", "A": "n m"}, "X",
          "Aᵀ"),
    Entry("tr(AXB)", "Matrix Cookbook (101)",
          lambda X, A, B: sg.trace(A @ X @ B), {"X": "m n", "A": "k m", "B": "n k"}, "X",
          "AᵀBᵀ"),
    Entry("tr(AXᵀB)", "Matrix Cookbook (102)",
          lambda X, A, B: sg.trace(A @ X.T @ B), {"X": "m n", "A": "k n", "B": "m k"}, "X",
          "BA"),
    Entry("tr(XᵀA)", "Matrix Cookbook (103)",
          lambda X, A: sg.trace(X.T @ A), {"X": "m n", "A": "m n"}, "X",
          "A"),
    Entry("tr(AXᵀ)", "Matrix Cookbook (104)",
          lambda X, A: sg.trace(A @ X.T), {"X": "m n", "A": "m n"}, "X",
          "A"),
    Entry("tr(A ⊗ X)", "Matrix Cookbook (105)",
          lambda X, A: sg.trace(sg.kron(A, X)), {"X": "n n", "A": "k k"}, "X",
          "tr(A)I"),
    Entry("inner product of matrices", "Magnus and Neudecker, Matrix Differential Calculus, chapter 9",
          lambda X, A: (A * X).sum(), {"X": "m n", "A": "m n"}, "X",
          "A"),
)

_SECOND_ORDER = (
    Entry("tr(XX)", "Matrix Cookbook (106)",
          lambda X: sg.trace(X @ X), {"X": "n n"}, "X",
          "2Xᵀ"),
    Entry("tr(XXB)", "Matrix Cookbook (107)",
          lambda X, B: sg.trace(X @ X @ B), {"X": "n n", "B": "n n"}, "X",
          "(XB + BX)ᵀ"),
    Entry("tr(XᵀBX)", "Matrix Cookbook (108)",
          lambda X, B: sg.trace(X.T @ B @ X), {"X": "m n", "B": "m m"}, "X",
          "BX + BᵀX", "(B + Bᵀ) ⊗ I"),
    Entry("tr(BXXᵀ)", "Matrix Cookbook (109)",
          lambda X, B: sg.trace(B @ X @ X.T), {"X": "m n", "B": "m m"}, "X",
          "BX + BᵀX"),
    Entry("tr(XBXᵀ)", "Matrix Cookbook (111)",
          lambda X, B: sg.trace(X @ B @ X.T), {"X": "m n", "B": "n n"}, "X",
          "XBᵀ + XB", "I ⊗ (B + Bᵀ)"),
    Entry("tr(AXBX)", "Matrix Cookbook (114)",
          lambda X, A, B: sg.trace(A @ X @ B @ X), {"X": "m n", "A": "n m", "B": "n m"}, "X",
          "AᵀXᵀBᵀ + BᵀXᵀAᵀ"),
    Entry("tr(XᵀX)", "Matrix Cookbook (115)",
          lambda X: sg.trace(X.T @ X), {"X": "m n"}, "X",
          "2X", "2I ⊗ I"),
    Entry("tr(BᵀXᵀCXB)", "Matrix Cookbook (116)",
          lambda X, B, C: sg.trace(B.T @ X.T @ C @ X @ B), {"X": "m n", "B": "n k", "C": "m m"}, "X",
          "CᵀXBBᵀ + CXBBᵀ", "(C + Cᵀ) ⊗ BBᵀ"),
    Entry("tr(XᵀBXC)", "Matrix Cookbook (117)",
          lambda X, B, C: sg.trace(X.T @ B @ X @ C), {"X": "m n", "B": "m m", "C": "n n"}, "X",
          "BXC + BᵀXCᵀ", "B ⊗ Cᵀ + Bᵀ ⊗ C"),
    Entry("tr(AXBXᵀ)", "Magnus and Neudecker, Matrix Differential Calculus, chapter 10",
          lambda X, A, B: sg.trace(A @ X @ B @ X.T), {"X": "m n", "A": "m m", "B": "n n"}, "X",
          "AXB + AᵀXBᵀ", "A ⊗ Bᵀ + Aᵀ ⊗ B"),
    Entry("tr(AXBXᵀC)", "Matrix Cookbook (118)",
          lambda X, A, B, C: sg.trace(A @ X @ B @ X.T @ C), {"X": "m n", "A": "k m", "B": "n n", "C": "m k"}, "X",
          "AᵀCᵀXBᵀ + CAXB", "AᵀCᵀ ⊗ B + CA ⊗ Bᵀ"),
    Entry("squared norm of AXB + C", "Matrix Cookbook (119)",
          lambda X, A, B, C: sg.trace((A @ X @ B + C) @ (A @ X @ B + C).T),
          {"X": "m n", "A": "k m", "B": "n p", "C": "k p"}, "X",
          "2Aᵀ(AXB + C)Bᵀ", "2AᵀA ⊗ BBᵀ"),
    Entry("tr(X ⊗ X)", "Matrix Cookbook (120)",
          lambda X: sg.trace(sg.kron(X, X)), {"X": "n n"}, "X",
          "2tr(X)I"),
    Entry("squared trace", "Matrix Cookbook (120), tr(X ⊗ X) = tr(X)²",
          lambda X: sg.trace(X) ** 2, {"X": "n n"}, "X",
          "2tr(X)I"),
)

_HIGHER_ORDER = (
    Entry("tr(XXX)", "Matrix Cookbook (121), k = 3",
          lambda X: sg.trace(X @ X @ X), {"X": "n n"}, "X",
          "3XᵀXᵀ"),
    Entry("tr(AXXX)", "Matrix Cookbook (122), k = 3",
          lambda X, A: sg.trace(A @ X @ X @ X), {"X": "n n", "A": "n n"}, "X",
          "(AXX + XAX + XXA)ᵀ"),
    Entry("tr(BᵀXᵀCXXᵀCXB)", "Matrix Cookbook (123)",
          lambda X, B, C: sg.trace(B.T @ X.T @ C @ X @ X.T @ C @ X @ B), {"X": "m n", "B": "n k", "C": "m m"}, "X",
          "CXXᵀCXBBᵀ + CᵀXBBᵀXᵀCᵀX + CXBBᵀXᵀCX + CᵀXXᵀCᵀXBBᵀ"),
    Entry("squared norm of XᵀX", "Matrix Cookbook (123), B = C = I",
          lambda X: ((X.T @ X) ** 2).sum(), {"X": "m n"}, "X",
          "4XXᵀX"),
    Entry("trace of the matrix exponential", "Matrix Cookbook 2.5 (trace of a function of a matrix)",
          lambda X: sg.trace(sg.matrix_exp(X)), {"X": "n n"}, "X",
          "matrix_exp(X)ᵀ"),
)

ENTRIES = _FIRST_ORDER + _SECOND_ORDER + _HIGHER_ORDER
