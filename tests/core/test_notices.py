"""NumPy's floating-point notices: results are the same whatever the user wants to be told, and nothing is told."""

import threading
import warnings

import numpy as np
import pytest

import symgrad as sg

from ..helpers.cases import one_in
from ..helpers.rows import DEAR, SAMPLED, arrays_of, at_edges, call, is_draw, leaves_of, rows, tensors, wanted, weights


def outcome(op, operands, params):
    """Values, gradients, gradients with a graph, their derivatives, forward mode; an error is an outcome as well."""
    found = []

    def add(ts):
        found.extend(None if t is None else t.detach().numpy() for t in ts)
        return [t for t in ts if t is not None and t.requires_grad]

    def gradients(outs, **options):
        ws = [sg.tensor(w) for w in weights(arrays_of(outs))]
        return add(sg.autograd.grad(outs, xs, ws, allow_unused=True, retain_graph=True, **options))

    live = wanted(op, operands)
    ts = tensors(operands, live)
    try:
        outs, xs = add(call(op, ts, params)), leaves_of(ts)
        if outs and xs:
            gradients(outs)
            first = gradients(outs, create_graph=True)
            if first:
                gradients(first)
            moved = tuple(operands[i] for i in live)
            put = dict(zip(live, range(len(live)), strict=True))

            def of_moved(*xs):
                results = call(op, [xs[put[i]] if i in put else a for i, a in enumerate(operands)], params)
                return tuple(r for r in results if r.dtype.is_floating_point)

            found.extend(sg.jvp(of_moved, moved, tuple(np.ones_like(a) for a in moved))[1])
    except Exception as error:
        found.append(type(error))
    return found


@one_in(24)
@rows([op for op in SAMPLED if not is_draw(op)], slow=DEAR)
def test_a_row_at_its_edges_is_the_same_under_every_setting(op):
    for k, (operands, params) in enumerate(at_edges(op)):  # by turns: each setting meets each edge
        expected = outcome(op, operands, params)
        every = "warn" if k % 4 in (0, 3) else "raise"
        with warnings.catch_warnings(record=True) as told, np.errstate(all=every):
            warnings.simplefilter("always" if every == "warn" else "error")
            found = outcome(op, operands, params)
        assert not told
        assert len(found) == len(expected)
        for a, b in zip(found, expected, strict=True):
            np.testing.assert_array_equal(a, b)


LARGE = sg._limits.BIG + 1


@pytest.mark.parametrize("run", [
    lambda: sg.log(np.zeros(2)), lambda: np.log(sg.zeros(2)), lambda: sg.zeros(2).log_(), lambda: sg.zeros(2) / 0,
    lambda: sg.log(sg.zeros(2), out=sg.empty(2)), lambda: sg.log(sg.zeros(LARGE)), lambda: sg.zeros(2).sub(1).log(),
    lambda: sg.tensor([np.inf, -np.inf]).mean(), lambda: sg.tensor([1e300]).to(sg.float32),
    lambda: sg.tensor([1e300] * 2).std(), lambda: sg.compile(lambda x: np.log(x).sum(), "gh")(np.zeros(2)),
    lambda: sg.hessian(lambda x: np.log(x).sum())(np.zeros(2)),
    lambda: sg.symbol("x").log().formula()(x=0.0), lambda: repr(sg.tensor([np.inf, np.nan, 1e300, 5e-324])),
    lambda: sg.nn.functional.cross_entropy(sg.tensor([[np.inf, 0.0]]), sg.tensor([0])),
    lambda: sg.nn.functional.normalize(sg.tensor([1e300, 0.0]), dim=0),
    lambda: sg.linalg.norm(sg.tensor([1e300, 1e300])), lambda: sg.tensor([np.inf]).allclose(sg.tensor([np.inf])),
    lambda: sg.tensor([1e300, np.nan]).to(sg.int64), lambda: sg.vmap(sg.log)(np.zeros(9)),
    lambda: sg.special.xlogy(0.0, sg.zeros(1)), lambda: sg.tensor([1e30], dtype=sg.float16),
    lambda: sg.as_tensor(np.array([1e30]), dtype=sg.float16), lambda: sg.full((2,), 1e30, dtype=sg.float16),
])  # fmt: skip
def test_nothing_is_told_on_other_ways_to_an_operation(run):
    for state, filters in (("raise", "error"), ("warn", "error"), ("warn", "always"), ("print", "always")):
        with warnings.catch_warnings(record=True) as told, np.errstate(all=state):
            warnings.simplefilter(filters)
            run()
        assert not [w for w in told if issubclass(w.category, RuntimeWarning)]


def test_your_own_calls_of_numpy_are_as_you_set_them():
    sg.log(sg.zeros(2))
    with np.errstate(all="raise"):
        sg.log(sg.zeros(2, requires_grad=True)).sum().backward()
        with pytest.raises(FloatingPointError):
            np.log(np.zeros(2))
    with pytest.warns(RuntimeWarning, match="divide by zero"):
        np.log(np.zeros(2))
    assert np.geterr() == {"divide": "warn", "over": "warn", "under": "ignore", "invalid": "warn"}


def test_an_operation_that_fails_leaves_the_setting_as_it_was():
    x = sg.ones(2)
    for run in (lambda: x + sg.ones(3), lambda: sg.sum(x, 5), lambda: sg.cat([x, sg.ones(1, 2)])):
        with np.errstate(all="raise"):
            with pytest.raises(sg.SymgradError):
                run()
            assert set(np.geterr().values()) == {"raise"}


def test_threads_that_compute_at_once_hold_notices_back_each():
    """A ufunc lets go of the interpreter's lock, so two threads meet in the quiet context."""
    n, wrong = 20_000, []

    def work():
        x = sg.zeros(n)
        for _ in range(200):
            with np.errstate(all="raise"):
                if sg.log(x)[0] != -np.inf:
                    wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(4)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert not wrong
