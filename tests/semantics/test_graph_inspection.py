"""The graph as a user sees it: `next_functions`, `AccumulateGrad.variable`, and the names of each `grad_fn`."""

from functools import partial

import pytest

import symgrad as sg


@pytest.fixture
def x():
    return sg.tensor([1.0, 2.0], requires_grad=True)


def test_grad_fn_of_a_leaf_is_none(x):
    assert x.grad_fn is None
    assert sg.ones(2).grad_fn is None
    assert (sg.ones(2) * 2).grad_fn is None


def test_the_class_of_a_node_has_the_nodes_name(x):
    node = (x * x).grad_fn
    assert type(node).__name__ == node.name() == "MulBackward0"


CALLS = [  # of one row each
    (lambda x: 2.0**x, lambda x: x**x, "PowBackward2", "PowBackward1"),
    (lambda x: sg.xlogy(x, 2.0), lambda x: sg.xlogy(2.0, x), "XlogyBackward2", "XlogyBackward1"),
    (lambda x: x.clamp(min=0.5), lambda x: x.clamp_min(x.detach()), "ClampBackward1", "ClampMinBackward1"),
    (lambda x: x.sgn(), lambda x: x.sign(), "SgnBackward0", "SignBackward0"),
    (lambda x: x[0], lambda x: x[None], "SelectBackward0", "UnsqueezeBackward0"),
    (lambda x: x.split([1, 1])[1], lambda x: x.split(1)[1], "SplitWithSizesBackward0", "SplitBackward0"),
    (lambda x: (x * 1).unsqueeze_(0), lambda x: x.unsqueeze(0), "UnsqueezeBackward1", "UnsqueezeBackward0"),
]


@pytest.mark.parametrize(("one", "other", "first", "second"), CALLS, ids=[c[2] for c in CALLS])
def test_the_calls_of_one_operation_have_pytorchs_names_wherever_they_are_seen(x, one, other, first, second):
    for call, name in ((one, first), (other, second)):
        y = call(x)
        assert f"grad_fn=<{name}>" in repr(y)
        for node in ((call(x) * 2).grad_fn.next_functions[0][0], y.grad_fn):
            assert type(node).__name__ == node.name() == name
            assert repr(node).startswith(f"<{name} object at ")
        (looked_at,) = sg.autograd.grad(y.sum(), x)
        assert (looked_at == sg.autograd.grad(call(x).sum(), x)[0]).all()
    assert type(one(x).grad_fn).op is type(other(x).grad_fn).op


def test_a_tensor_has_one_node(x):
    y = x * x
    assert y.grad_fn is y.grad_fn
    assert y.grad_fn == y.grad_fn
    assert (x * x).grad_fn is not y.grad_fn


def test_a_node_can_be_a_key(x):
    y = x * x
    seen = {y.grad_fn}
    assert (y + 1).grad_fn.next_functions[0][0] in seen


def test_a_leaf_has_one_accumulate_grad(x):
    first = (x * 2).grad_fn
    second = (x + 1).grad_fn
    assert first.next_functions[0][0] is second.next_functions[0][0]


def test_accumulate_grad_knows_its_variable(x):
    accumulate = (x * 2).grad_fn.next_functions[0][0]
    assert type(accumulate).__name__ == "AccumulateGrad"
    assert accumulate.variable is x
    assert accumulate.next_functions == ()


def test_next_functions_has_one_pair_per_input(x):
    y = sg.tensor([3.0, 4.0], requires_grad=True)
    (first, i), (second, j) = (x * y).grad_fn.next_functions
    assert first.variable is x and second.variable is y
    assert (i, j) == (0, 0)


def test_the_same_input_twice_has_two_edges(x):
    edges = (x * x).grad_fn.next_functions
    assert len(edges) == 2
    assert edges[0] == edges[1]


def test_an_input_without_gradient_has_no_node(x):
    assert (x * sg.ones(2)).grad_fn.next_functions[1] == (None, 0)
    assert (sg.ones(2) * x).grad_fn.next_functions[0] == (None, 0)


def test_a_list_of_inputs_has_an_edge_each(x):
    edges = sg.cat([x, sg.ones(1), x]).grad_fn.next_functions
    assert [e[0] is None for e in edges] == [False, True, False]


