"""The twins of the table's rows in PyTorch, where they have one; PyTorch is an argument, nothing here imports it."""

import functools

from symgrad.core import TABLE


def twin(torch, name):
    """A row as a function of PyTorch's tensors, or None."""
    twins = _twins(torch)
    if name in twins:
        return twins[name]
    row = TABLE[name]
    if name in ("kl_div", "beta", "gamma"):  # PyTorch means something else, or has none
        return None
    if row.kind != "elementwise" or row.params:
        return None
    for place in (torch, torch.special, torch.nn.functional):
        if hasattr(place, row.label):
            return getattr(place, row.label)
    return None


def _first(f):
    return lambda *args: f(*args)[0]


@functools.cache
def _twins(torch):
    return {
        "rsub": lambda a, b: b - a,
        "rdiv": lambda x, c: c / x,
        "pow_scalar": torch.pow,
        "pow_tensor": torch.pow,
        "add_alpha": lambda a, b, alpha: torch.add(a, b, alpha=alpha),
        "sub_alpha": lambda a, b, alpha: torch.sub(a, b, alpha=alpha),
        "rsub_alpha": lambda a, b, alpha: torch.rsub(a, b, alpha=alpha),
        "addcmul_value": lambda a, b, c, value: torch.addcmul(a, b, c, value=value),
        "addcdiv_value": lambda a, b, c, value: torch.addcdiv(a, b, c, value=value),
        "leaky_relu_slope": torch.nn.functional.leaky_relu,
        "hardtanh_bounds": torch.nn.functional.hardtanh,
        "gelu_erf": torch.nn.functional.gelu,
        "softplus_unit": torch.nn.functional.softplus,
        "polygamma_order": lambda x, n: torch.polygamma(n, x),
        "lerp_number": torch.lerp,
        "div_trunc": lambda a, b: torch.div(a, b, rounding_mode="trunc"),
        "div_floor": lambda a, b: torch.div(a, b, rounding_mode="floor"),
        "real": torch.real,
        "imag": torch.imag,
        "angle": torch.angle,
        "sum_dim": torch.sum,
        "mean_dim": torch.mean,
        "nansum": torch.nansum,
        "transpose": torch.transpose,
        "permute": torch.permute,
        "expand": lambda x, shape: x.expand(shape),
        "diag_embed": torch.diag_embed,
        "diagonal": torch.diagonal,
        "tril": torch.tril,
        "triu": torch.triu,
        "flip": torch.flip,
        "roll": torch.roll,
        "rot90": torch.rot90,
        "repeat": torch.tile,
        "take": torch.take,
        "gather": torch.gather,
        "index_select": torch.index_select,
        "cumsum": lambda x, dim, exclusive: torch.cumsum(x, dim),
        "cumprod": torch.cumprod,
        "logcumsumexp": torch.logcumsumexp,
        "logsumexp": torch.logsumexp,
        "softmax": lambda x, dim: torch.softmax(x, dim[0]),
        "log_softmax": lambda x, dim: torch.log_softmax(x, dim[0]),
        "var": lambda x, dim, correction, keepdim: torch.var(x, dim, correction=correction, keepdim=keepdim),
        "std": lambda x, dim, correction, keepdim: torch.std(x, dim, correction=correction, keepdim=keepdim),
        "vector_norm": torch.linalg.vector_norm,
        "dist": torch.dist,
        "amax": torch.amax,
        "amin": torch.amin,
        "median": torch.median,
        "nanmedian": torch.nanmedian,
        "masked_select": torch.masked_select,
        "scatter": torch.scatter,
        "scatter_add": torch.scatter_add,
        "index_copy": torch.index_copy,
        "masked_scatter": torch.masked_scatter,
        "cat": torch.cat,
        "stack": torch.stack,
        "einsum_pair": lambda a, b, text: torch.einsum(text, a, b),
        "einsum_sum": lambda a, text: torch.einsum(text, a),
        "einsum_permute": lambda a, text: torch.einsum(text, a),
        "einsum": lambda operands, text: torch.einsum(text, *operands),
        "addmm": lambda c, a, b, beta, alpha: torch.addmm(c, a, b, beta=beta, alpha=alpha),
        "addmv": lambda c, a, b, beta, alpha: torch.addmv(c, a, b, beta=beta, alpha=alpha),
        "addr": lambda c, a, b, beta, alpha: torch.addr(c, a, b, beta=beta, alpha=alpha),
        "baddbmm": lambda c, a, b, beta, alpha: torch.baddbmm(c, a, b, beta=beta, alpha=alpha),
        "addbmm": lambda c, a, b, beta, alpha: torch.addbmm(c, a, b, beta=beta, alpha=alpha),
        "linalg_cross": lambda a, b, dim: torch.linalg.cross(a, b, dim=dim),
        "solve": torch.linalg.solve,
        "solve_vector": torch.linalg.solve,
        "svd": lambda x, full: torch.linalg.svd(x, full_matrices=full),
        "qr": torch.linalg.qr,
        "eigh": torch.linalg.eigh,
        "slogdet": torch.linalg.slogdet,
        "inv": torch.linalg.inv,
        "det": torch.linalg.det,
        "matrix_exp": torch.linalg.matrix_exp,
        "lstsq": _first(torch.linalg.lstsq),
        **{name: getattr(torch, name) for name in (
            "mm", "mv", "dot", "bmm", "outer", "kron", "prod", "sum", "mean", "max", "min", "trace", "unbind",
            "block_diag", "view_as_real", "view_as_complex",
        )},
    }  # fmt: skip
