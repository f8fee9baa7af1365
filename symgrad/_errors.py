"""Errors that say what failed, the evidence, and one next step, in the reader's words; what PyTorch has besides."""

from __future__ import annotations

import functools
import inspect
import re
import sys
import warnings
from collections.abc import Callable, Iterable, Sequence
from contextvars import ContextVar
from fnmatch import fnmatchcase
from pickle import UnpicklingError
from typing import Any, ParamSpec, TypeVar

# ------------------------------------------------------- Errors that say what failed, the evidence, and one next step

# Every class also derives from the built-in that PyTorch (or NumPy) raises in the same situation, so that
# ``except RuntimeError`` written for PyTorch keeps working.


_P = ParamSpec("_P")
_R = TypeVar("_R")

refusal: ContextVar[tuple[Any, ...] | None] = ContextVar("symgrad_refusal", default=None)
"""The last error that refused a function the value of what it computes with: its class and its parts."""


def compose(what: str, evidence: str = "", next_step: str = "") -> str:
    """Join the three parts of a message, leaving out the empty ones, in the words of who reads it."""
    return in_words_of_reader("\n".join(part for part in (what, evidence, next_step) if part))


def listed(words: Sequence[Any], most: int = 6) -> str:
    """The first of some words, and how many more there are."""
    return ", ".join(map(str, words[:most])) + (f" and {len(words) - most} more" if len(words) > most else "")


def one_of(error: type[Exception], what: str, given: Any, known: Iterable[str], evidence: str = "") -> Any:
    """One of the words of an option, or an error that lists them."""
    if not isinstance(given, str) or given not in known:
        raise error(f"{what} is {given!r}", evidence, f"Choose one of {', '.join(map(repr, known))}.")
    return given


class SymgradError(Exception):
    """Base of every error that symgrad raises on purpose.

    Examples
    --------
    >>> import symgrad as sg
    >>> try:
    ...     sg.ones(2) + sg.ones(3)
    ... except sg.SymgradError as error:
    ...     print(type(error).__name__)
    ShapeError
    """

    _is_named = False
    args: tuple[Any, ...]

    def __init__(self, what: str = "", evidence: str = "", next_step: str = "") -> None:
        super().__init__(compose(what, evidence, next_step))

    def say_to_arrays(self) -> None:
        """Have the message in NumPy's words: the function that it is about was one of arrays, and has returned."""
        if self.args:
            self.args = (in_words_of_reader(str(self.args[0]), True),)

    def name_operation(self, name: str) -> None:
        """Begin with the operation as its caller knows it, ``np.sum``, where the message does not say it.

        A head that says it as PyTorch does, ``permute(): ``, goes. Of calls within calls the innermost is named.
        """
        if not self._is_named and self.args:
            text = str(self.args[0])
            if text.startswith('"') or re.search(rf"\b{re.escape(name.rpartition('.')[2])}\b", text) is None:
                self.args = (f"{name}: {re.sub(_HEAD, '', text, count=1)}",)
        self._is_named = True


class ShapeError(SymgradError, RuntimeError, ValueError):
    """Shapes do not fit the operation."""


class DimensionError(SymgradError, IndexError):
    """A dimension or an index is out of range."""


class DTypeError(SymgradError, RuntimeError, TypeError):
    """A dtype does not fit the operation."""


class RangeError(SymgradError, OverflowError, RuntimeError):
    """A number does not fit into the dtype."""


class ConstraintError(SymgradError, ValueError):
    """A parameter of a distribution, or a value, is not as it must be."""


class DeviceError(SymgradError, RuntimeError, AssertionError):
    """A device other than the CPU was asked for."""


class _Refusal(SymgradError):
    """What plain numbers would not meet: a function that catches it has gone another way than with them."""

    def __init__(self, what: str = "", evidence: str = "", next_step: str = "") -> None:
        super().__init__(what, evidence, next_step)
        refusal.set((type(self), *map(in_words_of_reader, (what, evidence, next_step))))


