#!/usr/bin/env python3
"""Times of `make bench` as a table, and the roofline of one core.

Usage: roofline.py TIMES.json PICTURE.svg   TIMES.json: gough_bench --benchmark_out=TIMES.json. Prints the table as Markdown.
"""

import json
import math
import sys

MANY = 2048
BYTES = 8 * 24 + 4  # of a state: 18 numbers in, 6 out, a status
OPERATIONS = {"inverse": 993, "forward": 1550}  # of the code for many states, as it says itself
COUNTED = {"inverse": 987, "forward": 1550}

ROWS = [  # what, benchmark, states per run, goal
    ("generated C, straight-line", "generated/{}", 1, (0.20, 0.28)),
    ("generated C, struts as lanes", "generated/{}_lanes", 1, (0.10, 0.16)),
    ("generated C, 2048 states, each", "generated/{}_of_2048", MANY, (0.040, 0.055)),
    ("library from the platform: palida", "{}_from_platform/palida/legs", 1, (0.25, None)),
    ("library from the platform: delta", "{}_from_platform/delta/legs", 1, (0.3, None)),
    ("library from the platform: rrr3", "{}_from_platform/rrr3/legs", 1, (0.2, None)),
    ("library from the platform: five_bar", "{}_from_platform/five_bar/legs", 1, (0.25, None)),
    ("library from the joints: hexapod", "{}/hexapod/legs", 1, (0.65, 0.9)),
    ("library from the joints: five_bar", "{}/five_bar/legs", 1, (0.15, 0.2)),
    ("library from the joints: delta", "{}/delta/legs", 1, (0.75, 1.6)),
    ("library from the joints: six_r", "{}/six_r/legs", 1, (1.8, 2.5)),
    ("library from the joints: n_four_bar_40", "{}/n_four_bar_40/legs", 1, (3.0, 4.0)),
]


def read(path):
    with open(path, encoding="utf-8") as file:
        runs = json.load(file)["benchmarks"]
    best = {}
    for run in runs:
        if "cpu_time" not in run or run.get("run_type") == "aggregate":
            continue
        name = run["name"].split("/min_time")[0].split("/repeats")[0]
        if name not in best or run["cpu_time"] < best[name]["cpu_time"]:
            best[name] = run
    return best


def table(times):
    print("| palida (library: hexapod) | inverse, ns | of hand-written | goal | forward, ns | of hand-written | goal |")
    print("|---|---|---|---|---|---|---|")
    hand = {what: times[f"handwritten/{what}"]["cpu_time"] for what in ("inverse", "forward")}
    print(f"| hand-written hexapod | {hand['inverse']:.0f} | 1 | | {hand['forward']:.0f} | 1 | |")
    for name, pattern, states, goals in ROWS:
        cells = []
        for what, goal in zip(("inverse", "forward"), goals):
            run = times.get(pattern.format(what))
            if run is None:
                cells.append("| | ")
                continue
            ns = run["cpu_time"] / states
            cells.append(f"{ns:.1f} | {ns / hand[what]:.3f} | {'' if goal is None else f'{goal:g}'}")
        print(f"| {name} | " + " | ".join(cells) + " |")


def roofline(times, picture):
    peak = times["roof/multiply_adds"]["operations"] / 1e9
    near = BYTES / (times["roof/move/2048"]["cpu_time"] / 2048)
    far = BYTES / (times["roof/move/1048576"]["cpu_time"] / 1048576)
    points = {what: OPERATIONS[what] / (times[f"generated/{what}_of_2048"]["cpu_time"] / MANY) for what in OPERATIONS}
    lanes = {what: COUNTED[what] / times[f"generated/{what}_lanes"]["cpu_time"] for what in OPERATIONS}
    line = {what: COUNTED[what] / times[f"generated/{what}"]["cpu_time"] for what in OPERATIONS}
    print(
        f"\nroofs: {peak:.1f} operations/ns of fused products and sums, {near:.0f} bytes/ns from the cache, {far:.0f} from memory"
    )
    for what, rate in points.items():
        print(
            f"{what} of many: {rate:.1f} operations/ns, {100 * rate / peak:.0f} % of the roof, "
            f"{OPERATIONS[what] / BYTES:.1f} operations a byte"
        )
    draw(picture, peak, near, far, points, lanes, line)


def draw(picture, peak, near, far, points, lanes, line):
    width, height, left, bottom = 640, 400, 70, 50
    x0, x1, y0, y1 = 0.1, 100.0, 0.5, 200.0  # operations per byte, operations per ns

    def at(x, y):
        return (
            left + (width - left - 20) * math.log(x / x0) / math.log(x1 / x0),
            height - bottom - (height - bottom - 20) * math.log(y / y0) / math.log(y1 / y0),
        )

    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="12">',
        f'<rect width="{width}" height="{height}" fill="white"/>',
    ]

    def text(x, y, words, anchor="start", colour="#333"):
        out.append(f'<text x="{x:.0f}" y="{y:.0f}" text-anchor="{anchor}" fill="{colour}">{words}</text>')

    for x in (0.1, 1, 10, 100):
        (a, b), (_, top) = at(x, y0), at(x, y1)
        out.append(f'<path d="M{a:.1f} {b:.1f}V{top:.1f}" stroke="#ddd"/>')
        text(a, b + 16, f"{x:g}", "middle")
    for y in (1, 10, 100):
        a, b = at(x0, y)
        out.append(f'<path d="M{a:.1f} {b:.1f}H{at(x1, y)[0]:.1f}" stroke="#ddd"/>')
        text(a - 6, b + 4, f"{y:g}", "end")
    text((left + width) / 2, height - 12, "operations per byte", "middle")
    out.append(
        f'<text transform="translate(18 {height / 2}) rotate(-90)" text-anchor="middle" fill="#333">operations per ns, one core</text>'
    )
    for name, rate, colour in (("cache", near, "#1f77b4"), ("memory", far, "#9467bd")):
        knee = peak / rate
        start = max(x0, y0 / rate)
        (a, b), (c, d), (e, _) = at(start, start * rate), at(knee, peak), at(x1, peak)
        out.append(
            f'<path d="M{a:.1f} {b:.1f}L{c:.1f} {d:.1f}H{e:.1f}" fill="none" stroke="{colour}" stroke-width="2"/>'
        )
        side = -1 if name == "cache" else 1
        text(
            c + 10 * side,
            d + (18 if side > 0 else -8),
            f"{name}: {rate:.0f} bytes/ns",
            "end" if side < 0 else "start",
            colour,
        )
    text(at(x1, peak)[0], at(x1, peak)[1] - 6, f"products and sums: {peak:.0f}/ns", "end")
    for group, mark, colour in (
        (points, "many states", "#d62728"),
        (lanes, "struts as lanes", "#2ca02c"),
        (line, "one state", "#ff7f0e"),
    ):
        for what, rate in group.items():
            a, b = at(OPERATIONS[what] / BYTES, rate)
            out.append(f'<circle cx="{a:.1f}" cy="{b:.1f}" r="4" fill="{colour}"/>')
            if what == "forward":
                text(a + 10, b + 4, f"{mark}", colour=colour)
    text(at(5, 1)[0], at(5, 1)[1] - 10, "left: inverse dynamics, right: forward", "middle")
    out.append("</svg>")
    with open(picture, "w", encoding="utf-8") as file:
        file.write("\n".join(out) + "\n")


if __name__ == "__main__":
    found = read(sys.argv[1])
    table(found)
    roofline(found, sys.argv[2])
