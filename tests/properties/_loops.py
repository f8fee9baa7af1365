# ruff: noqa: E501  (a statement of a program is a line)
"""Random loops in Python as people write them: rounds that look back, add up, append, pick and branch on data."""

import numpy as np

FUNCTIONS = (
    "np.tanh({})",
    "np.sin({})",
    "np.log1p(({}) ** 2)",
    "({}) * 0.5",
    "np.exp(-({}) ** 2)",
    "1 / (2 + ({}) ** 2)",
)


class RandomLoop:
    """A function of one array, as text, and data that it catches; ``f`` is the function.

    Its state is a number or a vector of three; ``rounds`` as many as the data are long.
    """

    def __init__(self, seed):
        rng = self.rng = np.random.default_rng(seed)
        self.rounds = int(rng.integers(16, 40))
        self.is_vector = rng.random() < 0.3
        self.entries = rng.random() < 0.3  # whether each round takes an entry of the argument
        self.x = rng.normal(size=6 + (self.rounds if self.entries else 0)) * 0.5
        self.data = {"T": self.rounds, "d": rng.normal(size=self.rounds), "k": rng.integers(0, 3, size=self.rounds)}
        self.states = ["s", "u"][: int(rng.integers(1, 3))]
        self.text = self._text()
        self.f = self.made(self.text)

    def made(self, text, np=np):
        """The function of a text."""
        space = {"np": np, **self.data}
        exec(text, space)
        return space["f"]

    def _text(self):
        rng = self.rng
        self.depth = int(rng.integers(1, 4)) if rng.random() < 0.5 else 0  # how far a list of states is looked back
        lines = ["def f(x):"]
        for name in self.states:
            first = rng.choice(["0.3", "x[1]", "np.var(d)", "x[0] * x[2]"])
            lines.append(f"    {name} = {f'np.ones(3) * {first}' if self.is_vector else first}")
        if self.depth:
            lines.append(f"    h = [{', '.join(['s', 'x[3] * s', 's * s'][: self.depth])}]")
        lines += ["    total = 0.0", "    ys = []"]
        lines.append(
            rng.choice(
                [
                    "    for t in range(T):",
                    "    for t, e in enumerate(d):",
                    "    for t, (e, m) in enumerate(zip(d, k)):",
                ]
            )
        )
        if " e" not in lines[-1] and "(e" not in lines[-1]:
            lines.append("        e = d[t]")
        body = []
        for name in self.states:
            body.append(f"{name} = {self._expression()}")
        if rng.random() < 0.5:
            body.append(f"total = total {rng.choice(['+', '-'])} {self._number(self._expression())}")
        if rng.random() < 0.5:
            body.append(f"total += {self._number('s')} ** 2 * e")
        if rng.random() < 0.3:
            body.append(
                "if e > 0.5:\n            s = s * 0.9" if rng.random() < 0.3 else "s = np.where(e > 0, s, s * x[4])"
            )
        if self.depth:
            body.append("h.append(s * 0.7 + 0.1 * h[-1])")
        keeps = rng.random() < 0.4
        if keeps:
            body.append(f"ys.append({self._number('s')})")
        lines += [f"        {line}" for line in body]
        ends = [self._number("s"), "total", "0.1 * (x**2).sum()"]
        ends += ["(np.stack(ys) ** 2).sum()", "ys[3] * ys[-1]"] if keeps else []
        ends += [self._number("h[-1]"), self._number("h[5]")] if self.depth else []
        if rng.random() < 0.3:
            lines += ["    r = 0.1", "    for t in range(T - 1, -1, -1):"]
            lines.append(f"        r = np.cos(r) * x[2] + {'ys[t]' if keeps else 'd[t]'} * {self._number('s')}")
            ends.append("r")
        lines.append(f"    return {' + '.join(ends)}")
        return "\n".join(lines) + "\n"

    def _number(self, text):
        return f"({text}).sum()" if self.is_vector else f"({text})"

    def _expression(self):
        """An expression of a round, of the states' shape."""
        rng, terms = self.rng, []
        for _ in range(int(rng.integers(2, 4))):
            factors = [str(rng.choice(self.states))]
            if self.depth and rng.random() < 0.6:
                factors = [f"h[-{int(rng.integers(1, self.depth + 1))}]"]
            if rng.random() < 0.7:
                factors.append(str(rng.choice(self._numbers())))
            terms.append(str(rng.choice(FUNCTIONS)).format(" * ".join(factors)))
        return f" {rng.choice(['+', '-'])} ".join(terms)

    def _numbers(self):
        found = ["x[0]", "x[1]", "e", "np.exp(x[2])", "(e + x[4])", "x[k[t]]", "x[:3].sum()", "0.4"]
        return [*found, "x[6 + t]", "x[5 + t]"] if self.entries else found


