#!/usr/bin/env python3
"""Runs the comparison and writes docs/peers.md with its pictures: page.py BUILD ROOT.

Every program is run ROUNDS times in turn on the same problems; the least time counts, the largest error. Stops with 1
where an exact engine disagrees with gough.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import plots

ROUNDS = 3
OURS = ["gough", "by_hand"]
PEERS = {"pinocchio": "Pinocchio", "simbody": "Simbody", "mujoco": "MuJoCo", "dart": "DART"}
HAND, LEGS = "hand-written", "gough legs"
ROBOTS = {"hexapod": HAND, "five_bar": LEGS}  # and what its times are divided by
BLUE, ORANGE = "#2a6fbb", "#e08a2c"
COLOURS = {
    LEGS: BLUE,
    LEGS + ", as lanes": BLUE,
    "gough scdd": "#1f9e89",
    "gough dalembert": "#8fb8de",
    "Pinocchio": ORANGE,
    "Simbody": "#b5432f",
}
SAME = ("engine", "robot", "layout", "grows", "number", "exact", "inverse_call", "forward_call")

INTRODUCTION = """\
# Beside other engines

Written by `make bench-peers`, which installs the other engines from their packages; the programs are in
`bench/peers/`. Times are of one run on one machine ({machine}): only their ratios travel.

