"""Cases of scipy.ndimage. The second text was set aside while the mirror was written."""
# ruff: noqa: E501  (a line of cases is one thing after the other)

CASES = """
nd.correlate(A, N) | nd.correlate(A, N[:2, :2], mode="constant", cval=0.5) | nd.convolve(A, N[:2], mode="nearest")
nd.convolve(A, N[:, :2], mode="mirror", origin=(0, -1)) | nd.convolve(B, N, mode="wrap", axes=(0, 2)) | nd.correlate1d(z, v, mode="grid-wrap")
nd.convolve1d(A, v, 0, mode="reflect") | nd.convolve1d(z, u, origin=1) | nd.uniform_filter(A) | nd.uniform_filter(A, (2, 4), mode="wrap", origin=-1)
nd.uniform_filter1d(z, 4, mode="mirror") | nd.gaussian_filter1d(z, 1.0) | nd.gaussian_filter1d(A, 0.5 + d[0], 0, 1, mode="nearest")
nd.gaussian_filter(A, 0.8) | nd.gaussian_filter(A, (p[0], q[0]), (0, 1), mode=("wrap", "constant")) | nd.gaussian_filter(B, 1.2, radius=2, axes=(1, 2))
nd.sobel(A) | nd.laplace(A, mode="wrap") | nd.gaussian_laplace(A, 0.5 + d[0]) | nd.gaussian_gradient_magnitude(A, 0.9, mode="nearest") | nd.shift(A, 0.3 * v[:2]) | nd.shift(A, x[0] / 9, order=1, mode="nearest")
nd.zoom(A, 1.7, order=1, mode="grid-wrap", grid_mode=True) | nd.zoom(A, 1.7, order=1) | nd.zoom(A, (2, 0.5), mode="reflect") | nd.rotate(A, 20 * s) | nd.rotate(A, 33.0, reshape=False, order=1, mode="mirror")
nd.map_coordinates(A, [3 * t, 2 * t], order=0) | nd.map_coordinates(A, [3 * t - 0.5, 2 * x], order=1) | nd.map_coordinates(A, [3 * t - 0.5, 2 * x], order=1, mode="nearest")
nd.map_coordinates(A, [2 * t, 3 * t], order=2) | nd.map_coordinates(A, [2 * t, 3 * t]) | nd.map_coordinates(z, [9 * x], mode="reflect")
nd.map_coordinates(z, [9 * x], mode="mirror") | nd.map_coordinates(z, [9 * x], mode="wrap") | nd.map_coordinates(z, [9 * x], mode="grid-wrap")
nd.map_coordinates(z, [9 * x], mode="grid-constant", cval=0.3) | nd.map_coordinates(z, [9 * x], mode="nearest") | nd.map_coordinates(z, [9 * x], mode="constant", cval=0.3)
nd.affine_transform(A, [[0.8 + 0.1 * v[0], 0.1], [-0.2, 0.9]], offset=0.1 * u[:2], order=1) | nd.affine_transform(A, 0.3 * N[:2], order=3, mode="mirror")
nd.affine_transform(A, np.stack([0.7 + 0.1 * v[0], 0.8 + 0.1 * v[1]]), 0.2, mode="reflect") | nd.spline_filter(A) | nd.spline_filter1d(z, 2, mode="reflect")
"""

