"""Words in charts do not cover one another, at any width that a drawing can have."""

from itertools import combinations, pairwise

from hypothesis import given
from hypothesis import strategies as st

from ragstone.report.charts.labels import Box, around, place, thinned
from ragstone.report.charts.plot import GUTTER, RIGHT, spread
from ragstone.report.charts.scale import near
from ragstone.report.charts.shapes import NARROW, WIDE, width_of

SHARES = st.floats(0, 1)
MARGINS = GUTTER + RIGHT
HEIGHT = 220.0


def edges(box: Box, width: float) -> tuple[float, float]:
    """Where a box begins and ends in a drawing of this width."""
    inner = width - MARGINS
    return box.share * inner + box.left, box.share * inner + box.right


def meet(one: Box, two: Box, width: float) -> bool:
    (left, right), (start, end) = edges(one, width), edges(two, width)
    across = left < end - 1e-6 and start < right - 1e-6
    return across and one.top < two.bottom and two.top < one.bottom


@given(
    st.lists(
        st.tuples(SHARES, SHARES, st.text("0123456789k=", min_size=1, max_size=8)), max_size=30
    ),
    st.floats(NARROW, WIDE),
)
def test_labels_beside_points_cover_nothing_at_any_width(
    points: list[tuple[float, float, str]], width: float
) -> None:
    dots = [around(share, HEIGHT * up, 6) for share, up, _ in points]
    taken, labels = list(dots), []
    for share, up, words in points:
        found = place(
            share,
            HEIGHT * up,
            words,
            taken,
            size=12,
            margins=MARGINS,
            left=0,
            right=RIGHT,
            top=-8,
            bottom=HEIGHT + 8,
        )
        if found:
            taken.append(found.box)
            labels.append(found.box)
    assert not any(meet(one, two, width) for one, two in combinations(labels, 2))
    assert not any(meet(label, dot, width) for label in labels for dot in dots)
    for label in labels:
        left, right = edges(label, width)
        assert left >= -1e-6
        assert right <= width - GUTTER + 1e-6


@given(SHARES, st.floats(20, HEIGHT - 20))
def test_a_point_alone_always_has_its_label(share: float, y: float) -> None:
    found = place(
        share, y, "12", [around(share, y, 6)], size=12, margins=MARGINS,
        left=0, right=RIGHT, top=-8, bottom=HEIGHT + 8,
    )  # fmt: skip
    assert found is not None


@given(
    st.lists(st.floats(-1e6, 1e6, allow_nan=False), min_size=1, max_size=20),
    st.integers(2, 8),
    st.floats(NARROW, WIDE),
)
def test_numbers_along_an_axis_do_not_touch(numbers: list[float], steps: int, width: float) -> None:
    axis = near(numbers, steps)
    ticks = [(axis.share(value), said) for value, said in axis.ticks]
    kept = thinned(ticks, size=11, margins=MARGINS)
    assert kept
    boxes = [Box(share, -width_of(w, 11) / 2, width_of(w, 11) / 2, 0, 11) for share, w in kept]
    assert not any(meet(one, two, width) for one, two in combinations(boxes, 2))


@given(st.lists(st.floats(0, HEIGHT), max_size=12))
def test_names_at_the_ends_of_lines_stand_apart_and_in_order(heights: list[float]) -> None:
    ordered = sorted(heights)
    made = spread(ordered, HEIGHT)
    assert all(two - one >= 14 - 1e-6 for one, two in pairwise(made))
    assert all(y <= HEIGHT for y in made)
