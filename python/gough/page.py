"""Reports inside notebooks, files and browsers."""

from __future__ import annotations

import html
import os
import tempfile
import webbrowser
from pathlib import Path

from . import _core


class Page:
    """A report: one HTML page that needs no network. In a notebook it shows itself."""

    def __init__(self, data: str, height: int = 720) -> None:
        self.html = _core.report_page(data)
        self.height = int(height)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Writes the page into a file."""
        file = Path(path)
        file.write_text(self.html, encoding="utf-8")
        return file

    def open(self) -> Path:
        """Opens the page in a browser; returns the file it is in."""
        file = self.save(Path(tempfile.mkdtemp(prefix="gough-")) / "report.html")
        webbrowser.open(file.as_uri())
        return file

    def _repr_html_(self) -> str:
        # A frame of its own: the page can neither read nor change the notebook.
        return (
            f'<iframe sandbox="allow-scripts" style="width: 100%; height: {self.height}px; border: 0" '
            f'srcdoc="{html.escape(self.html, quote=True)}"></iframe>'
        )

    def __repr__(self) -> str:
        return f"<page of {len(self.html) / 1e6:.1f} MB: .save(file) writes it, .open() shows it in a browser>"
