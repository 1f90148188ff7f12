#!/usr/bin/env python3
"""A header as Doxygen should read it: doxygen_filter.py HEADER, on standard output.

The first comment of a header is about the file. Lines of a comment that are indented are equations or lists and stay
as they are. Pages such as docs/theory/closure.md become links to the site around. Signs that Doxygen would take for
commands are text.
"""

import re
import sys

MAIN_PAGE = """
/** @mainpage The headers of gough
`\\#include <gough/gough.hpp>` is everything. <a href="files.html">By file</a>, <a href="namespacegough.html">by name</a>,
<a href="annotated.html">types alone</a>. What to call when: <a href="../cpp_api.html">C++ API</a> in the
<a href="../index.html">documentation</a>.
*/
"""
COMMENT = re.compile(r"( *)///(?![</!]) ?(.*)")
PAGE = re.compile(r"\bdocs/([\w/]+)\.md\b")
CODE = re.compile(r"(`[^`]*`)")


def page_link(match):
    return f'<a href="../{match[1]}.html">{match[0]}</a>'


def prose(text):
    """Without markup but `code` and links to pages."""
    parts = CODE.split(text)
    escaped = [
        p if p.startswith("`") else re.sub(r"[@\\#]", r"\\\g<0>", p).replace("<", "&lt;").replace("*", "\\*")
        for p in parts
    ]
    return PAGE.sub(page_link, "".join(escaped))


def block(indent, lines, is_first):
    """A comment of several lines."""
    out = ["@file"] if is_first else []
    pages = [PAGE.search(lines[0])] if re.search(r"  docs/[\w/]+\.md$", lines[0]) else []
    if pages:
        lines = [re.sub(r" +docs/[\w/]+\.md$", "", lines[0]), *lines[1:]]
    is_kept = False
    for line in lines:
        if line.startswith("  ") != is_kept and line.strip():
            is_kept = not is_kept
            out.append("@verbatim" if is_kept else "@endverbatim")
        out.append(line if is_kept else prose(line))
    out += ["@endverbatim"] * is_kept + [f"@see {page_link(page)}" for page in pages]
    return [f"{indent}/**", *(line.replace("*/", "* /") for line in out), "*/"]


def filtered(text):
    out, comment, indent, is_first = [], [], "", True
    for line in [*text.splitlines(), ""]:
        match = COMMENT.fullmatch(line)
        if match:
            indent = indent if comment else match[1]
            comment.append(match[2])
            continue
        if comment:
            out += block(indent, comment, is_first)
            out += [""] if is_first else []
            comment, is_first = [], False
        elif line.startswith(("namespace", "template", "struct")):
            is_first = False  # a header without a comment of its own
        out.append(line)
    return "\n".join(out)


if __name__ == "__main__":
    header = sys.argv[1]
    with open(header, encoding="utf-8") as file:
        sys.stdout.write(filtered(file.read()) + (MAIN_PAGE if header.endswith("gough/gough.hpp") else ""))
