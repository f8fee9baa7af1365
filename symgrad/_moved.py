"""Modules of earlier versions, which pickles name: each is the module that has its classes and functions now."""

from __future__ import annotations

import importlib
from functools import partial
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

MOVED = {
    "symgrad.expr": "symgrad.formulas",
    "symgrad.expr._background": "symgrad.formulas.background",
    "symgrad.expr._branches": "symgrad.calculus.conditions",
    "symgrad.expr._check": "symgrad.formulas.check",
    "symgrad.expr._combine": "symgrad.formulas.equality",
    "symgrad.expr._conditions": "symgrad.calculus.conditions",
    "symgrad.expr._derivation": "symgrad.formulas.derivation",
    "symgrad.expr._equality": "symgrad.formulas.equality",
    "symgrad.expr._formula": "symgrad.formulas.formula",
    "symgrad.expr._identities": "symgrad.calculus.rules",
    "symgrad.expr._node": "symgrad.terms.node",
    "symgrad.expr._other_sizes": "symgrad.formulas.background",
    "symgrad.expr._pickled": "symgrad.terms.node",
    "symgrad.expr._taken": "symgrad.calculus.rules",
    "symgrad.expr._user_operation": "symgrad.calculus.tracing",
}


class Moved:
    """Finds these modules; an entry of `sys.meta_path`."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """The specification of a module that has moved."""
        return ModuleSpec(name, self, is_package=name == "symgrad.expr") if name in MOVED else None  # type: ignore[arg-type]

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """An empty module, which asks the one in its place for names."""
        return ModuleType(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Import the module that is in its place."""
        module.__getattr__ = partial(getattr, importlib.import_module(MOVED[module.__name__]))  # type: ignore[method-assign]


__all__ = ["MOVED", "Moved"]