class GradientError(_Refusal, RuntimeError):
    """A derivative was asked for where there is none."""


class GraphFreedError(SymgradError, RuntimeError):
    """The graph's saved values were freed by an earlier backward."""


class InplaceError(SymgradError, RuntimeError):
    """An in-place operation is not allowed, or has spoilt a value that a backward needs."""


class NotDifferentiableError(_Refusal, NotImplementedError, RuntimeError):
    """An operation without a derivative was differentiated."""


class FormulaError(SymgradError, RuntimeError):
    """A formula does not exist or disagrees with the number."""


class SymbolicBranchError(_Refusal, TypeError):
    """Control flow asked for the value of a symbol, or a write into an array of numbers: see ``of_a_write``."""

    def __init__(self, what: str = "", evidence: str = "", next_step: str = "", of_a_write: str = "") -> None:
        super().__init__(what, evidence, next_step)
        self.of_a_write: str = of_a_write


class TooLargeError(SymgradError, MemoryError):
    """A result would not fit into memory; raised before anything is allocated."""


class LoadError(SymgradError, UnpicklingError):
    """A file is damaged, is none of `save`'s, or asks for more than weights."""


class MissingDependencyError(SymgradError, ImportError):
    """An optional package is not installed; the message is the install line."""


def warn_caller(text: str, category: type[Warning] = UserWarning) -> None:
    """Warn of the first line outside this package and what it runs on, which Python does once for each such line."""
    frame, depth = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] in _NOBODYS:
        frame, depth = frame.f_back, depth + 1
    warnings.warn(text, category, stacklevel=depth)


_NOBODYS = ("symgrad", "numpy", "scipy")


def require_not_refused(before: tuple[Any, ...] | None) -> None:
    """Raise what was refused since ``before`` was what `refusal` held: the function caught it and went on.

    With plain numbers nothing would have been refused: what it returned is something else.
    """
    now = refusal.get()
    if now is not before and now is not None:
        kind, what, evidence, next_step = now
        evidence = f"{evidence}\nThe function caught this error and went on, on another way than with plain numbers."
        raise kind(what, evidence.strip(), next_step)


# -------------------------------------------------------------------------------------------------------------------
# The words of who reads a message: PyTorch's in a function of tensors, NumPy's in one of arrays

# The idea to hold: a message is written once, in PyTorch's words, in which programs look for it. In a function of
# arrays the words of one table take their places. What is quoted, and the name of a file, is the user's and stays.


def _nothing_runs() -> bool:
    return False


among_arrays: Callable[[], bool] = _nothing_runs
"""Whether a function of arrays is running; `core.modes` puts here what knows."""

