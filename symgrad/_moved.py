"""Modules of earlier versions, which pickles name: each is the module that has its classes and functions now."""

from __future__ import annotations

import importlib
from functools import partial
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

_NAMES = """
_array.members: _array._numpy_attributes
_array.ndarray: _array._ndarray _array._view_steps
_array.number_steps: _array._number_operators _array._number_steps
_errors: _absent
_tensor.declared: _symbol
_tensor.history: _tensor._history
_tensor.symbolic: _tensor._symbolic
_tensor.describe: _tensor._size
_tensor.function_node: _function_batch _function_node
_tensor.saved: _tensor._saved
_tensor.types: _tensor._types
_typing: _device
autograd._graph_hooks: autograd._current
calculus.conditions: expr._branches expr._conditions
calculus.rules: expr._identities expr._taken
calculus.tracing: expr._user_operation
core.dim: core._dim
core.dispatch: core._carrier
core.graph: core._anomaly core._graph core._guards core._notes
core.op: core._op
core.dual: core._duals
core.record: core._watch
core.symbols: core._symbols
core.table: core._facts core._meanings core._rules core._table
distributed._chunks: distributed._chunk_sources distributed._chunked_data distributed._cluster_errors
    distributed._own_tasks
distributed._jobs: distributed._flat_parameters distributed._shipped
distributed._orders: distributed._located distributed._survey_of_rows
distributed._workers: distributed._worker_orders
formulas: expr
formulas.background: expr._background expr._combine expr._other_sizes
formulas.check: expr._check
formulas.derivation: expr._derivation
formulas.equality: expr._equality
formulas.formula: expr._formula
formulas.points: inspect._points
formulas.pointwise: inspect._compare
formulas.proof: inspect._proof inspect._zero inspect.proof
func._transforms: func._call
inspect.anomalies: inspect._blame inspect._culprit inspect._rewrites
inspect.recorded_values: inspect._recorded_values inspect._wording
inspect.sides: inspect._sides
inspect.tape: inspect._tape
inspect.truth: inspect._truth
inspect.verification: inspect._diagnosis inspect._verdict
nn._applied_modules: nn._activation_modules nn._losses nn._pools
nn._layers: nn._adaptive_softmax nn._norms
nn._module: nn._applied nn._backward_hooks nn._conversion nn._module_hooks
nn._parameter: nn._state
nn._sequences: nn._attention nn._recurrent
nn._sliding: nn._resizing
nn._windows: nn._pooling
notation._shapes: notation._sizes
notation._words: notation._dialect
numpy._namespace: numpy._standard
ops.create.draws: ops.create._random
ops.entries.gammas: ops.entries._jets ops.entries._named
ops.index.scatter: ops.index._along
ops.lazy: ops._lazy
ops.linalg.decompositions: ops.linalg._gaps
ops.linalg.linear_systems: ops.linalg._linalg
ops.numpy.entry_points: ops.numpy._numpy
ops.public: ops._public
optim._first_order: optim._adam optim._matrix_rules optim._rule
optim._lbfgs: optim._line_search
optim._scheduler: optim._combined optim._cycles
programs.assemble: programs._assemble programs._count
programs.builder: programs._builder
programs.definitions: programs._definitions
programs.dialects: programs._dialects
programs.files: programs._numba_files
programs.fill: programs._fill programs._parts
programs.graph_terms: programs._graph_terms programs._placed programs._read_at
programs.helpers: programs._helpers
programs.linear: programs._grid programs._lower
programs.loops.looped_source: programs._looped_source
programs.loops.nested_program: programs._nested_program
programs.loops.nests: programs._nested_fill programs._nests
programs.loops.scalar_form: programs._scalar_form programs._scalar_text
programs.loops.scalars: programs._scalar_lines programs._scalars
programs.loops.steps: programs._compiled_step programs._step_program programs._step_text
programs.matrices.structured: programs._low_rank programs._structured
programs.matrices.symmetric: programs._solving programs._symmetric
programs.program: programs._cache programs._kept_programs programs._program
programs.source_module: programs._source_module
programs.sparsity.colours: programs._colour programs._column_colours
programs.sparsity.pattern: programs._dependence programs._pattern
programs.survey: programs._recipe programs._runnable programs._survey
programs.sweeps: programs._packed programs._stable programs._sweeps
programs.translate: programs._translate programs._translated_module
scipy._mirrored: scipy._callbacks
scipy.integrate._ivp: scipy.integrate._moments
scipy.integrate._quadrature: scipy.integrate._several_variables
scipy.integrate._trajectories: scipy.integrate._backward_equation scipy.integrate._right_sides
scipy.interpolate._piecewise: scipy.interpolate._cubic
scipy.optimize._minima: scipy.optimize._constraints scipy.optimize._for_solvers
scipy.optimize._roots: scipy.optimize._implicit
scipy.sparse._sparse_arrays: scipy.sparse._sparse_products
serve._questions: serve._python_text serve._question serve._sections
serve._server: serve._half_open serve._processes
show.code: show._code show._code_products show._expressions show._targets
show.latex_notes: show._latex
show.layout: show._layout show._layout_loops show._numbers
show.layout_choice: show._layout_choice
show.layout_products: show._layout_ein
show.layout_terms: show._layout_sums show._layout_terms
_tensor.repr: show._repr show.repr
show.signs: show._shown_names show._signs
show.text: show._ascii
show.writer: show._elements show._functions_text show._unicode
stats._fit: stats._bounds
stats._likelihood: stats._averages stats._likelihood_of_rows
stats._minimize: stats._checkpoint_file
terms.node: expr._node expr._pickled
transforms.calls.call_arguments: transforms._arguments
transforms.calls.reads: transforms._capture transforms._caught transforms._function_key transforms._known_function
    transforms._reads
transforms.calls.run: transforms._holomorphic transforms._push transforms._run
transforms.calls.symbolic_run: transforms._random_state transforms._tracing
transforms.calls.tree: transforms._tree
transforms.calls.variables: transforms._node_values transforms._variables
transforms.compiled.compile: transforms._compile transforms._compiled_ways
transforms.compiled.with_loops: transforms._compiled_loops
transforms.compiled.quick: transforms._compiled_quick transforms._compiled_trace transforms._compiler
transforms.compiled.structure: transforms._compiled_structure
transforms.compiled.targets: transforms._compiled_for transforms._shown_program transforms._target_arrays
transforms.cost: transforms._cost
transforms.derivative: transforms._derivative transforms._quick
transforms.fix: transforms._fix transforms._returned
transforms.hessian: transforms._hessian
transforms.loops.recurrences: transforms._recurrences transforms._scan_traced
transforms.loops.rounds: transforms._rounds transforms._rounds_of_kinds
transforms.loops.scan: transforms._scan_loop transforms._scan_program
transforms.loops.scan_course: transforms._scan_body transforms._scan_course transforms._scan_step
transforms.matrix: transforms._blocks transforms._matrix
transforms.hessian_operator: transforms._operator
transforms.products: transforms._products
transforms.repeated: transforms._repeated
transforms.report: transforms._report transforms._solve transforms._spectrum
transforms.routes: transforms._routes
transforms.sparse_jacobian: transforms._sparse_jacobian
transforms.vmap: transforms._vmap transforms._vmap_arguments transforms._vmap_trace
utils.data._datasets: utils.data._samplers
views.graph_boxes: inspect._graph_boxes inspect._graph_fold inspect._graph_values
views.graph_picture: inspect._graph_picture
views.graph_svg: inspect._graph_layout inspect._graph_svg
views.pages: inspect._page inspect._page_math
views.plot_matrix: inspect._plot_matrix
views.plot_subject: inspect._plot_subject
views.plots: inspect._plot_curves inspect._plot_plane
views.reports: inspect._report_check inspect._report_made
"""
"""Modules that are there, each with those whose classes it has now."""


def _moved() -> dict[str, str]:
    found, home = {}, ""
    for word in _NAMES.split():
        if word.endswith(":"):
            home = f"symgrad.{word[:-1]}"
        else:
            found[f"symgrad.{word}"] = home
    return found


MOVED = _moved()
"""Where each module that is no more has gone."""


class Moved:
    """Finds these modules; an entry of `sys.meta_path`."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """The specification of a module that has moved."""
        return ModuleSpec(name, self, is_package=name == "symgrad.expr") if name in MOVED else None  # type: ignore[arg-type]

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """An empty module, which asks the one in its place for names."""
        return ModuleType(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Import the module that is in its place."""
        module.__getattr__ = partial(getattr, importlib.import_module(MOVED[module.__name__]))  # type: ignore[method-assign]
