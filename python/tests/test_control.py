"""Controllers in discrete time: the library's laws by name, and laws written in Python."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gough
import numpy as np
import pytest
from conftest import ROOT, Tool, shipped

REACH = "motions/five_bar_reach.yaml"
LAWS = ["joint", "computed_force", "computed_torque", "adaptive"]


@pytest.fixture(scope="module")
def plant() -> gough.Robot:
    """The five-bar, heavier than its model believes."""
    d = shipped("five_bar").description
    for body in d.bodies:
        body.mass *= 1.05
        body.inertia *= 1.05
    return gough.Robot(d)


def largest(errors: gough.Table) -> float:
    return float(np.abs(errors[["e.left", "e.right"]]).max())


@pytest.mark.parametrize("law", LAWS)
def test_every_law_follows_on_a_plant_that_differs(law: str, five_bar: gough.Robot, plant: gough.Robot) -> None:
    run, errors = five_bar.track(REACH, law, plant=plant, period=1e-3)
    assert run.status == gough.Status.ok
    assert errors.columns == ["t", "e.left", "e.right", "tau.left", "tau.right"]
    assert errors["t"][-1] == pytest.approx(0.8)
    assert 0 < largest(errors) < 0.02  # rad, of a way of 0.6 rad


def test_models_help_and_better_models_help_more(five_bar: gough.Robot, plant: gough.Robot) -> None:
    joint, wrong, right = (
        largest(model.track(REACH, law, plant=plant, period=1e-3)[1])
        for model, law in ((five_bar, "joint"), (five_bar, "computed_force"), (plant, "computed_force"))
    )
    assert right < 0.3 * wrong < 0.3 * joint


def test_errors_are_desired_less_true_positions(five_bar: gough.Robot, plant: gough.Robot) -> None:
    run, errors = five_bar.track(REACH, "joint", plant=plant, period=1e-3, step=0.01)
    desired = five_bar.inverse_dynamics(REACH, step=0.01).table
    assert errors["t"] == pytest.approx(desired["t"], abs=1e-12)
    for name in ("left", "right"):
        assert errors[f"e.{name}"] == pytest.approx(desired[f"q.{name}"] - run.table[f"q.{name}"], abs=1e-9)
        assert np.array_equal(errors[f"tau.{name}"], run.table[f"tau.{name}"])


def cascade(gains: gough.JointGains) -> Callable[[gough.ControlSample], np.ndarray]:
    """Single joints as docs/theory/control.md has them: position over velocity with an integral, and the mass ahead."""
    integral: list[np.ndarray] = []

    def law(s: gough.ControlSample) -> np.ndarray:
        if not integral:
            integral.append(s.standing.copy())
        slip = s.desired_v + gains.position * (s.desired_q - s.q) - s.v
        integral[0] = integral[0] + np.where(s.clipped * slip <= 0, s.period * gains.integral * slip, 0)
        return gains.velocity * slip + integral[0] + gains.mass * s.ahead_a

    return law


def test_a_law_in_python_follows_as_the_librarys(five_bar: gough.Robot, plant: gough.Robot) -> None:
    gains = gough.gains_for(five_bar.mechanism, 5.0, 80.0)
    wish: dict[str, Any] = {"plant": plant, "period": 1e-3, "step": 0.01}
    _, named = five_bar.track(REACH, "joint", **wish)
    _, built = five_bar.track(REACH, gough.joint_control(gains), **wish)
    _, mine = five_bar.track(REACH, cascade(gains), **wish)
    assert np.array_equal(built.values, named.values)
    assert mine.values == pytest.approx(named.values, rel=1e-9, abs=1e-9)


def test_a_law_sees_the_reference(five_bar: gough.Robot) -> None:
    """Measured positions are the true ones; the reference ahead is one sample later, with the model's forces for it."""
    seen: list[Any] = []

    def law(s: gough.ControlSample) -> np.ndarray:
        seen.append((s.t, s.desired_q.copy(), s.ahead_q.copy(), s.ahead_tau.copy(), s.q.copy()))
        return s.ahead_tau + 50 * (s.desired_q - s.q)

    five_bar.track(REACH, law, period=1e-2)
    t, desired, ahead, tau, q = (np.array(x) for x in zip(*seen[:60], strict=True))
    model = five_bar.inverse_dynamics(REACH, step=1e-2).table
    at, later = np.round(t / 1e-2).astype(int), np.round(t / 1e-2).astype(int) + 1
    assert desired == pytest.approx(model[["q.left", "q.right"]][at], abs=1e-9)
    assert ahead == pytest.approx(model[["q.left", "q.right"]][later], abs=1e-9)
    assert tau == pytest.approx(model[["tau.left", "tau.right"]][later], abs=1e-6)


def test_encoders_show_whole_steps(five_bar: gough.Robot) -> None:
    seen: list[np.ndarray] = []

    def law(s: gough.ControlSample) -> np.ndarray:
        seen.append(s.q.copy())
        return s.ahead_tau

    five_bar.track(REACH, law, period=1e-2, encoder=1e-3)
    steps = np.array(seen) / 1e-3
    assert np.abs(steps - np.round(steps)).max() < 1e-9


def test_forces_keep_their_limits(five_bar: gough.Robot) -> None:
    _, free = five_bar.track(REACH, "computed_force", period=1e-3)
    _, limited = five_bar.track(REACH, "computed_force", period=1e-3, force=1.8, force_rate=100.0)
    drives = ["tau.left", "tau.right"]
    assert np.abs(free[drives]).max() > 1.8
    assert np.abs(limited[drives]).max() <= 1.8
    assert np.abs(np.diff(limited[drives], axis=0)).max() <= 100.0 * 1e-3 + 1e-12


