"""Held out: control, robotics and geometry, written from the books before the rules were touched."""

import numpy as np

import symgrad as sg

from .._entry import Entry

# An entry reads as three lines: what it is, the function, its derivatives.
# fmt: off


_BERTSEKAS = "Bertsekas, Dynamic Programming and Optimal Control"
_BOYD = "Boyd and Vandenberghe, Convex Optimization"
_SPONG = "Spong, Hutchinson and Vidyasagar, Robot Modeling and Control"
_HARTLEY = "Hartley and Zisserman, Multiple View Geometry"
_MURRAY = "Murray, Li and Sastry, A Mathematical Introduction to Robotic Manipulation"
_FAZEL = "Fazel, Ge, Kakade and Mesbahi 2018, Global convergence of policy gradient methods"
_PD = "n n pd symmetric"


def _gain(K, A, B, P, R, S):
    M = A - B @ K
    return sg.trace(M.T @ P @ M @ S) + sg.trace(K.T @ R @ K @ S)


def _riccati(P, A, S, Q):
    return ((A.T @ P + P @ A - P @ S @ P + Q) ** 2).sum()


def _distances(x, X):
    return sg.sqrt(((x - X) ** 2).sum(1))


def _reach(b, a, l1, l2, x, y):
    u = l1 * np.cos(a) + l2 * np.cos(a + b) - x
    v = l1 * np.sin(a) + l2 * np.sin(a + b) - y
    return u**2 + v**2


def _rotated(t, x, y, u, v):
    return (x * np.cos(t) - y * np.sin(t) - u) ** 2 + (x * np.sin(t) + y * np.cos(t) - v) ** 2


_CONTROL = (
    Entry("quadratic regulator in the input", _BERTSEKAS + ", 4.1",
          lambda u, x, A, B, P, R: u @ R @ u + (A @ x + B @ u) @ P @ (A @ x + B @ u),
          {"u": "k", "x": "n", "A": "n n", "B": "n k", "P": _PD, "R": "k k pd symmetric"}, "u",
          "2Ru + 2BᵀP(Ax + Bu)", "2(R + BᵀPB)"),
    Entry("Hamiltonian in the state", "Bryson and Ho, Applied Optimal Control, 5.2",
          lambda x, u, z, A, B, Q, R: (x @ Q @ x + u @ R @ u) / 2 + z @ (A @ x + B @ u),
          {"x": "n", "u": "k", "z": "n", "A": "n n", "B": "n k", "Q": _PD, "R": "k k pd symmetric"}, "x",
          "Qx + Aᵀz", "Q"),
    Entry("cost of a feedback gain", _FAZEL,
          lambda K, Q, R, S: sg.trace((Q + K.T @ R @ K) @ S), {"K": "k n", "Q": _PD, "R": "k k pd symmetric", "S": _PD},
          "K",
          "2RKS", "2R ⊗ S"),
    Entry("one step of a feedback gain", _FAZEL,
          _gain, {"K": "k n", "A": "n n", "B": "n k", "P": _PD, "R": "k k pd symmetric", "S": _PD}, "K",
          "2(RK − BᵀP(A − BK))S", "2(R + BᵀPB) ⊗ S"),
    Entry("residual of Riccati's equation", "Lancaster and Rodman, Algebraic Riccati Equations, 11",
          _riccati, {"P": _PD, "A": "n n", "S": _PD, "Q": _PD}, "P",
          "2(A − SP)E + 2E(A − SP)ᵀ where E = AᵀP + PA − PSP + Q"),
    Entry("design of the inputs", "Tzoumas, Rahimian, Pappas and Jadbabaie 2016, Minimal actuator placement",
          lambda B, R, P: sg.logdet(R + B.T @ P @ B), {"B": "n k", "R": "k k pd symmetric", "P": _PD}, "B",
          "2PB(R + BᵀPB)⁻¹"),
    Entry("predictive control in the inputs", "Rawlings, Mayne and Diehl, Model Predictive Control, 1.3",
          lambda u, x, F, G, r, Q, R: (F @ x + G @ u - r) @ Q @ (F @ x + G @ u - r) + u @ R @ u,
          {"u": "k", "x": "n", "F": "m n", "G": "m k", "r": "m", "Q": "m m pd symmetric", "R": "k k pd symmetric"}, "u",
          "2GᵀQ(Fx + Gu − r) + 2Ru", "2(GᵀQG + R)"),
    Entry("rate of a Lyapunov function", "Khalil, Nonlinear Systems, 4.3",
          lambda x, P, A: x @ (A.T @ P + P @ A) @ x, {"x": "n", "P": _PD, "A": "n n"}, "x",
          "2(AᵀP + PA)x", "2(AᵀP + PA)"),
)

