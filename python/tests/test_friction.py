"""Friction functions that a program defines, against gough's own and against formulas."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import gough
import numpy as np
import pytest
from conftest import ROOT, SIX_FORMULATIONS

TEXT = (ROOT / "robots/five_bar.yaml").read_text()
OWN = {
    "own_quadratic": (lambda v: v * abs(v), lambda v: 2 * abs(v), "quadratic"),
    "own_cubic": (lambda v: v**3, lambda v: 3 * v * v, "cubic"),
    "own_square_root": (lambda v: np.sign(v) * np.sqrt(abs(v)), None, "square_root"),
}
for _name, (_value, _slope, _) in OWN.items():
    gough.define_friction(_name, _value, _slope)


def rubbing(function: str, coefficient: str = "0.5") -> gough.Robot:
    """The five-bar with friction in both drives and in the joint where the loop is cut."""
    friction = f"friction: {{functions: {{{function}: {coefficient}}}}}, "
    text = TEXT.replace("role: actuated, ", "role: actuated, " + friction)
    return gough.Robot.from_text(text.replace("    type: revolute\n", f"    type: revolute\n    {friction[:-2]}\n"))


@pytest.fixture(params=OWN)
def pair(request: pytest.FixtureRequest) -> tuple[gough.Robot, gough.Robot]:
    """A robot with a function of Python's, and one with gough's that is the same."""
    return rubbing(request.param), rubbing(OWN[request.param][2])


def test_own_functions_give_the_forces_of_built_in_ones(pair: tuple[gough.Robot, gough.Robot]) -> None:
    own, built_in = pair
    states = own.random_states(300)[1:]  # a batch, on all cores
    for by in SIX_FORMULATIONS:
        expected = built_in.inverse_dynamics(*states, by=by)
        assert own.inverse_dynamics(*states, by=by) == pytest.approx(expected, rel=1e-12), by


def test_own_functions_give_the_accelerations_of_built_in_ones(pair: tuple[gough.Robot, gough.Robot]) -> None:
    own, built_in = pair
    q, v, a = own.random_states(50)[1:]
    tau = np.ones((50, 2))
    assert own.forward_dynamics(q, v, tau) == pytest.approx(built_in.forward_dynamics(q, v, tau), rel=1e-12, abs=1e-12)


def test_own_slopes_are_used_in_derivatives(pair: tuple[gough.Robot, gough.Robot]) -> None:
    own, built_in = pair
    q, v, a = (x[0] for x in own.random_states(1)[1:])
    found, expected = own.derivatives(q, v, a), built_in.derivatives(q, v, a)
    assert found.by_velocity == pytest.approx(expected.by_velocity, rel=1e-6)  # one of them by differences


@pytest.mark.parametrize("method", ["adaptive", "stiff", "dae", "rk4"])
def test_own_functions_slow_a_simulation_as_built_in_ones(method: str) -> None:
    runs = [
        rubbing(f).simulate(0.2, step=0.02, method=method, friction="smooth") for f in ("own_quadratic", "quadratic")
    ]
    assert runs[0].table.values == pytest.approx(runs[1].table.values, rel=1e-9, abs=1e-9)


def test_friction_is_coefficient_times_function() -> None:
    gough.define_friction("stribeck", lambda v: np.tanh(v / 1e-2) * (1 + 0.5 * np.exp(-((v / 0.1) ** 2))))
    text = TEXT.replace(
        "role: actuated, guess: 134", "role: actuated, friction: {functions: {stribeck: 0.2}}, guess: 134"
    )
    robot, free = gough.Robot.from_text(text), gough.Robot.from_text(TEXT)
    q, v, a = robot.random_states(20)[1:]
    v *= np.linspace(0, 1, 20)[:, None]
    left = v[:, robot.coordinates.index("left")]
    expected = 0.2 * np.tanh(left / 1e-2) * (1 + 0.5 * np.exp(-((left / 0.1) ** 2)))
    extra = robot.inverse_dynamics(q, v, a) - free.inverse_dynamics(q, v, a)
    assert extra[:, 0] == pytest.approx(expected, abs=1e-10)
    assert np.abs(extra[:, 1]).max() < 1e-10


def test_a_coefficient_of_an_own_function_is_identified() -> None:
    true, start = rubbing("own_cubic", "0.037"), rubbing("own_cubic", "0.01")
    rates = {"x": {"sin": [0.03, 0.02], "offset": 0}, "y": {"sin": [0.02, -0.03, 0.02], "offset": 0.40}}
    motion = {"harmonic": {"duration": "1 s", "rate": "1 Hz", "coordinates": rates}}
    found = start.identify(true.measure(motion, step=5e-3), period=1, what="friction")
    values = dict(zip(found.names, found.values, strict=True))
    identified = [x for name, x in values.items() if "own_cubic" in name]
    assert len(identified) == 3
    assert identified[:2] == pytest.approx([0.037, 0.037], rel=1e-3)


# ------------------------------------------------------------------------------------------- threads


def test_threads_share_a_robot_with_an_own_function() -> None:
    """The function lets other threads run while it is computed."""
    gough.define_friction("slow", lambda v: (time.sleep(0), v * abs(v))[1])
    own, built_in = rubbing("slow"), rubbing("quadratic")
    q, v, a = own.random_states(40)[1:]
    expected = built_in.inverse_dynamics(q, v, a)

    def work(k: int) -> float:
        if k % 3 == 0:
            return float(np.abs(own.inverse_dynamics(q, v, a) - expected).max())
        return float(np.abs(own.inverse_dynamics(q[k % 40], v[k % 40], a[k % 40]) - expected[k % 40]).max())

    with ThreadPoolExecutor(4) as pool:
        assert max(pool.map(work, range(200))) < 1e-9


# ------------------------------------------------------------------------------------------- what goes wrong


class Broken(Exception):
    pass


def breaking(v: float) -> float:
    BREAKS["calls"] += 1
    if BREAKS["calls"] > BREAKS["after"]:
        raise Broken("friction broke")
    return v


BREAKS = {"calls": 0, "after": 10**9}
gough.define_friction("breaking", breaking)

USES: dict[str, Callable[[gough.Robot], object]] = {
    "one state": lambda r: r.inverse_dynamics(r.home, np.ones(9), np.ones(9)),
    "forward": lambda r: r.forward_dynamics(r.home, np.ones(9), np.ones(2)),
    "a batch": lambda r: r.inverse_dynamics(*(np.tile(x, (500, 1)) for x in (r.home, np.ones(9), np.ones(9)))),
    "a motion": lambda r: r.inverse_dynamics("motions/five_bar_line.yaml"),
    "adaptive": lambda r: r.simulate(1.0, friction="smooth"),
    "stick": lambda r: r.simulate(1.0),
    "stiff": lambda r: r.simulate(1.0, method="stiff", friction="smooth"),
    "dae": lambda r: r.simulate(1.0, method="dae", friction="smooth"),
    "rk4": lambda r: r.simulate(1.0, method="rk4", friction="smooth"),
    "derivatives": lambda r: [r.derivatives(r.home, np.ones(9), np.ones(9)) for _ in range(10)],
    "compare": lambda r: r.compare(),
    "energy": lambda r: [r.energy(r.home, np.ones(9)) for _ in range(10)],
    "right-hand side": lambda r: (lambda f: [f(0.0, f.x0 + 1e-3) for _ in range(10)])(r.right_hand_side()),
    "measure": lambda r: r.measure("motions/five_bar_line.yaml"),
    "track": lambda r: r.track("motions/five_bar_reach.yaml"),
    "show": lambda r: r.show("motions/five_bar_line.yaml"),
}


@pytest.mark.parametrize("use", USES)
def test_what_an_own_function_raises_arrives_as_it_is(use: str) -> None:
    robot = rubbing("breaking")
    BREAKS.update(calls=0, after=2)
    try:
        with pytest.raises(Broken, match="friction broke"):
            USES[use](robot)
    finally:
        BREAKS["after"] = 10**9
    still = np.zeros(9)  # and the robot is as good as before
    assert np.isfinite(robot.inverse_dynamics(robot.home, still, still)).all()


@pytest.mark.parametrize("name", ["quadratic", "viscous", "coulomb", "cubic", "square_root", "", "x" * 101])
def test_names_that_cannot_be_are_refused(name: str) -> None:
    with pytest.raises(gough.Error, match="friction function"):
        gough.define_friction(name, lambda v: v)


def test_what_is_no_function_of_speed_is_refused_at_once() -> None:
    with pytest.raises(TypeError):
        gough.define_friction("wrong", 3)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        gough.define_friction("wrong", lambda: 1.0)  # type: ignore[misc, arg-type]
    with pytest.raises(ZeroDivisionError):
        gough.define_friction("wrong", lambda v: 1 / v)


@pytest.mark.parametrize("result", ["text", None, [1.0, 2.0]])
def test_a_function_that_returns_no_number_is_told_with_its_name(result: object) -> None:
    with pytest.raises(
        (gough.Error, TypeError), match="wrong.*expected a number|expected a number.*wrong|must be real number"
    ):
        gough.define_friction("wrong", lambda v: result)  # type: ignore[arg-type, return-value]


def test_an_unknown_function_is_named_when_it_is_needed() -> None:
    robot = rubbing("nowhere")
    with pytest.raises(gough.Error, match="read the friction function 'nowhere', expected one of viscous, coulomb"):
        robot.inverse_dynamics(robot.home, np.zeros(9), np.zeros(9))


def test_generated_code_refuses_own_functions() -> None:
    with pytest.raises(
        gough.Error, match="own_quadratic.*which this program has defined, expected one that can become code"
    ):
        rubbing("own_quadratic").generate_c()


def test_pythons_end_is_quiet_with_functions_defined(own_process: Callable[..., object]) -> None:
    done = own_process("""
import gough
gough.define_friction("own", lambda v: v)
text = open("robots/five_bar.yaml").read()
robot = gough.Robot.from_text(text.replace("role: actuated,", "role: actuated, friction: {functions: {own: 1}},"))
robot.inverse_dynamics(robot.home, [0.0] * 9, [0.0] * 9)
""")
    assert (done.returncode, done.stderr) == (0, "")  # type: ignore[attr-defined]
