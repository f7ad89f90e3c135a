"""The gold set of a watched canary: which questions it knows, and what of each should be found.

It may be the gold of answers (`gold_citations`) or that of retrieval (`relevant`, with an anchor
section). Of the second, gold of answers is made, so that one check judges citations by either.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import cast

from ragstone.contracts.diagnose import numbered
from ragstone.contracts.sources import Source, find
from ragstone.contracts.strict_json import NotJson, parse
from ragstone.engine.duck import Duck
from ragstone.engine.parquet_files import lines_or_rows
from ragstone.matching.characters import folded_text
from ragstone.scratch import keep
from ragstone.serve.judged_records import ANSWERS, judging_by, plain_options
from ragstone.serve.minute_rows import Judging
from ragstone.suites.config_file import Config
from ragstone.suites.declaration import AnySuite, Arm, Work
from ragstone.suites.inputs import read_inputs
from ragstone.suites.options import Options
from ragstone.tools.calibration import WITHOUT_LOG

_RETRIEVAL = cast("AnySuite", WITHOUT_LOG)
# How many of the first are looked at for recall.
FIRST = 5


@dataclass(frozen=True, slots=True)
class GoldItem:
    """What should be found for a question: one id of every group; and the section to cite."""

    groups: tuple[frozenset[str], ...]
    anchor: str = ""

    def recall(self, ids: Sequence[str]) -> float | None:
        """How much of it is in the first five.

        >>> item = GoldItem((frozenset({"a"}), frozenset({"b", "c"})))
        >>> item.recall(["x", "c"]), item.recall([])
        (0.5, 0.0)
        """
        first = set(ids[:FIRST])
        found = sum(not group.isdisjoint(first) for group in self.groups)
        return found / len(self.groups) if self.groups else None


@dataclass(frozen=True, slots=True)
class CanaryGold:
    """Questions by qid and by their folded text, and how records are judged with them."""

    judging: Judging
    items: Mapping[str, GoldItem] = field(default_factory=dict)
    asked: Mapping[str, str] = field(default_factory=dict)

    def qid_of(self, qid: str, question: str) -> str:
        """The qid of a question that is known here; "" for any other."""
        return qid if qid in self.items else self.asked.get(folded_text(question), "")


def canary_gold(config: Config, gold: Sequence[str], duck: Duck) -> CanaryGold:
    """The gold set of these files, read at once, so that what is wrong with it is said first.

    What it is made of stays in the scratch folder of `duck`.
    """
    if not gold:
        return CanaryGold(judging_by(config, (), duck))
    sources = find(list(gold), "gold", duck.scratch)
    if not any(_names_relevant(duck, each) for each in sources):
        judging = judging_by(config, gold, duck)
        # Pairs are given their qid before they are judged, so nobody needs to look for it then.
        known = replace(judging, asked=())
        texts = duck.query("select question, qid from gold where question <> '' order by qid")
        asked = _asked_once((str(text), str(qid)) for text, qid in texts)
        return CanaryGold(known, dict(_answers_items(duck)), asked)
    options = plain_options(_RETRIEVAL, config)
    _read(duck, options, sources)
    items = {qid: item for qid, item, _ in _retrieval_items(duck)}
    asked = _asked_once((text, qid) for qid, _, texts in _retrieval_items(duck) for text in texts)
    made = Source("gold", keep(duck.scratch, map(_as_answers_gold, items.items())))
    audit = judging_by(config, (), duck).audit
    answers = plain_options(ANSWERS, config, keep="all")
    return CanaryGold(Judging(audit, answers, (made,)), items, asked)


def _names_relevant(duck: Duck, source: Source) -> bool:
    """Whether the first line that can be read names what is relevant, as gold of retrieval does."""
    for _, line in numbered(lines_or_rows(duck, source)):
        try:
            value = parse(line, explain=False)
        except NotJson:
            continue
        return isinstance(value, dict) and "relevant" in value
    return False


def _answers_items(duck: Duck) -> Iterator[tuple[str, GoldItem]]:
    rows = duck.query("select qid, answerable, gold_citations, groups from gold order by qid")
    for qid, answerable, cites, groups in rows:
        every = groups if isinstance(groups, list) else [[each] for each in _list(cites)]
        # A question without an answer is known, and nothing should be found for it.
        every = every if answerable else []
        yield str(qid), GoldItem(tuple(frozenset(map(str, _list(each))) for each in every))


def _read(duck: Duck, options: Options, sources: tuple[Source, ...]) -> None:
    nothing = (Source("log", keep(duck.scratch, ())),)
    arm = Arm("", "log_0", nothing)
    work: Work[Options] = Work(_RETRIEVAL, duck, options, {"gold": sources}, (arm,))
    read_inputs(work)


def _retrieval_items(duck: Duck) -> Iterator[tuple[str, GoldItem, list[str]]]:
    rows = duck.query("select qid, relevant, anchor, paraphrases from gold order by qid")
    for qid, relevant, anchor, texts in rows:
        groups = tuple(frozenset((str(each),)) for each in _list(relevant))
        yield str(qid), GoldItem(groups, str(anchor or "")), [str(each) for each in _list(texts)]


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _asked_once(pairs: Iterator[tuple[str, str]]) -> dict[str, str]:
    """Folded texts with their qids; one that two items share names neither."""
    found: dict[str, str] = {}
    for written, qid in pairs:
        text = folded_text(written)
        found[text] = qid if found.get(text, qid) == qid else ""
    return {text: qid for text, qid in found.items() if text and qid}


def _as_answers_gold(item: tuple[str, GoldItem]) -> bytes:
    qid, found = item
    ids = sorted(each for group in found.groups for each in group)
    made = {"qid": qid, "question": "", "answerable": True, "gold_citations": ids}
    return json.dumps(made, ensure_ascii=False).encode() + b"\n"