# fmt: off
NUMPYS_WORDS = (
    # numbers, casts, copies
    (r"\bcall numpy\(\) on\b", "make numbers of"), (r" Use tensor\.detach\(\)\.numpy\(\) instead\.", ""),
    (r"\b(\w+(?:\[[^\]]*\])*)\.detach\(\)(?:\.clone\(\)|\.numpy\(\))?", r"sg.stop_gradient(\1)"),
    (r"\bdetach\(\)(?:\.numpy\(\))?", "sg.stop_gradient()"), (r"\bnumpy\(\)", "np.asarray()"),
    (r"\bclone\(\)", "copy()"), (r"\.long\(\)", ".astype(int)"), (r"\.double\(\)", ".astype(float)"),
    (r"\.bool\(\)", ".astype(bool)"), (r"\.to\((?:sg\.)?(\w+)\)", r".astype(\1)"),
    # axes
    (r"\bkeepdim\b", "keepdims"), (r"\.dim\(\)", ".ndim"), (r"\.mT\b", ".T"),
    (r"\.numel\(\)", ".size"), (r"(?<=\d)-dim\b", "-d"),
    (r"\bDimension (?=out of range|specified)", "axis "), (r"\bCount dimensions\b", "Count axes"),
    (r"(?<!of )(?<!negative )(?<!shape )(?<!have )(?<!has )\b[Dd]imension (?=-?\d)", "axis "),
    (r"\bdim(?=\d?\b)", "axis"), (r"\bdims\b", "axes"),
    # functions
    (r"\bsg\.((?:float|int|uint|complex)\d+|where|stack|zeros|ones|arange|full|maximum|minimum)\b", r"np.\1"),
    (r"\btorch\.(?=\w)", "np."), (r"\bcat\(", "concatenate("), (r"\bpermute\b", "transpose"),
    (r"\btake_along_dim\b", "take_along_axis"), (r"\b(\w+)\.unsqueeze\(", r"np.expand_dims(\1, "),
    (r"\bunsqueeze\b", "expand_dims"), (r"\bUnsqueeze\b", "Use np.expand_dims on"),
    # what is computed with
    (r"\brepeat\(\)", "np.tile()"), (r"\btensors do not compute\b", "arrays that are differentiated do not compute"),
    (r"\b(?:[Aa] )?[Tt]ensors?(?:, | or | and )(?=(?:NumPy )?(?:an )?arrays?\b)", ""),
    (r"\b([Aa]n array), a tensor\b", r"\1"),
    (r"\bdoes(?: not|n't) require (?:a )?grad(?:ient)?\b", "is not differentiated"),
    (r"\b(can|to) require grad(?:ient)?s\b", r"\1 be differentiated"),
    (r"\b(that|which|what|arguments) requires (?:a )?grad(?:ient)?s?\b", r"\1 is differentiated"),
    (r"\b(that|which) require (?:a )?grad(?:ient)?s?\b", r"\1 are differentiated"),
    (r"\ba long tensor\b", "an array of whole numbers"), (r"\bsg\.tensor\(", "np.array("),
    (r"\b([Aa]) [Tt]ensor\b", r"\1n array"), (r"\b(on|of) Tensor\b", r"\1 an array"),
    (r"\bTensors (?=must|are|have)", "Arrays "), (r"\b[Tt]ensor(?=s?\b)", "array"),
    (r"\bTensorList\b", "list of arrays"),
)
# fmt: on
"""PyTorch's words, as patterns, and NumPy's in their places, in this order."""
_USERS = r"""((?<!\w)'(?!Tensor'|dim' argument)[^'\n]*'(?!\w)|\S+\.py\b|<\w+>)"""
_HEAD = r"""^(?:(?:torch|np|linalg)\.)*[a-z_]\w*(?:\(\))?: ?|^"\w+" """


def in_words_of_reader(text: str, of_arrays: bool = False) -> str:
    """A message in the words of who reads it: ``of_arrays`` or among them NumPy's."""
    if not (of_arrays or among_arrays()):
        return text
    return "".join(part if k % 2 else _in_numpys_words(part) for k, part in enumerate(re.split(_USERS, text)))


def _in_numpys_words(text: str) -> str:
    for pattern, word in _compiled():
        text = pattern.sub(word, text)
    return text


@functools.cache
def _compiled() -> list[tuple[re.Pattern[str], str]]:
    """The rows as `re` takes them, from the first error on: importing this package is to cost nothing for them."""
    return [(re.compile(pattern), word) for pattern, word in NUMPYS_WORDS]


# -------------------------------------------------------------------------------------------------------------------
# What PyTorch has and symgrad has not, and why: for the error of a failed lookup, and for the page on PyTorch

# The idea to hold: the reasons stand here and nowhere else. A lookup that fails loads this module and asks `missing`;
# docs/conf.py makes tables of the rows.


