"""What an econometrician asks after a fit: robust errors, marginal effects, tests of equations, fits in one table.

The 23 flights of the shuttle before 51-L: the temperature at launch, and whether an O-ring was damaged. A logit, a
probit and a logit with the square of the temperature stand side by side.
"""

from importlib.resources import files

import numpy as np

import symgrad as sg


def load():
    path = files("symgrad") / "data" / "challenger.csv"
    temperature, damage = np.loadtxt(path, delimiter=",", skiprows=1, unpack=True)
    return {"warm": (temperature - 70) / 10, "damage": damage}


def index(p, data):
    """The linear index: the square is made here, so an effect of the temperature knows it."""
    return p["constant"] + p["warm"] * data["warm"] + p.get("warm²", 0.0) * data["warm"] ** 2


def logit(p, data):
    z = index(p, data)
    return np.logaddexp(0, z) - data["damage"] * z


def probit(p, data):
    return -sg.special.log_ndtr((2 * data["damage"] - 1) * index(p, data))


def risk(p, data):
    """The probability of damage in the logits."""
    return 1 / (1 + np.exp(-index(p, data)))


def main():
    data = load()
    line, curve = {"constant": 0.0, "warm": 0.0}, {"constant": 0.0, "warm": 0.0, "warm²": 0.0}
    straight, curved = (sg.minimize(logit, start, data) for start in (line, curve))
    other = sg.minimize(probit, line, data)

    print(sg.stats.table(straight, curved, other, titles=["logit", "with the square", "probit"]))

    print("\nstandard errors of the logit, for few flights:")
    for kind in ("hessian", "sandwich", "HC1", "HC2", "HC3"):
        print(f"  {kind:10} {straight.standard_errors(kind)['warm']:.4f}")

    print("\nten degrees more change the risk by")
    print(straight.effects(risk))
    cold = straight.effects(risk, at={"warm": -1.5})
    print(f"and at 55 °F by {cold.value[0]:.3f} ± {cold.standard_error[0]:.3f}")

    print("\nis the line enough?")
    print(curved.likelihood_ratio(straight))
    print(curved.test("warm² = 0"))
    print("\nis damage as likely as not at 65 °F?")
    even = straight.test("-constant/warm = -0.5")
    print(even)

    p = risk(straight.x, data)
    assert np.allclose(straight.effects(risk).value, (p * (1 - p)).mean() * straight.x["warm"]), "the mean of p(1 − p)b"
    assert np.isclose(curved.test("warm² = 0").statistic, curved.z()["warm²"] ** 2), "of one parameter: z²"
    assert even.pvalue > 0.5, "64.8 °F it is"


if __name__ == "__main__":
    main()
