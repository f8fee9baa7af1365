"""Bad input: every row raises the class a caller would catch, in well-known words, and changes nothing.

After each error the tensors hold the same bytes, versions and gradients as before, and the graph that
was there can still be walked.
"""

import copy
import importlib
import math
import re

import numpy as np
import pytest

import symgrad as sg
from symgrad import _errors, core

DIM = r"Dimension out of range \(expected to be in range of \[.*\], but got -?\d+\)"
BROADCAST = r"The size of tensor a \(\d\) must match the size of tensor b \(\d\) at non-singleton dimension \d"
SQUARE = "must be batches of square matrices"
INDEX_DTYPE = r"Expected dtype int32( or |/)int64 for index"
INTEGER_GRADIENT = "(?i)only Tensors of floating point (and complex )?dtype can require gradients"

SHAPES = [
    ("v + sg.ones(4)", RuntimeError, BROADCAST),
    ("x * sg.ones(2)", RuntimeError, BROADCAST),
    ("sg.ones(4) - v", RuntimeError, BROADCAST),
    ("x / sg.ones(3, 3)", RuntimeError, BROADCAST),
    ("x ** sg.ones(2, 2)", RuntimeError, BROADCAST),
    ("x > sg.ones(2)", RuntimeError, BROADCAST),
    ("sg.maximum(x, sg.ones(4))", RuntimeError, BROADCAST),
    ("sg.where(m, x, v[:2])", RuntimeError, "must match the size"),
    ("x @ x", RuntimeError, r"mat1 and mat2 shapes cannot be multiplied \(2x3 and 2x3\)"),
    ("sg.mm(x, c)", RuntimeError, r"mat1 and mat2 shapes cannot be multiplied \(2x3 and 2x3\)"),
    ("x @ sg.ones(2)", RuntimeError, "size mismatch"),
    ("sg.mv(x, sg.ones(2))", RuntimeError, "size mismatch"),
    ("sg.tensor(1.0) @ v", RuntimeError, "both arguments to matmul need to be at least 1D"),
    ("sg.mm(v, x)", RuntimeError, "must be a matrix"),
    ("sg.bmm(x, x)", RuntimeError, "must be a 3D tensor"),
    ("sg.dot(v, sg.ones(2))", RuntimeError, "same number of elements"),
    ("sg.dot(x, x)", RuntimeError, "1D tensors expected"),
    ("sg.outer(x, v)", RuntimeError, "Expected 1-D argument"),
    ("sg.cat([x, v])", RuntimeError, "Tensors must have same number of dimensions"),
    ("sg.cat([x, sg.ones(2, 2)])", RuntimeError, "Sizes of tensors must match except in dimension 0"),
    ("sg.cat([x, sg.ones(3, 3)], dim=1)", RuntimeError, "Sizes of tensors must match except in dimension 1"),
    ("sg.cat([])", ValueError, "expected a non-empty list of Tensors"),
    ("sg.stack([v, sg.ones(2)])", RuntimeError, "stack expects each tensor to be equal size"),
    ("sg.stack([])", RuntimeError, "stack expects a non-empty TensorList"),
    ("x.reshape(4)", RuntimeError, r"shape '\[4\]' is invalid for input of size 6"),
    ("x.reshape(4, -1)", RuntimeError, r"shape '\[4, -1\]' is invalid for input of size 6"),
    ("x.reshape(-1, -1)", RuntimeError, "only one dimension can be inferred"),
    ("x.view(4)", RuntimeError, r"shape '\[4\]' is invalid for input of size 6"),
    ("x.t().view(6)", RuntimeError, "view size is not compatible"),
    ("v.expand(2)", RuntimeError, r"The expanded size of the tensor \(2\) must match the existing size \(3\)"),
    ("x.expand(3)", RuntimeError, "must be greater or equal to the number of dimensions"),
    ("x.unflatten(1, (2, 2))", RuntimeError, "don't multiply up to the size of dim 1"),
    ("x.repeat(2)", RuntimeError, "Number of dimensions of repeat dims can not be smaller"),
    ("sg.ones(2, 2, 2).t()", RuntimeError, "expects a tensor with <= 2 dimensions"),
    ("x.permute(0)", RuntimeError, "number of dimensions in the tensor input does not match"),
    ("sg.split(v, [1, 1])", RuntimeError, "expects split_sizes to sum exactly to 3"),
    ("sg.split(v, -1)", RuntimeError, "non-negative"),
    ("sg.chunk(v, 0)", RuntimeError, "greater than 0"),
    ("sg.topk(v, 4)", RuntimeError, "selected index k out of range"),
    ("sg.diag(sg.ones(2, 2, 2))", RuntimeError, "1D or 2D"),
    ("sg.trace(v)", RuntimeError, "expected a matrix"),
    ("sg.tril(v)", RuntimeError, "at least 2 dimensions"),
    ("sg.linalg.cross(sg.ones(2), sg.ones(2))", RuntimeError, "must have length 3"),
    ("sg.tensordot(x, c, 1)", RuntimeError, "contracted dimensions need to match"),
    ("sg.ones(-1)", RuntimeError, "negative dimension"),
    ("sg.tensor([[1.0], [1.0, 2.0]])", ValueError, "expected sequence of length 1 at dim 1"),
    ("sg.nn.Linear(2, 1)(v)", RuntimeError, "shapes cannot be multiplied"),
    ("F.pad(v, (1, 1, 1, 1))", RuntimeError, "Padding length"),
    ("sg.func.vjp(lambda t: t, v)[1](sg.ones(2))", RuntimeError, "(?i)mismatch in shape"),
]

