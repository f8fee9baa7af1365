"""Derivative programs: second derivatives of a recorded function as straight-line NumPy, planned once per structure.

The idea to hold: a recorded graph is surveyed (`_survey`: its structure is a key, its arrays are inputs), lifted to
terms whose every shared value has a name (`_builder`), differentiated backwards and then forwards over those names
(`_sweeps`), contracted in the cheapest order (`_plan`) and written as source (`_emit`). The next call with the same
structure only runs the source.
"""

from ._cache import find

__all__ = ["find"]
