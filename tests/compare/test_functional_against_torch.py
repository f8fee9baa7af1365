"""Function transforms against PyTorch: random small programs, every transform and nestings of them, errors too.

The one idea: a program is data, run by both libraries; a transform is a function of (library, program). What comes
out must agree in structure, shape, value and whether it requires grad.
"""

import numpy as np
import pytest

import symgrad as sg

from ..helpers.user_defined import pointwise
from ._answers import answer
from ._same import both

pytestmark = pytest.mark.compare

STEPS = {
    "sin": lambda L, a, b: L.sin(a),
    "tanh": lambda L, a, b: L.tanh(a),
    "bump": lambda L, a, b: L.exp(-a * a),
    "mul": lambda L, a, b: a * b,
    "add": lambda L, a, b: a + b,
    "ratio": lambda L, a, b: a / (1 + b**2),
    "softmax": lambda L, a, b: L.softmax(a * b, 0),
    "cumsum": lambda L, a, b: L.cumsum(a, 0),
    "relu": lambda L, a, b: L.relu(a) - 0.5 * b,
    "where": lambda L, a, b: L.where(a > 0.1, a * b, b - a),
    "centred": lambda L, a, b: a - b.mean(),
    "outer": lambda L, a, b: L.outer(a, b) @ a,
    "flip": lambda L, a, b: L.flip(a, (0,)) * b,
    "index": lambda L, a, b: L.stack([a[1], b[0], a[2] * b[2]]),
    "reshape": lambda L, a, b: (a.reshape(3, 1) * b.reshape(1, 3)).sum(1),
    "cat": lambda L, a, b: L.cat([a[1:], b[:1]]),
    "log": lambda L, a, b: L.log1p(a * a),
    "scaled": lambda L, a, b: a * (a * b).sum(),
}
SEEDS = range(10)


def program(seed):
    """Up to eight steps on vectors of length 3, as (name, operand, operand)."""
    rng = np.random.default_rng(seed)
    names = rng.choice(sorted(STEPS), size=rng.integers(4, 9))
    return [(name, *rng.integers(max(0, k - 2), k + 2, size=2)) for k, name in enumerate(names)]


def vector_function(L, steps):
    def f(x, y):
        values = [x, y]
        for name, i, j in steps:
            values.append(STEPS[name](L, values[i], values[j]))
        return values[-1] + 0.1 * x * y

    return f


def number_function(L, steps):
    f = vector_function(L, steps)
    return lambda x, y: (f(x, y) * L.sin(f(y, x))).sum()


def inputs(L, seed, requires_grad=False):
    rng = np.random.default_rng(1000 + seed)
    return tuple(L.tensor(rng.uniform(-1, 1, 3), dtype=L.float64, requires_grad=requires_grad) for _ in range(2))


def described(L, result):
    """A result with its tensors as data: numbers, and whether they require grad."""
    if isinstance(result, L.Tensor):
        return "tensor", result.detach().numpy(), result.requires_grad
    if isinstance(result, (tuple, list)):
        return type(result)([described(L, r) for r in result])
    if isinstance(result, dict):
        return {k: described(L, r) for k, r in result.items()}
    return result


def same(ours, theirs, path=""):
    """Whether descriptions agree in structure, dtype, shape, value and requires_grad."""
    assert type(ours) is type(theirs), (path, type(ours))
    if isinstance(theirs, np.ndarray):
        assert ours.shape == theirs.shape and ours.dtype == theirs.dtype, path
        np.testing.assert_allclose(ours, theirs, rtol=1e-8, atol=1e-10, err_msg=path)
    elif isinstance(theirs, (tuple, list)):
        assert len(ours) == len(theirs), path
        for k, (a, b) in enumerate(zip(ours, theirs, strict=True)):
            same(a, b, f"{path}[{k}]")
    elif isinstance(theirs, dict):
        assert set(ours) == set(theirs), path
        for k in theirs:
            same(ours[k], theirs[k], f"{path}[{k!r}]")
    else:
        assert ours == theirs, path


def assert_same(run):
    """Compare what symgrad does with what PyTorch does."""

    def seen(L):
        return described(L, run(L))

    same(seen(sg), answer("torch", seen, bits=40))


