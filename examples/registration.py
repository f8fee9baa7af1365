"""Two pictures of one scene: turned, stretched and shifted, and brought together again by Gauss and Newton.

`ndimage.map_coordinates` reads one picture where a map says; its derivatives in the map's six numbers are exact, and so
are the errors that the noise of the pictures leaves in them. First the pictures are blurred, so that far is near.
"""

import numpy as np
import scipy.ndimage
import scipy.optimize

import symgrad as sg
import symgrad.scipy as sp

SIZE = 96
PIXELS = np.stack(np.mgrid[:SIZE, :SIZE]).astype(float)
CENTRE = (SIZE - 1) / 2
TURN = np.deg2rad(9.0)
TRUTH = np.array([1.06 * np.cos(TURN), -np.sin(TURN), np.sin(TURN), 0.97 * np.cos(TURN), 3.4, -5.2])


def mapped(p, places):
    """A linear map about the middle of the picture, p[:4] by rows, and a shift."""
    far = places - CENTRE
    return np.stack([p[0] * far[0] + p[1] * far[1] + p[4], p[2] * far[0] + p[3] * far[1] + p[5]]) + CENTRE


def scene(places, rng):
    """Spots of light: a picture without pixels."""
    spots = zip(rng.uniform(10, SIZE - 10, (2, 40)).T, rng.uniform(3, 7, 40), rng.uniform(0.3, 1, 40), strict=True)
    return sum(a * np.exp(-((places - at[:, None, None]) ** 2).sum(0) / (2 * r * r)) for at, r, a in spots)


def residuals(p, fixed, moving, ndimage=sp.ndimage):
    """What is left in the middle of the picture, where the map stays inside the other."""
    middle = np.s_[20:-20, 20:-20]
    places = mapped(p, PIXELS[:, *middle])
    return (ndimage.map_coordinates(moving, places, mode="nearest") - fixed[middle]).ravel()


def main():
    same = np.array([1.0, 0, 0, 1, 0, 0])
    noise = np.random.default_rng(8).normal(scale=0.02, size=(2, SIZE, SIZE))
    pair = [scene(mapped(p, PIXELS), np.random.default_rng(7)) + e for p, e in zip((TRUTH, same), noise, strict=True)]
    p, jac = same, sg.jacobian(residuals)
    print("blur   " + "".join(f"{name:>9}" for name in ("steps", "left", "a", "b", "c", "d", "down", "right")))
    for blur in (6.0, 2.0, 0.0):
        seen = [scipy.ndimage.gaussian_filter(picture, blur) if blur else picture for picture in pair]
        fit = scipy.optimize.least_squares(residuals, p, jac, args=seen)
        # a second source: SciPy's own function, and its differences
        other = scipy.optimize.least_squares(residuals, p, args=[*seen, scipy.ndimage])
        assert np.allclose(fit.x, other.x, atol=1e-6) and fit.cost <= other.cost * (1 + 1e-9)
        p = fit.x
        print(f"{blur:4.1f} {fit.njev:11} {np.std(fit.fun):8.4f}", *(f"{v:8.4f}" for v in p))

    errors = np.std(fit.fun) * np.sqrt(np.linalg.inv(fit.jac.T @ fit.jac).diagonal())
    print(f"{'errors':25}", *(f"{v:8.4f}" for v in errors))
    print(f"{'truth':25}", *(f"{v:8.4f}" for v in TRUTH))
    assert (np.abs(p - TRUTH) < 3 * errors).all() and errors.max() < 0.01, "a hundredth of a pixel"

    # one gradient moves each pixel by itself: 18,432 numbers for the price of a few readings of the picture
    def energy(field):
        return ((sp.ndimage.map_coordinates(pair[1], mapped(p, PIXELS) + field, mode="nearest") - pair[0]) ** 2).sum()

    gradient = sg.grad(energy)(np.zeros_like(PIXELS))
    ends = [energy(h * gradient) for h in (1e-5, -1e-5)]
    print(f"\nthe slope along the gradient: {(ends[0] - ends[1]) / 2e-5:.6f}, its square {(gradient**2).sum():.6f}")
    assert np.isclose((ends[0] - ends[1]) / 2e-5, (gradient**2).sum(), rtol=1e-6)


if __name__ == "__main__":
    main()
