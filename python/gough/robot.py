"""A robot ready to compute with: the library's functions as methods."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from . import _core
from .inputs import (
    Controller,
    Floats,
    Motion,
    elastic_motion,
    failed,
    file_settings,
    file_text,
    formulation,
    is_motion_file,
    numbers,
    only,
)
from .page import Page
from .progress import Progress, shown
from .states import Position, RightHandSide, States
from .table import Table


class Robot:
    """A robot: its description, its mechanism with an assembled home, and everything that can be computed of it.

    ``gough.load`` makes one from a file, ``Robot(description)`` from a description built or changed in code, ``Robot.from_dict``
    from the keys of a robot file. A robot is never changed: change a copy of its ``description`` and make another.
    """

    def __init__(self, description: _core.RobotDescription, *, file: str = "") -> None:
        self._described: _core.RobotDescription | None = description.copy()
        self._prepared = _core.prepare(self._described)
        if not self._prepared.closed:
            place = f"{file}: " if file else ""
            raise _core.Error(f"{place}the home pose cannot be assembled: {self._prepared.explain()}")
        self.mechanism: _core.Mechanism = self._prepared.mechanism
        #: where it was read; empty: built in code
        self.file = file
        self._rigid: Robot | None = None
        #: where exactly, and with which settings; None: not as in a file
        self._origin: tuple[str, dict[str, Any]] | None = None
        self._evaluators: dict[Any, _core.Evaluator] = {}
        self._actuators = len(self.mechanism.actuators)
        self._nv = self.mechanism.nv

    # ------------------------------------------------------------------------------------------- made from

    @classmethod
    def from_dict(cls, keys: Mapping[str, Any]) -> Robot:
        """From the keys of a robot file (docs/robot_files.md): ``Robot.from_dict({"robot": "crank", "bodies": {..}, ..})``."""
        return cls(_core.parse_robot(file_text(keys), "dict"))

    @classmethod
    def from_text(cls, text: str, settings: Mapping[str, Any] | None = None) -> Robot:
        """From the text of a robot file."""
        return cls(_core.parse_robot(text, "text", file_settings(settings)))

    @property
    def description(self) -> _core.RobotDescription:
        """A copy of what the robot was made from, to be changed: ``Robot(changed)`` is the robot with the changes."""
        if self._described is None:
            raise _core.Error(
                f"{self.name}: read a robot whose parameters were changed or identified in its mechanism, expected one with a "
                "description; Identification.robot_file(path) writes identified values into a robot file"
            )
        return self._described.copy()

    def with_modes(self, modes: int = 4, *, modal_damping: float = 0.0) -> Robot:
        """The robot whose beams bend in ``modes`` modes each: rigid motion and bending unknown together."""
        bent = Robot(_core.with_modes(self.description, modes, modal_damping))
        bent._rigid = self
        return bent

    def _again(self, description: _core.RobotDescription) -> Robot:
        """The robot with a changed description."""
        other = Robot(description, file=self.file)
        other._rigid = self._rigid
        return other

    def _other(self, mechanism: _core.Mechanism) -> Robot:
        """The same robot with other parameters in its mechanism, which no description has."""
        other = Robot.__new__(Robot)
        other.__dict__.update(self.__dict__)
        other.mechanism, other._evaluators, other._described = mechanism, {}, None
        other._origin = None
        return other

    def with_payload(self, mass: float) -> Robot:
        """The platform carries a point mass [kg] at its frame's origin."""
        if self._described is None or self._described.platform is None:
            return self._other(_core.with_payload(self.mechanism, mass))
        _core.with_payload(self.mechanism, mass)  # says what is wrong with it
        description = self.description
        platform = description.platform
        assert platform is not None
        body = description.body(platform.body)
        body.points = [*body.points, (mass, [float(x) for x in platform.frame.p])]
        return self._again(description)

    def without_friction(self) -> Robot:
        """The robot without friction."""
        if self._described is None:
            return self._other(_core.without_friction(self.mechanism))
        description = self.description
        for joint in description.joints:
            for coordinate in joint.coordinates:
                coordinate.friction = []
        return self._again(description)

    def different(self, base_share: float, friction_share: float = 0.0, *, seed: int = 1, **parameters: bool) -> Robot:
        """A robot whose base parameters are off by a share of themselves, and friction by another: a plant for controllers."""
        return self._other(_core.different(self.mechanism, base_share, friction_share, seed, **parameters))

    def __copy__(self) -> Robot:
        return self  # it is never changed

    def __deepcopy__(self, memo: Any) -> Robot:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        if self._origin is None:
            raise TypeError(
                f"{self.name}: a robot built or changed in code cannot be pickled; make it where it is used"
            )
        return (load, self._origin)

    # ------------------------------------------------------------------------------------------- what it is

    @property
    def name(self) -> str:
        return self.mechanism.name

    @property
    def actuators(self) -> list[str]:
        """Names, in the order of forces."""
        return self.mechanism.actuators

    @property
    def coordinates(self) -> list[str]:
        """Names of the tree's coordinates, in the order of rates."""
        return self.mechanism.coordinates

    @property
    def home(self) -> Floats:
        """The assembled home position."""
        return self.mechanism.home

    @property
    def nq(self) -> int:
        """Numbers of a position."""
        return self.mechanism.nq

    @property
    def nv(self) -> int:
        """Numbers of rates, and of accelerations."""
        return self.mechanism.nv

    def __repr__(self) -> str:
        return f"<robot '{self.name}': {len(self.actuators)} actuators, {self.nv} coordinates>"

    def check(self) -> _core.MobilityReport:
        """What the mechanism can do: degrees of freedom, redundant equations, actuation, singularities. Print it."""
        return _core.check_mobility(self._prepared)

    # ------------------------------------------------------------------------------------------- kinematics

    def workspace(
        self, q: ArrayLike | None = None, v: ArrayLike | None = None, a: ArrayLike | None = None
    ) -> _core.Workspace:
        """A workspace of the C++ library, at home or where it is told."""
        w = _core.Workspace(self.mechanism)
        if q is not None:
            w.q = q
        if v is not None:
            w.v = v
        if a is not None:
            w.a = a
        return w

    def _position(self, w: _core.Workspace, answer: _core.Answer, mode: str = "") -> Position:
        m = self.mechanism
        joints = _core.named_positions(m, w)
        pose = _core.platform_pose(m, w) if m.has_platform else None
        return Position(
            np.array(w.q), pose, np.array(w.q[m.actuator_position]), joints, answer.residual, answer.iterations, mode
        )

    def inverse_kinematics(
        self,
        pose: ArrayLike,
        *,
        coordinates: Sequence[str] | None = None,
        mode: str = "",
        near: ArrayLike | None = None,
        check_limits: bool = True,
    ) -> Position:
        """All joints from x y z rx ry rz of the platform (position [m], rotation vector [rad]; only the task's are read).

        ``near``: a closed position to continue from, instead of home. Throws Failure where there is no answer.
        """
        w = self.workspace(near)
        answer = _core.inverse_kinematics(
            self.mechanism,
            numbers("pose", pose),
            w,
            None if coordinates is None else list(coordinates),
            mode,
            check_limits,
        )
        if not answer:
            raise failed(answer.explain(), self._position(w, answer))
        return self._position(w, answer, mode)

    def all_inverse_kinematics(
        self, pose: ArrayLike, *, coordinates: Sequence[str] | None = None, check_limits: bool = True
    ) -> list[Position]:
        """Every working mode within limits. Legs without a closed form are followed from home and add no modes of their own."""
        found = _core.all_inverse_kinematics(
            self.mechanism, numbers("pose", pose), None if coordinates is None else list(coordinates), check_limits
        )
        return [self._position(self.workspace(p.q), p.answer, p.mode) for p in found if p]

    def forward_kinematics(
        self, actuators: ArrayLike, *, near: ArrayLike | None = None, check_limits: bool = True
    ) -> Position:
        """All joints and the pose from the actuators' positions [m or rad]. Throws Failure where there is no answer."""
        w = self.workspace(near)
        answer = _core.forward_kinematics(self.mechanism, numbers("actuators", actuators), w, check_limits)
        if not answer:
            raise failed(answer.explain(), self._position(w, answer))
        return self._position(w, answer)

    def all_forward_kinematics(self, actuators: ArrayLike) -> list[Position]:
        """Every assembly mode that was found; ``gough.all_forward_kinematics(m, actuators).complete`` says whether that is all."""
        found = _core.all_forward_kinematics(self.mechanism, numbers("actuators", actuators))
        return [self._position(self.workspace(p.q), p.answer) for p in found.postures if p]

    def poses(self, q: ArrayLike | None = None) -> dict[str, _core.Transform]:
        """The pose of every body's own frame in the base, by name."""
        return _core.body_poses(self.mechanism, self.workspace(q))

    def jacobian(self, q: ArrayLike | None = None) -> Floats:
        """6 x independent coordinates: vx vy vz wx wy wz of the platform per rate (of the actuators, where they are as many as
        freedoms)."""
        return np.asarray(_core.platform_jacobian(self.mechanism, self.workspace(q))[0])

    def singularity(self, q: ArrayLike | None = None) -> _core.SingularityIndices:
        """How near a position is to a singularity: numbers in [0, 1], 0 singular."""
        return _core.singularity_indices(self.mechanism, self.workspace(q))

    # ------------------------------------------------------------------------------------------- motions

    def motion(self, motion: Motion, *, step: float = 1e-3, elastic: str = "locked") -> _core.KnownMotion:
        """States of a motion: of a file, a dict, a table, a pandas frame or a trajectory, every ``step`` seconds where that is not
        given by the table."""
        if isinstance(motion, _core.KnownMotion):
            return motion
        if isinstance(motion, _core.Trajectory):
            return _core.known_motion(motion, "trajectory", step)
        if isinstance(motion, (str, os.PathLike)):
            return _core.load_known_motion(os.fspath(motion), self.mechanism, step, elastic_motion(elastic))
        if isinstance(motion, Mapping) and is_motion_file(motion):
            return _core.known_motion(self.trajectory(motion), str(motion.get("motion", "motion")), step)
        table = Table.of(motion)
        return _core.known_motion_of_table(
            table.columns, table.values, "table", self.mechanism, step, elastic_motion(elastic)
        )

    def trajectory(self, motion: str | os.PathLike[str] | Mapping[str, Any]) -> _core.Trajectory:
        """A motion file, or its keys as a dict: ``{"circle": {"radius": "50 mm", "duration": "1 s"}}``."""
        if isinstance(motion, Mapping):
            keys = dict(motion)
            keys.setdefault("motion", "motion")
            return _core.parse_motion(file_text(keys), "motion", self.mechanism)
        if not isinstance(motion, (str, os.PathLike)):
            raise _core.Error(f"motion: read {type(motion).__name__}, expected a motion file or its keys as a dict")
        return _core.load_motion(os.fspath(motion), self.mechanism)

    def states(self, motion: Motion, *, step: float = 1e-3, elastic: str = "locked") -> States:
        """Closed positions, rates and accelerations of all joints along a motion."""
        known = self.motion(motion, step=step, elastic=elastic)
        return States(*_core.closed_states(self.mechanism, known, elastic_motion(elastic)))

    def random_states(self, count: int) -> States:
        """Closed states near home with random rates and accelerations, the same ones in every run."""
        q, v, a = _core.random_states(self.mechanism, count)
        return States(np.arange(len(q), dtype=float), q, v, a)

    def survey(self, motion: Motion, *, step: float = 1e-3) -> dict[str, Any]:
        """Distances to singularities, transmission of forces and limits along a motion of the platform."""
        found: dict[str, Any] = _core.survey(self.mechanism, self.motion(motion, step=step))[1]
        return found

    # ------------------------------------------------------------------------------------------- dynamics

    def _evaluator(self, by: str, weights: Sequence[float]) -> _core.Evaluator:
        key = (by, tuple(weights))
        found = self._evaluators.get(key)
        if found is None:
            options = _core.DynamicsOptions(formulation(by), weights=list(weights))
            found = self._evaluators[key] = _core.Evaluator(self.mechanism, options)
        return found

    def inverse_dynamics(
        self,
        q: ArrayLike | Motion,
        v: ArrayLike | None = None,
        a: ArrayLike | None = None,
        *,
        by: str = "legs",
        weights: Sequence[float] = (),
        wrench: ArrayLike | None = None,
        failures: str = "raise",
        **along: Any,
    ) -> Any:
        """Forces of the actuators [N or N m].

        ``inverse_dynamics(q, v, a)``: of closed states, one (an array of nq, nv, nv numbers) or many (rows are states, computed on all
        cores); returns an array. ``wrench`` is fx fy fz mx my mz on the platform at its origin. A state without an answer raises
        Failure; with ``failures="nan"`` its row is not a number.

        ``inverse_dynamics(motion)``: along a motion (see ``motion``); returns an InverseReport: print it for the sizing of the
        actuators, ``.table`` and ``.to_pandas()`` have all states. Further arguments: ``step``, ``elastic`` (given, locked or
        quasistatic), ``reactions``, ``output`` (a CSV file, written row by row), ``progress`` (a function of done and total).
        """
        if v is None or a is None:
            if v is not None or a is not None or wrench is not None or failures != "raise":
                raise _core.Error(
                    "inverse_dynamics: read a motion with v, a, wrench or failures, expected q, v, a, or a motion alone "
                    "(a table may have the wrench in its columns fx fy fz mx my mz)"
                )
            return self._inverse_along(q, by, weights, **along)
        if along:
            raise TypeError(f"inverse_dynamics(q, v, a) got unexpected arguments: {', '.join(along)}")
        return self._evaluate("inverse", q, v, a, self._actuators, by, weights, wrench, failures)

    def forward_dynamics(
        self,
        q: ArrayLike | Motion,
        v: ArrayLike | None = None,
        tau: ArrayLike | None = None,
        *,
        by: str = "legs",
        wrench: ArrayLike | None = None,
        failures: str = "raise",
        progress: Progress | None = None,
    ) -> Any:
        """Accelerations from forces: ``forward_dynamics(q, v, tau)`` of one closed state or of many (rows), as an array of nv numbers
        each; ``forward_dynamics(table)`` of rows of platform or actuator states with tau.NAME, as a table."""
        if v is None or tau is None:
            if v is not None or tau is not None or wrench is not None or failures != "raise":
                raise _core.Error(
                    "forward_dynamics: read a table with v, tau, wrench or failures, expected q, v, tau or a table alone"
                )
            return self._forward_along(q, by, progress)
        return self._evaluate("forward", q, v, tau, self._nv, by, (), wrench, failures)

    def _evaluate(
        self,
        what: str,
        q: Any,
        v: Any,
        last: Any,
        size: int,
        by: str,
        weights: Sequence[float],
        wrench: Any,
        failures: str,
    ) -> Floats:
        if failures not in ("raise", "nan"):
            raise _core.Error(f"failures: read '{failures}', expected raise or nan")
        q, v, last = np.asarray(q, dtype=float), np.asarray(v, dtype=float), np.asarray(last, dtype=float)
        if wrench is not None:
            wrench = numbers("wrench", wrench)
        if type(weights) is not tuple:
            weights = tuple(float(x) for x in weights)
        evaluator = self._evaluators.get((by, weights)) or self._evaluator(by, weights)
        if q.ndim == 1:
            out = np.empty(size)
        else:
            arrays = (q, v, last)
            if all(x.flags.f_contiguous and x.ndim == 2 and len(x) > 1 for x in arrays):
                out = np.empty((len(q), size), order="F")
            else:
                q, v, last = (np.ascontiguousarray(x) for x in arrays)
                out = np.empty((len(q), size))
        (evaluator.inverse if what == "inverse" else evaluator.forward)(q, v, last, out, failures == "nan", wrench)
        return out

    def _inverse_along(
        self,
        motion: Motion,
        by: str,
        weights: Sequence[float],
        *,
        step: float = 1e-3,
        elastic: str = "locked",
        reactions: bool = False,
        output: str | os.PathLike[str] = "",
        progress: Progress | None = None,
    ) -> _core.InverseReport:
        known = self.motion(motion, step=step, elastic=elastic)
        report = _core.report_inverse(
            self.mechanism, known, formulation(by), list(weights), elastic_motion(elastic), reactions, os.fspath(output),
            shown("state", progress),
        )  # fmt: skip
        if not report.done():
            raise failed(report.explain(), report)
        return report

    def _forward_along(self, states: Any, by: str, progress: Progress | None) -> Table:
        if isinstance(states, (str, os.PathLike)):
            known = _core.load_driven_states(os.fspath(states), self.mechanism)
        else:
            table = Table.of(states)
            known = _core.driven_states(table.columns, table.values, "table", self.mechanism)
        found: Table = _core.forward_along(self.mechanism, known, formulation(by), shown("state", progress))
        return found

    def derivatives(
        self, q: ArrayLike, v: ArrayLike, a: ArrayLike | None = None, *, tau: ArrayLike | None = None, by: str = "legs"
    ) -> _core.StateDerivatives:
        """Exact derivatives at a closed state: of the forces (``a`` given) or of the accelerations (``tau`` given), with respect to
        independent positions, their rates, and their accelerations or the forces."""
        if (a is None) == (tau is None):
            raise _core.Error("derivatives: read both or neither of a and tau, expected one of them")
        w = self.workspace(q, v, a)
        d = _core.Dynamics(self.mechanism, w, _core.DynamicsOptions(formulation(by)))
        if tau is None:
            answer = _core.inverse_dynamics(self.mechanism, w, d)
        else:
            w.tau = tau
            answer = _core.forward_dynamics(self.mechanism, w, d)
        if not answer:
            raise failed(f"{answer.status.name}: {answer.reason}", answer)
        return (_core.inverse_derivatives if tau is None else _core.forward_derivatives)(self.mechanism, w, d)

    def energy(self, q: ArrayLike, v: ArrayLike, tau: ArrayLike | None = None) -> _core.EnergyBalance:
        """Energies [J], powers [W] and momenta of a state."""
        w = self.workspace(q, v)
        if tau is not None:
            w.tau = tau
        return _core.energy_balance(self.mechanism, w)

    def compare(self, states: int = 20) -> _core.Comparison:
        """All formulations on the same random states: ``.agrees()``; print it for how far they differ and what they cost."""
        if states < 1:
            raise _core.Error(f"states: read {states}, expected at least 1")
        return _core.compare_formulations(self.mechanism, states)

    # ------------------------------------------------------------------------------------------- simulation

    def _start(
        self,
        pose: ArrayLike | None,
        actuators: ArrayLike | None,
        q: ArrayLike | None,
        v: ArrayLike | None,
        rates: Mapping[str, float] | None,
        equilibrium: bool,
        tau: ArrayLike | None,
        positions: Mapping[str, float] | None = None,
    ) -> _core.Workspace:
        """The closed state from which a simulation starts."""
        given = sum(x is not None for x in (pose, actuators, q))
        if given > 1:
            raise _core.Error("start: read several of pose, actuators and q, expected one of them")
        w = self.workspace(q, v)
        answer = None
        if pose is not None:
            answer = _core.inverse_kinematics(self.mechanism, numbers("pose", pose), w)
        elif actuators is not None:
            answer = _core.forward_kinematics(self.mechanism, numbers("actuators", actuators), w)
        if tau is not None:
            w.tau = numbers("tau", tau)
        if positions and (answer is None or answer):
            held = (actuators is not None, pose is not None)
            answer = _core.set_positions(self.mechanism, dict(positions), w, *held)
        if equilibrium and (answer is None or answer):
            answer = _core.find_equilibrium(self.mechanism, w)
        if rates and (answer is None or answer):
            answer = _core.set_rates(self.mechanism, dict(rates), w)
        if answer is not None and not answer:
            raise failed("the start: " + answer.explain(), None)
        return w

    def simulate(
        self,
        time: float = 1.0,
        *,
        step: float = 1e-3,
        times: ArrayLike | None = None,
        pose: ArrayLike | None = None,
        actuators: ArrayLike | None = None,
        q: ArrayLike | None = None,
        v: ArrayLike | None = None,
        rates: Mapping[str, float] | None = None,
        equilibrium: bool = False,
        tau: ArrayLike | None = None,
        controller: Controller | _core.Controller | None = None,
        forces: Any = None,
        drives: Motion | None = None,
        by: str = "legs",
        method: str = "adaptive",
        tolerance: float = 0.0,
        fixed_step: float | None = None,
        loops: str = "independent",
        friction: str = "stick",
        smooth: float = 1e-3,
        hold: float = 0.0,
        baumgarte: tuple[float, float] = (20.0, 20.0),
        output: str | os.PathLike[str] = "",
        progress: Progress | None = None,
        positions: Mapping[str, float] | None = None,
        knots: ArrayLike = (),
    ) -> _core.SimulationReport:
        """Motion from forces, for ``time`` seconds with a row every ``step``, or at ``times``.

        Start: home, or ``pose``, ``actuators`` or a closed ``q`` (and ``v``); ``positions`` of joints by name, elastic ones too;
        ``equilibrium`` moves it to where springs and weight
        balance; ``rates`` are those of some coordinates by name. Forces: none, constant ``tau``, a table ``forces`` (t, tau.NAME), a
        ``controller(t, w)`` that reads the workspace and writes ``w.tau`` or returns the forces, or ``drives`` that follow a motion
        exactly. ``knots``: times at which the controller's forces jump or bend; steps end there. ``hold`` > 0 asks the controller once in so many seconds and holds its forces. The rest as in docs/simulation.md.

        Returns a SimulationReport: print it, ``.table``, ``.to_pandas()``, ``.show()``. Where the run cannot be continued, Failure is
        raised and has the report as ``result``.
        """
        given = [
            n
            for n, x in {"tau": tau, "controller": controller, "forces": forces, "drives": drives}.items()
            if x is not None
        ]
        if len(given) > 1:
            raise _core.Error(f"simulate: read {' and '.join(given)}, expected one of them")
        if times is None and not (0 < time < np.inf and 0 < step < np.inf):
            raise _core.Error(f"time, step: read {time} s and {step} s, expected numbers above 0")
        w = self._start(pose, actuators, q, v, rates, equilibrium, tau, positions)
        law: _core.Controller | None = None
        if drives is not None:
            rigid = self._rigid or self
            law = _core.ideal_drives(self.mechanism, rigid.mechanism, rigid.motion(drives, step=step), w)
        elif forces is not None:
            table = Table.of(forces)
            law = _core.force_table(self.mechanism, table.columns, table.values)
        elif isinstance(controller, _core.Controller):
            law, controller = controller, None
        moments = np.asarray(_core.even_times(0.0, time, step) if times is None else times, dtype=float)
        options = _core.SimulationOptions(
            formulation(by), method, tolerance, step if fixed_step is None else fixed_step, loops, friction, smooth, hold,
            *baumgarte,
        )  # fmt: skip
        report = _core.simulate(
            self.mechanism, w, moments, options, controller, law, os.fspath(output), shown("row", progress),
            [float(t) for t in np.asarray(knots, dtype=float).ravel()],
        )  # fmt: skip
        if report.status != _core.Status.ok:
            raise failed(f"t = {report.t:g} s: {report.status.name}: {report.reason}", report)
        return report

    def track(
        self,
        motion: Motion,
        law: str | _core.ControlLaw | Callable[[_core.ControlSample], ArrayLike] = "computed_force",
        *,
        plant: Robot | None = None,
        period: float = 5e-4,
        position: float = 5.0,
        velocity: float = 80.0,
        encoder: float = 0.0,
        velocity_filter: float = 0.0,
        delay: int = 1,
        force: float = np.inf,
        force_rate: float = np.inf,
        rate: float = 1.0,
        identical_legs: bool = False,
        symmetric: bool = False,
        speed: float = 1.0,
        step: float | None = None,
        **simulation: Any,
    ) -> tuple[_core.SimulationReport, Table]:
        """A controller, sampled once in ``period``, follows a motion on a ``plant`` (another robot; default this one).

        ``law``: joint, computed_force, computed_torque or adaptive with bandwidths ``position`` and ``velocity`` [Hz]; a ControlLaw;
        or a function of a ControlSample that returns the forces. ``force`` and ``force_rate`` limit the forces [N or N m, per s];
        ``rate``, ``identical_legs`` and ``symmetric`` are those of adaptive. Returns the simulation, and a table of t, e.NAME (desired less true
        position of each actuator) and tau.NAME.
        """
        plant = plant or self
        trajectory = motion if isinstance(motion, _core.Trajectory) else self.trajectory(motion)
        reference = _core.reference_of(self.mechanism, trajectory, period, speed)
        adaptive = {"rate": rate, "identical_legs": identical_legs, "symmetric": symmetric}
        chosen = self._law(law, position, velocity, adaptive) if isinstance(law, str) else law
        controller = _core.sampled(
            plant.mechanism, reference, chosen, encoder, velocity_filter, delay, force, force_rate
        )
        q, _ = _core.standing_at(plant.mechanism, reference.q[0])
        every = max(1, round((step or period) / period))
        simulation.setdefault("friction", "smooth")
        report = plant.simulate(times=reference.t[::every], q=q, controller=controller, hold=period, **simulation)
        names = self.actuators
        true = report.table[[f"q.{n}" for n in names]]
        error = reference.q[::every][: len(true)] - true
        forces = report.table[[f"tau.{n}" for n in names]]
        columns = ["t", *(f"e.{n}" for n in names), *(f"tau.{n}" for n in names)]
        return report, Table(columns, np.column_stack([report.table["t"], error, forces]))

    def _law(self, name: str, position: float, velocity: float, adaptive: dict[str, Any]) -> _core.ControlLaw:
        if name == "computed_torque":
            return _core.computed_torque(self.mechanism, position, velocity)
        gains = _core.gains_for(self.mechanism, position, velocity)
        if name == "joint":
            return _core.joint_control(gains)
        if name == "computed_force":
            return _core.computed_force(gains)
        if name == "adaptive":
            return _core.adaptive(self.mechanism, gains, **adaptive)
        raise _core.Error(
            f"law: read '{name}', expected joint, computed_force, computed_torque, adaptive, or a function"
        )

    def right_hand_side(
        self,
        *,
        pose: ArrayLike | None = None,
        actuators: ArrayLike | None = None,
        q: ArrayLike | None = None,
        v: ArrayLike | None = None,
        rates: Mapping[str, float] | None = None,
        tau: ArrayLike | None = None,
        controller: Controller | None = None,
        by: str = "legs",
    ) -> RightHandSide:
        """x' = f(t, x) for SciPy's ``solve_ivp``: ``f = robot.right_hand_side(); solve_ivp(f, (0, 1), f.x0)``.

        x holds independent positions and their rates; loops are closed exactly at every evaluation.
        """
        w = self._start(pose, actuators, q, v, rates, False, tau)
        options = _core.DynamicsOptions(formulation(by))
        return RightHandSide(_core.RightSide(self.mechanism, w, options), controller)

    # ------------------------------------------------------------------------------------------- identification

    def base_parameters(self, *, identical_legs: bool = False, symmetric: bool = False) -> _core.BaseParameters:
        """The combinations of inertias that motions show; print them."""
        return _core.base_parameters(self.mechanism, identical_legs, symmetric)

    def excite(self, *, progress: Progress | None = None, **options: Any) -> _core.Excitation:
        """A motion that shows the parameters, within all limits: ``identical_legs``, ``symmetric``, ``period`` [s], ``harmonics``,
        ``evaluations``, ``seed``, ``velocity``, ``acceleration``, ``force`` (limits of all actuators)."""
        known = "identical_legs symmetric period harmonics evaluations seed velocity acceleration force"
        return _core.excite(self.mechanism, **only("excite", options, known), progress=shown("evaluation", progress))

    def measure(
        self, motion: Motion, *, step: float = 1e-3, encoder: float = 0.0, noise: float = 0.0, seed: int = 1
    ) -> Table:
        """What the robot's own sensors show of a motion: t, q.NAME in steps of ``encoder`` [m or rad], tau.NAME with a deviation of
        ``noise`` [N or N m]."""
        found: Table = _core.measure(self.mechanism, self.motion(motion, step=step), encoder, noise, seed)
        return found

    def identify(
        self, data: Any, validate: Any = None, *, progress: Progress | None = None, **options: Any
    ) -> _core.Identification:
        """Inertias and friction from a measurement (a CSV file, a table, a pandas frame: t, q.NAME, perhaps v.NAME and a.NAME,
        tau.NAME). ``validate``: a second one, whose forces are predicted. Options: ``identical_legs``, ``symmetric``, ``what`` (all,
        friction, inertia), ``cutoff`` [Hz], ``period`` [s], ``harmonics``, ``robust``, ``consistent``, ``keep_all``,
        ``significance``, ``constants`` (force per current, with current.NAME)."""

        def given(x: Any) -> Any:
            return os.fspath(x) if isinstance(x, (str, os.PathLike)) else Table.of(x)

        second = None if validate is None else given(validate)
        known = (
            "identical_legs symmetric what cutoff period harmonics robust consistent keep_all significance constants"
        )
        only("identify", options, known)
        return _core.identify(self.mechanism, given(data), second, **options, progress=shown("row", progress))

    def identified(self, found: _core.Identification) -> Robot:
        """The robot with identified parameters; read from a file, with a description that has them."""
        if not found.is_of(self.mechanism):
            raise _core.Error(f"{self.name}: read what was identified on another robot, expected it of this one")
        if self._origin is not None and not self._origin[1]:
            text = found.robot_file(self._origin[0])
            return Robot(_core.parse_robot(text, self.file), file=self.file)
        return self._other(found.mechanism())

    # ------------------------------------------------------------------------------------------- beams

    def flex(
        self,
        motion: Motion,
        *,
        step: float | None = None,
        rows: float | None = None,
        times: ArrayLike | None = None,
        modes: int = 0,
        follow: str | None = None,
        output: str | os.PathLike[str] = "",
        shapes: str | os.PathLike[str] = "",
        progress: Progress | None = None,
        **options: Any,
    ) -> Any:
        """What beams do along a motion: errors of the platform, driving forces, stress, frequencies. Print it; ``.table``.

        Rows are ``rows`` apart (default 1e-3 s, or a table's own) or at ``times``; steps of integration at most ``step`` (default 5e-4 s;
        coupled what its accuracy allows).
        ``modes`` > 0: the coupled model. ``follow`` (driving_force, modified_driving_force, driving_constraint): drives with which the
        platform follows its path instead; ``output`` then is a table of them, itself a motion. Options: ``start`` (undeformed,
        quasistatic, or the path of a table with the shape to start from), ``points`` ("NAME=BODY@x,y,z;BODY.k"), ``space``, ``rho``, ``geometric``, ``vibrates``, ``rayleigh`` (a1, a2), ``modal_damping``, ``frequencies``,
        ``loads`` ("BODY@x,y,z:fx,fy,fz;..").
        """
        if times is not None and rows is not None:
            raise _core.Error("rows: read them beside times, expected one of them")
        known = self.motion(motion, step=(step or 5e-4) if follow else (rows or 1e-3))
        if times is not None:
            known = known.at_times(times)
        elif known.rows and rows:
            known = known.at_times(_core.even_times(*known.span, rows))
        known_options = "start space rho geometric vibrates rayleigh modal_damping frequencies loads points"
        start_table = ""
        if modes > 0 and str(options.get("start", "")).endswith(".csv"):
            start_table = os.fspath(options.pop("start"))
        if "start" in options:
            options["start"] = os.fspath(options["start"])
        given = _core.FlexOptions(self.mechanism, **only("flex", options, known_options))
        shown_progress = shown("row", progress)
        bent = _core.bent_mechanism(self.description, modes, given) if modes > 0 else None
        if follow is not None:
            report = _core.report_follow(self.mechanism, known, follow, given, os.fspath(output), bent, shown_progress)
            problem = report.reason or report.failed()
            if problem:
                raise failed(problem, report)
            return report
        if bent is not None:
            flexed = _core.report_coupled(
                self.mechanism, bent, known, modes, given, os.fspath(output), shown_progress, start_table, step or 0.0
            )
        else:
            if options.get("vibrates", True) and len(known) > 1 and (not known.rows or step):
                known = known.refined(step or 5e-4)
            flexed = _core.report_flex(
                self.mechanism, known, given, os.fspath(output), os.fspath(shapes), shown_progress
            )
        if not flexed.done():
            raise failed(flexed.explain(), flexed)
        return flexed

    # ------------------------------------------------------------------------------------------- code

    def generate_c(self, what: str = "inverse", from_: str = "joints", **wish: Any) -> _core.Program:
        """C code for this robot: ``.source``, ``.header``, ``.count()``, ``.write(folder)``; print it for the operation count.

        ``what``: inverse, forward, kinematics, regressor, jacobian or derivatives; ``from_``: joints, platform or actuators. Wishes:
        ``fold``, ``generic``, ``matrix``, ``lanes``, ``newton``, ``many_states``.
        """
        return _core.generate(
            self.mechanism, what, from_, **only("generate_c", wish, "fold generic matrix lanes newton many_states")
        )

    def compile(
        self,
        what: str = "inverse",
        from_: str = "joints",
        *,
        file: str | os.PathLike[str] | None = None,
        native: bool = False,
        batch: bool = False,
        gpu: bool = False,
        **wish: Any,
    ) -> _core.CompiledProgram:
        """The same code compiled by $CC or cc and loaded: ``f(inputs, outputs)``. ``file``: where a copy is kept."""
        program = self.generate_c(what, from_, many_states=batch or gpu, **wish)
        with tempfile.TemporaryDirectory(prefix="gough-") as folder:
            made = Path(folder) / (program.name + ".so")  # of its own: a file that is loaded already is not read again
            program.compile(os.fspath(made), native, batch, gpu)
            if file is not None:
                shutil.copyfile(made, file)
            return _core.CompiledProgram(os.fspath(made))

    # ------------------------------------------------------------------------------------------- pages

    def show(self, motion: Motion | None = None, *, step: float = 1e-2, height: int = 720, by: str = "legs") -> Page:
        """The robot as a page: in motion with its forces and plots, or at home. In a notebook it shows itself; otherwise
        ``.open()`` or ``.save(file)``."""
        if motion is None:
            return Page(_core.home_page(self.mechanism), height)
        return Page(_core.motion_page(self.mechanism, self.motion(motion, step=step), formulation(by)), height)


def load(path: str | os.PathLike[str], settings: Mapping[str, Any] | None = None) -> Robot:
    """A robot from a robot file. ``settings`` puts other values into it first, by path in the file:
    ``{"legs.joints.drive.screw": "5 mm", "bodies.*.mass": 2}``. Throws Error: file:line: what was read, what was expected."""
    file = os.fspath(path)
    values = file_settings(settings)
    robot = Robot(_core.read_robot(file, values), file=file)
    robot._origin = (os.path.abspath(file), values)
    return robot


def check(robot: Robot | _core.RobotDescription | str | os.PathLike[str]) -> _core.MobilityReport:
    """The check of a robot, also of one whose home cannot be assembled."""
    if isinstance(robot, Robot):
        return robot.check()
    described = robot if isinstance(robot, _core.RobotDescription) else _core.read_robot(os.fspath(robot))
    return _core.check_mobility(_core.prepare(described))


def run(
    study: str | os.PathLike[str], folder: str | os.PathLike[str] = "", *, progress: Progress | None = None
) -> _core.StudyResult:
    """A study file, computed into a folder (default results/NAME) with tables and a report; print the result."""
    return _core.run_study(os.fspath(study), os.fspath(folder), shown("row", progress))
