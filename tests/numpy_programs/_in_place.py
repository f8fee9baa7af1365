"""Writes: into copies, views, buffers and the argument itself, and what must not share memory."""

from ._judge import Case

CASES = [
    Case(
        "an exponential average filled in a loop",
        """
        y = np.empty_like(x)
        y[0] = x[0]
        for t in range(1, len(x)):
            y[t] = 0.7 * y[t - 1] + 0.3 * x[t]
        return ((x[1:] - y[:-1]) ** 2).sum()
        """,
        x="rng.normal(size=5)",
    ),
    Case(
        "entropy of normalised weights",
        """
        p = np.exp(x)
        p /= p.sum()
        p *= 0.9
        p += 0.1 / p.size
        return -(p * np.log(p)).sum()
        """,
        x="rng.normal(size=4)",
    ),
    Case(
        "the argument itself centred and scaled",
        """
        x -= x.mean()
        x /= np.sqrt((x**2).sum())
        return x @ contrast + x[0] ** 3
        """,
        given="contrast = np.array([1.0, -1.0, 2.0, 0.5])",
        x="rng.normal(size=4)",
    ),
    Case(
        "rows of the argument normalised as they are looped over",
        """
        for row in K:
            row /= row.sum()
        K[K < 0.2] = 0
        return (K * cost).sum() + (K.T @ K).trace()
        """,
        given="cost = rng.normal(size=(3, 3))",
        x="rng.uniform(0.5, 2, size=(3, 3))",
        arg="K",
    ),
    Case(
        "Gaussian elimination with row swaps",
        """
        M, v = A.copy(), np.copy(b)
        n = len(v)
        for k in range(n):
            p = k + np.argmax(abs(M[k:, k]))
            M[[k, p]] = M[[p, k]]
            v[[k, p]] = v[[p, k]]
            for i in range(k + 1, n):
                factor = M[i, k] / M[k, k]
                M[i, k:] -= factor * M[k, k:]
                v[i] -= factor * v[k]
        s = np.empty_like(A[0])
        for i in reversed(range(n)):
            s[i] = (v[i] - M[i, i + 1 :] @ s[i + 1 :]) / M[i, i]
        return s @ s
        """,
        given="b = np.array([1.0, -2.0, 0.5])",
        x="rng.normal(size=(3, 3)) + 2 * np.eye(3)[[1, 2, 0]]",
        arg="A",
        plain=False,
    ),
    Case(
        "Doolittle's LU and the determinant",
        """
        for k in range(A.shape[0] - 1):
            A[k + 1 :, k] /= A[k, k]
            A[k + 1 :, k + 1 :] -= np.outer(A[k + 1 :, k], A[k, k + 1 :])
        return np.log(np.abs(np.diag(A))).sum() + np.tril(A, -1).sum()
        """,
        x="rng.normal(size=(4, 4)) + 3 * np.eye(4)",
        arg="A",
        by_jacobian=True,
    ),
    Case(
        "a kernel matrix row by row",
        """
        n = len(x)
        C = np.zeros((n, n))
        for k in range(n):
            C[k] = np.exp(-0.5 * (x - x[k]) ** 2)
        C[np.diag_indices(n)] += 0.1
        return y @ np.linalg.solve(C, y) + np.linalg.slogdet(C)[1]
        """,
        given="y = np.array([0.2, 1.0, -0.4, 0.3])",
        x="rng.normal(size=4)",
        plain=False,
    ),
    Case(
        "a leaky rectifier by a mask",
        """
        y = W @ data
        y[y < 0] *= 0.1
        y[:, 0][y[:, 0] > 1] = 1.0
        return (y**2).mean()
        """,
        given="data = rng.normal(size=(2, 4))",
        x="rng.normal(size=(3, 2))",
        arg="W",
    ),
    Case(
        "forces of springs scattered to their ends",
        """
        stretch = x[j] - x[i] - 1.0
        force = np.zeros_like(x)
        np.add.at(force, i, stretch)
        np.subtract.at(force, j, stretch)
        np.multiply.at(force, [0, 0], 1.5)
        return (force**2).sum()
        """,
        given="i = np.array([0, 0, 1, 2]); j = np.array([1, 2, 3, 3])",
        x="rng.normal(size=4)",
    ),
    Case(
        "contributions of cells scattered into zeros",
        """
        rho = np.zeros(5)
        cell = np.floor(x).astype(int)
        w = x - cell
        np.add.at(rho, cell, 1 - w)
        np.add.at(rho, cell + 1, w)
        rho -= rho.mean()
        return (np.cumsum(rho) ** 2).sum()
        """,
        x="np.array([0.3, 1.6, 1.2, 3.4, 2.7])",
        plain=False,
    ),
    Case(
        "numbers that were taken from an array are values",
        """
        first, s = x[0], x.sum()
        t = s
        t *= 2
        old = first
        first += x[1]
        x[0] = 5 * x[2]
        return s * t + old * first + x[0] ** 2
        """,
        x="rng.normal(size=3)",
    ),
    Case(
        "selection sort by swaps",
        """
        a = x.copy()
        for i in range(len(a) - 1):
            j = i + a[i:].argmin()
            a[i], a[j] = a[j], a[i]
        return a**2 @ weights
        """,
        given="weights = np.array([1.0, 0.5, -2.0, 3.0])",
        x="rng.normal(size=4)",
    ),
    Case(
        "rows swapped as views, where one is lost",
        """
        A[0], A[1] = A[1], A[0]
        u, v = A[0], A[2].copy()
        A[2] = u
        A[0] = v
        return (A**2 * weights).sum()
        """,
        given="weights = np.array([[1.0], [2.0], [5.0]])",
        x="rng.normal(size=(3, 2))",
        arg="A",
    ),
    Case(
        "buffers that are used again by out",
        """
        buffer, total = np.empty_like(x), np.zeros_like(x)
        for k in range(1, 4):
            np.multiply(x, k, out=buffer)
            np.sin(buffer, out=buffer)
            np.divide(buffer, k, out=buffer)
            np.add(total, buffer, total)
        safe = np.ones_like(x)
        np.sqrt(x, out=safe, where=x > 0)
        return (total**2).sum() + safe.sum() + x.cumsum(out=buffer)[-1] * buffer[1]
        """,
        x="rng.normal(size=4)",
    ),
    Case(
        "staggered halves written through slices",
        """
        y = x.copy()
        even, odd = y[::2], y[1::2]
        odd -= 0.5 * (even + np.roll(even, -1))
        even += 0.25 * (odd + np.roll(odd, 1))
        odd *= 2
        return (y**2 * np.arange(1, 7)).sum()
        """,
        x="rng.normal(size=6)",
    ),
    Case(
        "writes through transposes and reshapes, reads through older views",
        """
        B = A.copy()
        corner, column = B[:2, :2], B[:, 1]
        B.T[0] = A[0, 0] * A[:, 2]
        B.reshape(-1)[3:5] += 1.0
        B.ravel()[:: B.shape[1] + 1] *= 2
        np.swapaxes(B, 0, 1)[2, 1:] = column[1:] ** 2
        return (corner**2).sum() + (column * np.arange(3)).sum() + B.prod()
        """,
        x="rng.normal(size=(3, 3))",
        arg="A",
    ),
    Case(
        "diagonals written in four ways",
        """
        B = A @ A.T
        B.flat[:: len(B) + 1] += 0.1
        i = np.arange(3)
        B[i, i] *= np.array([1.0, 2.0, 3.0])
        np.einsum("ii->i", B)[1:] += A[0, :2]
        C = B.copy()
        np.fill_diagonal(C, A[1] ** 2)
        return np.linalg.slogdet(B)[1] + (C * B).sum()
        """,
        x="rng.normal(size=(3, 3)) + np.eye(3)",
        arg="A",
    ),
    Case(
        "writes through what is flipped, broadened or squeezed",
        """
        y = x.copy()
        np.flip(y)[:2] = x[:2] ** 2
        y[::-1][2] *= 3
        row = np.atleast_2d(y)
        row[0, 1] += x[0]
        y[:, None].squeeze()[0] = x[3] * x[2]
        np.expand_dims(y, 0)[0, -1] -= 1
        return (y * np.arange(1, 5)).prod()
        """,
        x="rng.normal(size=4)",
    ),
    Case(
        "copies that share nothing",
        """
        copies = [x.copy(), x.flatten(), +x, np.positive(x), np.copy(x), x[[0, 1, 2]], x[x == x], x.ravel().copy()]
        copies.append(x.astype(float))
        total = 0.0
        for k, y in enumerate(copies):
            y *= k
            y[0] = 1.0
            total = total + (y**2).sum()
        return total + (x**3).sum()
        """,
        x="rng.normal(size=3)",
    ),
    Case(
        "names for one array share everything",
        """
        y = x
        same = x[:].reshape(2, 2)
        y *= 2
        same[1] += y[:2]
        z = x.ravel()
        z[0] = z[3] ** 2
        return x[0] * x[1] + x[2] * x[3] + (same * y.reshape(2, 2)).sum()
        """,
        x="rng.normal(size=4)",
    ),
    Case(
        "neighbours added where source and target overlap",
        """
        y = x.copy()
        y[1:] += y[:-1]
        y[:-1] -= 0.5 * y[1:]
        y[2:] = y[:-2]
        return (y * np.array([1.0, -2.0, 3.0, 0.5, 1.5])).sum() ** 2
        """,
        x="rng.normal(size=5)",
    ),
    Case(
        "writes by put, copyto, putmask, place and put_along_axis",
        """
        y = x.copy()
        np.put(y, [0, 5], x[1, :2])
        np.copyto(y, x**2, where=x > 0.5)
        np.putmask(y, y < -0.3, -x * y)
        np.place(y, np.eye(2, 3) > 0, x[0])
        np.put_along_axis(y, np.array([[2], [0]]), x[:, 1:2], axis=1)
        return (y * weights).sum() + (y**2).sum()
        """,
        given="weights = np.arange(6.0).reshape(2, 3)",
        x="rng.normal(size=(2, 3))",
    ),
    Case(
        "powers, matrix products and remainders in place",
        """
        y = A.copy()
        y @= R
        y **= 2
        y %= 0.5
        z = y.copy()
        z[...] = [A[0, 0], 2.0]
        z[1, :] = 0, A[1, 1]
        y -= z
        return (y**2).sum()
        """,
        given="R = np.array([[0.6, -0.8], [0.8, 0.6]])",
        x="rng.normal(size=(2, 2))",
        arg="A",
    ),
    Case(
        "ma residuals zeros like",
        """
        theta = 0.6
        e = np.zeros_like(x)
        e[0] = x[0]
        for t in range(1, len(x)):
            e[t] = x[t] - theta * e[t - 1]
        return np.sum(e ** 2)
        """,
        x="np.array([.4,-.2,1.1,.7,-.9,.3])",
    ),
    Case(
        "leaky relu mask",
        """
        y = X @ x
        y[y < 0] *= 0.1
        y[y > 1.5] = 1.5
        return (y ** 2).sum()
        """,
        x="np.array([[.5,-.4],[1.2,.3],[-.8,.9]])",
        given="X = np.array([[1., -2., .5], [.3, .8, -1.1], [-.6, .2, 1.4], [2.0, .7, .1]])",
    ),
    Case(
        "scatter add forces",
        """
        i, j = bonds.T
        d = x[j] - x[i]
        r = np.sqrt((d ** 2).sum(1))
        pull = ((r - 1.0) / r)[:, None] * d
        F = np.zeros_like(x)
        np.add.at(F, i, pull)
        np.subtract.at(F, j, pull)
        return (F ** 2).sum()
        """,
        x="np.array([[0.,.1],[1.1,.2],[.4,1.3],[1.6,1.2]])",
        given="bonds = np.array([[0, 1], [1, 2], [2, 3], [3, 0], [0, 2]])",
    ),
    Case(
        "scatter add plain bins",
        """
        tot = np.zeros(3)
        np.add.at(tot, group, x)
        return np.log(np.cosh(tot)).sum()
        """,
        x="np.array([.3,1.2,-.7,2.,.9,.4])",
        given="group = np.array([0, 2, 1, 2, 0, 1])",
        plain=False,
    ),
    Case(
        "swap and permute",
        """
        y = x.copy()
        y[0], y[1] = y[1], y[0]
        y[[2, 3]] = y[[3, 2]]
        return (y * np.array([1., 10., 100., 1000.])).sum() + y[0] ** 3
        """,
        x="np.array([1.,2.,3.,4.5])",
    ),
    Case(
        "row swap aliasing",
        """
        A = x.copy()
        A[0], A[1] = A[1], A[0]        # views: both rows end up the same
        B = x.copy()
        B[[0, 2]] = B[[2, 0]]
        return (A ** 2 * np.arange(1, 7).reshape(3, 2)).sum() + (A * B).sum()
        """,
        x="np.array([[1.,2.],[3.,5.],[.5,-1.]])",
    ),
    Case(
        "writing through views",
        """
        y = x.copy()
        v = y.reshape(-1, 2)
        v[:, 0] *= 3
        row = v[1]
        row += y[0]
        v.T[1] -= 0.5 * v[0, 1] ** 2
        y.ravel()[4] = y[1] * y[2]
        y.flatten()[0] = 99.0           # a copy: no effect
        return (y ** 2 * np.arange(1, 7)).sum()
        """,
        x="np.array([1.,-2.,.5,3.,.7,-.4])",
    ),
    Case(
        "out buffers",
        """
        buf = np.empty_like(x)
        np.multiply(x, x, out=buf)
        np.negative(buf, out=buf)
        np.exp(buf, buf)
        tmp = np.empty_like(buf)
        np.add(buf, x, out=tmp)
        np.cumsum(tmp, out=tmp)
        return (tmp * buf).sum()
        """,
        x="np.array([.3,-.8,1.1,.2])",
    ),
    Case(
        "heat equation steps",
        """
        u = x.copy()
        r = 0.2
        for _ in range(8):
            u[1:-1] += r * (u[2:] - 2 * u[1:-1] + u[:-2])
            u[0] = u[1]
            u[-1] = 0.0
        return (u ** 2).sum()
        """,
        x="np.array([0.,1.,.5,2.,-.3,.8,0.])",
    ),
    Case(
        "gauss seidel sweeps",
        """
        h2 = 0.04
        u = np.zeros(len(x))
        u[0], u[-1] = x[0], x[-1]
        for sweep in range(4):
            for i in range(1, len(u) - 1):
                u[i] = 0.5 * (u[i - 1] + u[i + 1] - h2 * x[i])
        return np.sum(u ** 2 * np.array([1, 2, 3, 4, 5]))
        """,
        x="np.array([1.,.2,-.4,.9,2.])",
        plain=False,
    ),
    Case(
        "argument changed in place",
        """
        x -= x.mean()
        x /= np.sqrt((x ** 2).mean())
        x[0] *= 2
        return (x ** 4).sum() + x[0] * x[3]
        """,
        x="np.array([1.5,.2,-.7,2.2])",
    ),
    Case(
        "putmask copyto place",
        """
        y = x ** 2
        np.copyto(y, -x, where=x < 0)
        np.putmask(y, y > 5, 5.0)
        z = np.full_like(x, 2.0)
        np.place(z, x > 0, [1.0, 3.0])
        w = x.copy()
        w[w < -1] = 0
        np.put(w, [0, 4], [7.0, 8.0])
        return (y * z).sum() + (w ** 3).sum()
        """,
        x="np.array([.5,-1.2,2.3,-.1,.9])",
    ),
    Case(
        "copies do not alias",
        """
        y = x * 1.0
        old = y.copy()
        same = y
        window = y[1:]
        y *= 2
        y += old
        y = y + 1                      # rebinding: same and window keep the array before
        return (same * old).sum() + (window ** 2).sum() + np.prod(y)
        """,
        x="np.array([.4,1.3,-.6])",
    ),
    Case(
        "design matrix filled",
        """
        X = np.empty((len(x), 3))
        X[:, 0] = 1
        X[:, 1] = x
        X[:, 2] = X[:, 1] ** 2
        G = X.T @ X
        return np.log(np.trace(G)) + np.linalg.slogdet(G)[1]
        """,
        x="np.array([.2,.9,1.4,2.1,3.3])",
        plain=False,
    ),
    Case(
        "safe sinc fill",
        """
        y = np.ones_like(x)
        nz = x != 0
        y[nz] = np.sin(x[nz]) / x[nz]
        y **= 2
        y[-2:] -= y[:2]
        return y.sum()
        """,
        x="np.array([0.,.7,-1.9,3.])",
    ),
]
