"""Documents: every listing in Python runs, in the order of its document."""

from __future__ import annotations

import doctest
import re
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT

DOCUMENTS = ["README.md", "docs/python.md"]
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(document: str) -> list[tuple[int, str]]:
    """Line numbers and texts."""
    file = ROOT / document
    text = file.read_text() if file.exists() else ""
    return [(text[: m.start(1)].count("\n") + 1, m[1]) for m in BLOCK.finditer(text)]


def run_prompts(text: str, names: dict[str, Any], where: str, line: int) -> str:
    """What doctest has to say of a listing with prompts; nothing where it is right."""
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    test = doctest.DocTestParser().get_doctest(text, names, where, str(ROOT / where), line - 1)
    said: list[str] = []
    runner = doctest.DocTestRunner(optionflags=flags, verbose=False)
    runner.run(test, out=said.append, clear_globs=False)
    names.update(test.globs)
    return "".join(said)


@pytest.mark.parametrize("document", DOCUMENTS)
def test_listings_run(document: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From the repository's root; what they write goes elsewhere."""
    found = blocks(document)
    if not found:
        pytest.skip(f"{document} has no listing in Python")
    for folder in ("robots", "motions", "studies", "examples", "docs", "build"):
        (tmp_path / folder).symlink_to(ROOT / folder)
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"__name__": "listing"}
    problems = []
    for line, text in found:
        if ">>>" in text:
            problems.append(run_prompts(text, names, document, line))
        else:
            exec(compile("\n" * (line - 1) + text, document, "exec"), names)
    assert "".join(problems) == ""
