"""What names are, as one types it: ``X=m,n; w=n; t=(); S=n,n pd``."""

from __future__ import annotations

from typing import Any

from .._symbol import symbol

PROPERTIES = ("symmetric", "positive", "psd", "pd", "diagonal", "orthogonal", "sign", "onehot", "integer")


def declared(text: str) -> tuple[str, Any]:
    """A name, and its shape or a symbol with properties: ``NAME=SIZES PROPERTY…``.

    Raises
    ------
    ValueError : it is written otherwise
    """
    name, equals, rest = text.partition("=")
    name = name.strip()
    sizes, *words = rest.replace("(", " ").replace(")", " ").replace(", ", ",").split() or [""]
    if sizes in PROPERTIES:
        sizes, words = "", [sizes, *words]
    if not equals or not name or not set(words) <= set(PROPERTIES):
        raise ValueError(f"a shape is written NAME=SIZES, as X=m,n or t=() or S=n,n pd; got {text.strip()!r}")
    parts = [s.strip() for s in sizes.split(",") if s.strip()]
    shape = tuple([int(s) if s.isdecimal() and s.isascii() else s for s in parts])
    return name, symbol(name, shape, **dict.fromkeys(words, True)) if words else shape


def all_declared(text: str) -> dict[str, Any]:
    """Several of them, between semicolons or on lines."""
    return dict(declared(part) for part in text.replace("\n", ";").split(";") if part.strip())


__all__ = ["all_declared", "declared"]