# fmt: off
OPERATIONS = (
    ("a transform of each window is not written", "Take sg.fft.fft of x.unfold(-1, size, step).", "stft istft"),
    (
        "layers and losses, which are in `sg.nn.functional` as far as they are there",
        "Look in sg.nn and in sg.nn.functional.",
        "adaptive_* affine_grid_generator *alpha_dropout* avg_pool1d batch_norm bilinear "
        "binary_cross_entropy_with_logits celu* channel_shuffle conv1d conv2d conv3d conv_t* cosine_* ctc_loss "
        "dropout* embedding* feature_dropout* grid_sampler* group_norm gru* hardshrink hinge_embedding_loss "
        "instance_norm kl_div layer_norm lstm* margin_ranking_loss max_pool* norm_except_dim pairwise_distance "
        "pixel_* poisson_nll_loss prelu rms_norm rnn_* rrelu* selu_ threshold* triplet_margin_loss",
    ),
    (
        "quantized tensors", "Compute in float32 or float64; PyTorch has them.",
        "ao choose_qparams_optimized dequantize empty_quantized fake_quantize_* fbgemm_* "
        "fused_moving_avg_obs_fake_quant int_repr per_* q_* qint* qscheme quantization quantize_* quantized_* "
        "quint*",
    ),
    (
        "sparse and nested tensors", "Tensors are dense; sg.hessian(f, format=\"csr\") gives SciPy's sparse matrix.",
        "*coalesce* *indices dense_dim dsmm hsmm hspmm masked nested resize_as_sparse_ saddmm smm spars* spmm "
        "sspaddmm to_dense to_padded_tensor to_sparse* values",
    ),
    (
        "other devices, their libraries and settings", "Everything runs on the CPU: leave it out.",
        "AcceleratorError Event OutOfMemoryError Stream cpu cudnn_* get_device_module ipu is_vulkan_available "
        "miopen_* mkldnn_* mtia record_stream to_mkldnn xpu",
    ),
    ("questions whose answer is no for every tensor here (`is_cpu`: yes)", "Leave the question out.", "is_*"),
    (
        "automatic mixed precision",
        "Choose a dtype: sg.set_default_dtype(sg.float32). In scripts for PyTorch, under sg.install(\"torch\"), "
        "torch.autocast and torch.amp.GradScaler are there, and change nothing.",
        "amp *autocast* GradScaler",
    ),
    (
        "dtypes that NumPy lacks, and casts that `.to(dtype)` does", "Write x.to(dtype) with one of sg's dtypes.",
        "bfloat16 BFloat16Tensor bit bits* chalf byte char complex32 float4_* float8_* int[1-7] uint[1-7]",
    ),
    (
        "TorchScript and the compiler", "sg.compile makes NumPy programs of functions.",
        "FatalError JITException Sym* compiler cond export fork fx import_ir_module* jit library "
        "merge_type_from_type_comment parse_* slice_inverse sym_* unify_type_list wait while_loop",
    ),
    ("work on several machines or processes", "PyTorch has it.", "futures multiprocessing"),
    (
        "models from the net, exchange formats", "PyTorch has them; a formula has f.code(\"torch\").",
        "hub monitor onnx package",
    ),
    (
        "profiles of runs", "Use Python's cProfile.", "profiler",
    ),
    (
        "other layouts of memory, and memory that changes its size or owner",
        "Arrays have NumPy's layout: leave it out.",
        "*Storage* *_format channels_last* dim_order jagged layout memory_format resize* set_ *storage* "
        "to_dlpack from_file",
    ),
    (
        "threads, determinism, warnings, as settings", "Leave the setting out.",
        "*deterministic* has_* get_float32_matmul_precision *_num_*threads init_num_threads set_flush_denormal "
        "set_float32_matmul_precision *warn_always*",
    ),
    (
        "removed or deprecated in PyTorch itself", "Use what replaced it.",
        "eig lstsq matrix_rank range reinforce solve symeig volatile",
    ),
    (
        "PyTorch's own inside, without documentation", "Look for the documented function that it serves.",
        "*_copy AVG DisableTorchFunction* SUM as_subclass batch_norm_* classes classproperty "
        "compiled_with_cxx11_abi const_data_ptr constant_pad_nd convolution cpp default_generator detach_ "
        "frobenius_norm functional get_file_path grad_dtype hash_tensor index module_load native_* "
        "nuclear_norm overrides prepare_multiprocessing_environment profiler_* quasirandom random "
        "segment_reduce serialization set_anomaly_enabled signal thread_safe_generator torch_version types "
        "typename version",
    ),
    (
        "factorisations that SciPy's LAPACK does not offer, or that iterate", "Use sg.linalg.lu, cholesky or eigh.",
        "ldl_* lobpcg",
    ),
)
"""Why, the next step, and the names: of the top level, tensors, `linalg`, `special` and `fft`; ``*`` is any text."""

