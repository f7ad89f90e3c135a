"""What `compare` lists and shows: what broke, protected questions, changed labels, the views."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from builders import gold, trace, write_jsonl
from command import Ran, ragstone

QIDS = [f"Q{number:02}" for number in range(20)]
WRONG = "The store takes every key, Zq7secret."


def said(broken: int, pages: str = "p", same: int = 0) -> list[dict[str, Any]]:
    """Answers of which the first `broken` are wrong; `pages` is what the index calls its chunks."""
    found = []
    for place, qid in enumerate(QIDS):
        page = f"{'p' if place < same else pages}{place}"
        claim = WRONG if place < broken else "X rejects null keys."
        found.append(trace(qid, claim, cites=[page], retrieved=[page, "x"]))
    return found


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The rows of a good run, of one that broke three questions, and of a re-chunked index."""
    folder = tmp_path_factory.mktemp("lists")
    items = [
        gold(qid, gold_citations=[f"p{place}"], tags=["even" if place % 2 == 0 else "odd"])
        for place, qid in enumerate(QIDS)
    ]
    write_jsonl(folder / "gold.jsonl", items)
    mended = trace("Q00", cites=["p0"], retrieved=["p0"])
    runs = {"old": said(1), "new": [mended, *said(4)[1:]], "chunked": said(1, "other", 10)}
    for name, lines in runs.items():
        write_jsonl(folder / f"{name}.jsonl", lines)
        words = f"score --gold gold.jsonl --trace {name}.jsonl --by tags -o {name}.parquet"
        assert run(folder, words).code in (0, 1)
    (folder / "protected.txt").write_text("Q02\nQ19\n")
    return folder


def run(folder: Path, words: str) -> Ran:
    return ragstone(*words.split(), "--no-config", "--quiet", cwd=folder)


def test_what_broke_and_was_mended_is_listed(files: Path) -> None:
    found = run(files, "compare old.parquet new.parquet --json").json
    assert [row["qid"] for row in found["broke"]] == ["Q01", "Q02", "Q03"]
    assert [row["qid"] for row in found["mended"]] == ["Q00"]
    assert found["only_a"] == found["only_b"] == []
    row = found["broke"][0]
    assert row["lost_at"] == "contained"
    assert row["a"]["claim"] == "X rejects null keys."
    assert row["b"]["claim"] == WRONG
    assert row["b"]["citations"] == row["gold_citations"] == ["p1"]


@pytest.mark.parametrize(
    ("protect", "code", "decision"),
    [("Q10,Q11", 0, "PASS"), ("Q10,Q03", 1, "FAIL"), ("@protected.txt", 1, "FAIL")],
)
def test_a_protected_question_may_not_break(
    protect: str, code: int, decision: str, files: Path
) -> None:
    ran = run(files, f"compare old.parquet new.parquet --protect {protect} --json")
    assert (ran.code, ran.json["decision"]) == (code, decision)
    first = ran.json["broke"][0]
    assert first["protected"] is (code == 1)


def test_an_unknown_protected_question_is_an_error(files: Path) -> None:
    ran = run(files, "compare old.parquet new.parquet --protect Q1,QQ")
    assert ran.code == 2
    assert "did you mean 'Q1" in ran.err
    assert "'QQ'" in ran.err


def test_a_rechunked_index_is_no_regression(files: Path) -> None:
    words = "compare old.parquet chunked.parquet --max-regression precision=0.02"
    ran = run(files, f"{words} --json")
    assert (ran.code, ran.json["decision"]) == (3, "UNMEASURABLE")
    assert ran.json["reason"] == "labels_changed"
    assert any("ragstone migrate" in warning for warning in ran.json["warnings"])
    # Half of the ids are gone; who says that this is no matter gets the numbers judged.
    assert run(files, f"{words} --labels-share 0.5").code == 1
    assert run(files, f"{words} --protect Q15").code == 1
    assert run(files, f"{words} --protect Q05").code == 3


def test_a_comment_says_what_changed_before_the_gates(files: Path) -> None:
    words = "compare old.parquet new.parquet --max-regression precision=0.02 --by tags"
    text = run(files, f"{words} -f markdown").text
    assert text.startswith("<!-- ragstone compare: answers -->\n")
    parts = ["DO NOT SHIP", "### Broke", "### Mended", "### Numbers", "### Difference by tags"]
    places = [text.index(part) for part in (*parts, "### Gates")]
    assert places == sorted(places)
    assert "lost at contained" in text


def test_nothing_broke_is_said_so(files: Path) -> None:
    assert "changed    0 broke; 0 mended\n" in run(files, "compare old.parquet old.parquet").text
    text = run(files, "compare old.parquet old.parquet -f terminal").text
    assert "No question that is right in A is wrong in B." in text
    assert "Mended" not in text


FORMATS = ("txt", "json", "md", "html", "sarif", "xml")


def test_private_texts_stay_out_of_every_format(files: Path) -> None:
    outputs = " ".join(f"-o private.{name}" for name in FORMATS)
    words = f"compare old.parquet new.parquet --protect Q01 {outputs}"
    run(files, words)
    whole = {name: (files / f"private.{name}").read_text() for name in FORMATS}
    run(files, f"{words} --report-texts none")
    for name in FORMATS:
        assert ("Zq7secret" in whole[name]) == (name != "xml")
        hidden = (files / f"private.{name}").read_text()
        assert "Zq7secret" not in hidden
        assert "null keys" not in hidden
        assert "Q01" in hidden


def test_the_report_of_a_suite_shows_its_comparison_and_keeps_texts_private(files: Path) -> None:
    words = "score --gold gold.jsonl --trace new.jsonl --baseline old.parquet --protect Q02"
    ran = run(files, f"{words} --report-texts none -f markdown")
    text = ran.text
    assert ran.code == 1
    assert "### Broke" in text
    assert "Zq7secret" not in text
    assert "null keys" not in text


def test_no_name_of_a_file_acts_on_a_reader(files: Path) -> None:
    name = "new\x1b[31m<u>|`.parquet"
    (files / name).write_bytes((files / "new.parquet").read_bytes())
    outputs = [word for kind in FORMATS for word in ("-o", f"odd.{kind}")]
    ran = ragstone("compare", "old.parquet", name, *outputs, "--no-config", cwd=files)
    assert ran.code == 0, ran.err
    for kind in FORMATS:
        text = (files / f"odd.{kind}").read_text()
        assert "\x1b" not in text
        assert "<u>" not in text or kind in ("txt", "json", "sarif")


def test_rows_that_are_damaged_behind_a_good_footer_are_named(files: Path) -> None:
    whole = (files / "new.parquet").read_bytes()
    # The columns stand before the footer, which says itself how long it is.
    footer = int.from_bytes(whole[-8:-4], "little") + 8
    (files / "damaged.parquet").write_bytes(
        b"PAR1" + b"\xff" * (len(whole) - footer - 4) + whole[-footer:]
    )
    ran = run(files, "compare old.parquet damaged.parquet")
    assert ran.code == 2
    assert "damaged cannot be read as a Parquet file of verdict rows" in ran.err
