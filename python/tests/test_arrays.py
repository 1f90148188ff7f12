"""Arrays in and out: views, shapes, orders, threads, lifetimes."""

from __future__ import annotations

import gc
import resource
import subprocess
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import gough
import numpy as np
import pytest
from conftest import shipped

OwnProcess = Callable[..., subprocess.CompletedProcess[str]]


def folded_five_bar() -> np.ndarray:
    """Both elbows in one point: with the drives held, the tip swings about it. Closed, and singular of type 2."""
    angle = np.arccos(0.1 / 0.25)
    tip = [0, 0.25 * np.sin(angle) + 0.35, 0]
    turn = [np.cos(np.pi / 4), 0, 0, np.sin(np.pi / 4)]  # the left distal link points along y
    return np.array([*tip, *turn, angle, np.pi - angle, angle - np.pi / 2])


# ------------------------------------------------------------------------------------------- views


def test_arrays_of_a_workspace_are_views(five_bar: gough.Robot) -> None:
    w = five_bar.workspace()
    for name in ("q", "v", "a", "tau", "lambda_", "phi", "load"):
        assert np.shares_memory(getattr(w, name), getattr(w, name)), name


def test_what_is_written_into_a_view_is_computed_with(pendulum: gough.Robot) -> None:
    w = pendulum.workspace()
    q, v = w.q, w.v
    q[0], v[0] = 0.3, 2.0
    energy = gough.energy_balance(pendulum.mechanism, w)
    assert energy.kinetic == pytest.approx(0.5 * 1 * (1 * 2.0) ** 2)
    level = gough.energy_balance(pendulum.mechanism, pendulum.workspace([0.0])).potential
    assert energy.potential - level == pytest.approx(9.81 * np.sin(0.3))


def test_results_appear_in_views_that_were_taken_before(pendulum: gough.Robot) -> None:
    w = pendulum.workspace([0.0])
    tau = w.tau
    d = gough.Dynamics(pendulum.mechanism, w)
    assert gough.inverse_dynamics(pendulum.mechanism, w, d)
    assert tau[0] == pytest.approx(9.81)


def test_assigning_copies_into_the_same_memory(five_bar: gough.Robot) -> None:
    w = five_bar.workspace()
    q, given = w.q, five_bar.home + 1
    w.q = given
    assert np.array_equal(q, given)
    assert not np.shares_memory(w.q, given)


def test_a_copied_workspace_is_independent(pendulum: gough.Robot) -> None:
    w = pendulum.workspace([0.5])
    other = w.copy()
    other.q[0] = 1.0
    assert w.q[0] == 0.5


def test_home_is_not_changed_through_what_is_returned(five_bar: gough.Robot) -> None:
    before = five_bar.home.copy()
    five_bar.home[:] = 0
    assert np.array_equal(five_bar.home, before)


def test_columns_of_a_table_are_views(hexapod: gough.Robot) -> None:
    table = hexapod.inverse_dynamics("motions/hexapod_circle.yaml", step=0.1).table
    assert np.shares_memory(table["t"], table.values)
    assert np.shares_memory(table.to_pandas().to_numpy(), table.values)


# ------------------------------------------------------------------------------------------- shapes and types

