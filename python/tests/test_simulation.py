"""Simulation: closed forms, conserved energies, controllers, interrupts, other integrators."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gough
import numpy as np
import pytest
from conftest import Tool, assert_same_table, shipped
from scipy.integrate import solve_ivp
from scipy.special import ellipk

G = 9.81


@pytest.fixture(scope="module")
def slide() -> gough.Robot:
    """A mass of 2 kg on a vertical slide."""
    drop = {"type": "prismatic", "parent": "base", "child": "mass", "role": "actuated"}
    return gough.Robot.from_dict({"robot": "slide", "bodies": {"mass": {"mass": 2}}, "joints": {"drop": drop}})


@pytest.fixture(scope="module")
def slide_x() -> gough.Robot:
    """A mass of 1 kg on a level slide."""
    x = {"type": "prismatic", "parent": "base", "child": "mass", "axis": [1, 0, 0], "role": "actuated", "home": 0}
    return gough.Robot.from_dict({"robot": "slide", "bodies": {"mass": {"mass": 1}}, "joints": {"x": x}})


# ------------------------------------------------------------------------------------------- closed forms


def test_a_free_slide_falls(slide: gough.Robot) -> None:
    table = slide.simulate(1.0, step=0.1).table
    assert np.abs(table["q.drop"] + G * table["t"] ** 2 / 2).max() < 1e-11
    assert np.abs(table["v.drop"] + G * table["t"]).max() < 1e-11
    assert np.abs(table["a.drop"] + G).max() < 1e-11


@pytest.mark.parametrize("method", ["adaptive", "stiff", "dae", "rk4"])
def test_a_constant_force_gives_a_parabola(method: str, slide: gough.Robot) -> None:
    table = slide.simulate(1.0, step=0.1, tau=[30.0], method=method, friction="smooth").table
    assert np.abs(table["q.drop"] - (30 / 2 - G) * table["t"] ** 2 / 2).max() < 1e-6


def test_a_table_of_forces_is_joined_by_straight_lines(slide: gough.Robot) -> None:
    forces = {"t": [0, 1], "tau.drop": [2 * G, 2 * G + 12]}  # x'' = 6 t
    table = slide.simulate(1.0, step=0.1, forces=forces).table
    assert np.abs(table["q.drop"] - table["t"] ** 3).max() < 1e-11


def test_a_pendulum_falls_in_the_time_of_the_elliptic_integral(pendulum: gough.Robot) -> None:
    quarter = float(np.sqrt(1 / G) * ellipk(np.sin(np.pi / 4) ** 2))
    run = pendulum.simulate(times=[0, quarter])
    assert run.table["q.swing"][-1] == pytest.approx(3 * np.pi / 2, abs=1e-10)
    assert run.table["v.swing"][-1] == pytest.approx(np.sqrt(2 * G), abs=1e-10)


def test_dry_friction_stops_and_holds() -> None:
    push = {"type": "prismatic", "parent": "base", "child": "mass", "axis": [1, 0, 0], "friction": {"coulomb": 6}}
    robot = gough.Robot.from_dict({"robot": "block", "bodies": {"mass": {"mass": 2}}, "joints": {"push": push}})
    run = robot.simulate(1.0, step=0.05, rates={"push": 1.5})  # 3 m/s^2, for 0.5 s
    t = np.minimum(run.table["t"], 0.5)
    assert np.abs(run.table["q.push"] - (1.5 * t - 1.5 * t**2)).max() < 1e-9
    assert run.events >= 1
    assert run.table["v.push"][-1] == 0


@pytest.mark.parametrize("loops", ["independent", "projected"])
def test_energy_is_kept(loops: str, four_bar: gough.Robot) -> None:
    run = four_bar.simulate(2.0, step=0.01, rates={"crank": 20.0}, loops=loops)
    total = run.table["kinetic"] + run.table["potential"]
    assert run.conservative
    assert np.abs(total - total[0]).max() < 1e-8 * run.table["kinetic"].max()
    assert run.table["residual"].max() < 1e-10


def test_energy_grows_by_what_the_drive_gives(four_bar: gough.Robot) -> None:
    run = four_bar.simulate(0.5, step=1e-3, tau=[0.4])
    total = run.table["kinetic"] + run.table["potential"]
    turned = run.table["q.crank"] - run.table["q.crank"][0]
    assert total - total[0] == pytest.approx(0.4 * turned, abs=1e-9)


# ------------------------------------------------------------------------------------------- starts


def test_rates_of_one_joint_set_all_others(four_bar: gough.Robot) -> None:
    """The loop of the four-bar, differentiated by hand."""
    run = four_bar.simulate(times=[0.0], rates={"crank": 20.0})
    q, v = ({n: run.table[f"{level}.{n}"][0] for n in ("crank", "knee", "rocker")} for level in "qv")
    coupler, w = q["crank"] + q["knee"], v["crank"] + v["knee"]
    across = np.array([-np.sin(q["crank"]), np.cos(q["crank"])]) * 0.1 * 20.0
    across += np.array([-np.sin(coupler), np.cos(coupler)]) * 0.25 * w
    end = np.array([-np.sin(q["rocker"]), np.cos(q["rocker"])]) * 0.2 * v["rocker"]
    assert across == pytest.approx(end, abs=1e-12)
    assert v["crank"] == pytest.approx(20.0)


def test_a_run_starts_at_a_pose_at_actuators_or_at_a_state(hexapod: gough.Robot) -> None:
    there = hexapod.inverse_kinematics([0.02, 0.01, -0.66, 0, 0, 0.1])
    starts: list[dict[str, Any]] = [{"pose": there.pose}, {"actuators": there.actuators}, {"q": there.q}]
    for start in starts:
        table = hexapod.simulate(times=[0.0], **start).table
        assert table[["x", "y", "z", "rx", "ry", "rz"]][0] == pytest.approx(there.pose, abs=1e-9)


def test_equilibrium_is_where_a_pendulum_hangs(pendulum: gough.Robot) -> None:
    assert pendulum.simulate(times=[0.0], equilibrium=True).table["q.swing"][0] == pytest.approx(3 * np.pi / 2)


def test_equilibrium_balances_the_forces_that_are_given(pendulum: gough.Robot) -> None:
    angle = pendulum.simulate(times=[0.0], equilibrium=True, tau=[2.0]).table["q.swing"][0]
    assert G * np.cos(angle) == pytest.approx(2.0)


def test_equilibrium_of_a_spring_is_hookes() -> None:
    joint = {"type": "prismatic", "parent": "base", "child": "mass", "role": "elastic", "stiffness": 200, "rest": 0.1}
    robot = gough.Robot.from_dict({"robot": "scales", "bodies": {"mass": {"mass": 3}}, "joints": {"spring": joint}})
    assert robot.simulate(times=[0.0], equilibrium=True).table["q.spring"][0] == pytest.approx(0.1 - 3 * G / 200)


WRONG_STARTS = [
    ({"pose": [0, 0, -0.65, 0, 0, 0], "actuators": [0.75] * 6}, "start: read several of pose, actuators and q"),
    ({"tau": [1, 2]}, "tau: read 2 numbers, expected 6"),
    ({"tau": [0] * 6, "forces": {"t": [0]}}, "simulate: read tau and forces, expected one of them"),
    ({"rates": {"nix": 1.0}}, "rates: read the joint 'nix', expected one of the opened tree's"),
    ({"forces": {"t": [0, 1], "tau.leg1.drive": [0, 1]}}, "tau.leg2.drive"),
    ({"times": []}, "times: read none"),
    ({"times": [0, 1, 0.5]}, "read times that do not increase"),
    ({"times": [0, float("nan")]}, "times: read a number that is not finite"),
    ({"time": -1}, "time, step: read"),
    ({"step": 0}, "time, step: read"),
    ({"method": "euler"}, "method: read 'euler', expected one of adaptive, stiff, dae, rk4, semi_implicit"),
    ({"loops": "open"}, "loops: read 'open', expected one of independent, projected, baumgarte, drift"),
    ({"friction": "oil"}, "friction: read 'oil', expected one of stick, smooth"),
    ({"by": "newton"}, "by: read 'newton'"),
]


@pytest.mark.parametrize("case", range(len(WRONG_STARTS)))
def test_wrong_wishes_are_told(case: int, hexapod: gough.Robot) -> None:
    wish, message = WRONG_STARTS[case]
    with pytest.raises(gough.Error, match=message):
        hexapod.simulate(**wish)


@pytest.mark.parametrize(
    "wish", ["fixed_step=0", "fixed_step=-1", "hold=-1", "smooth=0", "tolerance=-1", "tau=[float('nan')]", "rates={'crank': float('nan')}"]
)  # fmt: skip
def test_what_the_tool_refuses_is_refused(wish: str, own_process: Callable[..., Any]) -> None:
    """In a process of its own, because a step of zero might not end."""
    program = f"""
