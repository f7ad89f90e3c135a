"""TREC files mean the same to the engine's fast readers and to the lines split in Python."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from ragstone.contracts.sources import find
from ragstone.engine import trec_lines
from ragstone.engine.duck import Duck
from ragstone.engine.trec_lines import Kind, TrecFile, must_be_good, with_views
from ragstone.errors import ContractError

PARTS = [b"1", b"Q0", b"d1", b"2", b"0.5", b"-3", b"tag", b"\xe6\x96\x87", b" ", b" ", b" ", b"\t"]
PARTS += [b"\n", b"\n", b"\r\n", b"\r", b"\0", b"\1", b"\v", b"\f", b"\xef\xbb\xbf", b"\xff", b'"']
LINES = {
    "run": [b"1 Q0 d1 1 0.5 tag\n", b"2 Q0 d1 2 1e39 t\n", b"1 Q0 d2 3 -1 tag\r\n"],
    "qrels": [b"1 0 d1 1\n", b"2 0 d1 -2\n", b"2 0 d2 +3\r\n"],
    "beir": [b"query-id\tcorpus-id\tscore\n", b"1\td1\t1\n", b"2\td1\t0\n"],
}


@pytest.fixture(scope="module")
def duck() -> Iterator[Duck]:
    with Duck(threads=1) as opened:
        yield opened


def rows(duck: Duck, kind: Kind, path: Path) -> list[tuple[object, ...]] | list[str]:
    """What a file holds, or what is wrong with it."""
    (source,) = find(path, "x", duck.scratch)
    file = TrecFile(source, kind, "view_of_it")
    value = "score" if kind == "run" else "grade"
    sql = f"select qid, doc, {value} from view_of_it order by all"
    wrong: list[str] = []

    def check() -> None:
        try:
            must_be_good((file,))
        except ContractError as error:
            # A document that is judged twice is found in the rows.
            wrong.extend(str(found) for found in error.diagnostics if found.field != "doc")
            if wrong:
                raise

    try:
        return with_views(duck, (file,), lambda: duck.query(sql), check)
    except ContractError:
        return wrong


@settings(
    max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(kind=st.sampled_from(list(LINES)), odd=st.lists(st.sampled_from(PARTS), max_size=8),
       at=st.integers(0, 40))  # fmt: skip
@example(kind="run", odd=[b"tag\r2 Q0 d1 1 5 tag"], at=16)
@example(kind="qrels", odd=["١".encode()], at=7)
@example(kind="run", odd=[b"\0" * 3_000_000], at=0)
@example(kind="run", odd=[b"x" * 3_000_000], at=0)
def test_every_way_of_reading_gives_the_same_rows(
    kind: Kind, odd: list[bytes], at: int, duck: Duck, tmp_path: Path
) -> None:
    content = b"".join(LINES[kind])
    path = tmp_path / "file"
    path.write_bytes(content[:at] + b"".join(odd) + content[at:])
    found = rows(duck, kind, path)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trec_lines, "_is_odd", lambda source: True)
        assert rows(duck, kind, path) == found
