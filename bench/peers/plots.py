"""Bars and lines on logarithmic axes, as SVG. A plot is a list of SVG elements; `save` writes plots side by side."""

import math
from xml.sax.saxutils import escape

TEXT, FAINT, GRID = "#222222", "#666666", "#dddddd"


def text(x, y, words, anchor="start", size=12, colour=TEXT, weight="normal"):
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" fill="{colour}" '
        f'font-weight="{weight}">{escape(words)}</text>'
    )


def line(x1, y1, x2, y2, colour=GRID, width=1.0):
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}" stroke-width="{width}"/>'


def number(x):
    return f"{x:.2f}" if x < 1 else f"{x:.1f}" if x < 100 else f"{x:.0f}"


class Log:
    """Positions along an axis from `low` to `high`."""

    def __init__(self, low, high, start, end):
        self.low, self.high, self.start, self.end = low, high, start, end

    def __call__(self, x):
        share = (math.log(x) - math.log(self.low)) / (math.log(self.high) - math.log(self.low))
        return self.start + share * (self.end - self.start)

    def decades(self):
        first, last = math.ceil(math.log10(self.low) - 1e-9), math.floor(math.log10(self.high) + 1e-9)
        return [10.0**k for k in range(first, last + 1)]


def decade_range(values):
    return 10.0 ** math.floor(math.log10(min(values))), 10.0 ** math.ceil(math.log10(max(values)))


def bars(title, rows, span, colours, left, top, width):
    """rows: (name, [value or None per colour]); span: of the axis. Returns elements and the height used."""
    names, bar, gap = 190, 11, 9
    step = bar * len(colours) + gap
    x = Log(*span, left + names, left + width - 40)
    bottom = top + 34 + step * len(rows)
    parts = [text(left + names, top + 14, title, size=14, weight="bold")]
    for tick in x.decades():
        parts += [
            line(x(tick), top + 26, x(tick), bottom),
            text(x(tick), bottom + 16, f"{tick:g}", "middle", 11, FAINT),
        ]
    parts.append(text(x.end, bottom + 32, "microseconds per evaluation", "end", 11, FAINT))
    for i, (name, values) in enumerate(rows):
        y = top + 34 + i * step
        parts.append(text(left + names - 8, y + bar * len(colours) / 2 + 4, name, "end"))
        for k, value in enumerate(values):
            if value:
                parts.append(
                    f'<rect x="{x.start:.1f}" y="{y + k * bar:.1f}" width="{x(value) - x.start:.1f}" '
                    f'height="{bar - 1}" fill="{colours[k]}"/>'
                )
                parts.append(text(x(value) + 4, y + k * bar + 9, number(value), size=10))
    return parts, bottom + 40 - top


def lines(title, below, series, left, top, width, height):
    """series: (name, colour, [(x, y)])."""
    points = [p for _, _, ps in series for p in ps]
    ticks = sorted({p[0] for p in points})
    x = Log(ticks[0], ticks[-1], left + 50, left + width - 150)
    y = Log(*decade_range([p[1] for p in points]), top + height - 45, top + 30)
    parts = [text(left + 50, top + 14, title, size=14, weight="bold")]
    for tick in y.decades():
        parts += [line(x.start, y(tick), x.end, y(tick)), text(x.start - 8, y(tick) + 4, f"{tick:g}", "end", 11, FAINT)]
    for tick in ticks:
        parts += [
            line(x(tick), y.start, x(tick), y.start + 5, FAINT),
            text(x(tick), y.start + 19, f"{tick:g}", "middle", 11, FAINT),
        ]
    parts.append(text((x.start + x.end) / 2, y.start + 38, below, "middle", 12, FAINT))
    ends = []
    for name, colour, ps in series:
        path = " ".join(f"{x(a):.1f},{y(b):.1f}" for a, b in ps)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts += [f'<circle cx="{x(a):.1f}" cy="{y(b):.1f}" r="3" fill="{colour}"/>' for a, b in ps]
        ends.append((x(ps[-1][0]), y(ps[-1][1]), name, colour))
    lowest = {}
    for at, height, name, colour in sorted(ends):  # names at the ends of their lines, none over another
        lowest[at] = max(height, lowest.get(at, -math.inf) + 15)
        parts.append(text(at + 10, lowest[at] + 4, name, colour=colour, weight="bold"))
    return parts


def legend(names, colours, left, top):
    parts = []
    for name, colour in zip(names, colours):
        parts += [
            f'<rect x="{left}" y="{top}" width="12" height="10" fill="{colour}"/>',
            text(left + 17, top + 9, name),
        ]
        left += 40 + 7 * len(name)
    return parts


def save(path, parts, width, height):
    with open(path, "w") as file:
        file.write(
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height:.0f}" '
            f'viewBox="0 0 {width} {height:.0f}" font-family="sans-serif">\n'
            f'<rect width="100%" height="100%" fill="#ffffff"/>\n' + "\n".join(parts) + "\n</svg>\n"
        )
