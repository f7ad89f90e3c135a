"""What holds for every chart: well-formed, safe, on the paper, and drawn for any data."""

from collections.abc import Callable
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from report.report_builder import NASTY

from ragstone.report.charts import shapes
from ragstone.report.charts.bars import Band, Bar, bars, histogram
from ragstone.report.charts.dots import Dot, dots
from ragstone.report.charts.dots import Row as DotRow
from ragstone.report.charts.heatmap import Row, Square, heatmap
from ragstone.report.charts.plot import STYLES, Limit, Line, Panel, Point, dot, plot
from ragstone.report.charts.ranked import Ranked, ranked
from ragstone.report.charts.scale import near
from ragstone.report.text import HIDDEN

SVG = "{http://www.w3.org/2000/svg}"
Chart = Callable[[str, float], str]


def a_heatmap(text: str, share: float) -> str:
    square = Square(shapes.PASS, share, text, text)
    signs = {("b", "1"): Square(shapes.FAIL, sign="cross"), ("c", "1"): square}
    rows = [Row(text, {("a", "1"): square, **signs}, text)]
    columns = [("a", "1"), ("b", "1"), ("c", "1")]
    key = [(text, square), (text, Square(shapes.PASS, sign="dot"))]
    return heatmap(rows, columns, side=14, key=key, row_title=text, column_title=text)


def a_plot(text: str, share: float) -> str:
    axis = near([0.0, 1.0], 5, text)
    ends = (share / 2, (1 + share) / 2)
    points = (Point(share, share, ends, ends, 1.0, text, text), Point(share, share, label="2"))
    line = Line(((0.0, share), (1.0, 1.0)), dotted=True, name=text)
    limits = (Limit(share, text), Limit(share, text, upright=True))
    panel = Panel(axis, axis, (line,), points, limits, text)
    sign = dot(10, 0, Point())
    return plot([panel, panel], key=[(text, sign)], legend=[(text, sign)])


CHARTS: dict[str, Chart] = {
    "dots": lambda text, share: dots(
        [DotRow(text), DotRow(text, (Dot(share, (0.0, share), hollow=True), Dot(None)), text)],
        text,
        text,
        zero=text,
    ),
    "bars": lambda text, share: bars([Bar(text, share, text), Bar(text, 0.0, depth=1)]),
    "histogram": lambda text, share: histogram(
        [0, 3, round(10 * share)],
        near([0.0, 1.0], 5, text),
        [Band(text, 0.0, share, shapes.PASS_ZONE)],
        counted=text,
    ),
    "heatmap": a_heatmap,
    "plot": a_plot,
    "ranked": lambda text, share: ranked(
        [Ranked(1.0, (share, 1.0), text), Ranked(share, None, text, marked=True)],
        words=text,
        full=text,
        hollow=text,
    ),
}


@pytest.mark.parametrize("chart", CHARTS)
@settings(max_examples=25, deadline=None)
@given(
    text=st.sampled_from([each[:3000] for each in NASTY]) | st.text(max_size=30),
    share=st.floats(0, 1),
)
def test_any_text_and_share_is_drawn_as_safe_xml(chart: str, text: str, share: float) -> None:
    drawn = CHARTS[chart](text, share)
    assert HIDDEN.findall(drawn) == []
    root = ElementTree.fromstring(drawn)
    allowed = {"svg", "g", "title", "rect", "circle", "line", "text"}
    assert {each.tag.removeprefix(SVG) for each in root.iter()} <= allowed
    assert drawn == CHARTS[chart](text, share)


@pytest.mark.parametrize("chart", CHARTS)
@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_everything_is_drawn_on_the_paper(chart: str, share: float) -> None:
    root = ElementTree.fromstring(CHARTS[chart]("R@5", share))
    for shape in root.iter():
        for name in ("x", "x1", "x2", "cx", "width"):
            place = shape.get(name, "")
            if place.endswith("%"):
                assert 0 <= float(place[:-1]) <= 100


@pytest.mark.parametrize("chart", CHARTS)
def test_no_words_are_smaller_than_a_person_reads(chart: str) -> None:
    root = ElementTree.fromstring(CHARTS[chart]("R@5", 0.5))
    # A drawing that is scaled has a viewBox, and its words shrink with it.
    assert not any(each.get("viewBox") for each in root.iter())
    for words in root.iter(f"{SVG}text"):
        size = words.get("style", "").partition("font-size:")[2].partition("px")[0]
        assert float(size) >= 11


def test_a_long_name_is_whole_in_its_tooltip() -> None:
    name = "configuration_md.environment-variables-and-secrets"
    assert f"<title>{name}</title>" in dots([DotRow(name, (Dot(0.5),))], "full")
    longer = 4 * name
    drawn = dots([DotRow(longer, (Dot(0.5),))], "full")
    assert f"<title>{longer}</title>" in drawn
    assert f"{longer[: shapes.LONGEST - 1]}…</text>" in drawn


def test_points_at_one_place_are_rings_around_one_another() -> None:
    axis = near([0.0, 1.0])
    same = tuple(Point(0.5, 0.5, title=name) for name in "abc")
    drawn = plot([Panel(axis, axis, points=same)])
    root = ElementTree.fromstring(drawn)
    radii = [each.get("r") for each in root.iter(f"{SVG}circle")]
    assert radii == ["6", "9", "13"]


def test_numbers_beyond_one_get_an_axis_that_holds_them() -> None:
    drawn = dots([DotRow("p95", (Dot(1840.0), Dot(0.0)))], "full")
    assert ">2,000</text>" in drawn


def test_small_differences_fill_their_axis() -> None:
    """A difference of a few hundredths is not one dot at the edge of an axis from 0 to 1."""
    drawn = dots([DotRow("R@5", (Dot(-0.02, (-0.06, 0.01)),))], "full", zero="no change")
    assert "-0.06" in drawn
    assert ">1.0" not in drawn


def test_lines_leave_red_and_green_to_good_and_bad() -> None:
    assert {color for color, _ in STYLES}.isdisjoint({shapes.PASS, shapes.FAIL})
    assert len(set(STYLES)) == len(STYLES)
