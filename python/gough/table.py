"""Tables: named columns of numbers, as the command-line tool writes them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core

if TYPE_CHECKING:
    import pandas


def _column(name: str, given: Any) -> NDArray[np.float64]:
    """Numbers of one column; times and complex numbers are none."""
    try:
        found = np.atleast_1d(np.asarray(given))
        if found.dtype.kind not in "biufO":
            raise TypeError
        found = found.astype(float)
    except (TypeError, ValueError):
        raise _core.Error(f"table: column '{name}': read {str(given)[:60]}, expected numbers") from None
    if found.ndim != 1:
        raise _core.Error(f"table: column '{name}': read an array of shape {found.shape}, expected one number a row")
    return found


class Table:
    """Rows of numbers under names such as ``t``, ``x``, ``q.leg1.drive`` and ``tau.leg1.drive``.

    ``table["tau.leg1.drive"]`` is a column (a view), ``table[["x", "y"]]`` several, ``table.values`` all of them.
    """

    columns: list[str]
    values: NDArray[np.float64]

    def __init__(self, columns: list[str], values: ArrayLike) -> None:
        self.columns = list(columns)
        self.values = np.atleast_2d(np.asarray(values, dtype=float))
        if self.values.ndim > 2:
            raise _core.Error(f"table: read an array of shape {self.values.shape}, expected rows of numbers")
        if self.values.size == 0:
            self.values = self.values.reshape(0, len(self.columns))
        if self.values.shape[1] != len(self.columns):
            raise _core.Error(
                f"table: read {self.values.shape[1]} columns and {len(self.columns)} names, expected as many"
            )

        twice = {c for c in self.columns if self.columns.count(c) > 1}
        if twice:
            raise _core.Error(f"table: read the column '{sorted(twice)[0]}' twice, expected every name once")

    @classmethod
    def of(cls, data: Any) -> Table:
        """From a table, a pandas frame, a mapping of names to columns, or the path of a CSV file."""
        if isinstance(data, Table):
            return data
        if isinstance(data, (str, os.PathLike)):
            return cls.read(data)
        if hasattr(data, "to_numpy") and hasattr(data, "columns"):
            names = [str(c) for c in data.columns]
            values = [_column(name, data.iloc[:, i].to_numpy()) for i, name in enumerate(names)]
            return cls(names, np.column_stack(values) if values else np.empty((0, 0)))
        if isinstance(data, Mapping):
            columns = {str(c): _column(str(c), x) for c, x in data.items()}
            if len({len(x) for x in columns.values()}) > 1:
                told = ", ".join(f"{c} {len(x)}" for c, x in columns.items())
                raise _core.Error(f"table: read columns of different lengths ({told}), expected equal ones")
            return cls(list(columns), np.column_stack(list(columns.values())) if columns else np.empty((0, 0)))
        raise _core.Error(
            f"table: read {type(data).__name__}, expected a table, a pandas frame, a mapping of columns or a CSV file"
        )

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Table:
        """A CSV file with a heading; messages name file, line and column."""
        return cls(*_core.read_table(os.fspath(path)))

    def write(self, path: str | os.PathLike[str]) -> None:
        """As CSV, numbers in full precision."""
        for name in self.columns:
            if name != name.strip() or not name or "\n" in name or "\r" in name:
                raise _core.Error(
                    f"table: read the column name {name!r}, expected one without line ends and outer blanks"
                )
        Path(path).write_text(_core.table_text(self.columns, self.values))

    def __getitem__(self, name: str | list[str]) -> NDArray[np.float64]:
        if isinstance(name, list):
            return self.values[:, [self._index(n) for n in name]]
        return self.values[:, self._index(name)]

    def _index(self, name: str) -> int:
        try:
            return self.columns.index(name)
        except ValueError:
            raise KeyError(f"{name!r} is no column; there are {', '.join(self.columns[:40])}") from None

    def __contains__(self, name: object) -> bool:
        return name in self.columns

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.values)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[np.float64]:
        return np.array(self.values, dtype=dtype) if copy or dtype else self.values

    def to_pandas(self) -> pandas.DataFrame:
        """A pandas frame that shares the numbers."""
        import pandas

        return pandas.DataFrame(self.values, columns=self.columns, copy=False)

    def __repr__(self) -> str:
        return f"<table of {len(self)} rows: {', '.join(self.columns[:8])}{', ..' if len(self.columns) > 8 else ''}>"

    def _repr_html_(self) -> str:
        try:
            html: str = self.to_pandas()._repr_html_()
            return html
        except ImportError:
            return repr(self).replace("<", "&lt;")
