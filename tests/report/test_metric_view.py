import pytest
from report.report_builder import ROWS, report

from ragstone.errors import ConfigError, RagstoneError


def test_a_metric_is_reached_through_the_report() -> None:
    precision = report()["precision"]
    assert (precision.numerator, precision.denominator) == (63, 87)
    assert precision.value == 63 / 87
    assert precision.interval == (0.6222, 0.8073)
    assert precision.vacuous is False
    assert precision.says.startswith("Of what was shipped")


def test_its_offenders_are_the_rows_that_cost_it() -> None:
    assert report()["precision"].offenders() == ROWS[:2]
    assert report()["chr"].offenders() == ROWS[:1]


def test_an_alias_gives_the_metric_under_its_own_name() -> None:
    under = report()["under"]
    assert under.name == "under_refusal"
    assert under.offenders() == ROWS[2:3]


@pytest.mark.parametrize("kind", [KeyError, ConfigError, RagstoneError])
def test_an_unknown_name_can_be_caught_as_any_of(kind: type[Exception]) -> None:
    with pytest.raises(kind):
        report()["precison"]


def test_an_unknown_name_gets_a_suggestion_in_a_plain_sentence() -> None:
    with pytest.raises(KeyError) as near:
        report()["precison"]
    assert str(near.value) == "no metric is called 'precison'; did you mean 'precision'?"
    with pytest.raises(KeyError, match="there are: precision, chr, under_refusal"):
        report()["zzz"]