WRONG = {
    "q is short": (
        lambda q, v, a: (q[0, :-1], v[0], a[0]),
        r"hexapod: q: read an array of shape \(24\), expected \(25\)",
    ),
    "v is long": (lambda q, v, a: (q[0], np.zeros(25), a[0]), r"v: read an array of shape \(25\), expected \(24\)"),
    "a is short": (lambda q, v, a: (q[0], v[0], a[0, 1:]), r"a: read an array of shape \(23\), expected \(24\)"),
    "fewer rows": (lambda q, v, a: (q, v[:3], a), r"v: read an array of shape \(3, 24\), expected \(6, 24\)"),
    "one row for many": (lambda q, v, a: (q, v[0], a), r"v: read an array of shape \(24\), expected \(6, 24\)"),
    "turned": (lambda q, v, a: (q.T, v.T, a.T), r"q: read an array of shape \(25, 6\), expected \(25, 25\)"),
    "three dimensions": (lambda q, v, a: (q[None], v[None], a[None]), r"q: read an array of shape \(1, 6, 25\)"),
    "numbers": (lambda q, v, a: (1.0, 2.0, 3.0), r"q: read an array of shape \(.*\), expected \(25\)"),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_shape_is_told_with_what_was_read_and_expected(case: str, hexapod: gough.Robot) -> None:
    make, message = WRONG[case]
    with pytest.raises(gough.Error, match=message):
        hexapod.inverse_dynamics(*make(*hexapod.random_states(6)[1:]))


@pytest.mark.parametrize("wrong", ["text", [[1, 2], [3]], {"q": 1}])
def test_what_is_no_number_is_refused(wrong: object, hexapod: gough.Robot) -> None:
    with pytest.raises((TypeError, ValueError)):
        hexapod.inverse_dynamics(wrong, np.zeros(24), np.zeros(24))


def test_wrong_words_are_told_with_those_expected(hexapod: gough.Robot) -> None:
    s = hexapod.random_states(2)
    with pytest.raises(gough.Error, match="by: read 'newton', expected one of multipliers, dalembert"):
        hexapod.inverse_dynamics(*s[1:], by="newton")
    with pytest.raises(gough.Error, match="failures: read 'ignore', expected raise or nan"):
        hexapod.inverse_dynamics(*s[1:], failures="ignore")
    with pytest.raises(TypeError, match="unexpected arguments: step"):
        hexapod.inverse_dynamics(*s[1:], step=0.1)
    with pytest.raises(gough.Error, match="wrench: read 3 numbers, expected 6"):
        hexapod.inverse_dynamics(*s[1:], wrench=[0, 0, 1])


def test_vectors_of_a_workspace_tell_their_size(hexapod: gough.Robot) -> None:
    w = hexapod.workspace()
    with pytest.raises(gough.Error, match="q: read 3 numbers, expected 25"):
        w.q = [1, 2, 3]
    with pytest.raises(gough.Error, match="tau: read 7 numbers, expected 6"):
        w.tau = np.zeros(7)
    with pytest.raises(gough.Error, match="pose: read 5 numbers, expected 6"):
        hexapod.inverse_kinematics([0, 0, 0, 0, 0])
    with pytest.raises(gough.Error, match="actuators: read 5 numbers, expected 6"):
        hexapod.forward_kinematics(np.zeros(5))


def test_lists_and_other_types_of_numbers_are_taken(hexapod: gough.Robot) -> None:
    q, v, a = hexapod.random_states(4)[1:]
    expected = hexapod.inverse_dynamics(q, v, a)
    assert np.array_equal(hexapod.inverse_dynamics(q.tolist(), v.tolist(), a.tolist()), expected)
    assert np.array_equal(hexapod.inverse_dynamics(list(q[0]), tuple(v[0]), a[0]), expected[0])
    single = hexapod.inverse_dynamics(*(x.astype(np.float32) for x in (q, v, a)))
    assert single.dtype == np.float64
    assert single == pytest.approx(expected, rel=1e-4)
    still = hexapod.inverse_dynamics(q[0], np.zeros(24, dtype=int), np.zeros(24, dtype=bool))
    assert np.array_equal(still, hexapod.inverse_dynamics(q[0], np.zeros(24), np.zeros(24)))


# ------------------------------------------------------------------------------------------- orders


def one_by_one(robot: gough.Robot, q: np.ndarray, v: np.ndarray, a: np.ndarray, what: str = "inverse") -> np.ndarray:
    call = robot.inverse_dynamics if what == "inverse" else robot.forward_dynamics
    return np.array([call(*s) for s in zip(q, v, a, strict=True)])


ORDERS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "C": np.ascontiguousarray,
    "Fortran": np.asfortranarray,
    "every other row": lambda x: np.repeat(x, 2, axis=0)[::2],
    "every other column": lambda x: np.repeat(x, 2, axis=1)[:, ::2],
    "backwards": lambda x: np.ascontiguousarray(x[::-1])[::-1],
    "read only": lambda x: np.frombuffer(x.tobytes()).reshape(x.shape),
    "big endian": lambda x: x.astype(">f8"),
}


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("name", ["hexapod", "four_bar", "pendulum", "redundant_five_bar"])
def test_batches_do_not_depend_on_the_order_of_arrays(name: str, order: str) -> None:
    robot = shipped(name)
    q, v, a = robot.random_states(7)[1:]
    tau = one_by_one(robot, q, v, a)
    lay = ORDERS[order]
    assert robot.inverse_dynamics(lay(q), lay(v), lay(a)) == pytest.approx(tau, rel=1e-9, abs=1e-9)
    back = one_by_one(robot, q, v, tau, "forward")
    assert robot.forward_dynamics(lay(q), lay(v), lay(tau)) == pytest.approx(back, rel=1e-9, abs=1e-9)


