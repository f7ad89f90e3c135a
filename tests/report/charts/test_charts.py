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
from ragstone.report.charts.plot import STYLES, Line, Panel, Point, plot
from ragstone.report.charts.scale import even
from ragstone.report.text import HIDDEN

SVG = "{http://www.w3.org/2000/svg}"
Chart = Callable[[str, float], str]


def a_heatmap(text: str, share: float) -> str:
    square = Square(shapes.PASS, share, text, text)
    rows = [Row(text, {("a", "1"): square, ("b", "1"): square}, text)]
    columns = [("a", "1"), ("b", "1")]
    key = [(text, square)]
    return heatmap(rows, columns, side=14, key=key, row_title=text, column_title=text)


def a_plot(text: str, share: float) -> str:
    axis = even(0, 1, 5, title=text)
    ends = (share / 2, (1 + share) / 2)
    point = Point(share, share, ends, ends, "1", text)
    line = Line(((0.0, share), (1.0, 1.0)), dotted=True)
    panel = Panel(axis, axis, (line,), (point,), text)
    return plot([panel, panel], key=[(text, line)], legend=[(text, point)], legend_width=200)


CHARTS: dict[str, Chart] = {
    "dots": lambda text, share: dots(
        [DotRow(text), DotRow(text, (Dot(share, (0.0, share), hollow=True), Dot(None)), text)],
        text,
        text,
    ),
    "bars": lambda text, share: bars([Bar(text, share, text), Bar(text, 0.0, depth=1)]),
    "histogram": lambda text, share: histogram(
        [0, 3, round(10 * share)],
        even(0, 1, 5, title=text),
        [Band(text, 0.0, share, shapes.PASS_ZONE)],
    ),
    "heatmap": a_heatmap,
    "plot": a_plot,
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
    allowed = {"svg", "g", "title", "rect", "circle", "polyline", "text"}
    assert {each.tag.removeprefix(SVG) for each in root.iter()} <= allowed
    assert drawn == CHARTS[chart](text, share)


@pytest.mark.parametrize("chart", CHARTS)
@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_everything_is_drawn_on_the_paper(chart: str, share: float) -> None:
    root = ElementTree.fromstring(CHARTS[chart]("R@5", share))
    width, height = float(root.get("width", "")), float(root.get("height", ""))
    for shape in root.iter(f"{SVG}rect"):
        x, y, wide, tall = (float(shape.get(k, "")) for k in ("x", "y", "width", "height"))
        if shape.get("x") != "4":  # the sign of a key is drawn at 0 and then moved
            assert 0 <= x <= x + wide <= width
            assert 0 <= y <= y + tall <= height
    for line in root.findall(f"{SVG}polyline"):
        for pair in line.get("points", "").split():
            x, y = (float(each) for each in pair.split(","))
            assert 0 <= x <= width
            assert 0 <= y <= height


def test_a_cut_name_is_whole_in_its_tooltip() -> None:
    drawn = dots([DotRow("a" * 60, (Dot(0.5),))], "full", "hollow")
    assert f"<title>{'a' * 60}</title>{'a' * 23}…</text>" in drawn


def test_numbers_beyond_one_get_an_axis_that_holds_them() -> None:
    drawn = dots([DotRow("p95", (Dot(1840.0),))], "full", "hollow")
    assert ">2500</text>" in drawn


def test_lines_leave_red_and_green_to_good_and_bad() -> None:
    assert {color for color, _ in STYLES}.isdisjoint({shapes.PASS, shapes.FAIL})
    assert len(set(STYLES)) == len(STYLES)