class WildLoop(RandomLoop):
    """A loop with more of what people write: any number of rounds, states of other shapes, rounds that differ from the
    others in a number or an operand, powers and numerators that count, arrays that are filled, loops within and after
    another, numbers that are not finite from some round on, float32.
    """

    shapes = {"number": "", "vector": "np.ones(3) * ", "matrix": "np.array([[1.0, 0.5], [0.2, 0.8]]) * "}  # noqa: RUF012

    def __init__(self, seed):
        rng = self.rng = np.random.default_rng([seed, 7])
        self.rounds = int(rng.choice([0, 1, 2, 5, 12, 13, 14, 15, 16, 17, 18, 24, 33], p=[0.02] * 4 + [0.92 / 9] * 9))
        self.shape = str(rng.choice(list(self.shapes), p=[0.6, 0.25, 0.15]))
        self.is_vector, self.entries = self.shape != "number", rng.random() < 0.5
        size = 6 + (2 * self.rounds + 4 if self.entries else 0)
        self.x = (rng.normal(size=size) * 0.5).astype(np.float32 if rng.random() < 0.08 else float)
        T, whole = self.rounds, max(self.rounds, 1)
        self.data = {"T": T, "d": rng.normal(size=whole), "k": rng.integers(0, 3, size=whole),
                     "b": rng.random(whole) < 0.5, "D": rng.normal(size=(whole, 3)),
                     "f4": rng.normal(size=whole).astype(np.float32)}  # fmt: skip
        self.odd = int(rng.choice([0, 1, max(T - 1, 0), max(T - 2, 0), int(rng.integers(0, whole))]))
        self.states = ["s", "u"][: int(rng.integers(1, 3))]
        self.text = self._text()
        self.f = self.made(self.text)

    def made(self, text, np=np):
        import symgrad.numpy as snp

        self.data["snp"] = snp
        return super().made(text, np)

    def _pick(self, *choices):
        return str(self.rng.choice(choices))

    def _text(self):
        rng, odd = self.rng, self.odd
        self.depth = int(rng.integers(1, 5)) if rng.random() < 0.5 else 0
        lines = ["def f(x):"]
        for name in self.states:
            first = self._pick("0.3", "x[1]", "np.var(d)", "x[0] * x[2]", "1", "np.float32(0.5)", "np.array(0.25)")
            lines.append(f"    {name} = {self.shapes[self.shape]}{first}")
        if self.depth:
            more = ["s", "x[3] * s", "0.5 * s", "s * s"] if self.is_vector else ["s", "x[3] * s", "1.0", "2", "x[1]"]
            picked = [str(p) for p in rng.permutation(more)[: self.depth]]
            lines.append(f"    h = [{', '.join(picked + ['s'] * (self.depth - len(picked)))}]")
        self.fills = not self.is_vector and rng.random() < 0.2
        if self.fills:
            lines += ["    a = snp.zeros(T + 2)", "    a[0] = x[0]", "    a[1] = s"]
        lines += [
            "    total = 0.0",
            "    other = x[0]",
            "    ys = []",
            "    zs = [s]",
            "    for t in range(T):",
            "        e = d[t]",
        ]
        body = [f"{name} = {self._expression()}" for name in self.states]
        extra = [
            f"s = s * {self._pick('0.9', 'x[2]')} if t != {odd} else s * {self._pick('0.8', 'x[2]', 'x[1]', '0.9')}",
            f"c = {self._pick('0.3', 'x[0]', 'd[0]')} if t == {odd} else {self._pick('0.4', 'x[1]', 'd[1]')}\n        s = np.sin(s + c)",
            f"s = np.tanh({self.states[-1]} if t == {odd} else s) + 0.1 * x[0]",
            f"s = np.where(s > {self._pick('0.0', 'e', 'x[1]')}, s, s * x[4])",
            "s = np.where(b[t], s * 0.5, np.sin(s))", "s = np.minimum(s, 0.8) + np.maximum(s, x[3])",
            "if b[t]:\n            s = np.cos(s)\n        else:\n            s = np.cos(s) * x[1]",
            "for j in range(3):\n            s = s + 0.1 * np.sin(s * x[j] + j)", "s, u = 0.5 * s + x[0], s",
            "u = s\n        s = s * x[1] + 0.1", f"s = s * (1.0 if t < {odd} else x[5])", "s = np.abs(s) * 0.7",
            "s = s * 0.9 + (s > e) * 0.3", "s = 0.5 * s + (x[0] > 0.02 * t) * 0.1 * x[1]", "s = s * 0.8 + np.sign(s - x[1]) * 0.2",
            "s += 0.1 * x[2]", "s *= x[3] + 0.5", f"s = s / (1 + {self._pick('t', 'e * e', 'x[0] ** 2')})",
            "s = (t + 1) / (40 + s * s)", "s = 0.1 * s + x[0] ** t", "s = 0.2 * s + (1 + x[1] ** 2) ** (t / 9)",
            "s = 0.3 * s ** 2 + t * x[2] * 0.01", f"s = s + {self._number('s')} * 0.05", "s = s * f4[t] + x[1]",
            f"s = s + 0.05 * np.log({self._pick('2.0', '1.2')} - 0.05 * t + x[0] * 0.01)",
        ]  # fmt: skip
        if self.shape == "matrix":
            extra += [
                "s = np.tanh(s @ s) * 0.7",
                "s = s.T * x[0] + 0.2",
                "s = np.linalg.inv(s @ s.T + np.eye(2)) + 0.1 * s",
            ]
        if self.shape == "vector":
            extra += ["s = s * D[t] + x[:3]", "s = np.roll(s, 1) * 0.9", "s = s / (1 + np.sum(s ** 2))", "s = np.cumsum(s) * 0.3",
                      "s = np.stack([s[1], s[2] * x[0], np.sin(s[0])])"]  # fmt: skip
        body += [str(rng.choice(extra)) for _ in range(int(rng.integers(0, 3)))]
        s = self._number("s")
        totals = [f"total = total + {s} * e", f"total -= {s} ** 2", f"total = {s} * 0.5 + total", "total = total - d[t]",
                  f"total = total + {s}\n        s = s + 0.01 * total", f"other = other - {s} * x[k[t]]", "total += x[0] * e",
                  f"total = total + e * {s} + x[1] * {s}", f"total = total + ({s} if t != {odd} else 2 * {s})"]  # fmt: skip
        body += [str(rng.choice(totals)) for _ in range(int(rng.integers(0, 3)))]
        if self.depth:
            body.append(f"h.append(s * 0.7 + 0.1 * h[-{int(rng.integers(1, self.depth + 1))}])")
        if self.fills:
            body.append(
                self._pick(
                    "a[t + 2] = 0.5 * np.sin(a[t + 1]) + x[1] * a[t]", "a[t + 2] = s * a[t + 1] * 0.5", "a[t] = s"
                )
            )
        keeps = rng.random() < 0.5
        if keeps:
            body += [f"ys.append({s})", "zs.append(s)"]
        lines += [f"        {line}" for line in body]
        ends = [s, "total", "other", "0.1 * (x**2).sum()"]
        ends += (
            ["(np.stack(zs) ** 2).sum()", "sum(ys)", "ys[-1] * ys[0] if ys else 0"][: int(rng.integers(1, 4))]
            if keeps
            else []
        )
        ends += [self._number("h[-1]"), self._number("h[0]")] if self.depth else []
        ends += ["(a ** 2).sum()"] if self.fills else []
        after = rng.random()
        if after < 0.4:
            order = self._pick("range(T - 1, -1, -1)", "range(T)", "range(0, T, 2)", "reversed(range(T))")
            used = "ys[t]" if keeps else "d[t]"
            lines += ["    r = 0.1", f"    for t in {order}:"]
            lines.append(
                f"        r = {self._pick('np.cos(r) * x[2]', 'r * 0.5', 'np.tanh(r + x[1])')} + {used} * {s} * 0.1"
            )
            ends.append("r")
        elif after < 0.5 and keeps:
            lines += ["    r = x[0]", "    for p, q in zip(ys, ys[1:]):", "        r = 0.5 * np.sin(r) + p * q * x[1]"]
            ends.append("r")
        lines.append(f"    return {' + '.join(ends)}")
        return "\n".join(lines) + "\n"

    def _numbers(self):
        found = super()._numbers()[:8]
        found += [
            "(x[0] if b[t] else x[1])",
            "x[t % 3]",
            "(0.3 + 0.01 * t)",
            f"({self._pick('0.3', 'x[2]')} if t == {self.odd} else 0.4)",
            "np.float32(0.5)",
        ]
        many = ["x[6 + t]", "x[5 + T - t]", "x[-1 - t]", "x[6 + 2 * t]", "x[5 + t] * x[6 + t]", "x[t:t + 3].sum()",
                "x[6 + t // 2]", "x[6 + k[t]]", "x[-T + t - 1]", "x[t + 8:t + 2:-2].sum()"]  # fmt: skip
        return found + (many if self.entries else [])


