"""Robots built and changed in code, against closed forms."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import gough
import numpy as np
import pytest
from conftest import ROOT, shipped

G = 9.81
FOUR_BAR = {
    "robot": "four_bar",
    "gravity": [0, -9.81, 0],
    "bodies": {
        "crank": {"mass": "0.10 kg", "rod": [0.10, 0, 0]},
        "coupler": {"mass": 0.25, "rod": [0.25, 0, 0]},
        "rocker": {"mass": "200 g", "rod": (0.20, 0, 0)},
    },
    "joints": {
        "crank": {"type": "revolute", "parent": "base", "child": "crank", "role": "actuated", "home": "60 deg"},
        "knee": {
            "type": "revolute",
            "parent": "crank",
            "child": "coupler",
            "origin": {"xyz": [0.10, 0, 0]},
            "guess": "-33 deg",
        },
        "rocker": {
            "type": "revolute",
            "parent": "base",
            "child": "rocker",
            "origin": {"xyz": [0.25, 0, 0]},
            "guess": "83 deg",
        },
        "close": {
            "type": "revolute",
            "parent": "coupler",
            "child": "rocker",
            "origin": {"xyz": [0.25, 0, 0]},
            "child_origin": {"xyz": [0.20, 0, 0]},
        },
    },
}


def body(name: str, mass: float, com: Any = (0, 0, 0), inertia: Any = (0, 0, 0)) -> gough.BodyDescription:
    b = gough.BodyDescription()
    b.name, b.mass, b.com, b.inertia = name, mass, com, np.diag(inertia)
    return b


def described(name: str, bodies: list[Any], joints: list[Any]) -> gough.RobotDescription:
    d = gough.RobotDescription()
    d.name = name
    d.gravity = [0, -G, 0]
    d.bodies.extend(bodies)
    d.joints.extend(joints)
    return d


def pendulum(mass: float = 1.5, length: float = 0.4, moment: float = 0.02) -> gough.RobotDescription:
    hinge = gough.JointDescription("hinge", gough.JointKind.revolute, "base", "rod")
    hinge.coordinates[0].actuated = True
    return described("rod", [body("rod", mass, [length, 0, 0], [0, moment, moment])], [hinge])


def standing(robot: gough.Robot) -> np.ndarray:
    """Forces that hold a robot at home."""
    still = np.zeros(robot.nv)
    found: np.ndarray = robot.inverse_dynamics(robot.home, still, still)
    return found


def test_a_pendulum_built_in_code_obeys_its_equation() -> None:
    robot = gough.Robot(pendulum(1.5, 0.4, 0.02))
    for angle, rate, acceleration in [(0.0, 0.0, 0.0), (0.3, 2.0, 5.0), (-2.0, -7.0, 1.0)]:
        torque = robot.inverse_dynamics([angle], [rate], [acceleration])
        expected = (0.02 + 1.5 * 0.4**2) * acceleration + 1.5 * G * 0.4 * np.cos(angle)
        assert torque[0] == pytest.approx(expected, rel=1e-13)


def slider_crank(
    r: float, rod: float, ends: tuple[float, float], crank: float, slider: float
) -> gough.RobotDescription:
    """A crank of moment `crank`, a rod whose mass sits at its ends, a slider on the x axis."""
    link = body("link", 0)
    link.points = [(ends[0], [0, 0, 0]), (ends[1], [rod, 0, 0])]
    drive = gough.JointDescription("drive", gough.JointKind.revolute, "base", "crank")
    drive.coordinates[0].actuated = True
    drive.coordinates[0].home = 0.6
    pin = gough.JointDescription("pin", gough.JointKind.revolute, "crank", "link")
    pin.origin = gough.Transform([r, 0, 0])
    pin.coordinates[0].guess = -0.8
    along_x = gough.Transform(rpy=[0, np.pi / 2, 0])
    rail = gough.JointDescription("rail", gough.JointKind.prismatic, "base", "slider")
    rail.origin, rail.child_origin = along_x, along_x
    rail.coordinates[0].guess = r * 0.8 + rod
    close = gough.JointDescription("close", gough.JointKind.revolute, "link", "slider")
    close.origin = gough.Transform([rod, 0, 0])
    return described(
        "slider_crank",
        [body("crank", 1.0, inertia=[0, crank, crank]), link, body("slider", slider)],
        [drive, pin, rail, close],
    )


def test_a_slider_crank_built_in_code_obeys_its_equation() -> None:
    """x = r cos q + sqrt(l^2 - r^2 sin^2 q); the rod's mass sits at its ends, so that energies are elementary."""
    r, rod, (m1, m2), moment, mass = 0.1, 0.3, (0.2, 0.3), 0.004, 1.1
    robot = gough.Robot(slider_crank(r, rod, (m1, m2), moment, mass))
    harmonic = {"duration": "1 s", "coordinates": {"drive": {"rate": "3 rad/s", "sin": [0.7], "offset": 0.9}}}
    report = robot.inverse_dynamics({"moves": "actuators", "harmonic": harmonic}, step=0.02)
    angle, rate, acceleration = (report.table[f"{level}.drive"] for level in "qva")
    s, c = np.sin(angle), np.cos(angle)
    root = np.sqrt(rod**2 - r**2 * s**2)
    slope = -r * s - r**2 * s * c / root
    curve = -r * c - r**2 * (c**2 - s**2) / root - r**4 * s**2 * c**2 / root**3
    expected = (
        (moment + m1 * r**2) * acceleration
        + (mass + m2) * slope * (slope * acceleration + curve * rate**2)
        + m1 * G * r * c
    )
    assert np.abs(angle - (0.9 + 0.7 * np.sin(3 * report.table["t"]))).max() < 1e-12
    assert np.abs(report.table["tau.drive"] - expected).max() < 1e-11 * np.abs(expected).max()


