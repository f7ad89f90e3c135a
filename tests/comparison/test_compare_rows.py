"""Two sets of saved rows: what is compared, what is dropped, and what is said of the rest."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from builders import gold, refusal, trace

import ragstone
from ragstone.comparison.compare_rows import Compared, Comparing, compared
from ragstone.comparison.row_sets import read_row_set
from ragstone.engine.duck import Duck
from ragstone.errors import ConfigError, InputError

Compare = Callable[..., Compared]
QIDS = [f"Q{number:03}" for number in range(200)]


def saved(path: Path, items: list[Any], said: list[Any], **options: Any) -> Path:
    ragstone.score(items, said, **options).save(str(path))
    return path


@pytest.fixture
def duck() -> Iterator[Duck]:
    with Duck() as made:
        yield made


@pytest.fixture
def compare(duck: Duck, tmp_path: Path) -> Compare:
    def made(before: list[Any], after: list[Any], how: Comparing | None = None, **more: Any) -> Any:
        items_a = more.pop("items_a", [gold(qid) for qid in QIDS])
        items_b = more.pop("items_b", items_a)
        one = saved(tmp_path / "a.parquet", items_a, before, **more.pop("options_a", {}))
        two = saved(tmp_path / "b.parquet", items_b, after, **more.pop("options_b", {}))
        a, b = read_row_set(duck, one, "old", "a"), read_row_set(duck, two, "new", "b")
        return compared(duck, a, b, how or Comparing())

    return made


def answers(wrong: int = 0, of: list[str] = QIDS) -> list[Any]:
    """The first `wrong` questions answered wrongly, the others rightly."""
    return [
        trace(qid, "no idea" if place < wrong else "X rejects null keys.")
        for place, qid in enumerate(of)
    ]


def test_a_difference_has_both_numbers_an_interval_a_test_and_a_sentence(compare: Compare) -> None:
    found = compare(answers(4), answers(24)).difference["precision"]
    assert (found.a, found.b) == (0.98, 0.88)
    assert found.value == pytest.approx(-0.1)
    assert found.low is not None and found.high is not None
    assert found.low < -0.1 < found.high < 0
    assert found.test == "mid-p McNemar"
    assert found.p == pytest.approx(2**-20, rel=1e-9)
    # No question is unanswerable, so four of the five default gates have something to test.
    assert found.p_holm == pytest.approx(4 * 2**-20, rel=1e-9)
    assert found.says == "worse"


def test_the_same_answers_are_the_same_from_189_questions_on(compare: Compare) -> None:
    found = compare(answers(4), answers(4)).difference["precision"]
    assert found.says == "same, within 0.02"
    assert found.p == 1.0


def test_what_no_gate_asks_for_is_not_tested(compare: Compare) -> None:
    found = compare(answers(4), answers(24)).difference
    assert not found["containment"].tested
    assert found["containment"].p_holm is None
    assert found["containment"].p == found["precision"].p


def test_an_answer_that_only_one_side_ships_counts_for_that_side(compare: Compare) -> None:
    # B ships 20 wrong answers where A refused: precision falls, though no answer of A changed.
    before = [refusal(qid) for qid in QIDS[:20]] + answers(0, QIDS[20:])
    found = compare(before, answers(20)).difference["precision"]
    assert (found.a, found.b) == (1.0, 0.9)
    assert found.test == "randomisation, all signs"
    assert found.p is not None and found.p < 1e-5


def test_added_removed_and_changed_questions_are_counted_and_not_compared(compare: Compare) -> None:
    items = [gold(qid) for qid in QIDS]
    changed = gold(QIDS[1], gold_claim_substr=["takes null keys"])
    items_b = [changed, *items[2:], gold("NEW")]
    found = compare(answers(), answers(), items_a=items, items_b=items_b)
    assert (found.gold.equal, found.gold.added) == (198, 1)
    assert found.gold.removed_qids == (QIDS[0],)
    assert found.gold.changed_qids == (QIDS[1],)
    assert found.gold.added_qids == ("NEW",)
    assert found.difference["precision"].questions == 198


def test_a_note_in_gold_that_nothing_reads_changes_no_item(compare: Compare) -> None:
    items = [gold(qid) for qid in QIDS]
    found = compare(answers(), answers(), items_b=[{**item, "note": "seen"} for item in items])
    assert found.gold.equal == len(QIDS)


def test_under_half_in_common_is_an_error(compare: Compare) -> None:
    items = [gold(qid) for qid in QIDS]
    others = [*items[:99], *(gold(f"N{number}") for number in range(101))]
    with pytest.raises(InputError, match="99 of 200 questions in common"):
        compare(answers(), answers(), items_a=items, items_b=others)


@pytest.mark.parametrize(
    ("options", "dropped", "kept", "reason"),
    [
        ({"k": 3}, "recall@k", "precision", "k is 5 in old and 3 in new"),
        ({"refusal": ["no idea"]}, "precision", "recall@k", "refusal is not in context in old"),
        ({"scu": True}, "precision", "chr", "it is declared otherwise"),
        ({"scope": False}, "chr", "containment", "scope is True in old and False in new"),
    ],
)
def test_a_setting_drops_the_metrics_that_it_decides(
    compare: Compare, options: dict[str, Any], dropped: str, kept: str, reason: str
) -> None:
    found = compare(answers(), answers(), options_b=options)
    assert found.dropped[dropped].startswith(reason)
    assert dropped not in found.difference
    assert kept in found.difference


def test_repeats_of_a_question_are_one_pair(compare: Compare) -> None:
    before = [*answers(), *answers(100)]
    found = compare(
        before, answers(), options_a={"keep": "all"}, options_b={"keep": "all"}
    ).difference["precision"]
    assert found.questions == 200
    assert (found.a, found.b) == (0.75, 1.0)


def test_only_rows_of_one_suite_are_compared(duck: Duck, tmp_path: Path) -> None:
    one = saved(tmp_path / "a.parquet", [gold(qid) for qid in QIDS], answers())
    two = tmp_path / "b.parquet"
    ragstone.audit(answers()).save(str(two))
    a, b = read_row_set(duck, one, "old", "a"), read_row_set(duck, two, "new", "b")
    with pytest.raises(ConfigError, match="old holds rows of answers, and new rows of audit"):
        compared(duck, a, b, Comparing())


def test_a_file_that_holds_no_rows_is_told_so(duck: Duck, tmp_path: Path) -> None:
    plain = tmp_path / "plain.parquet"
    duck.run(f"copy (select 1 as qid) to '{plain}' (format parquet)")
    with pytest.raises(InputError, match="holds no verdict rows that can be compared"):
        read_row_set(duck, plain, "plain", "a")
    plain.write_text("no Parquet")
    with pytest.raises(InputError, match="cannot be read as a Parquet file of verdict rows"):
        read_row_set(duck, plain, "plain", "a")


def test_a_file_of_several_systems_needs_the_name_of_one(duck: Duck, tmp_path: Path) -> None:
    both = {"old": answers(3), "new": answers()}
    path = saved(tmp_path / "a.parquet", [gold(qid) for qid in QIDS], both)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="holds the rows of 2 systems"):
        read_row_set(duck, path, "both", "a")
    a, b = (
        read_row_set(duck, path, name, side, arm=name)  # type: ignore[arg-type]
        for name, side in (("old", "a"), ("new", "b"))
    )
    assert compared(duck, a, b, Comparing()).difference["precision"].value == pytest.approx(0.015)
