"""
The C++ library of gough, name by name. Most programs want what `import gough` gives.
"""

from collections.abc import Callable, Mapping, Sequence
import enum
import os
from typing import Annotated, Any, overload

import numpy
import numpy.typing
from numpy.typing import NDArray
import pandas

import gough.page
import gough.table

version: str = "0.1.0"

class Error(ValueError):
    """
    Something that was given cannot be used: file, line, what was read, what was expected.
    """

class Failure(ArithmeticError):
    """
    A numerical outcome where an answer was expected: unreachable, out_of_limits, singular, not_converged, under_actuated.
    """

class JointKind(enum.Enum):
    """What a joint lets free; see the table in docs/robot_files.md."""

    fixed = 0

    revolute = 1

    prismatic = 2

    universal = 3

    cylindrical = 4

    spherical = 5

    planar = 6

    point_on_line = 7

    point_on_plane = 8

    distance = 9

    free = 10

    modal = 11
    """of a beam that bends: Robot.with_modes makes them"""

class Status(enum.Enum):
    """How a computation ended."""

    ok = 0

    unreachable = 1

    out_of_limits = 2

    singular = 3

    not_converged = 4

    under_actuated = 5

class Formulation(enum.Enum):
    """The formulations of dynamics."""

    multipliers = 0

    dalembert = 1

    scdd = 2

    noc = 3

    virtual_power = 4

    legs = 5

    scdd_iterative = 6

class ElasticMotion(enum.Enum):
    """Where the motion of elastic joints comes from."""

    given = 0

    locked = 1

    quasistatic = 2

class Independent(enum.Enum):
    """Which coordinates are independent."""

    drives = 0

    platform = 1

class Transform:
    """The pose of frame B in frame A: a point moves as x_A = R x_B + p."""

    def __init__(self, xyz: numpy.typing.ArrayLike | None = None, rpy: numpy.typing.ArrayLike | None = None) -> None:
        """
        From a position [m] and roll, pitch and yaw [rad] about fixed x, y and z, as URDF has them.
        """

    @property
    def R(self) -> Annotated[NDArray[numpy.float64], dict(shape=(3, 3), order="F")]:
        """3 x 3 rotation"""

    @R.setter
    def R(self, arg: numpy.typing.ArrayLike, /) -> None: ...
    @staticmethod
    def from_vector(pose: numpy.typing.ArrayLike) -> Transform:
        """From x y z rx ry rz: position [m] and rotation vector [rad]."""

    def vector(self) -> Annotated[NDArray[numpy.float64], dict(shape=(6), order="C")]:
        """x y z rx ry rz"""

    def inverse(self) -> Transform: ...
    @overload
    def __mul__(self, arg: Transform, /) -> Transform: ...
    @overload
    def __mul__(
        self, arg: numpy.typing.ArrayLike, /
    ) -> Annotated[NDArray[numpy.float64], dict(shape=(3), order="C")]: ...
    def __repr__(self) -> str: ...
    @property
    def p(self) -> Annotated[NDArray[numpy.float64], dict(shape=(3), order="C")]:
        """position [m]"""

    @p.setter
    def p(self, arg: numpy.typing.ArrayLike, /) -> None: ...
    def __copy__(self) -> Transform: ...
    def __deepcopy__(self, memo: object) -> Transform: ...

class Where:
    """A place in a file; empty for what was built in code."""

    def __init__(self) -> None: ...
    @property
    def file(self) -> str: ...
    @file.setter
    def file(self, arg: str, /) -> None: ...
    @property
    def line(self) -> int: ...
    @line.setter
    def line(self, arg: int, /) -> None: ...
    def __repr__(self) -> str: ...

class Range:
    """From lower to upper; infinite where there is no limit."""

    def __init__(self, lower: float = float("-inf"), upper: float = float("inf")) -> None: ...
    @property
    def lower(self) -> float: ...
    @lower.setter
    def lower(self, arg: float, /) -> None: ...
    @property
    def upper(self) -> float: ...
    @upper.setter
    def upper(self, arg: float, /) -> None: ...

class BeamDescription:
    """
    A straight beam of a body, clamped at `start`, or the next piece of one.
    """

    def __init__(self) -> None: ...
    @property
    def A(self) -> float:
        """area [m^2]"""

    @A.setter
    def A(self, arg: float, /) -> None: ...
    @property
    def Iy(self) -> float:
        """[m^4]"""

    @Iy.setter
    def Iy(self, arg: float, /) -> None: ...
    @property
    def Iz(self) -> float:
        """[m^4]"""

    @Iz.setter
    def Iz(self, arg: float, /) -> None: ...
    @property
    def J(self) -> float:
        """torsion constant [m^4]"""

    @J.setter
    def J(self, arg: float, /) -> None: ...
    @property
    def E(self) -> float:
        """[Pa]"""

    @E.setter
    def E(self, arg: float, /) -> None: ...
    @property
    def G(self) -> float:
        """[Pa]"""

    @G.setter
    def G(self, arg: float, /) -> None: ...
    @property
    def rho(self) -> float:
        """[kg/m^3]"""

    @rho.setter
    def rho(self, arg: float, /) -> None: ...
    @property
    def damping(self) -> float:
        """of the material, in proportion to stiffness [s]"""

    @damping.setter
    def damping(self, arg: float, /) -> None: ...
    @property
    def half_y(self) -> float:
        """from the axis to the outermost fibres [m]; 0: not known"""

    @half_y.setter
    def half_y(self, arg: float, /) -> None: ...
    @property
    def half_z(self) -> float: ...
    @half_z.setter
    def half_z(self, arg: float, /) -> None: ...
    @property
    def round(self) -> bool: ...
    @round.setter
    def round(self, arg: bool, /) -> None: ...
    @property
    def shear_factor(self) -> float: ...
    @shear_factor.setter
    def shear_factor(self, arg: float, /) -> None: ...
    @property
    def shear(self) -> bool:
        """False: without shear deformation"""

    @shear.setter
    def shear(self, arg: bool, /) -> None: ...
    @property
    def rotary_inertia(self) -> bool:
        """False: sections turn without inertia as the beam bends"""

    @rotary_inertia.setter
    def rotary_inertia(self, arg: bool, /) -> None: ...
    @property
    def elements(self) -> int: ...
    @elements.setter
    def elements(self, arg: int, /) -> None: ...
    def length(self) -> float: ...
    @property
    def start(self) -> Annotated[NDArray[numpy.float64], dict(shape=(3), order="C")]:
        """`from` of the robot file [m]"""

    @start.setter
    def start(self, arg: numpy.typing.ArrayLike, /) -> None: ...
    @property
    def end(self) -> Annotated[NDArray[numpy.float64], dict(shape=(3), order="C")]:
        """`to` of the robot file [m]"""

    @end.setter
    def end(self, arg: numpy.typing.ArrayLike, /) -> None: ...

