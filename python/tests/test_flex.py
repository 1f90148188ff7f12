"""Beams that bend: textbooks' cantilevers, and the command-line tool's tables."""

from __future__ import annotations

from pathlib import Path

import gough
import numpy as np
import pytest
from conftest import Tool, assert_same_table, shipped

L, E, RHO, SIDE, G = 0.2, 2.1e11, 7800.0, 3e-3, 9.81
EI, RHO_A = E * SIDE**4 / 12, RHO * SIDE**2
CIRCLE = "motions/rrr3_circle.yaml"
STILL = {"moves": "actuators", "line": {"to": {"root": 0}, "duration": "10 ms"}}


def cantilever(gravity: tuple[float, float, float] = (0, 0, 0), tip: float = 0.0) -> gough.Robot:
    """A beam on a motor, along x; the platform is its tip, which may carry a mass."""
    beam = {"to": [L, 0, 0], "material": "steel", "section": {"square": SIDE}, "elements": 8, "shear": False}
    points = [{"mass": tip, "xyz": [L, 0, 0]}] if tip else []
    return gough.Robot.from_dict({
        "robot": "cantilever",
        "gravity": list(gravity),
        "materials": {"steel": {"E": E, "nu": 0.3, "rho": RHO}},
        "bodies": {"link": {"beam": beam, "points": points}},
        "joints": {"root": {"type": "revolute", "parent": "base", "child": "link", "role": "actuated"}},
        "platform": {"body": "link", "frame": {"xyz": [L, 0, 0]}, "coordinates": ["rz"]},
    })  # fmt: skip


def test_a_cantilever_bends_under_its_weight_as_textbooks_say() -> None:
    report = cantilever((0, -G, 0)).flex(STILL, vibrates=False, geometric=False)
    assert report.table["ey"] == pytest.approx(-RHO_A * G * L**4 / (8 * EI), rel=1e-6)
    assert report.table["erz"] == pytest.approx(-RHO_A * G * L**3 / (6 * EI), rel=1e-6)


def test_a_cantilever_bends_under_a_force_as_textbooks_say() -> None:
    report = cantilever().flex(STILL, vibrates=False, geometric=False, loads=f"link@{L},0,0:0,2.5,0")
    assert report.table["ey"] == pytest.approx(2.5 * L**3 / (3 * EI), rel=1e-6)
    assert report.table["tau.root"] == pytest.approx(-2.5 * L, rel=1e-6)


def test_a_cantilevers_frequencies_are_those_of_textbooks() -> None:
    report = cantilever().flex(STILL, vibrates=False, frequencies=3)
    roots = np.array([1.875104, 4.694091, 7.854757])  # cos b cosh b = -1
    expected = roots**2 * np.sqrt(EI / (RHO_A * L**4)) / (2 * np.pi)
    assert [low for low, high in report.frequencies] == pytest.approx(expected, rel=1e-3)
    assert report.table["f1"] == pytest.approx(expected[0], rel=1e-4)  # rotary inertia


def test_stress_is_that_of_the_bending_moment_at_the_root() -> None:
    report = cantilever((0, -G, 0)).flex(STILL, vibrates=False, geometric=False)
    moment = RHO_A * G * L**2 / 2
    assert report.table["stress"] == pytest.approx(moment * (SIDE / 2) / (SIDE**4 / 12), rel=0.02)


def test_a_suddenly_loaded_cantilever_swings_to_twice_its_deflection() -> None:
    """With a heavy tip it is a mass on a spring; held in shape until t = 0, it swings between zero and twice the static value."""
    robot, heavy = cantilever((0, -G, 0), tip=0.3), 0.3 + 33 / 140 * RHO_A * L
    period = 2 * np.pi * np.sqrt(heavy * L**3 / (3 * EI))
    motion = {"moves": "actuators", "line": {"to": {"root": 0}, "duration": f"{period} s"}}
    report = robot.flex(motion, step=period / 400, rows=period / 400, rho=1.0, geometric=False)
    static = robot.flex(STILL, vibrates=False, geometric=False).table["ey"][0]
    assert report.table["ey"].min() == pytest.approx(2 * static, rel=0.01)
    assert report.table["ey"][-1] == pytest.approx(0, abs=0.01 * abs(static))


