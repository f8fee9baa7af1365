"""Random tensors: NumPy's generators behind PyTorch's names, and draws from distributions with parameters."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any
from weakref import WeakSet

import numpy as np

from ..._errors import DTypeError, NotDifferentiableError, ShapeError
from ..._typing import as_dtype
from ...core import TABLE, Tensor, elementwise, has_history, modes, short_dtype, wrap
from ..arguments import ndarray_of
from ..public import METHODS, in_place, named, public, publish
from .creation import as_array, float_dtype, make, number, shape_asked

# ---------------------------------------------------------- Random tensors: NumPy's generators behind PyTorch's names

# The idea to hold: one generator per process, seeded by `manual_seed`. The numbers are NumPy's (PCG64), *not* those
# that PyTorch draws from the same seed. A derivative with respect to a draw is zero: what is drawn does not depend
# differentiably on what was there before; to differentiate through a parameter of the distribution, write ``mean + std
# * sg.randn(n)``.


# PyTorch's signatures stand on as few lines as they fit
# fmt: off

# -------------------------------------------------------------------------------------------------- generators


class Generator:
    """A source of random numbers, to pass as ``generator=``; a copy of its state continues the same stream.

    Examples
    --------
    >>> import symgrad as sg
    >>> g = sg.Generator().manual_seed(0)
    >>> a = sg.rand(3, generator=g)
    >>> bool((a == sg.rand(3, generator=g.manual_seed(0))).all())
    True
    """

    _stream: np.random.Generator | None

    def __init__(self, device: Any = "cpu") -> None:
        self.seed()

    def manual_seed(self, seed: int) -> Generator:
        """Start the stream that belongs to ``seed``; returns the generator."""
        seed = int(seed)
        if not -(2**63) <= seed < 2**64:
            raise ValueError(f"Overflow when unpacking long long: the seed {seed} does not fit 64 bits")
        self._seed, self._stream = seed % 2**64, None
        return self

    @property
    def numpy(self) -> np.random.Generator:
        """NumPy's generator, made when it is first asked for: ``numpy.random`` is a sixth of the time of an import."""
        if self._stream is None:
            self._stream = np.random.default_rng(self._seed)
        return self._stream

    def seed(self) -> int:
        """Start a stream from entropy of the operating system; returns the seed."""
        self.manual_seed(int.from_bytes(os.urandom(8), "little") >> 1)
        return self._seed

    def initial_seed(self) -> int:
        """Return the seed that the stream started from."""
        return self._seed

    def get_state(self) -> Tensor:
        """Return the state, a tensor of bytes."""
        import json

        text = json.dumps([self._seed, self.numpy.bit_generator.state])
        return wrap(np.frombuffer(text.encode(), dtype=np.uint8).copy())

    def set_state(self, state: Tensor) -> Generator:
        """Continue from a state that `get_state` returned."""
        import json

        self._seed, self.numpy.bit_generator.state = json.loads(state._data.tobytes().decode())
        return self

    def __repr__(self) -> str:
        return f"<symgrad.Generator, seed {self._seed}>"


default_generator = Generator()


drawn = [0]
"""How often numbers were drawn, from whichever generator: vmap's error mode looks whether they were."""


class Beginnings:
    """Where generators began: the process's one now, each other one when it is drawn from for the first time."""

    def __init__(self) -> None:
        self.states: dict[Generator, Tensor] = {default_generator: default_generator.get_state()}
        _beginnings.add(self)

    def put_back(self) -> None:
        """Let all of them begin there again."""
        for generator, state in self.states.items():
            generator.set_state(state)

    def have_moved(self) -> bool:
        """Whether any has gone on."""
        return any(not np.array_equal(state._data, g.get_state()._data) for g, state in self.states.items())


_beginnings: WeakSet[Beginnings] = WeakSet()


def numpy_generator(generator: Generator | None = None) -> np.random.Generator:
    """The NumPy generator to draw from."""
    drawn[0] += 1
    generator = generator or default_generator
    for begun in list(_beginnings):
        if generator not in begun.states:
            begun.states[generator] = generator.get_state()
    return generator.numpy


publish(Generator, "Generator", method=False)