class BodyDescription:
    """A rigid body, perhaps with a beam."""

    def __init__(self) -> None: ...
    @property
    def where(self) -> Where: ...
    @where.setter
    def where(self, arg: Where, /) -> None: ...
    @property
    def name(self) -> str: ...
    @name.setter
    def name(self, arg: str, /) -> None: ...
    @property
    def mass(self) -> float:
        """[kg]"""

    @mass.setter
    def mass(self, arg: float, /) -> None: ...
    @property
    def inertia(self) -> Annotated[NDArray[numpy.float64], dict(shape=(3, 3), order="F")]:
        """3 x 3 about the centre of mass, body axes [kg m^2]"""

    @inertia.setter
    def inertia(self, arg: numpy.typing.ArrayLike, /) -> None: ...
    @property
    def beam(self) -> tuple[BeamDescription, ...]:
        """
        piece by piece: what is changed in a piece is changed in the body; assign a list to have more or fewer
        """

    @beam.setter
    def beam(self, arg: Sequence[BeamDescription], /) -> None: ...
    @property
    def points(self) -> tuple[tuple[float, list[float]], ...]:
        """point masses: (mass [kg], [x, y, z])"""

    @points.setter
    def points(self, arg: Sequence[tuple[float, Sequence[float]]], /) -> None: ...
    def __repr__(self) -> str: ...
    @property
    def com(self) -> Annotated[NDArray[numpy.float64], dict(shape=(3), order="C")]:
        """centre of mass [m]"""

    @com.setter
    def com(self, arg: numpy.typing.ArrayLike, /) -> None: ...
    def __copy__(self) -> BodyDescription: ...
    def __deepcopy__(self, memo: object) -> BodyDescription: ...

class CoordinateDescription:
    """A free coordinate of a joint."""

    def __init__(self) -> None: ...
    @property
    def name(self) -> str: ...
    @name.setter
    def name(self, arg: str, /) -> None: ...
    @property
    def actuated(self) -> bool: ...
    @actuated.setter
    def actuated(self, arg: bool, /) -> None: ...
    @property
    def elastic(self) -> bool: ...
    @elastic.setter
    def elastic(self, arg: bool, /) -> None: ...
    @property
    def locked(self) -> bool: ...
    @locked.setter
    def locked(self, arg: bool, /) -> None: ...
    @property
    def stiffness(self) -> float:
        """[N/m or N m/rad]"""

    @stiffness.setter
    def stiffness(self, arg: float, /) -> None: ...
    @property
    def damping(self) -> float:
        """[N s/m or N m s/rad]"""

    @damping.setter
    def damping(self, arg: float, /) -> None: ...
    @property
    def rest(self) -> float:
        """where the spring is relaxed [m or rad]"""

    @rest.setter
    def rest(self, arg: float, /) -> None: ...
    @property
    def friction(self) -> tuple[tuple[str, str], ...]:
        """(function, coefficient) by name (a copy: assign a list to change it)"""

    @friction.setter
    def friction(self, arg: Sequence[tuple[str, str]], /) -> None: ...
    @property
    def rotor_inertia(self) -> float:
        """at the motor's side [kg m^2]"""

    @rotor_inertia.setter
    def rotor_inertia(self, arg: float, /) -> None: ...
    @property
    def ratio(self) -> float:
        """motor radians per joint unit"""

    @ratio.setter
    def ratio(self, arg: float, /) -> None: ...
    @property
    def has_drive(self) -> bool: ...
    @has_drive.setter
    def has_drive(self, arg: bool, /) -> None: ...
    @property
    def position(self) -> Range: ...
    @position.setter
    def position(self, arg: Range, /) -> None: ...
    @property
    def velocity(self) -> float: ...
    @velocity.setter
    def velocity(self, arg: float, /) -> None: ...
    @property
    def acceleration(self) -> float: ...
    @acceleration.setter
    def acceleration(self, arg: float, /) -> None: ...
    @property
    def force(self) -> float: ...
    @force.setter
    def force(self, arg: float, /) -> None: ...
    @property
    def home(self) -> float | None: ...
    @home.setter
    def home(self, arg: float | None, /) -> None: ...
    @property
    def guess(self) -> float | None: ...
    @guess.setter
    def guess(self, arg: float | None, /) -> None: ...

class JointDescription:
    """A joint between frame A on its parent and frame B on its child."""

    def __init__(
        self, name: str = "", kind: JointKind = JointKind.revolute, parent: str = "base", child: str = ""
    ) -> None: ...
    @property
    def where(self) -> Where: ...
    @where.setter
    def where(self, arg: Where, /) -> None: ...
    @property
    def name(self) -> str: ...
    @name.setter
    def name(self, arg: str, /) -> None: ...
    @property
    def kind(self) -> JointKind: ...
    @property
    def parent(self) -> str: ...
    @parent.setter
    def parent(self, arg: str, /) -> None: ...
    @property
    def child(self) -> str: ...
    @child.setter
    def child(self, arg: str, /) -> None: ...
    @property
    def origin(self) -> Transform:
        """frame A in the parent"""

    @origin.setter
    def origin(self, arg: Transform, /) -> None: ...
    @property
    def child_origin(self) -> Transform:
        """frame B in the child"""

    @child_origin.setter
    def child_origin(self, arg: Transform, /) -> None: ...
    @property
    def length(self) -> float:
        """of `distance` [m]"""

    @length.setter
    def length(self, arg: float, /) -> None: ...
    @property
    def cut(self) -> bool | None:
        """True, False, or None: gough decides"""

    @cut.setter
    def cut(self, arg: bool | None, /) -> None: ...
    @property
    def coordinates(self) -> list[CoordinateDescription]:
        """
        one for each free motion of its kind; what is changed in them is changed in the joint
        """

    def __repr__(self) -> str: ...
    def __copy__(self) -> JointDescription: ...
    def __deepcopy__(self, memo: object) -> JointDescription: ...

class SpringDescription:
    """A spring between points of two bodies."""

    def __init__(self) -> None: ...
    @property
    def name(self) -> str: ...
    @name.setter
    def name(self, arg: str, /) -> None: ...
    @property
    def body_a(self) -> str: ...
    @body_a.setter
    def body_a(self, arg: str, /) -> None: ...
    @property
    def body_b(self) -> str: ...
    @body_b.setter
    def body_b(self, arg: str, /) -> None: ...
    @property
    def stiffness(self) -> float:
        """[N/m]"""

    @stiffness.setter
    def stiffness(self, arg: float, /) -> None: ...
    @property
    def damping(self) -> float:
        """[N s/m]"""

    @damping.setter
    def damping(self, arg: float, /) -> None: ...
    @property
    def free_length(self) -> float:
        """[m]"""

    @free_length.setter
    def free_length(self, arg: float, /) -> None: ...
    @property
    def point_a(self) -> Annotated[NDArray[numpy.float64], dict(shape=(3), order="C")]:
        """[m]"""

    @point_a.setter
    def point_a(self, arg: numpy.typing.ArrayLike, /) -> None: ...
    @property
    def point_b(self) -> Annotated[NDArray[numpy.float64], dict(shape=(3), order="C")]:
        """[m]"""

    @point_b.setter
    def point_b(self, arg: numpy.typing.ArrayLike, /) -> None: ...

class PlatformDescription:
    """The body that does the task."""

    def __init__(self) -> None: ...
    @property
    def body(self) -> str: ...
    @body.setter
    def body(self, arg: str, /) -> None: ...
    @property
    def frame(self) -> Transform:
        """in the body"""

    @frame.setter
    def frame(self, arg: Transform, /) -> None: ...
    @property
    def tool(self) -> Transform:
        """in the platform's frame"""

    @tool.setter
    def tool(self, arg: Transform, /) -> None: ...
    @property
    def limits(self) -> tuple[Range, ...]:
        """of x y z rx ry rz (copies: assign six to change them)"""

    @limits.setter
    def limits(self, arg: Sequence[Range], /) -> None: ...
    @property
    def home(self) -> tuple[float | None, ...]:
        """
        of x y z rx ry rz, None where it is not given (a copy: assign six to change it)
        """

    @home.setter
    def home(self, arg: Sequence[float | None], /) -> None: ...
    @property
    def coordinates(self) -> tuple[str, ...]:
        """names of those that describe its task"""

    @coordinates.setter
    def coordinates(self, arg: Sequence[str], /) -> None: ...

