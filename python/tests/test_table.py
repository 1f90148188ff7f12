"""Tables: from everything, into everything, without losing a digit."""

from __future__ import annotations

from pathlib import Path

import gough
import numpy as np
import pandas as pd
import pytest
from conftest import Tool
from gough import Table

ODD = np.array([[0.1, 1 / 3, np.pi], [1e-300, -0.0, 12345678.901234567], [5e-324, 1.7976931348623157e308, -1e22]])


@pytest.fixture
def table() -> Table:
    return Table(["t", "q.left", "tau.left"], ODD)


def test_columns_are_found_by_name(table: Table) -> None:
    assert np.array_equal(table["q.left"], ODD[:, 1])
    assert np.array_equal(table[["tau.left", "t"]], ODD[:, [2, 0]])
    assert "t" in table
    assert "nix" not in table
    assert list(table) == table.columns == ["t", "q.left", "tau.left"]
    assert len(table) == 3


def test_a_missing_column_is_named_with_those_there_are(table: Table) -> None:
    with pytest.raises(KeyError, match="'nix' is no column; there are t, q.left, tau.left"):
        table["nix"]
    with pytest.raises(KeyError, match="nix"):
        table[["t", "nix"]]


def test_a_table_is_made_of_everything(table: Table, tmp_path: Path) -> None:
    file = tmp_path / "table.csv"
    table.write(file)
    given = [
        table,
        table.to_pandas(),
        {c: table[c] for c in table},
        {c: list(table[c]) for c in table},
        str(file),
        file,
        pd.DataFrame({c: table[c].astype(object) for c in table}),
    ]
    for data in given:
        found = Table.of(data)
        assert found.columns == table.columns
        assert np.array_equal(found.values, table.values)
    assert Table.of(table) is table


def test_a_mapping_of_single_numbers_is_a_row() -> None:
    found = Table.of({"t": 0.5, "x": 2})
    assert (found.columns, found.values.tolist()) == (["t", "x"], [[0.5, 2.0]])


def test_pandas_and_back_is_the_same(table: Table) -> None:
    frame = table.to_pandas()
    assert list(frame.columns) == table.columns
    assert np.shares_memory(frame.to_numpy(), table.values)
    assert np.array_equal(Table.of(frame).values, table.values)
    assert isinstance(table._repr_html_(), str)


def test_csv_keeps_every_digit(table: Table, tmp_path: Path) -> None:
    file = tmp_path / "table.csv"
    table.write(file)
    assert Table.read(file).values.tobytes() == table.values.tobytes()
    rows = [[float(x) for x in line.split(",")] for line in file.read_text().splitlines()[1:]]
    assert np.array(rows).tobytes() == table.values.tobytes()
    numbers = np.random.default_rng(1).standard_normal((200, 3)) * 10.0 ** np.arange(-3, 0)
    Table(table.columns, numbers).write(file)
    assert np.array_equal(Table.read(file).values, numbers)


def test_the_tool_reads_what_is_written(tmp_path: Path, tool: Tool, pendulum: gough.Robot) -> None:
    states = Table(["q.swing", "v.swing", "tau.swing"], [[0, 0, 0], [0, 0, 9.81], [0.3, 1, 2]])
    file = tmp_path / "states.csv"
    states.write(file)
    said = tool.run("forward", "robots/pendulum.yaml", file)
    accelerations = [float(line.split(",")[-1]) for line in said.stdout.splitlines()[1:]]
    assert accelerations == pytest.approx([-9.81, 0, 2 - 9.81 * np.cos(0.3)])


def test_numpy_takes_a_table_for_an_array(table: Table) -> None:
    assert np.asarray(table) is table.values
    assert np.array(table) is not table.values
    assert np.asarray(Table(["t"], [[1.5]]), dtype=np.float32).dtype == np.float32
    assert np.array_equal(np.mean(table, axis=0), ODD.mean(axis=0))


def test_an_empty_table_keeps_its_columns(tmp_path: Path) -> None:
    for empty in (Table(["t", "x"], []), Table(["t", "x"], np.empty((0, 2))), Table.of({"t": [], "x": []})):
        assert empty.values.shape == (0, 2)
        assert len(empty) == 0
        assert list(empty.to_pandas().columns) == ["t", "x"]
        empty.write(tmp_path / "empty.csv")
        assert (tmp_path / "empty.csv").read_text().strip() == "t,x"


def test_a_table_says_what_it_is(table: Table) -> None:
    assert repr(table) == "<table of 3 rows: t, q.left, tau.left>"
    many = Table([f"c{i}" for i in range(9)], np.zeros((1, 9)))
    assert repr(many) == "<table of 1 rows: c0, c1, c2, c3, c4, c5, c6, c7, ..>"


def test_wrong_tables_are_told() -> None:
    with pytest.raises(gough.Error, match="table: read 3 columns and 2 names, expected as many"):
        Table(["a", "b"], np.zeros((4, 3)))
    with pytest.raises(gough.Error, match="table: read float, expected a table, a pandas frame, a mapping"):
        Table.of(3.0)
    with pytest.raises(ValueError):
        Table.of({"a": [1, 2], "b": [1]})
    with pytest.raises(ValueError):
        Table.of(pd.DataFrame({"a": ["one", "two"]}))


BAD_FILES = {
    "a word": ("t,x\n0,1\n1,one\n", "3: column 'x': read 'one', expected a finite number"),
    "a ragged row": ("t,x\n0,1\n1\n", "3: "),
    "no number": ("t,x\n0,nan\n", "2: column 'x': read 'nan', expected a finite number"),
    "nothing": ("", ""),
    "twice": ("t,t\n0,1\n", "1: "),
}


@pytest.mark.parametrize("case", BAD_FILES)
def test_a_bad_file_is_told_with_line_and_column(case: str, tmp_path: Path, tool: Tool) -> None:
    text, message = BAD_FILES[case]
    file = tmp_path / "bad.csv"
    file.write_text(text)
    with pytest.raises(gough.Error) as caught:
        Table.read(file)
    assert str(caught.value).startswith(str(file))
    assert message in str(caught.value)
    assert tool.complaint("forward", "robots/pendulum.yaml", file).splitlines()[0] == str(caught.value)


def test_a_missing_file_is_told() -> None:
    with pytest.raises(gough.Error, match="nowhere.csv: cannot be opened"):
        Table.read("nowhere.csv")


MOVES = {
    "a missing number": [-0.65, np.nan, -0.6, -0.6, -0.6],
    "an infinite number": [-0.65, np.inf, -0.6, -0.6, -0.6],
}


@pytest.mark.parametrize("case", MOVES)
def test_numbers_that_are_missing_in_a_frame_are_told_as_in_a_file(case: str, hexapod: gough.Robot) -> None:
    frame = pd.DataFrame(
        {"t": np.arange(5.0), **{c: np.zeros(5) for c in ("x", "y", "rx", "ry", "rz")}, "z": MOVES[case]}
    )
    with pytest.raises(gough.Error, match="column 'z': read '?(nan|inf)'?, expected a"):
        hexapod.inverse_dynamics(frame, step=0.5)


def test_a_column_that_is_there_twice_is_refused() -> None:
    columns = ["t", "x", "y", "z", "z", "rx", "ry", "rz"]
    with pytest.raises(gough.Error, match="read the column 'z' twice"):
        Table(columns, [[0, 0, 0, -0.65, -0.6, 0, 0, 0], [1, 0, 0, -0.65, -0.6, 0, 0, 0]])
