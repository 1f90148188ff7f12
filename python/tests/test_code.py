"""Generated code: compiled by hand and by the package, against the library."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
from pathlib import Path

import gough
import numpy as np
import pytest
from conftest import Tool, assert_same_json, shipped

COMPILER = shutil.which(os.environ.get("CC", "cc"))
needs_compiler = pytest.mark.skipif(COMPILER is None, reason="no C compiler: neither $CC nor cc")


USE = """
#include "five_bar_inverse.h"
int forces(const double *q, const double *v, const double *a, double *tau) {
  five_bar_inverse_parameters p;
  five_bar_inverse_constants c;
  five_bar_inverse_default(&p);
  five_bar_inverse_setup(&p, &c);
  return five_bar_inverse(&c, q, v, a, tau);
}
"""


@needs_compiler
def test_c_code_that_a_user_compiles_computes_the_librarys_forces(tmp_path: Path, five_bar: gough.Robot) -> None:
    program = five_bar.generate_c("inverse", "joints")
    files = program.write(str(tmp_path))
    assert sorted(Path(f).name for f in files) == ["five_bar_inverse.c", "five_bar_inverse.h"]
    assert (tmp_path / "five_bar_inverse.c").read_text() == program.source
    assert (tmp_path / "five_bar_inverse.h").read_text() == program.header
    (tmp_path / "use.c").write_text(USE)
    strict = [str(COMPILER), "-std=c99", "-Wall", "-Wextra", "-Werror", "-O1", "-shared", "-fPIC"]
    subprocess.run(
        [*strict, "use.c", "five_bar_inverse.c", "-o", "five_bar.so", "-lm"], check=True, timeout=60, cwd=tmp_path
    )
    q, v, a = (np.ascontiguousarray(x[0]) for x in five_bar.random_states(1)[1:])
    out, pointer = np.zeros(2), ctypes.POINTER(ctypes.c_double)
    status = ctypes.CDLL(str(tmp_path / "five_bar.so")).forces(*(x.ctypes.data_as(pointer) for x in (q, v, a, out)))
    assert status == 0
    assert out == pytest.approx(five_bar.inverse_dynamics(q, v, a), rel=1e-10)


@needs_compiler
@pytest.mark.parametrize("name", ["five_bar", "palida"])
def test_compiled_inverse_dynamics_is_the_librarys(name: str) -> None:
    robot = shipped(name)
    inverse = robot.compile("inverse", "joints")
    assert inverse.robot == name
    assert [(n, size) for n, size, _ in inverse.inputs] == [("q", robot.nq), ("v", robot.nv), ("a", robot.nv)]
    out = np.empty(len(robot.actuators))
    for q, v, a in zip(*robot.random_states(5)[1:], strict=True):
        assert inverse(np.concatenate([q, v, a]), out) == 0
        assert out == pytest.approx(robot.inverse_dynamics(q, v, a), rel=1e-9)


@needs_compiler
def test_compiled_forward_dynamics_is_the_librarys(five_bar: gough.Robot) -> None:
    forward = five_bar.compile("forward", "joints")
    q, v, a = (x[0] for x in five_bar.random_states(1)[1:])
    tau = five_bar.inverse_dynamics(q, v, a)
    out = np.empty(sum(size for _, size, _ in forward.outputs))
    assert forward(np.concatenate([q, v, tau]), out) == 0
    assert out[: five_bar.nv] == pytest.approx(a, rel=1e-8, abs=1e-8)


@needs_compiler
def test_compiled_code_from_the_platform_takes_poses() -> None:
    palida = shipped("palida")
    inverse = palida.compile("inverse", "platform")
    assert [(n, size) for n, size, _ in inverse.inputs][:2] == [("position", 3), ("angles", 3)]
    table = palida.inverse_dynamics("motions/palida_circle.yaml", step=0.2).table  # without turns
    motion = table["x y z rx ry rz vx vy vz wx wy wz ax ay az dwx dwy dwz".split()]
    out = np.empty(6)
    for row, forces in zip(motion, table[[f"tau.{a}" for a in palida.actuators]], strict=True):
        assert inverse(np.ascontiguousarray(row), out) == 0
        assert out == pytest.approx(forces, rel=1e-8, abs=1e-8)


@needs_compiler
def test_parameters_of_compiled_code_can_be_changed(five_bar: gough.Robot) -> None:
    inverse = five_bar.compile("inverse", "joints")
    d = five_bar.description
    d.gravity = [0, -1.62, 0]
    assert inverse.parameter("gravity_y") == -9.81
    inverse.set_parameter("gravity_y", -1.62)
    q, v, a = five_bar.home, np.zeros(9), np.zeros(9)
    out = np.empty(2)
    assert inverse(np.concatenate([q, v, a]), out) == 0
    assert out == pytest.approx(gough.Robot(d).inverse_dynamics(q, v, a), rel=1e-9)
    with pytest.raises(gough.Error, match="nix"):
        inverse.set_parameter("nix", 1.0)


@needs_compiler
def test_compiled_batches_are_the_librarys(five_bar: gough.Robot) -> None:
    batch = five_bar.compile("inverse", "joints", batch=True)
    q, v, a = five_bar.random_states(9)[1:]
    inputs = np.ascontiguousarray(np.hstack([q, v, a]).T)  # entries x states
    out, status = np.empty((2, 9)), np.ones(9, dtype=np.int32)
    batch.batch(inputs, out, status)
    assert not status.any()
    assert out.T == pytest.approx(five_bar.inverse_dynamics(q, v, a), rel=1e-9)


@needs_compiler
def test_compiled_code_refuses_arrays_that_do_not_fit(five_bar: gough.Robot) -> None:
    inverse = five_bar.compile("inverse", "joints", batch=True)
    right = np.zeros(28)
    for inputs, outputs in ((np.zeros(5), np.zeros(2)), (right, np.zeros(1)), (right, np.zeros(3))):
        with pytest.raises((gough.Error, ValueError)):
            inverse(inputs, outputs)
    wrong = [
        (np.zeros((28, 4)), np.zeros((2, 3)), np.zeros(4, dtype=np.int32)),
        (np.zeros((27, 4)), np.zeros((2, 4)), np.zeros(4, dtype=np.int32)),
        (np.zeros((28, 4)), np.zeros((2, 4)), np.zeros(3, dtype=np.int32)),
    ]
    for many in wrong:
        with pytest.raises((gough.Error, ValueError)):
            inverse.batch(*many)


@needs_compiler
@pytest.mark.parametrize("make", [lambda: np.zeros(2, dtype=np.float32), lambda: np.zeros(4)[::2]])
def test_compiled_code_writes_into_the_output_or_refuses_it(make: object, five_bar: gough.Robot) -> None:
    inverse = five_bar.compile("inverse", "joints")
    q, v, a = (x[0] for x in five_bar.random_states(1)[1:])
    out = make()  # type: ignore[operator]
    try:
        inverse(np.concatenate([q, v, a]), out)
    except TypeError:
        return
    assert out == pytest.approx(five_bar.inverse_dynamics(q, v, a), rel=1e-5)


@pytest.mark.parametrize(("name", "from_"), [("palida", "platform"), ("hexapod", "joints")])
def test_operations_are_counted_as_by_the_tool(name: str, from_: str, tool: Tool) -> None:
    program = shipped(name).generate_c("inverse", from_)
    said = tool.json("generate", f"robots/{name}.yaml", "--from", from_, "--count")
    assert_same_json(program.count(), said)
    assert str(program) == tool.run("generate", f"robots/{name}.yaml", "--from", from_, "--count").stdout
    written = tool.run("generate", f"robots/{name}.yaml", "--from", from_, "-o", os.devnull + "/nowhere")
    assert written.returncode == 2


def test_code_is_the_tools(tmp_path: Path, five_bar: gough.Robot, tool: Tool) -> None:
    said = tool.run("generate", "robots/five_bar.yaml", "-o", tmp_path)
    program = five_bar.generate_c()
    assert f": {program.total} operations a call" in said.stdout
    assert (tmp_path / "five_bar_inverse.c").read_text() == program.source


def test_code_is_written_into_a_path(tmp_path: Path, five_bar: gough.Robot) -> None:
    assert {Path(f).parent for f in five_bar.generate_c().write(tmp_path)} == {tmp_path}  # type: ignore[arg-type]


def test_cuda_code_has_a_kernel(five_bar: gough.Robot) -> None:
    assert "__global__" in five_bar.generate_c(many_states=True).cuda


def test_compile_needs_a_compiler(monkeypatch: pytest.MonkeyPatch, five_bar: gough.Robot) -> None:
    monkeypatch.setenv("CC", "/nowhere/cc")
    with pytest.raises(gough.Error, match="/nowhere/cc"):
        five_bar.compile()


@needs_compiler
def test_a_compiled_file_is_kept_where_it_was_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, five_bar: gough.Robot
) -> None:
    monkeypatch.chdir(tmp_path)
    five_bar.compile("kinematics", "platform", file="five_bar.so")
    again = gough.CompiledProgram(str(tmp_path / "five_bar.so"))
    assert again.robot == "five_bar"
    assert os.listdir(tmp_path) == ["five_bar.so"]


WRONG = [
    (lambda r, folder: r.generate_c("weight"), "weight"),
    (lambda r, folder: r.generate_c("inverse", "heaven"), "heaven"),
    (lambda r, folder: r.generate_c().write("/dev/null/folder"), "/dev/null/folder"),
    (lambda r, folder: r.generate_c().write(str(folder), "fortran"), "fortran"),
    (lambda r, folder: gough.CompiledProgram("/nowhere.so"), "/nowhere.so"),
    (lambda r, folder: gough.CompiledProgram("robots/five_bar.yaml"), "five_bar.yaml"),
]


@pytest.mark.parametrize("case", range(len(WRONG)))
def test_wrong_wishes_are_told(case: int, five_bar: gough.Robot, tmp_path: Path) -> None:
    call, message = WRONG[case]
    with pytest.raises(gough.Error, match=message):
        call(five_bar, tmp_path)
