"""Potentials, Lagrangians and thermodynamics."""

# ruff: noqa: E741  (l is a length, as in the books)

import symgrad as sg

from ._entry import Entry

# An entry reads as three lines: what it is, the function, its derivatives.
# fmt: off


_GOLDSTEIN = "Goldstein, Poole and Safko, Classical Mechanics"
_LANDAU = "Landau and Lifshitz, Mechanics"
_PENDULUM = {"θ": "", "ω": "", "m": "positive", "l": "positive", "g": "positive"}
_DOUBLE = {
    **dict.fromkeys(("θ1", "θ2", "ω1", "ω2"), ""),
    **dict.fromkeys(("m1", "m2", "l1", "l2", "g"), "positive"),
}
_POLAR = {"r": "positive", "v": "", "ω": "", "m": "positive", "k": "positive"}


def _pendulum(θ, ω, m, l, g):
    return m * l**2 * ω**2 / 2 + m * g * l * sg.cos(θ)


def _double_pendulum(θ1, θ2, ω1, ω2, m1, m2, l1, l2, g):
    kinetic = (m1 + m2) * l1**2 * ω1**2 / 2 + m2 * l2**2 * ω2**2 / 2 + m2 * l1 * l2 * ω1 * ω2 * sg.cos(θ1 - θ2)
    return kinetic + (m1 + m2) * g * l1 * sg.cos(θ1) + m2 * g * l2 * sg.cos(θ2)


def _kepler(r, v, ω, m, k):
    return m * (v**2 + r**2 * ω**2) / 2 + k / r


_LAGRANGIANS = (
    Entry("harmonic oscillator", _LANDAU + ", 21",
          lambda x, k: k * x**2 / 2, {"x": "", "k": "positive"}, "x",
          "kx", "k"),
    Entry("kinetic energy", _LANDAU + ", 4",
          lambda v, m: m * (v**2).sum() / 2, {"v": "n", "m": "positive"}, "v",
          "mv", "mI"),
    Entry("coupled oscillators in q", _GOLDSTEIN + ", 6.1",
          lambda q, v, M, K: v @ M @ v / 2 - q @ K @ q / 2,
          {"q": "n", "v": "n", "M": "n n pd symmetric", "K": "n n pd symmetric"}, "q",
          "−Kq", "−K"),
    Entry("coupled oscillators in the velocity", _GOLDSTEIN + ", 6.1",
          lambda v, q, M, K: v @ M @ v / 2 - q @ K @ q / 2,
          {"v": "n", "q": "n", "M": "n n pd symmetric", "K": "n n pd symmetric"}, "v",
          "Mv", "M"),
    Entry("pendulum in the angle", _LANDAU + ", 5",
          _pendulum, _PENDULUM, "θ",
          "−mgl sin(θ)", "−mgl cos(θ)"),
    Entry("pendulum in the angular velocity", _LANDAU + ", 5",
          _pendulum, _PENDULUM, "ω",
          "ml²ω", "ml²"),
    Entry("double pendulum in the first angle", _LANDAU + ", 5, problem 1",
          _double_pendulum, _DOUBLE, "θ1",
          "−m2 l1 l2 ω1 ω2 sin(θ1 − θ2) − (m1 + m2)g l1 sin(θ1)"),
    Entry("double pendulum in the second angle", _LANDAU + ", 5, problem 1",
          _double_pendulum, _DOUBLE, "θ2",
          "m2 l1 l2 ω1 ω2 sin(θ1 − θ2) − m2 g l2 sin(θ2)"),
    Entry("double pendulum in the first angular velocity", _LANDAU + ", 5, problem 1",
          _double_pendulum, _DOUBLE, "ω1",
          "(m1 + m2)l1² ω1 + m2 l1 l2 ω2 cos(θ1 − θ2)", "(m1 + m2)l1²"),
    Entry("double pendulum in the second angular velocity", _LANDAU + ", 5, problem 1",
          _double_pendulum, _DOUBLE, "ω2",
          "m2 l2² ω2 + m2 l1 l2 ω1 cos(θ1 − θ2)", "m2 l2²"),
    Entry("Kepler in the radius", _GOLDSTEIN + ", 3.2",
          _kepler, _POLAR, "r",
          "mrω² − k/r²", "mω² + 2k/r³"),
    Entry("Kepler in the angular velocity", _GOLDSTEIN + ", 3.2",
          _kepler, _POLAR, "ω",
          "mr²ω", "mr²"),
    Entry("effective potential", _LANDAU + ", 14",
          lambda r, J, m, k: J**2 / (2 * m * r**2) - k / r,
          {"r": "positive", "J": "positive", "m": "positive", "k": "positive"}, "r",
          "k/r² − J²/(mr³)", "3J²/(mr⁴) − 2k/r³"),
    Entry("relativistic particle", _GOLDSTEIN + ", 7.9",
          lambda v, m, c: -m * c**2 * sg.sqrt(1 - (v**2).sum() / c**2),
          {"v": "n fraction", "m": "positive", "c": "wide"}, "v",
          "mv/√(1 − ‖v‖²/c²)"),
    Entry("bead on a rotating hoop", _GOLDSTEIN + ", 2, exercise 18",
          lambda θ, m, R, w, g: m * R**2 * w**2 * sg.sin(θ) ** 2 / 2 + m * g * R * sg.cos(θ),
          {"θ": "", "m": "positive", "R": "positive", "w": "positive", "g": "positive"}, "θ",
          "mR²w² sin(θ)cos(θ) − mgR sin(θ)"),
)

