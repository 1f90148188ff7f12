"""Identification: published base parameters, truths found within their deviations, files that load again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import gough
import numpy as np
import pytest
from conftest import Tool, assert_same_json, assert_same_table, shipped

PALIDA = {"identical_legs": True, "symmetric": True}
PERIOD = 2.0


@pytest.fixture(scope="module")
def excitation() -> gough.Excitation:
    return shipped("five_bar").excite(period=PERIOD, evaluations=100, velocity=10, acceleration=200)


@pytest.fixture(scope="module")
def true() -> gough.Robot:
    return shipped("five_bar").different(0.2, seed=3)


@pytest.fixture(scope="module")
def data(excitation: gough.Excitation, true: gough.Robot) -> gough.Table:
    return true.measure(excitation.trajectory(), step=4e-3, encoder=1e-6, noise=0.02, seed=1)


@pytest.fixture(scope="module")
def found(data: gough.Table) -> gough.Identification:
    return shipped("five_bar").identify(data, period=PERIOD, keep_all=True)


# ------------------------------------------------------------------------------------------- base parameters


def test_base_parameters_of_palida_are_those_of_paper_003() -> None:
    base = shipped("palida").base_parameters(**PALIDA)
    assert base.rank == 10
    assert set(base.names) == {
        "Ixx_platform + 3 0.12^2 m_slider",
        "Iyy_platform + 3 0.12^2 m_slider",
        "Izz_platform + 6 0.12^2 m_slider",
        "sz_platform",
        "m_platform + 6 m_slider",
        "Izz_ring + Iyy_stator + Izz_slider",
        "Ixx_stator - Iyy_stator + Ixx_slider - Izz_slider",
        "Izz_stator + Iyy_slider",
        "sy_stator",
        "sz_slider",
    }
    assert base.agree()


def test_base_parameters_have_the_values_of_the_file() -> None:
    d = shipped("palida").description
    m = {name: d.body(name).mass for name in ("platform", "leg1.slider")}
    base = shipped("palida").base_parameters(**PALIDA)
    values = dict(zip(base.names, base.values, strict=True))
    assert values["m_platform + 6 m_slider"] == pytest.approx(m["platform"] + 6 * m["leg1.slider"])
    assert values["sz_platform"] == pytest.approx(m["platform"] * d.body("platform").com[2])
    assert values["sz_slider"] == pytest.approx(m["leg1.slider"] * d.body("leg1.slider").com[2])


@pytest.mark.parametrize(("name", "rank"), [("five_bar", 4 * 4 - 5), ("rrr3", 3 * 5 + 4 - 6)])
def test_base_parameters_of_planar_robots_are_counted_by_hand(name: str, rank: int) -> None:
    """Four of each link, less a mass at each joint; without gravity a link on the base shows its moment alone."""
    base = shipped(name).base_parameters()
    assert base.rank == rank == len(base.values) == len(base.names)
    assert base.singular_values[rank - 1] > 1e6 * np.append(base.singular_values, 0.0)[rank]


def test_base_parameters_are_linear_in_the_masses(five_bar: gough.Robot) -> None:
    d = five_bar.description
    for b in d.bodies:
        b.mass *= 3
        b.inertia *= 3
        b.points = [(3 * m, p) for m, p in b.points]
    assert gough.Robot(d).base_parameters().values == pytest.approx(3 * five_bar.base_parameters().values, rel=1e-12)


@pytest.mark.parametrize("name", ["psp3", "palida"])
def test_base_parameters_are_the_tools(name: str, tool: Tool) -> None:
    base = shipped(name).base_parameters(**PALIDA)
    flags = ["--identical-legs", "--symmetric"]
    assert str(base) == tool.run("parameters", f"robots/{name}.yaml", *flags).stdout
    assert_same_json(base.to_dict(), tool.json("parameters", f"robots/{name}.yaml", *flags))


# ------------------------------------------------------------------------------------------- excitation


def test_an_excitation_is_better_than_where_it_started(excitation: gough.Excitation) -> None:
    assert excitation.condition < 0.8 * excitation.first_condition
    assert excitation.period == PERIOD
    assert excitation.evaluations <= 100


def test_an_excitation_starts_at_home_at_rest_and_keeps_its_limits(excitation: gough.Excitation) -> None:
    robot = shipped("five_bar")
    t, q, v, a = robot.states(excitation.trajectory(), step=1e-2)
    index = robot.mechanism.actuator_index
    assert t[-1] == pytest.approx(PERIOD)
    for end in (0, -1):
        assert q[end] == pytest.approx(robot.home, abs=1e-9)
        assert np.abs(v[end]).max() < 1e-9
    assert np.abs(v[:, index]).max() <= 10
    assert np.abs(a[:, index]).max() <= 200


def test_an_excitations_motion_file_is_the_same_motion(excitation: gough.Excitation, tmp_path: Path) -> None:
    file = tmp_path / "excitation.yaml"
    file.write_text(excitation.motion_file())
    robot = shipped("five_bar")
    read, held = robot.states(file, step=0.05), robot.states(excitation.trajectory(), step=0.05)
    # the file has nine digits; passive joints move several times as far as the drives whose harmonics they are
    assert read.q == pytest.approx(held.q, abs=1e-8)
    assert read.a == pytest.approx(held.a, abs=1e-6)


def test_an_excitation_is_the_tools(excitation: gough.Excitation, tmp_path: Path, tool: Tool) -> None:
    options = ["--period", PERIOD, "--evaluations", 100, "--velocity", 10, "--acceleration", 200]
    done = tool.run("excite", "robots/five_bar.yaml", *options, "-o", tmp_path)
    assert done.returncode == 0, done.stderr
    robot = shipped("five_bar")
    theirs = robot.states(tmp_path / "five_bar_excitation.yaml", step=0.05)
    assert theirs.q == pytest.approx(robot.states(excitation.trajectory(), step=0.05).q, abs=1e-6)


# ------------------------------------------------------------------------------------------- measurements


def test_measured_forces_without_noise_are_those_of_dynamics(true: gough.Robot, excitation: gough.Excitation) -> None:
    measured = true.measure(excitation.trajectory(), step=0.02)
    expected = true.inverse_dynamics(excitation.trajectory(), step=0.02).table
    assert measured.columns == ["t", "q.left", "q.right", "tau.left", "tau.right"]
    assert np.array_equal(measured.values, expected[measured.columns])


def test_noise_and_encoders_are_as_asked_for(true: gough.Robot, excitation: gough.Excitation) -> None:
    clean = true.measure(excitation.trajectory(), step=1e-3)
    noisy = true.measure(excitation.trajectory(), step=1e-3, encoder=1e-3, noise=0.5, seed=7)
    steps = noisy[["q.left", "q.right"]] / 1e-3
    assert np.abs(steps - np.round(steps)).max() < 1e-9
    off = (noisy[["tau.left", "tau.right"]] - clean[["tau.left", "tau.right"]]).ravel()
    assert off.std() == pytest.approx(0.5, rel=0.06)  # 4002 numbers: a deviation of 0.011 of it
    assert abs(off.mean()) < 4 * 0.5 / np.sqrt(off.size)
    again = true.measure(excitation.trajectory(), step=1e-3, encoder=1e-3, noise=0.5, seed=7)
    assert np.array_equal(again.values, noisy.values)


def test_measurements_are_the_tools(tmp_path: Path, tool: Tool, five_bar: gough.Robot) -> None:
    file, motion = tmp_path / "data.csv", "motions/five_bar_reach.yaml"
    options = ["--motion", motion, "--encoder", 1e-5, "--noise", 0.3, "--seed", 5, "--step", 0.01]
    tool.run("simulate", "robots/five_bar.yaml", *options, "-o", file)
    ours = five_bar.measure(motion, step=0.01, encoder=1e-5, noise=0.3, seed=5)
    assert_same_table(ours, gough.Table.read(file))


# ------------------------------------------------------------------------------------------- values


def test_the_truth_lies_within_the_deviations(true: gough.Robot, excitation: gough.Excitation) -> None:
    """Chi-square of 11 freedoms: 11 on average with a deviation of 4.7; over five seeds 55 with 10.5."""
    start, truth, total = shipped("five_bar"), true.base_parameters().values, 0.0
    for seed in range(1, 6):
        measured = true.measure(excitation.trajectory(), step=4e-3, encoder=1e-6, noise=0.02, seed=seed)
        found = start.identify(measured, period=PERIOD, keep_all=True)
        off = found.values - truth
        total += float(off @ np.linalg.solve(found.covariance, off))
    assert 55 - 4 * 10.5 < total < 55 + 4 * 10.5


def test_the_identified_robot_predicts_another_motion(
    found: gough.Identification, true: gough.Robot, five_bar: gough.Robot
) -> None:
    other = true.inverse_dynamics("motions/five_bar_reach.yaml").table[["tau.left", "tau.right"]]
    before, after = (
        np.abs(r.inverse_dynamics("motions/five_bar_reach.yaml").table[["tau.left", "tau.right"]] - other).max()
        for r in (five_bar, five_bar.identified(found))
    )
    assert after < 0.1 * before
    assert found.relative < 0.2 * found.relative_before


def test_what_is_left_is_noise(found: gough.Identification) -> None:
    left = found.force - found.predicted
    assert found.t.shape == (len(left),)
    assert left.std() == pytest.approx(0.02, rel=0.2)
    assert found.relative == pytest.approx(np.linalg.norm(left) / np.linalg.norm(found.force), rel=1e-9)


def test_a_second_measurement_is_predicted(data: gough.Table, true: gough.Robot, five_bar: gough.Robot) -> None:
    harmonic = {"x": {"sin": [0.04]}, "y": {"offset": 0.4, "sin": [0, 0.03]}}
    second = true.measure({"harmonic": {"duration": "2 s", "rate": "0.5 Hz", "coordinates": harmonic}}, step=4e-3)
    found = five_bar.identify(data, second, period=PERIOD)
    assert found.validation_relative is not None
    assert found.validation_relative < 0.02
    assert five_bar.identify(data, period=PERIOD).validation_relative is None


def test_a_frame_a_table_and_a_file_are_the_same_data(
    data: gough.Table, found: gough.Identification, five_bar: gough.Robot, tmp_path: Path
) -> None:
    file = tmp_path / "data.csv"
    data.write(file)
    for given in (data.to_pandas(), file, str(file), {c: data[c] for c in data}):
        again = five_bar.identify(given, period=PERIOD, keep_all=True)
        assert np.array_equal(again.values, found.values)


def test_the_identified_robot_file_loads_again(found: gough.Identification, five_bar: gough.Robot) -> None:
    read = gough.Robot.from_text(found.robot_file("robots/five_bar.yaml"))
    states = five_bar.random_states(10)[1:]
    expected = five_bar.identified(found).inverse_dynamics(*states)
    assert read.inverse_dynamics(*states) == pytest.approx(expected, rel=1e-6)


def test_an_identified_robot_is_made_anew_from_its_description(
    found: gough.Identification, five_bar: gough.Robot
) -> None:
    identified = five_bar.identified(found)
    states = five_bar.random_states(5)[1:]
    again = gough.Robot(identified.description).inverse_dynamics(*states)
    assert again == pytest.approx(identified.inverse_dynamics(*states), rel=1e-9)


def test_values_are_the_tools(data: gough.Table, found: gough.Identification, tmp_path: Path, tool: Tool) -> None:
    file = tmp_path / "data.csv"
    data.write(file)
    options = ["--period", PERIOD, "--all-parameters", "-o", tmp_path / "out"]
    done = tool.run("identify", "robots/five_bar.yaml", file, *options)
    assert done.returncode == 0, done.stderr
    theirs = json.loads((tmp_path / "out/identification.json").read_text())
    ours = found.to_dict()
    assert_same_json(ours["parameters"], theirs["parameters"])


def test_friction_is_found_by_itself() -> None:
    palida = shipped("palida")
    true = palida.different(0.0, 0.3, **PALIDA)
    measured = true.measure("motions/palida_lines.yaml", step=4e-3, noise=0.1)
    found = palida.identify(measured, what="friction", cutoff=40, **PALIDA)
    truth = true.mechanism.coefficients
    values = {n.removeprefix("friction."): x for n, x in zip(found.names, found.values, strict=True)}
    dry = [n for n in values if "dry" in n]
    assert len(dry) == 6
    for name in dry:
        assert values[name] == pytest.approx(truth[name], rel=0.05), name


def test_files_are_written(found: gough.Identification, tmp_path: Path) -> None:
    written = found.write(found.robot_file("robots/five_bar.yaml"), str(tmp_path), "better")
    assert {"better.yaml", "residuals.csv", "identification.json"} <= {Path(w).name for w in written}
    assert all((tmp_path / Path(w).name).is_file() for w in written)
    gough.load(tmp_path / "better.yaml")


# ------------------------------------------------------------------------------------------- what goes wrong


def changed(data: gough.Table, row: int, column: str, value: float) -> gough.Table:
    values = data.values.copy()
    values[row, data.columns.index(column)] = value
    return gough.Table(data.columns, values)


WRONG: list[tuple[Any, str]] = [
    (lambda d: changed(d, 7, "q.left", np.nan), r"q\.left.*read '?nan'?, expected a finite number"),
    (lambda d: changed(d, 7, "t", 0.0), r"row 8: read t = 0 after 0.024, expected times that increase"),
    (lambda d: {c: d[c] for c in d if c != "tau.left"}, "read a table without.*tau.left"),
    (lambda d: {c: d[c][:3] for c in d}, "data"),
    (lambda d: {c: d[c] if c in "t" else np.full(len(d), d[c][0]) for c in d}, "that moves by"),
]


@pytest.mark.parametrize("case", range(len(WRONG)))
def test_data_that_do_not_suit_are_told(case: int, data: gough.Table, five_bar: gough.Robot) -> None:
    make, message = WRONG[case]
    with pytest.raises(gough.Error, match=message):
        five_bar.identify(make(data), cutoff=20)


def test_wishes_that_cannot_be_are_told(data: gough.Table, five_bar: gough.Robot) -> None:
    with pytest.raises(gough.Error, match="what: read 'weight', expected one of all, friction, inertia"):
        five_bar.identify(data, what="weight", period=PERIOD)
    with pytest.raises(gough.Error, match="friction"):
        five_bar.identify(data, what="friction", period=PERIOD)
    with pytest.raises(gough.Error):
        shipped("pendulum").base_parameters(identical_legs=True)
    elastic = shipped("elastic_five_bar")
    with pytest.raises(gough.Error, match="elastic"):
        elastic.identify(data, period=PERIOD)
    with pytest.raises(TypeError):
        five_bar.identify(data, perid=2)
