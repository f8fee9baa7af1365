"""Filters: convolution, recursion, splines."""

from ...core import TABLE

for _module, _names in {
    "_sliding_products": """
convolve_line correlate_line convolve_image correlate_image convolve_volume correlate_volume""",
    "_recursions": "recursive_filter",
    "_spline_coefficients": "spline_coefficients",
}.items():
    TABLE.later(f"{__name__}.{_module}", _names)