EINSUM = [
    ('sg.einsum("ij,jk->ik", x, c)', RuntimeError, "subscript j has size 2 for operand 1 which does not broadcast"),
    ('sg.einsum("ij->k", x)', RuntimeError, "output subscript k does not appear"),
    ('sg.einsum("ijk->i", x)', RuntimeError, "does not match the number of dimensions"),
    ('sg.einsum("ij,jk", x)', RuntimeError, "fewer operands were provided"),
    ('sg.einsum("i", v, v)', RuntimeError, "more operands were provided"),
    ('sg.einsum("i1->i", x)', RuntimeError, "subscripts must be in"),
    ('sg.einsum("ij->ii", x)', RuntimeError, "appears more than once in the output"),
]

DIMENSIONS = [
    ("v.sum(1)", IndexError, DIM),
    ("x.size(2)", IndexError, DIM),
    ("x.stride(-3)", IndexError, DIM),
    ("sg.tensor(1.0).size(0)", IndexError, "Dimension specified as 0 but tensor has no dimensions"),
    ("v.sum(-2)", IndexError, DIM),
    ("x.mean(2)", IndexError, DIM),
    ("v.softmax(1)", IndexError, DIM),
    ("x.cumsum(2)", IndexError, DIM),
    ("x.max(2)", IndexError, DIM),
    ("x.sort(2)", IndexError, DIM),
    ("x.transpose(0, 2)", IndexError, DIM),
    ("v.unsqueeze(3)", IndexError, DIM),
    ("v.squeeze(2)", IndexError, DIM),
    ("x.flip(2)", IndexError, DIM),
    ("sg.movedim(x, 0, 5)", IndexError, DIM),
    ("sg.unbind(v, 1)", IndexError, DIM),
    ("sg.cat([v, v], dim=2)", IndexError, DIM),
    ("sg.stack([v, v], dim=3)", IndexError, DIM),
    ("sg.gather(x, 2, i)", IndexError, DIM),
    ("x.sum((0, 0))", RuntimeError, "appears multiple times in the list of dims"),
    ("x.permute(0, 0)", RuntimeError, "duplicate dims are not allowed"),
    ("sg.ones(0).max()", RuntimeError, "Expected reduction dim to be specified"),
    ("sg.ones(0).argmax()", IndexError, "Expected reduction dim to be specified"),
    ("sg.ones(2, 0).amax(1)", IndexError, "Expected reduction dim 1 to have non-zero size"),
]

