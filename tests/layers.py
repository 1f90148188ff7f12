#!/usr/bin/env python3
"""Checks that includes follow the layers, and that only io opens files."""

import re
import sys
from pathlib import Path

# layer: the layers it may include, besides itself and gough/error.hpp.
LAYERS = {
    "error": "",
    "scalar": "",
    "spatial": "scalar",
    "model": "scalar spatial",
    "codegen": "scalar spatial model",
    "engine": "scalar codegen",
    "kinematics": "scalar spatial model",
    "dynamics": "scalar spatial model engine kinematics",
    "flexible": "scalar spatial model kinematics dynamics",
    "trace": "scalar spatial model codegen engine kinematics dynamics flexible",
    "simulation": "scalar spatial model kinematics dynamics flexible",
    "identification": "scalar spatial model kinematics dynamics flexible simulation",
    "control": "scalar spatial model kinematics dynamics flexible simulation identification",
    "io": "scalar spatial model codegen engine kinematics dynamics flexible trace simulation identification control",
}
OPENS_FILES = {"io"}

ROOT = Path(__file__).resolve().parent.parent
INCLUDE = re.compile(r'\s*#\s*include\s*(?:<(gough/[^>]+)>|"([^"]+)")')
OPENING = re.compile(r"#\s*include\s*<(fstream|fcntl\.h)>|\b(fopen|freopen|LoadFile)\b|\bstd::filesystem(?!::path\b)")


def layer_of(path):
    """include/gough/model/joint.hpp, src/model/joint.cpp, gough/model/joint.hpp -> model; gough/error.hpp -> error."""
    parts = [part for part in Path(path).with_suffix("").parts if part not in ("include", "src", "gough")]
    return parts[0] if parts else "gough"


def resolve(path, system, quoted):
    """The file meant by an include directive in `path`; a quoted one may be relative to it."""
    if system or quoted.startswith("gough/"):
        return system or quoted
    parts = list(Path(path).parent.parts)
    for part in Path(quoted).parts:
        if part == "..":
            parts.pop()
        else:
            parts.append(part)
    return "/".join(parts)


def violations(path, text):
    """Lines `file:line: rule` for one file, named by its path from the root."""
    layer = layer_of(path)
    if layer not in LAYERS:
        return [f"{path}:1: belongs to no layer ({', '.join(LAYERS)})"]
    allowed = {layer, "error", *LAYERS[layer].split()}
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        line = line.split("//")[0]
        if match := INCLUDE.match(line):
            other = layer_of(resolve(path, *match.groups()))
            if other not in allowed:
                found.append(f"{path}:{number}: {layer} may not include {other}, only: {LAYERS[layer] or 'nothing'}")
        if layer not in OPENS_FILES and (match := OPENING.search(line)):
            found.append(f"{path}:{number}: {layer} may not open files, only io may: {match.group()}")
    return found


def check_the_check():
    bad = '#include <gough/io/csv.hpp>\n#include "../dynamics/legs.hpp"\n#include "tree.hpp"\n'
    bad += '#include <fstream>\nauto f = fopen(p, "r");\n'
    found = violations("include/gough/kinematics/tree.hpp", bad)
    lines = [line.split(":")[1] for line in found]
    assert lines == ["1", "2", "4", "5"], found
    good = '#include <gough/error.hpp>\n#include "gough/model/joint.hpp"\nstd::filesystem::path p;  // fopen\n'
    assert not violations("src/kinematics/tree.cpp", good)
    assert violations("src/kinematics/tree.cpp", "#include <gough/gough.hpp>\n")
    assert violations("src/stray.cpp", "")


def main():
    check_the_check()
    files = [path for folder in ("include/gough", "src") for path in sorted((ROOT / folder).rglob("*.[ch]pp"))]
    files = [path.relative_to(ROOT) for path in files if path != ROOT / "include/gough/gough.hpp"]
    found = [line for path in files for line in violations(path.as_posix(), (ROOT / path).read_text())]
    print("\n".join(found) if found else f"{len(files)} files follow the layers")
    return 1 if found or not files else 0


if __name__ == "__main__":
    sys.exit(main())
