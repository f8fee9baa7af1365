"""Random programs over what autograd keeps: views, writes, hooks, modes, and backwards of some inputs.

A program is a list of steps made from a seed; `outcome` runs it in one library, and says what every step left. It ends
with the first error. ``python -m tests.compare._semantics_search 0 2000`` compares the programs of 2000 seeds with
PyTorch, and prints those that differ.

Left out is what docs/coming-from-pytorch.md says of writes and views, and what only we can: views of what requires a
gradient made where nothing records (or before it did), hooks of views, results of `autograd.grad` that a hook changes
on the way, writes to a gradient as a hook or `autograd.grad` gives it (PyTorch's may be expanded), of a tensor to
itself, and backwards of results whose own node is spoilt.
"""

import contextlib
import random
import sys
import warnings

WORDS = 24
"""Of an error, so many letters are compared."""


class Program:
    """The tensors of one run, and what was noted of it."""

    def __init__(self, L, seed):
        self.L, self.rng, self.notes = L, random.Random(seed), []
        make = lambda values, grad: L.tensor(values, requires_grad=grad)
        self.pool = [make([0.5, -1.0, 2.0, 0.25], True), make([[1.0, 0.5], [-0.5, 1.5]], True)]
        self.pool.append(make([1.0, 2.0, -1.0, 0.5], False))
        self.views, self.changed = [], []

    def pick(self, wanted=lambda t: True):
        found = [t for t in self.pool if wanted(t)]
        return self.rng.choice(found) if found else None

    def name(self, t):
        return next(k for k, other in enumerate(self.pool) if other is t)

    def mode(self):
        L = self.L
        return self.rng.choices(
            [contextlib.nullcontext, L.no_grad, L.inference_mode, L.enable_grad], [12, 2, 1, 1]
        )[0]()  # fmt: skip

    # The steps ----------------------------------------------------------------------------------------------------

    def unary(self):
        kind = self.rng.choice(["sin", "mul", "exp", "clone", "tanh", "detach", "neg"])
        x = self.pick(lambda t: kind != "detach" or not t.is_inference())
        y = x * 0.5 if kind == "mul" else getattr(x, kind)()
        self.pool.append(y)

    def binary(self):
        x = self.pick()
        y = self.pick(lambda t: t.shape == x.shape)
        self.pool.append(x * y if self.rng.random() < 0.6 else x + y)

    def view(self):
        x = self.pick()
        kinds = [lambda t: t[:1], lambda t: t.reshape(-1), lambda t: t.unsqueeze(0), lambda t: t[0]]
        kinds += [lambda t: t.t()] if x.dim() == 2 else []
        kinds = kinds if x.dim() else [lambda t: t.reshape(-1)]
        self.views.append(self.rng.choice(kinds)(x))
        self.pool.append(self.views[-1])

    def write(self):
        also_leaves = self.rng.random() < 0.1  # which is an error
        x = self.pick(lambda t: also_leaves or not (t.is_leaf and t.requires_grad))
        y = self.pick(lambda t: t.shape == x.shape) * 1
        kind = self.rng.choice(["mul_", "add_", "sin_", "copy_", "fill_", "set", "scale"])
        if kind in ("mul_", "add_", "copy_"):
            getattr(x, kind)(y)
        elif kind == "set" and x.dim():
            x[0] = self.rng.choice([2.0, y[0] * 1])
        elif kind == "fill_":
            x.fill_(0.5)
        elif kind == "sin_":
            x.sin_()
        else:
            x.mul_(1.5)

    def leaf(self):
        self.pool.append(self.pick().detach().clone().requires_grad_())

    def hook(self):
        x = self.pick(lambda t: t.requires_grad and not any(t is v for v in self.views))
        if x is None:
            return
        name, kind = self.name(x), self.rng.choice(["see", "change", "node", "before", "retain", "after"])
        note = lambda *what: self.notes.append((kind, name, *map(listed, what)))
        if kind == "see":
            x.register_hook(note)
        elif kind == "change":
            x.register_hook(lambda g: (note(g), g * 2)[1])
            self.changed.append(x)
        elif kind == "retain":
            x.retain_grad()
        elif kind == "after" and x.is_leaf:
            x.register_post_accumulate_grad_hook(lambda t: note(t.grad))
        elif x.grad_fn is not None:
            (x.grad_fn.register_hook if kind == "node" else x.grad_fn.register_prehook)(note)

    def sweep(self):
        loss = self.pool[-1] if self.pool[-1].requires_grad else self.pick(lambda t: t.requires_grad)
        wanted = [t for t in self.pool if t.requires_grad and self.rng.random() < 0.4] or None
        options = {"retain_graph": self.rng.choice([None, True]), "create_graph": self.rng.random() < 0.3}
        if wanted and self.rng.random() < 0.4:
            wanted = [t for t in wanted if t.is_leaf or not any(t is c for c in self.changed)]
            found = self.L.autograd.grad(loss.sum(), wanted, allow_unused=True, **options)
            self.notes.append(("found", listed(found), [g is not None and g.requires_grad for g in found]))
            self.pool += [g * 1 for g in found if g is not None and self.rng.random() < 0.3]
        else:
            leaves = [t for t in wanted or () if t.is_leaf]
            loss.sum().backward(inputs=leaves or None, **options)

    # The run ------------------------------------------------------------------------------------------------------

    def run(self):
        steps = [self.unary, self.binary, self.view, self.write, self.leaf, self.hook, self.sweep]
        for _ in range(self.rng.randint(6, 18)):
            step = self.rng.choices(steps, [4, 4, 3, 3, 1, 7, 4])[0]
            plain = step in (self.view, self.leaf) or (step == self.sweep and self.rng.random() < 0.8)
            mode, count = contextlib.nullcontext() if plain else self.mode(), len(self.notes)
            try:
                with mode:
                    step()
                state = [self.state(t) for t in self.pool]
            except (RuntimeError, ValueError) as error:
                del self.notes[count:]  # what ran before a backward failed
                self.notes.append((step.__name__, "error", str(error).replace("torch.", "")[:WORDS]))
                return self.notes
            self.notes.append((step.__name__, state))
        return self.notes

    def state(self, t):
        asked = t.requires_grad, t.is_leaf, t.is_inference()
        return listed(t), *asked, None if t.grad is None or not t.is_leaf else listed(t.grad)


def listed(t):
    """A tensor, or several, as numbers that rounding leaves the same."""
    if isinstance(t, (tuple, list)):
        return [listed(x) for x in t]
    return None if t is None else [round(x, 7) + 0.0 for x in t.detach().reshape(-1).tolist()]


def outcome(L, seed):
    """What the program of this seed notes in a library."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return Program(L, seed).run()


def main(first, last):
    import torch

    import symgrad as sg

    torch.set_default_dtype(torch.float64)
    for seed in range(first, last):
        ours, theirs = outcome(sg, seed), outcome(torch, seed)
        if ours != theirs:
            place = next((k for k, (a, b) in enumerate(zip(ours, theirs, strict=False)) if a != b), -1)
            print(seed, "after", [note[0] for note in theirs[:place]])
            print("   ours:", ours[place])
            print("  torch:", theirs[place])


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
