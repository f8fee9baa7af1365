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
