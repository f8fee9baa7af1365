"""A recurrent network that writes a rhyme, letter by letter: a loop over time in NumPy, and Adam by hand.

The parameters are a dictionary of arrays, and so is the gradient.
"""

import numpy as np

import symgrad as sg

RHYME = (
    "one fish swam up the river and two came down the hill; the third one wrote a letter and is waiting for it still. "
)
HIDDEN, WINDOW, BATCH = 40, 20, 16


def new_parameters(rng, letters):
    return {
        "from letter": 0.1 * rng.normal(size=(letters, HIDDEN)),
        "from state": np.linalg.qr(rng.normal(size=(HIDDEN, HIDDEN)))[0],
        "offset": np.zeros(HIDDEN),
        "to letter": 0.1 * rng.normal(size=(HIDDEN, letters)),
    }


def cell(p, state, letter):
    """The state after a letter, which is a row of the first matrix."""
    return np.tanh(p["from letter"][letter] + state @ p["from state"] + p["offset"])


def surprise(p, text):
    """How surprised the network is by each next letter, in bits: the mean over a batch of pieces of text."""
    rows = np.arange(len(text))
    state, total = np.zeros((len(text), HIDDEN)), 0.0
    for t in range(text.shape[1] - 1):
        state = cell(p, state, text[:, t])
        scores = state @ p["to letter"]
        scores -= scores.max(axis=1, keepdims=True)
        total += (np.log(np.exp(scores).sum(axis=1)) - scores[rows, text[:, t + 1]]).mean()
    return total / (text.shape[1] - 1) / np.log(2)


def adam(p, gradient, memory, n, rate=0.01):
    for name, g in gradient.items():
        mean, square = memory.setdefault(name, (np.zeros_like(g), np.zeros_like(g)))
        mean += 0.1 * (g - mean)
        square += 0.01 * (g**2 - square)
        p[name] -= rate * (mean / (1 - 0.9**n)) / (np.sqrt(square / (1 - 0.99**n)) + 1e-8)


def write(p, alphabet, beginning, length):
    """What the network writes after a beginning, when every letter is the likeliest one."""
    state, text = np.zeros(HIDDEN), beginning
    for k in range(length):
        state = cell(p, state, alphabet.index(text[k]))
        if k + 1 == len(text):
            text += alphabet[np.argmax(state @ p["to letter"])]
    return text


def main():
    rng = np.random.default_rng(0)
    alphabet = sorted(set(RHYME))
    code = np.array([alphabet.index(letter) for letter in RHYME * 3])
    p, memory = new_parameters(rng, len(alphabet)), {}

    step = sg.value_and_grad(surprise)
    for n in range(1, 162):
        begin = rng.integers(0, len(RHYME), BATCH)
        value, gradient = step(p, code[begin[:, None] + np.arange(WINDOW + 1)])
        if n % 40 == 1:
            print(f"step {n:3}: {value:.3f} bits a letter, writes {write(p, alphabet, 'one fish', 44)!r}")
        adam(p, gradient, memory, n)
    print("\n" + write(p, alphabet, "one fish", 2 * len(RHYME)))
    assert value < 0.5


if __name__ == "__main__":
    main()