def test_adaptive_control_learns_the_plants_parameters(five_bar: gough.Robot, plant: gough.Robot) -> None:
    gains = gough.gains_for(five_bar.mechanism)
    law = gough.adaptive(five_bar.mechanism, gains)
    before = np.array(law.theta)
    five_bar.track(REACH, law, plant=plant, period=1e-3)
    assert before == pytest.approx(five_bar.base_parameters().values, rel=1e-12)
    assert np.abs(law.theta - before).max() > 1e-4


def test_gains_have_the_bandwidths_that_were_asked_for(five_bar: gough.Robot) -> None:
    gains = gough.gains_for(five_bar.mechanism, 5.0, 80.0)
    assert gains.position == pytest.approx(2 * np.pi * 5.0)
    still = np.zeros(9)
    index = five_bar.mechanism.actuator_index
    columns = []
    base = five_bar.forward_dynamics(five_bar.home, still, [0.0, 0.0])[index]
    for e in np.eye(2):
        columns.append(five_bar.forward_dynamics(five_bar.home, still, e)[index] - base)
    mass = np.linalg.inv(np.array(columns).T)
    assert gains.mass == pytest.approx(np.diag(mass), rel=1e-9)
    scale = np.diag(np.diag(mass) ** -0.5)
    lightest = np.linalg.eigvalsh(scale @ mass @ scale)[0]
    assert gains.velocity == pytest.approx(2 * np.pi * 80.0 * lightest * np.diag(mass), rel=1e-9)


def test_track_is_what_a_study_of_the_tool_computes(tmp_path: Path, five_bar: gough.Robot, tool: Tool) -> None:
    for file in ("robots/five_bar.yaml", REACH):
        (tmp_path / Path(file).name).write_text((ROOT / file).read_text())
    (tmp_path / "study.yaml").write_text("""
study: reach
robot: five_bar.yaml
motion: five_bar_reach.yaml
compute: control
control:
  sampling: 1 ms
  runs: [{name: single, law: joint}, {name: force, law: computed_force}]
""")
    done = tool.run("run", tmp_path / "study.yaml", "-o", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    for name, law in (("single", "joint"), ("force", "computed_force")):
        theirs = gough.Table.read(tmp_path / "out" / f"{name}.csv")
        _, errors = five_bar.track(REACH, law, period=1e-3)
        for drive in ("left", "right"):
            assert errors[f"e.{drive}"] == pytest.approx(theirs[f"error.{drive}"][: len(errors)], abs=1e-9)


# ------------------------------------------------------------------------------------------- what goes wrong

WRONG_LAWS = [
    (lambda s: [1.0], "law: read 1 numbers, expected 2"),
    (lambda s: np.zeros(3), "law: read 3 numbers, expected 2"),
    (lambda s: [np.nan, 0.0], "law: read a force that is not a number, expected numbers"),
    (lambda s: [0.0, np.inf], "law: read a force that is not a number, expected numbers"),
    (lambda s: None, "law: read"),
    (lambda s: "much", "law: read what is no list of numbers"),
    ("pid", "law: read 'pid', expected joint, computed_force, computed_torque, adaptive, or a function"),
]


@pytest.mark.parametrize("case", range(len(WRONG_LAWS)))
def test_wrong_forces_of_a_law_are_told(case: int, five_bar: gough.Robot) -> None:
    law, message = WRONG_LAWS[case]
    with pytest.raises(gough.Error, match=message):
        five_bar.track(REACH, law, period=1e-2)


def test_what_a_law_raises_arrives_as_it_is(five_bar: gough.Robot) -> None:
    class Mine(Exception):
        pass

    def law(s: gough.ControlSample) -> np.ndarray:
        if s.t > 0.1:
            raise Mine(s.t)
        return s.ahead_tau

    with pytest.raises(Mine):
        five_bar.track(REACH, law, period=1e-2)


def test_a_robot_without_a_drive_for_each_freedom_is_refused(redundant: gough.Robot) -> None:
    with pytest.raises(gough.Error, match="read 3 actuators, expected as many as there are degrees of freedom"):
        redundant.track(REACH, "joint", period=1e-2)


def test_gains_of_another_robot_are_refused(own_process: Callable[..., subprocess.CompletedProcess[str]]) -> None:
    done = own_process("""
import gough, numpy as np
robot = gough.load("robots/hexapod.yaml")
one = np.ones(1)
law = gough.joint_control(gough.JointGains(one, one, one, one))
try:
    robot.track("motions/hexapod_circle.yaml", law, period=1e-2)
except gough.Error:
    print("refused")
""")
    assert (done.returncode, done.stdout) == (0, "refused\n"), done.stderr[-300:]


def test_different_robots_differ_by_the_share_asked_for() -> None:
    palida = shipped("palida")
    other = palida.different(0.05, 0.1, identical_legs=True, symmetric=True)
    of = {"identical_legs": True, "symmetric": True}
    share = np.abs(other.base_parameters(**of).values / palida.base_parameters(**of).values - 1)
    assert share == pytest.approx(np.full(10, 0.05), rel=1e-6)
    coefficients = palida.mechanism.coefficients
    for name, value in other.mechanism.coefficients.items():
        assert abs(value / coefficients[name] - 1) == pytest.approx(0.1, rel=1e-9), name