LAYERS = (
    (
        "a layer's sizes are said when it is made", "Give the sizes to the layer without Lazy in its name.",
        "LazyLinear LazyConv1d LazyConv2d LazyConv3d LazyConvTranspose1d LazyConvTranspose2d LazyConvTranspose3d "
        "LazyBatchNorm1d LazyBatchNorm2d LazyBatchNorm3d LazyInstanceNorm1d LazyInstanceNorm2d LazyInstanceNorm3d "
        "UninitializedParameter UninitializedBuffer",
    ),
    ("there is one device", "Use the module itself.", "DataParallel SyncBatchNorm"),
    (
        "products in number formats of 8 bits and fewer", "Use sg.matmul.",
        "grouped_mm scaled_mm scaled_grouped_mm ScalingType SwizzleType",
    ),
    (
        "how a loss is computed in chunks; `linear_cross_entropy` is computed at once", "Leave options= out.",
        "LinearCrossEntropyOptions",
    ),
    (
        "forerunners of `Module` and of `LocalResponseNorm`", "Use Module, and LocalResponseNorm.",
        "Container CrossMapLRN2d",
    ),
    ("helpers of PyTorch's own layers", "Write what they do: they are one line.", "factory_kwargs assert_int_or_pair"),
)
"""The same of `nn` and `nn.functional`."""

TOOLS = (
    ("logs of runs", "Keep numbers in a list, and draw them with matplotlib.", "tensorboard"),
    ("profiles of runs", "Use Python's cProfile.", "bottleneck"),
    (
        "masks that prune a model's weights",
        "Register a module that multiplies by the mask: nn.utils.parametrize.register_parametrization.", "prune",
    ),
    ("calls with other parameters than a module's own, under their old name", "Use sg.func.functional_call.",
     "stateless"),
    ("modules fused for inference", "They give the numbers of the modules one after the other.", "fusion fuse_*"),
    ("a module that is made without its first values", "Make the module itself.", "skip_init"),
)
"""The same of `utils` and `nn.utils`."""

DISTRIBUTIONS = (
    (
        "a distribution that is not written as an object",
        "Its density may be in symgrad.scipy.stats; TransformedDistribution makes new ones of those that are there.",
        "Cauchy Chi2 ContinuousBernoulli ExponentialFamily FisherSnedecor GeneralizedPareto Geometric Gumbel "
        "HalfCauchy HalfNormal InverseGamma Kumaraswamy LKJCholesky LogisticNormal LowRankMultivariateNormal "
        "Multinomial NegativeBinomial OneHotCategoricalStraightThrough Pareto RelaxedBernoulli "
        "RelaxedOneHotCategorical VonMises Weibull Wishart",
    ),
    (
        "maps from all numbers to those of a constraint, and constraints and transforms of joined parts",
        "Name the transform: ExpTransform, SigmoidTransform.",
        "biject_to transform_to constraint_registry cat stack corr_cholesky AbsTransform CatTransform "
        "CorrCholeskyTransform CumulativeDistributionTransform LowerCholeskyTransform PositiveDefiniteTransform "
        "ReshapeTransform SoftmaxTransform StackTransform StickBreakingTransform",
    ),
)
"""The same of `distributions`."""