INDICES = [
    ("v[3]", IndexError, "index 3 is out of bounds for dimension 0 with size 3"),
    ("v[-4]", IndexError, "index -4 is out of bounds for dimension 0 with size 3"),
    ("v[0, 0]", IndexError, "too many indices for tensor of dimension 1"),
    ("v[sg.tensor([5])]", IndexError, "index 5 is out of bounds for dimension 0 with size 3"),
    ("v[sg.tensor([0.0])]", IndexError, "tensors used as indices must be long"),
    ("v[sg.tensor([True, False])]", IndexError, "The shape of the mask .* does not match the shape"),
    ("v[1.5]", IndexError, "only integers, slices"),
    ("v.sum()[0]", IndexError, "invalid index of a 0-dim tensor"),
    ("w.__setitem__(5, 1.0)", IndexError, "index 5 is out of bounds"),
    ("w.__setitem__(slice(0, 2), sg.ones(3))", RuntimeError, "must match the existing size"),
    ("sg.gather(v, 0, sg.tensor([0.0]))", RuntimeError, INDEX_DTYPE),
    ("sg.gather(v, 0, sg.tensor([5]))", RuntimeError, "index 5 is out of bounds for dimension 0 with size 3"),
    ("sg.gather(v, 0, sg.tensor([[0]]))", RuntimeError, "same number of dimensions"),
    ("sg.index_select(v, 0, sg.tensor([7]))", IndexError, "out of range"),
    ("sg.index_select(v, 0, sg.tensor([0.0]))", RuntimeError, INDEX_DTYPE),
    ("sg.scatter(v, 0, sg.tensor([7]), sg.ones(1))", RuntimeError, "index 7 is out of bounds"),
    ("sg.scatter_add(v, 0, sg.tensor([0.0]), sg.ones(1))", RuntimeError, INDEX_DTYPE),
    ("sg.take(v, sg.tensor([7]))", IndexError, "out of range"),
    ("sg.masked_select(v, sg.tensor([1.0, 0.0, 1.0]))", RuntimeError, "expected BoolTensor for mask"),
    ("sg.masked_fill(v, sg.tensor([1, 0, 1]), 0.0)", RuntimeError, "boolean mask"),
    ("sg.where(v, v, v)", RuntimeError, "expected condition to be a boolean tensor"),
    ("F.nll_loss(x, sg.tensor([0, 5]))", IndexError, "Target 5 is out of bounds"),
    ("F.cross_entropy(x, sg.tensor([0, 5]))", IndexError, "Target 5 is out of bounds"),
]

DTYPES = [
    ("i.mean()", RuntimeError, "must be either a floating point or complex dtype"),
    ("i.std()", RuntimeError, "only support floating point and complex dtypes"),
    ("m - m", RuntimeError, "Subtraction, the `-` operator, with two bool tensors is not supported"),
    ("-m", RuntimeError, "Negation, the `-` operator, on a bool tensor is not supported"),
    ("~v", TypeError, "only implemented on integer and Boolean-type tensors"),
    ("v & v", RuntimeError, "not implemented for|not supported"),
    ("z > 0", RuntimeError, "not implemented for|not supported"),
    ("z.max()", RuntimeError, "not implemented for|not supported"),
    ("z.floor()", RuntimeError, "not implemented for|not supported"),
    ("i ** -1", RuntimeError, "Integers to negative integer powers are not allowed"),
    ("i.requires_grad_()", RuntimeError, INTEGER_GRADIENT),
    ("sg.tensor([1, 2], requires_grad=True)", RuntimeError, INTEGER_GRADIENT),
    ("sg.ones(2, dtype=sg.bool, requires_grad=True)", RuntimeError, INTEGER_GRADIENT),
    ("sg.nn.Parameter(sg.tensor([1]))", RuntimeError, INTEGER_GRADIENT),
    ("i.add_(1.5)", RuntimeError, "can't be cast to the desired output type"),
    ("sg.tensor('abc')", TypeError, "invalid data type 'str'"),
    ("sg.tensor(None)", RuntimeError, "Could not infer dtype of NoneType"),
    ("sg.tensor({})", RuntimeError, "Could not infer dtype of dict"),
    ("sg.set_default_dtype(sg.int64)", TypeError, "only floating-point types are supported"),
    ("sg.from_numpy([1.0])", TypeError, r"expected np.ndarray \(got list\)"),
    ("v.expand(2, 1.5)", TypeError, "'float' object cannot be interpreted as an integer"),
    ("v.select(0, 0.5)", TypeError, "'float' object cannot be interpreted as an integer"),
    ("v.narrow(0, 0.5, 1)", TypeError, "'float' object cannot be interpreted as an integer"),
    ("v + 'a'", TypeError, "unsupported operand type"),
    ("v + None", TypeError, "unsupported operand type"),
    ("v @ 2", TypeError, "unsupported operand type"),
    ("sg.cat([v, 3])", TypeError, "expected Tensor as element 1"),
]