_POTENTIALS = (
    Entry("Kepler potential", _LANDAU + ", 15",
          lambda x, k: -k / sg.linalg.norm(x), {"x": "n", "k": "positive"}, "x",
          "kx/‖x‖³", "k(I − 3xxᵀ/‖x‖²)/‖x‖³"),
    Entry("two bodies", _GOLDSTEIN + ", 3.1",
          lambda x, y, G, M, m: -G * M * m / sg.linalg.norm(x - y),
          {"x": "n", "y": "n", "G": "positive", "M": "positive", "m": "positive"}, "x",
          "GMm(x − y)/‖x − y‖³"),
    Entry("spring of a rest length", "Allen and Tildesley, Computer Simulation of Liquids, 1.3",
          lambda x, k, l: k * (sg.linalg.norm(x) - l) ** 2 / 2, {"x": "n", "k": "positive", "l": "positive"}, "x",
          "k(‖x‖ − l)x/‖x‖"),
    Entry("Lennard-Jones", "Allen and Tildesley, Computer Simulation of Liquids, 1.3",
          lambda r, e, s: 4 * e * ((s / r) ** 12 - (s / r) ** 6),
          {"r": "positive", "e": "positive", "s": "positive"}, "r",
          "24e((s/r)⁶ − 2(s/r)¹²)/r", "24e(26(s/r)¹² − 7(s/r)⁶)/r²"),
    Entry("Lennard-Jones in reduced units", "Frenkel and Smit, Understanding Molecular Simulation, 3.2",
          lambda r: 4 * (1 / r**12 - 1 / r**6), {"r": "positive"}, "r",
          "24/r⁷ − 48/r¹³", "624/r¹⁴ − 168/r⁸"),
    Entry("Morse", "Morse 1929, Diatomic molecules according to the wave mechanics",
          lambda r, D, a, b: D * (1 - sg.exp(-a * (r - b))) ** 2,
          {"r": "positive", "D": "positive", "a": "positive", "b": "positive"}, "r",
          "2aD(1 − exp(−a(r − b)))exp(−a(r − b))"),
    Entry("Yukawa", "Yukawa 1935, On the interaction of elementary particles",
          lambda r, k: sg.exp(-k * r) / r, {"r": "positive", "k": "positive"}, "r",
          "−(1 + kr)exp(−kr)/r²"),
    Entry("Buckingham", "Allen and Tildesley, Computer Simulation of Liquids, 1.3",
          lambda r, A, B, C: A * sg.exp(-B * r) - C / r**6,
          {"r": "positive", "A": "positive", "B": "positive", "C": "positive"}, "r",
          "6C/r⁷ − AB exp(−Br)", "AB² exp(−Br) − 42C/r⁸"),
    Entry("double well", "Zinn-Justin, Quantum Field Theory and Critical Phenomena",
          lambda x: (x**2 - 1) ** 2, {"x": ""}, "x",
          "4x(x² − 1)", "12x² − 4"),
    Entry("Hénon-Heiles in x", "Hénon and Heiles 1964, The applicability of the third integral of motion",
          lambda x, y: (x**2 + y**2) / 2 + x**2 * y - y**3 / 3, {"x": "", "y": ""}, "x",
          "x + 2xy", "1 + 2y"),
    Entry("Hénon-Heiles in y", "Hénon and Heiles 1964, The applicability of the third integral of motion",
          lambda y, x: (x**2 + y**2) / 2 + x**2 * y - y**3 / 3, {"y": "", "x": ""}, "y",
          "y + x² − y²", "1 − 2y"),
    Entry("Duffing potential", _LANDAU + ", 28",
          lambda x, a, b: a * x**2 / 2 + b * x**4 / 4, {"x": "", "a": "positive", "b": "positive"}, "x",
          "ax + bx³", "a + 3bx²"),
)

_THERMAL = (
    Entry("van der Waals free energy in the volume", "Callen, Thermodynamics, 3.5",
          lambda V, N, R, T, a, b: -N * R * T * sg.log(V - N * b) - a * N**2 / V,
          {"V": "wide", "N": "positive", "R": "positive", "T": "positive", "a": "positive", "b": "positive"}, "V",
          "aN²/V² − NRT/(V − Nb)"),
    Entry("log-partition function in the inverse temperature",
          "Reif, Fundamentals of Statistical and Thermal Physics, 6.5",
          lambda b, E: sg.log(sg.exp(-b * E).sum()), {"b": "positive", "E": "n"}, "b",
          "−Eᵀ softmax(−bE)", "pᵀE² − (pᵀE)² where p = softmax(−bE)"),
    Entry("log-partition function in the energies", "Reif, Fundamentals of Statistical and Thermal Physics, 6.5",
          lambda E, b: sg.log(sg.exp(-b * E).sum()), {"E": "n", "b": "positive"}, "E",
          "−b softmax(−bE)"),
    Entry("two-level system", "Reif, Fundamentals of Statistical and Thermal Physics, 6.3",
          lambda b, e: -sg.log(1 + sg.exp(-b * e)), {"b": "positive", "e": "positive"}, "b",
          "eσ(−be)"),
    Entry("mean-field Ising", "Chaikin and Lubensky, Principles of Condensed Matter Physics, chapter 4",
          lambda x, J, b: J * x**2 / 2 - sg.log(2 * sg.cosh(b * J * x)) / b,
          {"x": "", "J": "positive", "b": "positive"}, "x",
          "J(x − tanh(bJx))"),
)

ENTRIES = _LAGRANGIANS + _POTENTIALS + _THERMAL
