"""Filters: convolution, recursion, splines.

linear_filters  filters: convolution with a window, recursion, the coefficients of splines
"""

from ...core import TABLE

TABLE.later(
    f"{__name__}.linear_filters",
    "convolve_line correlate_line convolve_image correlate_image convolve_volume correlate_volume recursive_filter "
    "spline_coefficients",
)
