"""Forward mode and Taylor series against JAX (jvp, linearize, jacfwd, jet) and PyTorch (func.jvp, jacfwd)."""

import math
import random

import numpy as np
import pytest

import symgrad as sg

from ..properties._programs import program_of

# PyTorch's forward mode compiles formulas of its own with what it deprecates itself
pytestmark = pytest.mark.filterwarnings("ignore:`torch.jit:DeprecationWarning")

X = np.array([0.3, -0.7, 1.1])
T = np.array([1.0, -2.0, 0.5])


def functions(lib):
    """The same functions, written with the operations of a library: `lib.name`, arrays with operators."""
    return {
        "mixed": lambda x: lib.sin(x) * lib.exp(-x * x) + x[0] * x[1:].sum(),
        "powers": lambda x: (x * x + 1) ** 1.5 / (2 + lib.cos(x)),
        "softmax": lambda x: lib.softmax(x * 3, 0),
        "logsumexp": lambda x: lib.logsumexp(x * x, 0),
        "product": lambda x: lib.outer(x, lib.tanh(x)) @ x,
        "choice": lambda x: lib.where(x > 0, lib.log1p(abs(x)), x**3),
        "norm": lambda x: lib.sqrt((x * x).sum()) * x,
        "solve": lambda x: lib.solve(lib.outer(x, x) + lib.eye(3) * 2, lib.sin(x)),
        "det": lambda x: lib.det(lib.outer(x, x) + lib.eye(3) * 2),
        "prod": lambda x: lib.prod(x + 2) + lib.cumsum(x, 0),
        "special": lambda x: lib.erf(x) + lib.lgamma(x * x + 1) + lib.arctan2(x, x + 2),
    }


class _Symgrad:
    solve, det = staticmethod(sg.linalg.solve), staticmethod(sg.linalg.det)

    def __getattr__(self, name):
        return getattr(sg, name)


NAMES = tuple(functions(_Symgrad()))
MINE = functions(_Symgrad())


def of_jax(jax):
    class Library:
        softmax, logsumexp = staticmethod(jax.nn.softmax), staticmethod(jax.nn.logsumexp)
        erf, lgamma = staticmethod(jax.scipy.special.erf), staticmethod(jax.scipy.special.gammaln)
        solve, det = staticmethod(jax.numpy.linalg.solve), staticmethod(jax.numpy.linalg.det)

        def __getattr__(self, name):
            return getattr(jax.numpy, name)

    return functions(Library())


def of_torch(torch):
    class Library:
        solve, det = staticmethod(torch.linalg.solve), staticmethod(torch.linalg.det)

        def eye(self, n):
            return torch.eye(n, dtype=torch.float64)

        def __getattr__(self, name):
            return getattr(torch, name)

    return functions(Library())


