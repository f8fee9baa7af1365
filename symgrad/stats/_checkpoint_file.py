"""A file with the parameters of the last iteration, from which a search that was broken off goes on.

The idea to hold: at any time the file is whole: it is written beside, and renamed.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np

from ._likelihood import FitError, Likelihood, listed


class CheckpointFile:
    """The file of one search.

    Parameters
    ----------
    path : an ``.npz``
    model : whose parameters it has; one of other parameters is not gone on with
    """

    def __init__(self, path: Any, model: Likelihood) -> None:
        self.path, self.model, self.iterations = Path(path), model, 0
        if self.path.suffix != ".npz":
            raise FitError(f"checkpoint is {str(path)!r}", "", "It is a file of NumPy's: checkpoint='fit.npz'.")
        if not self.path.parent.is_dir():
            raise FitError(f"checkpoint: there is no folder {self.path.parent}", "", "Make it, or name another.")

    def start(self) -> np.ndarray:
        """Where to go on: the parameters in the file, or those given where there is none."""
        if not self.path.exists():
            return self.model.start
        try:
            with np.load(self.path) as file:
                x, labels, iterations = file["x"], file["labels"].tolist(), int(file["iterations"])
        except Exception as error:
            raise FitError(f"{self.path} is no checkpoint of a fit", f"{type(error).__name__}: {error}.",
                           "Name another file.") from None  # fmt: skip
        if labels != self.model.labels:
            raise FitError(
                f"{self.path} is the checkpoint of another fit", f"Its parameters are {listed(labels)}; here they are "
                f"{listed(self.model.labels)}.", "Name another file, or remove it.",
            )  # fmt: skip
        x = np.asarray(x, np.float64)
        if x.shape != self.model.start.shape or not np.isfinite(x).all():
            raise FitError(f"{self.path} is damaged", f"Its parameters have the shape {x.shape}, or are not finite.",
                           "Remove it.")  # fmt: skip
        self.iterations = iterations
        return x

    def write(self, flat: np.ndarray) -> None:
        """Keep the parameters of an iteration."""
        self.iterations += 1
        beside = self.path.with_name(f".{self.path.stem}.{os.getpid()}.npz")
        np.savez(beside, x=flat, labels=np.array(self.model.labels), iterations=self.iterations)
        os.replace(beside, self.path)


__all__ = ["CheckpointFile"]
