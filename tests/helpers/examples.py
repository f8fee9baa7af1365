"""How many examples a test of random programs has: so many in every run, five times as many in the whole check.

What a generator makes of a number is asked for by seeds: the same programs with any Hypothesis, and a failure names its
seed. Hypothesis draws what is put together of small choices, as many as its profile says (dev, or ci).
"""

import pytest
from hypothesis import settings

MORE = 5


def examples(count):
    """Settings of a test of Hypothesis."""
    return settings(max_examples=count * settings.default.max_examples // 100)


def seeds(count):
    """Make each of the seeds 0, 1, … a case of a test; those from ``count`` on are slow."""
    more = [pytest.param(seed, marks=pytest.mark.slow) for seed in range(count, MORE * count)]
    return pytest.mark.parametrize("seed", [*range(count), *more])
