"""symgrad as its source documents it: what writes docstrings reads that, and imports symgrad by this."""

from __future__ import annotations

import sys
from importlib.machinery import SourceFileLoader
from pathlib import Path
from typing import Any
from unittest.mock import patch

sys.path[:0] = [str(Path(__file__).parents[1])]

_get_data = SourceFileLoader.get_data


def _without_docstrings(loader: Any, path: str) -> bytes:
    return b"" if path.endswith("docstrings.txt") else _get_data(loader, path)


def import_symgrad() -> None:
    """Import symgrad without the docstrings that are written; of use where nothing has imported it yet."""
    with patch.object(SourceFileLoader, "get_data", _without_docstrings):
        import symgrad  # noqa: F401
