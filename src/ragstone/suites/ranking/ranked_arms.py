"""What suites that judge rankings share: an arm per file, what they count and warn of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragstone.contracts.sources import Source
from ragstone.engine.duck import quoted
from ragstone.errors import ConfigError
from ragstone.report.document.blocks import Cell, Json, Table
from ragstone.suites.declaration import Arm, O, Outcome, Work
from ragstone.suites.standard_blocks import MOST_ROWS, grouped

_ENDINGS = (".gz", ".zst", ".tsv", ".csv", ".jsonl", ".json", ".parquet", ".txt", ".run")


@dataclass(frozen=True, slots=True)
class Ranked:
    """What came in for one arm.

    `questions` have a ranking, `missing` ones are judged and have none, `unknown_qid` ones are
    ranked and not judged; `duplicates` are documents that stood in a ranking again. The longest
    ranking has `depth` documents.
    """

    questions: int
    missing: int
    unknown_qid: int
    duplicates: int
    depth: int

    def as_dict(self) -> dict[str, Json]:
        return {name: getattr(self, name) for name in self.__slots__ if name != "depth"}


def stem(source: Source) -> str:
    """A file's name without its extensions."""
    if source.name.startswith("<"):
        return source.name
    name = Path(source.name).name
    for ending in _ENDINGS:
        name = name.removesuffix(ending)
    return name.removesuffix(".results") or Path(source.name).name


def files_of(work: Work[O], given: str) -> list[tuple[str, Source]]:
    """The files of an input, each with the name that the user gave it, "" where there is none."""
    named = [arm for arm in work.arms if arm.name]
    for arm in named:
        if len(arm.sources) != 1:
            raise ConfigError(f"system {arm.name}: expected one file, found {len(arm.sources)}")
    if named:
        return [(arm.name, arm.sources[0]) for arm in named]
    return [("", source) for source in work.sources[given]]


def set_arms(work: Work[Any], given: str, names: Sequence[str], sources: Sequence[Source]) -> None:
    """An arm per file; the baseline's numbers are at the top of the report."""
    work.arms = tuple(
        Arm(name, f"{given}_{number}", (source,))
        for number, (name, source) in enumerate(zip(unique_names(names), sources, strict=True))
    )
    work.shown = work.options.baseline or work.arms[0].name


def unique_names(names: Sequence[str]) -> list[str]:
    """The names, with a number where one is taken.

    >>> unique_names(["bm25", "bm25", "rm3"])
    ['bm25', 'bm25 (2)', 'rm3']
    """
    made: list[str] = []
    for name in names:
        number, now = 1, name
        while now in made:
            number += 1
            now = f"{name} ({number})"
        made.append(now)
    return made


def came_in(work: Work[O]) -> list[Json]:
    """What came in for each arm, with the hash of its content."""
    return [
        {
            "system_name": arm.name,
            **ranked_of(work, arm.name).as_dict(),
            "hash": work.sums[arm.table].finish(),
        }
        for arm in work.arms
    ]


def ranked_of(work: Work[O], arm: str) -> Ranked:
    found: Ranked = work.notes[arm]
    return found


def facts(work: Work[Any], outcome: Outcome[Any]) -> dict[str, Any]:
    """What came in for every arm, and how many questions have no document of the level."""
    below = 0
    if outcome.options.grade > 1:
        count = work.duck.tally("scored and gold_docs = 0")
        below = work.duck.count(f"select {count} from rows where arm = {quoted(work.shown)}")
    ranked = {arm.name: ranked_of(work, arm.name) for arm in work.arms}
    return {"ranked": ranked, "below_level": below}


def left_out(outcome: Outcome[Any], arm: str) -> dict[str, int]:
    """What was left out of an arm's averages, or counted as nothing in them."""
    found: Ranked = outcome.facts["ranked"][arm]
    return {
        "missing": found.missing,
        "unknown_qid": found.unknown_qid,
        "duplicates": found.duplicates,
    }