def test_edges_name_the_output_of_several():
    rows = sg.ones(3, 2, requires_grad=True).unbind()
    nodes = [row.grad_fn for row in rows]
    assert nodes[0] is nodes[1] is nodes[2]
    assert [(row * 2).grad_fn.next_functions[0][1] for row in rows] == [0, 1, 2]


def test_two_results_of_one_operation_share_a_node(x):
    values, indices = x.sort()
    assert values.grad_fn.name() == "SortBackward0"
    assert indices.grad_fn is None
    assert not indices.requires_grad
    var, mean = sg.var_mean(x)
    assert var.grad_fn is mean.grad_fn


def test_the_graph_is_walked_from_the_output_to_the_leaves(x):
    loss = ((x * 3).sin() + 1).sum()
    names, node = [], loss.grad_fn
    while node is not None:
        names.append(type(node).__name__)
        node = node.next_functions[0][0] if node.next_functions else None
    assert names == ["SumBackward0", "AddBackward0", "SinBackward0", "MulBackward0", "AccumulateGrad"]


def test_a_long_graph_can_be_walked_and_dropped(x):
    y = x
    for _ in range(3000):
        y = y + 1
    count, node = 0, y.grad_fn
    while node.next_functions:
        count += 1
        node = node.next_functions[0][0]
    assert count == 3000
    assert node.variable is x


def test_the_graph_of_a_graph_holds_the_operations_of_the_derivative(x):
    (gradient,) = sg.autograd.grad((x**3).sum(), x, create_graph=True)
    assert gradient.grad_fn.name() == "MulBackward0"
    (plain,) = sg.autograd.grad((x**3).sum(), x)
    assert plain.grad_fn is None


def test_no_graph_is_made_for_a_comparison_or_an_index(x):
    for result in (x > 1, x == x, x.argmax(), x.isnan(), x.argsort(), x.bool(), x.long()):
        assert result.grad_fn is None
        assert not result.requires_grad


def test_walking_the_graph_does_not_keep_it_from_being_freed(x):
    y = x * x
    node = y.grad_fn
    y.sum().backward()
    assert node.name() == "MulBackward0"
    with pytest.raises(RuntimeError, match="a second time"):
        y.sum().backward()


def test_a_node_has_a_metadata_dictionary(x):
    node = (x * x).grad_fn
    assert node.metadata == {}
    node.metadata["seen"] = True
    assert node.metadata == {"seen": True}


def test_in_place_operation_gives_the_tensor_a_new_node(x):
    y = x * 2
    before = y.grad_fn
    y.add_(1)
    assert y.grad_fn.name() == "AddBackward0"
    assert y.grad_fn.next_functions[0][0] is before


def test_detach_and_clone_in_the_graph(x):
    y = x * 2
    assert y.detach().grad_fn is None
    assert y.clone().grad_fn.name() == "CloneBackward0"
    assert y.clone().grad_fn.next_functions[0][0] is y.grad_fn


def test_operations_that_return_the_tensor_itself_add_no_node(x):
    y = x * 2
    assert y.contiguous() is y
    assert y.double() is y
    assert y.to(sg.float64) is y
    assert y.to("cpu") is y
    assert y.cpu() is y
    assert y.flatten() is y


# Names of `grad_fn` ---------------------------------------------------------------------------------------------------

# A name tells which overload ran (`SumBackward0` adds all elements, `SumBackward1` adds along `dim`).


def operands():
    leaf = partial(sg.tensor, requires_grad=True)
    return {
        "sg": sg,
        "F": sg.nn.functional,
        "x": leaf([0.2, 0.5, 0.7]),
        "y": leaf([0.3, 0.4, 0.9]),
        "s": leaf(0.6),
        "A": leaf([[1.0, 2.0, 3.0], [4.0, 5.0, 7.0]]),
        "S": leaf([[4.0, 1.0, 0.5], [1.0, 3.0, 0.2], [0.5, 0.2, 2.0]]),
        "B": leaf([[[1.0, 2.0], [3.0, 5.0]]]),
        "R": leaf([[[1.0, 2.0, 3.0]]]),
        "c": sg.tensor([2.0, 3.0, 4.0]),
        "i": sg.tensor([0, 2]),
        "m": sg.tensor([True, False, True]),
    }


def name_of(expression):
    result = eval(expression, operands())
    if isinstance(result, (tuple, list)):
        result = result[0]
    return result.grad_fn.name()


# Names of arithmetic, functions, reductions ---------------------------------------------------------------------------