@public(method=False)
def manual_seed(seed: int) -> Generator:
    """Seed the process's generator (NumPy's stream, not PyTorch's); returns the generator."""
    return default_generator.manual_seed(seed)


@public(method=False)
def seed() -> int:
    """Seed the process's generator from entropy; returns the seed."""
    return default_generator.seed()


@public(method=False)
def initial_seed() -> int:
    """Return the seed that the process's generator started from."""
    return default_generator.initial_seed()


@public(method=False)
def get_rng_state() -> Tensor:
    """Return the state of the process's generator, a tensor of bytes."""
    return default_generator.get_state()


@public(method=False)
def set_rng_state(new_state: Tensor) -> None:
    """Set the state of the process's generator."""
    default_generator.set_state(new_state)


# ----------------------------------------------------------------------------------------------------- drawing


def _uniform(rng: np.random.Generator, shape: Any, dtype: np.dtype[Any]) -> np.ndarray:
    return _continuous(rng.random, shape, dtype, "rand", 1.0)


def _normal(rng: np.random.Generator, shape: Any, dtype: np.dtype[Any]) -> np.ndarray:
    return _continuous(rng.standard_normal, shape, dtype, "randn", 0.5**0.5)  # the variance is 1: half from each part


def _continuous(draw: Any, shape: Any, dtype: np.dtype[Any], what: str, of_parts: float) -> np.ndarray:
    if dtype.kind == "c":
        return np.asarray((draw(shape) + 1j * draw(shape)) * of_parts, dtype)
    _expect_float(dtype, what)
    return np.asarray(draw(shape, dtype=dtype) if dtype.itemsize > 2 else draw(shape), dtype)


def _expect_float(dtype: np.dtype[Any], what: str, advice: str = "Use randint, or a float dtype.") -> None:
    if dtype.kind not in "fc":
        raise DTypeError(f"{what} is not implemented for '{short_dtype(dtype)}'", "It draws from a continuum.", advice)


def _expect_deviation(std: Any) -> None:
    low = ndarray_of(std).min(initial=0)
    if low < 0:
        raise ShapeError(
            f"normal expects std >= 0.0, but found std {low:g}", "", "Pass the deviation, not the log of it.",
        )


def _expect_integers(low: Any, high: Any, end: str) -> None:
    if low >= high:
        raise ShapeError(
            f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}", "",
            f"``{end}`` itself is never drawn.",
        )


def _drawn(draw: Callable[..., np.ndarray], what: str, doc: str) -> None:
    def fn(
        *sizes_: Any, size: Any = None, generator: Generator | None = None, dtype: Any = None, device: Any = None,
        requires_grad: bool = False, name: str | None = None, layout: Any = None, pin_memory: bool = False,
    ) -> Tensor:
        data = draw(numpy_generator(generator), shape_asked(what, sizes_, size), float_dtype(dtype))
        return make(data, requires_grad, device, name)

    def like(
        input: Any, *, generator: Generator | None = None, dtype: Any = None, device: Any = None,
        requires_grad: bool = False, name: str | None = None, layout: Any = None, memory_format: Any = None,
    ) -> Tensor:
        data = draw(numpy_generator(generator), tuple(input.shape), input.dtype if dtype is None else as_dtype(dtype))
        return make(data, requires_grad, device, name)

    public(method=False)(named(fn, what, f"Return a tensor of the given sizes, {doc}."))
    public(method=False)(named(like, f"{what}_like", f"Return a tensor of the shape and dtype of ``input``, {doc}."))


_drawn(_uniform, "rand", "drawn uniformly from [0, 1)")
_drawn(_normal, "randn", "drawn from the normal distribution with mean 0 and variance 1")


def _integers(low: int, high: int, shape: Any, dtype: np.dtype[Any], generator: Generator | None) -> np.ndarray:
    _expect_integers(low, high, "high")
    return np.asarray(numpy_generator(generator).integers(low, high, shape)).astype(dtype)


@public(method=False)
def randint(
    low: Any, high: Any = None, size: Any = None, *, generator: Generator | None = None, dtype: Any = np.int64,
    device: Any = None, requires_grad: bool = False, name: str | None = None,
) -> Tensor:
    """Return integers drawn uniformly from ``low`` (default 0) up to, not including, ``high``: ``randint(6, (3,))``."""
    if size is None and not isinstance(high, int):
        low, high, size = 0, low, high
    elif high is None:
        low, high = 0, low
    data = _integers(number(low), number(high), shape_asked("randint", (), size), as_dtype(dtype), generator)
    return make(data, requires_grad, device, name)


