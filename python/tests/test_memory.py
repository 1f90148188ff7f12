"""What Python holds stays what it is: views, controllers, threads; and what does not fit is told before anything is touched."""

from __future__ import annotations

import copy
import io
import itertools
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gough
import numpy as np
import pytest
from conftest import shipped
from gough import progress

VIEWS = ["q", "v", "a", "tau", "phi", "k", "lambda_", "load", "cq", "cv", "ca"]


def addresses(w: gough.Workspace) -> dict[str, int]:
    return {name: getattr(w, name).ctypes.data for name in VIEWS if len(getattr(w, name)) > 0}


@pytest.mark.parametrize("name", ["five_bar", "hexapod", "hexa", "psp3", "rrr3", "four_bar", "elastic_five_bar"])
def test_views_of_a_workspace_stay_where_they_are(name: str) -> None:
    robot = shipped(name)
    m, w = robot.mechanism, robot.workspace()
    before = addresses(w)
    forward = np.array([w.q[i] for i in m.actuator_position]) + 1e-3
    assert gough.forward_kinematics(m, forward, w).ok()
    if m.has_platform:
        assert gough.inverse_kinematics(m, robot.forward_kinematics(forward).pose, w).ok()
        gough.all_inverse_kinematics(m, robot.forward_kinematics(forward).pose)
    w.q = w.q + 1e-4
    gough.close_loops(m, w)
    gough.set_rates(m, {robot.actuators[0]: 0.1}, w)
    for by in gough.Formulation.__members__.values():
        if by.name != "scdd_iterative":
            d = gough.Dynamics(m, w, gough.DynamicsOptions(by))
            gough.inverse_dynamics(m, w, d)
            gough.forward_dynamics(m, w, d)
    gough.find_equilibrium(m, w)
    assert addresses(w) == before


@pytest.mark.parametrize("method", ["adaptive", "stiff", "dae", "rk4", "semi_implicit"])
@pytest.mark.parametrize("loops", ["independent", "projected"])
def test_a_controller_may_keep_its_views(five_bar: gough.Robot, method: str, loops: str) -> None:
    seen: dict[str, set[int]] = {name: set() for name in ("q", "v", "a", "tau")}

    def law(t: float, w: gough.Workspace) -> Any:
        for name, all_ in seen.items():
            all_.add(getattr(w, name).ctypes.data)
        return [0.1, -0.1]

    five_bar.simulate(0.05, step=5e-3, controller=law, method=method, loops=loops, friction="smooth")
    assert {name: len(all_) for name, all_ in seen.items()} == dict.fromkeys(seen, 1)


@pytest.mark.parametrize("method", ["adaptive", "rk4", "dae"])
def test_a_controller_may_compute_with_the_workspace_it_is_given(five_bar: gough.Robot, method: str) -> None:
    m = five_bar.mechanism

    def forces(w: gough.Workspace) -> Any:
        w.a = np.zeros(five_bar.nv)
        d = gough.Dynamics(m, w)
        assert gough.inverse_dynamics(m, w, d).ok()
        return 0.5 * w.tau

    def within(t: float, w: gough.Workspace) -> Any:
        return forces(w)

    def apart(t: float, w: gough.Workspace) -> Any:
        other = five_bar.workspace(w.q, w.v)
        return forces(other)

    def astray(t: float, w: gough.Workspace) -> Any:
        tau = forces(five_bar.workspace(w.q, w.v))
        w.q = five_bar.home
        gough.close_loops(m, w)
        return tau

    runs = [
        five_bar.simulate(0.1, step=0.01, controller=c, method=method, friction="smooth").table.values
        for c in (within, apart, astray)
    ]
    assert np.array_equal(runs[0], runs[1]) and np.array_equal(runs[0], runs[2])


