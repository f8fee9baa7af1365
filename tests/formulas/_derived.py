"""Textbook derivatives, worked out once in each process for all tests, and which of them every run meets.

The idea to hold: deriving, printing and reading a thousand derivatives takes minutes, so every run meets those of `few`
entries only, the same ones in all tests, which go through the books; the others are `slow`.
"""

import functools

import pytest

from .corpus._listing import Line

FEW = 24
"""One of so many entries runs always."""


def few(entries):
    """The entries that run always."""
    return entries[::FEW]


def rest(entries):
    """The others."""
    always = set(few(entries))
    return tuple(entry for entry in entries if entry not in always)


def cases(entries, params=lambda entry: [(entry,)]):
    """A parameter of a test for each entry, or for what ``params`` makes of one: values, and perhaps a name."""
    always = set(few(entries))
    return [
        pytest.param(
            *values, id=", ".join([entry.name, *values[1:]]), marks=() if entry in always else pytest.mark.slow
        )
        for entry in entries
        for values in params(entry)
    ]


@functools.cache
def derivative(entry, what):
    """The formula of the "gradient" or the "hessian" of an entry."""
    return entry.formula(what)


def lines(entries):
    """Every derivative of the entries with what symgrad prints for it; one that cannot be had is an error."""
    return [Line(e, what, text, str(derivative(e, what))) for e in entries for what, text in e.textbook()]