LINALG = [
    ("sg.linalg.inv(x)", RuntimeError, SQUARE),
    ("sg.linalg.det(x)", RuntimeError, SQUARE),
    ("sg.linalg.cholesky(x)", RuntimeError, SQUARE),
    ("sg.linalg.eigh(x)", RuntimeError, SQUARE),
    ("sg.linalg.solve(sg.eye(2), v)", RuntimeError, "Incompatible shapes"),
    ("sg.linalg.inv(sg.zeros(2, 2))", RuntimeError, "singular"),
    ("sg.linalg.solve(sg.zeros(2, 2), sg.ones(2))", RuntimeError, "singular"),
    ("sg.linalg.cholesky(-sg.eye(2))", RuntimeError, "not positive-definite"),
]

CONVERSIONS = [
    ("v.detach().fill_(1 + 2j)", RuntimeError, "cannot be converted to float64 without overflow"),
    ("v.masked_fill(v > 0, 1 + 2j)", RuntimeError, "cannot be converted to float64 without overflow"),
    ("v.item()", RuntimeError, "a Tensor with 3 elements cannot be converted to Scalar"),
    ("bool(v)", RuntimeError, "Boolean value of Tensor with more than one value is ambiguous"),
    ("bool(sg.ones(0))", RuntimeError, "Boolean value of Tensor with no values is ambiguous"),
    ("float(v)", ValueError, "only one element tensors can be converted to Python scalars"),
    ("int(v)", ValueError, "only one element tensors can be converted to Python scalars"),
    ("[1, 2][w]", TypeError, "only integer tensors of a single element can be converted to an index"),
    ("len(v.sum())", TypeError, "len.. of a 0-d tensor"),
    ("list(v.sum())", TypeError, "iteration over a 0-d tensor"),
    ("x.numpy()", RuntimeError, "Can't call numpy.. on Tensor that requires grad"),
    ("x.nothing", AttributeError, "has no attribute 'nothing'"),
]

DEVICES = [
    ("sg.ones(2).cuda()", (RuntimeError, AssertionError), "CUDA"),
    ("v.to('cuda')", (RuntimeError, AssertionError), "CUDA"),
    ("sg.tensor([1.0], device='cuda')", (RuntimeError, AssertionError), "CUDA"),
    ("sg.zeros(2, device='cuda')", (RuntimeError, AssertionError), "CUDA"),
    ("v.to('nowhere')", RuntimeError, "(?i)device"),
]

ARGUMENTS = [
    ("sg.clamp(v)", RuntimeError, "At least one of 'min' or 'max' must not be None"),
    ("sg.arange(0, 1, 0)", RuntimeError, "step must be nonzero"),
    ("sg.arange(0, 3, -1)", RuntimeError, "inconsistent with step sign"),
    ("F.dropout(v, 1.5)", ValueError, "dropout probability has to be between 0 and 1"),
    ("F.mse_loss(v, v.detach(), reduction='what')", ValueError, "is not a valid value for reduction"),
    ("sg.optim.SGD([], lr=0.1)", ValueError, "optimizer got an empty parameter list\nGive it module"),
    ("sg.optim.SGD([y], lr=0.1)", ValueError, "can't optimize a non-leaf Tensor"),
    ("sg.optim.SGD([v], lr=-0.1)", ValueError, "Invalid learning rate"),
    ("sg.optim.SGD([3], lr=0.1)", TypeError, "optimizer can only optimize Tensors"),
    ("sg.optim.SGD(sg.nn.Sequential(sg.nn.Linear(2, 1)), lr=0.1)", TypeError, r"Linear\n.* module\.parameters\(\)"),
    ("sg.optim.lr_scheduler.StepLR(sg.nn.Linear(2, 1), 1)", TypeError, "Linear is not an Optimizer\n"),
    ("F.binary_cross_entropy(3 * v, sg.ones(3))", RuntimeError, "between 0 and 1\nOne of them is"),
    ("sg.ones(1).__setattr__('name', '0.weight')", ValueError, "got '0.weight'\nWrite letters"),
    ("sg.nn.Linear(2, 1).load_state_dict({})", RuntimeError, "Missing key"),
    ("sg.vmap(sg.sin, in_axes=0)", TypeError, "no keyword 'in_axes'\nIt is in_dims="),
    ("sg.report('x^2')", TypeError, r"A text is read by sg\.parse: sg\.parse\('x\^2'\)"),
    ("sg.parse('x^2')(x=sg.ones(3))", ValueError, r"not \(3,\)\nAt each of many values: sg\.vmap"),
]

