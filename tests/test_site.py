"""The site of the documentation: every page has its place, and a broken site is found."""

from __future__ import annotations

from pathlib import Path

import doc_links
import pytest
import site_check
import site_hooks
import yaml

PROJECT = Path(__file__).parent.parent


def places(entry: object) -> list[str]:
    """The pages of a navigation, in order."""
    if isinstance(entry, dict):
        return [page for inner in entry.values() for page in places(inner)]
    return (
        [page for inner in entry for page in places(inner)]
        if isinstance(entry, list)
        else [str(entry)]
    )


def test_every_page_is_in_the_navigation_once():
    config = yaml.safe_load((PROJECT / "mkdocs.yml").read_text(encoding="utf-8"))
    assert sorted(places(config["nav"])) == sorted(map(site_hooks.site_path, doc_links.pages()))


def test_a_page_of_the_site_knows_its_file():
    for page in doc_links.pages():
        assert site_hooks.repository_path(site_hooks.site_path(page)) == page


def test_a_file_that_a_page_links_to_is_shown_whole():
    linked = site_hooks.linked_files()
    assert "tests/test_no_network.py" in linked
    for path in linked:
        page = site_hooks.shown(path)
        place = PROJECT / path
        assert page.startswith(f"# {path}")
        assert place.is_dir() or place.read_text(encoding="utf-8") in page


WHOLE = """<link rel="canonical" href="https://example.com/"><link rel="stylesheet" href="a.css">
<h1 id="top">A</h1> <a href="b.html#there">b</a> <a href="#top">up</a> <a href="https://example.com">out</a>"""


@pytest.fixture
def site(tmp_path: Path) -> Path:
    (tmp_path / "index.html").write_text(WHOLE)
    (tmp_path / "b.html").write_text('<h2 id="there">B</h2> <a href="./">home</a>')
    (tmp_path / "a.css").write_text("body { color: teal }")
    return tmp_path


def test_a_whole_site_has_no_problems(site: Path):
    assert site_check.problems(site) == []


@pytest.mark.parametrize(
    ("file", "text", "problem"),
    [
        ("c.html", '<a href="d.html">d</a>', "c.html: d.html: no file d.html"),
        ("c.html", '<a href="b.html#x">b</a>', "c.html: b.html#x: no anchor #x in b.html"),
        ("c.html", '<img src="no.png">', "c.html: no.png: no file no.png"),
        ("c.html", '<script src="//cdn.test/a.js">', "c.html: asks another host: //cdn.test/a.js"),
        (
            "a.css",
            "@import 'https://f.test/f.css';",
            "a.css: asks another host: @import 'https://f.test/f.css",
        ),
    ],
)
def test_what_is_wrong_with_a_site_is_named(site: Path, file: str, text: str, problem: str):
    (site / file).write_text(text)
    assert site_check.problems(site) == [problem]


def test_a_folder_without_pages_is_no_site(tmp_path: Path):
    assert site_check.main(str(tmp_path)) == 1
