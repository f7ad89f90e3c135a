"""What the usual run takes of many inputs: something of every kind."""

from __future__ import annotations

from typing import Any

from long_runs import each_once, one_in_three, one_of_each


def usual(parameters: list[Any]) -> list[tuple[Any, ...]]:
    """The values of the parameters that are not left to the long runs."""
    return [each.values for each in parameters if not each.marks]


def test_one_of_each_kind_is_in_every_run_and_all_are_in_the_long_ones() -> None:
    words = ["apple", "axe", "bear", "cat", "cow", "cup"]
    assert usual(one_of_each(words, lambda word: word[0])) == [("apple",), ("bear",), ("cat",)]
    # Another turn takes others, and of a kind with fewer begins anew.
    assert usual(one_of_each(words, lambda word: word[0], 1)) == [("axe",), ("bear",), ("cow",)]
    assert [each.values for each in one_of_each(words, len)] == [(word,) for word in words]


def test_three_turns_of_one_in_three_are_all() -> None:
    turns = [usual(one_in_three("abcdefgh", turn)) for turn in range(3)]
    assert sorted(value for turn in turns for (value,) in turn) == list("abcdefgh")
    assert all(turns)


def test_of_pairs_each_value_stands_in_one() -> None:
    for one, other in (("abc", "12345"), ("abcde", "12"), ("a", "1")):
        every = each_once(one, other)
        assert len(every) == len(one) * len(other)
        chosen = usual(every)
        assert {a for a, _ in chosen} == set(one)
        assert {b for _, b in chosen} == set(other)
        assert len(chosen) == max(len(one), len(other))