ARITHMETIC = [
    ("x + y", "AddBackward0"),
    ("x + 1", "AddBackward0"),
    ("1 + x", "AddBackward0"),
    ("x - y", "SubBackward0"),
    ("x - 1", "SubBackward0"),
    ("x * y", "MulBackward0"),
    ("x * 2", "MulBackward0"),
    ("2 * x", "MulBackward0"),
    ("x / y", "DivBackward0"),
    ("x / 2", "DivBackward0"),
    ("x % 2", "RemainderBackward0"),
    ("x ** 2", "PowBackward0"),
    ("x ** 2.5", "PowBackward0"),
    ("x ** y", "PowBackward1"),
    ("2 ** x", "PowBackward2"),
    ("x ** s", "PowBackward1"),
    ("c ** x", "PowBackward1"),
    ("-x", "NegBackward0"),
    ("abs(x)", "AbsBackward0"),
    ("sg.add(x, y, alpha=2)", "AddBackward0"),
    ("sg.sub(x, y)", "SubBackward0"),
    ("sg.mul(x, y)", "MulBackward0"),
    ("sg.div(x, y)", "DivBackward0"),
    ("sg.true_divide(x, y)", "DivBackward0"),
    ('sg.div(x, y, rounding_mode="floor")', "DivBackward2"),
    ("sg.pow(x, 3)", "PowBackward0"),
    ("sg.neg(x)", "NegBackward0"),
    ("x.add(y)", "AddBackward0"),
    ("x.mul(y)", "MulBackward0"),
    ("sg.addcmul(x, x, y)", "AddcmulBackward0"),
    ("sg.addcdiv(x, x, y)", "AddcdivBackward0"),
]

ELEMENTWISE = [
    ("sg.abs(x)", "AbsBackward0"),
    ("sg.sign(x)", "SignBackward0"),
    ("sg.sgn(x)", "SgnBackward0"),
    ("sg.reciprocal(x)", "ReciprocalBackward0"),
    ("sg.sqrt(x)", "SqrtBackward0"),
    ("sg.rsqrt(x)", "RsqrtBackward0"),
    ("sg.exp(x)", "ExpBackward0"),
    ("sg.exp2(x)", "Exp2Backward0"),
    ("sg.expm1(x)", "Expm1Backward0"),
    ("sg.log(x)", "LogBackward0"),
    ("sg.log2(x)", "Log2Backward0"),
    ("sg.log10(x)", "Log10Backward0"),
    ("sg.log1p(x)", "Log1PBackward0"),
    ("sg.sin(x)", "SinBackward0"),
    ("sg.cos(x)", "CosBackward0"),
    ("sg.tan(x)", "TanBackward0"),
    ("sg.asin(x)", "AsinBackward0"),
    ("sg.arcsin(x)", "AsinBackward0"),
    ("sg.acos(x)", "AcosBackward0"),
    ("sg.atan(x)", "AtanBackward0"),
    ("sg.atan2(x, y)", "Atan2Backward0"),
    ("sg.arctan2(x, y)", "Atan2Backward0"),
    ("sg.sinh(x)", "SinhBackward0"),
    ("sg.cosh(x)", "CoshBackward0"),
    ("sg.tanh(x)", "TanhBackward0"),
    ("sg.asinh(x)", "AsinhBackward0"),
    ("sg.acosh(x + 1)", "AcoshBackward0"),
    ("sg.atanh(x)", "AtanhBackward0"),
    ("sg.sinc(x)", "SincBackward0"),
    ("sg.sigmoid(x)", "SigmoidBackward0"),
    ("F.softplus(x)", "SoftplusBackward0"),
    ("sg.relu(x)", "ReluBackward0"),
    ("F.relu(x)", "ReluBackward0"),
    ("F.leaky_relu(x)", "LeakyReluBackward0"),
    ("F.elu(x)", "EluBackward0"),
    ("F.gelu(x)", "GeluBackward0"),
    ("F.silu(x)", "SiluBackward0"),
    ("F.logsigmoid(x)", "LogSigmoidBackward0"),
    ("F.hardtanh(x)", "HardtanhBackward0"),
    ("F.tanh(x)", "TanhBackward0"),
    ("sg.erf(x)", "ErfBackward0"),
    ("sg.erfc(x)", "ErfcBackward0"),
    ("sg.erfinv(x)", "ErfinvBackward0"),
    ("sg.lgamma(x)", "LgammaBackward0"),
    ("sg.digamma(x)", "DigammaBackward0"),
    ("sg.polygamma(1, x)", "PolygammaBackward0"),
    ("sg.floor(x)", "FloorBackward0"),
    ("sg.ceil(x)", "CeilBackward0"),
    ("sg.round(x)", "RoundBackward0"),
    ("sg.trunc(x)", "TruncBackward0"),
    ("sg.frac(x)", "FracBackward0"),
    ("sg.fmod(x, 2)", "FmodBackward0"),
    ("sg.fmod(x, y)", "FmodBackward1"),
    ("sg.remainder(x, 2)", "RemainderBackward0"),
    ("sg.remainder(x, y)", "RemainderBackward1"),
    ("sg.clamp(x, 0, 1)", "ClampBackward1"),
    ("sg.clamp(x, min=0.3)", "ClampBackward1"),
    ("sg.clamp(x, max=0.3)", "ClampBackward1"),
    ("sg.clip(x, 0, 1)", "ClampBackward1"),
    ("sg.clamp(x, y, y + 1)", "ClampBackward0"),
    ("sg.clamp(x, min=y)", "ClampBackward0"),
    ("sg.clamp_min(x, 0.3)", "ClampMinBackward0"),
    ("sg.clamp_max(x, 0.3)", "ClampMaxBackward0"),
    ("sg.minimum(x, y)", "MinimumBackward0"),
    ("sg.maximum(x, y)", "MaximumBackward0"),
    ("sg.fmin(x, y)", "FminBackward0"),
    ("sg.fmax(x, y)", "FmaxBackward0"),
    ("sg.where(m, x, y)", "WhereBackward0"),
    ("sg.where(m, x, 0.0)", "WhereBackward0"),
    ("sg.lerp(x, y, 0.5)", "LerpBackward0"),
    ("sg.lerp(x, y, s)", "LerpBackward1"),
    ("sg.hypot(x, y)", "HypotBackward0"),
    ("sg.logaddexp(x, y)", "LogaddexpBackward0"),
    ("sg.logaddexp2(x, y)", "Logaddexp2Backward0"),
    ("sg.xlogy(x, y)", "XlogyBackward0"),
    ("sg.xlogy(x, 2.0)", "XlogyBackward2"),
    ("sg.xlogy(2.0, x)", "XlogyBackward1"),
    ("sg.nan_to_num(x)", "NanToNumBackward0"),
    ("x.clone()", "CloneBackward0"),
]

