"""What a user may do by mistake is told, and what must not be changed is not."""

from __future__ import annotations

import copy
import os
import pickle
from pathlib import Path

import gough
import numpy as np
import pytest

ROBOTS = ["five_bar", "psp3", "hexapod", "delta", "rrr3", "six_r"]


@pytest.mark.parametrize("name", ROBOTS)
def test_a_pose_that_is_not_a_number_has_no_answer(name: str) -> None:
    robot = gough.load(gough.shipped / f"robots/{name}.yaml")
    for bad in (np.nan, np.inf):
        with pytest.raises(gough.Error, match="pose: read .*, expected finite numbers"):
            robot.inverse_kinematics([bad, 0.4, 0, 0, 0, 0])
        with pytest.raises(gough.Error, match="finite"):
            gough.inverse_kinematics(robot.mechanism, [bad, 0.4, 0, 0, 0, 0], robot.workspace())
        with pytest.raises(gough.Error, match="actuators: read .*, expected finite numbers"):
            robot.forward_kinematics([bad] * len(robot.actuators))


def test_texts_are_no_numbers(five_bar: gough.Robot) -> None:
    with pytest.raises(gough.Error, match="pose: read .*50 mm.*, expected numbers"):
        five_bar.inverse_kinematics(["50 mm", 0.4, 0, 0, 0, 0])


def test_rates_that_are_not_numbers_are_no_singularity(hexapod: gough.Robot) -> None:
    zero = np.zeros(hexapod.nv)
    with pytest.raises(gough.Error, match="v: read a number that is not finite"):
        hexapod.inverse_dynamics(hexapod.home, np.nan * zero, zero)
    with pytest.raises(gough.Error, match="tau: read .*, expected finite numbers"):
        hexapod.simulate(0.1, tau=[np.nan] * 6)


@pytest.mark.parametrize("weights", [[-1, 1, 1], [0, 1, 1], [1, 1], [np.nan, 1, 1]])
def test_weights_are_above_zero(weights: list[float]) -> None:
    robot = gough.load(gough.shipped / "robots/redundant_five_bar.yaml")
    states = robot.random_states(1)
    with pytest.raises(gough.Error, match="weights: read"):
        robot.inverse_dynamics(states.q[0], states.v[0], states.a[0], weights=weights)


def test_only_answers_are_listed(hexapod: gough.Robot) -> None:
    assert hexapod.all_inverse_kinematics([0, 0, -5, 0, 0, 0]) == []
    six_r = gough.load(gough.shipped / "robots/six_r.yaml")
    for position in six_r.all_inverse_kinematics([0, 0.4, -0.6, 0, 0, 0]):
        assert position.pose is not None and position.pose[1] == pytest.approx(0.4)


def test_a_controller_cannot_change_the_state() -> None:
    robot = gough.load(gough.shipped / "robots/four_bar.yaml")

    def meddles(t: float, w: gough.Workspace) -> list[float]:
        w.q[:] = 5
        w.v[:] = 7
        return [0.0]

    table = robot.simulate(0.05, step=0.05, controller=meddles).table
    free = robot.simulate(0.05, step=0.05, tau=[0.0]).table
    assert table["q.crank"] == pytest.approx(free["q.crank"], abs=1e-12)


def test_what_was_identified_belongs_to_its_robot(five_bar: gough.Robot) -> None:
    data = five_bar.measure("motions/five_bar_line.yaml", step=2e-3, noise=1e-3)
    found = five_bar.identify(data)
    assert found.is_of(five_bar.mechanism)
    with pytest.raises(gough.Error, match="read what was identified on another robot"):
        five_bar.with_payload(1.0).identified(found)


def test_a_robot_of_a_file_is_identified_from_anywhere(tmp_path: Path) -> None:
    robot = gough.load("robots/five_bar.yaml")
    found = robot.identify(robot.measure("motions/five_bar_line.yaml", step=2e-3, noise=1e-3))
    here = os.getcwd()
    os.chdir(tmp_path)
    try:
        assert robot.identified(found).name == "five_bar"
    finally:
        os.chdir(here)


def test_robots_of_files_travel_to_other_processes() -> None:
    robot = gough.load("robots/five_bar.yaml", {"bodies.*.mass": 2, "lock_idle": True})
    again = pickle.loads(pickle.dumps(robot))
    states = robot.random_states(3)
    assert np.array_equal(again.inverse_dynamics(*states[1:]), robot.inverse_dynamics(*states[1:]))
    assert copy.deepcopy(robot) is robot and copy.copy(robot) is robot
    with pytest.raises(TypeError, match="cannot be pickled; make it where it is used"):
        pickle.dumps(robot.with_payload(1.0))


def test_misspelled_options_are_named(five_bar: gough.Robot) -> None:
    with pytest.raises(TypeError, match="excite: read the option 'periods', expected some of identical_legs, .*period"):
        five_bar.excite(periods=3)
    with pytest.raises(TypeError, match="identify: read the option 'identicallegs'"):
        five_bar.identify({"t": [0]}, identicallegs=True)
    with pytest.raises(TypeError, match="generate_c: read the option 'folds'"):
        five_bar.generate_c(folds=True)


def test_misspelled_motion_keys_are_those_of_a_motion_file(five_bar: gough.Robot) -> None:
    with pytest.raises(gough.Error, match="unknown key 'lin'"):
        five_bar.inverse_dynamics({"lin": {"to": {"x": 0.1}, "duration": "1 s"}})
    with pytest.raises(gough.Error, match="read Table, expected a motion file or its keys"):
        five_bar.track(gough.Table(["t"], [[0.0]]))


def test_columns_of_a_table_are_numbers_of_one_length() -> None:
    with pytest.raises(gough.Error, match="column 'x': read .*expected numbers"):
        gough.Table.of({"t": [0, 1], "x": ["a", "b"]})
    with pytest.raises(gough.Error, match="different lengths \\(t 2, x 3\\)"):
        gough.Table.of({"t": [0, 1], "x": [1, 2, 3]})
    with pytest.raises(gough.Error, match="column 't'"):
        gough.Table.of({"t": np.array([0, 1], dtype="timedelta64[s]")})


def test_one_wrench_serves_a_batch(hexapod: gough.Robot) -> None:
    states = hexapod.random_states(3)
    with pytest.raises(gough.Error, match="wrench: read an array of shape"):
        hexapod.inverse_dynamics(*states[1:], wrench=np.zeros((3, 6)))
