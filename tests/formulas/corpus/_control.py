"""Control: quadratic regulators, Lyapunov functions, filters, frequency responses, prediction and identification."""

# ruff: noqa: E741  (l is a vector of weights, as in the books)

import symgrad as sg

from ._entry import Entry

# An entry reads as three lines: what it is, the function, its derivatives.
# fmt: off


_ANDERSON = "Anderson and Moore, Optimal Control: Linear Quadratic Methods"
_KALMAN = "Anderson and Moore, Optimal Filtering"
_KHALIL = "Khalil, Nonlinear Systems"
_OGATA = "Ogata, Modern Control Engineering"
_ÅSTRÖM = "Åström and Murray, Feedback Systems"
_RAWLINGS = "Rawlings, Mayne and Diehl, Model Predictive Control"
_LJUNG = "Ljung, System Identification"
_ZHOU = "Zhou, Doyle and Glover, Robust and Optimal Control"
_BARRIERS = "Ames et al. 2019, Control barrier functions: theory and applications"
_PLANT = {"A": "n n", "B": "n k"}
_COST = {"P": "n n pd symmetric", "Q": "n n pd symmetric", "R": "k k pd symmetric"}
_SENSOR = {"H": "k n", "P": "n n pd symmetric", "R": "k k pd symmetric"}
_RESPONSE = {"r": "fraction", "ζ": "fraction"}
_DATA = {"Y": "n m", "X": "n m", "U": "k m"}


def _step_cost(u, x, A, B, P, R):
    return u @ R @ u + (A @ x + B @ u) @ P @ (A @ x + B @ u)


def _innovation_likelihood(v, H, P, R):
    S = H @ P @ H.T + R
    return (sg.logdet(S) + v @ sg.linalg.solve(S, v)) / 2


def _two_step_cost(u, v, x, A, B, P, Q, R):
    z = A @ x + B @ u
    y = A @ z + B @ v
    return u @ R @ u + v @ R @ v + z @ Q @ z + y @ P @ y


def _gain(r, ζ):
    return 1 / sg.sqrt((1 - r**2) ** 2 + (2 * ζ * r) ** 2)


def _phase(r, ζ):
    return -sg.atan(2 * ζ * r / (1 - r**2))


def _gramian(A, B):
    return B @ B.T + A @ B @ B.T @ A.T


_REGULATORS = (
    Entry("one step of a regulator", _ANDERSON + ", 2.4",
          _step_cost, {"u": "k", "x": "n", **_PLANT, "P": _COST["P"], "R": _COST["R"]}, "u",
          "2Ru + 2BᵀP(Ax + Bu)", "2(R + BᵀPB)"),
    Entry("one step of a regulator in the gain", _ANDERSON + ", 2.4",
          lambda K, x, A, B, P, R: _step_cost(-K @ x, x, A, B, P, R),
          {"K": "k n", "x": "n", **_PLANT, "P": _COST["P"], "R": _COST["R"]}, "K",
          "2(RK − BᵀP(A − BK))xxᵀ", "2(R + BᵀPB) ⊗ xxᵀ"),
    Entry("cost to go after the best control", _ANDERSON + ", 2.4",
          lambda x, A, B, P, Q, R: x @ (Q + A.T @ P @ A - A.T @ P @ B @ sg.linalg.solve(R + B.T @ P @ B, B.T @ P @ A))
          @ x,
          {"x": "n", **_PLANT, **_COST}, "x",
          "2(Q + AᵀPA − AᵀPB(R + BᵀPB)⁻¹BᵀPA)x", "2(Q + AᵀPA − AᵀPB(R + BᵀPB)⁻¹BᵀPA)"),
    Entry("control term of Riccati's equation in the weight", _ANDERSON + ", 2.3",
          lambda R, x, B, P: x @ P @ B @ sg.linalg.solve(R, B.T @ P @ x),
          {"R": "k k pd symmetric", "x": "n", "B": "n k", "P": "n n pd symmetric"}, "R",
          "−zzᵀ where z = R⁻¹BᵀPx"),
    Entry("control term of Riccati's equation in the input matrix", _ANDERSON + ", 2.3",
          lambda B, x, P, R: x @ P @ B @ sg.linalg.solve(R, B.T @ P @ x),
          {"B": "n k", "x": "n", "P": "n n pd symmetric", "R": "k k pd symmetric"}, "B",
          "2PxxᵀPBR⁻¹", "2PxxᵀP ⊗ R⁻¹"),
    Entry("trace of Riccati's residual", _ZHOU + ", 13.1",
          lambda P, A, S, Q: sg.trace(A.T @ P + P @ A - P @ S @ P + Q),
          {"P": "n n pd symmetric", "A": "n n", "S": "n n pd symmetric", "Q": "n n pd symmetric"}, "P",
          "A + Aᵀ − PS − SP"),
    Entry("determinant of a closed loop", _OGATA + ", 10.2",
          lambda K, A, B: sg.det(A - B @ K), {"K": "k n", **_PLANT}, "K",
          "−det(Z)BᵀZ⁻ᵀ where Z = A − BK"),
    Entry("trace of a squared closed loop", _OGATA + ", 10.2",
          lambda K, A, B: sg.trace((A - B @ K) @ (A - B @ K)), {"K": "k n", **_PLANT}, "K",
          "−2((A − BK)B)ᵀ"),
)