REDUCTIONS = [
    ("x.sum()", "SumBackward0"),
    ("A.sum(0)", "SumBackward1"),
    ("A.sum(dim=(0, 1))", "SumBackward1"),
    ("A.sum(dim=1, keepdim=True)", "SumBackward1"),
    ("sg.nansum(x)", "NansumBackward0"),
    ("x.mean()", "MeanBackward0"),
    ("A.mean(0)", "MeanBackward1"),
    ("A.mean(dim=(0, 1))", "MeanBackward1"),
    ("x.prod()", "ProdBackward0"),
    ("A.prod(0)", "ProdBackward1"),
    ("x.var()", "VarBackward0"),
    ("A.var(0)", "VarBackward0"),
    ("x.std()", "StdBackward0"),
    ("A.std(0, unbiased=False)", "StdBackward0"),
    ("x.std(correction=0)", "StdBackward0"),
    ("sg.var_mean(x)", "VarMeanBackward0"),
    ("sg.std_mean(x)", "StdMeanBackward0"),
    ("x.amax()", "AmaxBackward0"),
    ("A.amax(1)", "AmaxBackward0"),
    ("A.amin(1)", "AminBackward0"),
    ("sg.aminmax(x)", "AminmaxBackward0"),
    ("x.max()", "MaxBackward1"),
    ("x.min()", "MinBackward1"),
    ("A.max(1)", "MaxBackward0"),
    ("A.min(1)", "MinBackward0"),
    ("x.median()", "MedianBackward0"),
    ("A.median(1)", "MedianBackward1"),
    ("sg.logsumexp(A, 1)", "LogsumexpBackward0"),
    ("x.cumsum(0)", "CumsumBackward0"),
    ("x.cumprod(0)", "CumprodBackward0"),
    ("sg.cummax(x, 0)", "CummaxBackward0"),
    ("sg.cummin(x, 0)", "CumminBackward0"),
    ("sg.logcumsumexp(x, 0)", "LogcumsumexpBackward0"),
    ("sg.norm(x)", "LinalgVectorNormBackward0"),
    ("x.norm()", "LinalgVectorNormBackward0"),
    ("x.norm(1)", "LinalgVectorNormBackward0"),
    ("A.norm(dim=1)", "LinalgVectorNormBackward0"),
    ("sg.linalg.norm(x)", "LinalgVectorNormBackward0"),
    ("sg.linalg.vector_norm(x)", "LinalgVectorNormBackward0"),
    ("sg.linalg.vector_norm(A, ord=1, dim=0)", "LinalgVectorNormBackward0"),
    ("sg.linalg.norm(A)", "LinalgVectorNormBackward0"),
    ("sg.softmax(x, 0)", "SoftmaxBackward0"),
    ("F.softmax(x, dim=0)", "SoftmaxBackward0"),
    ("sg.log_softmax(x, 0)", "LogSoftmaxBackward0"),
]


