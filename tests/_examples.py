"""Tests of Hypothesis in two parts: a few examples in every run, others in the whole check (docs/decisions/0048)."""

import pytest
from hypothesis import given, seed, settings


def examples(*strategies, few, rest):
    """Run a test on ``few`` examples always, and on ``rest`` others where all that is thorough runs."""

    def in_parts(test):
        parts = {
            "few": settings(max_examples=few)(given(*strategies)(test)),
            "rest": seed(1)(settings(max_examples=rest)(given(*strategies)(test))),
        }

        @pytest.mark.parametrize("part", ["few", pytest.param("rest", marks=pytest.mark.slow)])
        def of_examples(part):
            parts[part]()

        for name in ("__name__", "__qualname__", "__module__", "__doc__"):
            setattr(of_examples, name, getattr(test, name))
        return of_examples

    return in_parts
