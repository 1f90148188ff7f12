#!/usr/bin/env python3
"""Checks a built site: check_site.py FOLDER. Every link within it leads to a file and an anchor that are there, and no
page takes a script, style, picture or font from a network.
"""

import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

TAKEN = {
    "script": "src",
    "img": "src",
    "link": "href",
    "iframe": "src",
    "source": "src",
    "object": "data",
    "video": "src",
    "image": "href",
}
NEVER_THERE = {"#nested-classes"}  # Doxygen links to it where all nested types are private
URL_IN_STYLE = re.compile(r"""url\(\s*['"]?([^'")]+)['"]?\s*\)|@import\s+['"]([^'"]+)""")


class Page(HTMLParser):
    """The anchors of a page, its links, and what it takes in."""

    def __init__(self, text):
        super().__init__()
        self.anchors, self.links, self.taken = set(), [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self.anchors.update(value for key, value in attributes if key == "id" or (key == "name" and tag == "a"))
        if tag in ("a", "area") and found.get("href"):
            self.links.append(found["href"])
        rel = (found.get("rel") or "").split()
        if tag in TAKEN and found.get(TAKEN[tag]) and "canonical" not in rel:
            self.taken.append(found[TAKEN[tag]])
        self.taken += [first or second for first, second in URL_IN_STYLE.findall(found.get("style") or "")]


def is_elsewhere(link):
    return link.startswith("//") or urlsplit(link).scheme in ("http", "https", "ftp")


def is_within(link):
    return not urlsplit(link).scheme and not link.startswith(("//", "#__")) and link not in {"#", *NEVER_THERE}


class Site:
    def __init__(self, root):
        self.root = root
        self.pages = {path: Page(path.read_text(errors="replace")) for path in sorted(root.rglob("*.html"))}

    def missing(self, page, link):
        """What a link from a page lacks: its file, its anchor, or nothing ("")."""
        parts = urlsplit(link)
        target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
        if self.root not in (target, *target.parents):
            return "leads out of the site"
        if not target.is_file():
            return "no such file"
        if parts.fragment and target in self.pages and unquote(parts.fragment) not in self.pages[target].anchors:
            return "no such anchor"
        return ""

    def problems(self):
        for path, page in self.pages.items():
            if path.name == "404.html":
                continue  # its links are meant for a server's root
            for link in page.links + page.taken:
                if is_within(link) and (why := self.missing(path, link)):
                    yield f"{path.relative_to(self.root)}: {link}: {why}"
            for link in page.taken:
                if is_elsewhere(link):
                    yield f"{path.relative_to(self.root)}: takes {link} from a network"
        for path in sorted(self.root.rglob("*.css")):
            for first, second in URL_IN_STYLE.findall(path.read_text(errors="replace")):
                link = first or second
                if is_elsewhere(link):
                    yield f"{path.relative_to(self.root)}: takes {link} from a network"


def check_the_check():
    page = Page(
        '<a href="b.html#x">b</a><p id="y"><img src="https://none/a.png"><div style="background: url(//none/b)">'
    )
    assert page.links == ["b.html#x"] and page.anchors == {"y"}, (page.links, page.anchors)
    assert page.taken == ["https://none/a.png", "//none/b"] and all(map(is_elsewhere, page.taken)), page.taken
    assert (
        is_within("../a.css")
        and not is_elsewhere("../a.css")
        and not is_within("data:x")
        and not is_elsewhere("data:x")
    )


def main(arguments):
    if len(arguments) != 1:
        sys.exit(__doc__)
    check_the_check()
    site = Site(Path(arguments[0]).resolve())
    found = sorted(set(site.problems()))
    print(
        "\n".join(found)
        if found
        else f"{len(site.pages)} pages, every link leads somewhere, nothing comes from a network"
    )
    return 1 if found or not site.pages else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