GRADIENTS = [
    ("y.backward()", RuntimeError, "grad can be implicitly created only for scalar outputs"),
    ("sg.autograd.grad(y, x)", RuntimeError, "grad can be implicitly created only for scalar outputs"),
    ("y.backward(sg.ones(3))", RuntimeError, "(?i)mismatch in shape"),
    ("y.sum().backward(sg.ones(2))", RuntimeError, "(?i)mismatch in shape"),
    ("sg.autograd.grad(y, x, grad_outputs=sg.ones(2, 2))", RuntimeError, "(?i)mismatch in shape"),
    ("y.backward('x')", TypeError, "gradients can be either Tensors or None"),
    ("c.sum().backward()", RuntimeError, "does not require grad and does not have a grad_fn"),
    ("sg.autograd.grad(c.sum(), x)", RuntimeError, "does not require grad and does not have a grad_fn"),
    ("sg.autograd.grad((y * c).sum(), c)", RuntimeError, "does not require grad"),
    ("y.sum().backward(inputs=[])", RuntimeError, "cannot be empty"),
    ("y.detach().sum().backward()", RuntimeError, "does not require grad and does not have a grad_fn"),
    ("c.register_hook(print)", RuntimeError, "cannot register a hook on a tensor that doesn't require gradient"),
    ("c.retain_grad()", RuntimeError, "can't retain_grad on Tensor that has requires_grad=False"),
    ("setattr(y, 'requires_grad', False)", RuntimeError, "you can only change requires_grad flags of leaf variables"),
    ("y.requires_grad_(False)", RuntimeError, "you can only change requires_grad flags of leaf variables"),
    ("setattr(x, 'grad', sg.ones(3))", RuntimeError, "attempting to assign a gradient of size"),
    ("setattr(x, 'grad', sg.ones(2, 3, dtype=sg.float32))", RuntimeError, "attempting to assign a gradient with dtype"),
    ("setattr(x, 'grad', 3.0)", TypeError, "assigned grad expected to be a Tensor or None"),
    ("copy.deepcopy(y)", RuntimeError, "Only Tensors created explicitly by the user"),
    ("x.add_(1)", RuntimeError, "a leaf Variable that requires grad is being used in an in-place operation"),
    ("x[0].zero_()", RuntimeError, "a view of a leaf Variable that requires grad is being used"),
    ("x.__setitem__(0, 1.0)", RuntimeError, "a view of a leaf Variable that requires grad is being used"),
    ("w.add_(sg.ones(2, 3))", RuntimeError, "doesn't match the broadcast shape"),
    ("y[0].detach_()", RuntimeError, "Can't detach views in-place"),
]

TABLE = SHAPES + EINSUM + DIMENSIONS + INDICES + DTYPES + LINALG + CONVERSIONS + DEVICES + ARGUMENTS + GRADIENTS


@pytest.fixture
def names():
    x = sg.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], requires_grad=True)
    v = sg.tensor([1.0, 2.0, 3.0], requires_grad=True)
    x.grad = sg.full((2, 3), 0.5)
    return {
        "copy": copy,
        "sg": sg,
        "F": sg.nn.functional,
        "x": x,
        "v": v,
        "y": x * x,
        "c": sg.ones(2, 3),
        "w": sg.zeros(3),
        "i": sg.tensor([2, 0]),
        "m": sg.tensor([[True, False, True], [False, True, True]]),
        "z": sg.tensor([1 + 2j]),
    }


def state(names):
    return {
        name: (
            t.detach().numpy().tobytes(),
            tuple(t.shape),
            t.dtype,
            t._version,
            t.requires_grad,
            t.is_leaf,
            t.grad_fn,
            t.grad.tolist() if t.is_leaf and t.grad is not None else None,
        )
        for name, t in names.items()
        if isinstance(t, sg.Tensor)
    }


@pytest.mark.parametrize(("expression", "error", "words"), TABLE, ids=[row[0] for row in TABLE])
def test_bad_input_raises_and_changes_nothing(expression, error, words, names):
    before = state(names)
    assert len(before) == 8
    with pytest.raises(error, match=words):
        eval(expression, names)
    assert state(names) == before
    names["y"].sum().backward()
    assert names["x"].grad.tolist() == [[2.5, 4.5, 6.5], [8.5, 10.5, 12.5]]