SET_ASIDE = """
nd.correlate(A, N[:1], mode="wrap") | nd.correlate(B, B[:, :2, :2], mode="mirror") | nd.correlate(A, W, mode="nearest") | nd.correlate(A, N, mode="grid-mirror", origin=1)
nd.convolve(A, W, mode="grid-constant", cval=-0.3) | nd.convolve(A, N[:2, :2]) | nd.convolve(z, z[:9], mode="reflect", origin=-2) | nd.correlate(A, v, axes=1)
nd.correlate1d(A, z[:7], 1, mode="mirror") | nd.correlate1d(A, v, 0, mode="constant", cval=1.0, origin=-1) | nd.convolve1d(A, z[:8], mode="wrap") | nd.convolve1d(C, u)
nd.uniform_filter(B, 2, mode=("reflect", "constant", "mirror")) | nd.uniform_filter(A, (1, 3), axes=(0, 1)) | nd.uniform_filter1d(A, 3, 0, mode="nearest", origin=1) | nd.uniform_filter(B, 3, axes=(0, 2))
nd.gaussian_filter1d(A, 2.0, mode="wrap") | nd.gaussian_filter1d(z, 1.3, order=2, truncate=3.0) | nd.gaussian_filter1d(z, p[0] + 1, order=3, radius=4) | nd.gaussian_filter(C, 0.6)
nd.gaussian_filter(A, (0, 1.0), mode="mirror") | nd.gaussian_filter(z, p[1], mode="constant", cval=0.2) | nd.gaussian_filter(A, [1.0, 0.5], [2, 0], mode="grid-wrap")
nd.sobel(B, 0, mode="constant", cval=0.3) | nd.prewitt(A, 0, mode=("wrap", "mirror")) | nd.laplace(B, axes=(0, 2)) | nd.gaussian_laplace(B, (p[0], q[0]), axes=(1, 2)) | nd.gaussian_gradient_magnitude(B, p[:3], mode="wrap")
nd.shift(B, [0.2, -0.4, s], mode="grid-wrap") | nd.shift(z, 2.3, order=2, mode="constant", cval=0.5) | nd.zoom(A, (0.5, 2.3), grid_mode=True, mode="nearest") | nd.zoom(z, 1.7, order=2, grid_mode=True, mode="grid-constant", cval=0.3) | nd.zoom(A, 2.0, order=3, grid_mode=True, mode="reflect") | nd.zoom(B, 1.5) | nd.zoom(z, 0.4, order=2, mode="nearest") | nd.shift(C, 0.4)
nd.rotate(B, 100 + 5 * s, axes=(0, 2), mode="nearest") | nd.rotate(A, 90.0) | nd.rotate(A, -180, order=1) | nd.rotate(W, 45 + s, order=1, cval=0.4)
nd.map_coordinates(A, [2 * x, 3 * t], order=0, mode="nearest") | nd.map_coordinates(A, [4 * x, 3 * v], order=1, mode="wrap") | nd.map_coordinates(A, [4 * t - 1, 3 * t + 0.2], order=1, mode="grid-constant", cval=0.7)
nd.map_coordinates(A, [4 * x, 3 * v], order=1, mode="reflect") | nd.map_coordinates(A, [4 * x, 3 * v + 0.1], order=1, mode="mirror") | nd.map_coordinates(A, [4 * x, 3 * v + 0.1], order=1, mode="grid-wrap")
nd.map_coordinates(A, [4 * x, 3 * v], order=2, mode="reflect") | nd.map_coordinates(A, [4 * x, 3 * v], order=2, mode="nearest") | nd.map_coordinates(A, [4 * x, 3 * v], order=2, mode="grid-wrap")
nd.map_coordinates(A, [4 * x, 3 * v], order=2, mode="grid-constant", cval=1.0) | nd.map_coordinates(A, [4 * x, 3 * v], order=2, mode="wrap") | nd.map_coordinates(A, [4 * x, 3 * v], order=2, mode="mirror")
nd.map_coordinates(A, [4 * x, 3 * v], order=3, mode="grid-wrap") | nd.map_coordinates(A, [4 * x, 3 * v], order=3, mode="wrap") | nd.map_coordinates(A, [4 * x, 3 * v], order=3, mode="reflect", prefilter=False)
nd.map_coordinates(B, [t, 2 * t, 3 * t]) | nd.map_coordinates(C, [2 * t, 3 * t]) | nd.map_coordinates(A, [[x, v], [w, t]], mode="mirror")
nd.affine_transform(B, 0.9 * N, order=1, mode="nearest") | nd.affine_transform(A, 0.5 * A[:2, :3], order=2, mode="grid-wrap") | nd.affine_transform(A, [[0.5, 0.1, s], [0.2, 0.8, 0.3], [0, 0, 1]], order=3, mode="nearest")
nd.affine_transform(A, N[:2, :2], output_shape=(2, 5), mode="grid-constant", cval=0.2) | nd.affine_transform(z, [[0.7 + 0.1 * s]], [0.4], order=1) | nd.spline_filter(B, 2, mode="grid-wrap") | nd.spline_filter1d(A, 3, 0)
"""