def several(f, n):
    return lambda x, y: {"f": f(x, y), "n": (n(x, y),)}


FUNC = {
    "grad": lambda L, F, f, n, x, y: F.grad(n)(x, y),
    "grad argnums": lambda L, F, f, n, x, y: F.grad(n, argnums=(1, 0))(x, y),
    "grad and value": lambda L, F, f, n, x, y: F.grad_and_value(n, argnums=-1)(x, y),
    "aux": lambda L, F, f, n, x, y: F.grad_and_value(lambda x, y: (n(x, y), {"f": f(x, y)}), has_aux=True)(x, y),
    "vjp": lambda L, F, f, n, x, y: (lambda out, pull: (out, pull(x), pull(y)))(*F.vjp(f, x, y)),
    "vjp of a dictionary": lambda L, F, f, n, x, y: F.vjp(
        lambda d: (f(d["x"], d["y"]), [n(d["x"], d["y"])]), {"x": x, "y": y}
    )[1]((y, [x.sum()])),
    "jvp": lambda L, F, f, n, x, y: F.jvp(f, (x, y), (y, x)),
    "jvp aux": lambda L, F, f, n, x, y: F.jvp(lambda x, y: ([f(x, y)], n(x, y)), (x, y), (y, x), has_aux=True),
    "linearize": lambda L, F, f, n, x, y: (lambda out, push: (out, push(x, y), push(y, y)))(*F.linearize(f, x, y)),
    "jacrev": lambda L, F, f, n, x, y: F.jacrev(f, argnums=(0, 1))(x, y),
    "jacfwd": lambda L, F, f, n, x, y: F.jacfwd(f, argnums=(0, 1))(x, y),
    "jacrev of several": lambda L, F, f, n, x, y: F.jacrev(several(f, n), argnums=1)(x, y),
    "jacfwd of several": lambda L, F, f, n, x, y: F.jacfwd(several(f, n), argnums=1)(x, y),
    "jacrev aux": lambda L, F, f, n, x, y: F.jacrev(lambda x, y: (f(x, y), n(x, y)), has_aux=True)(x, y),
    "hessian": lambda L, F, f, n, x, y: F.hessian(n, argnums=(0, 1))(x, y),
    "hessian of a vector": lambda L, F, f, n, x, y: F.hessian(f)(x, y),
    "rev fwd": lambda L, F, f, n, x, y: F.jacrev(F.jacfwd(n), argnums=1)(x, y),
    "fwd fwd": lambda L, F, f, n, x, y: F.jacfwd(F.jacfwd(n, argnums=1))(x, y),
    "rev rev": lambda L, F, f, n, x, y: F.jacrev(F.jacrev(n, argnums=1))(x, y),
    "hvp": lambda L, F, f, n, x, y: F.jvp(F.grad(n), (x, y), (y, x)),
    "vjp of grad": lambda L, F, f, n, x, y: F.vjp(F.grad(n), x, y)[1](x),
    "gradient norm": lambda L, F, f, n, x, y: F.grad(lambda x, y: (F.grad(n)(x, y) ** 2).sum())(x, y),
    "third order": lambda L, F, f, n, x, y: F.jacrev(lambda x: F.jvp(F.grad(n), (x, y), (y, x))[1])(x),
    "closure": lambda L, F, f, n, x, y: F.grad(lambda a: (a * F.grad(lambda b: (n(a, b) * b).sum())(y)).sum())(x),
    "vmap": lambda L, F, f, n, x, y: F.vmap(f, in_dims=(0, None), out_dims=1)(L.stack([x, y, x * y, x]), y),
    "vmap of grad": lambda L, F, f, n, x, y: F.vmap(F.grad(n, argnums=(0, 1)), in_dims=(1, 0))(
        L.stack([x, y], 1), L.stack([y, y])
    ),
    "vmap of hessian": lambda L, F, f, n, x, y: F.vmap(F.hessian(n))(L.stack([x, y]), L.stack([y, y])),
    "jacobian of vmap": lambda L, F, f, n, x, y: F.jacrev(F.vmap(n, in_dims=(0, None)))(L.stack([x, y]), y),
    "vmap of vmap": lambda L, F, f, n, x, y: F.vmap(F.vmap(n, in_dims=(None, 0)), in_dims=(0, None))(
        L.stack([x, y]), L.stack([y, x, y])
    ),
    "unused": lambda L, F, f, n, x, y: (
        F.grad(lambda a: n(x, y))(x), F.jacrev(lambda a: f(x, y))(x), F.jacfwd(lambda a: f(x, y))(x),
        F.hessian(lambda a: a.sum())(x),
    ),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", FUNC)
def test_func_agrees(name, seed):
    def run(L):
        steps = program(seed)
        return FUNC[name](L, L.func, vector_function(L, steps), number_function(L, steps), *inputs(L, seed))

    assert_same(run)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", [n for n in FUNC if n not in ("linearize",)])
def test_func_of_tensors_that_require_grad_is_differentiated(name):
    def total(L, result):
        if isinstance(result, dict):
            result = list(result.values())
        return sum((total(L, r) for r in result), 0.0) if isinstance(result, (tuple, list)) else L.sin(result).sum()

    def run(L):
        steps = program(3)
        x, y = inputs(L, 3, requires_grad=True)
        result = FUNC[name](L, L.func, vector_function(L, steps), number_function(L, steps), x, y)
        out = total(L, result)
        grads = L.autograd.grad(out, (x, y), allow_unused=True) if out.requires_grad else None
        return result, grads

    assert_same(run)


FUNCTIONAL = {
    "jacobian": lambda A, f, n, x, y, **k: A.jacobian(f, (x, y), **k),
    "jacobian of one": lambda A, f, n, x, y, **k: A.jacobian(lambda x: (f(x, y), n(x, y)), x, **k),
    "jacobian of both": lambda A, f, n, x, y, **k: A.jacobian(lambda x, y: (f(x, y), n(x, y)), (x, y), **k),
    "hessian": lambda A, f, n, x, y, **k: A.hessian(n, (x, y), **k),
    "hessian of one": lambda A, f, n, x, y, **k: A.hessian(lambda x: n(x, y).reshape(1, 1), x, **k),
    "vjp": lambda A, f, n, x, y, **k: A.vjp(f, (x, y), x * y, **k),
    "vjp of a number": lambda A, f, n, x, y, **k: A.vjp(n, (x, y), **k),
    "jvp": lambda A, f, n, x, y, **k: A.jvp(f, (x, y), (y, x), **k),
    "vhp": lambda A, f, n, x, y, **k: A.vhp(n, (x, y), (y, x), **k),
    "hvp": lambda A, f, n, x, y, **k: A.hvp(n, (x, y), (y, x), **k),
}


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", FUNCTIONAL)
def test_functional_agrees(name, seed):
    def run(L):
        steps = program(seed)
        f, n = vector_function(L, steps), number_function(L, steps)
        return FUNCTIONAL[name](L.autograd.functional, f, n, *inputs(L, seed))

    assert_same(run)


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("name", FUNCTIONAL)
def test_functional_with_create_graph_is_differentiated(name, strict):
    def run(L):
        steps = program(5)
        x, y = inputs(L, 5, requires_grad=True)
        f, n = vector_function(L, steps), number_function(L, steps)
        result = FUNCTIONAL[name](L.autograd.functional, f, n, x, y, create_graph=True, strict=strict)
        total = 0.0
        stack = [result]
        while stack:
            r = stack.pop()
            if isinstance(r, tuple):
                stack += r
            else:
                total = total + L.sin(r).sum()
        return result, L.autograd.grad(total, (x, y))

    assert_same(run)


def errors(L, F, A):
    """Calls that fail, each with the words to compare (PyTorch's up to the first number or type that is its own)."""
    x, y, m = L.ones(3), L.ones(2), L.ones(2, 3)
    return {
        "vector": lambda: F.grad(lambda x: x * 2)(x),
        "no tensor": lambda: F.grad(lambda x: 3.0)(x),
        "argnums too large": lambda: F.grad(lambda x: x.sum(), argnums=2)(x),
        "no argnums": lambda: F.grad(lambda x: x.sum(), argnums=())(x),
        "argnums twice": lambda: F.grad(lambda x, y: x.sum(), argnums=(0, 0))(x, x),
        "aux missing": lambda: F.grad(lambda x: x.sum(), has_aux=True)(x),
        "vjp aux missing": lambda: F.vjp(lambda x: x.sum(), x, has_aux=True),
        "cotangent structure": lambda: F.vjp(lambda x: x, x)[1]((x, x)),
        "integers": lambda: F.vjp(lambda x: x.long(), x),
        "primals no tuple": lambda: F.jvp(lambda x: x, x, x),
        "tangent structure": lambda: F.jvp(lambda x: x, (x,), (x, x)),
        "strict": lambda: F.jvp(lambda x: L.ones(2), (x,), (x,), strict=True),
        "complex": lambda: F.jacrev(lambda x: x)(x * 1j),
        "chunk": lambda: F.jacrev(lambda x: x, chunk_size=0),
        "sizes": lambda: F.vmap(lambda a, b: a.sum() + b.sum())(x, y),
        "dims": lambda: F.vmap(lambda a: a, in_dims=3)(x),
        "dims structure": lambda: F.vmap(lambda a: a, in_dims=(0, 0))(x),
        "dims type": lambda: F.vmap(lambda a: a, in_dims="no")(x),
        "no batch": lambda: F.vmap(lambda a: a, in_dims=None)(x),
        "none mapped": lambda: F.vmap(lambda a: a, in_dims=(None,))(x),
        "no inputs": lambda: F.vmap(lambda: x)(),
        "not a tensor in": lambda: F.vmap(lambda a, b: a, in_dims=(0, 0))(x, 2.0),
        "not a tensor out": lambda: F.vmap(lambda a: 3.0)(x),
        "out dims": lambda: F.vmap(lambda a: a, out_dims=(0, 0))(x),
        "out dims type": lambda: F.vmap(lambda a: a, out_dims="no")(x),
        "randomness": lambda: F.vmap(lambda a: a, randomness="no")(x),
        "random": lambda: F.vmap(lambda a: a + L.randn(3))(m),
        "vmap chunk": lambda: F.vmap(lambda a: a, chunk_size=0)(x),
        "functional inputs": lambda: A.jacobian(lambda x: x, 3.0),
        "functional tuple": lambda: A.jacobian(lambda x, y: x, (x, 3.0)),
        "functional output": lambda: A.jacobian(lambda x: 3.0, x),
        "vjp without vector": lambda: A.vjp(lambda x: x, x),
        "jvp without vector": lambda: A.jvp(lambda x: x, x),
        "hvp without vector": lambda: A.hvp(lambda x: x.sum(), x),
        "vector size": lambda: A.vjp(lambda x: x, x, y),
        "vector length": lambda: A.vjp(lambda x: (x, x), x, (x,)),
        "vector entry": lambda: A.jvp(lambda x, z: x, (x, x), (x, y)),
        "one vector": lambda: A.jvp(lambda x: x, x, (x, x)),
        "hessian of a vector": lambda: A.hessian(lambda x: x, x),
        "hessian of two": lambda: A.hessian(lambda x: (x.sum(), x.sum()), x),
        "vhp of a vector": lambda: A.vhp(lambda x: x * x, x, x),
        "strict output": lambda: A.jacobian(lambda x: L.ones(2), x, strict=True),
        "strict input": lambda: A.jacobian(lambda x, z: x * 2, (x, x), strict=True),
        "strict vjp": lambda: A.vjp(lambda x, z: x.sum(), (x, x), strict=True),
        "strict jvp": lambda: A.jvp(lambda x: x * 2, x, x, strict=True, create_graph=True),
        "strict hessian": lambda: A.hessian(lambda x: (x * 2).sum(), x, strict=True),
        "strict hvp": lambda: A.hvp(lambda x: (x * 2).sum(), x, x, strict=True),
        "strict vhp": lambda: A.vhp(lambda x, z: (x * x).sum() + z.sum(), (x, x), (x, x), strict=True),
        "strict vectorize": lambda: A.jacobian(lambda x: x, x, strict=True, vectorize=True),
        "strategy": lambda: A.jacobian(lambda x: x, x, strategy="no"),
        "forward create_graph": lambda: A.jacobian(lambda x: x, x, strategy="forward-mode", create_graph=True),
        "forward strict": lambda: A.jacobian(lambda x: x, x, strategy="forward-mode", strict=True),
        "forward no vectorize": lambda: A.jacobian(lambda x: x, x, strategy="forward-mode"),
    }


def words(error):
    text = str(error).splitlines()[0].replace("torch.Size", "Size").replace("torch.", "").replace("symgrad.", "")
    for cut in ("<class", "cotangents:", "in_dims has structure", "out_dims has structure", "Got primals", "dtype"):
        text = text.split(cut)[0]
    return text.replace(" ", "").rstrip(".").lower()  # one of PyTorch's messages lacks a space


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", errors(sg, sg.func, sg.autograd.functional))
def test_errors_agree(name):
    def run(L):
        errors(L, L.func, L.autograd.functional)[name]()

    with pytest.raises(Exception) as ours:
        run(sg)
    with pytest.raises(Exception) as theirs:
        answer("torch", run)
    assert isinstance(ours.value, theirs.type), (ours.type, theirs.type)
    assert words(ours.value) == words(theirs.value)


def checked(L):
    Wrong = pointwise(L, "Wrong", lambda x: x * x, lambda x, g: 2.02 * x.conj() * g)
    return {
        "real": lambda x, z: x.sin() * x.sum(),
        "wrong": lambda x, z: Wrong.apply(x),
        "square of a complex number": lambda x, z: z * z * x,
        "absolute value": lambda x, z: z.abs() + x,
        "conjugate": lambda x, z: z.conj() * z.real,
        "wrong for complex numbers": lambda x, z: Wrong.apply(z),
        "several": lambda x, z: (x.exp(), z.imag * x),
    }


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("fast", [False, True])
@pytest.mark.parametrize("name", checked(sg))
def test_gradcheck_gives_the_same_verdict(name, fast):
    def run(L):
        x = L.tensor([0.3, -0.7], dtype=L.float64, requires_grad=True)
        z = L.tensor([0.5 + 0.2j, -1.0 + 0.7j], dtype=L.complex128, requires_grad=True)
        f = checked(L)[name]
        verdicts = [
            check(f, (x, z), raise_exception=False, fast_mode=fast)
            for check in (L.autograd.gradcheck, L.autograd.gradgradcheck)
        ]
        if not verdicts[0]:
            with pytest.raises(RuntimeError, match="[Jj]acobian mismatch for output 0 with respect to input [01],"):
                L.autograd.gradcheck(f, (x, z), fast_mode=fast)
        return verdicts

    ours, theirs = both(run)
    assert ours == theirs


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("use_reentrant", [False, True])
def test_checkpoint_agrees(use_reentrant, seed):
    def run(L):
        calls = []
        x, y = inputs(L, seed, requires_grad=True)
        f = vector_function(L, program(seed))

        def counted(a, b):
            calls.append(1)
            return f(a, b)

        def nested(a, b):
            return L.utils.checkpoint.checkpoint(counted, a, b, use_reentrant=use_reentrant) * a

        L.utils.checkpoint.checkpoint(counted, x, y, use_reentrant=use_reentrant).sum().backward()
        once = len(calls)
        L.utils.checkpoint.checkpoint(nested, x, y, use_reentrant=use_reentrant).sum().backward()
        return x.grad, y.grad, once

    assert_same(run)


@pytest.mark.parametrize("seed", SEEDS)
def test_derivatives_of_a_checkpoint_agree(seed):
    def run(L):
        x, y = inputs(L, seed, requires_grad=True)
        n = number_function(L, program(seed))
        out = L.utils.checkpoint.checkpoint(n, x, y, use_reentrant=False)
        gx, gy = L.autograd.grad(out, (x, y), create_graph=True)
        return gx, gy, L.autograd.grad((gx * gy).sum(), (x, y))

    assert_same(run)
