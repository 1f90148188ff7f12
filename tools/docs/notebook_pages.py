"""MkDocs hooks: notebooks as pages.

Those of build/notebooks, which `make notebooks` executed; one that was not executed is shown without its outputs.
"""

import base64
import json
import re
from pathlib import Path

from mkdocs.structure.files import File

ROOT = Path(__file__).resolve().parent.parent.parent
WRITTEN, EXECUTED = ROOT / "docs/notebooks", ROOT / "build/notebooks"


def notebooks():
    """Of each notebook the executed one, if there is one."""
    return [EXECUTED / n.name if (EXECUTED / n.name).exists() else n for n in sorted(WRITTEN.glob("*.ipynb"))]


def joined(text):
    return "".join(text) if isinstance(text, list) else text


def fenced(text, language):
    text = re.sub(r"\x1b\[[0-9;]*m", "", joined(text)).rstrip("\n")  # without colours of a terminal
    return f"````{language}\n{text}\n````"


def output_parts(output, name, pictures):
    """What a cell has put out, as Markdown; pictures are collected as files."""
    if "text" in output:
        return [fenced(output["text"], "{ .text .output }")]
    if "traceback" in output:
        return [fenced("\n".join(output["traceback"]), "{ .text .output }")]
    data = output.get("data", {})
    for kind, ending in (("image/svg+xml", "svg"), ("image/png", "png")):
        if kind in data:
            file = f"{name}_{len(pictures)}.{ending}"
            pictures[file] = joined(data[kind]).encode() if ending == "svg" else base64.b64decode(joined(data[kind]))
            return [f"![Output of the cell above]({file})"]
    if "text/html" in data:
        html = re.sub(r"<style.*?</style>", "", joined(data["text/html"]), flags=re.DOTALL)
        return [re.sub(r"<table[^>]*>", "<table>", html)]  # tables look like those of other pages
    return [fenced(data["text/plain"], "{ .text .output }")] if "text/plain" in data else []


def page_of(notebook):
    """Its page as Markdown, and its pictures: name and content."""
    parts, pictures = [], {}
    for cell in json.loads(notebook.read_text())["cells"]:
        if cell["cell_type"] == "markdown":
            parts.append(joined(cell["source"]))
        elif cell["cell_type"] == "code" and joined(cell["source"]).strip():
            parts.append(fenced(cell["source"], "python"))
            parts += [part for output in cell["outputs"] for part in output_parts(output, notebook.stem, pictures)]
    parts.append(f"This page is the notebook [{notebook.name}]({notebook.name}).")
    return "\n\n".join(parts) + "\n", pictures


def on_config(config):
    if pages := [f"notebooks/{notebook.stem}.md" for notebook in notebooks()]:
        after_guides = 1 + next(i for i, item in enumerate(config.nav) if "Guides" in item)
        config.nav.insert(after_guides, {"Notebooks": pages})


def on_files(files, config):
    for notebook in notebooks():
        text, pictures = page_of(notebook)
        files.append(File.generated(config, f"notebooks/{notebook.stem}.md", content=text))
        for name, content in pictures.items():
            files.append(File.generated(config, f"notebooks/{name}", content=content))
    return files
