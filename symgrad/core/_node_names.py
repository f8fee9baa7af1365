"""What PyTorch calls the nodes: every name of a ``grad_fn`` is found here.

The idea to hold: a name is that of the public function (``sin`` → ``SinBackward0``) and the number of its overload.
Where PyTorch records a function as another one (``square`` as a power), `_NAMES` says so. Where the overload depends
on the call, a node is recorded under its row's first name and gets its own when somebody looks at it (``t.grad_fn``,
``node.name()``): recording need not choose.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from ._graph import Node, OutputNode, Tensor
from ._reading import constants_of, params_of, shapes_of

_TEXT = """
rdiv=Mul rsub=Rsub.0.0.1 rsub_alpha=Rsub.0.0.1 pow_scalar=Pow pow_tensor=Pow.1.2.1 square=Pow abs_power=Pow
signed_power=Pow div_or_zero=Div div_floor=Div.2 div_trunc=Div.2 remainder=Remainder.1.1.0 fmod=Fmod.1.1.0
clamp=Clamp.0.0.1 clamp_min_tensor=ClampMin.1.1.0 clamp_max_tensor=ClampMax.1.1.0 lerp=Lerp.1 xlogy=Xlogy.0.1.2
log1p=Log1P logsigmoid=LogSigmoid polygamma_order=Polygamma keep=Where gate=Threshold slant=LeakyReluBackward
between=HardtanhBackward tied=Alias remember=Alias masked_fill=MaskedFill.1.1.0 ndtr=SpecialNdtr ndtri=SpecialNdtri
log_ndtr=SpecialLogNdtr entr=SpecialEntr xlog1py=SpecialXlog1Py

sum_to=Sum.1 sum_dim=Sum.1 mean_dim=Mean.1 prod_dim=Prod.1 cumprod_before=Cumprod diff=Sub undiff=Sub max=Max.1
min=Min.1 max_dim=Max min_dim=Min cummax_dim=Cummax cummin_dim=Cummin median_dim=Median.1 nanmedian_dim=Nanmedian.1
mode_dim=Mode kthvalue_dim=Kthvalue sort_dim=Sort stable_sort=Sort.1 topk_dim=Topk

view=View reshape_copy=UnsafeView reshape_alias=ReshapeAlias repeat=Repeat repeat_interleave=View overlay=UnfoldBackward
diagonal_put=DiagonalBackward squeeze_dim=Squeeze.1 squeeze_dims=Squeeze.2 squeeze_=Squeeze.3 squeeze_dim_=Squeeze.4
squeeze_dims_=Squeeze.5 unsqueeze_=Unsqueeze.1 transpose_=Transpose.1 t_=T.1 constant_pad=ConstantPadNd
border_pad=IndexSelect reflect_pad1=ReflectionPad1D reflect_pad2=ReflectionPad2D reflect_pad3=ReflectionPad3D
replicate_pad1=ReplicationPad1D replicate_pad2=ReplicationPad2D replicate_pad3=ReplicationPad3D

getitem=Select embed=SelectBackward pick=Gather unpick=ScatterAdd add_flat=Put index_accumulate=IndexPut clear=IndexPut
index_fill_tensor=IndexFill.1 scatter_value=Scatter.1 scatter_sum=ScatterReduce scatter_extreme=ScatterReduce
cast=ToCopy fill=Fill.2 fill_tensor=Fill.3 normal=Normal.3 bernoulli_=Bernoulli.2 random_=Random.2

vm=Squeeze.4 outer=Mul outer_batched=Mul matmul_folded=UnsafeView matmul_batched=UnsafeView kron=UnsafeView
matmul_batched_vector=UnsafeView bilinear=View einsum=View einsum_pair=View einsum_times=Mul einsum_sum=Sum.1
linalg_cross=LinalgCross det=LinalgDet slogdet=LinalgSlogdet inv=LinalgInvEx solve=LinalgSolveEx einsum_permute=Permute
solve_vector=LinalgSolveEx solve_triangular=LinalgSolveTriangular linalg_cholesky=LinalgCholeskyEx lstsq=LinalgLstsq
pinv=LinalgPinv eigh=LinalgEigh eig=LinalgEig lu=LinalgLu svd=LinalgSvd qr=LinalgQr matrix_exp=LinalgMatrixExp
vector_norm=LinalgVectorNorm
"""
_NAMES = dict(word.split("=") for word in _TEXT.split())
"""By row or public function PyTorch's name less "Backward", and the overload's number where it is not 0.

Three numbers: of a call with tensors alone, with a number for the first operand, with a number for a later one.
"""

_WHOLE = {
    "copy_from": "CopyBackwards", "copy_slices": "CopySlices", "circular_pad": "CopySlices",
    "diagonal_copy": "DiagonalBackward0_copy",
}  # fmt: skip


def _last_step(node: Node) -> str:
    (index,) = params_of(node)
    kinds = [type(k) for k in index if k is not ... and (k != slice(None) or len(index) == 1)]
    return {slice: "Slice", type(None): "Unsqueeze"}.get(kinds[-1], "Select") if kinds else "Alias"


def _folded(a: Any, b: Any) -> str:
    return "Clone" if len(a) == 2 or (len(a) == len(b) == 3 and a[0] == 1 != b[0]) else "UnsafeView"


_BY_CALL: dict[str, Callable[[Node], str]] = {
    "getitem": _last_step,
    "matmul_batched": lambda node: _folded(*shapes_of(node)),
}


def has_overloads(row: str) -> bool:
    """Whether the name of a row's node depends on the call that it records."""
    return row in _BY_CALL or _NAMES.get(row, "").count(".") == 3


def node_name(row: str, function: str, node: Node | None = None) -> str:
    """The name of a row's nodes, or of one node; ``function`` is the public function that the row is."""
    if row in _WHOLE:
        return _WHOLE[row]
    word = _NAMES.get(row) or "".join(part[:1].upper() + part[1:] for part in function.split("_"))
    if node is not None and row in _BY_CALL:
        word = _BY_CALL[row](node)
    base, *numbers = word.split(".")
    return f"{base}Backward{numbers[_place_of_a_number(node) if len(numbers) == 3 and node else 0] if numbers else 0}"


def _place_of_a_number(node: Node) -> int:
    """0 where all operands were tensors, 1 where the first was a number, 2 where a later one was."""
    numbers = [k for k, c in enumerate(constants_of(node)) if isinstance(c, (int, float, complex, np.generic))]
    return 1 + (numbers[-1] > 0) if numbers else 0


def rename(node: Node, row: str, function: str) -> None:
    """Let a node be of a class of its operation's that bears the name of its call."""
    node.__class__ = _subclass(node.op.node, node_name(row, function, node))


def recorded_as(result: Any, function: str) -> Any:
    """The result of a row, its node called as that of another public function, which PyTorch has; returns it."""
    t = result[0] if isinstance(result, tuple) else result
    node = t._node if isinstance(t, Tensor) else None
    if node is not None:
        node = node.parents[0] if type(node) is OutputNode else node
        node.__class__ = _called(node.op.node, function)
    return result


@cache
def _called(cls: Any, function: str) -> type[Node]:
    return _subclass(cls, node_name(function, function), function)


@cache
def _subclass(cls: type[Node], name: str, function: str = "") -> type[Node]:
    own_name = (lambda node: rename(node, function, function)) if has_overloads(function) else None
    body = {"__slots__": (), "own_name": own_name, "__doc__": cls.__doc__, "__module__": cls.__module__}
    return type(name, (cls,), body)
