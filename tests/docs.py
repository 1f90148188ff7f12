#!/usr/bin/env python3
"""Checks the documents: links and paths exist, and listings show what the tool prints.

A listing is a fenced block ```console; each line `$ ... build/gough ...` in it is run from the root, and the lines up
to the next `$` must be its output, where a line `...` stands for any number of lines. Other commands are not run.
A block ```yaml that starts with `robot:` must pass the check; one below a comment `<!-- examples/.. -->` must be that file. A
header that cites a page `docs/theory/...` finds all
its labels such as (C3) there.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TOOL = os.environ.get("GOUGH_TOOL", str(ROOT / "build/gough"))
SKIPPED = ("build", "results")  # made by commands, not part of the repository
SUFFIXES = set(".hpp .cpp .c .cu .h .py .sh .md .yaml .csv .json .html .txt".split())

FENCE = re.compile(r"^( *)(```+)(\w*)[^\n]*\n(.*?)^\1\2 *$", re.MULTILINE | re.DOTALL)
SPAN = re.compile(r"`([^`\n]+)`")
FILE_BLOCK = re.compile(r"^<!-- (\S+) -->\n```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)\s]+)[^)]*\)")
PAGE = re.compile(r"docs/theory/\w+\.md")
COMMENT = re.compile(r"///.*")
LABEL = re.compile(r"\(([A-Z]\d+)\)")
PATH = re.compile(r"[\w.*-]+(/[\w.*-]+)*/?")


def is_path(span):
    """`robots/hexapod.yaml` and `src/` are paths; `a/b` and `study.yaml` are not."""
    if "/" not in span or not PATH.fullmatch(span):
        return False
    return (ROOT / span.split("/")[0]).is_dir() or Path(span).suffix in SUFFIXES


def exists(name, folder):
    """From the root, from the document's folder, or as an include; `*` and a final `...` match anything."""
    name = re.sub(r"/\.\.\.$", "", name)
    if name.split("/")[0] in SKIPPED:
        return True
    return any(any(place.glob(name)) for place in (ROOT, folder, ROOT / "include"))


def broken_paths(text, folder):
    prose = FENCE.sub("", text)
    spans = [span for span in SPAN.findall(prose) if is_path(span) and not exists(span, folder)]
    links = [link.split("#")[0] for link in LINK.findall(SPAN.sub("", prose)) if not re.match(r"\w+:", link)]
    links = [link for link in links if link and link.split("/")[0] not in SKIPPED]
    return spans + [link for link in links if not (folder / link).exists()]


def matches(shown, printed):
    """Whether the lines printed are those shown, `...` standing for any number of lines."""
    pattern = "".join("(?:.*\n)*" if line.strip() == "..." else re.escape(line) + "\n" for line in shown)
    return re.fullmatch(pattern, "".join(line + "\n" for line in printed)) is not None


def listings(text):
    """Pairs of a command and the lines shown below it."""
    for indent, _, language, body in FENCE.findall(text):
        if language != "console":
            continue
        lines = [line.removeprefix(indent).rstrip() for line in body.splitlines()]
        starts = [i for i, line in enumerate(lines) if line.startswith("$ ")] + [len(lines)]
        for start, end in zip(starts, starts[1:]):
            yield lines[start][2:], lines[start + 1 : end]