@public(method=False)
def randint_like(
    input: Any, low: int, high: int | None = None, *, generator: Generator | None = None, dtype: Any = None,
    device: Any = None, requires_grad: bool = False,
) -> Tensor:
    """Return integers drawn as by `randint`, in the shape and dtype of ``input``."""
    low, high = (0, low) if high is None else (low, high)
    target = input.dtype if dtype is None else as_dtype(dtype)
    return make(_integers(low, high, tuple(input.shape), target, generator), requires_grad, device)


@public(method=False)
def randperm(
    n: int, *, generator: Generator | None = None, dtype: Any = np.int64, device: Any = None,
    requires_grad: bool = False
) -> Tensor:
    """Return the integers 0 … n-1 in random order."""
    return make(numpy_generator(generator).permutation(n).astype(as_dtype(dtype)), requires_grad, device)


# PyTorch declares the derivative of a draw with respect to the distribution's parameters to be zero
normal_row = elementwise(
    "normal", lambda a, b, noise: a + b * noise, 0, 0, sample=(0.5,),
    domain=("real", "positive"),
    doc="draws from normal distributions with means a and deviations b (no gradient flows)",
)  # fmt: skip
bernoulli_row = elementwise(
    "bernoulli", lambda x, noise: (noise < x).astype(x.dtype), 0, sample=(0.5,), domain="unit",
    doc="1 with probability x, else 0 (no gradient flows)",
)  # fmt: skip


@public(method=False)
def normal(
    mean: Any = 0.0, std: Any = 1.0, size: Any = None, *, generator: Generator | None = None, dtype: Any = None,
    device: Any = None, requires_grad: bool = False,
) -> Tensor:
    """Return draws from the normal distribution; ``mean`` and ``std`` are numbers (with ``size``) or tensors.

    The gradient with respect to tensors ``mean`` and ``std`` is zero, as in PyTorch: write
    ``mean + std * sg.randn_like(mean)`` to differentiate.
    """
    _expect_deviation(std)
    rng = numpy_generator(generator)
    if size is not None:
        noise = _normal(rng, shape_asked("normal", (), size), float_dtype(dtype))
        return make(number(mean) + number(std) * noise, requires_grad, device)
    tensors = [t for t in (mean, std) if isinstance(t, Tensor)]
    shape = np.broadcast_shapes(*(t._data.shape for t in tensors))
    wide = np.result_type(*[t._data.dtype for t in tensors]) if tensors else float_dtype(dtype)
    mean, std = (t if isinstance(t, Tensor) else np.asarray(t, wide) for t in (mean, std))
    return normal_row(mean, std, _normal(rng, shape, wide))


@public()
def bernoulli(input: Any, p: float | None = None, *, generator: Generator | None = None) -> Any:
    """Return 1 with the probability that ``input`` holds (or ``p``), else 0; its gradient is zero."""
    rng = numpy_generator(generator)
    data = ndarray_of(input)
    if p is not None:
        return make((rng.random(data.shape) < p).astype(data.dtype))
    _expect_probabilities(data)
    return bernoulli_row(input, rng.random(data.shape))


def _expect_probabilities(p: np.ndarray) -> None:
    if not ((p >= 0) & (p <= 1)).all():
        raise ShapeError(
            "Expected p_in >= 0 && p_in <= 1 to be true, but got false.", f"The range is {p.min()} … {p.max()}.",
            "Use sigmoid.",
        )


