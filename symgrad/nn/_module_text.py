"""How modules are named and printed."""

from __future__ import annotations

__all__ = ["indent", "join", "layout"]


def join(prefix: str, name: str) -> str:
    """Put two parts of a dotted name together."""
    return f"{prefix}.{name}" if prefix else name


def indent(text: str) -> str:
    """Move all lines but the first two columns in."""
    return text.replace("\n", "\n  ")


def layout(title: str, own: str, children: list[str]) -> str:
    """Write a module: its own settings, and each child on lines of its own."""
    if not children:
        return f"{title}({own})" if "\n" not in own else f"{title}(\n  {indent(own)}\n)"
    lines = ([indent(own)] if own else []) + children
    return f"{title}(\n  " + "\n  ".join(lines) + "\n)"
