"""Complex numbers on the way to a real one."""

from ._judge import Case

CASES = [
    Case(
        "structure factor",
        """
        rho = np.exp(1j * q[:, None] * x[None, :]).sum(axis=1)
        return (np.abs(rho) ** 2 / len(x)).sum()
        """,
        x="np.array([.2,1.1,2.7,3.9])",
        given="q = np.array([.5, 1., 1.7])",
    ),
    Case(
        "ar spectral density whittle",
        """
        phi, s2 = x[:2], np.exp(x[2])
        k = np.arange(1, 3)
        A = 1 - np.exp(-1j * np.outer(w, k)) @ phi
        S = s2 / (2 * np.pi * (A * A.conj()).real)
        return np.sum(np.log(S) + I / S)
        """,
        x="np.array([.5,-.3,.2])",
        given="""
        w = np.array([.3, .9, 1.6, 2.4])
        I = np.array([1.8, .9, .4, .3])
        """,
    ),
    Case(
        "rlc impedance",
        """
        R, L, C = x[0], x[1], x[2] * 1e-4
        Z = R + 1j * omega * L + 1 / (1j * omega * C)
        return np.abs(1 / Z).sum() + np.angle(Z).sum() + 0.01 * Z.imag.sum()
        """,
        x="np.array([10.,.02,1.5])",
        given="omega = 2 * np.pi * np.array([50., 80., 120.])",
    ),
    Case(
        "analytic signal envelope",
        """
        n = len(x)
        X = np.fft.fft(x)
        h = np.zeros(n)
        h[0] = h[n // 2] = 1
        h[1:n // 2] = 2
        z = np.fft.ifft(X * h)
        return (np.abs(z) * np.arange(n)).sum() + z.imag[2]
        """,
        x="np.array([.3,1.2,-.4,.9,-1.5,.8,.2,-.6])",
    ),
    Case(
        "qubit rotation expectation",
        """
        psi = rot(Z, x[2]) @ rot(Y, x[1]) @ rot(X, x[0]) @ np.array([1.0, 0.0])
        rho = np.outer(psi, psi.conj())
        return np.real(np.trace(rho @ (Z + 0.5 * X))) + np.abs(psi[1]) ** 2
        """,
        x="np.array([.4,1.1,-.6])",
        given="""
        X = np.array([[0, 1], [1, 0]], dtype=complex)
        Y = np.array([[0, -1j], [1j, 0]])
        Z = np.diag([1.0, -1.0])

        def rot(P, t):
            return np.cos(t / 2) * np.eye(2) - 1j * np.sin(t / 2) * P
        """,
    ),
    Case(
        "split step schrodinger",
        """
        w, p0 = x
        psi = np.exp(-(g - 0.3) ** 2 + 1j * p0 * g)
        psi = psi / np.sqrt(np.sum(np.abs(psi) ** 2))
        dt = 0.05
        for _ in range(5):
            psi = psi * np.exp(-0.5j * dt * w * g ** 2)
            psi = np.fft.ifft(np.exp(-0.5j * dt * k ** 2) * np.fft.fft(psi))
            psi *= np.exp(-0.5j * dt * w * g ** 2)
        return np.sum(g * np.abs(psi) ** 2)
        """,
        x="np.array([.5,.2])",
        given="""
        g = np.linspace(-4, 4, 16, endpoint=False)
        k = 2 * np.pi * np.fft.fftfreq(16, d=g[1] - g[0])
        """,
    ),
    Case(
        "interleaved iq symbols",
        """
        s = x[0::2] + 1j * x[1::2]
        s /= np.sqrt(np.mean(np.abs(s) ** 2))
        ph = np.angle(np.sum(s ** 4)) / 4
        y = s * np.exp(-1j * ph)
        return (y.real ** 4).sum() + np.vdot(s[:2], y[2:]).imag + np.conj(y).prod().real
        """,
        x="np.array([.9,.2,-.4,1.1,-.8,-.7,.5,-1.2])",
    ),
    Case(
        "complex zeros like filter",
        """
        pole = 0.8 * np.exp(0.6j)
        y = np.zeros_like(x, dtype=complex)
        y[0] = x[0]
        for t in range(1, len(x)):
            y[t] = pole * y[t - 1] + (1 - 0.8) * x[t]
        return np.abs(y[-1]) ** 2 + y.sum().imag
        """,
        x="np.array([1.,.5,-.3,.8,.1])",
    ),
    Case(
        "dft into zeros",
        """
        N = len(x)
        X = np.zeros(N, dtype=complex)
        for k in range(N):
            for n in range(N):
                X[k] += x[n] * np.exp(-2j * np.pi * k * n / N)
        P = np.abs(X[1:3]) ** 2
        return P @ [1.0, 2.0] / (1 + X[0].real ** 2)
        """,
        x="np.array([.4,1.,-.7,.2,.9,-.3])",
        plain=False,
    ),
    Case(
        "hopping hamiltonian flux",
        """
        t, u, phi = x
        H = np.zeros((3, 3), dtype=complex)
        for i in range(3):
            H[i, (i + 1) % 3] = -t * np.exp(1j * phi / 3)
            H[(i + 1) % 3, i] = -t * np.exp(-1j * phi / 3)
        H[1, 1] = u
        e = np.linalg.eigvalsh(H)
        return e[0] + 0.2 * e[2] ** 2
        """,
        x="np.array([.7,1.2,.4])",
        plain=False,
    ),
    Case(
        "evanescent and char function",
        """
        kz = np.sqrt(1.0 - (x + 0j) ** 2)
        mu, sig, lam = x
        cf = np.exp(1j * u * mu - 0.5 * sig ** 2 * u ** 2 + lam * (np.exp(0.4j * u) - 1))
        return np.abs(np.exp(1j * kz)).sum() + cf.real @ u + np.imag(cf)[1]
        """,
        x="np.array([.8,1.6,.3])",
        given="u = np.array([.2, .7, 1.3])",
    ),
]
