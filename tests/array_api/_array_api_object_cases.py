"""Expressions of arrays alone, as the array API standard has them: operators, indices, and writes.

They are of the same form as the calls of functions; ``put(x, key, value)`` is what ``x`` is after ``x[key] = value``,
and ``op`` is the module `operator`, whose ``op.iadd(x, y)`` is ``x += y``.
"""

DIFFERENTIATED = {
    "operators": """
a + b | a - b | a * b | a / b | b // a | b % a | a ** b | A @ S | c @ a | a @ D | t @ D | -a | +a | abs(a - 0.5)
a + 2 | a - 2.5 | a * 3 | a / 4 | b // 0.37 | b % 0.37 | a ** 2 | a ** 0.5 | a ** -1 | a + True | a * 1j | z + 2
z ** 2
2 + a | 2.5 - a | 3 * a | 4 / a | 7.3 // b | 7.3 % b | 2 ** a | 2.5 ** z | 1j - a | True + a | 1 - z | 2 / z
c + u | c - a | u * a | c / u | h * c | c ** h | t + c | t * u | h - a | u @ u[:, 0][None, :]
a + i | a * i | i - a | i / a | a ** i | z * a | a - z | a / z | a * m | -z | +z | abs(z) | z @ a | Z @ Z
a ** j | a ** k
""",
    "in place": """
op.iadd(xp.asarray(a, copy=True), b) | op.isub(xp.asarray(a, copy=True), 2) | op.imul(xp.asarray(c, copy=True), u)
op.itruediv(xp.asarray(a, copy=True), b) | op.ipow(xp.asarray(a, copy=True), 3)
op.imod(xp.asarray(b, copy=True), 0.37)
op.ifloordiv(xp.asarray(b, copy=True), a) | op.imatmul(xp.asarray(A, copy=True), S)
op.iadd(xp.asarray(a, copy=True), i)
op.imul(xp.asarray(z, copy=True), a) | op.iadd(xp.asarray(c, copy=True), a) | op.isub(xp.asarray(c, copy=True), h)
op.ipow(xp.asarray(a, copy=True), b) | op.imul(xp.asarray(h, copy=True), 2.0)
op.imul(xp.asarray(a, copy=True), True)
""",
    "reading": """
a[0] | a[-1] | c[1, 2] | c[1] | c[-1, ...] | c[..., 0] | c[:, 1] | c[1:3] | c[::2, 1:] | c[::-1] | c[2:0:-1, ::-2]
t[0, 1, 2]
c[None] | c[:, None, 1] | c[..., None] | a[None, :, None] | c[()] | c[...] | h[()] | h[...] | h[None] | t[..., 1:2]
t[1, ..., ::3]
a[1:1] | a[5:] | a[:-10] | t[:, -1] | c[-3:-1, 0] | a[slice(None, None, 2)] | t[0, None, ..., 2]
a[m] | a[a > 0.5] | c[c > 0.5] | c[:, a > 0.5] | c[u[:, 0] > 0.3] | c[c > 9.0] | h[h > 0]
c[xp.asarray([True, False, True])] | c[xp.asarray([True, False, True]), :] | t[t > 0.5] | t[t[:, :, 0] > 0.5]
a[j] | c[J[:, 0], J[:, 1]] | c[xp.asarray([0, -1]), xp.asarray([1, 2])]
c[xp.asarray([[0], [2]]), xp.asarray([1, 3])]
c[xp.asarray([2, 0]), 1] | c[1, xp.asarray([0, 0, 3])] | t[xp.asarray([1, 0]), xp.asarray([2, 1]), xp.asarray([0, 3])]
t[0, xp.asarray([2, 2]), xp.asarray([1, 3])] | a[xp.asarray([], dtype=xp.int64)]
c[xp.asarray(1), xp.asarray([0, 2])]
a[xp.argmax(b)] | c[xp.asarray([1, 1]), ...] | t[:, xp.asarray([0, 2])] | c[xp.asarray([0, 1]), None]
""",
    "writing": """
put(xp.asarray(a, copy=True), 0, 2.0) | put(xp.asarray(a, copy=True), -1, b[0]) | put(xp.asarray(c, copy=True), 1, a)
put(xp.asarray(c, copy=True), (slice(None), 1), 0.0) | put(xp.asarray(c, copy=True), (1, 2), h)
put(xp.asarray(c, copy=True), ..., a)
put(xp.asarray(c, copy=True), (slice(0, 2), slice(None, None, -1)), c[1:])
put(xp.asarray(c, copy=True), (..., 0), u[:, 0])
put(xp.asarray(a, copy=True), m, 0.0) | put(xp.asarray(a, copy=True), a > 0.5, h)
put(xp.asarray(c, copy=True), c > 0.5, 1)
put(xp.asarray(a, copy=True), xp.asarray([True, False, True, False]), b[:2])
put(xp.asarray(a, copy=True), xp.asarray([2, 0]), b[1:3]) | put(xp.asarray(t, copy=True), (0, ..., slice(1, 3)), 1.5)
put(xp.zeros_like(a), slice(1, 3), a[:2]) | put(xp.zeros_like(c), 1, a * b) | put(xp.asarray(z, copy=True), 1, a[0])
put(xp.asarray(c, copy=True), (xp.asarray([0, 2]), xp.asarray([1, 3])), b[:2])
put(xp.asarray(a, copy=True), slice(None), 3)
""",
}

