"""Types: the stored stubs are those of the module, and programs check against them."""

from __future__ import annotations

import ast
import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT

PACKAGE = ROOT / "python" / "gough"
STUBS = PACKAGE / "_core.pyi"

TYPED = """
import numpy as np
import gough
from gough import Robot, Table

robot: Robot = gough.load("robots/hexapod.yaml", {"bodies.platform.mass": 2})
states = robot.random_states(10)
q: np.ndarray = states.q
position = robot.inverse_kinematics([0, 0, -0.7, 0, 0, 0])
lengths: np.ndarray = position.actuators
names: list[str] = robot.actuators
mobility: int = robot.check().mobility

def spring(t: float, w: gough.Workspace) -> np.ndarray:
    return 2.0 * w.q[:6] - w.v[:6]

run: gough.SimulationReport = robot.simulate(1.0, controller=spring)
table: Table = run.table
column: np.ndarray = table["t"]

def law(s: gough.ControlSample) -> np.ndarray:
    return s.ahead_tau + 10 * (s.desired_q - s.q)

report, errors = robot.track("motion.yaml", law)
first: float = float(errors["t"][0])
found: gough.Identification = robot.identify(table)
sigma: np.ndarray = found.sigma
d: gough.RobotDescription = robot.description
d.bodies[0].mass = 2.0
d.gravity = [0, 0, -1.62]
gough.define_friction("mine", lambda v: v * v)
"""
WRONG = {
    "a method that is not there": "import gough\ngough.load('x').fly()\n",
    "a wrong type": "import gough\nn: str = gough.load('x').nq\n",
    "a name that is not there": "import gough\ngough.levitate()\n",
    "a mass that is a word": "import gough\ngough.BodyDescription().mass = 'heavy'\n",
    "a controller of one argument": "import gough\ngough.load('x').simulate(controller=lambda t: [0.0])\n",
}
needs_mypy = pytest.mark.skipif(importlib.util.find_spec("mypy") is None, reason="mypy is not installed")
needs_stubs = pytest.mark.skipif(not STUBS.exists(), reason="python/gough/_core.pyi is not stored yet")


def python(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, cwd=cwd, timeout=120, check=False
    )


def mypy(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Strictly, with the sources of the package beside the stored stubs."""
    environment = os.environ | {"MYPYPATH": str(ROOT / "python")}
    options = [
        "--strict",
        "--allow-any-generics",
        "--no-warn-unused-ignores",
        "--ignore-missing-imports",
        "--cache-dir",
        str(ROOT / "build" / ".mypy_cache"),
    ]
    command = [sys.executable, "-m", "mypy", *options, *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, env=environment, timeout=120, check=False)


def meaning(text: str) -> dict[str, str]:
    """What a stub says of each name, however it is formatted."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            node.value.value = " ".join(node.value.value.split())
    said: dict[str, str] = {}
    for node in tree.body:
        name = str(getattr(node, "name", None) or ast.unparse(node))
        said[name] = said.get(name, "") + ast.dump(node)
    return said


@needs_stubs
@pytest.mark.skipif(importlib.util.find_spec("nanobind") is None, reason="nanobind is not installed")
def test_stored_stubs_are_those_of_the_module(tmp_path: Path) -> None:
    made = python("-m", "nanobind.stubgen", "-m", "gough._core", "-o", str(tmp_path / "_core.pyi"), cwd=ROOT)
    assert made.returncode == 0, made.stderr
    found, stored = meaning((tmp_path / "_core.pyi").read_text()), meaning(STUBS.read_text())
    changed = sorted(name for name in found.keys() | stored.keys() if found.get(name) != stored.get(name))
    again = "python -m nanobind.stubgen -m gough._core -o python/gough/_core.pyi"
    assert changed == [], f"the module has changed; run {again}"


def test_the_package_says_that_it_is_typed() -> None:
    assert (PACKAGE / "py.typed").exists()


@needs_mypy
@needs_stubs
def test_a_typed_program_checks(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(TYPED)
    done = mypy("program.py", cwd=tmp_path)
    assert done.returncode == 0, done.stdout


@needs_mypy
@needs_stubs
def test_mistakes_are_found(tmp_path: Path) -> None:
    for i, text in enumerate(WRONG.values()):
        (tmp_path / f"wrong{i}.py").write_text(text)
    done = mypy(*(f"wrong{i}.py" for i in range(len(WRONG))), cwd=tmp_path)
    for i, case in enumerate(WRONG):
        assert f"wrong{i}.py:2: error" in done.stdout, case


@needs_mypy
@needs_stubs
def test_the_package_itself_checks() -> None:
    done = mypy("-p", "gough", cwd=ROOT)
    assert done.returncode == 0, done.stdout
