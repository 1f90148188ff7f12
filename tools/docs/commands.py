#!/usr/bin/env python3
"""Writes docs/commands.md and the manual pages man/gough.1, man/gough-VERB.1 from what `gough --help` prints.

Usage: commands.py [--check]

Verbs, arguments, options, their values and meanings are read from the help texts; below stand what a verb does in
sentences, an example of each, and related verbs. --check writes nothing and says which files differ from what would
be written. The tool is $GOUGH_TOOL, or build/gough.
"""

import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent.parent
TOOL = os.environ.get("GOUGH_TOOL", str(ROOT / "build/gough"))
COLUMN = 30  # where meanings begin in a help text


class About(NamedTuple):
    """What the help of a verb does not say."""

    details: str  # Markdown: only `code`
    example: str  # commands and what they print, as in a console; tests/docs.py runs them
    pages: list  # of docs/, the most important first
    see: list  # other verbs


ABOUT = {
    "check": About(
        "Cuts the loops, closes them at home, and prints degrees of freedom, redundant loop equations by name, idle motions, the "
        "kind of actuation, and indices of nearness to singularities. Findings come with what to do about them; warnings do not "
        "change the exit status. With `--along` the indices and limits are looked at along a motion file or a table.",
        "$ build/gough check robots/bricard.yaml\n"
        "bricard\n  bodies        5 moving bodies, 6 joints, 1 independent loop\n  cut at        revolute fourth\n...",
        ["robot_files.md", "kinematics.md"],
        ["view", "ik", "fk"],
    ),
    "ik": About(
        "Reads the coordinates of the robot's task, or those of `--coordinates`, and prints the pose and all joints. Legs with a "
        "closed form are solved by it, others by continuation from home. The answer is in home's working mode unless `--mode` "
        "asks for another one.",
        "$ build/gough ik robots/five_bar.yaml --pose 0.05,0.4,0,0,0,0\n"
        "ok\n  platform   x 0.050000  y 0.400000  z 0.000000 m   rx 0.000000  ry 0.000000  rz 0.586966 rad\n"
        "  left               2.172048 rad    124.449 deg    actuated\n...",
        ["kinematics.md"],
        ["fk", "check"],
    ),
    "fk": About(
        "Prints the pose and all joints for given positions of the actuators, in home's assembly mode. With `--all` every "
        "assembly mode that is found; the list is complete for planar platforms and for stars on three slides.",
        "$ build/gough fk robots/five_bar.yaml --actuators '120 deg, 40 deg'\n"
        "ok\n  platform   x 0.058455  y 0.421819  z 0.000000 m   rx 0.000000  ry 0.000000  rz 0.626864 rad\n...",
        ["kinematics.md"],
        ["ik", "check"],
    ),
    "inverse": About(
        "Prints what a motion asks of each drive: peak and rms force, speed, power, energy, and how much of its limits it uses. "
        "`-o` writes all states to a table. Limits that are exceeded are named, and the exit status is then 3.",
        "$ build/gough inverse robots/five_bar.yaml motions/five_bar_line.yaml -o build/five_bar_line.csv\n"
        "five_bar along motions/five_bar_line.yaml: 151 states from t = 0 to 0.15 s, by legs\n...",
        ["dynamics.md", "motion_files.md"],
        ["forward", "compare", "run"],
    ),
    "forward": About(
        "Reads states of the platform or of the actuators with `tau.NAME` of every actuator, row by row, and writes the "
        "accelerations of the platform and of all joints as a table.",
        "$ printf 'q.swing,v.swing,tau.swing\\n0,0,9.81\\n' | build/gough forward robots/pendulum.yaml /dev/stdin\n"
        "t,q.swing,v.swing,a.swing\n0,0,0,0",
        ["dynamics.md"],
        ["inverse", "simulate"],
    ),
    "flex": About(
        "Lets the beams of a robot bend along a motion and prints the largest errors of the platform, driving forces, stress and "
        "the natural frequencies. With `--follow` it finds drives that make up for the bending; with `--modes` rigid motion and "
        "bending are unknown together.",
        "$ build/gough flex robots/five_bar_flexible.yaml motions/five_bar_reach.yaml --quasistatic\n"
        "five_bar_flexible: 36 elastic coordinates and 12 rows of joints, in a plane\n...",
        ["flexible.md"],
        ["inverse", "simulate", "run"],
    ),
    "compare": About(
        "Evaluates all formulations at the same states and prints by how much each disagrees with the first and what an "
        "evaluation costs. With `--scaling` the same while elastic freedoms per chain and legs grow in number.",
        "$ build/gough compare robots/five_bar.yaml\n"
        "five_bar: 20 states, condition 1.4e+01 (inverse), 1.9e+01 (forward)\n...",
        ["dynamics.md"],
        ["inverse", "forward"],
    ),
    "simulate": About(
        "Integrates the motion from a start (a pose, positions of the actuators, rates, or the static equilibrium) under constant "
        "forces or a table of them. Loops stay closed, joints with dry friction stick. `-o` writes a row every `--step`. With "
        "`--motion` it writes what sensors would show of a motion.",
        "$ build/gough simulate robots/four_bar.yaml --rates crank=20 --time 2\n"
        "four_bar: 2001 rows to t = 2 s, by legs, adaptive, loops independent\n...",
        ["simulation.md"],
        ["forward", "run", "identify"],
    ),
    "run": About(
        "Computes what a study file asks for (`inverse`, `simulate`, `control` or `flex`) and writes tables, `result.json` and a "
        "report into a folder. Rows are written as they are computed; an interrupt keeps them.",
        "$ build/gough run studies/psp3.yaml -o build/results/psp3\n"
        "study psp3\npsp3 along motions/psp3_paper.yaml: 2001 states from t = 0 to 2 s, by multipliers\n...",
        ["studies.md", "report.md", "control.md"],
        ["report", "inverse", "simulate", "flex"],
    ),
    "report": About(
        "Makes the page of a study's result anew from `result.json` and the files beside it: animation, plots and tables in one "
        "file that needs no network.",
        "$ build/gough run studies/psp3.yaml -o build/results/psp3 >/dev/null\n"
        "$ build/gough report build/results/psp3/result.json -o build/results/psp3.html | sed 's/: .*,/:/'\n"
        "build/results/psp3.html: open it in a browser",
        ["report.md", "report_data.md"],
        ["run"],
    ),
    "view": About(
        "Serves the robot as a page on this computer, with sliders for the platform's pose and for the actuators. The page is "
        "redrawn whenever the file is saved, and mistakes in the file are shown with their line. Ctrl-C ends it.",
        "$ build/gough view robots/hexapod.yaml --port 8080\nhttp://127.0.0.1:8080/\nOpen this address in a browser; Ctrl-C ends it.",
        ["view.md"],
        ["check"],
    ),
    "generate": About(
        "Writes straight-line C or CUDA for one robot (no heap, no library but C's mathematics): inverse or forward dynamics, "
        "kinematics, regressor, Jacobian or derivatives, from joints, the platform or the actuators.",
        "$ build/gough generate robots/palida.yaml --from platform -o build/code\n"
        "build/code/palida_inverse.h, build/code/palida_inverse.c: 987 operations a call",
        ["codegen.md", "operations.md"],
        ["compile"],
    ),
    "compile": About(
        "Generates the code and compiles it to a shared object that the library can load. The compiler is `$CC`, or `cc`; with "
        "`--gpu` also `$NVCC`, or `nvcc`.",
        "$ build/gough compile robots/five_bar.yaml --from actuators -o build/five_bar.so\n"
        "build/five_bar.so: 287 operations a call",
        ["codegen.md"],
        ["generate"],
    ),
    "parameters": About(
        "Finds, by numbers and by rules, which combinations of inertias the forces of a motion depend on, and prints them with "
        "their values in the robot file.",
        "$ build/gough parameters robots/five_bar.yaml\n"
        "five_bar: 40 inertial parameters, of which motions show 11 combinations; 0 friction coefficients\n...",
        ["identification.md"],
        ["excite", "identify"],
    ),
    "excite": About(
        "Looks for a motion from which the parameters can be told, within the limits of the robot file and those given here, and "
        "writes it as a motion file with a page of plots.",
        "$ build/gough excite robots/five_bar.yaml --evaluations 50 -o build/results/excite\n"
        "five_bar: 5 harmonics of 0.1 Hz in x, y, 10 s\n...",
        ["identification.md"],
        ["parameters", "identify"],
    ),
    "identify": About(
        "Estimates base parameters and friction from measured positions and forces, and writes a robot file with them and a "
        "report. With `--validate` it predicts the forces of a second table.",
        "$ build/gough simulate robots/five_bar.yaml --motion motions/five_bar_line.yaml --encoder 1e-6 --noise 0.01 -o build/measured.csv\n"
        "...\n"
        "$ build/gough identify robots/five_bar.yaml build/measured.csv -o build/results/identify\n"
        "five_bar: 11 base parameters and 0 friction coefficients from build/measured.csv\n...",
        ["identification.md"],
        ["parameters", "excite", "simulate"],
    ),
    "schema": About(
        "Prints the JSON Schema of robot, motion or study files, with which editors complete and check them. "
        "`schema/` holds the three.",
        '$ build/gough schema motion\n{\n  "$schema": "https://json-schema.org/draft/2020-12/schema",\n'
        '  "title": "gough motion file",\n...',
        ["robot_keys.md", "robot_files.md"],
        ["check", "run"],
    ),
}

