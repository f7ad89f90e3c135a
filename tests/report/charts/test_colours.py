"""Colours are told from what is behind them, by day and by night: WCAG 2.2 AA."""

from __future__ import annotations

import re
from importlib.resources import files
from itertools import product

import pytest

from ragstone.report.charts import shapes
from ragstone.report.charts.heatmap import STRONGEST
from ragstone.report.charts.plot import STYLES

TEMPLATES = files("ragstone.report.formats") / "templates"
CSS = "".join((TEMPLATES / name).read_text("utf-8") for name in ("report.css", "charts.css"))
DARK = re.compile(r"@media screen and \(prefers-color-scheme: dark\)\s*\{\s*:root\s*\{([^}]*)\}")
GROUNDS = ("paper", "panel")
TINTS = ("pass-tint", "fail-tint", "hold-tint", "chip")


def colours(scheme: str) -> dict[str, str]:
    """Every colour of the page by its name, as one scheme has it."""
    day = re.sub(r"@media[^{]*\{\s*:root\s*\{[^}]*\}\s*\}", "", CSS)
    # What stands first is the screen's; paper comes later.
    found = dict(reversed(re.findall(r"--([a-z-]+): (#[0-9a-f]{6})", day)))
    if scheme == "dark":
        found |= re.findall(r"--([a-z-]+): (#[0-9a-f]{6})", "".join(DARK.findall(CSS)))
    return found


def contrast(one: str, two: str) -> float:
    """How far apart two colours are in lightness, from 1 to 21.

    >>> contrast("#000000", "#ffffff")
    21.0
    """
    light, dark = sorted((_luminance(one), _luminance(two)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _luminance(color: str) -> float:
    parts = [int(color[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def mixed(front: str, back: str, share: float) -> str:
    """A colour that is laid over another, as strongly as is said."""
    pairs = ((int(front[n : n + 2], 16), int(back[n : n + 2], 16)) for n in (1, 3, 5))
    return "#" + "".join(f"{round(a * share + b * (1 - share)):02x}" for a, b in pairs)


@pytest.fixture(params=["light", "dark"])
def scheme(request: pytest.FixtureRequest) -> dict[str, str]:
    return colours(request.param)


@pytest.mark.parametrize("ink", ["ink", "muted", "pass", "fail", "hold"])
@pytest.mark.parametrize("ground", GROUNDS)
def test_words_are_read_on_paper_and_panel(scheme: dict[str, str], ink: str, ground: str) -> None:
    assert contrast(scheme[ink], scheme[ground]) >= 4.5


@pytest.mark.parametrize(("ink", "ground"), [*product(("ink", "muted"), TINTS)])
def test_words_are_read_on_tints(scheme: dict[str, str], ink: str, ground: str) -> None:
    assert contrast(scheme[ink], scheme[ground]) >= 4.5


@pytest.mark.parametrize("state", ["pass", "fail", "hold"])
def test_a_state_is_read_on_its_own_tint(scheme: dict[str, str], state: str) -> None:
    assert contrast(scheme[state], scheme[f"{state}-tint"]) >= 4.5


def _name(color: str) -> str:
    return color.removeprefix("var(--").partition(",")[0]


MARKS = {_name(color) for color, _ in STYLES} | {
    _name(each)
    for each in (shapes.BAR, shapes.RANGE, shapes.MUTED, shapes.INK, shapes.PASS, shapes.FAIL)
}


@pytest.mark.parametrize(("mark", "ground"), [*product(sorted(MARKS), GROUNDS)])
def test_marks_are_seen_on_paper_and_panel(scheme: dict[str, str], mark: str, ground: str) -> None:
    assert contrast(scheme[mark], scheme[ground]) >= 3


@pytest.mark.parametrize("zone", [shapes.PASS_ZONE, shapes.HOLD_ZONE, shapes.FAIL_ZONE])
def test_bars_are_seen_on_their_bands(scheme: dict[str, str], zone: str) -> None:
    assert contrast(scheme["bar"], scheme[_name(zone)]) >= 3


@pytest.mark.parametrize("color", ["pass", "hold", "fail"])
def test_signs_are_seen_on_the_rail(scheme: dict[str, str], color: str) -> None:
    assert contrast(scheme[color], scheme["rail"]) >= 3


@pytest.mark.parametrize("color", ["pass", "fail"])
def test_counts_are_read_on_the_strongest_square(scheme: dict[str, str], color: str) -> None:
    over_rail = mixed(scheme[color], scheme["rail"], STRONGEST)
    assert contrast(scheme["ink"], over_rail) >= 4.5


def test_a_count_of_nothing_is_read_too(scheme: dict[str, str]) -> None:
    assert contrast(scheme["muted"], scheme["rail"]) >= 4.5


def test_charts_outside_of_the_page_have_the_colours_of_day() -> None:
    day = colours("light")
    for name, color in vars(shapes).items():
        if name.isupper() and str(color).startswith("var("):
            variable, fallback = color.removeprefix("var(--").rstrip(")").split(",")
            assert day[variable] == fallback