INSTEAD = {
    "eig": "sg.linalg.eig", "lstsq": "sg.linalg.lstsq", "matrix_rank": "sg.linalg.matrix_rank", "range": "sg.arange",
    "solve": "sg.linalg.solve", "symeig": "sg.linalg.eigh", "to_dlpack": "x.__dlpack__()",
    "from_file": "sg.from_numpy(np.memmap(…))", "random": "sg.manual_seed", "serialization": "sg.save",
    "signal": "sg.hann_window", "version": "sg.__version__", "nuclear_norm": "sg.linalg.matrix_norm(x, 'nuc')",
    "frobenius_norm": "sg.linalg.matrix_norm", "set_anomaly_enabled": "sg.autograd.set_detect_anomaly",
    "constant_pad_nd": "sg.nn.functional.pad", "byte": "x.to(sg.uint8)", "char": "x.to(sg.int8)",
    "detach_": "x.detach()", "default_generator": "sg.manual_seed",
}  # fmt: skip
"""What does the same, of names that have a twin."""


def instead_of_keywords(words: dict[str, str]) -> Callable[[Callable[_P, _R]], Callable[_P, _R]]:
    """A decorator: a keyword that the function lacks is refused with what to write in its place."""

    def decorate(f: Callable[_P, _R]) -> Callable[_P, _R]:
        known = tuple(inspect.signature(f).parameters.values())
        names = frozenset(p.name for p in known)
        taken = ", ".join(p.name for p in known if p.kind in (p.KEYWORD_ONLY, p.POSITIONAL_OR_KEYWORD))

        @functools.wraps(f)
        def checked(*args: _P.args, **kwargs: _P.kwargs) -> _R:
            unknown = [name for name in kwargs if name not in names]
            if unknown:
                step = words.get(unknown[0], f"It takes {taken.removeprefix('self, ')}.").format(unknown[0])
                raise TypeError(compose(f"{f.__name__}() takes no keyword {unknown[0]!r}", "", step))
            return f(*args, **kwargs)

        return checked

    return decorate


OF_OTHERS = {
    "Variable GradientTape": "Write x = sg.tensor(value, requires_grad=True) and y.backward(), or sg.grad(f)(x).",
    "derivative nabla": "Write sg.grad(f)(x).",
    "divergence curl": "Write sg.jacobian(f)(x): its diagonal, or its differences, summed.",
    "fori_loop": "Write a Python loop, or sg.scan.",
    "pmap": "Write sg.vmap.",
    "lambdify": "Write sg.formula(f, x).code(), or sg.compile(f).",
    "latex": "Write sg.formula(f, x).latex().",
    "simplify": "Formulas come simplified: print sg.formula(f, x).",
    "maximize mle": 'Write sg.minimize(f, start, objective="loglik").',
    "OLS ols Logit Probit GLM": "Write its log-likelihood as f, and sg.minimize(f, start).",
}
"""What does it here, of words that other libraries have for the whole of it."""

def _row(name: str) -> tuple[str, str] | None:
    """Return why a name is not there, and the next step; None of an unknown name."""
    for why, step, patterns in (*OPERATIONS, *LAYERS, *TOOLS, *DISTRIBUTIONS):
        for pattern in patterns.split():
            if fnmatchcase(name, pattern) or pattern == f"{name}.*":
                return why, f"Use {INSTEAD[name]}." if name in INSTEAD else step
    return None


def missing(module: str, name: str, home: Callable[[str], str] | None = None) -> AttributeError:
    """Return the error of a lookup in a module, with the reason where it is a name of PyTorch's; ``home(name)`` says
    where it is, if it is elsewhere."""
    what, known = f"module {module!r} has no attribute {name!r}", None if name.startswith("_") else _row(name)
    if known is not None:
        why, step = known
        if step.endswith("sg.nn.functional.") and name in sys.modules["symgrad"].nn.functional.__all__:
            step = f"Use sg.nn.functional.{name}."
        what = compose(what, f"Left out: {why}.".replace("`", ""), step)
    elif home is not None and name[:1] not in ("", "_"):
        asks = sys._getframe(2).f_globals.get("__name__", "").partition(".")[0]
        if asks not in ("symgrad", "importlib"):  # which may ask while the modules are loaded
            found = next((step for words, step in OF_OTHERS.items() if name in words.split()), "") or home(name)
            what = compose(what, "", found)
    return AttributeError(what, name=name, obj=sys.modules[module])