@pytest.mark.parametrize(("expression", "name"), ARITHMETIC)
def test_grad_fn_name_of_arithmetic_and_its_reflected_forms(expression, name):
    assert name_of(expression) == name


@pytest.mark.parametrize(("expression", "name"), ELEMENTWISE)
def test_grad_fn_name_of_elementwise_functions(expression, name):
    assert name_of(expression) == name


@pytest.mark.parametrize(("expression", "name"), REDUCTIONS)
def test_grad_fn_name_of_reductions_per_overload(expression, name):
    assert name_of(expression) == name


# Names of shapes, indexing, products and the rest ---------------------------------------------------------------------


SHAPES = [
    ("A.reshape(3, 2)", "ViewBackward0"),
    ("A.reshape(-1)", "ViewBackward0"),
    ("A.view(3, 2)", "ViewBackward0"),
    ("A.view(-1)", "ViewBackward0"),
    ("A.view_as(A.detach())", "ViewBackward0"),
    ("A.reshape_as(A.detach())", "ViewBackward0"),
    ("A.flatten()", "ViewBackward0"),
    ("A.ravel()", "ViewBackward0"),
    ("B.flatten(1)", "ViewBackward0"),
    ("x.unflatten(0, (3, 1))", "ViewBackward0"),
    ("B.squeeze()", "SqueezeBackward0"),
    ("B.squeeze(0)", "SqueezeBackward1"),
    ("R.squeeze((0, 1))", "SqueezeBackward2"),
    ("x.unsqueeze(0)", "UnsqueezeBackward0"),
    ("A.transpose(0, 1)", "TransposeBackward0"),
    ("A.permute(1, 0)", "PermuteBackward0"),
    ("A.t()", "TBackward0"),
    ("A.T", "PermuteBackward0"),
    ("A.mT", "TransposeBackward0"),
    ("sg.movedim(B, 0, 2)", "PermuteBackward0"),
    ("sg.moveaxis(B, 0, 2)", "PermuteBackward0"),
    ("sg.swapaxes(A, 0, 1)", "TransposeBackward0"),
    ("sg.swapdims(A, 0, 1)", "TransposeBackward0"),
    ("A.adjoint()", "TransposeBackward0"),
    ("x.expand(2, 3)", "ExpandBackward0"),
    ("x.expand_as(A)", "ExpandBackward0"),
    ("sg.broadcast_to(x, (2, 3))", "ExpandBackward0"),
    ("sg.broadcast_tensors(x, A)", "ExpandBackward0"),
    ("x.repeat(2)", "RepeatBackward0"),
    ("sg.tile(x, (2,))", "RepeatBackward0"),
    ("sg.flip(x, (0,))", "FlipBackward0"),
    ("sg.roll(x, 1)", "RollBackward0"),
    ("sg.roll(A, 1, 0)", "RollBackward0"),
    ("sg.rot90(A)", "Rot90Backward0"),
    ("sg.cat([x, y])", "CatBackward0"),
    ("sg.concat([x, y])", "CatBackward0"),
    ("sg.concatenate([x, y])", "CatBackward0"),
    ("sg.stack([x, y])", "StackBackward0"),
    ("sg.split(x, 2)", "SplitBackward0"),
    ("sg.split(x, [1, 2])", "SplitWithSizesBackward0"),
    ("sg.chunk(x, 2)", "SplitBackward0"),
    ("sg.unbind(A)", "UnbindBackward0"),
    ("F.pad(x, (1, 1))", "ConstantPadNdBackward0"),
    ("F.pad(A, (1, 1), value=2.0)", "ConstantPadNdBackward0"),
    ("sg.tril(S)", "TrilBackward0"),
    ("sg.triu(S)", "TriuBackward0"),
    ("sg.diagonal(S)", "DiagonalBackward0"),
    ("sg.diag_embed(x)", "DiagEmbedBackward0"),
    ("sg.trace(S)", "TraceBackward0"),
    ("A.select(0, 1)", "SelectBackward0"),
]