def test_a_controller_of_a_right_hand_side_cannot_change_the_state(five_bar: gough.Robot) -> None:
    def meddling(t: float, w: gough.Workspace) -> None:
        w.q += 0.2
        w.v += 1.0

    f = five_bar.right_hand_side(controller=meddling)
    assert np.array_equal(f(0.0, f.x0), five_bar.right_hand_side()(0.0, f.x0))


# ----------------------------------------------------------------------------------------------- what does not fit


def test_controllers_of_other_robots_are_refused(hexapod: gough.Robot, pendulum: gough.Robot) -> None:
    columns = ["t", *(f"tau.{n}" for n in hexapod.actuators)]
    table = gough.force_table(hexapod.mechanism, columns, np.zeros((2, 7)) + [[0.0], [1.0]])
    with pytest.raises(gough.Error, match="controller: read one made for another robot"):
        pendulum.simulate(0.1, controller=table)


def test_a_sampled_controller_is_for_one_run(five_bar: gough.Robot) -> None:
    reference = gough.reference_of(five_bar.mechanism, five_bar.trajectory("motions/five_bar_line.yaml"), 1e-2)
    law = gough.joint_control(gough.gains_for(five_bar.mechanism))
    controller = gough.sampled(five_bar.mechanism, reference, law)
    q, _ = gough.standing_at(five_bar.mechanism, reference.q[0])
    five_bar.simulate(times=reference.t, q=q, controller=controller, hold=1e-2)
    with pytest.raises(gough.Error, match="has run already, expected a new one"):
        five_bar.simulate(times=reference.t, q=q, controller=controller, hold=1e-2)
    with pytest.raises(gough.Error, match="law: read 5, expected a ControlLaw or a function"):
        gough.sampled(five_bar.mechanism, reference, 5)


def test_dynamics_are_those_of_one_mechanism(hexapod: gough.Robot) -> None:
    palida = shipped("palida")
    d = gough.Dynamics(palida.mechanism, palida.workspace())
    with pytest.raises(gough.Error, match="d: read the dynamics of another mechanism"):
        gough.inverse_dynamics(hexapod.mechanism, hexapod.workspace(), d)
    prepared = gough.prepare(palida.description)
    w = gough.Workspace(prepared.mechanism)
    assert gough.inverse_dynamics(prepared.mechanism, w, gough.Dynamics(prepared.mechanism, w)).ok()


def test_options_of_dynamics_cannot_be_changed_behind_it(five_bar: gough.Robot) -> None:
    w = five_bar.workspace()
    d = gough.Dynamics(five_bar.mechanism, w)
    d.options.by = gough.Formulation.multipliers
    assert d.options.by == gough.Formulation.legs
    assert gough.inverse_dynamics(five_bar.mechanism, w, d).ok()


def test_what_does_not_fit_is_told(five_bar: gough.Robot, hexapod: gough.Robot, pendulum: gough.Robot) -> None:
    m = five_bar.mechanism
    cases: dict[str, Callable[[], object]] = {
        "a row of 4 numbers for 19 columns": lambda: pendulum.motion(
            {"t": [0.0, 1.0], "q.swing": [0.0, 1.0]}, step=0.5
        ).table(hexapod.mechanism),
        "every: read 0": lambda: gough.FlexOptions(m, every=0),
        "frequencies: read -1": lambda: gough.FlexOptions(m, frequencies=-1),
        "w: read a workspace of another": lambda: pendulum.workspace().set_platform_wrench(m, [0] * 6),
        "expected a robot with a platform": lambda: pendulum.workspace().set_platform_wrench(
            pendulum.mechanism, [0] * 6
        ),
        "read the coordinate 'lfet'": lambda: m.position_index("lfet"),
        "states: read -1": lambda: gough.compare_formulations(m, -1),
        "times: read a number that is not finite": lambda: five_bar.simulate(times=[0.0, np.nan]),
        "rates: 'left': read a rate": lambda: five_bar.simulate(0.1, rates={"left": np.nan}),
        "R: read a matrix that is no rotation": lambda: setattr(gough.Transform(), "R", np.ones((3, 3))),
        "R: read 1 x 2 numbers": lambda: setattr(gough.Transform(), "R", [[1, 2]]),
        "expected rows of numbers": lambda: gough.Table(["x"], np.zeros((2, 2, 1))),
        "read the kind modal": lambda: gough.JointDescription("x", gough.JointKind.modal),
    }
    for message, act in cases.items():
        with pytest.raises(gough.Error, match=message):
            act()
    with pytest.raises(TypeError):
        gough.simulate(m, 5, [0.0, 1.0])  # type: ignore[arg-type]
    for bad in ([1j, 0, 0], ["1", "2", "3"], np.array([0, 1, 2], dtype="datetime64[s]")):
        with pytest.raises(TypeError):
            gough.Transform(xyz=bad)


