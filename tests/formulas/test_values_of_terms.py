"""The numbers that formulas are checked by: products contracted in any order, terms contracted along directions."""

import numpy as np
import pytest

import symgrad as sg
from symgrad.formulas import formula
from symgrad.terms.evaluation import contract, evaluate, evaluate_along, stretched
from symgrad.terms.normal_form import ein

SIZES = (2, 3, 4, 5, 3, 2)


@pytest.mark.parametrize("seed", range(60))
def test_a_product_is_einsums(seed):
    rng = np.random.default_rng(seed)
    rank = int(rng.integers(0, 4))
    parts = [(np.array(2.0), ())] if seed % 7 == 0 else []
    for _ in range(int(rng.integers(1, 7))):
        labels = tuple(map(int, rng.integers(0, len(SIZES), rng.integers(1, 4))))
        array = rng.normal(size=[SIZES[k] for k in labels])
        parts.append((array + 1j if seed % 5 == 0 else array, labels))
    parts += [(np.ones(SIZES[k]), (k,)) for k in range(rank) if all(k not in s for _, s in parts)]
    value = contract(parts, rank)
    truth = np.einsum(*[x for a, s in parts for x in (a, list(s))], list(range(rank)))
    assert value.shape == truth.shape
    np.testing.assert_allclose(value, truth, rtol=1e-10, atol=1e-12)


def test_an_operand_has_its_axes_where_its_labels_say():
    x = np.arange(6.0).reshape(2, 3)
    np.testing.assert_array_equal(stretched(x, (2, 0), (0, 1, 2)), x.T[:, None, :])
    np.testing.assert_array_equal(stretched(x[:, :2], (1, 1), (0, 1)), np.diag(x[:, :2])[None, :])


def network(X, V, W):
    return ((sg.tanh(sg.tanh(X @ V) @ W)) ** 2).sum()


TERMS = {
    "network": (network, {"X": (3, 4), "V": (4, 4), "W": (4, 2)}, "V"),
    "a diagonal": (lambda x, A: (sg.exp(A @ x) * x).sum() + (x**3).sum(), {"x": (4,), "A": (4, 4)}, "x"),
    "softmax": (lambda Q, K: (sg.softmax(Q @ K.T, -1) ** 2).sum(), {"Q": (3, 2), "K": (4, 2)}, "Q"),
    "an inverse": (lambda A, y: y @ sg.linalg.solve(A @ A.T + sg.eye(3), y), {"A": (3, 3), "y": (3,)}, "A"),
    "slices": (lambda x: (sg.sin(x[1:]) * x[:-1] ** 2).sum() + x.cumsum(0).prod(), {"x": (5,)}, "x"),
    "an array": (lambda x, A: sg.tanh(A @ x)[1:] * x[0], {"x": (3,), "A": (4, 3)}, "x"),
    "a slice alone": (lambda x: x[1:], {"x": (4,)}, "x"),
    "a mixed one": (lambda x, A: sg.softmax(A @ x, 0)[1], {"x": (3,), "A": (4, 3)}, "x"),
}


@pytest.mark.parametrize("what", TERMS)
def test_along_directions_a_term_is_its_array_contracted(what):
    function, shapes, wrt = TERMS[what]
    rng = np.random.default_rng(0)
    point = {name: rng.normal(size=shape) for name, shape in shapes.items()}
    f = sg.formula(function, *point.values())
    for g in (f.jacobian(wrt), f.jacobian(wrt).jacobian(wrt)):
        whole = evaluate(g.term, point)
        rank = whole.ndim
        for open_ in {(), (0,), (rank - 1,), tuple(range(rank - 1)), tuple(range(1, rank)), tuple(range(rank))}:
            for groups in ([open_], [(k,) for k in open_]):
                directions = [(rng.normal(size=[whole.shape[k] for k in axes]), axes) for axes in groups if axes]
                operands = [x for d, axes in directions for x in (d, list(axes))]
                rest = [k for k in range(rank) if k not in open_]
                truth = np.einsum(whole, list(range(rank)), *operands, rest)
                value = evaluate_along(g.term, point, directions)
                assert value.shape == truth.shape
                np.testing.assert_allclose(value, truth, rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize("wrong", ["gradient", "derivative"])
def test_a_wrong_derivative_is_refused_whether_sizes_have_names_or_not(wrong, monkeypatch):
    for arguments in ([sg.symbol("A", ("m", "n")), sg.symbol("x", "n")], [np.eye(3) + 1, np.arange(3.0)]):
        f = sg.formula(lambda A, x: sg.cos(A @ x).sum(), *arguments)
        assert f.grad("x").jacobian("x").checked is True
        right = getattr(formula, wrong)

        def doubled(*args, right=right):
            axes = tuple(range(right(*args).rank))
            return ein(2, [(right(*args), axes)], axes)

        with monkeypatch.context() as patch:
            patch.setattr(formula, wrong, doubled)
            with pytest.raises(sg.FormulaError):
                f.grad("x").jacobian("x")
