"""Progress of long work, on a terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

Progress = Callable[[int, int], Any]


class Terminal:
    """One line on standard error, written anew as the work goes on; gone when it is done."""

    def __init__(self, what: str) -> None:
        self.what, self.start, self.width = what, time.monotonic(), 0

    def __call__(self, done: int, total: int) -> None:
        if time.monotonic() - self.start >= 1:
            self._write(f"{self.what} {done}" + (f" of {total}" if total else ""))

    def end(self) -> None:
        """The work has ended, whichever way."""
        if self.width > 0:
            self._write("")

    def _write(self, text: str) -> None:
        sys.stderr.write("\r" + text.ljust(self.width) + ("\r" if not text else ""))
        sys.stderr.flush()
        self.width = len(text)


def shown(what: str, progress: Progress | None) -> Progress | None:
    """The caller's own, or a line on the terminal where there is one."""
    if progress is not None:
        return progress
    return Terminal(what) if sys.stderr is not None and sys.stderr.isatty() else None
