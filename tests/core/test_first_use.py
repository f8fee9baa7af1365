"""What import leaves for later works as the first thing that a process does, in any order and in threads.

The idea to hold: whatever was asked for before, the table has the same rows in the same order, each declared by the
module that is said to.
"""

import subprocess
import sys

import pytest

from ..helpers.sources import PACKAGE


def run(code):
    """What a process of its own prints."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=PACKAGE.parent)
    assert done.returncode == 0, done.stderr
    return done.stdout


FIRST = {
    "a row by its name": (
        "from symgrad.core import TABLE, Op; print(type(TABLE['hyp2f1']) is Op and TABLE['hyp2f1'].saved)",
        "('a', 'b', 'c', 'x')",
    ),
    "a special function": ("print(sg.special.ellipk(sg.tensor(0.5)).item())", "1.8540746773013719"),
    "a function of two modules": ("print(sg.i0(sg.tensor(0.0)), sg.tensor(0.0).i0_())", "tensor(1.) tensor(1.)"),
    "a Fourier transform": ("print(sg.fft.fft(sg.ones(2)).real)", "tensor([2., 0.])"),
    "a decomposition": ("print(sg.linalg.svd(sg.eye(2)).S)", "tensor([1., 1.])"),
    "a named result": ("print(sg.return_types.linalg_inv_ex.__name__)", "linalg_inv_ex"),
    "a function of NumPy's": ("import numpy as np; print(np.median(x * x))", "tensor(2.5000, grad_fn=<DivBackward0>)"),
    "one that has a way of its own": (
        "import numpy as np; print(np.maximum(x, 1.5).grad_fn)", "<MaximumBackward0 object at",
    ),
    "a function of SciPy's": ("from scipy import special; print(special.erfcx(x * 0).tolist())", "[1.0, 1.0]"),
    "a gradient that is differentiated": (
        "import numpy as np; (np.cos(x) ** 2).sum().backward(create_graph=True); print(x.grad.grad_fn is not None)",
        "True",
    ),
    "what a node saved": ("print((x * x).grad_fn._saved_other)", "tensor([1., 2.], requires_grad=True)"),
    "arrays": ("import numpy as np; print(sg.grad(lambda a: np.sum(a * a))(np.ones(2)))", "[2. 2.]"),
    "a namespace of arrays": ("print(x.__array_namespace__().__name__)", "symgrad.numpy"),
    "a formula": ("print(sg.formula(lambda t: sg.special.ellipk(t), sg.tensor(0.5)))", "K(t)"),
    "a Hessian": ("print(sg.hessian(lambda t: (t**3).sum())(sg.tensor([1.0, 2.0])))", "6"),
    "every name": ("from symgrad import *; print(jacobian.__name__, grad.__name__)", "jacobian grad"),
    "a row of a user's that there is": (
        "from symgrad.extend import elementwise\ntry: elementwise('ellipk', abs, 1)\nexcept ValueError as e: print(e)",
        "there is a row 'ellipk' already",
    ),
    "a row of a user's with a wrong rule": (
        "from symgrad.extend import elementwise\n"
        "try: elementwise('mine', lambda x: x, lambda wrong: 1)\nexcept TypeError as e: print(e)",
        "a rule asks for 'wrong'",
    ),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("what", FIRST)
def test_it_works_as_the_first_thing(what):
    code, printed = FIRST[what]
    assert printed in run(f"import symgrad as sg\nx = sg.tensor([1.0, 2.0], requires_grad=True)\n{code}")


ROWS = "import symgrad\nfrom symgrad.core import NUMPY, TABLE\n{}\nprint(*TABLE, len(NUMPY))"


@pytest.mark.slow
def test_the_table_is_the_same_whatever_was_loaded_before():
    before = run(ROWS.format(""))
    for module in ("special", "linalg", "fft", "scipy.linalg", "scipy.stats", "numpy", "ops.entries.distributions"):
        assert run(ROWS.format(f"import symgrad.{module}")) == before
    walked = ROWS.format("rows = dict(TABLE); assert all(rows[name].name == name for name in TABLE)")
    assert run(walked) == before


def test_import_reads_no_rules():
    assert (
        run(
            "import symgrad; rows = symgrad.core.TABLE._rows.values()\n"
            "print([op for op in rows if type(op) is not str and 'node' in vars(op)])"
        )
        == "[]\n"
    )


def test_a_row_that_is_deleted_does_not_come_back():
    code = "from symgrad.core import TABLE; del TABLE['ellipk']; TABLE['ellipe']; print('ellipk' in TABLE)"
    assert run(f"import symgrad; {code}") == "False\n"


def test_threads_that_ask_first_get_the_same():
    assert (
        run("""
import sys, threading
sys.setswitchinterval(1e-6)
import numpy as np, symgrad as sg
from symgrad.core import TABLE
names, found, start = ["ellipk", "solve_sylvester", "exp", "hyp2f1", "roots", "fft", "igamma"], [], threading.Barrier(8)
def ask(k):
    start.wait()
    rows = {name: TABLE[name] for name in names[k % 7:] + names[:k % 7]}
    x = sg.tensor([0.3, 0.4], requires_grad=True)
    (sg.special.ellipk(x) + np.median(x) * x.exp()).sum().backward()
    found.append((sorted((name, id(op), id(op.node), op.saved) for name, op in rows.items()), x.grad.tolist()))
threads = [threading.Thread(target=ask, args=(k,)) for k in range(8)]
[t.start() for t in threads]
[t.join() for t in threads]
print(len(found), all(f == found[0] for f in found))
""")
        == "8 True\n"
    )
