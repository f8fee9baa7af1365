"""Held out: physics and mechanics, written from the books before the rules were touched."""

# ruff: noqa: E741  (l is a length, as in the books)

import numpy as np

import symgrad as sg

from .._entry import Entry

# An entry reads as three lines: what it is, the function, its derivatives.
# fmt: off


_LANDAU = "Landau and Lifshitz, Mechanics"
_GOLDSTEIN = "Goldstein, Poole and Safko, Classical Mechanics"
_REIF = "Reif, Fundamentals of Statistical and Thermal Physics"
_JACKSON = "Jackson, Classical Electrodynamics"
_EVANS = "Evans, Partial Differential Equations, 2.3.1"


def _heat_kernel(x, t, k):
    return sg.exp(-(x**2) / (4 * k * t)) / sg.sqrt(4 * sg.pi * k * t)


def _lennard_jones(x, e, s):
    r = sg.linalg.norm(x)
    return 4 * e * ((s / r) ** 12 - (s / r) ** 6)


def _screened(x, k):
    r = sg.linalg.norm(x)
    return sg.exp(-k * r) / r


def _mean_field(x, J, h, T):
    entropy = -((1 + x) / 2 * sg.log((1 + x) / 2) + (1 - x) / 2 * sg.log((1 - x) / 2)).sum()
    return -x @ J @ x / 2 - h @ x - T * entropy


_MECHANICS = (
    Entry("masses and springs on a graph", "Strang, Computational Science and Engineering, 2.1",
          lambda x, B, c, l: (c * (B @ x - l) ** 2).sum() / 2, {"x": "n", "B": "m n", "c": "m positive", "l": "m"}, "x",
          "Bᵀ(c ⊙ (Bx − l))", "Bᵀ diag(c) B"),
    Entry("Fermi-Pasta-Ulam chain", "Ford 1992, The Fermi-Pasta-Ulam problem",
          lambda x, D, a: ((D @ x) ** 2 / 2 + a * (D @ x) ** 3 / 3).sum(), {"x": "n", "D": "m n", "a": "positive"}, "x",
          "Dᵀ(Dx + a(Dx)²)", "Dᵀ diag(1 + 2aDx) D"),
    Entry("damped oscillation", _LANDAU + ", 25",
          lambda t, A, g, w: A * np.exp(-g * t) * np.cos(w * t), {"t": "", "A": "", "g": "positive", "w": "positive"},
          "t",
          "−A exp(−gt)(g cos(wt) + w sin(wt))"),
    Entry("amplitude of a forced oscillation", _LANDAU + ", 26",
          lambda w, F, a, g: F / sg.sqrt((a**2 - w**2) ** 2 + g**2 * w**2), dict.fromkeys("wFag", "positive"), "w",
          "Fw(2(a² − w²) − g²)/((a² − w²)² + g²w²)^(3/2)"),
    Entry("spherical pendulum in the azimuthal velocity", _LANDAU + ", 14, problem 1",
          lambda w, θ, u, m, l, g: m * l**2 * (u**2 + sg.sin(θ) ** 2 * w**2) / 2 + m * g * l * sg.cos(θ),
          {"w": "", "θ": "", "u": "", "m": "positive", "l": "positive", "g": "positive"}, "w",
          "ml² sin(θ)² w", "ml² sin(θ)²"),
    Entry("rotation of a point mass", _GOLDSTEIN + ", 5.3",
          lambda w, r, m: m / 2 * ((w @ w) * (r @ r) - (w @ r) ** 2), {"w": "n", "r": "n", "m": "positive"}, "w",
          "m(‖r‖²w − rᵀw r)", "m(‖r‖²I − rrᵀ)"),
    Entry("relativistic energy in the momentum", _GOLDSTEIN + ", 7.9",
          lambda q, m, c: sg.sqrt(m**2 * c**4 + c**2 * (q @ q)), {"q": "n", "m": "positive", "c": "positive"}, "q",
          "c²q/√(m²c⁴ + c²‖q‖²)", "c²(I − c²qqᵀ/E²)/E where E = √(m²c⁴ + c²‖q‖²)"),
    Entry("Lorentz factor", _JACKSON + ", 11.3",
          lambda v, c: 1 / sg.sqrt(1 - v**2 / c**2), {"v": "fraction", "c": "wide"}, "v",
          "v/(c²(1 − v²/c²)^(3/2))"),
    Entry("Kepler's equation", _GOLDSTEIN + ", (3.76)",
          lambda E, a, M: E - a * sg.sin(E) - M, {"E": "", "a": "fraction", "M": ""}, "E",
          "1 − a cos(E)", "a sin(E)"),
    Entry("orbit in polar coordinates", _LANDAU + ", (15.5)",
          lambda θ, a, q: q / (1 + a * sg.cos(θ)), {"θ": "", "a": "fraction", "q": "positive"}, "θ",
          "qa sin(θ)/(1 + a cos(θ))²"),
    Entry("Fermat's principle at a surface", "Feynman, Leighton and Sands, Lectures on Physics I, 26-3",
          lambda x, a, b, d, u, v: sg.sqrt(a**2 + x**2) / u + sg.sqrt(b**2 + (d - x) ** 2) / v,
          dict.fromkeys("xabduv", "positive"), "x",
          "x/(u√(a² + x²)) − (d − x)/(v√(b² + (d − x)²))",
          "a²/(u(a² + x²)^(3/2)) + b²/(v(b² + (d − x)²)^(3/2))"),
)

