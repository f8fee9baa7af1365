"""The greeks of an option, to third order: the price is written down once, all else is differentiated.

Each is shown as a formula, then as a number beside one found by mpmath's differences with 40 digits, and, where
E. G. Haug's Complete Guide to Option Pricing Formulas prints an example, beside that.
"""

import mpmath
import numpy as np

import symgrad as sg

GREEKS = {
    "delta": ["S"], "gamma": ["S", "S"], "vega": ["sigma"], "theta": ["T"],
    "vanna": ["S", "sigma"], "volga": ["sigma", "sigma"], "charm": ["S", "T"],
    "speed": ["S", "S", "S"], "zomma": ["S", "S", "sigma"], "color": ["S", "S", "T"], "ultima": ["sigma"] * 3,
}  # fmt: skip
"""In what the price is differentiated. T is the time left: derivatives in calendar time have the other sign."""

PUBLISHED = {
    "price": ((60, 65, 0.25, 0.08, 0.08, 0.30), 2.1334),
    "delta": ((105, 100, 0.5, 0.10, 0.0, 0.36), 0.5946),
    "gamma": ((55, 60, 0.75, 0.10, 0.10, 0.30), 0.0278),
    "volga": ((90, 130, 0.75, 0.05, 0.0, 0.28), 92.3444),
}
"""Haug's examples: S, K, T, r, b, sigma, and what he prints."""


def d1(S, K, T, b, sigma):
    return (np.log(S / K) + (b + sigma**2 / 2) * T) / (sigma * np.sqrt(T))


def call(S, K, T, r, b, sigma):
    """The price of a European call: Black and Scholes with the cost of carry b, which is r for a stock."""
    d = d1(S, K, T, b, sigma)
    return S * np.exp((b - r) * T) * sg.special.ndtr(d) - K * np.exp(-r * T) * sg.special.ndtr(d - sigma * np.sqrt(T))


def by_mpmath(orders, point):
    """The same derivative by differences of a price that knows nothing of symgrad."""

    def price(S, K, T, r, b, sigma):
        d = (mpmath.log(S / K) + (b + sigma**2 / 2) * T) / (sigma * mpmath.sqrt(T))
        back = K * mpmath.exp(-r * T) * mpmath.ncdf(d - sigma * mpmath.sqrt(T))
        return S * mpmath.exp((b - r) * T) * mpmath.ncdf(d) - back

    with mpmath.workdps(40):
        place = tuple(mpmath.mpf(str(value)) for value in point)
        return float(mpmath.diff(price, place, orders) if any(orders) else price(*place))


def indented(formula):
    return str(formula).replace("\n", "\n        ")


def main():
    S, K, T, sigma = (sg.symbol(name, positive=True) for name in ("S", "K", "T", "sigma"))
    r, b = sg.symbols("r b")
    inner = d1(S, K, T, r, sigma)
    inner.name = "d_1"
    outer = inner - sigma * np.sqrt(T)
    outer.name = "d_2"
    stock = (S * sg.special.ndtr(inner) - K * np.exp(-r * T) * sg.special.ndtr(outer)).formula(stop_at=[inner, outer])
    print("A call on a stock; φ and Φ are the density and the distribution of the standard normal:\n")
    general = sg.formula(call, S, K, T, r, b, sigma)
    greeks = {"price": general}
    print(f"{'price':7} {indented(stock)}")
    for name, variables in GREEKS.items():
        short, greeks[name] = stock, general
        for variable in variables:
            short, greeks[name] = short.grad(variable), greeks[name].grad(variable)
        print(f"{name:7} {indented(short)}")

    names = ["S", "K", "T", "r", "b", "sigma"]
    print("\n            symgrad          mpmath    Haug")
    for name, greek in greeks.items():
        point, printed = PUBLISHED.get(name, ((100, 95, 0.5, 0.05, 0.03, 0.2), None))
        number = float(greek(**dict(zip(names, map(float, point), strict=True))))
        orders = tuple(GREEKS.get(name, []).count(variable) for variable in names)
        second = by_mpmath(orders, point)
        print(f"{name:7} {number:14.8f} {second:14.8f} {printed or '':>8}")
        assert np.isclose(number, second, rtol=1e-10), "the differences of 40 digits"
        assert printed is None or abs(number - printed) < 5e-5, "the book"


if __name__ == "__main__":
    main()
