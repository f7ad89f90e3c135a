"""What readings say: the cause that explains most rows first, in plain sentences."""

import re
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from builders import gold, trace
from suites.retrieval.retrieval_builders import chunk, item, run
from suites.test_plain_names import JARGON

import ragstone
from ragstone.api import call
from ragstone.engine.duck import Duck, quoted
from ragstone.suites.declaration import AnySuite, Outcome, Work
from ragstone.suites.readings import findings
from ragstone.suites.registry import find_suite, suites
from ragstone.suites.signs import Rule

RULES = [
    pytest.param(rule, id=f"{suite.name}: {rule.pattern}")
    for suite in suites()
    for rule in suite.readings
]
# What a person types or looks up, and the statement of a metric as the page of metrics has it.
NAMES = ("constraints_echo", "ragstone gold check", "gold set", "--map")


def nothing_found(qid: str) -> dict[str, Any]:
    return gold(qid, answerable=False, gold_claim_substr=[], gold_citations=[])


def readings(items: list[Any], lines: list[Any]) -> list[Any]:
    return list(ragstone.score(items, lines).data["reading"])


@pytest.mark.parametrize("rule", RULES)
def test_a_reading_says_what_is_wrong_and_what_to_do_in_plain_sentences(rule: Rule) -> None:
    sentences = re.split(r"(?<=\.) ", rule.reading)
    assert len(sentences) >= 2
    for each in sentences:
        assert each[0].isupper() and each.endswith("."), each
        assert len(each.split()) <= 25, each
    said = rule.reading
    for name in NAMES:
        said = said.replace(name, "")
    assert JARGON.search(said) is None
    assert "`" not in said
    assert JARGON.search(rule.title or rule.pattern) is None


def test_the_cause_of_most_rows_stands_first() -> None:
    """Missing refusals make precision and chr low too; bad citations explain less."""
    items = [*(nothing_found(f"U{n}") for n in range(4)), *(gold(f"A{n}") for n in range(4))]
    lines = [trace(item["qid"]) for item in items[:5]]
    lines += [trace(f"A{n}", cites=["p1#1"]) for n in (1, 2, 3)]
    first, second, *_ = readings(items, lines)
    assert (first["pattern"], first["rows"]) == ("under_refusal high", 4)
    assert first["title"] == "questions without an answer are answered"
    assert (second["pattern"], second["rows"]) == ("precision low, chr low", 3)
    assert [each["rows"] for each in readings(items, lines)] == [4, 3, 3]


def test_a_reading_without_a_row_of_its_own_says_so() -> None:
    items = [gold(f"A{n}") for n in range(4)]
    lines = [trace("A0"), *(trace(f"A{n}", cites=["p1#1"]) for n in (1, 2, 3))]
    first, second = readings(items, lines)
    assert (first["qids"], second["qids"]) == (["A1", "A2", "A3"], ["A1", "A2", "A3"])
    same = "These rows are all among those of a reading above: mend that first."
    assert (same in first["reading"], same in second["reading"]) == (False, True)


class Looked(Exception):
    """Ends a run once its rows have been looked at."""


def judged(suite: AnySuite) -> None:
    """A small run of a suite, for what it does while the engine is open."""
    log = [run(), run("q2")]
    inputs: dict[str, Any] = {
        "answers": {"gold": [gold()], "trace": [trace()]},
        "audit": {"trace": [trace()]},
        "retrieval": {"gold": [item(), item("q2")], "log": log},
        "canary": {"gold": [item(), item("q2")], "live": log, "shadow": log},
    }[suite.name]
    call(suite)(**inputs)


def random_rows(duck: Duck, arm: str, chance: Random) -> None:
    """Rows of the same columns with any values, of which some are mostly yes and some mostly no."""
    shares: dict[str, float] = {}

    def value(name: str, kind: str) -> str:
        if name in ("arm", "qid"):
            return quoted(arm) if name == "arm" else f"'q{chance.random()}'"
        if name == "type":
            return quoted(chance.choice(["prose", "prose", "table", "code"]))
        share = shares.setdefault(name, chance.choice([0.05, 0.5, 0.95]))
        some = chance.random() < share
        if kind == "BOOLEAN":
            return str(some)
        return f"{int(some)}::{kind}" if kind not in ("VARCHAR", "JSON") else "null"

    columns = duck.query("select column_name, column_type from (describe rows)")
    many = chance.choice([1, 2, 3, 5, 40])
    made = ", ".join(
        "(" + ", ".join(value(str(name), str(kind)) for name, kind in columns) + ")"
        for _ in range(many)
    )
    duck.run("delete from rows")
    duck.run(f"insert into rows values {made}")