_FIELDS = (
    Entry("potential of several charges", _JACKSON + ", 1.5",
          lambda x, X, q: (q / sg.sqrt(((x - X) ** 2).sum(1))).sum(), {"x": "n", "X": "m n", "q": "m"}, "x",
          "(X − 𝟏xᵀ)ᵀ(q/d³) where d = √((X − 𝟏xᵀ)²𝟏)"),
    Entry("potential of a dipole", _JACKSON + ", 4.1",
          lambda x, d: d @ x / sg.linalg.norm(x) ** 3, {"x": "n", "d": "n"}, "x",
          "d/‖x‖³ − 3dᵀx x/‖x‖⁵"),
    Entry("Lennard-Jones force", "Allen and Tildesley, Computer Simulation of Liquids, 2.4",
          _lennard_jones, {"x": "n", "e": "positive", "s": "positive"}, "x",
          "24e((s/r)⁶ − 2(s/r)¹²)x/r² where r = ‖x‖"),
    Entry("screened Coulomb force", "Ashcroft and Mermin, Solid State Physics, 17",
          _screened, {"x": "n", "k": "positive"}, "x",
          "−(1 + kr)exp(−kr)x/r³ where r = ‖x‖"),
    Entry("Morse potential in the displacement", _LANDAU.replace("Mechanics", "Quantum Mechanics") + ", 23, problem 4",
          lambda x, D, a: D * (sg.exp(-2 * a * x) - 2 * sg.exp(-a * x)), {"x": "", "D": "positive", "a": "positive"},
          "x",
          "2aD(exp(−ax) − exp(−2ax))", "2a²D(2exp(−2ax) − exp(−ax))"),
    Entry("Woods-Saxon potential", "Woods and Saxon 1954, Diffuse surface optical model",
          lambda r, V, R, a: -V / (1 + sg.exp((r - R) / a)), dict.fromkeys("rVRa", "positive"), "r",
          "Vf(1 − f)/a where f = 1/(1 + exp((r − R)/a))"),
    Entry("Lorentzian line", "Jackson, Classical Electrodynamics, 7.5",
          lambda w, a, g: g**2 / ((w - a) ** 2 + g**2), dict.fromkeys("wag", "positive"), "w",
          "−2g²(w − a)/((w − a)² + g²)²", "2g²(3(w − a)² − g²)/((w − a)² + g²)³"),
    Entry("heat kernel in the place", _EVANS,
          _heat_kernel, {"x": "", "t": "positive", "k": "positive"}, "x",
          "−xu/(2kt) where u = exp(−x²/(4kt))/√(4πkt)",
          "(x²/(2kt) − 1)u/(2kt) where u = exp(−x²/(4kt))/√(4πkt)"),
    Entry("heat kernel in time", _EVANS,
          lambda t, x, k: _heat_kernel(x, t, k), {"t": "positive", "x": "", "k": "positive"}, "t",
          "(x²/(4kt²) − 1/(2t))u where u = exp(−x²/(4kt))/√(4πkt)"),
)

