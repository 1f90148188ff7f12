#!/usr/bin/env python3
"""Writes docs/robot_keys.md: every key of robot, motion and study files.

Usage: keys.py [--check]

Keys, types, allowed values and meanings come from the JSON Schemas (`gough schema`), units and defaults from the
tables of the guides; where the schema has no meaning, the guide's is taken. A key without a meaning, and a key in a
guide that no file may have, are errors. --check writes nothing and says whether the page is as it would be written.
The tool is $GOUGH_TOOL, or build/gough.
"""

import json
import os
import re
import subprocess
import sys
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent.parent
TOOL = os.environ.get("GOUGH_TOOL", str(ROOT / "build/gough"))
PAGE = ROOT / "docs/robot_keys.md"

INTRODUCTION = """\
# Keys of all files

Every key of [robot](#robot-files), [motion](#motion-files) and [study](#study-files) files: `NAME` stands for a name of your
own, `N` for the place in a list, and a key such as `inertia.ixx` for one in a map. A number may have a
[unit](robot_files.md#units); a bare one is in the unit given. The guides say how the keys are used:
[robot files](robot_files.md), [motion files](motion_files.md), [studies](studies.md), [control](control.md),
[beams that bend](flexible.md). `tools/docs/keys.py` makes this page from the schemas that `build/gough schema` prints.
"""

# Tables of the guides: page, heading, which one below it, and the parts of a file whose keys it has, each with what the
# names of its keys begin with there.
TABLES = [
    ("robot_files.md", "Robot", 0, {"robot": ""}),
    ("robot_files.md", "Body", 0, {"body": ""}),
    ("robot_files.md", "Beam, section, material", 0, {"beam": "beam.", "section": "", "material": ""}),
    ("robot_files.md", "Joint", 0, {"joint": "", "dh": "dh."}),
    ("robot_files.md", "Coordinate", 0, {"coordinate": "", "limits": "limits."}),
    ("robot_files.md", "Frame", 0, {"frame": ""}),
    ("robot_files.md", "Legs and placements", 0, {"legs": "legs.", "placement": ""}),
    ("robot_files.md", "Platform, home, springs", 0, {"platform": "platform.", "home": "home.", "spring": ""}),
    ("motion_files.md", "Motion", 0, {"motion": ""}),
    ("motion_files.md", "Line", 0, {"line": ""}),
    ("motion_files.md", "Circle", 0, {"circle": ""}),
    ("motion_files.md", "Harmonic", 0, {"harmonic": ""}),
    ("motion_files.md", "Harmonic", 1, {"series": ""}),
    ("motion_files.md", "Samples and wait", 0, {"samples": "", "motion": ""}),
    ("studies.md", "Every key", 0, {"study": ""}),
    ("studies.md", "Simulations side by side", 0, {"simulate": ""}),
    ("studies.md", "Simulations side by side", 1, {"run": ""}),
    ("control.md", "Keys", 0, {"control": ""}),
    ("control.md", "Keys", 1, {"control_run": ""}),
    ("flexible.md", "Keys", 0, {"flex_run": "runs.", "flex": ""}),
]
DESCRIBED = {  # parts whose keys are in no table of their own: where a guide shows them
    "point": ("robot_files.md", "Body"),
    "piece": ("motion_files.md", "A sequence"),
    "term": ("motion_files.md", "Harmonics"),
    "published": ("report.md", "Published numbers"),
    "published_number": ("report.md", "Published numbers"),
    "plant": ("control.md", "Keys"),
    "sweep": ("control.md", "Keys"),
    "load": ("flexible.md", "Keys"),
}
INCLUDED = {"joint": "coordinate"}  # a part that has all keys of another one
UNITS = re.compile(r" ?\[((?:(?:kg|m|rad|s|N|Pa|Hz|1|or|with the unit)(?:\^\d)?[ /,]*)+)\]")
LEFT_OUT = re.compile(
    r"(?:^|; )((?:(?!, \[)[^;])*?),? if left out(, [^;]*)?(?=[;.]|$)|, (\[[^\]]*\]) if left out|; left out: (.*)$"
)


class Row(NamedTuple):
    """What a guide says of a key."""

    unit: str = ""
    default: str = ""
    meaning: str = ""


def schema_of(kind):
    return json.loads(subprocess.run([TOOL, "schema", kind], check=True, capture_output=True, text=True).stdout)


def properties(part):
    """Keys of a part, those of maps within it too: inertia.ixx."""
    for key, value in part.get("properties", {}).items():
        yield key, value, key in part.get("required", ())
        for choice in value.get("oneOf", [value]):
            for inner, inner_value in choice.get("properties", {}).items():
                yield f"{key}.{inner}", inner_value, False