All engines get the same robots, made from the robot files, and the same {states} closed states near home with random
rates and accelerations, friction left out. Inverse dynamics finds the drives' forces of a motion, forward dynamics the
accelerations under these forces with all loops closed. First each answer is compared with that of gough's `legs`: the
error is the largest difference over the largest number, and the run fails where an engine with exact loops is off by
more than 1e-8. Then it is timed on one thread, passing many times through all states in pieces of about 50 us, the least
time of each piece counting; all engines in turn, {rounds} times. Each engine is shown with its best call and tree, found
by trying those listed [below](#calls).

![Times of all engines](pictures/peers.svg)
"""

NOTES = """\
Soft engines: MuJoCo closes loops by stiff springs in effect, set as stiff as it allows. DART closes them by impulses
within a time step, so its accelerations do not contain what the turning of the loops' directions adds. Their forward
errors are theirs, at these settings; their inverse dynamics is put together from exact parts.

"from the platform" starts from the platform's motion, as the hand-written code and the generated C for the hexapod do;
the generated C for the five-bar starts from the drives' motion, all others from all joints' motion. Forward, the
generated C gives the accelerations of the platform or of the drives, all others those of all joints. gough's library
runs as it is shipped and chooses its instructions when it starts. Hand-written, generated, Pinocchio, MuJoCo's and
Simbody's programs are compiled with `-O3 -march=native`; the libraries of MuJoCo, Simbody and DART are as packaged.
"""

GROWTH = """\
## How cost grows

Forward dynamics of the hexapod: with legs 1, 3, 5 alone, as it is, and with all its legs placed twice, three and four
times; and with each leg's slider split into parts that springs join, up to 32 of them. Ten states each; springs' forces
are given to the other engines ready made. Shown is the fastest of an engine's calls and trees at each point.

![Growth with legs and with elastic freedoms](pictures/growth.svg)

Six equal legs of rigid bodies gough takes as lanes of vector instructions (a point of its own); otherwise it goes leg by
leg (the line).
"""


def programs(build):
    """What was built, by name."""
    found = {}
    for name in OURS + list(PEERS):
        path = build / "bench/peers" / f"peers_{name}"
        if path.exists():
            found[name] = path
        else:
            print(f"bench-peers: {PEERS[name]} is left out, it was not installed")
    return found


def run(path, arguments):
    one_thread = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    done = subprocess.run([path, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=one_thread)
    results = [json.loads(row) for row in done.stdout.splitlines() if row.startswith("{")]
    if done.returncode != 0:
        for r in results:
            print(r["engine"], r["robot"], r["layout"], r["number"], r["inverse_error"], r["forward_error"])
        sys.exit(f"bench-peers: {path.name} failed or disagrees ({done.returncode})\n{done.stderr}")
    return results


def smaller(a, b):
    return b if a is None else a if b is None else min(a, b)


def measure(build, root):
    """All results, the least times and largest errors of the rounds."""
    found = programs(build)
    problems = build / "peers/problems.json"
    problems.parent.mkdir(exist_ok=True)
    merged = {}
    for i in range(ROUNDS):
        for name, path in found.items():
            print(f"\rround {i + 1} of {ROUNDS}: {name:<10}", end="", file=sys.stderr, flush=True)
            for r in run(path, [root / "robots", problems] if name == "gough" else [problems]):
                old = merged.setdefault(tuple(r[k] for k in SAME), r)
                for key in ("inverse_us", "forward_us"):
                    old[key] = smaller(old[key], r[key])
                for key in ("inverse_error", "forward_error"):
                    old[key] = None if old[key] is None else max(old[key], r[key])
    print("\r" + " " * 40 + "\r", end="", file=sys.stderr)
    return list(merged.values()), json.loads(problems.read_text())


def best(results, what):
    """The fastest of some results in inverse or forward; None where nobody has it."""
    have = [r for r in results if r[f"{what}_us"] is not None]
    return min(have, key=lambda r: r[f"{what}_us"], default=None)


def engines(results, robot):
    """Per engine its best inverse and its best forward, the fastest engine first."""
    rows = {}
    for r in results:
        if r["robot"] == robot and not r["grows"]:
            rows.setdefault(r["engine"], []).append(r)
    table = [(name, best(rs, "inverse"), best(rs, "forward")) for name, rs in rows.items()]
    return sorted(table, key=lambda row: (row[1] or row[2])["inverse_us" if row[1] else "forward_us"])


def shown(value, form):
    return "-" if value is None else format(value, form)


def table(results, robot):
    rows = engines(results, robot)
    yardstick = next((row for row in rows if row[0] == ROBOTS[robot]))
    head = [
        robot,
        "inverse [us]",
        "forward [us]",
        f"inverse / {yardstick[0]}",
        f"forward / {yardstick[0]}",
        "inverse error",
        "forward error",
    ]
    lines = ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    for name, *both in rows:
        cells = {"us": [], "ratio": [], "error": []}
        for what, r, one in zip(("inverse", "forward"), both, yardstick[1:]):
            us = r and r[f"{what}_us"]
            cells["us"].append(shown(us, ".3g"))
            cells["ratio"].append(shown(us and us / one[f"{what}_us"], ".2f"))
            error = shown(r and r[f"{what}_error"], ".0e")
            soft = r and not r["exact"] and r[f"{what}_error"] > 1e-8
            cells["error"].append(error + (" (soft)" if soft else ""))
        lines.append("| " + " | ".join([name, *cells["us"], *cells["ratio"], *cells["error"]]) + " |")
    return "\n".join(lines)


def faster(results, robot):
    """Which other engines are faster than the library."""
    rows = {name: both for name, *both in engines(results, robot)}
    words = []
    for k, what in enumerate(("inverse", "forward")):
        ours = min(both[k][f"{what}_us"] for name, both in rows.items() if name.startswith(LEGS) and both[k])
        names = [
            name for name, both in rows.items() if name.split(" ")[0] in PEERS.values() and both[k][f"{what}_us"] < ours
        ]
        words.append(f"{what}: {', '.join(names) or 'none'}")
    return f"Other engines that are faster than gough's library on the {robot}: " + "; ".join(words) + "."


def calls(results):
    """Everything that was tried."""
    lines = [
        "## Calls",
        "",
        "| engine | robot | tree | inverse | [us] | forward | [us] |",
        "|---|---|---|---|---|---|---|",
    ]
    for robot in ROBOTS:
        for r in results:
            if r["robot"] == robot and not r["grows"]:
                lines.append(
                    f"| {r['engine']} | {robot} | {r['layout'] or '-'} | {r['inverse_call'] or '-'} | "
                    f"{shown(r['inverse_us'], '.3g')} | {r['forward_call'] or '-'} | "
                    f"{shown(r['forward_us'], '.3g')} |"
                )
    return "\n".join(lines)


def growth_series(results, grows):
    """(name, colour, points) of forward dynamics; of other engines the best call at each number."""
    series = []
    for name, colour in COLOURS.items():
        mine = [r for r in results if r["grows"] == grows and name in (r["engine"], r["engine"].split(" ")[0])]
        numbers = sorted({r["number"] for r in mine})
        points = [(n, best([r for r in mine if r["number"] == n], "forward")["forward_us"]) for n in numbers]
        if points:
            series.append((name, colour, points))
    return series


def growth_table(results, grows, title):
    series = growth_series(results, grows)
    numbers = [n for n, _ in series[0][2]]
    lines = [f"| {title} | " + " | ".join(str(n) for n in numbers) + " |", "|---" * (len(numbers) + 1) + "|"]
    for name, _, points in series:
        cells = [shown(dict(points).get(n), ".3g" if dict(points).get(n, 0) < 1000 else ".0f") for n in numbers]
        lines.append(f"| {name} [us] | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def draw(results, pictures):
    width, parts, height = 980, [], 0
    parts += plots.legend(["inverse dynamics", "forward dynamics"], [BLUE, ORANGE], 200, 14)
    rows = {
        robot: [
            (
                name + (" (soft)" if both[1] and not both[1]["exact"] else ""),
                [r and r[f"{what}_us"] for what, r in zip(("inverse", "forward"), both)],
            )
            for name, *both in engines(results, robot)
        ]
        for robot in ROBOTS
    }
    span = plots.decade_range([us for row in rows.values() for _, values in row for us in values if us])
    for i, robot in enumerate(ROBOTS):
        panel, used = plots.bars(robot, rows[robot], span, [BLUE, ORANGE], 5 + i * 490, 36, 480)
        parts += panel
        height = max(height, used)
    plots.save(pictures / "peers.svg", parts, width, height + 46)
    parts = []
    for i, (grows, below) in enumerate((("legs", "legs"), ("elastic", "elastic freedoms per leg"))):
        title = "forward dynamics, microseconds"
        parts += plots.lines(title, below, growth_series(results, grows), i * 490, 10, 490, 380)
    plots.save(pictures / "growth.svg", parts, width, 400)


def machine():
    for row in open("/proc/cpuinfo"):
        if row.startswith("model name"):
            return row.split(":")[1].strip()
    return "unknown"


def main():
    build, root = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    results, problems = measure(build, root)
    tables = [part for robot in ROBOTS for part in (table(results, robot), faster(results, robot))]
    growth = [growth_table(results, "legs", "legs"), growth_table(results, "elastic", "elastic freedoms per leg")]
    introduction = INTRODUCTION.format(machine=machine(), states=len(problems[0]["states"]), rounds=ROUNDS)
    page = [introduction, *tables, NOTES, GROWTH, *growth, calls(results)]
    (root / "docs/pictures").mkdir(exist_ok=True)
    draw(results, root / "docs/pictures")
    (root / "docs/peers.md").write_text("\n\n".join(part.strip("\n") for part in page) + "\n")
    print("\n\n".join(tables + growth))
    print("\ndocs/peers.md, docs/pictures/peers.svg, docs/pictures/growth.svg")


main()