_LYAPUNOV = (
    Entry("rate of a Lyapunov function", _KHALIL + ", 4.3",
          lambda x, P, A: 2 * x @ P @ A @ x, {"x": "n", "P": "n n pd symmetric", "A": "n n"}, "x",
          "2(PA + AᵀP)x", "2(PA + AᵀP)"),
    Entry("difference of a Lyapunov function", _KHALIL + ", 4.10",
          lambda P, A, x: x @ (A.T @ P @ A - P) @ x, {"P": "n n pd symmetric", "A": "n n", "x": "n"}, "P",
          "AxxᵀAᵀ − xxᵀ"),
    Entry("residual of Lyapunov's equation", _ZHOU + ", 3.8",
          lambda P, A, Q: ((A.T @ P + P @ A + Q) ** 2).sum(),
          {"P": "n n pd symmetric", "A": "n n", "Q": "n n pd symmetric"}, "P",
          "2(AR + RAᵀ) where R = AᵀP + PA + Q"),
    Entry("Lyapunov function of Lur'e and Postnikov", _KHALIL + ", 7.1",
          lambda x, P, c, b: x @ P @ x + b * sg.log(sg.cosh(c @ x)),
          {"x": "n", "P": "n n pd symmetric", "c": "n", "b": "positive"}, "x",
          "2Px + b tanh(cᵀx)c", "2P + b(1 − tanh(cᵀx)²)ccᵀ"),
    Entry("variable gradient of a pendulum", _KHALIL + ", 4.1",
          lambda x, y, a: a * (1 - sg.cos(x)) + y**2 / 2, {"x": "", "y": "", "a": "positive"}, "x",
          "a sin(x)", "a cos(x)"),
)

_FILTERS = (
    Entry("likelihood of an innovation in the covariance", _KALMAN + ", 10",
          lambda P, v, H, R: _innovation_likelihood(v, H, P, R), {**_SENSOR, "v": "k"}, "P",
          "Hᵀ(S⁻¹ − S⁻¹vvᵀS⁻¹)H/2 where S = HPHᵀ + R"),
    Entry("likelihood of an innovation in the noise", _KALMAN + ", 10",
          lambda R, v, H, P: _innovation_likelihood(v, H, P, R), {**_SENSOR, "v": "k"}, "R",
          "(S⁻¹ − S⁻¹vvᵀS⁻¹)/2 where S = HPHᵀ + R"),
    Entry("likelihood of an innovation", _KALMAN + ", 10",
          lambda v, H, P, R: _innovation_likelihood(v, H, P, R), {**_SENSOR, "v": "k"}, "v",
          "(HPHᵀ + R)⁻¹v", "(HPHᵀ + R)⁻¹"),
    Entry("Joseph's form in the gain", _KALMAN + ", 4.1",
          lambda K, H, P, R: sg.trace((sg.eye(P.shape[0]) - K @ H) @ P @ (sg.eye(P.shape[0]) - K @ H).T + K @ R @ K.T),
          {"K": "n k", **_SENSOR}, "K",
          "2(KR − (I − KH)PHᵀ)", "2I ⊗ (HPHᵀ + R)"),
    Entry("variance after a measurement in the noise", _KALMAN + ", 3.1",
          lambda R, H, P: sg.trace(P - P @ H.T @ sg.linalg.solve(H @ P @ H.T + R, H @ P)), _SENSOR, "R",
          "S⁻¹HP²HᵀS⁻¹ where S = HPHᵀ + R"),
    Entry("updated estimate", _KALMAN + ", 3.1",
          lambda x, y, H, K: x + K @ (y - H @ x), {"x": "n", "y": "k", "H": "k n", "K": "n k"}, "x",
          "I − KH"),
    Entry("information after a measurement", _KALMAN + ", 6.3",
          lambda H, M, W: sg.logdet(M + H.T @ W @ H), {"H": "k n", "M": "n n pd symmetric", "W": "k k pd symmetric"},
          "H", "2WH(M + HᵀWH)⁻¹"),
    Entry("error of an observer in the gain", _OGATA + ", 10.5",
          lambda L, A, C, e: (((A - L @ C) @ e) ** 2).sum(), {"L": "n k", "A": "n n", "C": "k n", "e": "n"}, "L",
          "−2(A − LC)eeᵀCᵀ", "2I ⊗ CeeᵀCᵀ"),
)

