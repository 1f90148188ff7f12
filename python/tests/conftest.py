"""What all tests share: robots, the command-line tool as a witness, a process of one's own for what may crash."""

from __future__ import annotations

import functools
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gough
import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
TOOL = os.environ.get("GOUGH_TOOL", str(ROOT / "build" / "gough"))

SIX_FORMULATIONS = ["multipliers", "dalembert", "scdd", "noc", "virtual_power", "legs"]
PARALLEL_ROBOTS = ["hexapod", "delta", "rrr3", "five_bar", "psp3", "redundant_five_bar"]


@functools.cache
def shipped(name: str) -> gough.Robot:
    """A robot of robots/, loaded once for all tests."""
    return gough.load(ROOT / "robots" / f"{name}.yaml")


@pytest.fixture(autouse=True)
def _at_the_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


@pytest.fixture(scope="session")
def hexapod() -> gough.Robot:
    return shipped("hexapod")


@pytest.fixture(scope="session")
def five_bar() -> gough.Robot:
    return shipped("five_bar")


@pytest.fixture(scope="session")
def four_bar() -> gough.Robot:
    return shipped("four_bar")


@pytest.fixture(scope="session")
def pendulum() -> gough.Robot:
    return shipped("pendulum")


@pytest.fixture(scope="session")
def redundant() -> gough.Robot:
    return shipped("redundant_five_bar")


@pytest.fixture(params=PARALLEL_ROBOTS)
def robot(request: pytest.FixtureRequest) -> gough.Robot:
    """Each of several parallel robots."""
    return shipped(request.param)


def assert_same_table(found: gough.Table, expected: gough.Table, share: float = 1e-9) -> None:
    """The same columns, and numbers that differ by rounding at most: a share of the largest in their column."""
    assert found.columns == expected.columns
    assert found.values.shape == expected.values.shape
    largest = np.abs(expected.values).max(axis=0, initial=0.0)
    off = np.abs(found.values - expected.values).max(axis=0, initial=0.0)
    assert np.all(off <= share * largest + 1e-15), [c for c, o in zip(found.columns, off, strict=True) if o > 0]


def assert_same_json(found: Any, expected: Any, where: str = "") -> None:
    """The same keys and words, and numbers that differ by rounding at most."""
    if isinstance(expected, dict):
        assert found.keys() == expected.keys(), where
        for key in expected:
            assert_same_json(found[key], expected[key], f"{where}.{key}")
    elif isinstance(expected, list):
        assert len(found) == len(expected), where
        for i, (a, b) in enumerate(zip(found, expected, strict=True)):
            assert_same_json(a, b, f"{where}[{i}]")
    elif isinstance(expected, float):
        assert found == pytest.approx(expected, rel=1e-6, abs=1e-9, nan_ok=True), where
    else:
        assert found == expected, where


class Tool:
    """The command-line tool."""

    def run(self, *arguments: Any, stdin: str | None = None) -> subprocess.CompletedProcess[str]:
        command = [TOOL, *(str(a) for a in arguments)]
        return subprocess.run(command, capture_output=True, text=True, input=stdin, cwd=ROOT, timeout=60, check=False)

    def json(self, *arguments: Any) -> Any:
        done = self.run(*arguments, "--json")
        assert done.stdout, done.stderr
        return json.loads(done.stdout)

    def complaint(self, *arguments: Any) -> str:
        """What it says on standard error."""
        return self.run(*arguments).stderr.rstrip("\n")


@pytest.fixture(scope="session")
def tool() -> Tool:
    if not os.access(TOOL, os.X_OK):
        pytest.skip(f"no command-line tool at {TOOL}; GOUGH_TOOL says where it is")
    return Tool()


@pytest.fixture(scope="session")
def own_process() -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs a program in a Python of its own: what crashes, hangs or changes the process is seen, and harms nobody."""

    def run(program: str, timeout: float = 30) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-X", "faulthandler", "-c", program]
        return subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=timeout, check=False)

    return run