_BARRIERS = (
    Entry("barrier around an obstacle", _BOYD + ", 11.2.1",
          lambda x, c, r: -sg.log(((x - c) ** 2).sum() - r**2), {"x": "n wide", "c": "n", "r": "fraction"}, "x",
          "−2(x − c)/(‖x − c‖² − r²)", "4ddᵀ/s² − 2I/s where d = x − c, s = ‖d‖² − r²"),
    Entry("barrier of a ball", _BOYD + ", 11.2.1",
          lambda x, r: -sg.log(r**2 - x @ x), {"x": "n", "r": "wide"}, "x",
          "2x/(r² − ‖x‖²)", "2I/s + 4xxᵀ/s² where s = r² − ‖x‖²"),
    Entry("barrier of the second-order cone in the height", _BOYD + ", 11.6.1",
          lambda t, x: -sg.log(t**2 - x @ x), {"t": "wide", "x": "n"}, "t",
          "−2t/(t² − ‖x‖²)", "2(t² + ‖x‖²)/(t² − ‖x‖²)²"),
)

_GEOMETRY = (
    Entry("squared distance to a line", "Strang, Introduction to Linear Algebra, 4.2",
          lambda x, a, d: ((x - a) ** 2).sum() - (d @ (x - a)) ** 2 / (d @ d), {"x": "n", "a": "n", "d": "n"}, "x",
          "2(r − dᵀr d/‖d‖²) where r = x − a", "2(I − ddᵀ/‖d‖²)"),
    Entry("squared distance to a plane in its normal", "Golub and Van Loan, Matrix Computations, 6.3",
          lambda a, x, b: (a @ x - b) ** 2 / (a @ a), {"a": "n", "x": "n", "b": ""}, "a",
          "2r(x − ra) where r = (aᵀx − b)/‖a‖²"),
    Entry("algebraic distance to an ellipsoid", "Gander, Golub and Strebel 1994, Least-squares fitting of ellipses",
          lambda x, c, A: ((x - c) @ A @ (x - c) - 1) ** 2, {"x": "n", "c": "n", "A": _PD}, "x",
          "4(dᵀAd − 1)Ad where d = x − c", "4(dᵀAd − 1)A + 8AddᵀA where d = x − c"),
    Entry("fit of a sphere in the radius", "Gander, Golub and Strebel 1994, Least-squares fitting of circles",
          lambda r, c, X: ((_distances(c, X) - r) ** 2).sum(), {"r": "positive", "c": "n", "X": "m n"}, "r",
          "2(mr − sum(d)) where d = √((X − 𝟏cᵀ)²𝟏)", "2m"),
    Entry("Weber's point", "Weiszfeld 1937, Sur le point pour lequel la somme des distances",
          lambda x, X: _distances(x, X).sum(), {"x": "n", "X": "m n"}, "x",
          "(𝟏xᵀ − X)ᵀ(1/d) where d = √((𝟏xᵀ − X)²𝟏)"),
    Entry("trilateration", "Beck, Stoica and Li 2008, Exact and approximate solutions of source localization",
          lambda x, X, r: ((_distances(x, X) - r) ** 2).sum(), {"x": "n", "X": "m n", "r": "m positive"}, "x",
          "2(𝟏xᵀ − X)ᵀ((d − r)/d) where d = √((𝟏xᵀ − X)²𝟏)"),
    Entry("reprojection error of one coordinate", _HARTLEY + ", 12.3",
          lambda x, a, c, u: (a @ x / (c @ x) - u) ** 2,
          {"x": "n positive", "a": "n", "c": "n positive", "u": ""}, "x",
          "2(s − u)(a − sc)/cᵀx where s = aᵀx/cᵀx"),
    Entry("epipolar constraint", _HARTLEY + ", 11.1",
          lambda F, x, y: (y @ F @ x) ** 2, {"F": "k k", "x": "k", "y": "k"}, "F",
          "2yᵀFx yxᵀ", "2yyᵀ ⊗ xxᵀ"),
    Entry("curve of Bézier", "Farin, Curves and Surfaces for CAGD, 4.2",
          lambda t, a, b, c: (1 - t) ** 2 * a + 2 * t * (1 - t) * b + t**2 * c, {"t": "", "a": "n", "b": "n", "c": "n"},
          "t",
          "2(1 − t)(b − a) + 2t(c − b)"),
)