class ChoosingLoop(RandomLoop):
    """A loop whose rounds choose: Python branches on data, on which round it is or on the state, and conditions of the
    state pick numbers; some in float32, some from states at which a condition is a tie.
    """

    def __init__(self, seed):
        rng = self.rng = np.random.default_rng([seed, 11])
        self.rounds = int(rng.integers(16, 30))
        self.is_vector, self.entries = rng.random() < 0.25, rng.random() < 0.2
        kind = np.float32 if rng.random() < 0.25 else float
        self.x = (rng.normal(size=6 + (self.rounds if self.entries else 0)) * 0.5).astype(kind)
        given = kind if rng.random() < 0.7 else float
        self.data = {"T": self.rounds, "d": rng.normal(size=self.rounds).astype(given),
                     "k": rng.integers(0, 3, size=self.rounds)}  # fmt: skip
        self.states, self.depth = ["s", "u"][: int(rng.integers(1, 3))], 0
        self.branches_on_state = False
        self.text = self._text()
        self.f = self.made(self.text)

    def _expression(self):
        term = self._pick(*FUNCTIONS).format(f"{self._pick(*self.states)} * {self._pick(*self._numbers())}")
        return f"{term} {self._pick('+', '-')} {self._pick(*self._numbers())} * {self._pick(*self.states)}"

    def _condition(self):
        rng, s = self.rng, self._pick(*self.states)
        other = self._pick("0.1", "0.0", "e", "x[1]", self.states[-1])
        one = f"{s} {self._pick('>', '<', '>=', '<=')} {other}"
        return one if rng.random() < 0.7 else f"({one}) {self._pick('&', '|')} ({self.states[-1]} < x[0])"

    def _pick(self, *choices):
        return str(self.rng.choice(choices))

    def _line(self):
        """Some lines of a round."""
        rng, state, one, other = self.rng, self._pick(*self.states), self._expression(), self._expression()
        odd = int(rng.choice([0, 1, self.rounds - 1, self.rounds // 2]))
        kind = self._pick("where", "where", "data", "data", "three", "round", "extreme", "times", "kept", "state")
        on_state = f"{self._number('s')} > {self._pick('0.2', 'x[1]', 'e')}"
        self.branches_on_state |= kind == "state"
        return {
            "where": f"{state} = np.where({self._condition()}, {one}, {other})",
            "data": f"if e > 0.3:\n            {state} = {one}\n        else:\n            {self._pick(*self.states)} = {other}",
            "three": f"if e > 0.5:\n            {state} = {one}\n        elif k[t] == 1:\n            s = {other}\n            s = s * 0.7",
            "round": f"if t == {odd}:\n            {state} = {one}\n        else:\n            s = {other}",
            "extreme": f"{state} = {self._pick('np.maximum', 'np.minimum')}({one}, {self._pick('0.1', 'e', 'x[1]', 's')}) + "
            f"{self._pick('np.abs(s)', 'np.clip(s, -0.5, 0.4)', 'np.sign(s)')} * 0.3",
            "times": f"{state} = {one} + ({self._condition()}) * {self._pick('0.2', 'x[2]', 's')}",
            "kept": f"if e > 0:\n            {state} = {one}\n            ys.append({self._number('s')})",
            "state": f"if {on_state}:\n            s = {one}\n        else:\n            s = {other}",
        }[kind]  # fmt: skip

    def _text(self):
        rng = self.rng
        lines = ["def f(x):"]
        for name in self.states:
            first = self._pick("0.3", "x[1]", "x[0] * x[2]", "0.0 * x[0]", "np.abs(x[1])")
            lines.append(f"    {name} = {f'np.ones(3, x.dtype) * {first}' if self.is_vector else first}")
        lines += ["    total, ys = 0.0 * x[0], []", "    for t in range(T):", "        e = d[t]"]
        body = [f"{name} = {self._expression()}" for name in self.states if rng.random() < 0.6]
        body += [self._line() for _ in range(int(rng.integers(1, 4)))]
        body += [f"total = total + {self._number('s')} ** 2"] if rng.random() < 0.7 else []
        body += [f"ys.append({self._number(self.states[-1])})"] if rng.random() < 0.5 else []
        lines += [f"        {line}" for line in body]
        ends = ["total", self._number("np.where(s > 0, s, x[2] * s)"), "0.1 * (x**2).sum()"]
        ends += self._pick(
            "((np.stack(ys) ** 2).sum() if ys else 0)", "(ys[-1] * ys[0] if ys else 0)", "sum(ys)"
        ).split("\n")
        if rng.random() < 0.3:
            lines += ["    r = 0.1 * x[0]", "    for t in range(T):"]
            lines.append("        r = np.where(r > 0.3, r * 0.5, np.cos(r)) * x[2] + d[t] * 0.1")
            ends.append("r")
        lines.append(f"    return {' + '.join(ends)}")
        return "\n".join(lines) + "\n"