def test_a_mass_on_a_spring_built_in_code_swings_with_its_frequency() -> None:
    rail = gough.JointDescription("rail", gough.JointKind.prismatic, "base", "mass")
    spring = gough.SpringDescription()
    spring.name, spring.body_a, spring.body_b = "spring", "base", "mass"
    spring.point_a = [0, 0, -1]
    spring.stiffness, spring.free_length = 50.0, 1.0
    d = described("swing", [body("mass", 2.0)], [rail])
    d.springs.append(spring)
    d.gravity = [0, 0, 0]
    run = gough.Robot(d).simulate(2.0, step=0.1, rates={"rail": 1.0})
    omega = np.sqrt(50.0 / 2.0)
    t = run.table["t"]
    assert np.abs(run.table["q.rail"] - np.sin(omega * t) / omega).max() < 1e-9


def test_a_rotor_behind_a_gear_counts_with_the_square_of_the_ratio() -> None:
    d = pendulum(1.5, 0.4, 0.02)
    drive = d.joints[0].coordinates[0]
    drive.rotor_inertia, drive.ratio, drive.has_drive = 3e-4, 20.0, True
    expected = 0.02 + 1.5 * 0.4**2 + 20.0**2 * 3e-4
    torque = gough.Robot(d).inverse_dynamics([np.pi / 2], [0.0], [1.0])
    assert torque[0] == pytest.approx(expected, rel=1e-13)


def test_friction_given_in_code_resists_the_motion() -> None:
    d = pendulum()
    d.joints[0].coordinates[0].friction = [("viscous", "oil"), ("coulomb", "dry")]
    d.coefficients = {"oil": 0.3, "dry": 2.0}
    rubbing, free = gough.Robot(d), gough.Robot(pendulum())
    for rate in (-3.0, 0.5):
        extra = rubbing.inverse_dynamics([0.2], [rate], [1.0]) - free.inverse_dynamics([0.2], [rate], [1.0])
        assert extra[0] == pytest.approx(0.3 * rate + 2.0 * np.sign(rate), rel=1e-12)


