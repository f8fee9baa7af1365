"""A weak motor swings a pendulum up: the best torques, all at once, by Newton's method on a simulation.

First a linear system, where one of Newton's steps is exact and Riccati's equation gives the same. The pendulum is
checked against Pontryagin's principle, with the adjoint equation written by hand.
"""

import numpy as np

import symgrad as sg

STEP, STEPS, GRAVITY, FRICTION, EFFORT = 0.06, 50, 9.81, 0.1, 0.01


def linear_cost(torques, x, A, B):
    """Of a linear system: squares of its states and torques."""
    total = x @ x
    for k in range(len(torques)):
        x = A @ x + B * torques[k]
        total = total + x @ x + 0.5 * torques[k] ** 2
    return total


def riccati(x, A, B, steps):
    """The best torques by the recursion that goes backward in time."""
    P, gains = np.eye(2), []
    for _ in range(steps):
        gain = (B @ P @ A) / (0.5 + B @ P @ B)
        P = np.eye(2) + A.T @ P @ (A - np.outer(B, gain))
        gains.append(gain)
    torques = []
    for gain in reversed(gains):
        torques.append(-gain @ x)
        x = A @ x + B * torques[-1]
    return np.array(torques)


def linear():
    A, B, x = np.array([[1.0, 0.1], [0.2, 1.0]]), np.array([0.0, 0.1]), np.array([1.0, -0.5])
    start = np.zeros(40)
    gradient, hessian = (derivative(linear_cost)(start, x, A, B) for derivative in (sg.grad, sg.hessian))
    torques = start - np.linalg.solve(hessian, gradient)
    off = np.abs(torques - riccati(x, A, B, 40)).max()
    print(f"linear system: one step of Newton's is {off:.0e} from Riccati's torques")
    assert off < 1e-10


def swing(torques):
    """Angles (0 is down, π is up) and velocities on the way, from rest."""
    angle = velocity = 0.0
    path = []
    for k in range(STEPS):
        velocity = velocity + STEP * (torques[k] - GRAVITY * np.sin(angle) - FRICTION * velocity)
        angle = angle + STEP * velocity
        path.append(np.stack([angle, velocity]))
    return np.stack(path)


def cost(torques):
    """The squares of the torques; and of the height that is missing in the end, and of the speed."""
    angle, velocity = swing(torques)[-1]
    return EFFORT * (torques**2).sum() + 50 * (1 + np.cos(angle)) + 5 * velocity**2


def pontryagin(torques, path):
    """The torques that make the best of the adjoint variables, which follow the path backward in time."""
    of_angle, of_velocity = -50 * np.sin(path[-1, 0]), 10 * path[-1, 1]
    angles, best = np.append(0.0, path[:-1, 0]), []
    for k in reversed(range(STEPS)):
        of_velocity = of_velocity + STEP * of_angle
        best.append(-STEP * of_velocity / (2 * EFFORT))
        of_angle = of_angle - STEP * GRAVITY * np.cos(angles[k]) * of_velocity
        of_velocity = (1 - STEP * FRICTION) * of_velocity
    return np.array(best[::-1])


def main():
    linear()
    time = STEP * np.arange(STEPS)
    fit = sg.minimize(cost, -6 * np.sin(2.6 * time) * (time < 2.4), tol=1e-6)  # to begin with: there and back
    path = swing(fit.x)
    print(f"\npendulum: {fit.nit} steps, cost {fit.fun:.6f}, |gradient| {np.linalg.norm(fit.jac):.0e}")
    print(f"largest torque {np.abs(fit.x).max():.2f}; to hold it sideways takes {GRAVITY:.2f}\n")
    print(" time   torque    angle   -π                   0                   π")
    for k in range(0, STEPS, 2):
        line = [" "] * 43
        line[21], line[round(21 + 20 * path[k, 0] / np.pi)] = "|", "o"
        print(f"{STEP * (k + 1):5.2f} {fit.x[k]:8.3f} {path[k, 0]:8.3f}   {''.join(line).rstrip()}")

    off = np.abs(fit.x - pontryagin(fit.x, path)).max()
    print(f"\nthe torques are within {off:.0e} of Pontryagin's")
    assert off < 1e-3, "optimal"
    assert np.linalg.eigvalsh(sg.hessian(cost)(fit.x)).min() > 0, "a minimum"
    assert abs(path[-1, 0] - np.pi) < 0.1 and np.abs(fit.x).max() < GRAVITY, "it is up, by swinging"


if __name__ == "__main__":
    main()