EXIT_CODES = [
    ("0", "done; warnings of the check do not change it"),
    ("2", "bad input or bad arguments; a message `file:line: what was read, what was expected` on standard error"),
    (
        "3",
        "a numerical outcome: the home pose cannot be assembled, a pose is unreachable or outside limits, a singularity, an "
        "interrupt",
    ),
]
DATA_FILES = "Robots, motions and studies are installed in `PREFIX/share/gough/`; examples are meant to be run there, or in the source."
TYPES = {"TEXT": "TEXT", "FLOAT": "NUMBER", "INT": "NUMBER", "UINT": "NUMBER"}


class Option(NamedTuple):
    """An option or a positional argument."""

    names: list  # ["-h", "--help"], or ["ROBOT"]
    value: str  # what stands after it: "TEXT", "NUMBER" or ""
    rule: str  # which values: "above 0", "0 to 200", "`a` or `b`", or ""
    required: bool
    meaning: str


class Verb(NamedTuple):
    name: str
    does: str
    usage: str
    arguments: list
    options: list


def help_of(*words):
    done = subprocess.run([TOOL, *words, "--help"], check=True, capture_output=True, text=True)
    return done.stdout


def entries(lines):
    """Pairs of a term and its meaning. A term that leaves no room has its meaning on the next lines."""
    found = []
    for i, line in enumerate(lines):
        if line.startswith(" " * COLUMN):
            found[-1][1] = (found[-1][1] + " " + line.strip()).strip()
        else:
            alone = (
                i + 1 < len(lines) and lines[i + 1].startswith(" " * COLUMN) or line[:COLUMN].strip() == line.strip()
            )
            found.append([line.strip(), ""] if alone else [line[:COLUMN].strip(), line[COLUMN:].strip()])
    return found