class LegDescription:
    """A leg and the bodies that belong to it."""

    def __init__(self) -> None: ...
    @property
    def name(self) -> str: ...
    @name.setter
    def name(self, arg: str, /) -> None: ...
    @property
    def bodies(self) -> tuple[str, ...]:
        """names (a copy: assign a list to change it)"""

    @bodies.setter
    def bodies(self, arg: Sequence[str], /) -> None: ...

class RobotDescription:
    """
    A robot as its author describes it, before any choice of tree and cuts.
    """

    def __init__(self) -> None: ...
    @property
    def name(self) -> str: ...
    @name.setter
    def name(self, arg: str, /) -> None: ...
    @property
    def description(self) -> str: ...
    @description.setter
    def description(self, arg: str, /) -> None: ...
    @property
    def bodies(self) -> list[BodyDescription]: ...
    @bodies.setter
    def bodies(self, arg: list[BodyDescription], /) -> None: ...
    @property
    def joints(self) -> list[JointDescription]: ...
    @joints.setter
    def joints(self, arg: list[JointDescription], /) -> None: ...
    @property
    def legs(self) -> list[LegDescription]: ...
    @legs.setter
    def legs(self, arg: list[LegDescription], /) -> None: ...
    @property
    def springs(self) -> list[SpringDescription]: ...
    @springs.setter
    def springs(self, arg: list[SpringDescription], /) -> None: ...
    @property
    def coefficients(self) -> dict[str, float]:
        """friction coefficients by name"""

    @coefficients.setter
    def coefficients(self, arg: dict[str, float], /) -> None: ...
    @property
    def platform(self) -> PlatformDescription | None:
        """PlatformDescription, or None"""

    @platform.setter
    def platform(self, arg: PlatformDescription | None, /) -> None: ...
    @property
    def lock_idle(self) -> bool: ...
    @lock_idle.setter
    def lock_idle(self, arg: bool, /) -> None: ...
    @property
    def closure_tolerance(self) -> float | None:
        """
        [m] how far the geometry may miss one whose loops fit; 0: it is meant as it is; None: 1e-9 of the robot's length
        """

    @closure_tolerance.setter
    def closure_tolerance(self, arg: float | None, /) -> None: ...
    @property
    def merged(self) -> list[str]: ...
    def body(self, name: str) -> BodyDescription: ...
    def joint(self, name: str) -> JointDescription: ...
    def copy(self) -> RobotDescription: ...
    def __copy__(self) -> RobotDescription: ...
    def __deepcopy__(self, memo: object) -> RobotDescription: ...
    def __repr__(self) -> str: ...
    @property
    def gravity(self) -> Annotated[NDArray[numpy.float64], dict(shape=(3), order="C")]:
        """[m/s^2]"""

    @gravity.setter
    def gravity(self, arg: numpy.typing.ArrayLike, /) -> None: ...

def read_robot(path: str, settings: Mapping[str, object] = {}) -> RobotDescription:
    """
    A robot file. `settings` puts other values into it first: {"legs.joints.drive.screw": "5 mm", "bodies.*.mass": 2}.
    """

def parse_robot(text: str, file: str = "text", settings: Mapping[str, object] = {}) -> RobotDescription:
    """The same from text; `file` stands in messages."""

def robot_schema() -> str:
    """The JSON Schema of robot files."""

def check_description(robot: RobotDescription) -> None:
    """Throws Error unless the description makes sense by itself."""

def with_elastic_chains(robot: RobotDescription, n: int) -> RobotDescription:
    """The robot with n more elastic freedoms in each chain."""

def with_repeated_legs(robot: RobotDescription, times: int, home: Transform) -> RobotDescription:
    """The robot with all its legs placed `times` times, evenly turned."""

def with_modes(
    robot: RobotDescription, modes: int = 4, modal_damping: float = 0.0, refine: bool = False
) -> RobotDescription:
    """
    The robot whose beams bend in modes: rigid motion and bending unknown together.
    """

