"""How many examples a test has: so many with the profile dev, five times as many with ci (docs/decisions/0048).

What a generator makes of a number is asked for by seeds: the same programs with any Hypothesis, and a failure names its
seed. Hypothesis draws what is put together of small choices.
"""

import pytest
from hypothesis import settings


def scaled(count):
    """The examples that stand for ``count`` of Hypothesis's usual 100 with the profile of this run."""
    return count * settings.default.max_examples // 100


def examples(count):
    """Settings of a test of Hypothesis."""
    return settings(max_examples=scaled(count))


def seeds(count):
    """Make each of the seeds 0, 1, … a case of a test."""
    return pytest.mark.parametrize("seed", range(scaled(count)))
