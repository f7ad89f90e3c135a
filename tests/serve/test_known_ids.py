"""Which records the server knows again: two generations of ids."""

from __future__ import annotations

from ragstone.serve.known_ids import KnownIds


def test_as_many_ids_as_are_promised_are_known_and_at_most_twice_as_many() -> None:
    known = KnownIds(remembered=10)
    for number in range(100):
        known.add([str(number)])
        some = [each for each in range(number + 1) if str(each) in known]
        assert some == list(range(some[0], number + 1))
        assert min(10, number + 1) <= len(some) <= 20
