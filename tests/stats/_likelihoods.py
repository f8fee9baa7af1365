"""Likelihoods whose estimates and covariances are known, for tests of fits."""

from importlib.resources import files

import numpy as np

import symgrad as sg

T, DAMAGE = np.loadtxt(files("symgrad") / "data" / "challenger.csv", delimiter=",", skiprows=1, unpack=True)
Y = np.array([4.0, 5.0, 7.0, 8.0, 11.0])
COUNTS = np.array([2.0, 3.0, 4.0, 0.0, 1.0, 5.0])


def logit(p, t, y):
    z = p["intercept"] + p["slope"] * t
    return np.logaddexp(0, z) - y * z


def normal(p, y):
    return 0.5 * ((y - p["mean"]) / p["sd"]) ** 2 + np.log(p["sd"])


def poisson(rate, y):
    return rate - y * np.log(rate)


def fit_normal(**options):
    return sg.minimize(normal, {"mean": 5.0, "sd": 1.0}, Y, **options)