def test_second_backward_changes_no_gradient(names):
    x, y = names["x"], names["y"]
    y.sum().backward()
    before = state(names)
    with pytest.raises(RuntimeError, match="Trying to backward through the graph a second time"):
        y.sum().backward()
    assert state(names) == before
    assert x.grad.tolist() == [[2.5, 4.5, 6.5], [8.5, 10.5, 12.5]]


def test_second_backward_of_a_part_changes_no_gradient_elsewhere(names):
    x, v, y = names["x"], names["v"], names["y"]
    y.sum().backward()
    z = (y * v).sum()
    before = state(names)
    with pytest.raises(RuntimeError, match="Trying to backward through the graph a second time"):
        z.backward(inputs=[x])
    assert state(names) == before


def test_unused_input_is_an_error_that_touches_no_grad(names):
    before = state(names)
    with pytest.raises(RuntimeError, match="appears to not have been used in the graph"):
        sg.autograd.grad(names["y"].sum(), [names["x"], names["v"]])
    assert state(names) == before


def test_saved_tensor_changed_in_place_is_an_error_that_touches_no_grad(names):
    x = names["x"]
    a = x * 1
    b = a.exp() * a
    a.zero_()
    before = state(names)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        b.sum().backward()
    assert state(names) == before
    names["y"].sum().backward()
    assert x.grad.tolist() == [[2.5, 4.5, 6.5], [8.5, 10.5, 12.5]]


