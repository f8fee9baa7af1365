"""Examples of pages and docstrings that need a library which is not installed are left out, with how to have it."""

import doctest

import pytest

import symgrad as sg


def _install_line(error):
    """How to install what an error says is missing; None of other errors."""
    if isinstance(error, sg.MissingDependencyError):
        return str(error).splitlines()[-1]
    name = (error.name or "").partition(".")[0] if isinstance(error, ModuleNotFoundError) else ""
    return f"python -m pip install {name}" if name not in ("", "symgrad") else None


@pytest.fixture(scope="session")
def install_line():
    """How to install what an error says is missing; None of other errors."""
    return _install_line


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """An example that begins to fail where a library is missing is skipped."""
    report = yield
    if call.excinfo is not None and isinstance(call.excinfo.value, doctest.UnexpectedException):
        line = _install_line(call.excinfo.value.exc_info[1])
        if line is not None:
            report.outcome, report.longrepr = "skipped", (str(item.path), 1, f"Skipped: {line}")
    return report
