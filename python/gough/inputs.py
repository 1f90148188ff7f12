"""What users write, as the library takes it; and failures that keep what was done before them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from . import _core

Floats = NDArray[np.float64]
#: A motion: the path of a motion file or of a table (CSV), a motion file's keys as a dict, a table, a pandas frame, a mapping of
#: columns, or a trajectory.
Motion = Any
#: f(t, w) of a simulation: writes ``w.tau`` or returns the actuators' forces.
Controller = Callable[[float, _core.Workspace], Any]

MOTION_KEYS = {"motion", "line", "circle", "harmonic", "samples", "sequence", "wait"}

Word = TypeVar("Word", _core.Formulation, _core.ElasticMotion)


def one_of(words: type[Word], what: str, word: str | Word) -> Word:
    """One of the library's words, given as text or as itself."""
    if isinstance(word, words):
        return word
    found = words.__members__.get(str(word))
    if found is None:
        raise _core.Error(f"{what}: read '{word}', expected one of {', '.join(words.__members__)}")
    return found


def formulation(by: str | _core.Formulation) -> _core.Formulation:
    return one_of(_core.Formulation, "by", by)


def elastic_motion(word: str | _core.ElasticMotion) -> _core.ElasticMotion:
    return one_of(_core.ElasticMotion, "elastic", word)


def numbers(what: str, given: Any) -> Floats:
    """One row of finite numbers."""
    try:
        found = np.asarray(given, dtype=float)
    except (TypeError, ValueError):
        raise _core.Error(f"{what}: read {str(given)[:80]}, expected numbers") from None
    if found.ndim > 1:
        raise _core.Error(f"{what}: read an array of shape {found.shape}, expected one row of numbers")
    if not np.isfinite(found).all():
        raise _core.Error(f"{what}: read {found}, expected finite numbers")
    return found


def only(what: str, options: Mapping[str, Any], known: str) -> Mapping[str, Any]:
    """Options by name, all of them known."""
    for name in options:
        if name not in known.split():
            raise TypeError(f"{what}: read the option '{name}', expected some of {', '.join(known.split())}")
    return options


def is_motion_file(given: Mapping[str, Any]) -> bool:
    """Keys of a motion file, and not columns of a table."""
    return bool(MOTION_KEYS & set(given)) or any(isinstance(x, (str, Mapping)) for x in given.values())


def file_text(keys: Mapping[str, Any]) -> str:
    """Keys of a file as text that the file's reader takes: JSON, arrays as lists."""

    def plain(x: Any) -> Any:
        if hasattr(x, "tolist"):
            return x.tolist()
        raise _core.Error(f"dict: read {type(x).__name__}, expected numbers, texts, lists and dicts")

    return json.dumps(keys, indent=1, ensure_ascii=False, default=plain)


def file_settings(given: Mapping[str, Any] | None) -> dict[str, Any]:
    """Values as a file has them."""

    def plain(x: Any) -> Any:
        if hasattr(x, "tolist"):
            x = x.tolist()
        if isinstance(x, bool):
            return "true" if x else "false"
        return [plain(y) for y in x] if isinstance(x, (list, tuple)) else x

    return {path: plain(value) for path, value in (given or {}).items()}


def failed(message: str, result: Any) -> _core.Failure:
    """A failure that carries what was done before it."""
    failure = _core.Failure(message)
    failure.result = result  # type: ignore[attr-defined]
    return failure
