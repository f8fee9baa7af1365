"""Which die was thrown? A hidden Markov model whose posterior, and whose best path, are gradients of one function.

A casino changes between a fair die and a loaded one (Durbin and others, 1998). The forward algorithm sums
over all ways in which it may have done so; what is usually computed by a backward algorithm is its derivative.
"""

import itertools

import numpy as np

import symgrad as sg

STAY = np.array([[0.95, 0.05], [0.10, 0.90]])
FACES = np.array([[1 / 6] * 6, [0.1] * 5 + [0.5]])
START = np.array([2 / 3, 1 / 3])


def throw(rng, n):
    dice, faces, die = [], [], rng.choice(2, p=START)
    for _ in range(n):
        dice.append(die)
        faces.append(rng.choice(6, p=FACES[die]))
        die = rng.choice(2, p=STAY[die])
    return np.array(dice), np.array(faces)


def forward(scores, step, start, add=sg.logsumexp):
    """The logarithm of the sum over all paths; scores are logarithms, a row for each throw."""
    a = start + scores[0]
    for t in range(1, len(scores)):
        a = add(a[:, None] + step, 0) + scores[t]
    return add(a, 0)


def negative_log_likelihood(p, faces):
    """Of the chances to change the die, as logits, and of the loaded die's faces, as logarithms but for a constant."""
    stay, leave = -np.logaddexp(0, -p["stay"]), -np.logaddexp(0, p["stay"])
    step = np.stack([np.stack([stay[0], leave[0]]), np.stack([leave[1], stay[1]])])
    loaded = np.concatenate([p["loaded"], np.zeros(1)])
    loaded = loaded - sg.logsumexp(loaded, 0)
    scores = np.stack([np.full(len(faces), np.log(1 / 6)), loaded[faces]], axis=1)
    return -forward(scores, step, np.log(START))


def by_counting(scores, step, start):
    """The posterior and the best path by going through all paths."""
    total, best = np.zeros(scores.shape), (-np.inf, None)
    for path in itertools.product(range(2), repeat=len(scores)):
        score = start[path[0]] + sum(scores[t, k] for t, k in enumerate(path))
        score += sum(step[pair] for pair in itertools.pairwise(path))
        total[range(len(path)), path] += np.exp(score)
        best = max(best, (score, path))
    return total / total[0].sum(), best[1]


def main():
    dice, faces = throw(np.random.default_rng(19), 210)
    step, start, scores = np.log(STAY), np.log(START), np.log(FACES.T[faces])

    posterior = sg.grad(forward)(scores, step, start)
    best = sg.grad(lambda s: forward(s, step, start, add=sg.amax))(scores)
    # a second source: all 1024 paths of the ten throws from the 85th on
    few = scores[85:95]
    counted, path = by_counting(few, step, start)
    assert np.allclose(sg.grad(forward)(few, step, start), counted, rtol=1e-12)
    assert (sg.grad(lambda s: forward(s, step, start, add=sg.amax))(few) == np.eye(2)[list(path)]).all()

    print("throws, the die that was used, its probability (0 to 9 tenths) and the best path")
    for first in range(0, 210, 70):
        part = slice(first, first + 70)
        print("  " + "".join(str(face + 1) for face in faces[part]))
        print("  " + "".join(".L"[die] for die in dice[part]))
        print("  " + "".join(str(min(9, int(10 * p))) for p in posterior[part, 1]).replace("0", "."))
        print("  " + "".join(".L"[int(k)] for k in best[part, 1]) + "\n")
    right = (posterior.argmax(axis=1) == dice).mean()
    print(f"the likelier die is the right one in {right:.0%} of the throws\n")

    fit = sg.minimize(negative_log_likelihood, {"stay": np.full(2, 2.0), "loaded": np.full(5, -0.5)}, faces)
    print(fit.summary())
    for die, name in enumerate(("fair", "loaded")):
        chance = sg.stats.delta(lambda p, die=die: 1 / (1 + np.exp(p["stay"][die])), fit)
        print(f"chance to leave the {name} die: {chance}   truth {STAY[die, 1 - die]}")
        truth = np.log(STAY[die, die] / STAY[die, 1 - die])
        assert abs(fit.x["stay"][die] - truth) < 3 * fit.standard_errors()["stay"][die]


if __name__ == "__main__":
    main()