def test_names_that_a_table_could_not_read_again_are_refused(tmp_path: Path) -> None:
    for name in ("", " x", "a\nb"):
        with pytest.raises(gough.Error, match="read the column name"):
            gough.Table([name], [[1.0]]).write(tmp_path / "t.csv")
    gough.Table(['a,"b"'], [[1.0]]).write(tmp_path / "t.csv")
    assert gough.Table.read(tmp_path / "t.csv").columns == ['a,"b"']


# ----------------------------------------------------------------------------------------------- numbers


def test_a_wrench_is_that_of_the_present_position(hexapod: gough.Robot) -> None:
    _, q, v, a = hexapod.random_states(3)
    wrench = [10, -20, 300, 4, 5, -6]
    m, w = hexapod.mechanism, hexapod.workspace(q[1], v[1], a[1])
    w.set_platform_wrench(m, wrench)
    d = gough.Dynamics(m, w)
    assert gough.inverse_dynamics(m, w, d).ok()
    assert np.allclose(w.tau, hexapod.inverse_dynamics(q[1], v[1], a[1], wrench=wrench), rtol=1e-12)


def test_many_states_with_a_wrench_are_those_of_single_ones(hexapod: gough.Robot) -> None:
    _, q, v, a = hexapod.random_states(700)
    wrench = [10, -20, 300, 4, 5, -6]
    many = hexapod.inverse_dynamics(q, v, a, wrench=wrench)
    for i in (0, 255, 256, 699):
        assert np.array_equal(many[i], hexapod.inverse_dynamics(q[i], v[i], a[i], wrench=wrench))


def test_times_are_those_of_the_numbers_given(five_bar: gough.Robot) -> None:
    _, q, v, a = five_bar.random_states(4)
    e, out = gough.Evaluator(five_bar.mechanism), np.empty(2)
    columns = [np.asfortranarray(x)[2] for x in (q, v, a)]
    assert e.time_inverse(*columns, out) > 0
    assert e.time_inverse(*(x[2, ::-1][::-1] for x in (q, v, a)), out) > 0
    with pytest.raises(gough.Error, match="repeats: read 0"):
        e.time_inverse(q[0], v[0], a[0], out, 0)


def test_compiling_into_the_same_file_gives_the_new_program(pendulum: gough.Robot, tmp_path: Path) -> None:
    light = pendulum.description
    light.gravity = 0.1 * light.gravity
    x, out = np.array([0.3, 0.0, 0.0]), np.empty(1)
    found = []
    for robot in (pendulum, gough.Robot(light)):
        program = robot.compile(file=tmp_path / "p.so")
        assert program(x, out) == 0
        assert np.allclose(out, robot.inverse_dynamics(x[:1], x[1:2], x[2:]), rtol=1e-12)
        found.append(program)  # kept: the first stays loaded
    again = gough.CompiledProgram(tmp_path / "p.so")
    assert again(x, out) == 0
    assert np.allclose(out, gough.Robot(light).inverse_dynamics(x[:1], x[1:2], x[2:]), rtol=1e-12)


