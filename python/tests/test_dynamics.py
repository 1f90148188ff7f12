"""Dynamics: formulations against each other, energies, virtual work, and the command-line tool's tables."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gough
import numpy as np
import pandas as pd
import pytest
from conftest import SIX_FORMULATIONS, Tool, assert_same_json, assert_same_table, shipped

G = 9.81
CIRCLE = "motions/hexapod_circle.yaml"


def names(robot: gough.Robot, level: str) -> list[str]:
    return [f"{level}.{a}" for a in robot.actuators]


# ------------------------------------------------------------------------------------------- formulations


def test_six_formulations_agree_on_forces(robot: gough.Robot) -> None:
    states = robot.random_states(20)[1:]
    expected = robot.inverse_dynamics(*states, by="multipliers")
    for by in SIX_FORMULATIONS:
        found = robot.inverse_dynamics(*states, by=by)
        assert np.abs(found - expected).max() < 1e-9 * np.abs(expected).max(), by


def test_six_formulations_agree_on_accelerations(robot: gough.Robot) -> None:
    q, v, a = robot.random_states(20)[1:]
    tau = robot.inverse_dynamics(q, v, a)
    expected = robot.forward_dynamics(q, v, tau, by="multipliers")
    for by in SIX_FORMULATIONS:
        found = robot.forward_dynamics(q, v, tau, by=by)
        assert np.abs(found - expected).max() < 1e-8 * np.abs(expected).max(), by


def test_compare_agrees(robot: gough.Robot) -> None:
    comparison = robot.compare(5)
    assert comparison.agrees()
    assert comparison.states == 5
    assert comparison.to_dict()["robot"] == robot.name
    assert str(comparison).startswith(f"{robot.name}: 5 states")


def test_forward_undoes_inverse_dynamics(robot: gough.Robot) -> None:
    q, v, a = robot.random_states(20)[1:]
    back = robot.forward_dynamics(q, v, robot.inverse_dynamics(q, v, a))
    assert np.abs(back - a).max() < 1e-8 * np.abs(a).max()


@pytest.mark.parametrize("count", [0, 1, 17])
def test_random_states_are_as_many_as_asked_for_and_closed(count: int, hexapod: gough.Robot) -> None:
    t, q, v, a = hexapod.random_states(count)
    assert (len(t), q.shape, v.shape, a.shape) == (count, (count, 25), (count, 24), (count, 24))
    for state in q:
        assert gough.close_loops(hexapod.mechanism, hexapod.workspace(state)) < 1e-10


# ------------------------------------------------------------------------------------------- energy and momentum

MOTIONS = {
    "hexapod": CIRCLE,
    "delta": "motions/delta_pick.yaml",
    "rrr3": "motions/rrr3_circle.yaml",
    "five_bar": "motions/five_bar_line.yaml",
    "psp3": "motions/psp3_paper.yaml",
    "palida": "motions/palida_circle.yaml",
}


def fourth_order(x: np.ndarray, h: float) -> np.ndarray:
    """Rates of rows that are h apart."""
    slope: np.ndarray = (-x[4:] + 8 * x[3:-1] - 8 * x[1:-3] + x[:-4]) / (12 * h)
    return slope


@pytest.mark.parametrize("name", MOTIONS)
def test_power_of_the_actuators_goes_into_energy_and_losses(name: str) -> None:
    robot, h = shipped(name), 1e-4
    first = {"palida": 6000, "delta": 200}.get(name, 400)
    t, q, v, a = (x[first : first + 60] for x in robot.states(MOTIONS[name], step=h))
    tau = robot.inverse_dynamics(q, v, a)
    balance = [robot.energy(*state) for state in zip(q, v, tau, strict=True)]
    energy = np.array([b.kinetic + b.potential for b in balance])
    power = np.array([b.actuators - b.losses for b in balance])
    rate = v[:, robot.mechanism.actuator_index]
    assert np.array([b.actuators for b in balance]) == pytest.approx((tau * rate).sum(axis=1), rel=1e-12, abs=1e-12)
    assert np.abs(fourth_order(energy, h) - power[2:-2]).max() < 1e-6 * np.abs(power).max()


def test_momentum_changes_by_weight_and_by_what_the_base_carries(five_bar: gough.Robot) -> None:
    h, m = 1e-4, five_bar.mechanism
    t, q, v, a = (x[300:320] for x in five_bar.states(MOTIONS["five_bar"], step=h))
    momentum = np.array([five_bar.energy(*state).momentum for state in zip(q, v, strict=True)])
    w = five_bar.workspace()
    d = gough.Dynamics(m, w)
    carried = []
    for state in zip(q, v, a, strict=True):
        w.q, w.v, w.a = state
        assert gough.inverse_dynamics(m, w, d)
        carried.append(gough.reactions(m, w, d).on_base[:3])
    mass = 0.5 + 0.3 + 0.2 + 0.5 + 0.3
    expected = np.array([0, -G * mass, 0]) - np.array(carried)[2:-2]
    assert np.abs(fourth_order(momentum, h) - expected).max() < 1e-6 * np.abs(expected).max()


def test_legs_carry_the_platform(hexapod: gough.Robot) -> None:
    m, w = hexapod.mechanism, hexapod.workspace()
    d = gough.Dynamics(m, w)
    assert gough.inverse_dynamics(m, w, d)
    legs = gough.reactions(m, w, d).leg
    total = np.sum([leg.wrench for leg in legs], axis=0)
    assert [leg.leg for leg in legs] == [f"leg{i}" for i in range(1, 7)]
    assert total == pytest.approx([0, 0, 4.5 * G, 0, 0, 0], abs=1e-9)  # centre of mass above the origin


def test_drives_of_a_standing_3psp_carry_its_weight_in_equal_shares() -> None:
    psp3 = shipped("psp3")
    still = np.zeros(psp3.nv)
    forces = psp3.inverse_dynamics(psp3.home, still, still)
    assert forces == pytest.approx(np.full(3, (1 + 3 * 0.5) * G / 3), rel=1e-12)


# ------------------------------------------------------------------------------------------- wrenches, derivatives


def test_a_wrench_is_held_by_virtual_work(hexapod: gough.Robot) -> None:
    q, v, a = hexapod.random_states(5)[1:]
    wrench = np.array([3.0, -2.0, 5.0, 0.1, 0.2, -0.3])
    change = hexapod.inverse_dynamics(q, v, a, wrench=wrench) - hexapod.inverse_dynamics(q, v, a)
    expected = np.array([-hexapod.jacobian(x).T @ wrench for x in q])
    assert change == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_actuators_do_the_power_that_a_wrench_takes(robot: gough.Robot) -> None:
    motion = MOTIONS.get(robot.name, MOTIONS["five_bar"])
    t, q, v, a = robot.states(motion, step=0.02)
    wrench = np.array([3.0, -2.0, 5.0, 0.1, 0.2, -0.3])
    change = robot.inverse_dynamics(q, v, a, wrench=wrench) - robot.inverse_dynamics(q, v, a)
    twist = robot.inverse_dynamics(motion, step=0.02).table[["vx", "vy", "vz", "wx", "wy", "wz"]]
    given = (change * v[:, robot.mechanism.actuator_index]).sum(axis=1)
    assert given == pytest.approx(-twist @ wrench, rel=1e-8, abs=1e-9)


def test_a_wrench_holds_for_its_call_only(hexapod: gough.Robot) -> None:
    q, v, a = hexapod.random_states(3)[1:]
    free = hexapod.inverse_dynamics(q, v, a)
    one = hexapod.inverse_dynamics(q[0], v[0], a[0], wrench=[0, 0, 10, 0, 0, 0])
    assert np.array_equal(one, hexapod.inverse_dynamics(q[:1], v[:1], a[:1], wrench=[0, 0, 10, 0, 0, 0])[0])
    with pytest.raises(gough.Error):
        hexapod.inverse_dynamics(q[:, 1:], v, a, wrench=[0, 0, 10, 0, 0, 0])
    assert np.array_equal(hexapod.inverse_dynamics(q, v, a), free)
    assert hexapod.inverse_dynamics(q[0], v[0], a[0]) == pytest.approx(free[0], rel=1e-12)  # a program by now, or lanes


def test_a_wrench_accelerates_as_its_forces_would(hexapod: gough.Robot) -> None:
    q, v, a = (x[0] for x in hexapod.random_states(1)[1:])
    wrench = [10, 20, 30, 1, 2, 3]
    tau = hexapod.inverse_dynamics(q, v, a, wrench=wrench)
    assert hexapod.forward_dynamics(q, v, tau, wrench=wrench) == pytest.approx(a, abs=1e-8 * np.abs(a).max())


def test_a_wrench_needs_a_platform(pendulum: gough.Robot) -> None:
    with pytest.raises(gough.Error, match="pendulum: wrench: read one, expected a robot with a platform"):
        pendulum.inverse_dynamics([0.0], [0.0], [0.0], wrench=np.zeros(6))


def differences(robot: gough.Robot, call: Any, at: dict[str, float], level: str, h: float) -> np.ndarray:
    """Derivatives of forces, or of accelerations, with respect to q, v, a or tau of each actuator, by central differences."""
    columns = []
    for name in names(robot, level):
        rows = pd.DataFrame([at | {name: at[name] + s * h} for s in (-2, -1, 1, 2)])
        y = call(rows)
        columns.append((y[0] - 8 * y[1] + 8 * y[2] - y[3]) / (12 * h))
    return np.array(columns).T


@pytest.mark.parametrize("name", ["hexapod", "delta", "five_bar", "palida"])
def test_derivatives_of_forces_are_exact(name: str) -> None:
    robot = shipped(name)
    index = robot.mechanism.actuator_index
    q, v, a = (x[1] for x in robot.random_states(2)[1:])
    w = robot.workspace(q)
    assert gough.Dynamics(robot.mechanism, w).independent == index
    place = robot.mechanism.actuator_position
    at = dict(
        zip(names(robot, "q") + names(robot, "v") + names(robot, "a"), [*q[place], *v[index], *a[index]], strict=True)
    )

    def forces(rows: pd.DataFrame) -> np.ndarray:
        found: np.ndarray = robot.inverse_dynamics(rows).table[names(robot, "tau")]
        return found

    exact = robot.derivatives(q, v, a)
    for level, derivative in (("q", exact.by_position), ("v", exact.by_velocity), ("a", exact.by_last)):
        expected = differences(robot, forces, at, level, 1e-3)
        assert np.abs(derivative - expected).max() < 1e-5 * np.abs(expected).max(), level


@pytest.mark.parametrize("name", ["hexapod", "five_bar"])
def test_derivatives_of_accelerations_are_exact(name: str) -> None:
    robot = shipped(name)
    index, place = robot.mechanism.actuator_index, robot.mechanism.actuator_position
    q, v, a = (x[1] for x in robot.random_states(2)[1:])
    tau = robot.inverse_dynamics(q, v, a)
    at = dict(
        zip(names(robot, "q") + names(robot, "v") + names(robot, "tau"), [*q[place], *v[index], *tau], strict=True)
    )

    def accelerations(rows: pd.DataFrame) -> np.ndarray:
        found: np.ndarray = robot.forward_dynamics(rows)[names(robot, "a")]
        return found

    exact = robot.derivatives(q, v, tau=tau)
    for level, derivative in (("q", exact.by_position), ("v", exact.by_velocity), ("tau", exact.by_last)):
        expected = differences(robot, accelerations, at, level, 1e-3)
        assert np.abs(derivative - expected).max() < 1e-5 * np.abs(expected).max(), level


def test_derivatives_ask_for_one_of_two(five_bar: gough.Robot) -> None:
    with pytest.raises(gough.Error, match="derivatives: read both or neither of a and tau, expected one of them"):
        five_bar.derivatives(five_bar.home, np.zeros(9))


# ------------------------------------------------------------------------------------------- along a motion


@pytest.mark.parametrize("name", ["hexapod", "delta", "psp3", "palida"])
def test_a_report_has_the_tools_table(name: str, tmp_path: Path, tool: Tool) -> None:
    robot, motion, csv = shipped(name), MOTIONS[name], tmp_path / "table.csv"
    said = tool.run("inverse", f"robots/{name}.yaml", motion, "--step", 0.01, "--reactions", "-o", csv)
    report = robot.inverse_dynamics(motion, step=0.01, reactions=True, output=tmp_path / "ours.csv")
    assert_same_table(report.table, gough.Table.read(csv))
    assert np.array_equal(gough.Table.read(tmp_path / "ours.csv").values, report.table.values)
    assert said.stdout.startswith(str(report))


def test_a_report_has_the_tools_json(hexapod: gough.Robot, tool: Tool) -> None:
    report = hexapod.inverse_dynamics(CIRCLE, step=0.1)
    said = tool.json("inverse", "robots/hexapod.yaml", CIRCLE, "--step", 0.1)
    assert_same_json(report.to_dict(), said)
    assert report.sizing() == report.to_dict()["sizing"]
    assert report.rows == len(report.table) == 21


@pytest.mark.parametrize("elastic", ["locked", "quasistatic"])
def test_elastic_joints_move_as_in_the_tool(elastic: str, tmp_path: Path, tool: Tool) -> None:
    motion, csv = "motions/five_bar_line.yaml", tmp_path / "table.csv"
    tool.run("inverse", "robots/elastic_five_bar.yaml", motion, "--step", 0.01, "--elastic", elastic, "-o", csv)
    report = shipped("elastic_five_bar").inverse_dynamics(motion, step=0.01, elastic=elastic)
    assert_same_table(report.table, gough.Table.read(csv))
    assert (report.elastic_residual < 1e-9) == (elastic == "quasistatic")


def test_a_frame_a_mapping_a_table_and_a_file_are_one_motion(hexapod: gough.Robot, tmp_path: Path) -> None:
    frame = hexapod.inverse_dynamics(CIRCLE, step=0.05).to_pandas()
    states = frame[[c for c in frame.columns if not c.startswith(("q.", "v.", "a.", "tau."))]]
    file = tmp_path / "states.csv"
    table = gough.Table.of(states)
    table.write(file)
    expected = hexapod.inverse_dynamics(file).table[names(hexapod, "tau")]
    assert expected == pytest.approx(frame[names(hexapod, "tau")].to_numpy(), rel=1e-9)
    for motion in (states, table, {c: states[c].to_numpy() for c in states}, str(file)):
        assert np.array_equal(hexapod.inverse_dynamics(motion).table[names(hexapod, "tau")], expected)


def test_a_dict_a_file_and_a_trajectory_are_one_motion(hexapod: gough.Robot) -> None:
    circle = {"circle": {"centre": [0, 0, -0.60], "radius": "50 mm", "duration": "2 s"}}
    expected = hexapod.inverse_dynamics(CIRCLE, step=0.1).table.values
    for motion in (circle, hexapod.trajectory(CIRCLE), hexapod.trajectory(circle), hexapod.motion(CIRCLE, step=0.1)):
        assert np.array_equal(hexapod.inverse_dynamics(motion, step=0.1).table.values, expected)


def test_states_along_a_motion_follow_its_formula(hexapod: gough.Robot) -> None:
    rate, z = 2 * np.pi, -0.60
    coordinates = {"x": {"sin": ["50 mm"]}, "z": {"offset": z, "cos": ["20 mm"]}}
    t, q, v, a = hexapod.states(
        {"harmonic": {"duration": "1 s", "rate": "1 Hz", "coordinates": coordinates}}, step=0.05
    )
    x_at, z_at = hexapod.coordinates.index("platform.x"), hexapod.coordinates.index("platform.z")
    s, c = np.sin(rate * t), np.cos(rate * t)
    for found, expected in (
        (q[:, x_at], 0.05 * s),
        (v[:, x_at], 0.05 * rate * c),
        (a[:, x_at], -0.05 * rate**2 * s),
        (q[:, z_at], z + 0.02 * c),
        (v[:, z_at], -0.02 * rate * s),
        (a[:, z_at], -0.02 * rate**2 * c),
    ):
        assert np.abs(found - expected).max() < 1e-12


def test_forces_along_a_motion_are_those_of_its_states(robot: gough.Robot) -> None:
    motion = MOTIONS.get(robot.name, MOTIONS["five_bar"])
    t, q, v, a = robot.states(motion, step=0.05)
    table = robot.inverse_dynamics(motion, step=0.05).table
    assert np.array_equal(t, table["t"])
    assert robot.inverse_dynamics(q, v, a) == pytest.approx(table[names(robot, "tau")], rel=1e-9, abs=1e-9)


def test_forward_dynamics_of_a_table_is_the_tools(five_bar: gough.Robot, tmp_path: Path, tool: Tool) -> None:
    states = five_bar.inverse_dynamics("motions/five_bar_line.yaml", step=0.01).table
    file, out = tmp_path / "states.csv", tmp_path / "out.csv"
    states.write(file)
    tool.run("forward", "robots/five_bar.yaml", file, "-o", out)
    found = five_bar.forward_dynamics(states)
    assert_same_table(found, gough.Table.read(out), 1e-8)
    assert np.array_equal(five_bar.forward_dynamics(file).values, found.values)
    assert found[names(five_bar, "a")] == pytest.approx(states[names(five_bar, "a")], abs=1e-8)


def test_a_wrench_in_a_tables_columns_is_the_wrench(hexapod: gough.Robot) -> None:
    at_rest = "x y rx ry rz vx vy vz wx wy wz ax ay az dwx dwy dwz".split()
    row = {"z": [-0.65], **{c: [0.0] for c in at_rest}}
    pushed = hexapod.inverse_dynamics(row | {"fz": [100.0], "mx": [3.0]}).table[names(hexapod, "tau")][0]
    still = np.zeros(24)
    expected = hexapod.inverse_dynamics(hexapod.home, still, still, wrench=[0, 0, 100, 3, 0, 0])
    assert pushed == pytest.approx(expected, rel=1e-9)


def test_a_motion_out_of_reach_fails_as_in_the_tool(five_bar: gough.Robot, tool: Tool) -> None:
    with pytest.raises(gough.Failure) as caught:
        five_bar.inverse_dynamics(CIRCLE)
    assert str(caught.value) == tool.complaint("inverse", "robots/five_bar.yaml", CIRCLE)
    assert caught.value.result.rows == 0  # type: ignore[attr-defined]


def test_a_motion_that_leaves_the_workspace_keeps_the_rows_before(five_bar: gough.Robot, tmp_path: Path) -> None:
    line = {"line": {"to": {"y": 0.7}, "duration": "1 s", "profile": "constant"}}
    with pytest.raises(gough.Failure, match="unreachable") as caught:
        five_bar.inverse_dynamics(line, step=0.01, output=tmp_path / "rows.csv")
    done = caught.value.result.table  # type: ignore[attr-defined]
    reach = np.sqrt(0.6**2 - 0.1**2)  # 0.4 + 0.3 t
    assert done["y"][-1] < reach <= done["y"][-1] + 0.003 + 1e-9
    assert np.array_equal(gough.Table.read(tmp_path / "rows.csv").values, done.values)


def test_limits_that_are_exceeded_are_those_of_the_tool(hexapod: gough.Robot, tool: Tool) -> None:
    motion = "motions/five_bar_line.yaml"
    beyond = hexapod.inverse_dynamics(motion).beyond
    said = tool.complaint("inverse", "robots/hexapod.yaml", motion).splitlines()
    assert [f"{motion}: out_of_limits: {b}" for b in beyond] == said


def test_progress_is_told_to_the_end(hexapod: gough.Robot) -> None:
    told: list[tuple[int, int]] = []
    hexapod.inverse_dynamics(CIRCLE, step=1e-3, progress=lambda done, total: told.append((done, total)))
    assert told[-1] == (2001, 2001)
    assert told == sorted(told)


def test_what_progress_raises_ends_the_work(hexapod: gough.Robot) -> None:
    class Enough(Exception):
        pass

    def enough(done: int, total: int) -> None:
        raise Enough(f"{done} of {total}")

    with pytest.raises(Enough):
        hexapod.inverse_dynamics(CIRCLE, progress=enough)


MISUSES = [
    (lambda r: r.inverse_dynamics(CIRCLE, np.zeros(24)), "read a motion with v, a, wrench or failures"),
    (lambda r: r.inverse_dynamics(CIRCLE, wrench=np.zeros(6)), "read a motion with v, a, wrench or failures"),
    (
        lambda r: r.inverse_dynamics(CIRCLE, elastic="soft"),
        "elastic: read 'soft', expected one of given, locked, quasistatic",
    ),
    (lambda r: r.inverse_dynamics(CIRCLE, by="newton"), "by: read 'newton', expected one of"),
    (lambda r: r.inverse_dynamics(CIRCLE, step=0), "read a step of 0 s"),
    (lambda r: r.inverse_dynamics("motions/none.yaml"), "motions/none.yaml: cannot be opened"),
    (
        lambda r: r.inverse_dynamics({"circle": {"radius": "5 kg", "duration": "1 s"}}),
        "read '5 kg', expected a number in m",
    ),
    (lambda r: r.inverse_dynamics({"t": [0, 1], "nix": [1, 2]}), "table"),
    (lambda r: r.inverse_dynamics(3.0), "read float, expected a table"),
    (lambda r: r.forward_dynamics(r.home, np.zeros(24)), "read a table with v, tau, wrench or failures"),
    (lambda r: r.forward_dynamics({"z": [-0.65]}), "read a table without x, y, rx, ry, rz, vx"),
]


@pytest.mark.parametrize("case", range(len(MISUSES)))
def test_misuse_is_told(case: int, hexapod: gough.Robot) -> None:
    call, message = MISUSES[case]
    with pytest.raises(gough.Error, match=message):
        call(hexapod)


@pytest.mark.parametrize("arguments", [{"a": np.zeros(24)}, {"failures": "nan"}, {"nix": 1}])
def test_arguments_that_mean_nothing_along_a_motion_are_refused(
    arguments: dict[str, Any], hexapod: gough.Robot
) -> None:
    with pytest.raises((TypeError, gough.Error)):
        hexapod.inverse_dynamics(CIRCLE, **arguments)
