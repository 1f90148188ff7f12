#!/usr/bin/env python3
"""Writes docs/python_api.md: the public names of the Python package with their signatures and docstrings.

Usage: python_api.py [--check]   with a Python that can `import gough`. --check writes nothing and says whether the
page is as it would be written.
"""

import enum
import importlib
import inspect
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PAGE = ROOT / "docs/python_api.md"
PACKAGE, CORE = "gough", "gough._core"
LINE = 100  # longer signatures have a line for each argument

INTRODUCTION = """\
# Python API

Every public name of the package, with signature and docstring. How they are used: [Python](python.md).
`tools/docs/python_api.py` makes this page from the installed package.
"""
LIBRARY = """\
## The library

Names of the C++ library, for programs that want every step in their own hands: [C++ API](cpp_api.md).
"""


class Raw:
    """An annotation that is shown as it was written."""

    def __init__(self, text):
        self.text = text

    def __repr__(self):
        return self.text


def signature_of(function):
    def shown(annotation):
        return Raw(annotation) if isinstance(annotation, str) else annotation

    found = inspect.signature(function)
    parameters = [p.replace(annotation=shown(p.annotation)) for p in found.parameters.values()]
    return str(found.replace(parameters=parameters, return_annotation=shown(found.return_annotation)))


def short(signature):
    """As it is called: without self and the names of modules, Mechanism for gough._core.Mechanism."""
    signature = re.sub(r"^(\w[\w.]*\()self(?:, )?", r"\1", signature)
    signature = re.sub(r"\bndarray\[[^\]]*\]", "ndarray", signature)
    signature = re.sub(r"<(?:\w+\.)*(\w+) object at 0x[0-9a-f]+>", r"\1()", signature)
    return re.sub(r"\b(?:gough|_core|numpy|collections|typing|os|pathlib)(?:\.\w+)*\.(?=\w)", "", signature)


def wrapped(signature):
    """A long signature in several lines."""
    if len(signature) <= LINE:
        return signature
    start, depth, pieces, piece = signature.index("(") + 1, 1, [], ""
    for end in range(start, len(signature)):
        sign = signature[end]
        depth += (sign in "([{") - (sign in ")]}")
        if depth == 0:
            break
        if sign == "," and depth == 1:
            pieces.append(piece.strip())
            piece = ""
        else:
            piece += sign
    lines = "".join(f"    {p},\n" for p in [*pieces, piece.strip()])
    return f"{signature[:start]}\n{lines}{signature[end:]}"


def overloads(function, name):
    """Pairs of a signature and its text."""
    doc = inspect.getdoc(function) or ""
    doc = "" if doc == inspect.getdoc(object.__init__) else doc
    if known := getattr(
        function, "__nb_signature__", None
    ):  # nanobind's: lines `name(..) -> ..`, an empty line, the text
        head = doc.split("\n\n")[0].splitlines()
        texts = [inspect.cleandoc(text or "") for _, text, _ in known]
        return [(short(re.sub(r"^\w+", name, line)), text) for line, text in zip(head, texts, strict=True)]
    try:
        return [(short(name + signature_of(function)), doc)]
    except (TypeError, ValueError):
        return [(f"{name}(...)", doc)]


def function_lines(function, name, is_constructor=False):
    found = overloads(function, name)
    texts = list(dict.fromkeys(text for _, text in found if text))
    signatures = [wrapped(s.removesuffix(" -> None") if is_constructor else s) for s, _ in found]
    return ["```python", *signatures, "```", "", *(line for text in texts for line in (text, ""))]


def public(names):
    return [name for name in dict.fromkeys(names) if not name.startswith("_")]


def row(*cells):
    return f"| {' | '.join(cells)} |".replace("|  |", "| |").replace("|  |", "| |")


def attribute_row(name, item):
    """A property: its type, where it is told, and its meaning."""
    signature = getattr(item.fget, "__nb_signature__", [[""]])[0][0] or signature_of(item.fget)
    kind = short(signature.partition(" -> ")[2]).replace("|", "\\|")
    meaning = "" if re.match(r"\(self\)", item.__doc__ or "") else " ".join((item.__doc__ or "").split())
    return row(f"`{name}`", f"`{kind}`" if kind else "", meaning)


def type_name(annotation):
    return getattr(annotation, "__forward_arg__", None) or getattr(annotation, "__name__", str(annotation))


def class_lines(cls, name):
    lines = [f"### {name}", "", inspect.getdoc(cls) or "", ""]
    if issubclass(cls, enum.Enum):
        values = [(value.name, inspect.getdoc(value) or "") for value in cls]
        shown = [row(f"`{value}`", "" if text == inspect.getdoc(cls) else text) for value, text in values]
        return [*lines, "| value | meaning |", "|---|---|", *shown, ""]
    if issubclass(cls, BaseException):
        return lines
    bases = [base for base in reversed(cls.__mro__) if base.__module__.split(".")[0] == PACKAGE]
    own = {key: value for base in bases for key, value in vars(base).items()}
    fields = {key: kind for base in bases for key, kind in getattr(base, "__annotations__", {}).items()}
    if hasattr(cls.__init__, "__nb_signature__") or inspect.isfunction(cls.__init__):
        lines += function_lines(cls.__init__, name, is_constructor=True)
    data = [key for key in public([*fields, *own]) if key in fields or isinstance(own[key], property)]
    if data:
        rows = [
            attribute_row(key, own[key])
            if isinstance(own.get(key), property)
            else row(f"`{key}`", f"`{short(type_name(fields[key]))}`".replace("|", "\\|"), "")
            for key in data
        ]
        lines += ["| attribute | type | meaning |", "|---|---|---|", *rows, ""]
    for key in public(own):
        if key not in data and callable(getattr(cls, key)):
            lines += [f"#### {name}.{key}", "", *function_lines(getattr(cls, key), f"{name}.{key}")]
    return lines


def item_lines(name, item):
    return class_lines(item, name) if inspect.isclass(item) else [f"### {name}", "", *function_lines(item, name)]


def page():
    package = importlib.import_module(PACKAGE)
    names = public(getattr(package, "__all__", dir(package)))
    items = [(name, getattr(package, name)) for name in names]
    ours = [(n, i) for n, i in items if callable(i) and getattr(i, "__module__", "").split(".")[0] == PACKAGE]
    first = [pair for pair in ours if pair[1].__module__ != CORE]
    first.sort(key=lambda pair: (inspect.isclass(pair[1]), pair[0] != "Robot", pair[0]))
    library = sorted((pair for pair in ours if pair[1].__module__ == CORE), key=lambda pair: inspect.isclass(pair[1]))
    lines = [INTRODUCTION, f"## {PACKAGE}", "", inspect.getdoc(package) or "", ""]
    lines += [line for pair in first for line in item_lines(*pair)]
    lines += [LIBRARY] + [line for pair in library for line in item_lines(*pair)] if library else []
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).rstrip() + "\n"


def main(arguments):
    if arguments not in ([], ["--check"]):
        sys.exit(__doc__)
    text = page()
    if not arguments:
        PAGE.write_text(text)
    elif not PAGE.exists() or PAGE.read_text() != text:
        print(f"{PAGE.relative_to(ROOT)} is not what the package says now: run tools/docs/python_api.py")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
