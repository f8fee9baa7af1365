"""Which arguments of a call are cut in chunks, and which are the same for all of them.

The idea to hold: it is found out once for the same data, with a sample of their rows, and serves all that is asked.
"""

from __future__ import annotations

from typing import Any

from ..transforms._signature import signature
from ._chunked_data import Parts, is_chunked_here, parts_of
from ._cluster_errors import DistributedError
from ._survey_of_rows import Sample


class Located:
    """The arguments of a call: what is cut in chunks, and where.

    Attributes
    ----------
    data : the arguments that are cut, weights and groups last
    template : per argument of the function ('shared', value) or ('chunk', place in ``data``)
    seen : by structure of the parameters, where the function has been found to be a sum over rows of the sample,
        whether it has of each chunk
    """

    def __init__(self, f: Any, args: tuple[Any, ...], weights: Any, groups: Any, title: str) -> None:
        known = signature(f)
        words = list(known.parameters)[1:] if known is not None else []
        self.data: list[Parts] = []
        template: list[tuple[str, Any]] = []
        for k, value in enumerate(args):
            name = words[k] if k < len(words) else f"data[{k}]"
            if is_chunked_here(value):
                template.append(("chunk", self._place(name, value)))
            else:
                template.append(("shared", value))
        if not self.data:
            raise DistributedError(
                f"{title}: none of the arguments is cut in chunks", "",
                "Pass a Dask array or table, an Arrow dataset, a list of arrays or of files; on one machine there is "
                "sg.hessian.",
            )  # fmt: skip
        self.weighted, self.grouped = weights is not None, groups is not None
        if self.weighted:
            template.append(("chunk", self._place("weights", weights)))
        if self.grouped:
            self._place("clusters", groups)
        self.template = tuple(template)
        self.sample: Sample | None = None
        self.seen: dict[Any, bool] = {}

    def _place(self, name: str, value: Any) -> int:
        like = self.data[0] if self.data else None
        found = parts_of(name, value, like)
        if like is not None and len(found.parts) != len(like.parts):
            raise DistributedError(
                f"{name} has {len(found.parts)} chunks, {like.name} has {len(like.parts)}", "",
                "All that is cut has the same chunks: x.rechunk(…), df.repartition(…).",
            )  # fmt: skip
        self.data.append(found)
        return len(self.data) - 1

    def arguments(self, cut: list[Any]) -> list[Any]:
        """The arguments of the function for some rows."""
        return [cut[value] if kind == "chunk" else value for kind, value in self.template]


__all__ = ["Located"]