def run(command):
    command = re.sub(r"\bbuild/gough(?![\w/])", lambda _: TOOL, command)
    done = subprocess.run(command, shell=True, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return [line.rstrip() for line in done.stdout.splitlines()]


def strip_blank_end(lines):
    while lines and not lines[-1]:
        lines = lines[:-1]
    return lines


def differing_files(text):
    """Files that a block claims to be and is not."""
    return [name for name, body in FILE_BLOCK.findall(text) if not exact(ROOT / name, body)]


def exact(file, body):
    return file.is_file() and file.read_text() == body


def problems(document):
    text = document.read_text()
    for name in differing_files(text):
        yield f"the block is not what {name} holds"
    for name in broken_paths(text, document.parent):
        yield f"no such file: {name}"
    for command, shown in listings(text):
        if "build/gough " not in command:
            continue
        printed = run(command)
        if not matches(strip_blank_end(shown), strip_blank_end(printed)):
            yield "\n".join([f"$ {command}", "--- shown", *shown, "--- printed", *printed, "---"])
    for _, _, language, body in FENCE.findall(text):
        if language == "yaml" and body.startswith("robot:"):
            check = [TOOL, "check", "/dev/stdin"]
            checked = subprocess.run(check, cwd=ROOT, input=body, capture_output=True, text=True)
            if checked.returncode != 0:
                yield f"a robot that fails its check: {checked.stderr}{body}"


def missing_labels(header, pages):
    """Labels in a header's comments that are on none of the pages it cites; a page is found by name in `pages`."""
    cited = "".join(pages.get(page, "") for page in PAGE.findall(header))
    labels = LABEL.findall("\n".join(COMMENT.findall(header)))
    return [label for label in labels if PAGE.search(header) and f"({label})" not in cited]


def forgotten_pictures(pages, script):
    """Pictures that no page shows, and screenshots that no script takes."""
    for picture in sorted(ROOT.glob("docs/pictures/*")):
        if not any(f"pictures/{picture.name})" in page for page in pages):
            yield f"docs/pictures/{picture.name}: no page shows it"
        if picture.suffix == ".png" and not re.search(rf"^  {picture.stem}: {{", script, re.MULTILINE):
            yield f"docs/pictures/{picture.name}: viewer/pictures.mjs does not take it"


def check_the_check():
    text = "`tests/none.py` `tests/d*.py` `tests/...` `a/b` [x](none.md) [y](tests/docs.py#z) [w](https://none.md)\n"
    text += "```cpp\n[a](b)\n```\n"
    assert broken_paths(text, ROOT) == ["tests/none.py", "none.md"], broken_paths(text, ROOT)
    shown = "<!-- robots/pendulum.yaml -->\n```yaml\n{}```\n"
    assert differing_files(shown.format("robot: x\n")) == ["robots/pendulum.yaml"]
    assert not differing_files(shown.format((ROOT / "robots/pendulum.yaml").read_text()))
    assert list(listings("```console\n$ a\n1\n$ b\n```\n")) == [("a", ["1"]), ("b", [])]
    assert matches(["a", "...", "c"], ["a", "b", "b", "c"]) and matches(["..."], [])
    header = "/// docs/theory/a.md\n///  x = 1  (C1)\n///  y = 2  (C9)\n  f(C7);\n"
    assert missing_labels(header, {"docs/theory/a.md": "x = 1 (C1)"}) == ["C9"]
    shots = len(list(ROOT.glob("docs/pictures/*.png")))
    assert len(list(forgotten_pictures([], ""))) == 2 * shots + len(list(ROOT.glob("docs/pictures/*.svg")))
    assert not matches(["a", "...", "c"], ["a", "b"]) and not matches(["1.0"], ["1.00"])


def main():
    check_the_check()
    documents = sorted(ROOT.glob("*.md")) + sorted(ROOT.glob("docs/**/*.md"))
    found = [f"{document.relative_to(ROOT)}: {problem}" for document in documents for problem in problems(document)]
    pages = {page.relative_to(ROOT).as_posix(): page.read_text() for page in ROOT.glob("docs/theory/*.md")}
    for header in sorted(ROOT.glob("include/**/*.hpp")):
        text = header.read_text()
        gone = [page for page in PAGE.findall(text) if page not in pages] + missing_labels(text, pages)
        found += [f"{header.relative_to(ROOT)}: cites what is not there: {name}" for name in gone]
    script = (ROOT / "viewer/pictures.mjs").read_text()
    found += forgotten_pictures([document.read_text() for document in documents], script)
    print("\n".join(found) if found else f"{len(documents)} documents are right")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