# JAX ------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_values_tangents_and_columns_are_jaxs(name, jax):
    f, theirs = MINE[name], of_jax(jax)[name]
    for found, expected in zip(sg.jvp(f, (X,), (T,)), jax.jvp(theirs, (X,), (T,)), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(sg.linearize(f, X)[1](T), jax.linearize(theirs, X)[1](T), rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(sg.jacfwd(f)(X), jax.jacfwd(theirs)(X), rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(sg.jacfwd(sg.jacfwd(f))(X), jax.jacfwd(jax.jacfwd(theirs))(X), rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize("name", NAMES)
def test_series_are_jaxs_nested_directional_derivatives(name, jax):
    def along(f):
        return lambda x: jax.jvp(f, (x,), (T,))[1]

    g = theirs = of_jax(jax)[name]
    found = sg.taylor(MINE[name], X, 3, T)
    np.testing.assert_allclose(found[0], theirs(X), rtol=1e-12)
    for k in range(1, 4):
        g = along(g)
        np.testing.assert_allclose(found[k], g(X) / math.factorial(k), rtol=1e-8, atol=1e-10)


def test_series_are_those_of_jet(jax):
    from jax.experimental.jet import jet

    def theirs(x):
        return jax.numpy.sin(jax.numpy.exp(x)) * jax.numpy.tanh(x)

    order = 8
    inputs = [jax.numpy.asarray(1.0)] + [jax.numpy.asarray(0.0)] * (order - 1)
    value, derivatives = jet(theirs, (0.3,), (inputs,))
    expected = [value, *(d / math.factorial(k) for k, d in enumerate(derivatives, 1))]
    found = sg.taylor(lambda x: sg.sin(sg.exp(x)) * sg.tanh(x), 0.3, order)
    np.testing.assert_allclose(found, np.array(expected), rtol=1e-9)


def test_containers_and_aux_are_jaxs(jax):
    def f(p, y):
        return {"a": p["w"] * y, "b": (p["w"].sum(), y)}, y * 2

    primals, tangents = ({"w": X}, 2.0), ({"w": T}, 0.5)
    value, t, aux = sg.jvp(f, primals, tangents, has_aux=True)
    theirs = jax.jvp(f, primals, tangents, has_aux=True)
    for found, expected in zip((value, t), theirs[:2], strict=True):
        np.testing.assert_allclose(found["a"], expected["a"])
        np.testing.assert_allclose(found["b"], expected["b"])
    assert aux == theirs[2]


# PyTorch --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_values_tangents_and_columns_are_torchs(name, torch):
    f, theirs = MINE[name], of_torch(torch)[name]
    x, t = torch.tensor(X), torch.tensor(T)
    for found, expected in zip(sg.jvp(f, (X,), (T,)), torch.func.jvp(theirs, (x,), (t,)), strict=True):
        np.testing.assert_allclose(found, expected.numpy(), rtol=1e-10, atol=1e-12)
    if name not in ("special",):  # PyTorch has no batching rule for lgamma's derivative in forward mode everywhere
        np.testing.assert_allclose(sg.jacfwd(f)(X), torch.func.jacfwd(theirs)(x).numpy(), rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize(
    "of",
    [
        lambda lib, z: lib.exp(z) * z, lambda lib, z: lib.abs(z), lambda lib, z: z.conj() * z,
        lambda lib, z: lib.angle(z), lambda lib, z: z.real * z.imag, lambda lib, z: lib.view_as_real(z) * 2,
        lambda lib, z: lib.sqrt(z) + 1 / z, lambda lib, z: lib.complex(z.real**2, z.imag),
    ],
)  # fmt: skip
def test_tangents_of_complex_numbers_are_torchs(of, torch):
    z, v = np.array([1 + 2j, -0.5 + 0.5j]), np.array([1j, 2 - 1j])
    found = sg.jvp(lambda z: of(sg, z), (z,), (v,))[1]
    expected = torch.func.jvp(lambda z: of(torch, z), (torch.tensor(z),), (torch.tensor(v),))[1]
    np.testing.assert_allclose(found, expected.resolve_conj().numpy(), rtol=1e-12)


def test_a_functions_own_jvp_gives_what_it_gives_in_torch(torch):
    def cube(lib):
        class Cube(lib.autograd.Function):
            @staticmethod
            def forward(x, a):
                return x**3 * a

            @staticmethod
            def setup_context(ctx, inputs, output):
                x, ctx.a = inputs
                ctx.save_for_backward(x)
                ctx.save_for_forward(x)

            @staticmethod
            def backward(ctx, g):
                (x,) = ctx.saved_tensors
                return 3 * x**2 * ctx.a * g, None

            @staticmethod
            def jvp(ctx, t, _):
                (x,) = ctx.saved_tensors
                return 3 * x**2 * ctx.a * t

        return lambda x: Cube.apply(x, 2.0)

    found = sg.jvp(cube(sg), (X,), (T,))[1]
    expected = torch.func.jvp(cube(torch), (torch.tensor(X),), (torch.tensor(T),))[1]
    np.testing.assert_allclose(found, expected.numpy(), rtol=1e-12)


@pytest.mark.parametrize("seed", range(60))
def test_tangents_of_random_programs_are_torchs(seed, torch):
    program = program_of(seed, smooth=True)
    rng = np.random.default_rng(seed)
    tangents = [np.asarray(rng.normal(size=a.shape)) for a in program.leaves]
    random.seed(seed)
    leaves = tuple(torch.tensor(a) for a in program.leaves)
    expected = torch.func.jvp(lambda *xs: program.loss(torch, list(xs)), leaves, tuple(map(torch.tensor, tangents)))
    found = sg.jvp(lambda *xs: program.loss(sg, list(xs)), tuple(program.leaves), tuple(tangents))
    np.testing.assert_allclose(found[0], expected[0].numpy(), rtol=1e-9)
    np.testing.assert_allclose(found[1], expected[1].numpy(), rtol=1e-8, atol=1e-10)