def test_a_dict_a_text_and_a_file_make_the_same_robot(four_bar: gough.Robot) -> None:
    from_dict = gough.Robot.from_dict(FOUR_BAR)
    from_text = gough.Robot.from_text((ROOT / "robots/four_bar.yaml").read_text())
    states = four_bar.random_states(10)
    expected = four_bar.inverse_dynamics(*states[1:])
    for other in (from_dict, from_text):
        assert other.name == "four_bar"
        assert np.array_equal(other.home, four_bar.home)
        assert np.array_equal(other.inverse_dynamics(*states[1:]), expected)


def test_a_dict_takes_numbers_of_numpy() -> None:
    bodies = FOUR_BAR["bodies"] | {"crank": {"mass": np.float64(0.1), "rod": np.array([0.10, 0, 0])}}  # type: ignore[operator]
    robot = gough.Robot.from_dict(FOUR_BAR | {"bodies": bodies, "gravity": np.array([0, -G, 0])})
    assert standing(robot) == pytest.approx(standing(shipped("four_bar")), rel=1e-12)


@pytest.mark.parametrize("name", ["Käfer", "手", "🤖"])
def test_a_dict_takes_names_of_all_languages(name: str) -> None:
    assert gough.Robot.from_dict(FOUR_BAR | {"robot": name}).name == name


def test_a_mistake_in_a_dict_names_the_key() -> None:
    joints = FOUR_BAR["joints"] | {"crank": {"type": "revolute", "parent": "base", "child": "crank", "rolle": 1}}  # type: ignore[operator]
    with pytest.raises(gough.Error, match=r"joints\.crank\.rolle: read the unknown key 'rolle' in a joint"):
        gough.Robot.from_dict(FOUR_BAR | {"joints": joints})


def test_settings_of_a_text_are_put_into_it() -> None:
    text = (ROOT / "robots/pendulum.yaml").read_text()
    assert gough.Robot.from_text(text, {"joints.swing.home": "90 deg"}).home[0] == pytest.approx(np.pi / 2)


def test_doubled_masses_double_the_forces_that_hold(robot: gough.Robot) -> None:
    d = robot.description
    d.gravity = [0.3, -G, 1.0]  # some robots have none
    once = gough.Robot(d)
    for b in d.bodies:
        b.mass *= 2
        b.points = [(2 * m, p) for m, p in b.points]
    assert np.abs(standing(once)).max() > 0.1
    assert standing(gough.Robot(d)) == pytest.approx(2 * standing(once), rel=1e-9, abs=1e-9)


def test_the_forces_that_hold_are_linear_in_gravity(five_bar: gough.Robot) -> None:
    d = five_bar.description
    forces = []
    for gravity in ([0, -1, 0], [1, 0, 0], [-2.5, 3, 0], [0, 0, 0], [0, 0, 5]):
        d.gravity = gravity
        forces.append(standing(gough.Robot(d)))
    assert forces[2] == pytest.approx(-3 * forces[0] - 2.5 * forces[1], abs=1e-12)
    assert np.abs(forces[3]).max() == 0
    assert np.abs(forces[4]).max() < 1e-12  # across the plane


def test_lists_of_a_description_are_its_own() -> None:
    d = shipped("five_bar").description
    d.bodies[0].mass = 7
    d.joints[0].coordinates[0].stiffness = 3
    d.gravity[1] = -1.62
    d.body("left_distal").com = [0.1, 0, 0]
    d.joint("right").name = "starboard"
    assert d.bodies[0].mass == 7
    assert d.joints[0].coordinates[0].stiffness == 3
    made = gough.Robot(d)
    assert made.description.bodies[0].mass == 7
    assert list(made.mechanism.gravity) == [0, -1.62, 0]
    assert made.actuators == ["left", "starboard"]


def test_what_was_taken_from_a_list_stays_valid_when_the_list_grows() -> None:
    d = shipped("five_bar").description
    first, com = d.bodies[0], d.bodies[0].com
    for i in range(500):
        d.bodies.append(body(f"more{i}", 1.0))
    first.mass = 3.5
    com[0] = 0.125
    assert (d.bodies[0].mass, d.bodies[0].com[0]) == (3.5, 0.125)