def test_error_in_a_hook_can_be_followed_by_another_backward(names):
    x = names["x"]
    handle = x.register_hook(lambda g: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        names["y"].sum().backward(retain_graph=True)
    handle.remove()
    assert x.grad.tolist() == [[0.5] * 3] * 2
    names["y"].sum().backward()
    assert x.grad.tolist() == [[2.5, 4.5, 6.5], [8.5, 10.5, 12.5]]


def test_error_inside_a_mode_leaves_the_mode(names):
    with pytest.raises(RuntimeError, match="must match"), sg.no_grad():
        names["v"] + sg.ones(4)
    assert sg.is_grad_enabled()
    assert (names["v"] + 1).requires_grad


def test_every_error_is_an_exception_of_pythons_own_family(names):
    for trigger, builtin in (
        (lambda: names["v"][9], IndexError),
        (lambda: names["v"] + "a", TypeError),
        (lambda: names["v"].reshape(2), RuntimeError),
        (lambda: float(names["v"]), ValueError),
    ):
        with pytest.raises(builtin) as caught:
            trigger()
        assert str(caught.value)


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_a_seed_that_is_not_finite_is_an_error_that_touches_nothing(bad):
    x = sg.tensor([1.0, 2.0], requires_grad=True)
    y = x * x
    with pytest.raises(RuntimeError, match="not finite"):
        y.backward(sg.tensor([1.0, bad]))
    assert x.grad is None
    with sg.autograd.detect_anomaly(check_nan=False):  # allowed where it is meant
        y.backward(sg.tensor([1.0, bad]), retain_graph=True)
    assert x.grad[0].item() == 2.0


# What is the user's own


def _raises(kind, words):
    def forward(x):
        raise kind(words)

    return forward


OWN = {
    "ValueError": (_raises(ValueError, "the shape of my data is wrong"), ValueError, "the shape of my data is wrong"),
    "TypeError": (_raises(TypeError, "mine"), TypeError, "mine"),
    "IndexError": (_raises(IndexError, "mine"), IndexError, "mine"),
    "RuntimeError": (_raises(RuntimeError, "mine"), RuntimeError, "mine"),
    "of Python": (lambda x: int("a"), ValueError, "invalid literal for int"),
    "of an argument": (lambda x: len(3), TypeError, "has no len"),
}
NUMPYS = {
    "shapes": (lambda x: x + np.ones(7), sg.ShapeError, "could not be broadcast together"),
    "index": (lambda x: x[5], sg.DimensionError, "index 5 is out of bounds"),
    "axis": (lambda x: np.sum(x, axis=3), sg.DimensionError, "Dimension out of range"),
    "ufunc": (lambda x: np.bitwise_and(x, 1), sg.DTypeError, "not supported for the input types"),
}


@pytest.fixture
def row():
    yield lambda forward: core.elementwise("row_of_this_test", forward, lambda x: x)
    del core.TABLE["row_of_this_test"]


@pytest.mark.parametrize("operand", [np.ones(3), sg.ones(3), sg.ones(3, requires_grad=True)], ids=str)
@pytest.mark.parametrize("name", OWN)
def test_an_error_of_a_row_of_the_users_reaches_him_as_it_is(row, name, operand):
    forward, kind, words = OWN[name]
    with pytest.raises(kind, match=words) as caught:
        row(forward)(operand)
    assert type(caught.value) is kind and caught.value.__cause__ is None
    assert [note.partition(" float64")[0] for note in caught.value.__notes__] == [
        f"The operation row_of_this_test got {'array ' if isinstance(operand, np.ndarray) else ''}(3,)"
    ]


@pytest.mark.parametrize("name", NUMPYS)
def test_what_numpy_says_of_operands_that_do_not_fit_is_put_in_symgrads_words(row, name):
    forward, kind, words = NUMPYS[name]
    with pytest.raises(kind, match=words) as caught:
        row(forward)(sg.ones(3))
    assert "row_of_this_test got (3,) float64" in str(caught.value)


@pytest.mark.parametrize(
    "run",
    [
        lambda f, x: f(x).sum().backward(),
        lambda f, x: sg.vmap(sg.grad(lambda x: f(x).sum()))(x[None]),
        lambda f, x: sg.grad(lambda x: f(x).sum())(x),
        lambda f, x: sg.hessian(lambda x: f(x).sum())(x),
    ],
)
@pytest.mark.parametrize("where", ["forward", "backward"])
def test_an_error_of_a_function_of_the_users_reaches_him_as_it_is(run, where):
    mine = ValueError("operands could not be broadcast, I think")

    class Fails(sg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            if where == "forward":
                raise mine
            return x * 1

        @staticmethod
        def backward(ctx, g):
            raise mine

    with pytest.raises(ValueError) as caught:
        run(Fails.apply, sg.ones(3, requires_grad=True))
    assert caught.value is mine


@pytest.mark.parametrize("call", [
    lambda A, B: A @ B, lambda A, B: sg.mm(A, B), lambda A, B: A @ B[0], lambda A, B: sg.addmm(A, A, B),
    lambda A, B: A.expand(2, 2, 3) @ B, lambda A, B: sg.dot(A[0], B[:, 0]),
])  # fmt: skip
def test_a_product_that_does_not_fit_names_its_operands(call):
    A, B = sg.ones(2, 3, requires_grad=True), sg.ones(2, 4)
    A.name, B.name = "A", "B"
    with pytest.raises(sg.ShapeError) as caught:
        call(A, B)
    evidence = str(caught.value).splitlines()[1]
    assert "float64" in evidence and ("A (2, 3)" in evidence or "B (2, 4)" in evidence or "(3,)" in evidence)


@pytest.mark.parametrize(
    ("name", "home"),
    [
        ("solve_ivp", "symgrad.scipy.integrate.solve_ivp"), ("spsolve", "symgrad.scipy.sparse.linalg.spsolve"),
        ("optimize", "symgrad.scipy.optimize"), ("eigh", "symgrad.linalg.eigh"), ("Linear", "symgrad.nn.Linear"),
        ("softmin", "symgrad.nn.functional.softmin"), ("Adam", "symgrad.optim.Adam"),
    ],
)  # fmt: skip
def test_a_name_that_is_elsewhere_is_told_where(name, home):
    with pytest.raises(AttributeError, match=rf"has no attribute '{name}'\nThere is {home}\.$"):
        getattr(sg, name)
    module, _, last = home.rpartition(".")
    assert hasattr(importlib.import_module(module), last)


def test_words_of_other_libraries_are_answered_by_names_that_are_there():
    for words, step in _errors.OF_OTHERS.items():
        assert all(hasattr(sg, name) for name in re.findall(r"sg\.(\w+)", step)), step
        for word in words.split():
            assert not hasattr(sg, word)
            with pytest.raises(AttributeError, match=re.escape(step)):
                getattr(sg, word)
    with pytest.raises(AttributeError, match="^module 'symgrad' has no attribute 'nonsense'$"):
        sg.nonsense
