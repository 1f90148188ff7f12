"""MkDocs hooks: the site as the repository has it.

The root's Markdown files become pages. Links are written for the repository (../../NOTATION.md,
../robots/hexapod.yaml) and are turned into links of the site: to pages, to copies of data files, to the C++
reference; a link to anything else becomes the file's name. A label such as (C3) at the end of a line in an equation
block gets an anchor, and mentions of it become links: to the same page, else to the page linked in the same
sentence, else to the one page that has it.
"""

import posixpath
import re
import xml.etree.ElementTree as xml
from pathlib import Path

from mkdocs.structure.files import File

ROOT = Path(__file__).resolve().parent.parent.parent
ROOT_PAGES = {
    "README.md": "index.md",
    "ARCHITECTURE.md": "architecture.md",
    "NOTATION.md": "notation.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
}
TAGS = ROOT / "build/cpp/gough.tag"  # of Doxygen: where each header's page is
DATA = {".yaml", ".csv", ".json", ".ipynb"}  # files that are copied where a page names them

FENCE = re.compile(r"^( *)(```+)[^\n]*\n(.*?)^\1\2 *$", re.MULTILINE | re.DOTALL)
INDENTED = re.compile(r"(?<=\n\n)(?: {4}[^\n]*\n+)+")
SPAN = re.compile(r"(`+)(?!`)(?:.*?[^`])\1(?!`)", re.DOTALL)
LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s]+)([^)]*)\)")
LABEL = r"[A-Z]\d+[a-z]?"
MENTION = re.compile(rf"\(({LABEL})\)")
APART = re.compile(rf"(?<=  )\(({LABEL})\)(?= *$)", re.MULTILINE)  # at the end of a line, away from its words
SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z(`\[])|\n\n+|\n(?=\|)|\n(?=- )")

headers = {}  # include/gough/model/joint.hpp: cpp/joint_8hpp.html
labels = {}  # docs/theory/closure.md: {"C1", "C2", ..}
all_files = None


def site_path(path):
    """Where a file of the repository stands on the site, or None."""
    if path in ROOT_PAGES:
        return ROOT_PAGES[path]
    return path.removeprefix("docs/") if path.startswith("docs/") else None


def repository_path(uri):
    return next((path for path, page in ROOT_PAGES.items() if page == uri), "docs/" + uri)


def definitions(text):
    """Labels that stand apart at the end of a line, or end a line of an equation block."""
    found = [re.findall(rf"\(({LABEL})\) *$", body, re.MULTILINE) for _, _, body in FENCE.findall(text)]
    return {label for block in found for label in block} | set(APART.findall(text))


def on_files(files, config):
    global all_files
    all_files = files
    for path, uri in ROOT_PAGES.items():
        files.append(File.generated(config, uri, abs_src_path=str(ROOT / path)))
    for page in ROOT.glob("docs/theory/*.md"):
        labels[page.relative_to(ROOT).as_posix()] = definitions(page.read_text())
    if TAGS.exists():
        for compound in xml.parse(TAGS).iter("compound"):
            if compound.get("kind") == "file":
                header = compound.findtext("path") + compound.findtext("name")
                headers[header[header.find("include/gough/") :]] = "cpp/" + compound.findtext("filename")
    return files


def on_page_markdown(markdown, page, config, files):
    if page.parent is None:
        page.meta["hide"] = ["navigation"]  # a tab of one page
    here = repository_path(page.file.src_uri)
    return outside_code(markdown, lambda prose: link_files(link_labels(apart_lists(prose), here), here, config))


def apart_lists(prose):
    """A list right below a paragraph is one for code hosting sites; Python-Markdown wants an empty line."""
    return re.sub(r"^((?![-|#>])\S.*)\n(?=- )", r"\1\n\n", prose, flags=re.MULTILINE)


def outside_code(markdown, change):
    """The text with `change` done to all but blocks and spans of code."""
    kept = []

    def keep(match):
        kept.append(match.group())
        return f"\0{len(kept) - 1}\0"

    prose = change(SPAN.sub(keep, INDENTED.sub(keep, FENCE.sub(keep, markdown))))
    while "\0" in prose:
        prose = re.sub(r"\0(\d+)\0", lambda match: kept[int(match[1])], prose)
    return prose


def target_of(link, here):
    """The file of the repository that a link on the page `here` means, and the anchor; None for links elsewhere."""
    path, _, anchor = link.partition("#")
    if re.match(r"\w+:", link) or not path:
        return None, anchor
    return posixpath.normpath(posixpath.join(posixpath.dirname(here), path)), anchor


def link_labels(prose, here):
    prose = APART.sub(r'<span class="label" id="\1">(\1&#41;</span>', prose)  # an equation without a block
    parts = SENTENCE_END.split(prose)
    gaps = [match.group() for match in SENTENCE_END.finditer(prose)] + [""]
    return "".join(link_sentence(part, here) + gap for part, gap in zip(parts, gaps))


def link_sentence(sentence, here):
    linked = {target_of(link[3], here)[0] for link in LINK.finditer(sentence)}

    def page_of(label):
        if label in labels.get(here, ()):
            return here
        near = [page for page in linked if label in labels.get(page, ())]
        anywhere = [page for page in labels if label in labels[page]]
        return near[0] if len(near) == 1 else anywhere[0] if not near and len(anywhere) == 1 else None

    def to_label(match):
        page = page_of(match[1])
        if page is None or (match.start() and sentence[match.start() - 1] == "["):
            return match.group()
        path = "" if page == here else posixpath.relpath(page, posixpath.dirname(here) or ".")
        return f"[({match[1]})]({path}#{match[1]})"

    def label_link(match):  # [(K5)](theory/control.md) points to the equation
        _, text, link, rest = match.groups()
        if (label := MENTION.fullmatch(text)) and label[1] in labels.get(target_of(link, here)[0], ()):
            return f"[{text}]({link.partition('#')[0]}#{label[1]}{rest})"
        return match.group()

    pieces, end = [], 0
    for link in LINK.finditer(sentence):
        pieces += [MENTION.sub(to_label, sentence[end : link.start()]), label_link(link)]
        end = link.end()
    return "".join(pieces) + MENTION.sub(to_label, sentence[end:])


def link_files(prose, here, config):
    folder = posixpath.dirname(site_path(here))

    def rewrite(match):
        mark, text, link, rest = match.groups()
        path, anchor = target_of(link, here)
        if path is None:
            return match.group()
        uri = site_path(path)
        if uri is None or all_files.get_file_from_path(uri) is None:
            uri = copied(path, config)
        if uri is None:
            return text if text.strip("`\0") == path or "\0" in text else f"{text} (`{path}`)"
        return f"{mark}[{text}]({posixpath.relpath(uri, folder or '.')}{'#' + anchor if anchor else ''}{rest})"

    return LINK.sub(rewrite, prose)


def copied(path, config):
    """The site's copy of a data file of the repository, or None."""
    if Path(path).suffix not in DATA or path.startswith(("build/", "results/")) or not (ROOT / path).is_file():
        return None
    uri = "files/" + path
    if all_files.get_file_from_path(uri) is None:
        all_files.append(File.generated(config, uri, abs_src_path=str(ROOT / path)))
    return uri


def on_page_content(html, page, config, files):
    """Names of files become links; labels get their anchors."""
    folder = posixpath.dirname(page.file.src_uri)

    def file_link(match):
        path = match[1]
        uri = (
            path.removeprefix("build/site/")
            if path.startswith("build/site/")
            else headers.get(path) or copied(path, config)
        )
        return (
            match.group() if uri is None else f'<a href="{posixpath.relpath(uri, folder or ".")}">{match.group()}</a>'
        )

    html = re.sub(r"<code>([\w./-]+\.\w+)</code>(?![^<]*</a>)", file_link, html)
    return anchored(html)


def anchored(html):
    """A label's place is the first line that it ends, away from the words; else the first one that it ends at all."""
    placed = set()

    def place(match):
        if match[1] in placed:
            return match.group()
        placed.add(match[1])
        return f'<span class="label" id="{match[1]}">{match.group()}</span>'

    for distance in ("  ", ""):
        ends = re.compile(rf"(?<={distance})\(({LABEL})\)(?= *(?:\n|</code>))")
        html = re.sub(r"<pre>.*?</pre>", lambda block: ends.sub(place, block.group()), html, flags=re.DOTALL)
    return html
