"""gough: kinematics and dynamics of parallel robots.

    import gough
    robot = gough.load("robots/hexapod.yaml")
    print(robot.check())
    forces = robot.inverse_dynamics("motions/hexapod_circle.yaml").to_pandas()

``Robot`` has everything as methods. Beside it stand the names of the C++ library (``Mechanism``, ``Workspace``, ``Dynamics``,
``inverse_dynamics``, ..) for programs that want every step in their own hands. SI units throughout.
"""

from pathlib import Path as _Path

from . import _core
from ._core import *  # noqa: F403
from ._core import Error, Failure, version
from .page import Page
from .robot import Robot, check, load, run
from .states import Position, RightHandSide, States
from .table import Table

__version__ = version

#: Folder with the robots, motions and studies that come with gough: ``gough.load(gough.shipped / "robots/hexapod.yaml")``.
shipped = _Path(__file__).resolve().parent / "shipped"

__all__ = [
    "Error", "Failure", "Page", "Position", "RightHandSide", "Robot", "States", "Table", "__version__", "check", "load", "run",
    "shipped", *(name for name in dir(_core) if not name.startswith("_")),
]  # fmt: skip