_THERMAL = (
    Entry("Maxwell's distribution of speeds", _REIF + ", 7.10",
          lambda v, C, m, k, T: C * v**2 * sg.exp(-m * v**2 / (2 * k * T)), dict.fromkeys("vCmkT", "positive"), "v",
          "C(2v − mv³/(kT))exp(−mv²/(2kT))"),
    Entry("Planck's law", _REIF + ", 9.13",
          lambda x: x**3 / (sg.exp(x) - 1), {"x": "positive"}, "x",
          "3x²/(exp(x) − 1) − x³ exp(x)/(exp(x) − 1)²"),
    Entry("Fermi's distribution in the energy", "Ashcroft and Mermin, Solid State Physics, 2",
          lambda E, b, u: 1 / (sg.exp(b * (E - u)) + 1), {"E": "positive", "b": "positive", "u": "positive"}, "E",
          "−bf(1 − f) where f = 1/(exp(b(E − u)) + 1)", "b²f(1 − f)(1 − 2f) where f = 1/(exp(b(E − u)) + 1)"),
    Entry("quantum oscillator in the inverse temperature", _REIF + ", 7.6",
          lambda b, w: sg.log(1 - sg.exp(-b * w)), {"b": "positive", "w": "positive"}, "b",
          "w/(exp(bw) − 1)", "−w² exp(bw)/(exp(bw) − 1)²"),
    Entry("paramagnet in the field", _REIF + ", 7.8",
          lambda B, N, b, u: N * sg.log(2 * sg.cosh(b * u * B)), dict.fromkeys("BNbu", "positive"), "B",
          "Nbu tanh(buB)", "Nb²u²(1 − tanh(buB)²)"),
    Entry("mean-field free energy of magnetisations", "Opper and Saad, Advanced Mean Field Methods, 2",
          _mean_field, {"x": "n fraction", "J": "n n symmetric", "h": "n", "T": "positive"}, "x",
          "T arctanh(x) − Jx − h", "T diag(1/(1 − x²)) − J"),
    Entry("Landau free energy", "Chaikin and Lubensky, Principles of Condensed Matter Physics, 4.2",
          lambda x, a, b, h: a * x**2 + b * x**4 - h * x, {"x": "", "a": "", "b": "positive", "h": ""}, "x",
          "2ax + 4bx³ − h", "2a + 12bx²"),
    Entry("Sackur-Tetrode entropy in the number", "Callen, Thermodynamics, 3.4",
          lambda N, k, V, U: N * k * (sg.log(V / N * (U / N) ** 1.5) + 2.5), dict.fromkeys("NkVU", "positive"), "N",
          "k log(VU^(3/2)/N^(5/2))"),
    Entry("Arrhenius's law", "Atkins and de Paula, Physical Chemistry, 22.5",
          lambda T, A, E, R: A * sg.exp(-E / (R * T)), dict.fromkeys("TAER", "positive"), "T",
          "AE exp(−E/(RT))/(RT²)"),
    Entry("XY model on a graph", "Kuramoto, Chemical Oscillations, Waves, and Turbulence, 5.4",
          lambda θ, B, J: -(J * sg.cos(B @ θ)).sum(), {"θ": "n", "B": "m n", "J": "m positive"}, "θ",
          "Bᵀ(J ⊙ sin(Bθ))", "Bᵀ diag(J ⊙ cos(Bθ)) B"),
)

ENTRIES = _MECHANICS + _FIELDS + _THERMAL