CONSTANT = {
    "operators": """
i + j | i - 1 | 2 * i | i // (j + 1) | i % (j + 1) | i / (j + 1) | i ** 2 | -i | +i | abs(i) | i & j | op.or_(i, 1)
i ^ j | ~i | j << 2
i >> 1 | 8 >> j | 1 << j | 5 & i | 6 ^ i | op.or_(1, i) | m & m | op.or_(m, False) | m ^ True | ~m | I @ I | i @ j
k + 1 | k * k | g * 2.5
g + 1 | g / 3 | 2 - g | g ** 2 | g @ g | k % 5 | 7 // (j + 1) | g * 1j | op.eq(i, j) | i != 2 | op.eq(a, b) | a != a
a + g | g * a | a < b | a <= 0.5
b > a | a >= b | 1 < b | 0.5 >= a | op.eq(m, True) | op.eq(z, z) | z != 1j | c < u | h > 0.5 | i < a | k <= 7
op.eq(g, g)
""",
    "in place": """
op.iadd(xp.asarray(i, copy=True), 1) | op.iand(xp.asarray(i, copy=True), j) | op.ior(xp.asarray(i, copy=True), 1)
op.ixor(xp.asarray(m, copy=True), True) | op.ilshift(xp.asarray(j, copy=True), 2)
op.irshift(xp.asarray(i, copy=True), 1)
op.ifloordiv(xp.asarray(i, copy=True), 2) | op.imod(xp.asarray(i, copy=True), 3)
op.imul(xp.asarray(g, copy=True), 2.5)
op.imatmul(xp.asarray(I, copy=True), I) | op.isub(xp.asarray(i, copy=True), j) | op.ipow(xp.asarray(i, copy=True), 2)
op.itruediv(xp.asarray(g, copy=True), 2) | op.iadd(xp.asarray(k, copy=True), 1) | op.iand(xp.asarray(m, copy=True), m)
""",
    "reading": "i[0] | I[1, ::-1] | m[m] | i[m] | I[I > 1] | i[j] | I[None, 0] | g[1:] | k[j] | I[i[3], j[0]] | m[-1]",
    "writing": """
put(xp.asarray(i, copy=True), 0, 9) | put(xp.asarray(I, copy=True), I > 2, 0) | put(xp.asarray(m, copy=True), 1, True)
put(xp.zeros_like(i), slice(0, 2), i[:2]) | put(xp.asarray(g, copy=True), m, 0) | put(xp.asarray(i, copy=True), j, j)
""",
}
