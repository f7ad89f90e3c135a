"""Whatever stands behind a flag, the answer is a sentence or a result, never a fault of ours."""

from __future__ import annotations

import argparse
import itertools
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from command import Command, Folder

from ragstone.cli.main import parser_of

KEPT = Path(__file__).parents[1] / "kept" / "files"
COMMANDS = [
    shlex.split(line)
    for line in """
    score --gold gold.jsonl --trace trace.jsonl
    retrieval --gold retrieval_gold.jsonl --log live.jsonl --manifest manifest.jsonl
    context --results bm25.tsv --reference reference.tsv
    trec qrels.txt bm25.run
    latency score --gold gold.jsonl --samples samples.jsonl
    latency sweep --target index:docs.index --rps 9 --duration 0.1 --warmup 0 -o s.jsonl
    agreement --pairs pairs.jsonl
    stability score --gold gold.jsonl --runs runs.jsonl
    stability run --target index:docs.index --seeds 0 --jitters none --gold gold.jsonl -o r.jsonl
    run --target index:docs.index --gold gold.jsonl -o t.jsonl
    gate --config everything.toml
    migrate manifest.jsonl new_manifest.jsonl
    index build docs -o made
    index query docs.index novel
    index verify docs.index
    gold lint gold.jsonl
    gold new --docs docs --list
    check gold.jsonl
    explain precision
    """.strip().splitlines()
]
# A folder, no file, no text, numbers that Python alone can read, and bytes that are not UTF-8.
WORDS = ["", "docs", "/dev/null", "9" * 200, "1e999", "nan", "1_0", "٣", "\udcff"]
WORDS += ["=", "a=", "=b", "qid=qid.x", "precision=1e999", "recall@9999999999999999999=1", "P@0"]
WORDS += ["trace.parquet", "binary", "nested.json", "(", "[", "*", "-1", "0", "index:docs", "py:x"]


def flags() -> Iterator[tuple[list[str], str]]:
    """Each flag that takes a word, with the first command line that it can be added to."""
    seen: set[str] = set()
    for words in COMMANDS:
        parser = parser_of(words[0])
        for word in words[:2]:
            (parts,) = [
                a for a in parser._actions if isinstance(a, argparse._SubParsersAction)
            ] or [None]
            if parts is not None and word in parts.choices:
                parser = parts.choices[word]
        for action in parser._actions:
            if action.option_strings and action.nargs != 0 and action.dest not in seen:
                seen.add(action.dest)
                yield words, action.option_strings[-1]


FLAGS = list(flags())


@pytest.mark.parametrize(
    "number", range(len(FLAGS)), ids=lambda n: " ".join(FLAGS[n][0][:2]) + FLAGS[n][1]
)
def test_an_odd_word_behind_a_flag_is_no_fault(
    number: int, command: Command, folder: Folder
) -> None:
    words, flag = FLAGS[number]
    shutil.copytree(KEPT, folder.work, dirs_exist_ok=True)
    folder.write("binary", bytes(range(256)))
    folder.write("nested.json", b"[" * 5000)
    # Each flag gets some of the words, and all flags together get all of them.
    for odd in itertools.islice(itertools.cycle(WORDS), 4 * number, 4 * number + 4):
        ran = command(*words, flag, odd)
        assert ran.code in (0, 1, 2, 3), odd
        assert "a fault in ragstone" not in ran.err, odd
        assert "Traceback" not in ran.err, odd
