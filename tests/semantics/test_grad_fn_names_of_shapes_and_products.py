"""Names of `grad_fn`, one row per operation: shapes, indexing, products and the rest.

A name tells which overload ran (`SumBackward0` adds all elements, `SumBackward1` adds along `dim`).
"""

import pytest

from ._grad_fn_names import name_of

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
