import base64
import hashlib
import re
from dataclasses import replace
from html.parser import HTMLParser
from importlib.resources import files

import pytest
from report.report_builder import NASTY, PICTURE, ROWS, bare, nasty, passing, report

from ragstone.report.document.blocks import Offender, Offenders, Table
from ragstone.report.formats import html_page
from ragstone.report.model import Report

TEMPLATES = files("ragstone.report.formats") / "templates"
CSS = (TEMPLATES / "report.css").read_text(encoding="utf-8")
SCRIPT = (TEMPLATES / "report.js").read_text(encoding="utf-8")
HASH = base64.b64encode(hashlib.sha256(SCRIPT.encode()).digest()).decode()
POLICY = f"default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src 'sha256-{HASH}'"


class Page(HTMLParser):
    """The tags, attributes and text of a page, and whether its tags close in order."""

    VOID = frozenset({"meta", "link", "br", "hr", "img", "input"})

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.open: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    @property
    def text(self) -> str:
        return "".join(self.texts)


def card(row: Offender) -> str:
    return html_page.render(report(blocks=(Offenders("Offenders", (row,), 1),)))


@pytest.mark.parametrize("shown", [report(), passing(), bare(), nasty()])
def test_the_page_is_well_formed_and_asks_for_nothing(shown: Report) -> None:
    page = Page(html_page.render(shown))
    assert page.open == []
    scripts = [attributes for tag, attributes in page.tags if tag == "script"]
    assert scripts == [{"type": "application/json", "id": "data"}, {}]
    assert page.text.count(SCRIPT) == 1
    names = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
    assert len(names) == len(set(names))
    for _, attributes in page.tags:
        link = attributes.get("href", "data:,") or ""
        assert link == "data:," or link.removeprefix("#") in names
        assert not attributes.keys() & {"src", "srcset", "style", "action"}
        assert not [name for name in attributes if name.startswith("on")]
    assert "@import" not in CSS
    assert "url(" not in CSS


def test_a_strict_policy_stands_in_the_head() -> None:
    page = Page(html_page.render(report()))
    assert ("meta", {"http-equiv": "Content-Security-Policy", "content": POLICY}) in page.tags


@pytest.mark.parametrize("text", [each for each in NASTY if len(each) < 1000])
def test_what_the_data_says_is_text(text: str) -> None:
    page = Page(html_page.render(nasty(text)))
    # A warning of two lines is a remedy and the line to copy, which stands on its own.
    known = {tag for tag, _ in Page(html_page.render(nasty("calm\nday"))).tags}
    assert {tag for tag, _ in page.tags} <= known
    assert page.text.count("rejects null keys") == 5


def test_the_gold_substring_is_marked_whatever_its_case() -> None:
    assert "<mark>rejects NULL keys</mark>" in html_page.render(report())


def test_markup_inside_a_mark_is_escaped() -> None:
    row = replace(ROWS[0], claim="see <b>bold</b> now", gold_claim_substr=("<b>BOLD</b>",))
    assert "<mark>&lt;b&gt;bold&lt;/b&gt;</mark>" in card(row)


def test_citations_say_whether_they_are_gold_and_whether_they_were_retrieved() -> None:
    text = card(
        replace(
            ROWS[0],
            gold_citations=("g1", "g2"),
            citations=("g1", "g2", "x1", "x2"),
            retrieved_ids=("g1", "x1"),
        )
    )
    assert '<li class="gold"><bdi>g1</bdi><small>gold</small></li>' in text
    assert (
        '<li class="gold unscoped"><bdi>g2</bdi><small>gold</small><small>not retrieved</small>'
        in text
    )
    assert "<li><bdi>x1</bdi></li>" in text
    assert '<li class="unscoped"><bdi>x2</bdi><small>not retrieved</small></li>' in text


def test_a_row_without_a_claim_says_so() -> None:
    assert "There is no claim." in card(ROWS[3])
    assert "The claim is empty." in card(replace(ROWS[3], claim=""))


def test_each_gate_is_drawn_with_its_interval_and_threshold() -> None:
    text = html_page.render(report())
    assert 'aria-label="precision: 0.7241, 95 % interval 0.6222 to 0.8073, threshold ≥ 0.8"' in text
    assert '<circle class="point" cx="49.66%"' in text
    assert '<rect class="interval" x="8.88%" y="3" width="74.04%"' in text
    assert '<line class="limit" x1="80.0%" x2="80.0%"' in text


def test_every_metric_carries_its_meaning() -> None:
    text = Page(html_page.render(report())).text
    for measured in report().metrics.values():
        assert measured.metric.says in text


def test_the_funnel_shows_what_was_lost() -> None:
    assert "−16 lost" in Page(html_page.render(report())).text


def test_a_picture_of_ours_is_put_in_as_it_is() -> None:
    assert PICTURE.svg in html_page.render(report())


def test_lists_and_tables_have_an_end() -> None:
    rows = tuple(replace(ROWS[0], qid=f"Q{n}", citations=("c",) * 200) for n in range(600))
    table = Table("Slices", ("tags",), tuple((f"t{n}",) for n in range(1200)))
    text = html_page.render(report(blocks=(Offenders("Offenders", rows, 700), table)))
    assert text.count('class="card"') == 500
    assert "200 more rows are not shown; --all -o FILE.json writes every one." in text
    assert "and 150 more" in text


def test_paths_and_lines_stay_out_of_the_page() -> None:
    assert ".jsonl" not in html_page.render(report())


def colors(css: str) -> dict[str, str]:
    return dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", css))


def contrast(one: str, other: str) -> float:
    """The ratio of WCAG 2.1, from relative luminance."""

    def luminance(color: str) -> float:
        parts = [int(color[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        linear = [
            each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4 for each in parts
        ]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


TEXT_ON = [
    *((ink, ground) for ink in ("ink", "muted") for ground in ("paper", "panel", "chip")),
    *((ink, f"{tone}-tint") for tone in ("pass", "fail", "hold") for ink in ("ink", "muted", tone)),
    *((tone, ground) for tone in ("pass", "fail", "hold") for ground in ("paper", "panel")),
    ("mark-ink", "mark"),
]
DRAWN_ON = [("bar", "paper"), ("bar", "rail"), ("ink", "rail"), ("fail", "rail"), ("pass", "rail")]


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_text_and_drawings_can_be_told_from_their_ground(mode: str) -> None:
    light, dark = CSS.split("prefers-color-scheme: dark", 1)
    palette = colors(light) if mode == "light" else colors(light) | colors(dark.split("\n}\n")[0])
    for ink, ground in TEXT_ON:
        assert contrast(palette[ink], palette[ground]) >= 4.5, (ink, ground)
    for ink, ground in DRAWN_ON:
        assert contrast(palette[ink], palette[ground]) >= 3, (ink, ground)