def test_modes_of_a_free_run_swing_with_the_beams_frequency() -> None:
    """The coupled model, drive held by the weight of a motion that stands still."""
    robot = cantilever((0, -G, 0), tip=0.3)
    heavy = 0.3 + 33 / 140 * RHO_A * L
    period = 2 * np.pi * np.sqrt(heavy * L**3 / (3 * EI))
    motion = {"moves": "actuators", "line": {"to": {"root": 0}, "duration": f"{period} s"}}
    coupled = robot.flex(motion, step=period / 200, rows=period / 200, modes=3)
    along = robot.flex(motion, step=period / 400, rows=period / 200, rho=1.0)
    assert coupled.table["ey"].min() == pytest.approx(along.table["ey"].min(), rel=0.01)


def test_a_report_is_the_tools(tmp_path: Path, tool: Tool) -> None:
    robot, csv, ours = shipped("rrr3_flexible"), tmp_path / "theirs.csv", tmp_path / "ours.csv"
    tool.run("flex", "robots/rrr3_flexible.yaml", CIRCLE, "--step", 5e-3, "--rows", 0.02, "-o", csv)
    report = robot.flex(CIRCLE, step=5e-3, rows=0.02, output=ours)
    assert_same_table(report.table, gough.Table.read(csv))
    assert np.array_equal(gough.Table.read(ours).values, report.table.values)
    assert report.planar
    assert report.warnings == []
    for what in ("ex", "ey", "erz"):
        value, unit, when = report.extremes[what]
        assert value == np.abs(report.table[what]).max()
        assert np.abs(report.table[what][report.table["t"] == when]) == value
        assert unit == ("rad" if what == "erz" else "m")


def test_a_quasi_static_robot_is_the_tools(tmp_path: Path, tool: Tool) -> None:
    d = shipped("rrr3_flexible").description
    d.gravity = [0, -G, 0]
    report = gough.Robot(d).flex(CIRCLE, step=0.02, rows=0.02, vibrates=False)
    csv = tmp_path / "theirs.csv"
    options = ["--step", 0.02, "--rows", 0.02, "--gravity", f"0,-{G},0", "--quasistatic", "-o", csv]
    tool.run("flex", "robots/rrr3_flexible.yaml", CIRCLE, *options)
    assert_same_table(report.table, gough.Table.read(csv))


