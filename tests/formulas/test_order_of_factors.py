"""Products in canonical order: the same term however factors are ordered and summed indices are called."""

import numpy as np
import pytest

import symgrad as sg
from symgrad._trees import postorder
from symgrad.terms.canonical import _digest, _in_order, symmetry
from symgrad.terms.node import Ein
from symgrad.terms.normal_form import ein


def network(X, Y, V, W):
    return ((sg.tanh(sg.tanh(X @ V) @ W) - Y) ** 2).sum()


def attention(X, Y, V, W):
    return ((sg.softmax(X @ W @ X.T, -1) @ X @ V - Y) ** 2).sum()


def products(function, wrt, **facts):
    shapes = {"X": ("b", "n"), "Y": ("b", "n"), "V": ("n", "n"), "W": ("n", "n")}
    f = sg.formula(function, *[sg.symbol(name, shape, **facts.get(name, {})) for name, shape in shapes.items()])
    g = f.grad(wrt)
    terms = postorder(f.term, g.term, g.jacobian(wrt).term)
    return [t for t in terms if isinstance(t, Ein) and len(t.factors) > 1]


EACH = pytest.mark.parametrize(
    ("function", "facts"),
    [(network, {}), (network, {"V": {"symmetric": True}}), (attention, {}), (attention, {"W": {"symmetric": True}})],
)


@EACH
@pytest.mark.parametrize("wrt", ["V", "W"])
def test_a_product_is_one_term_in_any_order_and_with_any_names(function, facts, wrt):
    rng = np.random.default_rng(0)
    for term in products(function, wrt, **facts):
        names = [*range(term.rank), *(100 + rng.permutation(len(term.dims) - term.rank))]
        shuffled = [term.factors[k] for k in rng.permutation(len(term.factors))]
        factors = [(f, tuple([int(names[k]) for k in s])) for f, s in shuffled]
        assert ein(term.coef, factors, tuple(range(term.rank)), dict(enumerate(term.shape))) is term


@EACH
def test_colours_of_indices_say_nothing_where_no_factors_are_alike(function, facts):
    seen = 0
    for term in products(function, "V", **facts):
        factors, out = list(term.factors), tuple(range(term.rank))
        signs = [symmetry(f) if len(s) == 2 else 0 for f, s in factors]
        if not any(signs) and len({f.digest for f, _ in factors}) == len(factors):
            seen += 1
            assert _in_order(factors, out, signs) == (1, sorted(factors, key=_digest))
    assert seen