def tables(text, heading):
    """The tables below a heading, each a list of rows of cells."""
    section = re.split(
        r"^#+ ", re.split(rf"^#+ {re.escape(heading)}$", text, flags=re.MULTILINE)[1], flags=re.MULTILINE
    )[0]
    lines = [line for line in section.splitlines()]
    blocks = [list(block) for is_table, block in groupby(lines, lambda line: line.startswith("|")) if is_table]
    return [[[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in block] for block in blocks]


def rows_of(table):
    """Names and what is said of each. Several names in a row share it, or its unit and default in their order."""
    columns = {title.split(" ")[0]: i for i, title in enumerate(table[0])}  # "unit (slide or turn)" is "unit"
    for cells in table[2:]:
        names = re.findall(r"`([^`]+)`", cells[0])

        def share(title, i):
            text = cells[columns[title]] if title in columns else ""
            parts = re.split(r", ?", text)
            return (parts[i] if len(parts) == len(names) > 1 else text).strip()

        for i, name in enumerate(names):
            yield name, Row(share("unit", i), share("default", i), cells[-1])


def read_guides(parts, errors):
    """Of every part that a guide has a table of: its keys' rows. And where the tables are: page and heading."""
    said, place = {}, dict(DESCRIBED)
    for page, heading, number, belongs in TABLES:
        text = (ROOT / "docs" / page).read_text()
        for part in belongs:
            place.setdefault(part, (page, heading))
        for name, row in rows_of(tables(text, heading)[number]):
            for part, start in belongs.items():
                key = name.removeprefix(start)
                if name.startswith(start) and key in {k for k, _, _ in properties(parts[part])}:
                    said.setdefault(part, {}).setdefault(key, row)
                    break
            else:
                errors.append(f"docs/{page}, {heading}: no file has the key `{name}`")
    return said, place


def slug(part):
    return {"robot": "robot-files", "motion": "motion-files", "study": "study-files"}.get(part, part.replace("_", "-"))


def words(part):
    return {"dh": "DH"}.get(part, part.replace("_", " "))


def type_of(value):
    if "$ref" in value:
        part = value["$ref"].split("/")[-1]
        return f"[{words(part)}](#{slug(part)})"
    if "oneOf" in value:
        first, *others = value["oneOf"]
        if [other.get("items") for other in others] == [first]:
            most = "" if "enum" in first else f" at most {others[0]['maxItems']}"
            return f"{type_of(first)}, or a list of{most} of them" if most else f"{type_of(first)}, or a list of them"
        return ", or ".join(type_of(choice) for choice in value["oneOf"])
    if "enum" in value:
        return ", ".join(f"`{choice}`" for choice in value["enum"])
    kind = value["type"]
    if kind == "array":
        item = type_of(value["items"])
        if "minItems" in value and value["minItems"] == value["maxItems"]:
            return f"{value['minItems']} {'lists of ' + item if item.endswith('s') else item + 's'}"
        if "`" in item:
            return f"list of {item}"
        return f"list of at most {value['maxItems']} {item if '[' in item else item + 's'}"
    if kind == "object":
        item = value.get("additionalProperties")
        return "map" if not item else "numbers by name" if type_of(item) == "number" else f"{type_of(item)} by name"
    if kind == "integer":
        return f"whole number, {value['minimum']} to {value['maximum']}"
    return {"boolean": "`true`, `false`", "string": "text"}.get(kind, "number") if isinstance(kind, str) else "number"


def unit_of(value):
    """From the schema: the description's, else the comment's, wherever it stands; no unit for plain numbers."""
    if found := UNITS.search(value.get("description", "")):
        return found[1].replace(", or with the unit Hz", " or Hz").replace(", or Hz", " or Hz")
    found = re.search(r'"SI: ([^"]*)"', json.dumps(value))
    return found[1] if found and found[1] != "1 or rad" else ""


def default_of(value):
    text = UNITS.sub("", value.get("description", ""))
    if found := LEFT_OUT.search(text):
        return "".join(part for part in found.groups() if part).strip()
    found = re.search(r"([\w.-]+) \(default\)", text)
    return found[1] if found else ""


def meaning_of(value, default):
    """The description without unit, and without the default where that is told."""
    text = UNITS.sub("", value.get("description", ""))
    if default_of(value) == default:
        text = LEFT_OUT.sub("", text)
    return re.sub(r"^[;, ]+|[;,: ]+$", "", text)


def places(parts, root):
    """Where each part stands: pairs of the part around it, "" for the file itself, and the path in that."""
    found = {}

    def visit(value, path, around):
        if "$ref" in value:
            part = value["$ref"].split("/")[-1]
            is_new = part not in found
            found.setdefault(part, []).append((around, path))
            if is_new:
                visit(parts[part], "", part)
        for choice in value.get("oneOf", []):
            visit(choice, path, around)
        if "items" in value:
            visit(value["items"], path + ".N", around)
        if isinstance(value.get("additionalProperties"), dict):
            visit(value["additionalProperties"], path + ".NAME", around)
        for key, inner in value.get("properties", {}).items():
            visit(inner, f"{path}.{key}" if path else key, around)

    visit(root, "", "")
    return found


def told(stands, kind):
    """In words: `bodies.NAME` in a robot file; `origin`, `child_origin` in joint."""
    groups = {}
    for around, path in stands:
        groups.setdefault(around, []).append(f"`{path}`")
    of = {around: f"[{words(around)}](#{slug(around)})" if around else f"a {kind} file" for around in groups}
    return "; ".join(f"{', '.join(paths)} in {of[around]}" for around, paths in groups.items())


def table_of(part, parts, said, errors):
    """A line for each key; keys in a map that share everything share a line."""
    left_to = {k for k, _, _ in properties(parts[INCLUDED[part]])} if part in INCLUDED else set()
    lines = []
    for key, value, required in properties(parts[part]):
        if key in left_to:
            continue
        row = said.get(part, {}).get(key, Row())
        default = "required" if required else row.default or default_of(value)
        if (row.default == "required") != required and row.default:
            errors.append(
                f"{words(part)}, key `{key}`: the guide says {row.default}, the schema says that it may{' not' * required} be left out"
            )
        meaning = meaning_of(value, default) or row.meaning
        if not meaning:
            errors.append(
                f"{words(part)}, key `{key}`: has no meaning, neither in the schema nor in a table of a guide"
            )
        unit = row.unit if row.unit and "$ref" not in value else unit_of(value)
        rest = (type_of(value), unit, default, meaning)
        if "." in key and lines and lines[-1][1] == rest:
            lines[-1][0].append(key)
        else:
            lines.append(([key], rest))
    shown = ["| key | type | unit | default | meaning |", "|---|---|---|---|---|"]
    shown += [
        re.sub("  +", " ", f"| {', '.join(f'`{k}`' for k in keys)} | {' | '.join(rest)} |") for keys, rest in lines
    ]
    if part in INCLUDED:
        shown += ["", f"And every key of a [{words(INCLUDED[part])}](#{slug(INCLUDED[part])})."]
    return "\n".join(shown)


def section(part, parts, said, guide, path, errors):
    lines = [f"### {words(part)[0].upper()}{words(part)[1:]}", ""]
    if part in guide:
        page, heading = guide[part]
        anchor = re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-")
        path = f"{path}. Guide: [{heading.lower()}]({page}#{anchor})"
    return "\n".join([*lines, f"{path}.", "", table_of(part, parts, said, errors), ""])


def page():
    """The page's text and what is wrong with it."""
    schemas = {kind: schema_of(kind) for kind in ("robot", "motion", "study")}
    parts, order, errors = {}, {}, []
    for kind, schema in schemas.items():
        for part, value in [(kind, schema), *schema["$defs"].items()]:
            if part in parts:
                same = parts[part].get("properties") == value.get("properties")
                errors += [] if same else [f"{part} differs between two kinds of files"]
            else:
                parts[part] = value
                order.setdefault(kind, []).append(part)
    said, guide = read_guides(parts, errors)
    for part, other in INCLUDED.items():
        for key, value in parts[other]["properties"].items():
            if parts[part]["properties"].get(key) != value:
                errors.append(f"{part} lacks the key {key} of {other}, or has another one of that name")
    text = [INTRODUCTION]
    for kind, names in order.items():
        stands = places(parts, schemas[kind])
        text += [f"## {kind.capitalize()} files\n", table_of(kind, parts, said, errors), ""]
        for part in sorted(names[1:], key=lambda name: list(stands).index(name)):
            text.append(section(part, parts, said, guide, told(stands[part], kind), errors))
    return "\n".join(text).rstrip() + "\n", errors


def main(arguments):
    text, errors = page()
    if arguments == ["--check"]:
        if not PAGE.exists() or PAGE.read_text() != text:
            errors.append(f"{PAGE.relative_to(ROOT)} is out of date: run tools/docs/keys.py")
    elif arguments:
        sys.exit(__doc__)
    elif not errors:
        PAGE.write_text(text)
    print("\n".join(errors), end="\n" if errors else "")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