CHANGES_IN_PLACE = {
    "BodyDescription.points": (lambda d: d.bodies[0].points, (0.5, [1, 0, 0])),
    "BodyDescription.beam": (lambda d: d.bodies[0].beam, gough.BeamDescription()),
    "CoordinateDescription.friction": (lambda d: d.joints[0].coordinates[0].friction, ("viscous", "oil")),
    "LegDescription.bodies": (lambda d: d.legs[0].bodies, "more"),
    "PlatformDescription.coordinates": (lambda d: d.platform.coordinates, "rz"),
    "PlatformDescription.home": (lambda d: d.platform.home, 1.0),
    "RobotDescription.springs": (lambda d: d.springs, gough.SpringDescription()),
}


@pytest.mark.parametrize("where", CHANGES_IN_PLACE)
def test_a_list_is_live_or_says_that_it_is_a_copy(where: str) -> None:
    d = shipped("rrr3").description
    part, more = CHANGES_IN_PLACE[where]
    before = len(part(d))
    if isinstance(part(d), tuple):
        return  # nobody will think that it can be changed
    part(d).append(more)
    kind, name = where.split(".")
    assert len(part(d)) == before + 1 or re.search(r"\bcop(y|ies)\b", getattr(getattr(gough, kind), name).__doc__ or "")


def test_a_coordinate_outlives_its_joint_and_kinds_stay() -> None:
    joint = gough.JointDescription("j", gough.JointKind.revolute, "base", "b")
    kept = joint.coordinates[0]
    kept.stiffness = 2.5
    with pytest.raises(AttributeError):
        joint.kind = gough.JointKind.free  # type: ignore[misc]
    del joint
    others = [gough.JointDescription() for _ in range(1000)]
    assert kept.stiffness == 2.5 and len(others) == 1000


def test_what_is_assigned_to_a_platform_counts() -> None:
    d = shipped("five_bar").description
    home, limits = list(d.platform.home), list(d.platform.limits)
    home[0], limits[0] = 0.02, gough.Range(-0.03, 0.03)
    d.platform.home, d.platform.limits = home, limits
    robot = gough.Robot(d)
    assert robot.forward_kinematics(robot.home[robot.mechanism.actuator_position]).pose[0] == pytest.approx(0.02)
    with pytest.raises(gough.Failure, match="out_of_limits"):
        robot.inverse_kinematics([0.05, 0.4, 0, 0, 0, 0])


def test_a_changed_description_does_not_change_its_robot(five_bar: gough.Robot) -> None:
    before = standing(five_bar)
    d = five_bar.description
    robot = gough.Robot(d)
    d.bodies[0].mass = 100
    d.joints[0].coordinates[0].actuated = False
    assert np.array_equal(standing(robot), before)
    assert five_bar.description.bodies[0].mass == 0.5
    copy = d.copy()
    copy.bodies[0].mass = 1
    copy.platform.coordinates = ["x"]
    assert d.bodies[0].mass == 100
    assert list(d.platform.coordinates) == ["x", "y"]


def test_a_payload_weighs_by_virtual_work(five_bar: gough.Robot) -> None:
    extra = standing(five_bar.with_payload(2.0)) - standing(five_bar)
    assert extra == pytest.approx(five_bar.jacobian()[1] * 2.0 * G, rel=1e-10)


def test_a_payload_stays_when_a_robot_is_made_from_the_description(five_bar: gough.Robot) -> None:
    loaded = five_bar.with_payload(2.0)
    assert standing(gough.Robot(loaded.description)) == pytest.approx(standing(loaded), rel=1e-12)


def test_a_payload_stays_when_beams_bend() -> None:
    loaded = shipped("five_bar_flexible").with_payload(2.0)
    motion = {"line": {"to": {"x": 0.03}, "duration": "0.2 s"}}
    rigid, bent = (r.inverse_dynamics(motion, step=0.02).table for r in (loaded, loaded.with_modes(3)))
    names = [f"tau.{a}" for a in loaded.actuators]
    assert bent[names] == pytest.approx(rigid[names], rel=1e-9)


