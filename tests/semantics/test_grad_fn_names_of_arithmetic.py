"""Names of `grad_fn`, one row per operation: arithmetic, functions, reductions.

A name tells which overload ran (`SumBackward0` adds all elements, `SumBackward1` adds along `dim`).
"""

from functools import partial

import pytest

import symgrad as sg

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


@pytest.mark.parametrize(("expression", "name"), ARITHMETIC)
def test_grad_fn_name_of_arithmetic_and_its_reflected_forms(expression, name):
    assert name_of(expression) == name


@pytest.mark.parametrize(("expression", "name"), ELEMENTWISE)
def test_grad_fn_name_of_elementwise_functions(expression, name):
    assert name_of(expression) == name


@pytest.mark.parametrize(("expression", "name"), REDUCTIONS)
def test_grad_fn_name_of_reductions_per_overload(expression, name):
    assert name_of(expression) == name