_FREQUENCIES = (
    Entry("gain of a first-order lag", _OGATA + ", 7.2",
          lambda w, T: 1 / sg.sqrt(1 + w**2 * T**2), {"w": "positive", "T": "positive"}, "w",
          "−T²w/(1 + T²w²)^(3/2)"),
    Entry("phase of a first-order lag", _OGATA + ", 7.2",
          lambda w, T: -sg.atan(w * T), {"w": "positive", "T": "positive"}, "w",
          "−T/(1 + T²w²)", "2T³w/(1 + T²w²)²"),
    Entry("decibels of a first-order lag", _OGATA + ", 7.2",
          lambda w, T: -10 * sg.log(1 + w**2 * T**2) / sg.log(10), {"w": "positive", "T": "positive"}, "w",
          "−20T²w/((1 + T²w²)log(10))"),
    Entry("gain of a second-order system in the frequency", _OGATA + ", 7.2",
          _gain, _RESPONSE, "r",
          "2r(1 − r² − 2ζ²)/((1 − r²)² + 4ζ²r²)^(3/2)"),
    Entry("gain of a second-order system in the damping", _OGATA + ", 7.2",
          _gain, _RESPONSE, "ζ",
          "−4ζr²/((1 − r²)² + 4ζ²r²)^(3/2)"),
    Entry("phase of a second-order system in the frequency", _OGATA + ", 7.2",
          _phase, _RESPONSE, "r",
          "−2ζ(1 + r²)/((1 − r²)² + 4ζ²r²)"),
    Entry("phase of a second-order system in the damping", _OGATA + ", 7.2",
          _phase, _RESPONSE, "ζ",
          "−2r(1 − r²)/((1 − r²)² + 4ζ²r²)"),
    Entry("phase of a lead compensator", _OGATA + ", 7.11",
          lambda w, a, b: sg.atan(a * w) - sg.atan(b * w), {"w": "positive", "a": "positive", "b": "positive"}, "w",
          "a/(1 + a²w²) − b/(1 + b²w²)"),
    Entry("overshoot in the damping", _OGATA + ", 5.3",
          lambda ζ: sg.exp(-sg.pi * ζ / sg.sqrt(1 - ζ**2)), {"ζ": "fraction"}, "ζ",
          "−π exp(−πζ/√(1 − ζ²))/(1 − ζ²)^(3/2)"),
    Entry("step response in the time constant", _OGATA + ", 5.2",
          lambda T, t: 1 - sg.exp(-t / T), {"T": "positive", "t": "positive"}, "T",
          "−t exp(−t/T)/T²", "t(2T − t)exp(−t/T)/T⁴"),
    Entry("transfer function in the frequency", _ZHOU + ", 3.6",
          lambda s, A, b, c: c @ sg.linalg.solve(s * sg.eye(A.shape[0]) - A, b),
          {"s": "wide", "A": "n n", "b": "n", "c": "n"}, "s",
          "−cᵀ(sI − A)⁻²b", "2cᵀ(sI − A)⁻³b"),
    Entry("transfer function in the system matrix", _ZHOU + ", 3.6",
          lambda A, s, b, c: c @ sg.linalg.solve(s * sg.eye(A.shape[0]) - A, b),
          {"A": "n n", "s": "wide", "b": "n", "c": "n"}, "A",
          "FᵀcbᵀFᵀ where F = (sI − A)⁻¹"),
)

