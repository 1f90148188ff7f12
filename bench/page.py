#!/usr/bin/env python3
"""Writes docs/performance.md and docs/pictures/performance.svg from the times of `make bench`.

Usage: page.py TIMES.json PYTHON.json ROOT   TIMES.json: gough_bench --benchmark_out=TIMES.json, PYTHON.json: python_bench.py
"""

import json
import sys
from pathlib import Path

import roofline

sys.path.insert(0, str(Path(__file__).resolve().parent / "peers"))
import plots  # noqa: E402

WHATS = ("inverse", "forward")
COLOURS = ("#2a6fbb", "#e08a2c")
TO_NS = {"ns": 1.0, "us": 1e3, "ms": 1e6, "s": 1e9}
FLEX_GOAL = ("flex/rrr3_flexible", 2.0)  # seconds

INTRODUCTION = """\
# Performance

Written by `make bench`. Every table begins with ratios within one run: times differ between machines and from hour to hour,
ratios hardly do. The yardstick is a hexapod written by hand with Eigen, `bench/handwritten_hexapod.hpp`, without friction. What the
numbers mean, what limits them and what was tried: [what limits speed](speed.md). Other engines: [peers](peers.md).

This run: {machine}. One core where nothing else is said; the least of the repetitions counts.

![Times over those of the hand-written hexapod](pictures/performance.svg)
"""

FAST_PATHS = """\
## Fast paths

Of one state, of which each waits for the one before, unless it says how many. Generated code is palida's, friction included; the library's
rows are programs by `legs`, loops' forces and all accelerations included from the joints.
"""


def read(path):
    """Least time of each benchmark in ns, and everything about that run; the context."""
    with open(path, encoding="utf-8") as file:
        context = json.load(file)["context"]
    times = roofline.read(path)
    failed = {name for name, run in times.items() if run.get("error_occurred")}
    return {
        name: {
            **run,
            "ns": run["cpu_time"] * TO_NS[run.get("time_unit", "ns")],
            "real_ns": run["real_time"] * TO_NS[run.get("time_unit", "ns")],
        }
        for name, run in times.items()
        if name not in failed
    }, context