def missing(outcome: Outcome[Any]) -> dict[str, dict[str, Cell]]:
    """The column `missing` of the table that has the arms side by side."""
    return {"missing": {arm: found.missing for arm, found in outcome.facts["ranked"].items()}}


def counts_table(
    outcome: Outcome[Any], first: Sequence[tuple[str, int]], said: Mapping[str, str]
) -> Table:
    """What came in: `first` for all arms, then four counts for each of them."""
    ranked = outcome.facts["ranked"]
    if len(ranked) > MOST_ROWS:
        word = outcome.suite.arm_word
        table = tuple(
            (arm, *(found.as_dict()[name] for name in said)) for arm, found in ranked.items()
        )
        says = ", ".join(f"{what}: {count:,}" for what, count in first)
        return Table("Inputs", (word, *said.values()), table, f"{says.capitalize()}.")
    rows: list[tuple[Cell, ...]] = list(first)
    for arm, found in ranked.items():
        rows += [(f"{arm}: {says}", found.as_dict()[name]) for name, says in said.items()]
    return Table("Inputs", ("what", "count"), tuple(rows))


def warnings(outcome: Outcome[Any], where: str) -> list[str]:
    """What was left out or counted as nothing, arm by arm; `where` is what knows the questions."""
    found, word = [], outcome.suite.arm_word
    for arm, ranked in outcome.facts["ranked"].items():
        if ranked.missing:
            none = f"with gold {_have(ranked.missing)} no result; each scores 0"
            many = f"{word}s without a result for some questions with gold, which score 0"
            found.append((arm, f"{_count(ranked.missing)} {none}", many))
        if ranked.unknown_qid:
            known = f"{_have(ranked.unknown_qid)} a qid that {where} does not know; not scored"
            many = f"{word}s with results for questions that {where} does not know, not scored"
            found.append((arm, f"{_count(ranked.unknown_qid)} {known}", many))
        if ranked.duplicates:
            repeated = "repeated ids in rankings; each keeps its first place"
            many = f"{word}s with repeated ids in rankings, each of which keeps its first place"
            found.append((arm, f"{ranked.duplicates:,} {repeated}", many))
    return [*_of_level(outcome), *_of_depths(outcome), *grouped(found, len(outcome.arms))]


def _of_level(outcome: Outcome[Any]) -> list[str]:
    """What became of questions without a document of the level."""
    below, level = outcome.facts["below_level"], outcome.options.grade
    if not below:
        return []
    none = f"{_count(below)} {_have(below)} no document of grade {level} or above"
    if getattr(outcome.options, "only_judged", False):
        return [f"{none}: left out of every number, and each number's name says so"]
    each = "it counts" if below == 1 else "each counts"
    way = "" if outcome.suite.name == "context" else " (--only-judged leaves them out)"
    return [f"{none}: {each} as 0, as in trec_eval, but in nDCG, where no level decides{way}"]


def _of_depths(outcome: Outcome[Any]) -> list[str]:
    """Rankings of other lengths: further down, one of them has nothing to find."""
    depths = {arm: ranked.depth for arm, ranked in outcome.facts["ranked"].items() if ranked.depth}
    if not depths or max(depths.values()) <= 2 * min(depths.values()):
        return []
    named = [f"{arm} {depth:,}" for arm, depth in sorted(depths.items(), key=lambda each: each[1])]
    some = [*named[:4], "...", *named[-4:]] if len(named) > 9 else named
    return [
        f"the {outcome.suite.arm_word}s list different numbers of documents a question, at most: "
        f"{', '.join(some)}; measures that look further than {min(depths.values()):,} favour the "
        "longer lists"
    ]


def _count(size: int) -> str:
    return "1 question" if size == 1 else f"{size:,} questions"


def _have(size: int) -> str:
    return "has" if size == 1 else "have"