def sections(text):
    """The part before the first title, and the lines below each `Title:`."""
    found, title = {"": []}, ""
    for line in text.splitlines():
        if re.fullmatch(r"[A-Z]\w+:", line):
            title = line[:-1]
            found[title] = []
        elif line.strip():
            found[title].append(line)
    return found


def rule_of(kind):
    """TEXT:{a,b} -> `a` or `b`; FLOAT:POSITIVE -> above 0; INT:INT in [0 - 200] -> 0 to 200."""
    if choices := re.search(r":\{(.*)\}", kind):
        words = [f"`{word}`" for word in choices[1].split(",")]
        return ", ".join(words[:-1]) + " or " + words[-1] if len(words) > 1 else words[0]
    if interval := re.search(r" in \[(\S+) - (\S+)\]", kind):
        return f"{interval[1]} to {interval[2]}"
    return {"POSITIVE": "above 0", "NONNEGATIVE": "0 or more"}.get(kind.partition(":")[2], "")


def option_of(term, meaning):
    names, _, kind = term.partition(" ")
    kind = kind.partition(" Excludes:")[0]  # the meaning says it too
    required = kind.endswith("REQUIRED")
    kind = kind.removesuffix("REQUIRED").strip()
    base = kind.split(":")[0]
    if kind and base not in TYPES:
        sys.exit(f"commands.py: unknown kind of value '{kind}' of {names}")
    return Option(names.split(","), TYPES.get(base, ""), rule_of(kind), required, meaning)