_PREDICTION = (
    Entry("prediction over two steps in the first control", _RAWLINGS + ", 1.3",
          _two_step_cost, {"u": "k", "v": "k", "x": "n", **_PLANT, **_COST}, "u",
          "2Ru + 2Bᵀ(Qz + AᵀP(Az + Bv)) where z = Ax + Bu", "2(R + Bᵀ(Q + AᵀPA)B)"),
    Entry("prediction over two steps in the second control", _RAWLINGS + ", 1.3",
          _two_step_cost, {"u": "k", "v": "k", "x": "n", **_PLANT, **_COST}, "v",
          "2Rv + 2BᵀP(A(Ax + Bu) + Bv)", "2(R + BᵀPB)"),
    Entry("condensed prediction", "Maciejowski, Predictive Control with Constraints, 3.1",
          lambda u, G, F, x, r, Q, R: (G @ u + F @ x - r) @ Q @ (G @ u + F @ x - r) + u @ R @ u,
          {"u": "k", "G": "m k", "F": "m n", "x": "n", "r": "m", "Q": "m m pd symmetric", "R": "k k pd symmetric"},
          "u", "2GᵀQ(Gu + Fx − r) + 2Ru", "2(GᵀQG + R)"),
    Entry("three steps of a scalar system in the first control", _RAWLINGS + ", 1.3",
          lambda u, v, w, x, a, b: (a * (a * (a * x + b * u) + b * v) + b * w) ** 2 / 2 + u**2 / 2,
          {**dict.fromkeys("uvwx", ""), "a": "positive", "b": "positive"}, "u",
          "u + a²by where y = a(a(ax + bu) + bv) + bw", "1 + a⁴b²"),
    Entry("barrier of an ellipsoid", "Boyd and Vandenberghe, Convex Optimization, 11.2",
          lambda x, P, c: -sg.log(c - x @ P @ x), {"x": "n fraction", "P": "n n pd symmetric", "c": "wide"}, "x",
          "2Px/(c − xᵀPx)", "2P/t + 4PxxᵀP/t² where t = c − xᵀPx"),
    Entry("barrier of a bounded control", _RAWLINGS + ", 8.3",
          lambda u, c: -sg.log(c**2 - u**2), {"u": "fraction", "c": "wide"}, "u",
          "2u/(c² − u²)", "2(c² + u²)/(c² − u²)²"),
    Entry("barrier function around an obstacle", _BARRIERS,
          lambda x, o, f, g, u, a, r: 2 * (x - o) @ (f + g * u) + a * ((x - o) @ (x - o) - r**2),
          {"x": "n", "o": "n", "f": "n", "g": "n", "u": "", "a": "positive", "r": "positive"}, "x",
          "2(f + ug + a(x − o))", "2aI"),
)

_IDENTIFICATION = (
    Entry("prediction errors in the system matrix", _LJUNG + ", 7.3",
          lambda A, B, Y, X, U: ((Y - A @ X - B @ U) ** 2).sum(), {**_PLANT, **_DATA}, "A",
          "−2(Y − AX − BU)Xᵀ", "2I ⊗ XXᵀ"),
    Entry("determinant of prediction errors", _LJUNG + ", 7.4",
          lambda W, X, Y: sg.logdet((Y - X @ W).T @ (Y - X @ W)), {"W": "k p", "X": "m k", "Y": "m p"}, "W",
          "−2XᵀE(EᵀE)⁻¹ where E = Y − XW"),
    Entry("least squares with forgetting", _LJUNG + ", 11.2",
          lambda w, X, y, l: (l * (y - X @ w) ** 2).sum(), {"w": "n", "X": "m n", "y": "m", "l": "m positive"}, "w",
          "2Xᵀ(l ⊙ (Xw − y))", "2Xᵀ diag(l) X"),
    Entry("output error over two steps", _LJUNG + ", 4.2",
          lambda a, b, x, u, v, y: (y - a * (a * x + b * u) - b * v) ** 2 / 2,
          dict.fromkeys(("a", "b", "x", "u", "v", "y"), ""), "a",
          "−(2ax + bu)(y − a(ax + bu) − bv)"),
    Entry("trace of a controllability Gramian", _ZHOU + ", 3.8",
          lambda B, A: sg.trace(_gramian(A, B)), _PLANT, "B",
          "2(B + AᵀAB)", "2(I + AᵀA) ⊗ I"),
    Entry("least energy of control", _ZHOU + ", 3.8",
          lambda B, A, x: x @ sg.linalg.solve(_gramian(A, B), x), {**_PLANT, "x": "n"}, "B",
          "−2(zzᵀB + AᵀzzᵀAB) where z = (BBᵀ + ABBᵀAᵀ)⁻¹x"),
    Entry("energy of an output", _ZHOU + ", 3.8",
          lambda x, A, C: ((C @ x) ** 2).sum() + ((C @ A @ x) ** 2).sum(), {"x": "n", "A": "n n", "C": "k n"}, "x",
          "2(CᵀCx + AᵀCᵀCAx)", "2(CᵀC + AᵀCᵀCA)"),
    Entry("squared error under a PID controller", _ÅSTRÖM + ", 11.1",
          lambda p, i, d, r, g, e, s, v: (r - g * (p * e + i * s + d * v)) ** 2,
          dict.fromkeys(("p", "i", "d", "r", "g", "e", "s", "v"), ""), "p",
          "−2eg(r − g(pe + is + dv))", "2e²g²"),
    Entry("sensitivity in the gain", _ÅSTRÖM + ", 12.1",
          lambda K, G: 1 / (1 + G * K), {"K": "positive", "G": "positive"}, "K",
          "−G/(1 + GK)²", "2G²/(1 + GK)³"),
    Entry("complementary sensitivity in the gain", _ÅSTRÖM + ", 12.1",
          lambda K, G: G * K / (1 + G * K), {"K": "positive", "G": "positive"}, "K",
          "G/(1 + GK)²", "−2G²/(1 + GK)³"),
)

ENTRIES = _REGULATORS + _LYAPUNOV + _FILTERS + _FREQUENCIES + _PREDICTION + _IDENTIFICATION
