"""Robots from files: what the command-line tool says of them, word by word."""

from __future__ import annotations

from pathlib import Path

import gough
import numpy as np
import pytest
from conftest import ROOT, Tool, assert_same_json, shipped

ALL_ROBOTS = sorted(p.stem for p in (ROOT / "robots").glob("*.yaml"))

MISTAKES = {
    "an unknown key": ("role: actuated", "rolle: actuated"),
    "a wrong unit": ("60 deg", "60 mm"),
    "an unknown unit": ("60 deg", "60 degrees"),
    "an unknown body": ("parent: crank, child: coupler", "parent: crnk, child: coupler"),
    "a cut drive": ("role: actuated", "role: actuated, cut: true"),
    "a loose body": ("joints:", "  loose: {mass: 1}\njoints:"),
    "no YAML": ("robot: four_bar", "robot: [four_bar"),
    "a negative mass": ("0.10 kg", "-0.10 kg"),
    "a loop that cannot close": ("xyz: [0.20, 0, 0]", "xyz: [0.90, 0, 0]"),
}


@pytest.mark.parametrize("name", ALL_ROBOTS)
def test_every_shipped_robot_loads_and_is_closed_at_home(name: str) -> None:
    robot = shipped(name)
    w = robot.workspace()
    assert gough.close_loops(robot.mechanism, w) < 1e-12
    assert np.abs(w.q - robot.home).max() < 1e-12


def test_shipped_files_come_with_the_package() -> None:
    found = {p.stem for p in (gough.shipped / "robots").glob("*.yaml")}
    assert found == set(ALL_ROBOTS)
    assert (gough.shipped / "motions" / "hexapod_circle.yaml").is_file()
    assert (gough.shipped / "studies" / "psp3.yaml").is_file()


@pytest.mark.parametrize("name", ["hexapod", "rrr3", "bricard", "psp3", "redundant_five_bar"])
def test_check_says_what_the_tool_says(name: str, tool: Tool) -> None:
    file = f"robots/{name}.yaml"
    report = gough.load(file).check()
    assert str(report) == tool.run("check", file).stdout
    assert_same_json(report.to_dict(), tool.json("check", file))


def test_check_has_the_numbers_of_the_literature() -> None:
    hexapod = shipped("hexapod").check()
    assert (hexapod.mobility, hexapod.gruebler, hexapod.actuation) == (6, 6, "full")
    planar = shipped("rrr3").check()  # Gruebler fails in the plane: 3 legs give away 3 equations each
    assert (planar.mobility, planar.gruebler, len(planar.redundant)) == (3, -3, 6)
    assert shipped("bricard").check().mobility == 1  # although counting gives 0
    assert shipped("redundant_five_bar").check().actuation == "redundant"


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_in_a_file_is_told_as_by_the_tool(mistake: str, tmp_path: Path, tool: Tool) -> None:
    text = (ROOT / "robots" / "four_bar.yaml").read_text()
    right, wrong = MISTAKES[mistake]
    assert right in text
    file = tmp_path / "wrong.yaml"
    file.write_text(text.replace(right, wrong, 1))
    with pytest.raises(gough.Error) as caught:
        gough.load(file)
    assert str(caught.value) == tool.complaint("check", file)


def test_a_missing_file_is_told_as_by_the_tool(tool: Tool) -> None:
    with pytest.raises(gough.Error) as caught:
        gough.load("robots/none.yaml")
    assert str(caught.value) == tool.complaint("check", "robots/none.yaml")


def test_errors_and_failures_are_what_python_expects() -> None:
    assert issubclass(gough.Error, ValueError)
    assert issubclass(gough.Failure, ArithmeticError)


def test_a_robot_that_cannot_be_assembled_is_checked_all_the_same(tmp_path: Path, tool: Tool) -> None:
    text = (ROOT / "robots" / "four_bar.yaml").read_text().replace("xyz: [0.20, 0, 0]", "xyz: [0.90, 0, 0]")
    file = tmp_path / "open.yaml"
    file.write_text(text)
    report = gough.check(file)
    assert not report.closed
    assert str(report) == tool.run("check", file).stdout


