"""Positions and states, and their rates for integrators of others."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from . import _core
from .inputs import Controller, Floats


class States(NamedTuple):
    """Times, positions, rates and accelerations of all joints; rows are states."""

    t: Floats
    q: Floats
    v: Floats
    a: Floats


class Position(NamedTuple):
    """A closed position of the robot."""

    q: Floats
    #: x y z rx ry rz of the platform; None without one
    pose: Floats | None
    #: positions of the actuators, in their order
    actuators: Floats
    #: all coordinates by name, those of cut joints too
    joints: dict[str, float]
    residual: float
    #: 0: in closed form
    iterations: int
    #: working mode, where one was asked for or all were listed
    mode: str


class RightHandSide:
    """x' = f(t, x) of a robot's forward dynamics. ``x0`` is the start; ``q(x)`` and ``v(x)`` are all joints' positions and rates."""

    def __init__(self, side: _core.RightSide, controller: Controller | None) -> None:
        self._side, self._controller = side, controller
        self.x0: Floats = side.x0

    def __call__(self, t: float, x: ArrayLike) -> Floats:
        return self._side.rates(t, x, self._controller)

    def states(self, x: ArrayLike) -> tuple[Floats, Floats]:
        """q and v of a state, or of many: columns of x, as in ``solve_ivp``'s ``y``."""
        columns = np.atleast_2d(np.asarray(x, dtype=float).T)
        placed = [self._side.place(column) for column in columns]
        q, v = np.array([p[0] for p in placed]), np.array([p[1] for p in placed])
        return (q[0], v[0]) if np.ndim(x) == 1 else (q, v)

    def q(self, x: ArrayLike) -> Floats:
        """Positions of all joints."""
        return self.states(x)[0]

    def v(self, x: ArrayLike) -> Floats:
        """Rates of all joints."""
        return self.states(x)[1]