import gough
try:
    gough.load("robots/four_bar.yaml").simulate(0.01, method="rk4", friction="smooth", **dict({wish}))
except (gough.Error, gough.Failure):
    print("refused")
"""
    try:
        done = own_process(program, timeout=5)
    except subprocess.TimeoutExpired:
        pytest.fail("the run does not end")
    assert done.stdout == "refused\n"


def test_a_start_that_does_not_exist_is_a_failure(five_bar: gough.Robot) -> None:
    with pytest.raises(gough.Failure, match="the start: unreachable: leg 'left_proximal'"):
        five_bar.simulate(pose=[0.5, 0.5, 0, 0, 0, 0])


def test_a_run_that_cannot_go_on_is_a_failure_with_its_rows(slide: gough.Robot) -> None:
    with pytest.raises(gough.Failure) as caught:
        slide.simulate(v=[float("nan")])
    assert caught.value.result.status != gough.Status.ok  # type: ignore[attr-defined]
    assert str(caught.value).startswith("t = 0 s: not_converged: ")


# ------------------------------------------------------------------------------------------- the tool


def test_a_run_is_the_tools(tmp_path: Path, four_bar: gough.Robot, tool: Tool) -> None:
    csv, ours = tmp_path / "theirs.csv", tmp_path / "ours.csv"
    said = tool.run("simulate", "robots/four_bar.yaml", "--rates", "crank=20", "--time", 0.5, "--step", 0.01, "-o", csv)
    run = four_bar.simulate(0.5, step=0.01, rates={"crank": 20.0}, output=ours)
    assert_same_table(run.table, gough.Table.read(csv))
    assert np.array_equal(gough.Table.read(ours).values, run.table.values)
    assert said.stdout.splitlines()[0] == str(run).splitlines()[0]


def test_limits_that_are_exceeded_are_named_as_by_the_tool(hexapod: gough.Robot, tool: Tool) -> None:
    run = hexapod.simulate(0.3, step=0.05)
    said = tool.complaint("simulate", "robots/hexapod.yaml", "--time", 0.3, "--step", 0.05)
    assert [said] == [f"robots/hexapod.yaml: out_of_limits: {b}" for b in run.beyond]


def test_drives_follow_a_motion_exactly(tmp_path: Path, tool: Tool) -> None:
    robot, motion = shipped("elastic_five_bar"), "motions/five_bar_line.yaml"
    run = robot.simulate(0.1, step=0.01, drives=motion)
    wanted = robot.inverse_dynamics(motion, step=0.01).table
    drives = ["q.left", "q.right"]
    assert np.abs(run.table[drives] - wanted[drives][: len(run.table)]).max() < 1e-6
    csv = tmp_path / "theirs.csv"
    tool.run("simulate", "robots/elastic_five_bar.yaml", "--time", 0.1, "--step", 0.01, "--drives", motion, "-o", csv)
    theirs = gough.Table.read(csv)
    kept = [c for c in theirs.columns if c != "residual"]  # rounding over rounding
    assert run.table["residual"].max() < 1e-12
    assert_same_table(gough.Table(kept, run.table[kept]), gough.Table(kept, theirs[kept]), 1e-6)


def test_forces_of_tables_and_controllers_jump_where_they_say(slide_x: gough.Robot) -> None:
    rows = {"t": [0, 0.5003, 0.5003, 1], "tau.x": [0, 0, 1000, 1000]}
    for method in ("adaptive", "stiff", "dae"):
        run = slide_x.simulate(1.0, step=0.3, forces=rows, method=method)
        assert run.table["v.x"][-1] == pytest.approx(499.7, rel=1e-7)
    run = slide_x.simulate(1.0, step=0.3, controller=lambda t, w: [1000.0 * (t >= 0.5003)], knots=[0.5003])
    assert run.table["v.x"][-1] == pytest.approx(499.7, rel=1e-9)
    with pytest.raises(gough.Error, match="knots"):
        slide_x.simulate(1.0, forces=rows, knots=[0.5])


def test_runs_start_with_joints_where_they_are_said(slide_x: gough.Robot) -> None:
    run = slide_x.simulate(times=[0.0, 0.25, 1.0], positions={"x": 0.3}, rates={"x": 2.0})
    assert run.table["q.x"] == pytest.approx([0.3, 0.8, 2.3])
    with pytest.raises(gough.Error, match="one of the opened tree's"):
        slide_x.simulate(0.1, positions={"y": 0.3})
    elastic = shipped("elastic_five_bar")
    run = elastic.simulate(
        0.001, step=0.001, actuators=elastic.home[elastic.mechanism.actuator_position], positions={"left_stretch": 1e-4}
    )
    assert run.table["q.left_stretch"][0] == pytest.approx(1e-4)


# ------------------------------------------------------------------------------------------- controllers


def spring(robot: gough.Robot) -> Callable[[float, gough.Workspace], Any]:
    index, place, home = robot.mechanism.actuator_index, robot.mechanism.actuator_position, robot.home.copy()
    return lambda t, w: -20 * (w.q[place] - home[place]) - 0.5 * w.v[index]


@pytest.mark.parametrize("method", ["adaptive", "stiff", "dae", "rk4", "semi_implicit"])
@pytest.mark.parametrize("loops", ["independent", "projected"])
def test_a_controller_may_return_forces_or_write_them(method: str, loops: str, five_bar: gough.Robot) -> None:
    law = spring(five_bar)

    def in_place(t: float, w: gough.Workspace) -> None:
        w.tau[:] = law(t, w)

    def assigned(t: float, w: gough.Workspace) -> None:
        w.tau = law(t, w)

    wish: dict[str, Any] = {"step": 0.02, "method": method, "loops": loops, "friction": "smooth"}
    expected = five_bar.simulate(0.1, controller=law, **wish).table.values
    assert np.array_equal(five_bar.simulate(0.1, controller=in_place, **wish).table.values, expected)
    assert np.array_equal(five_bar.simulate(0.1, controller=assigned, **wish).table.values, expected)


def test_a_controller_that_is_a_spring_is_a_spring(slide: gough.Robot) -> None:
    table = slide.simulate(1.0, step=0.05, rates={"drop": 1.0}, controller=lambda t, w: [2 * G - 50 * w.q[0]]).table
    omega = 5.0  # sqrt(50 / 2)
    assert np.abs(table["q.drop"] - np.sin(omega * table["t"]) / omega).max() < 1e-9


def test_a_controller_sees_time_and_state(slide: gough.Robot) -> None:
    seen: list[tuple[float, float, float]] = []

    def watch(t: float, w: gough.Workspace) -> None:
        seen.append((t, w.q[0], w.v[0]))

    slide.simulate(0.5, step=0.1, controller=watch)
    t, q, v = np.array(seen).T
    assert t.min() == 0
    assert 0.4 < t.max() <= 0.5 + 1e-9
    assert np.abs(v + G * t).max() < 1e-2  # stages of a step are not yet its result


def test_hold_asks_once_in_a_period_and_holds(slide: gough.Robot) -> None:
    asked: list[float] = []

    def law(t: float, w: gough.Workspace) -> list[float]:
        asked.append(t)
        return [2 * G + 10 * round(t / 0.25)]  # x'' = 0, 5, 10, 15

    table = slide.simulate(1.0, step=0.125, hold=0.25, controller=law).table
    assert sorted({round(t, 12) for t in asked if t < 1}) == [0, 0.25, 0.5, 0.75]
    x = v = 0.0
    expected = [0.0]
    for half in range(8):
        a = 5.0 * (half // 2)
        x, v = x + 0.125 * v + a * 0.125**2 / 2, v + 0.125 * a
        expected.append(x)
    assert table["q.drop"] == pytest.approx(expected, abs=1e-11)


@pytest.mark.parametrize("method", ["adaptive", "stiff", "dae", "rk4", "semi_implicit"])
def test_what_a_controller_raises_arrives_as_it_is(method: str, five_bar: gough.Robot) -> None:
    class Mine(Exception):
        pass

    def breaks(t: float, w: gough.Workspace) -> None:
        if t > 0.05:
            raise Mine(t)

    with pytest.raises(Mine):
        five_bar.simulate(1.0, controller=breaks, method=method, friction="smooth")


def test_what_a_controller_raises_ends_a_long_run_at_once(five_bar: gough.Robot) -> None:
    """Rows far apart: the run must not go on to the next one."""

    def breaks(t: float, w: gough.Workspace) -> None:
        if t > 0.05:
            raise KeyError("enough")

    start = time.monotonic()
    with pytest.raises(KeyError, match="enough"):
        five_bar.simulate(times=[0, 20], controller=breaks)
    assert time.monotonic() - start < 1


WRONG_FORCES = [
    ([1.0], "controller: read 1 numbers, expected 2"),
    ([1.0, 2.0, 3.0], "controller: read 3 numbers, expected 2"),
    ([float("nan"), 0.0], "controller: read a force that is not a number, expected numbers"),
    ([float("inf"), 0.0], "controller: read a force that is not a number, expected numbers"),
    ("much", "controller: read what is no list of numbers, expected the forces of the actuators, or None"),
    ([[1.0, 2.0]], "controller: read what is no list of numbers"),
]


@pytest.mark.parametrize("case", range(len(WRONG_FORCES)))
def test_wrong_forces_of_a_controller_are_told(case: int, five_bar: gough.Robot) -> None:
    forces, message = WRONG_FORCES[case]
    with pytest.raises(gough.Error, match=message):
        five_bar.simulate(0.1, controller=lambda t, w: forces)


def test_forces_that_are_written_must_be_numbers(five_bar: gough.Robot) -> None:
    def law(t: float, w: gough.Workspace) -> None:
        w.tau[0] = np.nan

    with pytest.raises(gough.Error, match="controller: read a force that is not a number"):
        five_bar.simulate(0.1, controller=law)


def test_a_controller_may_use_the_robot(five_bar: gough.Robot) -> None:
    """Computed torque by hand: with the weight and inertia known, drives follow x'' = -w^2 (x - home)."""
    index, place = five_bar.mechanism.actuator_index, five_bar.mechanism.actuator_position
    home, zero = five_bar.home[place], np.zeros(2)

    def law(t: float, w: gough.Workspace) -> np.ndarray:
        bias = five_bar.forward_dynamics(w.q, w.v, zero)[index]
        columns = [five_bar.forward_dynamics(w.q, w.v, e)[index] - bias for e in np.eye(2)]
        forces: np.ndarray = np.linalg.solve(np.array(columns).T, -25 * (w.q[place] - home) - bias)
        return forces

    table = five_bar.simulate(1.0, step=0.1, controller=law, rates={"left": 0.3, "right": -0.2}).table
    for name, rate, start in zip(("left", "right"), (0.3, -0.2), home, strict=True):
        assert table[f"q.{name}"] == pytest.approx(start + rate * np.sin(5 * table["t"]) / 5, abs=1e-8)


# ------------------------------------------------------------------------------------------- interrupts


@pytest.fixture
def interrupted() -> Callable[[Callable[[], object]], float]:
    """Does something, sends Ctrl-C after 0.15 s, and returns how much longer it kept the processor busy [s]."""

    def run(work: Callable[[], object]) -> float:
        sent: list[float] = []

        def send() -> None:
            sent.append(time.process_time())
            os.kill(os.getpid(), signal.SIGINT)

        timer = threading.Timer(0.15, send)
        timer.start()
        try:
            work()
        except KeyboardInterrupt:
            return time.process_time() - sent[0]
        finally:
            timer.cancel()
            timer.join()
        raise AssertionError("the work was done before it could be interrupted")

    return run


LONG = {
    "simulate": lambda: shipped("five_bar").simulate(1000),
    "a controller": lambda: shipped("five_bar").simulate(1000, controller=lambda t, w: None),
    "inverse dynamics": lambda: shipped("hexapod").inverse_dynamics("motions/hexapod_circle.yaml", step=5e-6),
    "states": lambda: shipped("hexapod").states("motions/hexapod_circle.yaml", step=2e-5),
    "measure": lambda: shipped("hexapod").measure("motions/hexapod_circle.yaml", step=2e-5),
    "show": lambda: shipped("hexapod").show("motions/hexapod_circle.yaml", step=3e-5),
    "excite": lambda: shipped("five_bar").excite(evaluations=100000),
    "flex": lambda: shipped("rrr3_flexible").flex("motions/rrr3_circle.yaml", step=2e-4),
    "coupled": lambda: shipped("rrr3_flexible").flex("motions/rrr3_circle.yaml", modes=4),
    "follow": lambda: shipped("rrr3_flexible").flex(
        "motions/rrr3_circle.yaml", step=5e-4, follow="modified_driving_force"
    ),
    "track": lambda: shipped("five_bar").track("motions/five_bar_reach.yaml", period=5e-5),
    "a law": lambda: shipped("five_bar").track("motions/five_bar_reach.yaml", lambda s: s.ahead_tau, period=5e-5),
}


@pytest.mark.parametrize("what", LONG)
def test_ctrl_c_ends_long_work_soon(what: str, interrupted: Callable[[Callable[[], object]], float]) -> None:
    assert interrupted(LONG[what]) < 1


def test_ctrl_c_ends_a_study_and_keeps_its_rows(tmp_path: Path, interrupted: Callable[..., float]) -> None:
    assert interrupted(lambda: gough.run("studies/palida_circle.yaml", tmp_path)) < 1


def test_rows_that_are_done_are_kept_in_the_file(
    tmp_path: Path, interrupted: Callable[..., float], four_bar: gough.Robot
) -> None:
    file = tmp_path / "rows.csv"
    interrupted(lambda: four_bar.simulate(1000, rates={"crank": 20.0}, output=file))
    kept = gough.Table.read(file)
    assert len(kept) > 10
    expected = four_bar.simulate(0.01, rates={"crank": 20.0}).table.values
    assert np.array_equal(kept.values[:11], expected)


def test_python_works_after_an_interrupt(interrupted: Callable[..., float], slide: gough.Robot) -> None:
    interrupted(lambda: slide.simulate(1000))
    assert slide.simulate(1.0, step=1.0).table["q.drop"][-1] == pytest.approx(-G / 2)


# ------------------------------------------------------------------------------------------- other integrators


@pytest.mark.parametrize("name", ["five_bar", "hexapod", "psp3"])
def test_scipy_integrates_to_the_same_motion(name: str) -> None:
    robot = shipped(name)
    tau = 0.9 * robot.inverse_dynamics(robot.home, np.zeros(robot.nv), np.zeros(robot.nv))
    f = robot.right_hand_side(tau=tau)
    times = np.linspace(0, 0.2, 5)
    solution = solve_ivp(f, (0, 0.2), f.x0, t_eval=times, method="DOP853", rtol=1e-11, atol=1e-12)
    ours = robot.simulate(times=times, tau=tau).table
    actuated = robot.mechanism.actuator_position
    assert np.abs(f.q(solution.y)[:, actuated] - ours[[f"q.{a}" for a in robot.actuators]]).max() < 1e-8
    rates = f.v(solution.y)[:, robot.mechanism.actuator_index]
    assert np.abs(rates - ours[[f"v.{a}" for a in robot.actuators]]).max() < 1e-8


def test_scipy_and_a_controller_integrate_to_the_same_motion(five_bar: gough.Robot) -> None:
    law, start = spring(five_bar), {"rates": {"left": 1.0, "right": 0.5}}
    f = five_bar.right_hand_side(controller=law, **start)
    solution = solve_ivp(f, (0, 0.3), f.x0, method="DOP853", rtol=1e-11, atol=1e-12)
    ours = five_bar.simulate(0.3, step=0.1, controller=law, **start).table
    q, v = f.states(solution.y[:, -1])
    assert q[five_bar.mechanism.actuator_position] == pytest.approx(ours[["q.left", "q.right"]][-1], abs=1e-8)
    assert v[five_bar.mechanism.actuator_index] == pytest.approx(ours[["v.left", "v.right"]][-1], abs=1e-8)


def test_a_right_hand_side_holds_the_state_it_was_given(five_bar: gough.Robot) -> None:
    f = five_bar.right_hand_side(pose=[0.03, 0.42, 0, 0, 0, 0], rates={"left": 1.0, "right": 0.5})
    q, v = f.states(f.x0)
    assert q[:2] == pytest.approx([0.03, 0.42])
    assert v[five_bar.mechanism.actuator_index] == pytest.approx([1.0, 0.5])
    many = f.q(np.column_stack([f.x0, f.x0]))
    assert many.shape == (2, five_bar.nq)
    assert np.array_equal(many[0], q)


def test_a_right_hand_side_tells_what_is_wrong(five_bar: gough.Robot) -> None:
    f = five_bar.right_hand_side()
    with pytest.raises(gough.Error, match="x: read 3 numbers, expected 4"):
        f(0.0, [1, 2, 3])
    with pytest.raises(gough.Error, match="controller: read 1 numbers, expected 2"):
        five_bar.right_hand_side(controller=lambda t, w: [1.0])(0.0, f.x0)
    with pytest.raises(gough.Failure, match="not_converged"):
        f(0.0, f.x0 + 50)