INDEXING = [
    ("x[0]", "SelectBackward0"),
    ("x[-1]", "SelectBackward0"),
    ("x[:]", "SliceBackward0"),
    ("x[1:]", "SliceBackward0"),
    ("x[::2]", "SliceBackward0"),
    ("x[...]", "AliasBackward0"),
    ("x[None]", "UnsqueezeBackward0"),
    ("x[i]", "IndexBackward0"),
    ("x[[0, 2]]", "IndexBackward0"),
    ("x[m]", "IndexBackward0"),
    ("A[0]", "SelectBackward0"),
    ("A[:, 1]", "SelectBackward0"),
    ("A[:, None]", "UnsqueezeBackward0"),
    ("A[..., 0]", "SelectBackward0"),
    ("A[[0, 1], [1, 2]]", "IndexBackward0"),
    ("A[A > 2]", "IndexBackward0"),
    ("sg.gather(x, 0, i)", "GatherBackward0"),
    ("sg.scatter(x, 0, i, c)", "ScatterBackward0"),
    ("sg.scatter(x, 0, i, 1.0)", "ScatterBackward1"),
    ("sg.scatter_add(x, 0, i, c)", "ScatterAddBackward0"),
    ("sg.index_select(x, 0, i)", "IndexSelectBackward0"),
    ("sg.index_add(x, 0, i, c[:2])", "IndexAddBackward0"),
    ("sg.index_copy(x, 0, i, c[:2])", "IndexCopyBackward0"),
    ("sg.index_fill(x, 0, i, 1.0)", "IndexFillBackward0"),
    ("x.index_put((i,), c[:2])", "IndexPutBackward0"),
    ("sg.masked_fill(x, m, 0.0)", "MaskedFillBackward0"),
    ("sg.masked_select(x, m)", "MaskedSelectBackward0"),
    ("sg.take(x, i)", "TakeBackward0"),
    ("sg.sort(x)", "SortBackward0"),
    ("sg.sort(x, stable=True)", "SortBackward1"),
    ("sg.topk(x, 2)", "TopkBackward0"),
]

PRODUCTS = [
    ("A @ S", "MmBackward0"),
    ("A @ x", "MvBackward0"),
    ("x @ y", "DotBackward0"),
    ("sg.matmul(A, S)", "MmBackward0"),
    ("sg.mm(A, S)", "MmBackward0"),
    ("sg.mv(A, x)", "MvBackward0"),
    ("sg.bmm(B, B)", "BmmBackward0"),
    ("sg.dot(x, y)", "DotBackward0"),
    ("sg.vdot(x, y)", "VdotBackward0"),
    ("sg.cross(x, y, dim=0)", "LinalgCrossBackward0"),
    ("sg.linalg.cross(x, y)", "LinalgCrossBackward0"),
    ("sg.baddbmm(B, B, B)", "BaddbmmBackward0"),
    ("sg.addmm(S, S, S)", "AddmmBackward0"),
    ("sg.addmv(x, S, x)", "AddmvBackward0"),
    ("F.linear(A, S, x)", "AddmmBackward0"),
]

LINALG = [
    ("sg.inverse(S)", "LinalgInvExBackward0"),
    ("sg.linalg.inv(S)", "LinalgInvExBackward0"),
    ("sg.linalg.solve(S, x)", "LinalgSolveExBackward0"),
    ("sg.linalg.solve(S, S)", "LinalgSolveExBackward0"),
    ("sg.linalg.solve_triangular(S, S, upper=True)", "LinalgSolveTriangularBackward0"),
    ("sg.linalg.det(S)", "LinalgDetBackward0"),
    ("sg.det(S)", "LinalgDetBackward0"),
    ("sg.linalg.slogdet(S)[1]", "LinalgSlogdetBackward0"),
    ("sg.slogdet(S)[1]", "LinalgSlogdetBackward0"),
    ("sg.linalg.cholesky(S)", "LinalgCholeskyExBackward0"),
    ("sg.linalg.eigh(S)", "LinalgEighBackward0"),
]

