"""What a comparison keeps of parts of the questions adds up to what it says of all of them.

Over every suite and every metric: the rows of a run are compared with the same rows, of which some
have the numbers and texts of other questions, another gold item, or are not there. The bytes of the
report must be those of the comparison as a whole, digest and all, whichever parts the questions
are in and whichever part comes first.
"""

from __future__ import annotations

import json
import shlex
import shutil
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import pyarrow
import pyarrow.compute
import pyarrow.parquet
import pytest
from builders import write_jsonl
from command import Ran, ragstone
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from long_runs import examples, one_of_each
from test_every_suite import JUDGING, KEPT

from ragstone.comparison import divided_rows
from ragstone.engine.duck import quoted
from ragstone.suites.options import Options
from ragstone.suites.registry import entries

# Commands over the kept files: every suite, with the options that add metrics or repeats.
CASES = [
    *(JUDGING[name] for name in ("answers", "answers_ships", "answers_support")),
    shlex.split("score --gold gold.jsonl --trace trace.jsonl good.jsonl --keep all --by tags"),
    *(JUDGING[name] for name in ("retrieval", "retrieval_computed", "canary")),
    *(JUDGING[name] for name in ("context", "context_systems", "trec", "latency", "stability")),
    *(JUDGING[name] for name in ("agreement_labels", "agreement_raters", "agreement_derived")),
    shlex.split("agreement --gold gold.jsonl --trace trace.jsonl --labels people.jsonl"),
    JUDGING["audit"],
]
_SAVED: dict[int, pyarrow.Table] = {}
_COPIES = 5
# Each of these moves as one: what a question is cannot be given to another.
_OWN = ("arm", "qid", "gold_item", "slices", "question", "wanted_phrases", "wanted_ids")


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The kept files, and what people say of each answer."""
    folder = tmp_path_factory.mktemp("every") / "files"
    shutil.copytree(KEPT / "files", folder)
    qids = [json.loads(line)["qid"] for line in (folder / "gold.jsonl").read_text().splitlines()]
    labels = ("correct", "incorrect", "refusal")
    write_jsonl(
        folder / "people.jsonl",
        [{"qid": qid, "label": labels[place % 3]} for place, qid in enumerate(qids)],
    )
    return folder


def saved(case: int, files: Path) -> pyarrow.Table:
    """The verdict rows of a command, of one system, several times under other qids."""
    if case not in _SAVED:
        path = files / f"saved {case}.parquet"
        ran = ragstone(*CASES[case], "--no-config", "--quiet", "-o", str(path), cwd=files)
        assert ran.code in (0, 1, 3), ran.err
        rows = pyarrow.parquet.read_table(path)
        first = json.loads(rows.schema.metadata[b"ragstone"])["arms"][0]
        rows = rows.filter(pyarrow.compute.equal(rows["arm"], first))
        copies = []
        for copy in range(_COPIES):
            qids = [f"{qid}.{copy}" for qid in rows["qid"].to_pylist()]
            copies.append(with_column(rows, "qid", qids))
        _SAVED[case] = pyarrow.concat_tables(copies)
    return _SAVED[case]


def with_column(rows: pyarrow.Table, name: str, values: list[Any]) -> pyarrow.Table:
    place = rows.schema.get_field_index(name)
    column = pyarrow.array(values, rows.schema.field(name).type)
    return rows.set_column(place, rows.schema.field(name), column)


def moved(rows: pyarrow.Table, chance: Random) -> pyarrow.Table:
    """The same questions, of which some changed places in all that was found out about them."""
    places = list(range(len(rows)))
    some = chance.sample(places, len(rows) // 3)
    for here, there in pairwise(some):
        places[here], places[there] = places[there], places[here]
    for name in rows.column_names:
        if name not in _OWN:
            rows = with_column(rows, name, rows[name].take(pyarrow.array(places)).to_pylist())
    return rows


def without(rows: pyarrow.Table, chance: Random, first: int) -> pyarrow.Table:
    """The rows without those of some questions: of every other one, so that no side lacks all."""
    qids = sorted(set(rows["qid"].to_pylist()))[first::2]
    gone = pyarrow.array(chance.sample(qids, 1 + len(qids) // 4), pyarrow.string())
    return rows.filter(pyarrow.compute.invert(pyarrow.compute.is_in(rows["qid"], gone)))


def other_items(rows: pyarrow.Table, chance: Random) -> pyarrow.Table:
    """The rows, of which some questions have another gold item."""
    qids = set(rows["qid"].to_pylist())
    changed = set(chance.sample(sorted(qids), 1 + len(qids) // 8))
    pairs = zip(rows["qid"].to_pylist(), rows["gold_item"].to_pylist(), strict=True)
    return with_column(
        rows, "gold_item", ["another" if qid in changed else item for qid, item in pairs]
    )


def two_files(folder: Path, rows: pyarrow.Table, chance: Random) -> list[str]:
    """The files of A and B, a waiver, and a command that asks all that a comparison can tell."""
    about = json.loads(rows.schema.metadata[b"ragstone"])
    qids = sorted(set(rows["qid"].to_pylist()))
    pyarrow.parquet.write_table(without(rows, chance, 0), folder / "a.parquet")
    b = other_items(moved(without(rows, chance, 1), chance), chance)
    pyarrow.parquet.write_table(b, folder / "b.parquet")
    waiver = f'[[waive]]\nqid = {json.dumps(qids[1])}\nuntil = "2027-01-31"\nwhy = "known"\n'
    (folder / "ragstone.toml").write_text(waiver)
    named = (qid for qid in (qids[0], qids[-1]) if "," not in qid)
    fields = ("--by", *about["slice_fields"]) if about["slice_fields"] else ()
    arm = about["arms"][0] if len(about["arms"]) > 1 else ""
    sides = [f"{name}.parquet:{arm}".removesuffix(":") for name in ("a", "b")]
    gates = [f"{name}=0.1" for name in about["metrics"]]
    words = ["compare", *sides, "--as-of", "2026-11-17", *fields, "--max-regression", *gates]
    return [*words, "--protect", ",".join(named), "--labels-share", str(chance.choice([0, 0.2]))]


def run(folder: Path, words: list[str], shown: int, *more: str) -> Ran:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Options, "limit", property(lambda options: shown))
        return ragstone(*words, *more, "--json", "--quiet", cwd=folder)


def in_parts(folder: Path, words: list[str], shown: int, parts: int, chance: Random) -> Ran:
    """The same in so many parts, made by any hash of the qid and taken in any order."""
    order, salt = chance.sample(range(parts), parts), quoted(str(chance.random()))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(divided_rows, "parts_for_rows", lambda duck, memory: parts if memory else 1)
        patch.setattr(
            "ragstone.comparison.compare_rows.parts_for_rows", divided_rows.parts_for_rows
        )
        patch.setattr(divided_rows, "_HASH", f"hash(qid || {salt})")
        patch.setattr(divided_rows, "_in_turn", lambda parts: order)
        return run(folder, words, shown, "--memory", "1GB")


def suite_of(rows: pyarrow.Table) -> str:
    return str(json.loads(rows.schema.metadata[b"ragstone"])["suite"])


def test_every_suite_is_among_the_commands(files: Path) -> None:
    found = {suite_of(saved(case, files)) for case, _ in enumerate(CASES)}
    assert found == {entry.name for entry in entries()}


@pytest.mark.parametrize("case", one_of_each(range(len(CASES)), lambda case: CASES[case][0]))
# Not shrunk: each step would be two runs of the engine, and the seed makes the case again.
@settings(
    max_examples=examples(1, long=50),
    phases=(Phase.explicit, Phase.generate),
    suppress_health_check=list(HealthCheck),
)
@given(seed=st.integers(0, 2**32), parts=st.integers(2, 9), shown=st.integers(1, 3))
def test_any_parts_of_the_questions_add_up_to_the_whole_comparison(
    case: int,
    seed: int,
    parts: int,
    shown: int,
    files: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    folder, chance = tmp_path_factory.mktemp("parts"), Random(seed)
    words = two_files(folder, saved(case, files), chance)
    whole = run(folder, words, shown)
    assert whole.code != 2, whole.err
    found = in_parts(folder, words, shown, parts, chance)
    assert (found.code, found.out, found.err) == (whole.code, whole.out, whole.err)
    fates = whole.json["gold"]
    assert fates["equal"] and fates["changed"] + fates["added"] + fates["removed"]