def test_settings_are_put_into_the_file(tmp_path: Path, tool: Tool) -> None:
    settings = {"bodies.crank.mass": "200 g", "joints.crank.home": "70 deg", "gravity": [0, -1.62, 0]}
    text = (ROOT / "robots" / "four_bar.yaml").read_text()
    edited = text.replace("0.10 kg", "0.2 kg").replace("60 deg", "70 deg").replace("-9.81", "-1.62")
    set_, written = gough.load("robots/four_bar.yaml", settings), gough.Robot.from_text(edited)
    assert np.array_equal(set_.home, written.home)
    still = np.zeros(3)
    assert np.array_equal(
        set_.inverse_dynamics(set_.home, still, still), written.inverse_dynamics(written.home, still, still)
    )


def test_settings_reach_many_bodies_at_once() -> None:
    robot = gough.load("robots/five_bar.yaml", {"bodies.*.mass": 2})
    assert [b.mass for b in robot.description.bodies] == [2, 2, 2, 2]


def test_settings_take_pythons_true_and_false() -> None:
    assert gough.load("robots/hexapod.yaml", {"lock_idle": False}).description.lock_idle is False


def test_settings_take_arrays() -> None:
    robot = gough.load("robots/hexapod.yaml", {"bodies.platform.com": np.array([0, 0, 0.1])})
    assert list(robot.description.body("platform").com) == [0, 0, 0.1]


def test_a_setting_that_nothing_has_is_refused() -> None:
    with pytest.raises(gough.Error, match="read the path 'bodies.nix.mass', expected one that .* has"):
        gough.load("robots/hexapod.yaml", {"bodies.nix.mass": 2})


UNREACHABLE = [
    ("five_bar", [0.5, 0.5, 0, 0, 0, 0]),
    ("hexapod", [0, 0, -1, 0, 0, 0]),
    ("delta", [0, 0, -2, 0, 0, 0]),
]


@pytest.mark.parametrize(("name", "pose"), UNREACHABLE)
def test_an_unreachable_pose_fails_as_in_the_tool(name: str, pose: list[float], tool: Tool) -> None:
    file = f"robots/{name}.yaml"
    with pytest.raises(gough.Failure) as caught:
        gough.load(file).inverse_kinematics(pose)
    assert f"{file}: {caught.value}" == tool.complaint("ik", file, "--pose", ",".join(map(str, pose)))


def test_a_failure_carries_the_last_position(five_bar: gough.Robot, tool: Tool) -> None:
    with pytest.raises(gough.Failure) as caught:
        five_bar.inverse_kinematics([0.5, 0.5, 0, 0, 0, 0])
    there = tool.json("ik", "robots/five_bar.yaml", "--pose", "0.5,0.5,0,0,0,0")
    assert caught.value.result.joints["left"] == there["q"]["left"]  # type: ignore[attr-defined]


def test_a_singular_way_fails_as_in_the_tool(tool: Tool) -> None:
    angles = np.deg2rad([40, 30, 94])
    with pytest.raises(gough.Failure) as caught:
        shipped("rrr3").forward_kinematics(angles)
    said = tool.complaint("fk", "robots/rrr3.yaml", "--actuators", ",".join(f"{a:.17g}" for a in angles))
    assert f"robots/rrr3.yaml: {caught.value}" == said


def test_inverse_kinematics_of_a_five_bar_is_elementary(five_bar: gough.Robot) -> None:
    """Elbows are where circles about the drives and about the tip meet."""
    x, y = 0.05, 0.40
    found = five_bar.inverse_kinematics([x, y, 0, 0, 0, 0])
    for name, base, side in (("left", -0.1, +1), ("right", 0.1, -1)):
        angle = found.joints[name]
        elbow = np.array([base + 0.25 * np.cos(angle), 0.25 * np.sin(angle)])
        assert np.hypot(*(elbow - [x, y])) == pytest.approx(0.35, abs=1e-12)
        towards, to_tip = elbow - [base, 0], np.array([x - base, y])
        assert side * (to_tip[0] * towards[1] - to_tip[1] * towards[0]) > 0  # elbows outwards, as at home


