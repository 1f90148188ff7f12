#!/usr/bin/env python3
"""Checks that the reference agrees with the tool: docs/robot_keys.md with its schemas, docs/commands.md and the manual
pages with its help. The tool is $GOUGH_TOOL, or build/gough.
"""

import json
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools/docs"))

import commands  # noqa: E402
import keys  # noqa: E402


def check_the_check():
    """Help texts and schemas as they are printed, read."""
    lines = "  ROBOT TEXT REQUIRED         robot file\n  --n INT:INT in [2 - 50]\n" + " " * 30 + "how many\n"
    lines += "  --fixed-step FLOAT:POSITIVE seconds\n  -o,--out TEXT:{a,b}         file"
    found = [commands.option_of(*entry) for entry in commands.entries(lines.splitlines())]
    assert found[0] == commands.Option(["ROBOT"], "TEXT", "", True, "robot file"), found[0]
    assert found[1] == commands.Option(["--n"], "NUMBER", "2 to 50", False, "how many"), found[1]
    assert found[2] == commands.Option(["--fixed-step"], "NUMBER", "above 0", False, "seconds"), found[2]
    assert found[3] == commands.Option(["-o", "--out"], "TEXT", "`a` or `b`", False, "file"), found[3]
    assert commands.roff("`--x` it's. A\\b") == "\\fB\\-\\-x\\fR it\\(aqs.\nA\\eb", commands.roff("`--x` it's. A\\b")

    value = json.loads(
        '{"type": ["number", "string"], "$comment": "SI: m", "description": "how far [m]; 3 mm if left out"}'
    )
    assert (keys.unit_of(value), keys.default_of(value), keys.meaning_of(value, "3 mm")) == ("m", "3 mm", "how far")
    part = {
        "properties": {"a": value, "b": {"oneOf": [{"type": "object", "properties": {"c": {"type": "string"}}}]}},
        "required": ["a"],
    }
    assert [(key, required) for key, _, required in keys.properties(part)] == [
        ("a", True),
        ("b", False),
        ("b.c", False),
    ]
    table = [["key", "unit (slide or turn)", "default", ""], ["---"] * 4, ["`a`, `b`", "m, rad", "0", "far"]]
    assert list(keys.rows_of(table)) == [("a", keys.Row("m", "0", "far")), ("b", keys.Row("rad", "0", "far"))]
    errors = []
    keys.table_of("body", {"body": part}, {}, errors)
    assert [error for error in errors if "`b.c`: has no meaning" in error], errors


def manual_complaints():
    """What groff, where there is one, has to say about the manual pages."""
    if not shutil.which("groff"):
        return []
    pages = sorted(ROOT.glob("man/*.1"))
    done = subprocess.run(["groff", "-man", "-ww", "-z", *pages], capture_output=True, text=True)
    return done.stderr.splitlines()


def main():
    check_the_check()
    complaints = manual_complaints()
    print("\n".join(complaints), end="\n" if complaints else "")
    failed = [keys.main(["--check"]), commands.main(["--check"]), len(complaints)]
    if not any(failed):
        print("keys, commands and manual pages are as the tool has them")
    return 1 if any(failed) else 0


if __name__ == "__main__":
    sys.exit(main())