def test_orders_may_be_mixed(hexapod: gough.Robot) -> None:
    q, v, a = hexapod.random_states(7)[1:]
    mixed = hexapod.inverse_dynamics(np.asfortranarray(q), v, a[:, ::-1][:, ::-1])
    assert np.array_equal(mixed, hexapod.inverse_dynamics(q, v, a))


@pytest.mark.parametrize("name", ["hexapod", "four_bar", "pendulum"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_a_batch_may_be_empty_or_of_one(name: str, order: str) -> None:
    robot = shipped(name)
    q, v, a = (np.asarray(x, order=order) for x in robot.random_states(2)[1:])
    for n in (0, 1):
        found = robot.inverse_dynamics(q[:n], v[:n], a[:n])
        assert found.shape == (n, len(robot.actuators))
        assert robot.forward_dynamics(q[:n], v[:n], found).shape == (n, robot.nv)
    assert found[0] == pytest.approx(robot.inverse_dynamics(q[0], v[0], a[0]), rel=1e-12)  # packs fuse other products
    w = [0, 0, 1, 0, 0, 0]
    if robot.mechanism.has_platform:
        assert robot.inverse_dynamics(q[:0], v[:0], a[:0], wrench=w).shape == (0, len(robot.actuators))


def test_weights_may_be_any_sequence(redundant: gough.Robot) -> None:
    states = redundant.random_states(3)[1:]
    expected = redundant.inverse_dynamics(*states, weights=(1, 2, 3))
    assert np.array_equal(redundant.inverse_dynamics(*states, weights=[1, 2, 3]), expected)
    assert np.array_equal(redundant.inverse_dynamics(*states, weights=np.array([1, 2, 3])), expected)


def test_weights_choose_the_least_weighted_forces(redundant: gough.Robot) -> None:
    """Of all forces tau + N s that make the motion, the weighted ones are orthogonal to N."""
    states = redundant.random_states(1)[1:]
    state = [x[0] for x in states]
    plain, weighted = (redundant.inverse_dynamics(*state, weights=w) for w in ((), (1.0, 4.0, 9.0)))
    free = weighted - plain  # changes no motion
    assert np.abs(free).max() > 1e-3
    assert np.dot(plain, free) == pytest.approx(0, abs=1e-12)
    assert np.dot(np.array([1, 4, 9]) * weighted, free) == pytest.approx(0, abs=1e-12)
    assert redundant.forward_dynamics(state[0], state[1], weighted) == pytest.approx(state[2], abs=1e-8)


def test_the_right_number_of_weights_is_asked_for(redundant: gough.Robot) -> None:
    with pytest.raises(gough.Error, match="weights"):
        redundant.inverse_dynamics(*redundant.random_states(2)[1:], weights=(1.0, 2.0))


# ------------------------------------------------------------------------------------------- an evaluator's own arrays


def test_an_evaluator_writes_where_it_is_told(hexapod: gough.Robot) -> None:
    q, v, a = hexapod.random_states(5)[1:]
    expected = hexapod.inverse_dynamics(q, v, a)
    evaluator, out = gough.Evaluator(hexapod.mechanism), np.zeros((5, 6))
    evaluator.inverse(q, v, a, out)
    assert np.array_equal(out, expected)
    spaced = np.full(12, 7.0)
    evaluator.inverse(q[0], v[0], a[0], spaced[::2])
    assert np.array_equal(spaced[::2], expected[0])
    assert np.all(spaced[1::2] == 7)


@pytest.mark.parametrize("make", [lambda: np.zeros(6, dtype=np.float32), lambda: np.zeros(6, dtype=int)])
def test_an_evaluator_refuses_an_output_that_it_cannot_write(
    make: Callable[[], np.ndarray], hexapod: gough.Robot
) -> None:
    """Numbers written into a converted copy would be lost without a word."""
    q, v, a = (x[0] for x in hexapod.random_states(1)[1:])
    evaluator = gough.Evaluator(hexapod.mechanism)
    with pytest.raises((TypeError, ValueError)):
        evaluator.inverse(q, v, a, make())


def test_an_evaluator_refuses_an_output_that_is_read_only(hexapod: gough.Robot) -> None:
    q, v, a = (x[0] for x in hexapod.random_states(1)[1:])
    out = np.zeros(6)
    out.flags.writeable = False
    with pytest.raises((TypeError, ValueError)):
        gough.Evaluator(hexapod.mechanism).inverse(q, v, a, out)


def test_timing_checks_its_arrays(own_process: OwnProcess) -> None:
    done = own_process("""
import gough, numpy as np
e = gough.Evaluator(gough.load("robots/hexapod.yaml").mechanism)
try:
    e.time_inverse(np.zeros(100000), np.zeros(24), np.zeros(24), np.zeros(6))
except gough.Error as problem:
    print(problem)
""")
    assert done.returncode == 0, done.stderr[:300]
    assert done.stdout == "hexapod: q: read an array of shape (100000), expected (25)\n"


# ------------------------------------------------------------------------------------------- states without an answer


def test_a_singular_state_raises_a_failure_that_says_so(five_bar: gough.Robot) -> None:
    q, still = folded_five_bar(), np.zeros(9)
    assert gough.close_loops(five_bar.mechanism, five_bar.workspace(q)) < 1e-12
    with pytest.raises(gough.Failure, match="^singular: "):
        five_bar.inverse_dynamics(q, still, still)


def test_a_batch_names_the_state_that_failed(five_bar: gough.Robot) -> None:
    q, v, a = five_bar.random_states(5)[1:]
    q[3], v[3], a[3] = folded_five_bar(), 0, 0
    with pytest.raises(gough.Failure, match="^singular: state 3 of 5; failures="):
        five_bar.inverse_dynamics(q, v, a)
    q[1], v[1], a[1] = folded_five_bar(), 0, 0
    with pytest.raises(gough.Failure, match="^singular: state 1 of 5 and 1 more"):
        five_bar.inverse_dynamics(q, v, a)


@pytest.mark.parametrize("wrench", [None, [0, 0, 0, 0, 0, 0]])
def test_failures_become_rows_that_are_no_numbers(wrench: list[float] | None, five_bar: gough.Robot) -> None:
    q, v, a = five_bar.random_states(5)[1:]
    fine = five_bar.inverse_dynamics(q, v, a)
    q[3], v[3], a[3] = folded_five_bar(), 0, 0
    marked = five_bar.inverse_dynamics(q, v, a, failures="nan", wrench=wrench)
    assert np.isnan(marked[3]).all()
    others = [0, 1, 2, 4]
    assert marked[others] == pytest.approx(fine[others], rel=1e-10)
    assert np.isnan(five_bar.inverse_dynamics(q[3], v[3], a[3], failures="nan")).all()


def test_numbers_that_are_none_give_no_numbers(hexapod: gough.Robot) -> None:
    q, v, a = hexapod.random_states(3)[1:]
    q[1, 4] = np.nan
    found = hexapod.inverse_dynamics(q, v, a, failures="nan")
    assert np.isnan(found[1]).all()
    assert np.isfinite(found[[0, 2]]).all()


# ------------------------------------------------------------------------------------------- threads


def test_other_threads_run_while_a_batch_is_computed(hexapod: gough.Robot) -> None:
    q, v, a = (np.tile(x, (2000, 1)) for x in hexapod.random_states(100)[1:])
    ticks, done = [0], threading.Event()

    def tick() -> None:
        while not done.wait(1e-3):
            ticks[0] += 1

    thread = threading.Thread(target=tick)
    thread.start()
    start = time.monotonic()
    while time.monotonic() - start < 0.3:
        before = ticks[0]
        hexapod.inverse_dynamics(q, v, a)
        if ticks[0] - before >= 3:
            break
    done.set()
    thread.join()
    assert ticks[0] - before >= 3


def test_threads_that_share_a_robot_get_the_right_answers(hexapod: gough.Robot) -> None:
    q, v, a = hexapod.random_states(400)[1:]
    expected = hexapod.inverse_dynamics(q, v, a)

    def work(k: int) -> float:
        some = slice(k % 7, None, 1 + k % 3)
        batch = hexapod.inverse_dynamics(q[some], v[some], a[some])
        one = hexapod.inverse_dynamics(q[k], v[k], a[k])
        return max(np.abs(batch - expected[some]).max(), np.abs(one - expected[k]).max())

    with ThreadPoolExecutor(4) as pool:
        assert max(pool.map(work, range(300))) < 1e-9


def test_a_wrench_of_one_thread_does_not_push_in_another(hexapod: gough.Robot) -> None:
    q, v, a = hexapod.random_states(300)[1:]
    wrench = [0, 0, 100, 0, 0, 0]
    free, pushed = hexapod.inverse_dynamics(q, v, a), hexapod.inverse_dynamics(q, v, a, wrench=wrench)

    def work(k: int) -> float:
        if k % 2:
            return float(np.abs(hexapod.inverse_dynamics(q, v, a) - free).max())
        return float(np.abs(hexapod.inverse_dynamics(q, v, a, wrench=wrench) - pushed).max())

    with ThreadPoolExecutor(4) as pool:
        assert max(pool.map(work, range(200))) < 1e-9


# ------------------------------------------------------------------------------------------- lifetimes

ALIVE = {
    "a view": "x = gough.load(F).workspace().q\nshow = lambda: x",
    "an evaluator": """
e, out = gough.Evaluator(gough.load(F).mechanism), np.empty(2)
show = lambda: (e.inverse(q, still, still, out), out)[1]""",
    "dynamics": """
r = gough.load(F)
m, w = r.mechanism, r.workspace()
d = gough.Dynamics(m, w)
del r
show = lambda: (gough.inverse_dynamics(m, w, d).ok(), np.array(w.tau))[1]""",
    "a report": """
x = gough.load(F).inverse_dynamics({"line": {"to": {"x": 0.05}, "duration": "0.1 s"}}, step=0.01)
show = lambda: np.append(x.table.values.ravel(), len(str(x)))""",
    "a simulation": """
x = gough.load(F).simulate(0.05, step=0.01)
show = lambda: np.append(x.table.values.ravel(), len(x.show().html))""",
    "a right-hand side": """
x = gough.load(F).right_hand_side()
show = lambda: x(0.0, x.x0)""",
    "a table of forces": """
c = gough.force_table(gough.load(F).mechanism, ["t", "tau.left", "tau.right"], [[0, 1, 2], [1, 3, 4]])
show = lambda: gough.load(F).simulate(0.02, step=0.01, controller=c).table.values""",
    "ideal drives": """
r = gough.load("robots/elastic_five_bar.yaml")
w = r.workspace()
c = gough.ideal_drives(r.mechanism, r.mechanism, r.motion({"line": {"to": {"x": 0.05}, "duration": "0.1 s"}}), w)
start = np.array(w.q)
del r, w
show = lambda: gough.load("robots/elastic_five_bar.yaml").simulate(0.02, step=0.01, q=start, controller=c).table.values""",
    "a sampled law": """
r = gough.load(F)
t = r.trajectory({"line": {"to": {"x": 0.05}, "duration": "0.1 s"}})
law = gough.computed_torque(r.mechanism)
c = gough.sampled(r.mechanism, gough.reference_of(r.mechanism, t, 1e-2), law)
del r, t, law
show = lambda: gough.load(F).simulate(0.02, step=0.01, hold=1e-2, controller=c).table.values""",
    "base parameters": "x = gough.load(F).base_parameters()\nshow = lambda: np.append(x.values, len(str(x)))",
    "bent mechanism": """
r = gough.load("robots/five_bar_flexible.yaml")
m = gough.bent_mechanism(r.description, 3, gough.FlexOptions(r.mechanism)).mechanism
del r
show = lambda: np.array(gough.Workspace(m).q)""",
    "a body of a description": "x = gough.load(F).description.bodies[1]\nshow = lambda: np.append(x.com, x.mass)",
}


@pytest.mark.parametrize("what", ALIVE)
def test_what_a_robot_has_made_outlives_it(what: str, own_process: OwnProcess) -> None:
    done = own_process(f"""
import gc, gough, numpy as np
F = "robots/five_bar.yaml"
q, still = gough.load(F).home, np.zeros(9)
{ALIVE[what]}
def settled():
    gc.collect()
    rubbish = [gough.load(F).workspace() for _ in range(30)]  # where the robot was
    del rubbish
    return np.array(show(), dtype=float)
first = settled() if {what!r} not in ("a table of forces", "ideal drives", "a sampled law") else None
again = settled()
assert np.isfinite(again).all() and again.size > 0
assert first is None or np.array_equal(first, again)
""")
    assert done.returncode == 0, done.stderr[-400:]


def test_a_workspace_of_another_robot_is_refused(own_process: OwnProcess) -> None:
    done = own_process("""
import gough
m = gough.load("robots/hexapod.yaml").mechanism
w = gough.Workspace(gough.load("robots/pendulum.yaml").mechanism)
for f in (lambda: gough.Dynamics(m, w), lambda: gough.inverse_kinematics(m, [0, 0, -0.65, 0, 0, 0], w)):
    try:
        f()
    except gough.Error:
        print("refused")
""")
    assert (done.returncode, done.stdout) == (0, "refused\nrefused\n"), done.stderr[:300]


def test_memory_does_not_grow(hexapod: gough.Robot) -> None:
    q, v, a = hexapod.random_states(50)[1:]
    text = "robots/pendulum.yaml"

    def round_of_everything() -> None:
        for k in range(50):
            hexapod.inverse_dynamics(q[k], v[k], a[k])
        hexapod.inverse_dynamics(q, v, a)
        hexapod.inverse_dynamics(q, v, a, wrench=[0, 0, 1, 0, 0, 0])
        pendulum = gough.load(text)
        pendulum.simulate(0.01, controller=lambda t, w: [0.0]).table.to_pandas()
        pendulum.inverse_dynamics(np.zeros(1), np.zeros(1), np.zeros(1))
        np.asarray(pendulum.description.bodies[0].com)

    def used() -> float:
        gc.collect()
        return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() / 1e6

    for _ in range(30):
        round_of_everything()
    before = used()
    for _ in range(150):
        round_of_everything()
    assert used() - before < 10  # MB; 150 copies of a hexapod alone would be more