def test_poses_of_bodies_are_where_geometry_puts_them(five_bar: gough.Robot) -> None:
    found = five_bar.inverse_kinematics([0.05, 0.40, 0, 0, 0, 0])
    poses = five_bar.poses(found.q)
    assert set(poses) == {"left_proximal", "left_distal", "right_proximal", "right_distal"}
    for side, base in (("left", -0.1), ("right", 0.1)):
        angle = found.joints[side]
        elbow = [base + 0.25 * np.cos(angle), 0.25 * np.sin(angle), 0]
        assert poses[f"{side}_proximal"].p == pytest.approx([base, 0, 0], abs=1e-12)
        assert poses[f"{side}_distal"].p == pytest.approx(elbow, abs=1e-12)
        assert poses[f"{side}_distal"] * [0.35, 0, 0] == pytest.approx([0.05, 0.40, 0], abs=1e-12)


def test_forward_kinematics_returns_what_inverse_was_given(robot: gough.Robot) -> None:
    start = robot.forward_kinematics(robot.home[robot.mechanism.actuator_position])
    assert np.abs(start.q - robot.home).max() < 1e-9
    moved = robot.inverse_kinematics(start.pose + [0, 0.01, 0.01, 0, 0, 0])
    back = robot.forward_kinematics(moved.actuators)
    assert np.abs(back.pose - moved.pose).max() < 1e-9


def test_all_working_modes_of_a_five_bar_are_four(five_bar: gough.Robot) -> None:
    found = five_bar.all_inverse_kinematics([0.05, 0.4, 0, 0, 0, 0])
    assert sorted(p.mode for p in found) == ["++", "+-", "-+", "--"]


def test_all_assembly_modes_of_a_3rrr_are_the_tools(tool: Tool) -> None:
    angles = np.deg2rad([11, 71, 94])
    ours = sorted(tuple(p.pose.round(9)) for p in shipped("rrr3").all_forward_kinematics(angles))
    said = tool.json("fk", "robots/rrr3.yaml", "--all", "--actuators", ",".join(f"{a:.17g}" for a in angles))
    theirs = sorted(tuple(np.round(s["pose"], 9)) for s in said)
    assert ours == theirs


def test_the_jacobian_is_the_difference_of_forward_kinematics(hexapod: gough.Robot) -> None:
    actuators = hexapod.home[hexapod.mechanism.actuator_position]
    h = 1e-6
    for column in range(6):
        step = h * np.eye(6)[column]
        ahead, behind = hexapod.forward_kinematics(actuators + step), hexapod.forward_kinematics(actuators - step)
        slope = (ahead.pose - behind.pose) / (2 * h)  # near no rotation its vector's rate is the angular velocity
        assert np.abs(hexapod.jacobian()[:, column] - slope).max() < 1e-7


def test_singularity_vanishes_where_a_five_bar_is_stretched(five_bar: gough.Robot) -> None:
    reach = np.sqrt(0.6**2 - 0.1**2)  # both legs straight
    near = five_bar.inverse_kinematics([0, reach - 1e-6, 0, 0, 0, 0])
    assert five_bar.singularity(near.q).type1 < 1e-2 < five_bar.singularity().type1


def test_survey_is_the_tools_check_along(hexapod: gough.Robot, tool: Tool) -> None:
    said = tool.json("check", "robots/hexapod.yaml", "--along", "examples/hexapod_circle.csv")
    found = hexapod.survey("examples/hexapod_circle.csv", step=0.1)  # a spline, asked at its knots
    for index in ("type1", "type2", "transmission"):
        assert found[index]["value"] == pytest.approx(said[index]["value"], rel=1e-9)
        assert (found[index]["row"], found[index]["leg"]) == (said[index]["row"], said[index]["leg"])