def test_rigid_forces_of_a_report_are_those_of_inverse_dynamics() -> None:
    robot = shipped("rrr3_flexible")
    report = robot.flex(CIRCLE, step=0.02, rows=0.02)
    rigid = robot.inverse_dynamics(CIRCLE, step=0.02).table
    for name in robot.actuators:
        assert report.table[f"tau_rigid.{name}"] == pytest.approx(rigid[f"tau.{name}"], rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("follow", ["driving_force", "modified_driving_force", "driving_constraint"])
def test_drives_that_follow_put_the_platform_back(follow: str, tmp_path: Path, tool: Tool) -> None:
    robot, command = shipped("rrr3_flexible"), tmp_path / "command.csv"
    report = robot.flex(CIRCLE, step=0.02, follow=follow, start="quasistatic", output=command)
    if follow == "driving_force":  # the rigid robot's drives
        assert report.corrected_rms == pytest.approx(report.rigid_rms)
        assert np.abs(report.correction).max() == 0
        return
    assert report.corrected_rms < 1e-2 * report.rigid_rms
    assert_same_table(report.table, gough.Table.read(command))
    corrected = robot.flex(report.table, vibrates=False).table  # the table is a motion
    wanted = robot.inverse_dynamics(CIRCLE, step=0.02).table
    path = corrected[["x", "y"]] + corrected[["ex", "ey"]]
    off = np.linalg.norm(path - wanted[["x", "y"]][: len(path)], axis=1)
    assert np.sqrt(np.mean(off**2)) < 1e-2 * report.rigid_rms
    said = tool.run(
        "flex", "robots/rrr3_flexible.yaml", CIRCLE, "--step", 0.02, "--follow", follow, "--start", "quasistatic"
    )
    assert said.stdout.startswith(str(report).rstrip("\n"))


def test_the_coupled_model_agrees_with_the_linear_one() -> None:
    robot = shipped("five_bar_flexible")
    line = {"line": {"to": {"x": 0.05}, "duration": "0.15 s"}}
    linear = robot.flex(line, step=1e-3, rows=1e-3, start="quasistatic")
    coupled = robot.flex(line, step=1e-3, rows=1e-3, start="quasistatic", modes=3)
    scale = np.abs(linear.table["ey"]).max()
    assert np.abs(coupled.table["ey"] - linear.table["ey"]).max() < 0.05 * scale


def test_a_robot_with_modes_simulates_and_keeps_its_energy() -> None:
    bent = shipped("five_bar_flexible").with_modes(2)
    assert "left_distal.modes.1" in bent.coordinates
    run = bent.simulate(0.05, step=0.01, tolerance=1e-9)
    total = run.table["kinetic"] + run.table["potential"]
    assert np.abs(total - total[0]).max() < 1e-6 * run.table["kinetic"].max()
    assert "modes" in gough.modes_text(bent.mechanism)


def test_drives_of_a_robot_with_modes_follow_the_rigid_motion() -> None:
    rigid = shipped("five_bar_flexible")
    motion = {"line": {"to": {"x": 0.03}, "duration": "0.05 s"}}
    run = rigid.with_modes(2).simulate(0.05, step=0.01, drives=motion, method="rk4", fixed_step=1e-4)
    wanted = rigid.inverse_dynamics(motion, step=0.01).table
    drives = ["q.left", "q.right"]
    assert np.abs(run.table[drives] - wanted[drives]).max() < 1e-6


def test_mode_shapes_are_written(tmp_path: Path) -> None:
    file = tmp_path / "shapes.csv"
    cantilever().flex(STILL, step=1e-3, frequencies=2, shapes=file)
    shapes = gough.Table.read(file)
    assert {"t", "mode", "f"} <= set(shapes.columns)
    first = shapes.values[shapes["mode"] == 1][0]
    tip = [first[shapes.columns.index(f"link.{k}.y")] for k in range(9) if f"link.{k}.y" in shapes]
    assert np.all(np.diff(np.abs(tip)) > 0)  # the first mode grows towards the tip


WRONG = [
    (
        {"follow": "wish"},
        "follow: read 'wish', expected one of driving_force, modified_driving_force, driving_constraint",
    ),
    ({"start": "bent"}, "start: read 'bent', expected one of undeformed, quasistatic"),
    ({"space": "flat"}, "space: read 'flat', expected one of"),
    ({"loads": "nix@0,0,0:1,0,0"}, "nix"),
    ({"modes": 1000}, "modes"),
]


@pytest.mark.parametrize("case", range(len(WRONG)))
def test_wrong_wishes_are_told(case: int) -> None:
    wish, message = WRONG[case]
    with pytest.raises(gough.Error, match=message):
        shipped("rrr3_flexible").flex(CIRCLE, step=0.1, **wish)  # type: ignore[arg-type]


def test_a_robot_without_beams_is_told(hexapod: gough.Robot) -> None:
    with pytest.raises(gough.Error, match="beam"):
        hexapod.flex("motions/hexapod_circle.yaml", step=0.1)
    with pytest.raises(gough.Error, match="beam"):
        hexapod.with_modes(2)