def test_modes_that_are_locked_change_no_force() -> None:
    rigid = shipped("five_bar_flexible")
    bent = rigid.with_modes(3)
    assert bent.nv > rigid.nv
    motion = {"line": {"to": {"x": 0.03}, "duration": "0.2 s"}}
    names = [f"tau.{a}" for a in rigid.actuators]
    found = bent.inverse_dynamics(motion, step=0.02).table[names]
    assert found == pytest.approx(rigid.inverse_dynamics(motion, step=0.02).table[names], rel=1e-9)


def test_without_friction_forces_are_even_in_the_rates() -> None:
    palida = shipped("palida")
    t, q, v, a = palida.random_states(10)
    free = palida.without_friction()
    there, back = free.inverse_dynamics(q, v, a), free.inverse_dynamics(q, -v, a)
    assert there == pytest.approx(back, rel=1e-9, abs=1e-9)
    rubbed = palida.inverse_dynamics(q, v, a) - palida.inverse_dynamics(q, -v, a)
    assert np.abs(rubbed).max() > 1
    for tau, qs, vs, force in zip(palida.inverse_dynamics(q, v, a), q, v, there, strict=True):
        assert palida.energy(qs, vs, tau).losses > 0
        assert free.energy(qs, vs, force).losses == pytest.approx(0, abs=1e-12)


def test_wrong_parts_are_refused_with_their_place() -> None:
    d = pendulum()
    d.joints[0].parent = "nix"
    with pytest.raises(
        gough.Error, match="joint 'hinge': read the body 'nix', expected 'base' or a body of this robot"
    ):
        gough.Robot(d)
    d = pendulum()
    d.bodies.append("arm")
    with pytest.raises(gough.Error, match="bodies"):
        gough.Robot(d)
    with pytest.raises(gough.Error, match="read the body 'nix'"):
        pendulum().body("nix")
    with pytest.raises(gough.Error, match="gravity: read 2 numbers, expected 3"):
        pendulum().gravity = [0, 0]
    with pytest.raises(gough.Error, match="inertia: read 2 x 2 numbers, expected 3 x 3"):
        pendulum().bodies[0].inertia = np.eye(2)


@pytest.mark.parametrize("what", ["mass", "com", "inertia", "gravity"])
def test_numbers_that_are_none_are_refused(what: str) -> None:
    d = pendulum()
    if what == "mass":
        d.bodies[0].mass = np.nan
    elif what == "gravity":
        d.gravity = [0, np.nan, 0]
    else:
        getattr(d.bodies[0], what)[...] = np.nan
    with pytest.raises(gough.Error):
        gough.Robot(d)


@pytest.mark.parametrize("mass", [-50.0, np.nan])
def test_a_payload_that_cannot_be_is_refused(mass: float, five_bar: gough.Robot) -> None:
    with pytest.raises(gough.Error):
        five_bar.with_payload(mass)


def test_a_transform_is_that_of_urdf() -> None:
    roll, pitch, yaw = 0.3, -0.4, 1.1
    c, s = np.cos, np.sin
    rx = np.array([[1, 0, 0], [0, c(roll), -s(roll)], [0, s(roll), c(roll)]])
    ry = np.array([[c(pitch), 0, s(pitch)], [0, 1, 0], [-s(pitch), 0, c(pitch)]])
    rz = np.array([[c(yaw), -s(yaw), 0], [s(yaw), c(yaw), 0], [0, 0, 1]])
    transform = gough.Transform([1, 2, 3], [roll, pitch, yaw])
    assert np.abs(transform.R - rz @ ry @ rx).max() < 1e-15
    assert transform * [1, 0, 0] == pytest.approx((rz @ ry @ rx)[:, 0] + [1, 2, 3])
    assert (transform * transform.inverse()).vector() == pytest.approx(np.zeros(6), abs=1e-15)
    assert gough.Transform.from_vector(transform.vector()).R == pytest.approx(transform.R)


def test_robots_know_where_they_come_from(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text((ROOT / "robots/pendulum.yaml").read_text())
    assert gough.load(file).file == str(file)
    assert gough.Robot(pendulum()).file == ""