_ROBOTS = (
    Entry("place of a planar arm", _SPONG + ", 1.3",
          lambda a, b, l1, l2: l1 * np.cos(a) + l2 * np.cos(a + b),
          {"a": "", "b": "", "l1": "positive", "l2": "positive"}, "a",
          "−l1 sin(a) − l2 sin(a + b)", "−l1 cos(a) − l2 cos(a + b)"),
    Entry("reach of a planar arm", _SPONG + ", 1.3",
          _reach, {"b": "", "a": "", "l1": "positive", "l2": "positive", "x": "", "y": ""}, "b",
          "2l2(v cos(a + b) − u sin(a + b)) "
          "where u = l1 cos(a) + l2 cos(a + b) − x, v = l1 sin(a) + l2 sin(a + b) − y"),
    Entry("weight of a planar arm", _SPONG + ", 6.4",
          lambda a, b, m1, m2, r1, r2, l1, g: m1 * g * r1 * np.sin(a) + m2 * g * (l1 * np.sin(a) + r2 * np.sin(a + b)),
          {"a": "", "b": "", **dict.fromkeys(("m1", "m2", "r1", "r2", "l1", "g"), "positive")}, "a",
          "(m1 r1 + m2 l1)g cos(a) + m2 r2 g cos(a + b)", "−(m1 r1 + m2 l1)g sin(a) − m2 r2 g sin(a + b)"),
    Entry("manipulability", "Yoshikawa 1985, Manipulability of robotic mechanisms",
          lambda J: sg.sqrt(sg.det(J @ J.T)), {"J": "k n"}, "J",
          "√det(JJᵀ) (JJᵀ)⁻¹J"),
    Entry("norm of a quaternion", "Baumgarte 1972, Stabilization of constraints",
          lambda q: (q @ q - 1) ** 2, {"q": "n"}, "q",
          "4(‖q‖² − 1)q", "4(‖q‖² − 1)I + 8qqᵀ"),
    Entry("registration in the plane", "Corke, Robotics, Vision and Control, 2.1",
          _rotated, dict.fromkeys("txyuv", ""), "t",
          "2u(x sin(t) + y cos(t)) − 2v(x cos(t) − y sin(t))", "2u(x cos(t) − y sin(t)) + 2v(x sin(t) + y cos(t))"),
    Entry("Wahba's problem", "Wahba 1965, A least squares estimate of satellite attitude",
          lambda R, X, Y, w: (w * (Y - R @ X) ** 2).sum(), {"R": "k k", "X": "k m", "Y": "k m", "w": "m positive"}, "R",
          "−2(Y − RX)diag(w)Xᵀ", "2I ⊗ X diag(w) Xᵀ"),
    Entry("Rodrigues's formula in the angle", _MURRAY + ", (2.14)",
          lambda t, K, v: v + np.sin(t) * (K @ v) + (1 - np.cos(t)) * (K @ K @ v), {"t": "", "K": "k k", "v": "k"}, "t",
          "cos(t)Kv + sin(t)KKv"),
    Entry("motion along a screw", _MURRAY + ", 2.3",
          lambda t, K, v: sg.matrix_exp(t * K) @ v, {"t": "fraction", "K": "n n", "v": "n"}, "t",
          "K matrix_exp(tK)v"),
    Entry("bearing in the place of the observer", "Thrun, Burgard and Fox, Probabilistic Robotics, 7.4",
          lambda u, v, x, y: np.arctan2(y - v, x - u), {"u": "", "v": "", "x": "wide", "y": "wide"}, "u",
          "(y − v)/((x − u)² + (y − v)²)"),
)

ENTRIES = _CONTROL + _BARRIERS + _GEOMETRY + _ROBOTS
