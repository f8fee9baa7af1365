"""The arguments of the mirror's functions that have no derivative, by name, and why."""

BY_NAME = {
    "says what is computed, by a word or by yes and no": (
        "absolute_sigma assume_a assume_sorted average balanced boundary bounds_error col_deriv "
        "complex_func compute_uv eigvals_only extrapolate floating_mean format full_matrices grid_mode "
        "hermitian homogeneous_eigvals input_onesided keepdims kind left loss lower method mode norm normalize "
        "orthogonalize output padded padtype permute_l p_indices pivoting precenter prefilter reshape return_onesided "
        "return_rank right scaling sort tfirst trans transposed unit_diagonal vectorized weight"
    ),
    "counts, or names axes, entries, shapes and types": (
        "N axes axis blocksize bp diags deriv dtype freq_axis k l_and_u m maxprint n nfft noverlap nperseg nu offsets "
        "ord order origin output_shape padlen pattern polyorder radius shape size subset_by_index time_axis type "
        "window_length permc_spec"
    ),
    "how SciPy computes: memory, checks, tolerances, steps, messages": (
        "band cache_size callback callback_type check check_finite cond copy dense_output diag diag_pivot_thresh "
        "diff_step disp driver epsabs epsfcn epsrel factor finite_diff_jac_sparsity finite_diff_rel_step ftol "
        "full_output gtol h0 hmax hmin irlen ixpr jac_sparsity keep_feasible lapack_driver limit limlst "
        "lwork max_nfev maxfev maxiter maxp1 ml mu mxhnil mxordn mxords mxstep nan_policy options opts "
        "overwrite_a overwrite_ab overwrite_b "
        "overwrite_data overwrite_x panel_size plan printmessg quadrature relax restart rtol show solver solver_args "
        "tcrit tol tr_options tr_solver truncate use_umfpack verbose workers xtol M wopts"
    ),
    "derivatives that SciPy asks for; their own derivatives are taken from the function": (
        "Dfun fprime fprime2 hess hessp jac"
    ),
    "where a search starts or what encloses it: the result does not hang on it": "bracket p0 x0 x1 x_scale",
    "steps: its derivative is 0, or the result jumps": "atol subset_by_value",
    "refused by name where it is differentiated": "bounds wvar",
}
"""By reason: the names of parameters, in every function that has one."""

BY_FUNCTION = {
    "optimize.bisect a b": "The ends enclose the root, which does not hang on them.",
    "optimize.brenth a b": "The ends enclose the root, which does not hang on them.",
    "optimize.brentq a b": "The ends enclose the root, which does not hang on them.",
    "optimize.ridder a b": "The ends enclose the root, which does not hang on them.",
    "optimize.toms748 a b": "The ends enclose the root, which does not hang on them.",
    "integrate.cumulative_trapezoid initial": "It is 0 or None.",
    "integrate.quad points": "Where the range is divided; refused by name.",
    "integrate.quad_vec points": "Where the range is divided; refused by name.",
    "integrate.quad_vec norm": "How errors are measured.",
    "ndimage.zoom zoom": "It says how many pixels there are; refused by name.",
    "ndimage.gaussian_gradient_magnitude kwargs": "Those of gaussian_filter, where they are measured.",
    "ndimage.gaussian_laplace kwargs": "Those of gaussian_filter, where they are measured.",
    "optimize.least_squares f_scale": "Refused by name.",
    "optimize.curve_fit kwargs": "Those of least_squares.",
    "sparse.linalg.minres shift": "Refused by name.",
    "fft.fftfreq xp device": "Which library computes.",
    "fft.rfftfreq xp device": "Which library computes.",
}
"""By function and parameters: the reason."""

BY_MODULE = {"fft s": "The shape of a result; elsewhere s is a matrix."}
"""By module and parameter: the reason."""

FUNCTIONS = {
    "linalg.LinAlgError": "An error.",
    "fft.next_fast_len": "A whole number.",
    "optimize.Bounds": "SciPy's own: bounds are refused by name where they are differentiated.",
    "optimize.Bounds.residual": "SciPy's own.",
    "optimize.LinearConstraint": "SciPy's own: refused by name where it is differentiated.",
    "optimize.LinearConstraint.residual": "SciPy's own.",
    "optimize.NonlinearConstraint": "Holds a function for minimize; its derivatives are in test_mirror_optimize.py.",
    "optimize.problem": "Arguments for SciPy's solvers, which are not differentiated.",
    "integrate.tplquad": "It is nquad's, of three ranges; a gradient takes long: test_mirror_integrate.py.",
    "sparse.linalg.bicgstab": "It breaks down where nothing is left to do: test_mirror_sparse.py has its gradient.",
    "sparse.SparseArray": "What coo_array and its kind return.",
    "sparse.issparse": "Yes or no.",
}
"""Functions of which nothing is differentiated here."""
