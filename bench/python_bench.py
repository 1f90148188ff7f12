#!/usr/bin/env python3
"""What a call from Python costs beside the same call in C++: python_bench.py TIMES.json writes seconds by name."""

import json
import sys
import time
from pathlib import Path

import numpy as np

import gough

ROOT = Path(__file__).resolve().parent.parent
STATES = 100_000


def least(call, calls, repetitions=9):
    """Seconds of one call, the least of several repetitions."""
    best = float("inf")
    for _ in range(repetitions):
        start = time.perf_counter()
        for _ in range(calls):
            call()
        best = min(best, (time.perf_counter() - start) / calls)
    return best


def main(path):
    robot = gough.load(ROOT / "robots/hexapod.yaml")
    states = robot.random_states(8)
    q, v, a = (np.ascontiguousarray(x[1]) for x in states[1:])
    tau = robot.inverse_dynamics(q, v, a)
    evaluator = gough.Evaluator(robot.mechanism)
    w, mechanism = robot.workspace(q, v, a), robot.mechanism
    d = gough.Dynamics(mechanism, w)
    rows = np.arange(STATES) % len(states.q)
    many = [np.ascontiguousarray(x[rows]) for x in states[1:]]
    forces = np.empty((STATES, len(tau)))
    times = {
        "inverse": [
            evaluator.time_inverse(q, v, a, tau.copy(), 20_000),
            least(lambda: robot.inverse_dynamics(q, v, a), 2000),
        ],
        "inverse, names of C++": [
            evaluator.time_inverse(q, v, a, tau.copy(), 20_000),
            least(lambda: gough.inverse_dynamics(mechanism, w, d), 2000),
        ],
        "forward": [
            evaluator.time_forward(q, v, tau, np.empty(robot.nv), 20_000),
            least(lambda: robot.forward_dynamics(q, v, tau), 2000),
        ],
        f"inverse of {STATES} states": [
            evaluator.time_inverse(*many, forces, 9),
            least(lambda: robot.inverse_dynamics(*many), 1),
        ],
    }
    Path(path).write_text(json.dumps(times, indent=1) + "\n")
    for name, (cpp, python) in times.items():
        print(f"{name:28} C++ {cpp * 1e6:12.2f} us   Python {python * 1e6:12.2f} us   {python / cpp:.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