@public()
def multinomial(
    input: Any, num_samples: int, replacement: bool = False, *, generator: Generator | None = None,
) -> Tensor:
    """Return ``num_samples`` indices drawn with probabilities proportional to the last dimension of ``input``."""
    weights = ndarray_of(input)
    if weights.ndim not in (1, 2):
        raise ShapeError("prob_dist must be 1 or 2 dim", f"Got shape {weights.shape}.", "One row per distribution.")
    if not np.isfinite(weights).all() or (weights < 0).any():
        raise ShapeError("probability tensor contains either `inf`, `nan` or element < 0", "", "Weights are 0 or more.")
    if (weights.sum(-1) <= 0).any():
        raise ShapeError(
            "invalid multinomial distribution (sum of probabilities <= 0)", "", "Some weight must be positive.",
        )
    if not replacement and num_samples > weights.shape[-1]:
        raise ShapeError(
            "cannot sample n_sample > prob_dist.size(-1) samples without replacement", "", "Pass replacement=True.",
        )
    rng = numpy_generator(generator)
    rows = weights.reshape(-1, weights.shape[-1]).astype(np.float64)
    if replacement:
        chosen = [rng.choice(len(w), num_samples, p=w / w.sum()) for w in rows]
    else:  # the largest of log weight + Gumbel noise are a draw without replacement
        with np.errstate(divide="ignore"):
            keys = np.log(rows) - np.log(rng.standard_exponential(rows.shape))
        chosen = [np.argsort(-k)[:num_samples] for k in keys]
    return make(np.array(chosen, dtype=np.int64).reshape((*weights.shape[:-1], num_samples)))


# ---------------------------------------------------------------------------------------------- filling in place


def _filler(name: str, draw: Callable[..., Any], doc: str, whole: bool = False) -> None:
    """A method ``name_`` that overwrites a tensor with draws; the old value's gradient is zero."""
    row = elementwise(
        name, lambda x, values: np.array(np.broadcast_to(values, x.shape), x.dtype), 0, sample=(0.5,), doc=doc,
    )  # fmt: skip

    def fill(self: Tensor, *args: Any, generator: Generator | None = None, **kwargs: Any) -> Any:
        if not whole:
            _expect_float(self._data.dtype, name, "Use a float dtype.")
        return row(self, draw(numpy_generator(generator), self._data, *args, **kwargs))

    said = f"Fill the tensor with {doc}; returns it. The gradient of its old value is zero."
    METHODS[name] = named(in_place(named(fill, name), name), name, said)


def _draw_uniform(rng: np.random.Generator, x: np.ndarray, *args: Any, **kwargs: Any) -> np.ndarray:
    low, high = _ends(args, kwargs, 0.0, 1.0)  # `from` is no name for a parameter in Python
    if low > high:
        raise ShapeError(
            f"uniform_ expects to return a [from, to) range, but found from={low:g} > to={high:g}", "", "Swap them.",
        )
    return low + (high - low) * _uniform(rng, x.shape, x.dtype)


def _draw_integers(rng: np.random.Generator, x: np.ndarray, *args: Any, **kwargs: Any) -> np.ndarray:
    if len(args) == 1:
        args = (0, *args)
    # as PyTorch: all integers that the dtype holds exactly
    if x.dtype.kind == "f":
        most = 2 ** (int(np.finfo(x.dtype).nmant) + 1)
    else:
        most = 2 if x.dtype.kind == "b" else int(np.iinfo(x.dtype).max)
    low, high = _ends(args, kwargs, 0, most)
    _expect_integers(low, high, "to")
    return rng.integers(low, high, x.shape)


def _ends(args: Any, kwargs: Any, low: Any, high: Any) -> tuple[Any, Any]:
    values = dict(zip(("from", "to"), args, strict=False))
    unknown = set(kwargs) - {"from", "to"} | set(kwargs) & set(values)
    if unknown:
        raise TypeError(f"unexpected arguments {sorted(unknown)}")
    values.update(kwargs)
    end = values.get("to")
    return values.get("from", low), high if end is None else end


def _draw_normal(rng: np.random.Generator, x: np.ndarray, mean: Any = 0.0, std: Any = 1.0) -> np.ndarray:
    _expect_deviation(std)
    return number(mean) + number(std) * _normal(rng, x.shape, x.dtype)


def _draw_bernoulli(rng: np.random.Generator, x: np.ndarray, p: Any = 0.5) -> np.ndarray:
    chance = as_array(p)
    _expect_probabilities(chance)
    return rng.random(x.shape) < chance


def _draw_exponential(rng: np.random.Generator, x: np.ndarray, lambd: float = 1.0) -> np.ndarray:
    if lambd <= 0:
        raise ShapeError(
            f"exponential_ expects lambda > 0.0, but found lambda={lambd:g}", "", "lambd is one over the mean.",
        )
    return rng.standard_exponential(x.shape) / lambd


