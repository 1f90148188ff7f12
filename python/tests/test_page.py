"""Pages: whole, self-contained, and safe to show in a notebook."""

from __future__ import annotations

import base64
import json
import webbrowser
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import gough
import numpy as np
import pytest
from conftest import ROOT, shipped

pytestmark = pytest.mark.skipif(
    not gough.has_report_page(), reason="built without the report's page (GOUGH_VIEWER=OFF)"
)

EVIL = "</script><script>alert(1)</script><img src=x onerror=alert(2)>\"'&<!--"
VOID = {"meta", "link", "br", "hr", "img", "input"}


class Reader(HTMLParser):
    """Elements in their order, and whether they nest."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)
        if tag == "script":
            self.scripts.append("")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] == "script":
            self.scripts[-1] += data


def data_of(page: gough.Page) -> Any:
    reader = Reader(page.html)
    scripts = [a for tag, a in reader.elements if tag == "script"]
    where = next(i for i, a in enumerate(scripts) if a.get("id") == "data")
    return json.loads(reader.scripts[where])


def numbers(packed: dict[str, Any]) -> np.ndarray:
    return np.frombuffer(base64.b64decode(packed["base64"]), dtype={"f64": "<f8", "f32": "<f4"}[packed["type"]])


@pytest.fixture(scope="module")
def page() -> gough.Page:
    return shipped("hexapod").show("motions/hexapod_circle.yaml", step=0.1)


def test_a_page_is_one_document_that_needs_no_network(page: gough.Page) -> None:
    reader = Reader(page.html)
    assert page.html.lower().startswith("<!doctype html>")
    assert reader.open == []
    assert [t for t, _ in reader.elements].count("html") == 1
    for tag, attributes in reader.elements:
        for name in ("src", "href"):
            assert not (attributes.get(name) or "").startswith(("http:", "https:", "//")), tag
    policy = next(a["content"] for t, a in reader.elements if a.get("http-equiv") == "Content-Security-Policy")
    assert "default-src 'none'" in str(policy)


def test_a_page_has_the_states_of_its_motion(page: gough.Page, hexapod: gough.Robot) -> None:
    data = data_of(page)
    assert data["title"] == "hexapod"
    assert numbers(data["frames"]["x"]) == pytest.approx(np.linspace(0, 2, 21), abs=1e-9)
    text = json.dumps(data)
    for actuator in hexapod.actuators:
        assert actuator in text


def test_pages_of_all_robots_can_be_made() -> None:
    for file in sorted((ROOT / "robots").glob("*.yaml")):
        robot = shipped(file.stem)
        assert data_of(robot.show())["title"] == robot.name


def test_a_simulation_shows_itself(pendulum: gough.Robot) -> None:
    run = pendulum.simulate(0.5, step=0.1)
    data = data_of(run.show(height=300))
    assert data["title"] == "pendulum"
    assert numbers(data["frames"]["x"]) == pytest.approx(run.table["t"], abs=1e-9)
    assert "height: 300px" in run.show(height=300)._repr_html_()


def evil_robot() -> gough.Robot:
    text = (ROOT / "robots/pendulum.yaml").read_text()
    return gough.Robot.from_text(text.replace("robot: pendulum", "robot: " + json.dumps(EVIL[:80])))


@pytest.mark.parametrize("show", ["home", "motion", "simulation"])
def test_a_name_cannot_break_out_of_its_page(show: str) -> None:
    robot = evil_robot()
    name = EVIL[:80]
    assert robot.name == name
    if show == "home":
        page = robot.show()
    elif show == "motion":
        page = robot.show({"motion": EVIL, "moves": "actuators", "line": {"to": {"swing": 1}, "duration": "1 s"}})
    else:
        page = robot.simulate(0.1, step=0.1).show()
    innocent = shipped("pendulum").show()
    assert data_of(page)["title"] == name
    ours, theirs = ([tag for tag, _ in Reader(p.html).elements] for p in (page, innocent))
    assert ours == theirs  # not one element more
    assert "<script>alert" not in page.html


def test_a_notebook_shows_a_page_in_a_frame_that_can_do_nothing_to_it() -> None:
    page = evil_robot().show()
    reader = Reader(page._repr_html_())
    assert [tag for tag, _ in reader.elements] == ["iframe"]
    frame = reader.elements[0][1]
    assert frame["sandbox"] == "allow-scripts"  # above all not allow-same-origin
    assert frame["srcdoc"] == page.html
    assert "onload" not in frame


def test_a_page_is_saved_as_it_is(page: gough.Page, tmp_path: Path) -> None:
    file = page.save(tmp_path / "report.html")
    assert file == tmp_path / "report.html"
    assert file.read_text(encoding="utf-8") == page.html


def test_a_page_opens_in_a_browser(page: gough.Page, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    file = page.open()
    assert opened == [file.as_uri()]
    assert file.read_text(encoding="utf-8") == page.html
    file.unlink()
    file.parent.rmdir()


def test_a_page_says_what_it_is(page: gough.Page) -> None:
    assert (
        repr(page) == f"<page of {len(page.html) / 1e6:.1f} MB: .save(file) writes it, .open() shows it in a browser>"
    )


def test_a_motion_out_of_reach_has_no_page(five_bar: gough.Robot) -> None:
    with pytest.raises(gough.Failure, match="unreachable"):
        five_bar.show("motions/hexapod_circle.yaml")


def test_a_study_writes_its_page(tmp_path: Path) -> None:
    result = gough.run("studies/psp3.yaml", tmp_path / "out")
    assert result.ok
    assert Path(result.folder) == tmp_path / "out"
    assert {"report.html", "result.json"} <= {Path(f).name for f in result.files}
    assert (tmp_path / "out/report.html").read_text(encoding="utf-8").lower().startswith("<!doctype html>")
    assert str(result).startswith("study psp3")