def test_batches_of_compiled_code_are_entries_by_states(pendulum: gough.Robot) -> None:
    program = pendulum.compile(batch=True)
    with pytest.raises(gough.Error, match="read arrays of 10 x 3, 10 x 1 and 10, expected 3 x states"):
        program.batch(np.zeros((10, 3)), np.zeros((10, 1)), np.zeros(10, np.int32))


# ----------------------------------------------------------------------------------------------- threads


def rubbing(name: str, function: Callable[[float], float]) -> gough.Robot:
    gough.define_friction(name, function)
    description = shipped("five_bar").description
    description.joint("left").coordinates[0].friction = [(name, "c")]
    description.coefficients["c"] = 1.0
    return gough.Robot(description)


def test_threads_may_make_a_batch_at_once() -> None:
    first_of: set[int] = set()

    def slow(v: float) -> float:
        if threading.get_ident() not in first_of:
            first_of.add(threading.get_ident())
            time.sleep(0.05)  # inside the making of the batch: the other thread comes in
        return v

    robot = rubbing("slow", slow)
    q, v, a = (np.tile(x, (100, 1)) for x in robot.random_states(3)[1:])
    expected = robot.inverse_dynamics(q, v, a, by="dalembert")
    first_of.clear()
    evaluator = gough.Evaluator(robot.mechanism, gough.DynamicsOptions(gough.Formulation.dalembert))
    outs = [np.zeros((len(q), 2)) for _ in range(3)]
    threads = [threading.Thread(target=evaluator.inverse, args=(q, v, a, out)) for out in outs]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert all(np.array_equal(out, expected) for out in outs)


def test_a_friction_function_may_end_slowly() -> None:
    class Function:
        def __call__(self, v: float) -> float:
            return v

        def __del__(self) -> None:
            time.sleep(0.2)
            gough.define_friction("ends_too", lambda v: v)

    robot = rubbing("ends", Function())

    def use() -> None:
        time.sleep(0.05)
        gough.Dynamics(robot.mechanism, robot.workspace())

    def define() -> None:
        gough.define_friction("ends", lambda v: v)

    threads = [threading.Thread(target=f, daemon=True) for f in (use, define)]
    for t in threads:
        t.start()
    for t in threads:
        t.join(20)
    assert not any(t.is_alive() for t in threads)


# ----------------------------------------------------------------------------------------------- small things


def test_the_line_of_progress_goes_whichever_way_work_ends(
    five_bar: gough.Robot, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Screen(io.StringIO):
        def isatty(self) -> bool:
            return True

    screen = Screen()
    monkeypatch.setattr(progress.sys, "stderr", screen)
    clock = itertools.count()
    monkeypatch.setattr(progress.time, "monotonic", lambda: float(next(clock)))

    def fails(t: float, w: gough.Workspace) -> Any:
        if t > 0.2:
            raise ZeroDivisionError
        time.sleep(1e-3)
        return [0.0, 0.0]

    with pytest.raises(ZeroDivisionError):
        five_bar.simulate(5.0, step=1e-3, controller=fails, method="rk4")
    shown = screen.getvalue()
    assert "row " in shown
    assert shown.endswith("\r") and shown.split("\r")[-2].strip() == ""


def test_parts_can_be_copied(five_bar: gough.Robot) -> None:
    description = five_bar.description
    other = copy.deepcopy(description)
    other.bodies[0].mass = 77.0
    assert description.bodies[0].mass != 77.0
    for part in (description, description.bodies[0], description.joints[0], description.joints[0].origin):
        assert type(copy.copy(part)) is type(part)
    w = five_bar.workspace()
    again = copy.copy(w)
    again.q = w.q + 1
    assert np.array_equal(w.q, five_bar.home)


def test_robots_that_bend_have_modal_joints() -> None:
    kinds = [j.kind for j in shipped("five_bar_flexible").with_modes(2).description.joints]
    assert kinds.count(gough.JointKind.modal) == 2