_filler("normal_", _draw_normal, "draws from the normal distribution (mean, std)")
_filler("uniform_", _draw_uniform, "uniform draws from [from, to)")
_filler(
    "bernoulli_", _draw_bernoulli, "1 with probability p (a number or a tensor), else 0",
    whole=True,
)
_filler("random_", _draw_integers, "integers drawn from [from, to)", whole=True)
_filler(
    "exponential_", _draw_exponential, "draws from the exponential distribution of rate lambd",
)
_filler(
    "log_normal_", lambda rng, x, mean=1.0, std=2.0: rng.lognormal(mean, std, x.shape),
    "draws whose logarithm is normal (mean, std)",
)  # fmt: skip
_filler(
    "cauchy_", lambda rng, x, median=0.0, sigma=1.0: median + sigma * rng.standard_cauchy(x.shape),
    "draws from the Cauchy distribution",
)  # fmt: skip
_filler(
    "geometric_", lambda rng, x, p: rng.geometric(p, x.shape),
    "draws from the geometric distribution", whole=True,
)  # fmt: skip


# -------------------------- Draws from distributions with parameters: Poisson's, the binomial, the gamma distribution


poisson_row = elementwise(
    "poisson", lambda x, noise: np.array(np.broadcast_to(noise, x.shape), x.dtype), 0, sample=(0.5,), domain="positive",
    doc="draws from Poisson distributions of means x (no gradient flows)",
)  # fmt: skip


@public(method=False)
def poisson(input: Any, generator: Generator | None = None) -> Any:
    """Return draws from Poisson's distributions of means ``input``; the gradient is zero."""
    means = ndarray_of(input)
    if (means < 0).any():
        raise ShapeError("invalid Poisson rate, expected rate to be non-negative", f"The least is {means.min()}.")
    return poisson_row(input, numpy_generator(generator).poisson(means))


@public(method=False)
def binomial(count: Any, prob: Any, generator: Generator | None = None) -> Any:
    """Return how many of ``count`` trials succeed, each with probability ``prob``: drawn, from ``generator``.

    Of what requires a gradient it is refused where operations record: a number of successes has no derivative.
    """
    trials, chances = ndarray_of(count), ndarray_of(prob)
    for name, values in (("count", trials), ("prob", chances)):
        if values.dtype.kind != "f":
            what = f"binomial only supports floating-point dtypes for {name}, got: {values.dtype}"
            raise DTypeError(what, "", "Cast it: x.double().")
    if modes.grad_enabled() and any(map(has_history, (count, prob))):
        raise NotDifferentiableError(
            "the derivative of 'binomial' is not implemented", "Its draws are whole numbers.",
            "Draw under sg.no_grad(), or from detach() of what requires a gradient.",
        )  # fmt: skip
    if not ((chances >= 0) & (chances <= 1)).all() or not np.isfinite(trials).all():
        raise ShapeError(
            "binomial expects finite counts, and probabilities between 0 and 1", f"Got {chances}.", "Use sigmoid."
        )
    draws = numpy_generator(generator).binomial(np.maximum(trials, 0).astype(np.int64), chances)
    return make(np.asarray(draws, trials.dtype))


@public(method=False)
def _standard_gamma(alpha: Any, generator: Generator | None = None) -> Any:
    """Return draws from gamma distributions of the shapes ``alpha`` and scale 1.

    They are differentiable: quantiles at levels that are drawn, whose derivative in the shape is that of the quantile.
    """
    shapes = ndarray_of(alpha)
    if shapes.dtype.kind != "f":
        raise DTypeError(f"_standard_gamma is not implemented for {shapes.dtype}", "", "Cast it: x.double().")
    if not (shapes > 0).all():
        raise ShapeError("a gamma distribution has a positive shape", f"The least is {shapes.min()}.", "Use softplus.")
    level = numpy_generator(generator).random(shapes.shape)
    least = TABLE["igamma"].forward(shapes, np.finfo(shapes.dtype).tiny)  # below it a draw is 0, without a derivative
    return TABLE["gammaincinv"].apply(alpha, np.maximum(level, least).astype(shapes.dtype))
