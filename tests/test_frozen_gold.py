"""Frozen gold, over every suite: it is scored as it was frozen, or only looked at."""

from __future__ import annotations

import gzip
import json
import shutil
from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest
from command import ragstone
from long_runs import one_of_each
from test_every_suite import COMMANDS, JUDGING, KEPT, run

from ragstone.cli.main import parser_of
from ragstone.cli.suite_command import inputs_given
from ragstone.report.model import Report
from ragstone.suites.config_file import Config
from ragstone.suites.registry import find_suite


def gold_of(words: list[str]) -> str | None:
    """The gold file of a case, where its suite reads one that can be frozen."""
    suite = find_suite(COMMANDS[words[0]])
    given = inputs_given(parser_of(words[0]).parse_args([*words, "--no-config"]), suite, Config())
    names = [each.name for each in suite.inputs if each.frozen and given.get(each.name)]
    return str(given[names[0]][0]) if names else None


def gold_kind(case: str) -> str:
    return Path(str(gold_of(JUDGING[case]))).suffix


# The last case of each suite and each of its gold files.
GOLDEN = {
    (words[0], name): case
    for case, words in JUDGING.items()
    if (name := gold_of(words)) is not None
}


# What is frozen is a file, whatever the suite: one of each kind of file.
@pytest.mark.parametrize("case", one_of_each(GOLDEN.values(), gold_kind))
def test_gold_is_scored_as_it_was_frozen_or_only_looked_at(case: str, tmp_path: Path) -> None:
    words = JUDGING[case]
    folder = tmp_path / "files"
    shutil.copytree(KEPT / "files", folder)
    gold = gold_of(words)
    assert gold is not None
    before = every_format(folder, words)
    signed = ("gold", "freeze", gold, "--who", "Ann", "--why", "first", "--no-config")
    assert ragstone(*signed, cwd=folder).code == 0
    assert every_format(folder, words) == before
    assert every_format(folder, words, "--unfrozen") == before
    change_one_item(folder / gold)
    refused = run(folder, words)
    assert (refused.code, refused.out) == (2, b"")
    assert f"{gold} is not as it was frozen: 1 " in refused.err
    ran = run(folder, words, "--unfrozen")
    assert ran.code == 3
    for kind, text in every_format(folder, words, "--unfrozen").items():
        assert b"NOT FROZEN" in text, kind
    look = ran.json
    assert (look["decision"], look["pass"]) == ("UNMEASURABLE", False)
    assert Report.from_json(json.dumps(look)).exit_code == 3


def every_format(folder: Path, words: list[str], *more: str) -> dict[str, bytes]:
    """What one run prints and writes, in all formats there are."""
    kinds = ("txt", "json", "md", "html", "xml", "sarif")
    outputs = [word for kind in kinds for word in ("-o", f"look.{kind}")]
    given = (*more, "--no-config", "--quiet", "-f", "github", *outputs)
    printed = ragstone(*words, *given, cwd=folder).out
    return {"github": printed, **{kind: (folder / f"look.{kind}").read_bytes() for kind in kinds}}


def change_one_item(gold: Path) -> None:
    """Another note in the first item, or the last line less: it is still good gold."""
    if gold.suffix == ".parquet":
        rows = pyarrow.parquet.read_table(gold).to_pylist()
        rows[0]["notes"] = "other"
        pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), gold)
        return
    packed = gold.suffix == ".gz"
    data = gold.read_bytes()
    lines = (gzip.decompress(data) if packed else data).splitlines()
    if lines[0].startswith(b"{"):
        lines[0] = json.dumps({**json.loads(lines[0]), "notes": "other"}).encode()
    else:
        lines.pop()
    data = b"\n".join(lines) + b"\n"
    gold.write_bytes(gzip.compress(data) if packed else data)
