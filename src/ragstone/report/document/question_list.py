"""Every question of a run in few words, column by column: what the table of a page shows."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

# How many questions are listed at most, and how many bytes they may be on a page: with all else on
# it, the page stays under 3 MB.
MOST = 20_000
BYTES = 2_500_000
# How much of a question and of an answer is listed.
CHARACTERS = 160


@dataclass(frozen=True, eq=False, repr=False)
class QuestionList:
    """The questions of one suite, those that fail first, then by qid.

    `checks`, `metrics` and `fields` are names; `problems` say what is wrong with a question that
    fails a check, and `titles` are the plain names of metrics. Every column has an entry for each.
    `failed` are the numbers of the checks that it fails, `costs` those of the metrics that it costs
    something, `values` what each field of `--by` says of it. `turned` says what became of it since
    the baseline: "broke", "mended" or "". `total` counts all questions, also those not listed.
    """

    suite: str
    checks: tuple[str, ...]
    problems: tuple[str, ...]
    metrics: tuple[str, ...]
    titles: tuple[str, ...]
    fields: tuple[str, ...]
    total: int
    qids: tuple[str, ...]
    failed: tuple[tuple[int, ...], ...]
    costs: tuple[tuple[int, ...], ...]
    values: tuple[tuple[tuple[str, ...], ...], ...]
    asked: tuple[str, ...]
    said: tuple[str, ...]
    turned: tuple[str, ...] = ()

    @property
    def left_out(self) -> int:
        """How many questions are not listed."""
        return self.total - len(self.qids)

    def first(self, count: int) -> QuestionList:
        """The same with the first questions only."""
        cut = {name: getattr(self, name)[:count] for name in _COLUMNS}
        return replace(self, **cut)

    def with_turned(self, turned: Mapping[str, str]) -> QuestionList:
        """The same with what became of the questions since the baseline, by qid."""
        return replace(self, turned=tuple(turned.get(qid, "") for qid in self.qids))

    def with_texts(self, asked: Iterable[str], said: Iterable[str]) -> QuestionList:
        return replace(self, asked=tuple(asked), said=tuple(said))


_COLUMNS = ("qids", "failed", "costs", "values", "asked", "said", "turned")
assert {*_COLUMNS} <= {field.name for field in fields(QuestionList)}


def columns(found: QuestionList) -> dict[str, Any]:
    """The list as plain data for a page; texts that occur twice are there once."""
    strings: dict[str, int] = {}

    def number(text: str) -> int:
        return strings.setdefault(text, len(strings))

    made = {
        "suite": found.suite,
        "checks": found.checks,
        "problems": found.problems,
        "metrics": found.metrics,
        "titles": found.titles,
        "fields": found.fields,
        "total": found.total,
        "qid": found.qids,
        "failed": found.failed,
        "costs": found.costs,
        "values": [[[*map(number, some)] for some in row] for row in found.values],
        "asked": [*map(number, found.asked)],
        "said": [*map(number, found.said)],
        "turned": found.turned,
    }
    return {**made, "strings": [*strings]}


def fitted(lists: tuple[QuestionList, ...], most: int = BYTES) -> tuple[QuestionList, ...]:
    """The lists, each with as many of its first questions as fit into its share of the bytes."""
    if sum(map(_size, lists)) <= most:
        return lists
    return tuple(_fitted(each, most // len(lists)) for each in lists)


def _fitted(found: QuestionList, most: int) -> QuestionList:
    """The first questions that fit: all that do not fail go before one that does."""
    while (size := _size(found)) > most and found.qids:
        # Questions are about equally long: two or three steps find how many fit.
        found = found.first(int(len(found.qids) * most / size * 0.99))
    return found


def _size(found: QuestionList) -> int:
    """The bytes of its JSON on a page; what is escaped there counts six."""
    text = json.dumps(columns(found), ensure_ascii=False, separators=(",", ":"))
    return len(text.encode("utf-8", "backslashreplace")) + 5 * (text.count("<") + text.count("&"))
