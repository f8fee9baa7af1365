"""Cases of scipy.integrate. The second text was set aside while the mirror was written."""
# ruff: noqa: E501  (a line of cases is one thing after the other)

ODE = "rtol=1e-11, atol=1e-13"

CASES = """
ig.trapezoid(z) | ig.trapezoid(A, axis=0, dx=0.5) | ig.trapezoid(f, k) | ig.trapezoid(A, z[12:].reshape(3, 4), axis=1) | ig.simpson(f, x=k) | ig.simpson(f[:5], x=k[:5])
ig.simpson(z, dx=s) | ig.simpson(A, axis=0) | ig.cumulative_trapezoid(f, k) | ig.cumulative_trapezoid(A, initial=0, axis=0) | ig.romb(z[:9]) | ig.romb(z[:5], dx=s)
ig.cumulative_simpson(z, dx=s) | ig.cumulative_simpson(z[:6], x=k[:1] + 9 * np.arange(6.0)) | ig.cumulative_simpson(A, axis=0, initial=s) | ig.cumulative_simpson(f[:2], dx=s) | ig.cumulative_simpson(A, x=z[12:].reshape(3, 4) + 9 * np.arange(4.0), axis=1, initial=z[:3, None]) | ig.cumulative_simpson(z[:3], initial=0.5)
ig.quad(lambda x, a, b: np.exp(-a * a * x) * np.cos(b * x), 0.0, 1.0, args=(s, z[1]))[0]
ig.quad(lambda x: np.exp(-p[0] * x * x), 0, np.inf)[0] | ig.quad(lambda x, a: np.sin(a * x), s, z[3], args=(z[2],))[0]
ig.quad(lambda x, c: c[0] * x + np.exp(c[1] * x), -1, z[0], (v,))[0] | ig.fixed_quad(lambda x, a: np.exp(a * x), 0, z[3], args=(s,), n=7)[0]
ig.quad_vec(lambda x: np.exp(-x * v * v), 0, 2)[0] | ig.quad_vec(lambda x: np.cos(x * v), s, z[2])[0]
ig.dblquad(lambda y, x: np.exp(-s * x * y) * z[1], 0, z[2], lambda x: x * z[3], 1.5)[0] | ig.nquad(lambda y, x, a: np.sin(a * x) * y, [(0, z[1]), (s, 1)], args=(z[2],))[0]
ig.solve_ivp(lambda t, y, a, b: -a * y + b * np.sin(t), (0, 1), p[1:2], "DOP853", [0.0, 0.5, 1.0], args=(p[0], z[0]), ODE).y
ig.solve_ivp(lambda t, y, a: np.stack([y[1], -a * y[0] * y[0]]), (0, s), z[:2], args=(z[3],), method="DOP853", ODE).y[:, -1]
ig.solve_ivp(lambda t, y, a: -a * y * y, (0, 0.1), p[:1], "Radau", [0.1], args=(p[1],), rtol=1e-9, atol=1e-11).y
ig.odeint(lambda y, t, a: -a * y * y, p[0], np.array([0.0, 0.3, 1.0]), args=(p[1],), ODE)
ig.trapezoid(z, dx=s) | ig.cumulative_trapezoid(z, dx=s) | ig.trapezoid(A, dx=p[:3]) | ig.simpson(A, dx=p[:3]) | ig.romb(z[:18].reshape(2, 9), dx=p[:2]) | ig.cumulative_simpson(A, dx=p[:3][:, None])
ig.fixed_quad(lambda x: np.exp(s * x), 0, 1.0)[0] | ig.nquad(lambda y, x: np.sin(s * x) * y, [(0, z[1]), (0, 1)])[0]
ig.solve_ivp(lambda t, y: -p[0] * y, (0, 9), [1.0], "DOP853", events=lambda t, y: y[0] - 0.2 * p[1], ODE).t_events[0] | ig.solve_ivp(lambda t, y: -s * y * y, (0, 0.5), [1.0], "DOP853", t_eval=[0.2, 0.5], ODE).y | ig.odeint(lambda y, t: -0.2 * s * y * y, 1.0, [0.0, 0.3, 1.0], ODE) | ig.solve_ivp(lambda t, y: s * y, (0, 0.9), np.ones(1), "DOP853", p[:3].cumsum() * 0.1, ODE).y
"""

SET_ASIDE = """
ig.trapezoid(B, axis=1) | ig.trapezoid(f, k, dx=9.0) | ig.simpson(f[:2], x=k[:2]) | ig.simpson(z[:6]) | ig.simpson(A, x=z[12:].reshape(3, 4) + 9 * np.arange(4.0)) | ig.simpson(Y, x=k, axis=0)
ig.cumulative_trapezoid(A, dx=2.0) | ig.cumulative_trapezoid(Y, k, axis=0, initial=0) | ig.romb(z[:18].reshape(2, 9), dx=0.5) | ig.romb(z[:18].reshape(9, 2), axis=0) | ig.trapezoid(C)
ig.quad(lambda x, a: 1 / (a * a + x * x), -np.inf, np.inf, args=(p[0],))[0] | ig.quad(lambda x: np.abs(x - s), -3, 3, points=[0.5])[0] ** 0 * s
ig.quad(lambda x, a, b: x**a * np.exp(-b * x), 0.5, p[1] + 2, args=(p[0], p[2]))[0] | ig.quad(lambda x, m: (m @ m) * x, z[0], z[1], args=(v,))[0]
ig.quad(lambda x: 3 * x * x, s, z[2])[0] | ig.fixed_quad(lambda x, a: a * x**3, z[1], 2.0, args=(s,))[0] | ig.quad_vec(lambda x: np.exp(-x * p), 0, np.inf)[0]
ig.quad_vec(lambda x, a: a * np.sin(x * A), 0, s, args=(z[3],))[0]
ig.nquad(lambda y, x, a, b: np.cos(a * x * y + b), [lambda x, a, b: (x * b, a + x), lambda a, b: (a * b, b)], (z[1], z[2]), [lambda x, a, b: {"points": [0.1]}, {}])[0]
ig.dblquad(lambda y, x, a: a * y * x * x, z[0], z[3], lambda x: z[1] * x, lambda x: np.cos(x * s), args=(z[2],))[0] | ig.dblquad(lambda y, x: np.exp(-x - p[0] * y), 0, 1, 0, np.inf)[0]
ig.solve_ivp(lambda t, y, a: a @ y, (0, 0.5), z[:2], "DOP853", [0.25, 0.5], args=(z[2:6].reshape(2, 2),), ODE).y
ig.solve_ivp(lambda t, y, a, b: a * y * (1 - y / b), (0, 1), p[:1], args=(p[2], p[3]), method="LSODA", t_eval=[1.0], ODE).y
ig.solve_ivp(lambda t, y, a: np.cos(t * a) * y, (z[0], z[2]), p[:1], "DOP853", args=(z[1],), ODE).y[:, -1] | ig.solve_ivp(lambda t, y: -y, (1, 0), z[:2], "DOP853", np.array([0.5, 0.0]), ODE).y
ig.odeint(lambda y, t, a: np.stack([y[1], -a * y[0]]), z[:2], np.array([0.0, 1.0]), (p[0],), ODE) | ig.odeint(lambda t, y: -y * y, p[:2], p[:3].cumsum() * 0.1, tfirst=True, ODE)
"""

CASES, SET_ASIDE = (text.replace("ODE", ODE) for text in (CASES, SET_ASIDE))