class Mechanism:
    """
    A tree of bodies, the cut joints that close its loops, and their parameters, with an assembled home. It is never changed: threads may share it.
    """

    @property
    def name(self) -> str: ...
    @property
    def nq(self) -> int:
        """numbers of a position"""

    @property
    def nv(self) -> int:
        """numbers of its rates"""

    @property
    def equations(self) -> int:
        """of the loops"""

    @property
    def rank(self) -> int:
        """of the loops' equations at a general pose"""

    @property
    def loops(self) -> int: ...
    @property
    def idle(self) -> list[str]: ...
    @property
    def bodies(self) -> list[str]:
        """names, in the order of the tree"""

    @property
    def parents(self) -> list[int]:
        """of each body in the tree; -1: the base"""

    @property
    def coordinates(self) -> list[str]:
        """names of the tree's coordinates, in the order of v"""

    @property
    def cut_coordinates(self) -> list[str]:
        """names of the cut joints' free coordinates"""

    @property
    def actuators(self) -> list[str]:
        """names, in the order of tau"""

    @property
    def actuator_index(self) -> list[int]:
        """where each actuator stands in v"""

    @property
    def actuator_position(self) -> list[int]:
        """where each actuator stands in q"""

    @property
    def elastic_index(self) -> list[int]:
        """where each elastic coordinate stands in v"""

    @property
    def legs(self) -> list[str]: ...
    @property
    def home(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C")]:
        """the assembled home position, nq numbers (a copy)"""

    @property
    def gravity(self) -> Annotated[NDArray[numpy.float64], dict(shape=(3), order="C")]:
        """[m/s^2] (a copy)"""

    @property
    def has_platform(self) -> bool: ...
    @property
    def coefficients(self) -> dict[str, float]:
        """friction coefficients by name"""

    def position_index(self, name: str) -> int:
        """
        Where a coordinate stands in q; -1 where it has no number of its own there.
        """

    def __repr__(self) -> str: ...

class Prepared:
    """A mechanism, and how its home came about."""

    @property
    def mechanism(self) -> Mechanism: ...
    @property
    def closed(self) -> bool: ...
    def explain(self) -> str: ...

def prepare(robot: RobotDescription) -> Prepared:
    """
    From a description to a mechanism: massless bodies merged, built, home assembled, idle motions locked.
    """

def load_robot(path: str) -> Mechanism:
    """A mechanism ready to compute with, from a robot file."""

def modes_text(m: Mechanism) -> str:
    """
    Modes of a robot whose beams bend, frequencies, and what the reduction costs.
    """

def without_friction(m: Mechanism) -> Mechanism:
    """The same mechanism without friction."""

def with_payload(m: Mechanism, mass: float) -> Mechanism:
    """The platform carries a point mass [kg] at its frame's origin."""

class Workspace:
    """
    Everything that is computed, one field per symbol; belongs to one thread. Arrays are views.
    """

    def __init__(self, m: Mechanism) -> None:
        """At home, at rest."""

    @property
    def q(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C")]:
        """nq: positions of the tree joints"""

    @q.setter
    def q(self, arg: numpy.typing.ArrayLike, /) -> None: ...
    @property
    def v(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C")]:
        """nv: their rates"""

    @v.setter
    def v(self, arg: numpy.typing.ArrayLike, /) -> None: ...
    @property
    def a(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C")]:
        """nv: accelerations"""

    @a.setter
    def a(self, arg: numpy.typing.ArrayLike, /) -> None: ...
    @property
    def tau(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C")]:
        """actuators: forces along +q, at the joint [N or N m]"""

    @tau.setter
    def tau(self, arg: numpy.typing.ArrayLike, /) -> None: ...
    @property
    def phi(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C")]:
        """equations: residuals of the loops"""

    @phi.setter
    def phi(self, arg: numpy.typing.ArrayLike, /) -> None: ...
    @property
    def k(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C")]:
        """equations: -K' v"""

    @k.setter
    def k(self, arg: numpy.typing.ArrayLike, /) -> None: ...
    @property
    def cq(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C")]:
        """free coordinates of the cut joints"""

    @cq.setter
    def cq(self, arg: numpy.typing.ArrayLike, /) -> None: ...
    @property
    def cv(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C")]:
        """their rates"""

    @cv.setter
    def cv(self, arg: numpy.typing.ArrayLike, /) -> None: ...
    @property
    def ca(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C")]:
        """their accelerations"""

    @ca.setter
    def ca(self, arg: numpy.typing.ArrayLike, /) -> None: ...
    @property
    def load(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C")]:
        """coordinates: springs, dampers, friction"""

    @load.setter
    def load(self, arg: numpy.typing.ArrayLike, /) -> None: ...
    @property
    def K(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None), order="F")]:
        """equations x nv: derivative of the loops' equations"""

    def set_external(self, body: int, wrench: numpy.typing.ArrayLike) -> None:
        """
        Moment about the base's origin and force on a body from outside, base axes.
        """

    def set_platform_wrench(self, m: Mechanism, wrench: numpy.typing.ArrayLike) -> None:
        """
        fx fy fz mx my mz on the platform at its origin, base axes [N, N m]; at the present q: set it again where q changes.
        """

    def copy(self) -> Workspace: ...
    def __copy__(self) -> Workspace: ...
    def __deepcopy__(self, memo: object) -> Workspace: ...

class Finding:
    """Something that the check has to say."""

    @property
    def severity(self) -> str: ...
    @property
    def what(self) -> str: ...
    @property
    def repair(self) -> str: ...
    def __repr__(self) -> str: ...

class SingularityIndices:
    """
    Distances to singularities in [0, 1]; None where the notion does not apply.
    """

    @property
    def type1(self) -> float | None:
        """a leg at the end of its reach"""

    @property
    def type1_leg(self) -> str: ...
    @property
    def type2(self) -> float | None:
        """the platform moves while the actuators stand"""

    @property
    def held(self) -> float | None: ...
    @property
    def constraint(self) -> float | None:
        """the loops lose a constraint"""

    def __repr__(self) -> str: ...

class MobilityReport:
    """What the mechanism can do at home and around it; print it."""

    @property
    def name(self) -> str: ...
    @property
    def bodies(self) -> int: ...
    @property
    def joints(self) -> int: ...
    @property
    def loops(self) -> int: ...
    @property
    def equations(self) -> int: ...
    @property
    def rank(self) -> int: ...
    @property
    def redundant(self) -> list[str]:
        """dependent equations by name"""

    @property
    def mobility(self) -> int:
        """degrees of freedom without idle ones"""

    @property
    def gruebler(self) -> int:
        """the same by counting"""

    @property
    def idle(self) -> list[str]: ...
    @property
    def merged(self) -> list[str]: ...
    @property
    def cuts(self) -> list[str]: ...
    @property
    def actuators(self) -> list[str]: ...
    @property
    def actuation(self) -> str:
        """full, redundant or under"""

    @property
    def closed(self) -> bool: ...
    @property
    def closure_residual(self) -> float: ...
    @property
    def characteristic_length(self) -> float: ...
    @property
    def singularity(self) -> SingularityIndices: ...
    @property
    def findings(self) -> list[Finding]: ...
    def to_dict(self) -> dict[str, Any]:
        """What `gough check --json` prints."""

    def __str__(self) -> str: ...
    def __repr__(self) -> str: ...

def check_mobility(prepared: Prepared) -> MobilityReport: ...
def singularity_indices(m: Mechanism, w: Workspace) -> SingularityIndices:
    """Where w.q stands."""

def transmission_indices(m: Mechanism, w: Workspace) -> dict[str, tuple[float, float]]:
    """
    How well each leg passes its drive's force on: (input, output), 1 best, 0 not at all.
    """

class Answer:
    """What a position problem returns."""

    @property
    def status(self) -> Status: ...
    @property
    def residual(self) -> float: ...
    @property
    def iterations(self) -> int:
        """0: closed form"""

    @property
    def reason(self) -> str: ...
    def ok(self) -> bool: ...
    def explain(self) -> str: ...
    def __bool__(self) -> bool: ...
    def __repr__(self) -> str: ...

class Posture:
    """A closed position, or where a search for one ended."""

    @property
    def q(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C")]: ...
    @property
    def mode(self) -> str:
        """working mode, of inverse kinematics"""

    @property
    def answer(self) -> Answer: ...
    @property
    def status(self) -> Status: ...
    def __bool__(self) -> bool: ...

def inverse_kinematics(
    m: Mechanism,
    pose: numpy.typing.ArrayLike,
    w: Workspace,
    coordinates: Sequence[str] | None = None,
    mode: str = "",
    check_limits: bool = True,
) -> Answer:
    """
    Writes w.q from x y z rx ry rz of the platform, continued from where w.q stands.
    """

def all_inverse_kinematics(
    m: Mechanism, pose: numpy.typing.ArrayLike, coordinates: Sequence[str] | None = None, check_limits: bool = True
) -> list[Posture]:
    """Every working mode and every answer."""

def forward_kinematics(
    m: Mechanism, actuators: numpy.typing.ArrayLike, w: Workspace, check_limits: bool = True
) -> Answer:
    """
    Writes w.q from the actuators' positions, continued from where w.q stands.
    """

class AllPostures:
    """Every assembly mode that was found."""

    @property
    def postures(self) -> list[Posture]: ...
    @property
    def complete(self) -> bool: ...
    @property
    def method(self) -> str: ...

def all_forward_kinematics(m: Mechanism, actuators: numpy.typing.ArrayLike) -> AllPostures:
    """Every assembly mode."""

def close_loops(m: Mechanism, w: Workspace) -> float:
    """Moves w.q to the nearest closed position; returns the residual."""

def named_positions(m: Mechanism, w: Workspace) -> dict:
    """All coordinates by name, those of cut joints too [m or rad]."""

def platform_pose(m: Mechanism, w: Workspace) -> Annotated[NDArray[numpy.float64], dict(shape=(6), order="C")]:
    """x y z rx ry rz of the platform's frame."""

def body_poses(m: Mechanism, w: Workspace) -> dict[str, Transform]:
    """The pose of every body's own frame in the base, where w.q stands."""

def limits_exceeded(m: Mechanism, w: Workspace) -> list[str]:
    """Positions outside their limits, in words."""

def platform_jacobian(
    m: Mechanism, w: Workspace
) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None, None), order="F")], list[str]]:
    """
    6 x independent coordinates: vx vy vz wx wy wz of the platform per rate, and the coordinates' names (the actuators where they are as many as freedoms).
    """

class DynamicsOptions:
    def __init__(
        self,
        by: Formulation = Formulation.legs,
        independent: Independent = Independent.drives,
        weights: Sequence[float] = [],
        closed: bool = False,
    ) -> None: ...
    @property
    def by(self) -> Formulation: ...
    @by.setter
    def by(self, arg: Formulation, /) -> None: ...
    @property
    def independent(self) -> Independent: ...
    @independent.setter
    def independent(self, arg: Independent, /) -> None: ...
    @property
    def weights(self) -> list[float]:
        """of redundant actuators, least sum of w tau^2; empty: ones"""

    @weights.setter
    def weights(self, arg: Sequence[float], /) -> None: ...
    @property
    def closed(self) -> bool:
        """positions and velocities close the loops exactly"""

    @closed.setter
    def closed(self, arg: bool, /) -> None: ...
    @property
    def alpha(self) -> float: ...
    @alpha.setter
    def alpha(self, arg: float, /) -> None: ...
    @property
    def beta(self) -> float: ...
    @beta.setter
    def beta(self, arg: float, /) -> None: ...

class Dynamics:
    """
    What a formulation needs on one mechanism: made once, used by one thread.
    """

    def __init__(self, m: Mechanism, w: Workspace, options: DynamicsOptions = ...) -> None: ...
    @property
    def options(self) -> DynamicsOptions:
        """it was made with (a copy)"""

    @property
    def independent(self) -> list[int]:
        """where the independent coordinates stand in v"""

    def elastic_residual(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C")]: ...

class DynamicsAnswer:
    @property
    def status(self) -> Status: ...
    @property
    def residual(self) -> float: ...
    @property
    def reason(self) -> str: ...
    def ok(self) -> bool: ...
    def __bool__(self) -> bool: ...

def inverse_dynamics(m: Mechanism, w: Workspace, d: Dynamics) -> DynamicsAnswer:
    """Reads w.q, w.v, w.a (a closed motion); writes w.tau and w.lambda_."""

def forward_dynamics(m: Mechanism, w: Workspace, d: Dynamics) -> DynamicsAnswer:
    """Reads w.q, w.v (closed) and w.tau; writes w.a and w.lambda_."""

def not_applicable(m: Mechanism, w: Workspace, by: Formulation) -> str:
    """
    Why a formulation cannot be used on a mechanism, in words; empty when it can.
    """

class StateDerivatives:
    """Exact derivatives; columns in the order of Dynamics.independent."""

    @property
    def by_position(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None), order="F")]: ...
    @property
    def by_velocity(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None), order="F")]: ...
    @property
    def by_last(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None), order="F")]:
        """inverse: by acceleration; forward: by the actuators' forces"""

def inverse_derivatives(m: Mechanism, w: Workspace, d: Dynamics) -> StateDerivatives:
    """Of w.tau, at w.q, w.v, w.a."""

def forward_derivatives(m: Mechanism, w: Workspace, d: Dynamics) -> StateDerivatives:
    """Of the independent accelerations, at w.q, w.v, w.tau."""

class EnergyBalance:
    @property
    def kinetic(self) -> float:
        """[J]"""

    @property
    def potential(self) -> float:
        """[J]"""

    @property
    def losses(self) -> float:
        """[W]"""

    @property
    def external(self) -> float:
        """[W]"""

    @property
    def actuators(self) -> float:
        """[W]"""

    @property
    def momentum(self) -> Annotated[NDArray[numpy.float64], dict(shape=(3), order="C")]:
        """[kg m/s]"""

    @property
    def moment_of_momentum(self) -> Annotated[NDArray[numpy.float64], dict(shape=(3), order="C")]:
        """about the base's origin [kg m^2/s]"""

def energy_balance(m: Mechanism, w: Workspace) -> EnergyBalance:
    """Energies and powers at w.q, w.v, w.tau."""

class JointReaction:
    @property
    def joint(self) -> str: ...
    @property
    def point(self) -> Annotated[NDArray[numpy.float64], dict(shape=(3), order="C")]: ...
    @property
    def wrench(self) -> Annotated[NDArray[numpy.float64], dict(shape=(6), order="C")]:
        """fx fy fz mx my mz, about `point`"""

    @property
    def unique(self) -> bool: ...

class LegWrench:
    @property
    def leg(self) -> str: ...
    @property
    def wrench(self) -> Annotated[NDArray[numpy.float64], dict(shape=(6), order="C")]:
        """fx fy fz mx my mz on the platform at its origin"""

    @property
    def unique(self) -> bool: ...

class Reactions:
    """What joints and legs carry."""

    @property
    def tree(self) -> list[JointReaction]: ...
    @property
    def cut(self) -> list[JointReaction]: ...
    @property
    def leg(self) -> list[LegWrench]: ...
    @property
    def on_base(self) -> Annotated[NDArray[numpy.float64], dict(shape=(6), order="C")]: ...

def reactions(m: Mechanism, w: Workspace, d: Dynamics) -> Reactions:
    """After inverse or forward dynamics with the same d."""

class Comparison:
    """All formulations on the same states; print it."""

    @property
    def states(self) -> int: ...
    def agrees(self) -> bool: ...
    def to_dict(self) -> dict[str, Any]:
        """What `gough compare --json` prints."""

    def __str__(self) -> str: ...

def compare_formulations(m: Mechanism, states: int = 20) -> Comparison: ...
def random_states(m: Mechanism, count: int) -> tuple[numpy.ndarray, numpy.ndarray, numpy.ndarray]:
    """
    Closed states near home, the same ones in every run: q, v, a with a row for each.
    """

def define_friction(name: str, value: Callable[[float], float], slope: Callable[[float], float] | None = None) -> None:
    """
    Makes a friction function phi(v) known by name; a joint then has `friction: {functions: {NAME: coefficient}}`.

    Define it before the robot's dynamics are first computed. `slope` is its derivative, for derivatives of dynamics; without it they come from differences. Code generated for a robot cannot have such a function.
    """

class Evaluator:
    """
    Dynamics of states in arrays, one formulation. A state is a row: nq, nv and nv (or actuators) numbers. Without copies where all arrays are float64 in C order, or all in Fortran order.
    """

    def __init__(self, m: Mechanism, options: DynamicsOptions = ...) -> None: ...
    def inverse(
        self,
        q: Annotated[NDArray[numpy.float64], dict(device="cpu", writable=False)],
        v: Annotated[NDArray[numpy.float64], dict(device="cpu", writable=False)],
        a: Annotated[NDArray[numpy.float64], dict(device="cpu", writable=False)],
        out: Annotated[NDArray[numpy.float64], dict(device="cpu")],
        nan: bool = False,
        wrench: numpy.typing.ArrayLike | None = None,
    ) -> None:
        """Writes the actuators' forces into `out`."""

    def forward(
        self,
        q: Annotated[NDArray[numpy.float64], dict(device="cpu", writable=False)],
        v: Annotated[NDArray[numpy.float64], dict(device="cpu", writable=False)],
        tau: Annotated[NDArray[numpy.float64], dict(device="cpu", writable=False)],
        out: Annotated[NDArray[numpy.float64], dict(device="cpu")],
        nan: bool = False,
        wrench: numpy.typing.ArrayLike | None = None,
    ) -> None:
        """Writes accelerations into `out`."""

    def instructions(self) -> str:
        """of batches: avx512, avx2 or plain"""

    def time_inverse(
        self,
        q: Annotated[NDArray[numpy.float64], dict(device="cpu", writable=False)],
        v: Annotated[NDArray[numpy.float64], dict(device="cpu", writable=False)],
        a: Annotated[NDArray[numpy.float64], dict(device="cpu", writable=False)],
        out: Annotated[NDArray[numpy.float64], dict(device="cpu")],
        repeats: int = 20,
    ) -> float:
        """
        Seconds of the library's call alone, the least of `repeats`: to compare with a call from Python.
        """

    def time_forward(
        self,
        q: Annotated[NDArray[numpy.float64], dict(device="cpu", writable=False)],
        v: Annotated[NDArray[numpy.float64], dict(device="cpu", writable=False)],
        tau: Annotated[NDArray[numpy.float64], dict(device="cpu", writable=False)],
        out: Annotated[NDArray[numpy.float64], dict(device="cpu")],
        repeats: int = 20,
    ) -> float: ...

def read_table(path: str) -> tuple[list[str], numpy.ndarray]:
    """Names and rows of a CSV file."""

def table_text(columns: Sequence[str], values: numpy.typing.ArrayLike) -> str:
    """As CSV, in full precision."""

class Trajectory:
    """Where the platform, or the actuators, are to be at a time."""

    @property
    def start(self) -> float: ...
    @property
    def duration(self) -> float: ...
    @property
    def end(self) -> float: ...
    @property
    def moves(self) -> str: ...
    def __repr__(self) -> str: ...

def load_motion(path: str, m: Mechanism) -> Trajectory:
    """A motion file, read for a robot."""

def parse_motion(text: str, file: str, m: Mechanism) -> Trajectory:
    """The same from text."""

def motion_schema() -> str:
    """The JSON Schema of motion files."""

def sample(m: Mechanism, trajectory: Trajectory, times: numpy.typing.ArrayLike) -> gough.table.Table:
    """The motion at these times, as a table."""

class KnownMotion:
    """States of a motion, ready for dynamics."""

    @property
    def file(self) -> str: ...
    @property
    def rows(self) -> bool:
        """states of a table, each on its own"""

    def __len__(self) -> int: ...
    def at_times(self, times: numpy.typing.ArrayLike) -> KnownMotion:
        """The same motion at other times, which increase."""

    def refined(self, longest: float) -> KnownMotion:
        """
        With states in between, no two further apart than `longest` [s], that give no rows.
        """

    @property
    def span(self) -> tuple[float, float]:
        """start and end [s]"""

    def table(self, m: Mechanism) -> gough.table.Table: ...

def load_known_motion(
    path: str, m: Mechanism, step: float = 0.001, elastic: ElasticMotion = ElasticMotion.locked
) -> KnownMotion: ...
def known_motion(trajectory: Trajectory, name: str, step: float) -> KnownMotion: ...
def known_motion_of_table(
    columns: Sequence[str],
    values: numpy.typing.ArrayLike,
    name: str,
    m: Mechanism,
    step: float = 0.001,
    elastic: ElasticMotion = ElasticMotion.locked,
) -> KnownMotion: ...
def load_driven_states(path: str, m: Mechanism) -> KnownMotion: ...
def driven_states(columns: Sequence[str], values: numpy.typing.ArrayLike, name: str, m: Mechanism) -> KnownMotion: ...

class InverseReport:
    """
    Inverse dynamics along a motion; print it for the sizing of the actuators.
    """

    @property
    def robot(self) -> str: ...
    @property
    def motion(self) -> str: ...
    @property
    def by(self) -> Formulation: ...
    @property
    def rows(self) -> int: ...
    @property
    def status(self) -> Status: ...
    @property
    def reason(self) -> str: ...
    @property
    def beyond(self) -> list[str]:
        """limits exceeded, in words"""

    @property
    def not_unique(self) -> list[str]: ...
    @property
    def elastic_residual(self) -> float: ...
    @property
    def table(self) -> gough.table.Table:
        """all rows; the columns are those of the command-line tool's tables"""

    def to_pandas(self) -> pandas.DataFrame:
        """The table as a pandas frame."""

    def explain(self) -> str: ...
    def sizing(self) -> list:
        """The actuators' loads, a list of dicts."""

    def to_dict(self) -> dict[str, Any]:
        """What `gough inverse --json` prints."""

    def done(self) -> bool: ...
    def __str__(self) -> str: ...

def report_inverse(
    m: Mechanism,
    motion: KnownMotion,
    by: Formulation = Formulation.legs,
    weights: Sequence[float] = [],
    elastic: ElasticMotion = ElasticMotion.locked,
    reactions: bool = False,
    output: str = "",
    progress: object | None = None,
) -> InverseReport: ...
def forward_along(
    m: Mechanism, states: KnownMotion, by: Formulation = Formulation.legs, progress: object | None = None
) -> gough.table.Table:
    """Accelerations from rows of states and forces."""

def closed_states(
    m: Mechanism, motion: KnownMotion, elastic: ElasticMotion = ...
) -> tuple[numpy.ndarray, numpy.ndarray, numpy.ndarray, numpy.ndarray]:
    """t, q, v, a of all joints along a motion, a row for each state."""

def survey(m: Mechanism, motion: KnownMotion) -> tuple[str, dict]:
    """
    Distances to singularities, transmission and limits along a motion of the platform: text and dict.
    """

class SimulationOptions:
    def __init__(
        self,
        by: Formulation = Formulation.legs,
        method: str = "adaptive",
        tolerance: float = 0.0,
        fixed_step: float = 0.001,
        loops: str = "independent",
        friction: str = "stick",
        smooth: float = 0.001,
        hold: float = 0.0,
        alpha: float = 20.0,
        beta: float = 20.0,
        most_steps: int = 20000000,
    ) -> None: ...

class SimulationReport:
    """A simulation; print it for what it took."""

    @property
    def status(self) -> Status: ...
    @property
    def reason(self) -> str: ...
    @property
    def t(self) -> float:
        """how far it came [s]"""

    @property
    def steps(self) -> int: ...
    @property
    def evaluations(self) -> int: ...
    @property
    def events(self) -> int: ...
    @property
    def largest_residual(self) -> float: ...
    @property
    def energy_start(self) -> float: ...
    @property
    def energy_end(self) -> float: ...
    @property
    def largest_change(self) -> float:
        """of the energy [J]"""

    @property
    def conservative(self) -> bool: ...
    @property
    def beyond(self) -> list[str]: ...
    @property
    def table(self) -> gough.table.Table:
        """all rows; the columns are those of the command-line tool's tables"""

    def to_pandas(self) -> pandas.DataFrame:
        """The table as a pandas frame."""

    def page(self) -> str:
        """The data of its page."""

    def show(self, height: int = 720) -> gough.page.Page:
        """
        The run as a page with animation and plots; in a notebook it shows itself.
        """

    def to_dict(self) -> dict[str, Any]: ...
    def __str__(self) -> str: ...

def simulate(
    m: Mechanism,
    w: object,
    times: numpy.typing.ArrayLike,
    options: SimulationOptions = ...,
    controller: object | None = None,
    law: object | None = None,
    output: str = "",
    progress: object | None = None,
    knots: Sequence[float] = [],
) -> SimulationReport:
    """
    From the closed state w.q, w.v to the last of `times`. `controller(t, w)` writes w.tau or returns the forces; `knots` are the times at which they jump or bend.
    """

def even_times(start: float, end: float, step: float) -> list[float]: ...
def set_positions(
    m: Mechanism, positions: Mapping[str, float], w: Workspace, hold_actuators: bool = False, hold_pose: bool = False
) -> Answer:
    """
    Joints by name to given positions, elastic ones too; the rest closes the loops.
    """

def set_rates(m: Mechanism, rates: Mapping[str, float], w: Workspace) -> Answer:
    """Rates of some coordinates by name; the rest follow from the loops."""

def find_equilibrium(m: Mechanism, w: Workspace) -> Answer:
    """Moves w.q to where w.tau balances gravity and springs."""

class Controller:
    """A controller of the library, for simulate."""

def force_table(
    m: Mechanism, columns: Sequence[str], values: numpy.typing.ArrayLike, name: str = "forces"
) -> Controller:
    """
    Forces over time: t, tau.NAME of every actuator, perhaps fx fy fz mx my mz.
    """

class RightSide:
    """x' = f(t, x) of forward dynamics, for integrators of others."""

    def __init__(
        self, m: Mechanism, w: Workspace, options: DynamicsOptions = ..., loops: str = "independent"
    ) -> None: ...
    def rates(
        self, t: float, x: numpy.typing.ArrayLike, controller: object | None = None
    ) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C")]: ...
    def place(
        self, x: numpy.typing.ArrayLike
    ) -> tuple[
        Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C")],
        Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C")],
    ]:
        """q and v of a state."""

    @property
    def x0(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C")]: ...
    @property
    def w(self) -> Workspace: ...
    def worn(self) -> bool:
        """Coordinates should be chosen anew: make another from here."""

class Reference:
    """
    The desired motion of the actuators, sample by sample; rows are samples.
    """

    @property
    def period(self) -> float: ...
    @property
    def t(self) -> NDArray[numpy.float64]: ...
    @property
    def q(self) -> NDArray[numpy.float64]: ...
    @property
    def v(self) -> NDArray[numpy.float64]: ...
    @property
    def a(self) -> NDArray[numpy.float64]: ...
    @property
    def tau(self) -> NDArray[numpy.float64]:
        """the model's forces for it"""

    def __len__(self) -> int: ...

def reference_of(
    model: Mechanism,
    trajectory: Trajectory,
    period: float,
    speed: float = 1.0,
    elastic: ElasticMotion = ElasticMotion.locked,
) -> Reference: ...
def standing_at(
    m: Mechanism, actuators: numpy.typing.ArrayLike
) -> tuple[
    Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C")],
    Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C")],
]:
    """q, and the forces that hold the robot there."""

class ControlSample:
    """What a law sees at a sample."""

    @property
    def t(self) -> float: ...
    @property
    def period(self) -> float: ...
    @property
    def q(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C")]:
        """measured positions of the actuators"""

    @property
    def v(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C")]:
        """estimated rates"""

    @property
    def desired_q(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C")]: ...
    @property
    def desired_v(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C")]: ...
    @property
    def ahead_q(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C")]:
        """desired when the forces act"""

    @property
    def ahead_v(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C")]: ...
    @property
    def ahead_a(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C")]: ...
    @property
    def ahead_tau(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C")]:
        """the model's forces for that"""

    @property
    def standing(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C")]:
        """forces that hold the robot at the start"""

    @property
    def resting(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C")]:
        """forces that the model has for it"""

    @property
    def clipped(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C")]:
        """+1, -1: the last force was beyond a limit"""

class JointGains:
    """Gains of the cascade, one of each per actuator."""

    def __init__(
        self,
        position: numpy.typing.ArrayLike,
        velocity: numpy.typing.ArrayLike,
        integral: numpy.typing.ArrayLike,
        mass: numpy.typing.ArrayLike,
    ) -> None: ...
    @property
    def position(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C")]:
        """[1/s]"""

    @property
    def velocity(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C")]:
        """[N s/m or N m s/rad]"""

    @property
    def integral(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C")]:
        """[N/m or N m/rad]"""

    @property
    def mass(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C")]:
        """[kg or kg m^2]"""

def gains_for(model: Mechanism, position: float = 5.0, velocity: float = 80.0) -> JointGains:
    """Gains for bandwidths in Hz."""

class ControlLaw:
    """A law of the library. One law for one run: it may keep integrals."""

    @property
    def theta(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C")]:
        """of adaptive: the parameters it has found"""

def joint_control(gains: JointGains) -> ControlLaw:
    """Single joints."""

def computed_force(gains: JointGains) -> ControlLaw:
    """Single joints with the model's forces for the desired motion."""

def computed_torque(model: Mechanism, position: float = 5.0, velocity: float = 80.0) -> ControlLaw:
    """The model's inverse dynamics at the measured state."""

def adaptive(
    model: Mechanism, gains: JointGains, rate: float = 1.0, identical_legs: bool = False, symmetric: bool = False
) -> ControlLaw:
    """Forces from base parameters that follow the error."""

def sampled(
    plant: Mechanism,
    reference: Reference,
    law: object,
    encoder: float = 0.0,
    velocity_filter: float = 0.0,
    delay: int = 1,
    force: float = float("inf"),
    force_rate: float = float("inf"),
) -> Controller:
    """
    A law (of the library, or a function of a ControlSample that returns forces) as a controller for simulate, for one run.
    """

def different(
    model: Mechanism,
    base_share: float,
    friction_share: float = 0.0,
    seed: int = 1,
    identical_legs: bool = False,
    symmetric: bool = False,
) -> Mechanism:
    """
    A robot whose base parameters are off by a share of themselves, and friction by another.
    """

class BaseParameters:
    """The combinations of parameters that motions show; print them."""

    @property
    def rank(self) -> int:
        """how many, without friction"""

    @property
    def parameters(self) -> int:
        """how many were looked at"""

    @property
    def names(self) -> list[str]: ...
    @property
    def values(self) -> NDArray[numpy.float64]: ...
    @property
    def singular_values(self) -> NDArray[numpy.float64]: ...
    @property
    def condition(self) -> float: ...
    @property
    def gap(self) -> float: ...
    def agree(self) -> bool:
        """Whether the regrouping rules find as many."""

    def to_dict(self) -> dict[str, Any]:
        """What `gough parameters --json` prints."""

    def __str__(self) -> str: ...

def base_parameters(m: Mechanism, identical_legs: bool = False, symmetric: bool = False) -> BaseParameters: ...

class Excitation:
    """A periodic motion that shows a robot's parameters; print it."""

    @property
    def condition(self) -> float:
        """of the regressor, columns scaled to one"""

    @property
    def first_condition(self) -> float: ...
    @property
    def evaluations(self) -> int: ...
    @property
    def period(self) -> float: ...
    def trajectory(self) -> Trajectory: ...
    def motion_file(self) -> str:
        """The text of a motion file."""

    def to_dict(self) -> dict[str, Any]: ...
    def __str__(self) -> str: ...

def excite(
    m: Mechanism,
    identical_legs: bool = False,
    symmetric: bool = False,
    period: float = 10.0,
    harmonics: int = 5,
    evaluations: int = 2000,
    seed: int = 1,
    velocity: float = float("inf"),
    acceleration: float = float("inf"),
    force: float = float("inf"),
    progress: object | None = None,
) -> Excitation: ...
def measure(
    m: Mechanism, motion: KnownMotion, encoder: float = 0.0, noise: float = 0.0, seed: int = 1
) -> gough.table.Table:
    """
    What a robot's own sensors show of a motion: t, q.NAME in the encoders' steps, tau.NAME with noise.
    """

class Identification:
    """Parameters from measurements; print it."""

    @property
    def names(self) -> list[str]:
        """base parameters, then friction"""

    @property
    def file(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C")]:
        """values of the robot file"""

    @property
    def values(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C")]: ...
    @property
    def sigma(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C")]:
        """their deviations; 0: not estimated"""

    @property
    def covariance(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None), order="F")]: ...
    @property
    def condition(self) -> float: ...
    @property
    def relative(self) -> float:
        """what is left of the forces, share"""

    @property
    def relative_before(self) -> float: ...
    @property
    def moved_to_exist(self) -> float:
        """
        how far the estimates had to be moved to be those of bodies that can exist, largest over sigma
        """

    @property
    def validation_relative(self) -> float | None: ...
    @property
    def t(self) -> NDArray[numpy.float64]: ...
    @property
    def force(self) -> NDArray[numpy.float64]:
        """measured, rows are times"""

    @property
    def predicted(self) -> NDArray[numpy.float64]: ...
    def to_dict(self) -> dict[str, Any]: ...
    def mechanism(self) -> Mechanism:
        """The mechanism with the identified values."""

    def is_of(self, m: Mechanism) -> bool:
        """Whether it was found on this mechanism."""

    def robot_file(self, path: str) -> str:
        """The text of the robot file `path` with the identified values in it."""

    def write(self, robot: str, folder: str, name: str) -> list[str]:
        """
        Robot file (its text), residuals and page into a folder; returns their names.
        """

    def __str__(self) -> str: ...

def identify(
    m: Mechanism,
    data: object,
    validate: object | None = None,
    identical_legs: bool = False,
    symmetric: bool = False,
    what: str = "all",
    cutoff: float = 0.0,
    period: float = 0.0,
    harmonics: int = 0,
    robust: bool = False,
    consistent: bool = False,
    keep_all: bool = False,
    significance: float = 2.6,
    constants: Sequence[float] = [],
    progress: object | None = None,
) -> Identification: ...

class FlexOptions:
    def __init__(
        self,
        m: Mechanism,
        space: str = "automatic",
        start: str = "undeformed",
        rho: float = 0.9,
        geometric: bool = True,
        vibrates: bool = True,
        rayleigh: tuple[float, float] | None = None,
        modal_damping: float = 0.0,
        frequencies: int = 3,
        loads: str = "",
        every: int = 1,
        points: str = "",
    ) -> None: ...

class BentMechanism:
    """A robot whose beams bend in modes."""

    @property
    def mechanism(self) -> Mechanism: ...
    @property
    def planar(self) -> bool: ...

def bent_mechanism(robot: RobotDescription, modes: int, options: FlexOptions) -> BentMechanism: ...

class FlexReport:
    """What beams do along a motion; print it."""

    @property
    def status(self) -> Status: ...
    @property
    def rows(self) -> int: ...
    @property
    def planar(self) -> bool: ...
    @property
    def warnings(self) -> list[str]: ...
    @property
    def extremes(self) -> dict:
        """largest of each column: (value, unit, time)"""

    @property
    def frequencies(self) -> list[list[float]]:
        """lowest and highest of each [Hz]"""

    @property
    def table(self) -> gough.table.Table:
        """all rows; the columns are those of the command-line tool's tables"""

    def to_pandas(self) -> pandas.DataFrame:
        """The table as a pandas frame."""

    def explain(self) -> str: ...
    def done(self) -> bool: ...
    def to_dict(self) -> dict[str, Any]:
        """What `gough flex --json` prints."""

    def __str__(self) -> str: ...

def report_flex(
    m: Mechanism,
    motion: KnownMotion,
    options: FlexOptions,
    output: str = "",
    shapes: str = "",
    progress: object | None = None,
) -> FlexReport:
    """Beams along the rigid motion."""

def report_coupled(
    m: Mechanism,
    bent: BentMechanism,
    motion: KnownMotion,
    modes: int,
    options: FlexOptions,
    output: str = "",
    progress: object | None = None,
    start_table: str = "",
    longest_step: float = 0.0,
) -> FlexReport:
    """Rigid motion and bending unknown together, drives followed exactly."""

class FollowReport:
    """Drives with which the platform follows its path; print it."""

    @property
    def status(self) -> Status: ...
    @property
    def reason(self) -> str: ...
    @property
    def rigid_rms(self) -> float:
        """of the platform's origin, drives of the rigid robot [m]"""

    @property
    def corrected_rms(self) -> float:
        """the same with corrected drives [m]"""

    @property
    def correction(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None), order="F")]:
        """of the actuators, rows are states"""

    @property
    def tau(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None), order="F")]: ...
    @property
    def table(self) -> gough.table.Table:
        """
        what the drives are to do: t, q.NAME, v.NAME, a.NAME, tau.NAME; itself a motion
        """

    def to_pandas(self) -> pandas.DataFrame:
        """The table as a pandas frame."""

    def failed(self) -> str: ...
    def to_dict(self) -> dict[str, Any]: ...
    def __str__(self) -> str: ...

def report_follow(
    m: Mechanism,
    motion: KnownMotion,
    by: str,
    options: FlexOptions,
    output: str = "",
    bent: BentMechanism | None = None,
    progress: object | None = None,
) -> FollowReport: ...
def ideal_drives(
    m: Mechanism, rigid: Mechanism, motion: KnownMotion, w: Workspace, settled: bool = False
) -> Controller:
    """
    Drives that follow a motion exactly, as a controller for simulate; w is put where it starts.
    """

class Program:
    """Code for one robot: text, operation counts, a compiled function."""

    @property
    def name(self) -> str: ...
    @property
    def header(self) -> str:
        """of the C code"""

    @property
    def source(self) -> str:
        """the C code"""

    @property
    def cuda(self) -> str:
        """the CUDA code"""

    @property
    def total(self) -> int:
        """operations of a call"""

    def count(self) -> dict[str, Any]:
        """What `gough generate --count --json` prints."""

    def write(self, folder: str | os.PathLike = ".", lang: str = "c", batch: bool = False) -> list[str]:
        """Writes the files; returns their paths."""

    def compile(self, file: str | os.PathLike, native: bool = False, batch: bool = False, gpu: bool = False) -> None:
        """A shared object, by $CC or cc."""

    def __str__(self) -> str: ...

def generate(
    m: Mechanism,
    what: str = "inverse",
    from_: str = "joints",
    fold: bool = False,
    generic: bool = False,
    matrix: bool = False,
    lanes: bool = False,
    newton: int = 0,
    many_states: bool = False,
) -> Program: ...

class CompiledProgram:
    """
    A shared object of compile, loaded. Loading runs what the file holds: load what you trust.
    """

    def __init__(self, file: str | os.PathLike) -> None: ...
    @property
    def name(self) -> str: ...
    @property
    def robot(self) -> str: ...
    @property
    def inputs(self) -> list[tuple]:
        """(name, size, meaning) of each array"""

    @property
    def outputs(self) -> list[tuple]: ...
    def parameters(self) -> list[str]: ...
    def parameter(self, name: str) -> float: ...
    def set_parameter(self, name: str, value: float) -> None: ...
    def __call__(
        self,
        inputs: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        outputs: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu")],
    ) -> int:
        """
        Arrays one after another, as in the header; returns the status, 0 or 1.
        """

    def batch(
        self,
        inputs: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order="C", device="cpu", writable=False)],
        outputs: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order="C", device="cpu")],
        status: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu")],
    ) -> None:
        """Many states: arrays of entries x states."""

    def gpu(self) -> str:
        """The GPU's name, or nothing."""

class StudyResult:
    """What a study has computed; print it. Its files are in `folder`."""

    @property
    def folder(self) -> str: ...
    @property
    def files(self) -> list[str]: ...
    @property
    def ok(self) -> bool: ...
    def __str__(self) -> str: ...

def run_study(file: str, folder: str = "", progress: object | None = None) -> StudyResult:
    """A study file, computed into a folder (default results/NAME)."""

def study_schema() -> str:
    """The JSON Schema of study files."""

def has_report_page() -> bool: ...
def report_page(data: str) -> str:
    """The page (HTML) with a report's data in it."""

def page_of_result(result: str) -> str:
    """The page of a result.json."""

def motion_page(
    m: Mechanism, motion: KnownMotion, by: Formulation = Formulation.legs, elastic: ElasticMotion = ElasticMotion.locked
) -> str:
    """Data of the page of a motion."""

def home_page(m: Mechanism) -> str:
    """Data of the page of a robot that stands at home."""
