"""The twins of the table's rows in PyTorch, where they have one."""

import torch

from symgrad.core import TABLE


def twin(name):
    """A row as a function of PyTorch's tensors, or None."""
    if name in TWINS:
        return TWINS[name]
    row = TABLE[name]
    if name in ("kl_div", "beta", "gamma"):  # PyTorch means something else, or has none
        return None
    if row.kind != "elementwise" or row.params:
        return None
    for place in (torch, torch.special, torch.nn.functional):
        if hasattr(place, row.label):
            return getattr(place, row.label)
    return None


TWINS = {
    "rsub": lambda a, b: b - a,
    "rdiv": lambda x, c: c / x,
    "pow_scalar": torch.pow,
    "pow_tensor": torch.pow,
    "pow_reflected": torch.pow,
    "mm": torch.mm,
    "mv": torch.mv,
    "dot": torch.dot,
    "bmm": torch.bmm,
    "outer": torch.outer,
    "inv": torch.linalg.inv,
    "det": torch.linalg.det,
    "matrix_exp": torch.linalg.matrix_exp,
    "kron": torch.kron,
    "prod": torch.prod,
    "sum": torch.sum,
    "mean": torch.mean,
    "max": torch.max,
    "min": torch.min,
    "trace": torch.trace,
}
