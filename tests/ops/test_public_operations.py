"""Every operation that is promised exists under PyTorch's name: as a function, as a method where PyTorch has one (and
for the activations too), and takes ``dim`` or NumPy's ``axis``."""

import numpy as np
import pytest
import scipy.special

import symgrad as sg

BOTH = """
add sub mul div neg remainder fmod pow abs sign reciprocal sqrt rsqrt square exp exp2 expm1 log log2 log10 log1p sin cos
tan asin acos atan atan2 sinh cosh tanh asinh acosh atanh sigmoid softplus relu leaky_relu elu gelu silu logsigmoid erf
erfc erfinv lgamma digamma polygamma floor ceil round trunc frac clamp clamp_min clamp_max minimum maximum where lerp
hypot logaddexp xlogy nan_to_num heaviside eq ne lt le gt ge sum mean prod var std amax amin max min argmax argmin
median logsumexp cumsum cumprod cummax norm any all count_nonzero softmax log_softmax reshape flatten unflatten squeeze
unsqueeze transpose permute movedim swapaxes broadcast_to tile repeat_interleave flip roll rot90 split chunk unbind tril
triu diag diagonal diag_embed trace gather scatter scatter_add index_select index_add masked_fill masked_select take
sort topk matmul mm mv bmm dot outer inner kron cross baddbmm addmm clone det slogdet cholesky inverse logdet
softsign
""".split()  # noqa: SIM905
FUNCTIONS = """
cat stack hstack vstack pad meshgrid einsum tensordot tensor as_tensor from_numpy zeros ones full empty eye arange
linspace logspace zeros_like ones_like full_like empty_like rand rand_like randn randn_like randint normal bernoulli
randperm manual_seed
""".split()  # noqa: SIM905
METHODS = """
view expand repeat item tolist numpy to double float int long bool type add_ sub_ mul_ div_ pow_ exp_ zero_ fill_ copy_
detach detach_ requires_grad_ retain_grad register_hook backward formula sympy __getitem__ __setitem__ __add__ __radd__
__sub__ __rsub__ __mul__ __rmul__ __truediv__ __rtruediv__ __pow__ __rpow__ __mod__ __rmod__ __matmul__ __rmatmul__
__floordiv__ __rfloordiv__ __neg__ __abs__ __iadd__ __isub__ __imul__ __itruediv__ __ipow__
""".split()  # noqa: SIM905
LINALG = ["inv", "solve", "det", "slogdet", "cholesky", "norm"]
ALONG_A_DIMENSION = """
sum mean prod var std amax amin max min argmax argmin median logsumexp cumsum cumprod cummax norm any all count_nonzero
softmax log_softmax sort topk squeeze unsqueeze flip split chunk unbind roll repeat_interleave
""".split()  # noqa: SIM905
ARGUMENTS = {"topk": (1,), "split": (1,), "chunk": (1,), "roll": (1,), "repeat_interleave": (2,)}


@pytest.mark.parametrize("name", BOTH)
def test_operation_is_a_function_and_a_method(name):
    assert callable(getattr(sg, name))
    assert callable(getattr(sg.Tensor, name))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_operation_is_a_function(name):
    assert callable(getattr(sg, name))


@pytest.mark.parametrize("name", METHODS)
def test_operation_is_a_method(name):
    assert callable(getattr(sg.Tensor, name))


@pytest.mark.parametrize("name", ["T", "mT", "H", "mH", "real", "imag", "shape", "dtype", "grad", "grad_fn", "is_leaf"])
def test_member_is_a_property(name):
    assert isinstance(getattr(sg.Tensor, name), property)


@pytest.mark.parametrize("name", LINALG)
def test_operation_of_linear_algebra(name):
    assert callable(getattr(sg.linalg, name))


@pytest.mark.parametrize("name", ALONG_A_DIMENSION)
def test_dim_and_axis_mean_the_same(name):
    x = sg.tensor(np.random.default_rng(0).normal(size=(3, 1, 4) if name == "squeeze" else (3, 2, 4)))
    arguments = ARGUMENTS.get(name, ())

    def values(result):
        parts = result if isinstance(result, (tuple, list)) else (result,)
        return [p.tolist() for p in parts]

    if name in ("flip", "roll"):
        by_dim = getattr(x, name)(*arguments, 1)
    else:
        by_dim = getattr(x, name)(*arguments, dim=1)
    assert values(getattr(x, name)(*arguments, axis=1)) == values(by_dim)
    assert values(getattr(sg, name)(x, *arguments, axis=1)) == values(by_dim)


@pytest.mark.parametrize("name", ["sum", "mean", "amax", "var", "std", "logsumexp", "any", "all", "norm"])
def test_keepdim_and_keepdims_mean_the_same(name):
    x = sg.ones(2, 3)
    assert getattr(x, name)(axis=1, keepdims=True).shape == (2, 1) == getattr(x, name)(dim=1, keepdim=True).shape


def test_logsumexp_without_dim_is_over_all_as_scipys():
    x = sg.tensor([[0.5, 1.0, -2.0], [3.0, 0.1, 0.2]], requires_grad=True)
    expected = scipy.special.logsumexp(x.detach().numpy())
    assert x.logsumexp().item() == pytest.approx(expected, rel=1e-15) and sg.logsumexp(x, keepdim=True).shape == (1, 1)
    (g,) = sg.autograd.grad(sg.logsumexp(x), x)
    np.testing.assert_allclose(g.numpy(), scipy.special.softmax(x.detach().numpy()), rtol=1e-14)


def test_a_diagonal_needs_two_different_dimensions():
    A = sg.ones(3, 3)
    again = lambda: sg.diagonal_scatter(A, A[0], 0, 0, 0)
    for refused in (lambda: A.diagonal(0, 1, -1), lambda: sg.diag_embed(A, 0, 1, 1), again):
        with pytest.raises(sg.ShapeError, match="diagonal dimensions cannot be identical"):
            refused()


def test_differences_of_order_0_are_the_input_without_what_is_put_at_its_ends():
    x = sg.tensor([1.0, 4.0, 9.0], requires_grad=True)
    for ends in ({}, {"prepend": sg.zeros(2)}, {"append": x}, {"prepend": 5.0, "append": sg.ones(1)}):
        y = sg.diff(x, 0, **ends)
        assert y.tolist() == x.tolist() and y is not x
        assert np.diff(x, 0, **ends).tolist() == x.tolist()
        (g,) = sg.autograd.grad((y * y).sum(), x)
        assert g.tolist() == [2.0, 8.0, 18.0]
    with pytest.raises(ValueError, match="order must be non-negative but got -1"):
        sg.diff(x, -1)


def test_a_number_at_the_end_of_differences_stands_for_as_many_as_it_takes():
    x = sg.ones(2, 3)
    assert sg.diff(x, prepend=5.0).tolist() == np.diff(x.numpy(), prepend=5.0).tolist()
    assert sg.diff(x, dim=0, append=2.0).tolist() == np.diff(x.numpy(), axis=0, append=2.0).tolist()
