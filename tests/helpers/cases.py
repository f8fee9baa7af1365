"""Tests with many cases: which of them every run meets, and how one test goes through all of them.

The idea to hold: `pytest.mark.parametrize` says what the cases are, as everywhere. What follows for a long list is
decided here: the cases of a function are one test with a subtest for each that fails, unless one is asked for by its
name; and `one_in` marks most of a dear list `slow`.
"""

from __future__ import annotations

import functools
import inspect
import itertools
import os
import zlib

import pytest

import symgrad as sg

TOGETHER = 60
"""The most cases that one test goes through: processes take tests from each other, not cases."""

SHARED = 20
"""Slow cases of one function from which on a run may take a share of them only: SYMGRAD_SHARE=1/2, the second half."""

RENEWED = {"monkeypatch": lambda f: f.undo(), "capsys": lambda f: f.readouterr()}
"""Fixtures of a function that are as new for the next case, and how. Fixtures of a module are shared, as ever."""

_running = None


def one_in(every, of=None):
    """Mark all but one of each ``every`` cases of a test's longest list `slow`: a sample that is the same in every run.

    It stands above `pytest.mark.parametrize`; ``of`` names another list than the longest. The sample begins at a place
    that the test's name decides, so that two tests of one list meet different cases.
    """

    def mark(function):
        lists = {k: _read(m) for k, m in enumerate(function.pytestmark) if m.name == "parametrize"}
        k = max(lists, key=lambda k: len(lists[k][1]) if of is None else lists[k][0] == [of])
        names, cases, options = lists[k]
        step = min(every, len(cases))
        first = zlib.crc32(function.__name__.encode()) % step
        cases = [
            case if i % step == first else case._replace(marks=(*case.marks, pytest.mark.slow))
            for i, case in enumerate(cases)
        ]
        function.pytestmark[k] = pytest.mark.parametrize(names, cases, **options).mark
        return function

    return mark


def _read(parametrize):
    """The names, the cases as `pytest.param`, and the options of a mark."""
    names, cases, *ids = parametrize.args
    options = {**parametrize.kwargs, **dict(zip(["indirect", "ids"], ids, strict=False))}
    names = [n.strip() for n in names.split(",") if n.strip()] if isinstance(names, str) else [*names]
    param = type(pytest.param())
    return names, [c if isinstance(c, param) else pytest.param(*(c if len(names) > 1 else [c])) for c in cases], options


def together(collector, name, function):
    """The tests that go through the cases of a function of a module; None where they are to be tests of their own."""
    marks = getattr(function, "pytestmark", ())
    lists = [mark for mark in marks if mark.name == "parametrize"]
    if not lists or not all(hasattr(mark.args[1], "__len__") for mark in lists):  # pytest refuses these
        return None
    lists = [_read(mark) for mark in lists]
    if any("indirect" in options for *_, options in lists):
        return None
    if any(mark.name == "xfail" for mark in marks) or getattr(function, "is_hypothesis_test", False):
        return None
    if any(mark.name != "slow" for _, cases, _ in lists for case in cases for mark in case.marks):
        return None
    names = [name for names, *_ in lists for name in names]
    own = [n for n in inspect.signature(function).parameters if n not in names]
    if not _may_be_shared(collector, function, {*names, "request"}) or "request" in own:
        return None
    parts = {False: [], True: []}
    for k, combination in enumerate(itertools.product(*(cases for _, cases, _ in lists))):
        values = [value for case in combination for value in case.values]
        parts[any(case.marks for case in combination)].append((k, dict(zip(names, values, strict=True))))
    if len(parts[True]) >= SHARED:
        parts[True] = share_of(parts[True])
    return [
        _Cases(collector, name, function, own, cases[start : start + TOGETHER]).item(slow)
        for slow, cases in parts.items()
        for start in range(0, len(cases), TOGETHER)
    ]


def share_of(cases):
    """Those of some cases that this run is to take: all, or one of so many."""
    which, of = map(int, os.environ.get("SYMGRAD_SHARE", "0/1").split("/"))
    return cases[which::of]


def _may_be_shared(collector, function, known):
    """Whether all fixtures of a test, but for what is known, serve several cases at once."""
    info = collector.session._fixturemanager.getfixtureinfo(node=collector, func=function, cls=None)
    return all(
        name in known or name in RENEWED or all(f.scope != "function" and not f.params for f in found)
        for name, found in ((name, info.name2fixturedefs.get(name, ())) for name in info.names_closure)
    )


class _Cases:
    """Cases of one function, as (place among all, arguments)."""

    def __init__(self, collector, name, function, fixtures, cases):
        self.collector, self.name, self.function, self.cases = collector, name, function, cases
        self.fixtures = fixtures

    def item(self, slow):
        """The test that goes through them and reports each that fails."""

        def test(subtests, **shared):
            global _running
            try:
                for k, arguments in self.cases:
                    _running = self, k
                    self.run(subtests, shared, k, arguments)
            finally:
                _running = None

        test.__signature__ = inspect.Signature(
            [inspect.Parameter(n, inspect.Parameter.KEYWORD_ONLY) for n in ("subtests", *self.fixtures)]
        )
        test.pytestmark = [mark for mark in getattr(self.function, "pytestmark", ()) if mark.name != "parametrize"]
        if slow:
            test.pytestmark.append(pytest.mark.slow.mark)
        first, last = self.cases[0][0] + 1, self.cases[-1][0] + 1
        return pytest.Function.from_parent(self.collector, name=f"{self.name}[cases {first} to {last}]", callobj=test)

    def run(self, subtests, shared, k, arguments):
        sg.manual_seed(0)  # as before each test
        try:
            self.function(**shared, **arguments)
        except (Exception, pytest.fail.Exception, pytest.skip.Exception) as error:
            with subtests.test(self.ids[k]):
                raise error
        finally:
            for name in RENEWED.keys() & shared.keys():
                RENEWED[name](shared[name])

    @functools.cached_property
    def ids(self):
        """The names of all cases of the function, as they are where each is a test."""
        return [item.nodeid for item in self.collector._genfunctions(self.name, self.function)]


def turn():
    """What tells the case that runs now from the one before; None while modules are imported."""
    return _running or os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" ")[0] or None


def running():
    """The node id of the case that runs now, whether or not it is a test of its own."""
    if _running is None:
        return turn()
    cases, k = _running
    return cases.ids[k]