def read_verb(name, does):
    found = sections(help_of(name))
    usage = next(line for line in found[""] if line.startswith("Usage:"))
    return Verb(
        name,
        does,
        usage.removeprefix("Usage: gough "),
        *([option_of(*entry) for entry in entries(found.get(title, []))] for title in ("Positionals", "Options")),
    )


def read_tool():
    found = sections(help_of())
    about = found[""][0].partition(": ")[2]
    options = [option_of(*entry) for entry in entries(found["Options"])]
    return about, options, [read_verb(*entry) for entry in entries(found["Verbs"])]


# Markdown


def paragraph(text):
    return textwrap.fill(text, 120, break_long_words=False, break_on_hyphens=False)


def cell(text):
    return text.replace("|", "\\|")


def options_table(verb):
    lines = ["| argument, option | value | meaning |", "|---|---|---|"]
    for o in verb.arguments + verb.options:
        name = ", ".join(f"`{n}`" for n in o.names)
        is_argument = o in verb.arguments
        value = "" if is_argument and not o.rule else o.rule or o.value
        value = ", ".join(part for part in (value, "required" * o.required) if part)
        lines.append(re.sub("  +", " ", f"| {name} | {cell(value)} | {cell(o.meaning)} |"))
    return lines


def title_of(page):
    return re.match(r"# (.*)", (ROOT / "docs" / page).read_text())[1]


def commands_page(about, verbs):
    lines = [
        "# Commands",
        "",
        paragraph(
            f"`gough`: {about}. One verb, then its arguments and options; `gough VERB --help` prints what stands here, and "
            "`man gough-VERB` too after `make install`. `tools/docs/commands.py` makes this page from the help texts."
        ),
        "",
        "| verb | does |",
        "|---|---|",
    ]
    lines += [f"| [`{v.name}`](#{v.name}) | {cell(v.does)} |" for v in verbs]
    lines += ["", "| exit code | meaning |", "|---|---|", *(f"| {code} | {meaning} |" for code, meaning in EXIT_CODES)]
    lines += ["", "`gough --version` prints the version."]
    for v in verbs:
        more = ABOUT[v.name]
        links = [f"[{title_of(page)[0].lower() + title_of(page)[1:]}]({page})" for page in more.pages]
        links += [f"[`{other}`](#{other})" for other in more.see]
        lines += [
            "",
            f"## {v.name}",
            "",
            paragraph(f"{v.does[0].upper()}{v.does[1:]}. {more.details}"),
            "",
            "```",
            f"gough {v.usage}",
            "```",
            "",
            *options_table(v),
            "",
            "```" if v.name == "view" else "```console",  # it does not end: tests/docs.py must not run it
            more.example,
            "```",
            "",
            paragraph(f"See {', '.join(links)}."),
        ]
    return "\n".join(lines) + "\n"


# Manual pages