@pytest.mark.parametrize("name", [suite.name for suite in suites() if suite.readings])
def test_a_reading_is_given_only_where_its_check_fails_in_most_of_three_rows_or_more(
    name: str,
) -> None:
    suite: AnySuite = find_suite(name)
    rules = [replace(rule, applies=lambda signs: True) for rule in suite.readings]
    seen: list[int] = []

    def look(work: Work[Any], outcome: Outcome[Any]) -> dict[str, Any]:
        chance = Random(len(seen))
        for _ in range(60):
            random_rows(work.duck, work.shown, chance)
            every = findings(replace(work, suite=replace(suite, readings=tuple(rules))),
                             work.shown, outcome.first, ())  # fmt: skip
            rows = {found.pattern: found.rows for found in every}
            for rule in rules:
                facts = work.duck.query(
                    f"select coalesce(({rule.check}), false), coalesce(({rule.among or 'true'}), "
                    f"false), coalesce(({rule.needs}), false) from rows"
                )
                explained = [failed for failed, among, _ in facts if among]
                failing = sum(map(bool, explained))
                most = not rule.among or 2 * failing > len(explained)
                known = any(needed for _, _, needed in facts)
                carried = failing >= 3 and failing > rule.share * len(facts) and most and known
                assert rows.get(rule.pattern, 0) == (failing if carried else 0), rule.pattern
                seen.append(failing if carried else 0)
        raise Looked

    with pytest.raises(Looked):
        judged(replace(suite, facts=look))
    assert max(seen) >= 3
    assert min(seen) == 0


def test_one_or_two_rows_name_no_cause() -> None:
    for many in (1, 2, 3):
        items = [gold(f"A{n}") for n in range(many)]
        wrong = [trace(f"A{n}", cites=["p1#1"]) for n in range(many)]
        assert bool(readings(items, wrong)) is (many == 3)


def test_an_empty_trace_is_not_explained_by_recall() -> None:
    assert readings([gold(f"A{n}") for n in range(9)], []) == []


def test_a_log_that_holds_no_citation_says_nothing_of_citations() -> None:
    items = [gold(f"A{n}") for n in range(9)]
    lines = [trace(f"A{n}", cites=[], retrieved=[]) for n in range(9)]
    assert readings(items, lines) == []


def test_a_log_without_a_known_field_is_not_explained_by_time_outs() -> None:
    foreign = [{"id": n, "text": "It is 5."} for n in range(12)]
    (found,) = ragstone.audit(foreign).data["reading"]
    assert found["title"] == "no answer in any line"
    assert "time-out" not in found["reading"]


def test_one_table_that_is_missed_is_not_lost_on_the_way_into_the_index() -> None:
    """And tables that are found below the fifth place are in the index."""

    def titles(found_at: list[int]) -> list[str]:
        tables, texts = (f"t{n}" for n in range(len(found_at))), (f"p{n}" for n in range(27))
        chunks = [*(chunk(t, type="table") for t in tables), *(chunk(p) for p in texts)]
        items = [item(each["id"], relevant=[each["id"]]) for each in chunks]
        lines = [run(f"p{n}", ids=[f"p{n}"]) for n in range(27)]
        for n, rank in enumerate(found_at):
            ids = [f"x{place}" for place in range(10)]
            if rank:
                ids[rank - 1] = f"t{n}"
            lines.append(run(f"t{n}", ids=ids))
        report = ragstone.retrieval(items, lines, manifest=chunks)
        return [each["title"] for each in report.data["reading"]]

    lost = "tables are found far less often than prose"
    assert lost not in titles([0])
    assert lost not in titles([7, 7, 7, 0])
    assert lost in titles([1, 0, 0, 0])