def machine(context):
    """Processor, clock and caches; benchmarks do not record the processor's name, so it is this machine's if need be."""
    name = context.get("cpu_model", "")
    info = Path("/proc/cpuinfo")
    if not name and info.exists():
        name = next(
            (row.split(":")[1].strip() for row in info.read_text().splitlines() if row.startswith("model name")), ""
        )
    caches = {(cache["level"], cache["type"]): cache["size"] // 1024 for cache in context.get("caches", [])}
    sizes = [f"L{level} {size} KiB" for (level, kind), size in sorted(caches.items()) if kind in ("Data", "Unified")]
    parts = [
        name or "a processor without a name",
        f"{context['num_cpus']} threads at {context['mhz_per_cpu']} MHz",
        ", ".join(sizes),
    ]
    return ", ".join(part for part in parts if part)


def table(head, rows):
    lines = ["| " + " | ".join(cells) + " |" for cells in (head, *rows)]
    lines.insert(1, "|---" * len(head) + "|")
    return "\n".join(line.replace("|  |", "| |") for line in lines)


def ratio(value):
    return "-" if value is None else f"{value:.3f}" if value < 1 else f"{value:.2f}" if value < 10 else f"{value:.0f}"


def us(ns):
    return "-" if ns is None else f"{ns / 1e3:.3g}"


def over(times, name, yardstick, states=1):
    """The time of a benchmark over that of another; None where one of them is missing."""
    if name not in times or yardstick not in times:
        return None
    return times[name]["ns"] / states / times[yardstick]["ns"]


def time_of(times, name, states=1):
    return times[name]["ns"] / states if name in times else None


def fast_paths(times):
    """Rows of a name, ratios, goals and times, inverse and forward."""
    found = [
        ("hand-written hexapod", (1.0, 1.0), (None, None), tuple(time_of(times, f"handwritten/{w}") for w in WHATS))
    ]
    for name, pattern, states, goals in roofline.ROWS:
        names = [pattern.format(what) for what in WHATS]
        ratios = tuple(over(times, n, f"handwritten/{w}", states) for n, w in zip(names, WHATS))
        found.append((name, ratios, goals, tuple(time_of(times, n, states) for n in names)))
    return [row for row in found if any(value is not None for value in row[1])]


def fast_table(rows):
    def goal(value, wanted):
        return "" if wanted is None else f"{wanted:g}, {'met' if value is not None and value <= wanted else 'missed'}"

    head = ["", "inverse / hand-written", "goal", "forward / hand-written", "goal", "inverse [ns]", "forward [ns]"]
    body = []
    for name, ratios, goals, ns in rows:
        pairs = [cell for value, wanted in zip(ratios, goals) for cell in (ratio(value), goal(value, wanted))]
        body.append([name, *pairs, *("-" if t is None else f"{t:.1f}" for t in ns)])
    return table(head, body)


def formulations(times):
    names = [name.split("/") for name in times if name.startswith("inverse/") or name.startswith("forward/")]
    return list(dict.fromkeys(parts[2] for parts in names)), sorted({parts[1] for parts in names})


def robots_table(times):
    """`legs` of every robot."""
    _, robots = formulations(times)
    rows = []
    for robot in robots:
        names = [f"{what}/{robot}/legs" for what in WHATS]
        if any(name in times for name in names):
            rows.append(
                [
                    robot,
                    *(ratio(over(times, n, f"handwritten/{w}")) for n, w in zip(names, WHATS)),
                    *(us(time_of(times, n)) for n in names),
                ]
            )
    return table(["robot", "inverse / hand-written", "forward / hand-written", "inverse [us]", "forward [us]"], rows)


def formulations_table(times, what):
    """All formulations over `legs` of the same robot."""
    names, robots = formulations(times)
    others = [name for name in names if name != "legs"]
    rows = []
    for robot in robots:
        cells = [over(times, f"{what}/{robot}/{name}", f"{what}/{robot}/legs") for name in others]
        if any(cell is not None for cell in cells):
            rows.append([robot, *(ratio(cell) for cell in cells), us(time_of(times, f"{what}/{robot}/legs"))])
    return table([f"{what} / `legs`", *(f"`{name}`" for name in others), "`legs` [us]"], rows)


def kinematics_table(times):
    kinds = {"inverse_kinematics": "inverse kinematics", "forward_kinematics": "forward kinematics", "motion": "motion"}
    robots = sorted({name.split("/")[1] for name in times if name.split("/")[0] in kinds})
    rows = [
        [
            robot,
            *(ratio(over(times, f"{kind}/{robot}", "handwritten/inverse")) for kind in kinds),
            *(us(time_of(times, f"{kind}/{robot}")) for kind in kinds),
        ]
        for robot in robots
    ]
    return table(
        [
            "robot",
            *(f"{words} / hand-written inverse" for words in kinds.values()),
            *(f"{w} [us]" for w in kinds.values()),
        ],
        rows,
    )


def batch_table(times, threads):
    robots = sorted({name.split("/")[2] for name in times if name.startswith("batch/")})
    rows = []
    for robot in robots:
        runs = [times.get(f"batch/{what}/{robot}") for what in WHATS]
        states = [run and run["real_ns"] / roofline.MANY for run in runs]
        single = [time_of(times, f"{what}/{robot}/legs") for what in WHATS]
        rows.append(
            [robot, *(ratio(s / t if s and t else None) for s, t in zip(states, single)), *(us(s) for s in states)]
        )
    head = ["robot", "inverse / one at a time", "forward / one at a time", "inverse [us]", "forward [us]"]
    return f"2048 states through the library's kernels, per state, on all {threads} threads:\n\n" + table(head, rows)


def beams_table(times):
    rows = []
    for name, run in sorted(times.items()):
        if name.startswith(("flex/", "coupled/")):
            goal = f"{FLEX_GOAL[1]:g} s" if name == FLEX_GOAL[0] else ""
            rows.append(
                [
                    name.replace("/", ", ").replace("_", " "),
                    f"{run.get('simulated_s', 0):.3g}",
                    f"{run['ns'] / 1e9:.3g}",
                    goal,
                ]
            )
    return table(["", "seconds of motion per second", "time [s]", "goal"], rows)


def allocations(times):
    counts = [run["allocations"] for run in times.values() if "allocations" in run]
    most = max(counts, default=0)
    return f"Allocations per evaluation, the most of all {len(counts)} measured: {most:.3g}."


def picture(rows, path):
    """Bars of the ratios, inverse and forward, with marks where goals are."""
    names, bar, gap, width = 250, 14, 12, 900
    most = max(value for _, ratios, goals, _ in rows for value in (*ratios, *goals) if value is not None)
    scale = (width - names - 70) / most
    step = 2 * bar + gap
    bottom = 40 + step * len(rows)
    parts = plots.legend(["inverse dynamics", "forward dynamics"], COLOURS, names, 14)
    tick = 0.2 if most < 2.5 else 1
    for i in range(int(most / tick) + 1):
        x = names + tick * i * scale
        parts += [
            plots.line(x, 30, x, bottom),
            plots.text(x, bottom + 16, f"{tick * i:.1f}", "middle", 11, plots.FAINT),
        ]
    parts.append(
        plots.text(
            width - 10, bottom + 34, "time over the hand-written hexapod's; black marks: goals", "end", 11, plots.FAINT
        )
    )
    for i, (name, ratios, goals, _) in enumerate(rows):
        top = 40 + i * step
        parts.append(plots.text(names - 10, top + bar + 4, name.replace("`", ""), "end"))
        for k, (value, goal) in enumerate(zip(ratios, goals)):
            y = top + k * bar
            if value is not None:
                parts.append(
                    f'<rect x="{names}" y="{y}" width="{value * scale:.1f}" height="{bar - 1}" fill="{COLOURS[k]}"/>'
                )
                parts.append(plots.text(names + max(value, goal or 0) * scale + 6, y + 11, ratio(value), size=11))
            if goal is not None:
                x = names + goal * scale
                parts.append(plots.line(x, y - 1, x, y + bar, "#111111", 2.0))
    plots.save(path, parts, width, bottom + 44)


def page(times, context):
    rows = fast_paths(times)
    parts = [
        INTRODUCTION.format(machine=machine(context)),
        FAST_PATHS,
        fast_table(rows),
        allocations(times),
        "## Every robot\n\nDynamics by `legs` from the joints. The ratio says how far a robot is from the hand-written hexapod, whatever its size.",
        robots_table(times),
        "## Formulations",
        "Over `legs` of the same robot; `-` where a formulation does not apply.",
        formulations_table(times, "inverse"),
        formulations_table(times, "forward"),
        "## Many states",
        batch_table(times, context["num_cpus"]),
        "## Kinematics\n\nEvery evaluation starts from home, at another pose near it. `motion` is positions, loops, velocities, "
        "accelerations and explicit form.",
        kinematics_table(times),
        "## Beams\n\nA whole motion: beams along the rigid one (`flex`), and rigid motion and bending together (`coupled`).",
        beams_table(times),
    ]
    return "\n\n".join(part.strip("\n") for part in parts) + "\n", rows


PYTHON = """\
## From Python

The hexapod again, the same numbers through the library alone and through the package. A call has to take at most 3 us more, and
100 000 states at once at most 1.2 times as long; the tests hold both.
"""


def python_section(times):
    rows = [
        [name, ratio(python / cpp), us(cpp * 1e9), us(python * 1e9), us((python - cpp) * 1e9)]
        for name, (cpp, python) in times.items()
    ]
    head = ["dynamics", "Python over C++", "C++ [us]", "Python [us]", "more [us]"]
    return PYTHON + "\n" + table(head, rows) + "\n"


def main(arguments):
    if len(arguments) != 3:
        sys.exit(__doc__)
    times, context = read(arguments[0])
    missing = [f"handwritten/{what}" for what in WHATS if f"handwritten/{what}" not in times]
    if missing:
        sys.exit(f"page.py: {arguments[0]} has no {' and no '.join(missing)}: run all benchmarks")
    root = Path(arguments[2])
    text, rows = page(times, context)
    text += "\n" + python_section(json.loads(Path(arguments[1]).read_text()))
    (root / "docs/performance.md").write_text(text)
    picture(rows, root / "docs/pictures/performance.svg")
    print("docs/performance.md, docs/pictures/performance.svg")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