COMPLEX = [
    ("sg.complex(x, y)", "ComplexBackward0"),
    ("sg.conj(sg.complex(x, y))", "ConjBackward0"),
    ("sg.angle(x)", "AngleBackward0"),
    ("sg.angle(sg.complex(x, y))", "AngleBackward0"),
    ("sg.view_as_real(sg.complex(x, y))", "ViewAsRealBackward0"),
]

SEVERAL_STEPS = [
    ("sg.kron(x, y)", "UnsafeViewBackward0"),
    ("x @ S", "SqueezeBackward4"),
    ("B @ B", "UnsafeViewBackward0"),
    ("sg.inner(x, y)", "ViewBackward0"),
    ("sg.inner(A, S)", "ViewBackward0"),
    ("2 / x", "MulBackward0"),
    ("1 - x", "RsubBackward1"),
    ("sg.square(x)", "PowBackward0"),
    ("sg.rsub(x, y)", "RsubBackward0"),
    ("sg.outer(x, y)", "MulBackward0"),
    ("sg.repeat_interleave(x, 2)", "ViewBackward0"),
    ("sg.repeat_interleave(A, 2, dim=0)", "ViewBackward0"),
    ("sg.vstack([x, y])", "CatBackward0"),
    ("sg.hstack([x, y])", "CatBackward0"),
    ("sg.dstack([x, y])", "CatBackward0"),
    ("sg.column_stack([x, y])", "CatBackward0"),
    ("F.l1_loss(x, c)", "MeanBackward0"),
    ("F.dropout(x, 0.5)", "MulBackward0"),
    ("F.softmin(x, dim=0)", "SoftmaxBackward0"),
    ("F.selu(x)", "EluBackward0"),
    ("F.relu6(x)", "HardtanhBackward0"),
    ("sg.tensor_split(x, 2)", "SliceBackward0"),
    ("sg.diag(x)", "DiagEmbedBackward0"),
    ("sg.diag(S)", "DiagonalBackward0_copy"),
    ("sg.diagflat(x)", "DiagEmbedBackward0"),
    ("sg.msort(x)", "SortBackward0"),
    ("sg.take_along_dim(x, i)", "GatherBackward0"),
    ("sg.special.expit(x)", "SigmoidBackward0"),
    ("sg.linalg.eigvalsh(S)", "LinalgEighBackward0"),
    ("sg.linalg.matrix_norm(S)", "LinalgVectorNormBackward0"),
    ("sg.atleast_2d(x)", "UnsqueezeBackward0"),
    ("A.narrow(1, 0, 2)", "SliceBackward0"),
    ("sg.fliplr(A)", "FlipBackward0"),
    ("sg.flipud(A)", "FlipBackward0"),
    ("A[0][1]", "SelectBackward0"),
    ("A[0, 1]", "SelectBackward0"),
    ("A[:, i]", "IndexBackward0"),
    ("A[0:1, 1:2]", "SliceBackward0"),
    ("A.t().reshape(-1)", "UnsafeViewBackward0"),
    ("x.float()", "ToCopyBackward0"),
    ("x.to(sg.float32)", "ToCopyBackward0"),
    ("sg.max(x, y)", "MaximumBackward0"),
    ("sg.min(x, y)", "MinimumBackward0"),
]


@pytest.mark.parametrize(("expression", "name"), SHAPES)
def test_grad_fn_name_of_changes_of_shape(expression, name):
    assert name_of(expression) == name


@pytest.mark.parametrize(("expression", "name"), INDEXING)
def test_grad_fn_name_of_every_way_to_index(expression, name):
    assert name_of(expression) == name


@pytest.mark.parametrize(("expression", "name"), PRODUCTS)
def test_grad_fn_name_of_products(expression, name):
    assert name_of(expression) == name


@pytest.mark.parametrize(("expression", "name"), LINALG)
def test_grad_fn_name_of_linear_algebra(expression, name):
    assert name_of(expression) == name


@pytest.mark.parametrize(("expression", "name"), COMPLEX)
def test_grad_fn_name_of_complex_functions(expression, name):
    assert name_of(expression) == name


@pytest.mark.parametrize(("expression", "name"), SEVERAL_STEPS)
def test_grad_fn_name_of_what_is_written_as_something_else_is_that_of_its_last_step(expression, name):
    assert name_of(expression) == name