def roff(text):
    """Text of a manual page, `code` in bold; each sentence begins a line."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq")
    text = re.sub(r"`([^`]*)`", r"\\fB\1\\fR", text)
    sentences = re.split(r"(?<=[.!?]) (?=[A-Z\\])", text)
    text = "\n".join(textwrap.fill(s, 80, break_long_words=False, break_on_hyphens=False) for s in sentences)
    return re.sub(r"^(?=[.'])", r"\\&", text, flags=re.MULTILINE)


def verbatim(lines):
    shown = ["\\&" + line if line.startswith((".", "'")) else line for line in lines]
    return [".nf", *(line.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq") for line in shown), ".fi"]


def man_head(title, version, name, does):
    return [
        '.\\" Made from the help text by tools/docs/commands.py.',
        f'.TH {title.upper()} 1 "" "gough {version}" "gough manual"',
        ".SH NAME",
        f"{roff(name)} \\- {roff(does)}".replace("\n", " "),
    ]


def man_options(options):
    lines = []
    for o in options:
        names = ", ".join(f"\\fB{roff(n)}\\fR" for n in o.names)
        choices = re.findall("`(.*?)`", o.rule)
        is_told = choices and all(re.search(rf"\b{choice}\b", o.meaning) for choice in choices)
        rule = "" if is_told or not o.rule else f" Values: {o.rule}." if choices else f" A number: {o.rule}."
        meaning = o.meaning + ("" if o.meaning.endswith(".") else ".") + rule + (" Required." if o.required else "")
        lines += [
            ".TP",
            names + (f" \\fI{o.value}\\fR" if o.value and o.names[0].startswith("-") else ""),
            roff(meaning),
        ]
    return lines


def man_exit_status():
    return [
        ".SH EXIT STATUS",
        *(line for code, meaning in EXIT_CODES for line in (".TP", f"\\fB{code}\\fR", roff(meaning) + ".")),
    ]


def man_see(names):
    return [".SH SEE ALSO", ",\n".join(f".BR {roff(name)} (1)" for name in names)]


def verb_man(verb, version):
    more = ABOUT[verb.name]
    words = verb.usage.split(" ")[1:]
    synopsis = " ".join("[\\fIOPTIONS\\fR]" if w == "[OPTIONS]" else re.sub(r"\w+", r"\\fI\g<0>\\fR", w) for w in words)
    commands = [line[2:].replace("build/gough", "gough") for line in more.example.splitlines() if line.startswith("$ ")]
    lines = man_head(f"gough-{verb.name}", version, f"gough-{verb.name}", verb.does)
    lines += [".SH SYNOPSIS", f"\\fBgough {roff(verb.name)}\\fR {synopsis}", ".SH DESCRIPTION", roff(more.details)]
    lines += [".SH ARGUMENTS", *man_options(verb.arguments)] if verb.arguments else []
    lines += [".SH OPTIONS", *man_options(verb.options), *man_exit_status(), ".SH FILES", roff(DATA_FILES)]
    lines += [".SH EXAMPLES", *verbatim(commands), *man_see(["gough", *(f"gough-{other}" for other in more.see)])]
    return "\n".join(lines) + "\n"


def tool_man(about, options, verbs, version):
    lines = man_head("gough", version, "gough", about)
    lines += [".SH SYNOPSIS", "\\fBgough\\fR [\\fIOPTIONS\\fR] \\fIVERB\\fR ...", ".SH DESCRIPTION"]
    lines += [
        roff(
            "Describes closed-loop mechanisms in robot files and says what they can do, where they are, which forces they need and how "
            "they move. Each verb has a manual page of its own, `gough-VERB`."
        ),
        ".SH COMMANDS",
    ]
    for v in verbs:
        lines += [".TP", f".BR gough\\-{v.name} (1)", roff(v.does) + "."]
    lines += [".SH OPTIONS", *man_options(options), *man_exit_status(), ".SH FILES", roff(DATA_FILES), ".SH EXAMPLES"]
    lines += verbatim(["gough check robots/hexapod.yaml", "gough run studies/hexapod_circle.yaml"])
    return "\n".join(lines + man_see([f"gough-{v.name}" for v in verbs])) + "\n"


def files():
    """All that is written: path and text."""
    about, options, verbs = read_tool()
    names = [v.name for v in verbs]
    if sorted(names) != sorted(ABOUT):
        sys.exit(f"commands.py: verbs without or beyond ABOUT: {', '.join(sorted(set(names) ^ set(ABOUT)))}")
    version = subprocess.run([TOOL, "--version"], check=True, capture_output=True, text=True).stdout.split()[-1]
    found = {
        ROOT / "docs/commands.md": commands_page(about, verbs),
        ROOT / "man/gough.1": tool_man(about, options, verbs, version),
    }
    found.update({ROOT / f"man/gough-{v.name}.1": verb_man(v, version) for v in verbs})
    return found


def main(arguments):
    written = files()
    strangers = set(ROOT.glob("man/*")) - set(written)
    if arguments == ["--check"]:
        wrong = [path for path, text in written.items() if not path.exists() or path.read_text() != text]
        for path in sorted([*wrong, *strangers]):
            print(f"{path.relative_to(ROOT)} is not what the tool's help says now: run tools/docs/commands.py")
        return 1 if wrong or strangers else 0
    if arguments:
        sys.exit(__doc__)
    for path, text in written.items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    for path in strangers:
        path.unlink()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
