"""A Parquet file is read as it is, or refused in one sentence; damage is never a fault of ours."""

from __future__ import annotations

import datetime
import io
import json
import random
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from command import Command, Folder

from ragstone.contracts.sources import Source
from ragstone.engine.duck import Duck
from ragstone.engine.parquet_files import as_jsonl
from ragstone.errors import InputError

ROWS = [
    {
        "qid": f"A{number}",
        "answer_json": {"claim": f"文 {number}", "citations": [f"p{number}#1"]},
        "latency_ms": number / 7,
        "meta": [{"a": number, "b": None}],
    }
    for number in range(40)
]
# Ways to write the same rows; the schema of Arrow, which DuckDB does not read, is left out.
WRITTEN: dict[str, dict[str, Any]] = {
    "snappy": {"compression": "snappy"},
    "row groups": {"compression": "zstd", "row_group_size": 7},
    "gzip": {"compression": "gzip", "use_dictionary": False},
    "second version": {"compression": "none", "data_page_version": "2.0", "row_group_size": 10},
    "brotli": {"compression": "brotli"},
    "lz4": {"compression": "lz4", "use_dictionary": False},
}


@pytest.fixture(scope="module")
def duck() -> Iterator[Duck]:
    with Duck(threads=1) as opened:
        yield opened


def written(how: dict[str, Any]) -> bytes:
    made = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(ROWS), made, store_schema=False, **how)
    return made.getvalue()


def lines(duck: Duck, path: Path) -> list[bytes]:
    return as_jsonl(duck, Source("file", path, parquet=True)).path.read_bytes().splitlines()


def damaged(data: bytes, chance: random.Random) -> bytes:
    """The bytes with some flipped, zeroed, replaced, added or cut off; mostly near the end."""
    made = bytearray(data)
    near_end = max(0, len(made) - 1500)
    at = chance.randrange(chance.choice((4, near_end)), len(made))
    match chance.choice(("flip", "cut", "zero", "replace", "add")):
        case "flip":
            made[at] ^= 1 << chance.randrange(8)
        case "cut":
            del made[at:]
        case "zero":
            length = min(len(made) - at, chance.randrange(1, 40))
            made[at : at + length] = bytes(length)
        case "replace":
            made[at : at + 4] = chance.randbytes(4)
        case _:
            made[at:at] = chance.randbytes(chance.randrange(1, 9))
    return bytes(made)


def by_arrow(path: Path) -> list[Any] | None:
    try:
        return pq.read_table(path).to_pylist()  # type: ignore[no-any-return]
    except (OSError, ValueError, pa.ArrowException):
        return None


@pytest.mark.parametrize("how", WRITTEN)
def test_a_damaged_file_is_refused_or_read_as_another_reader_reads_it(
    how: str, duck: Duck, tmp_path: Path
) -> None:
    whole, chance, refused = written(WRITTEN[how]), random.Random(how), 0
    for number in range(40):
        path = tmp_path / f"{number}.parquet"
        path.write_bytes(damaged(whole, chance))
        try:
            found = lines(duck, path)
        except InputError as error:
            refused += 1
            said = str(error)
            assert said.startswith(("file is a damaged Parquet file: ", "file cannot be read: "))
            assert "\n" not in said
            assert len(said) < 150
            continue
        other = by_arrow(path)
        # A NaN that damage has made is unlike every other value, itself included.
        if other is not None and b"NaN" not in b"".join(found):
            assert [json.loads(line) for line in found] == other
    assert 5 < refused < 40


def test_a_file_that_breaks_in_the_middle_is_refused(duck: Duck, tmp_path: Path) -> None:
    whole = bytearray(written(WRITTEN["row groups"]))
    # Its list of columns is whole, and so are its first rows.
    middle = len(whole) // 3
    whole[middle : middle + 200] = bytes(200)
    path = tmp_path / "t.parquet"
    path.write_bytes(whole)
    with pytest.raises(
        InputError, match="damaged Parquet file: its rows cannot be read to the end"
    ):
        lines(duck, path)


def test_damage_is_one_sentence_on_the_command_line(command: Command, folder: Folder) -> None:
    folder.fill()
    whole = written(WRITTEN["snappy"])
    damages = {
        "cut": whole[:-9],
        "no footer": whole[:-200] + bytes(150) + whole[-50:],
        "no rows": whole[:4] + bytes(500) + whole[504:],
        "short": b"PAR1PAR1",
    }
    for name, data in damages.items():
        folder.write("t.parquet", data)
        for words in (["score", "--gold", "gold.jsonl", "--trace"], ["check"]):
            ran = command(*words, "t.parquet")
            assert (ran.code, ran.out) == (2, b""), name
            assert ran.err.startswith("ragstone: t.parquet is a damaged Parquet file: ")
            assert ran.err.count("\n") == 1


def test_an_encrypted_file_is_called_so(command: Command, folder: Folder) -> None:
    folder.write("t.parquet", b"PARE" + bytes(100) + b"PARE")
    ran = command("check", "t.parquet")
    assert ran.code == 2
    assert "t.parquet is an encrypted Parquet file; write it without encryption" in ran.err


def row_of(duck: Duck, tmp_path: Path, table: Any, **how: Any) -> str:
    path = tmp_path / "odd.parquet"
    pq.write_table(table, path, **how)
    return b"\n".join(lines(duck, path)).decode()


ODD: dict[str, tuple[Any, str]] = {
    "bytes that are text": (pa.array(["文é\\".encode()], pa.binary()), '"文é\\\\"'),
    "bytes that are none": (pa.array([b"\xff\xfe"], pa.binary()), '{"not_utf8":true}'),
    "bytes of one length": (pa.array(["文".encode()], pa.binary(3)), '"文"'),
    "bytes in a list": (pa.array([["é".encode()]], pa.list_(pa.binary())), '["é"]'),
    "no text in a list": (pa.array([[b"\xff"]], pa.list_(pa.binary())), '{"not_utf8":true}'),
    "a map": (pa.array([[("a", 1)]], pa.map_(pa.string(), pa.int64())), '{"a":1}'),
    "a decimal": (pa.array([Decimal("1." + "3" * 20)]), "1." + "3" * 20),
    "a large decimal": (pa.array([Decimal("9" * 38)], pa.decimal128(38, 0)), "9" * 38),
    "a giant decimal": (pa.array([Decimal("9" * 70)], pa.decimal256(76, 0)), "1e70"),
    "a moment": (pa.array([datetime.datetime(2024, 1, 2)]), '"2024-01-02 00:00:00"'),
    "a day": (pa.array([datetime.date(2024, 1, 2)]), '"2024-01-02"'),
    "a span of time": (pa.array([datetime.timedelta(seconds=1)]), "1000000"),
    "one of few words": (pa.array(["a"]).dictionary_encode(), '"a"'),
    "NaN": (pa.array([float("nan")]), "null"),
    "infinity": (pa.array([float("inf")]), "Infinity"),
    "NaN in a list": (pa.array([[float("nan")]]), "[NaN]"),
    "infinity in a struct": (pa.array([{"a": float("-inf")}]), '{"a":-Infinity}'),
    "nothing": (pa.nulls(1), "null"),
    "the largest number": (pa.array([2**64 - 1], pa.uint64()), str(2**64 - 1)),
    "half a float": (pa.array([1.5]).cast(pa.float16()), "1.5"),
}


@pytest.mark.parametrize("what", ODD)
def test_odd_columns_are_written_so_that_the_contract_can_judge_them(
    what: str, duck: Duck, tmp_path: Path
) -> None:
    values, text = ODD[what]
    assert row_of(duck, tmp_path, pa.table({"x": values})) == f'{{"x":{text}}}'


@pytest.mark.parametrize(
    ("table", "reason"),
    [
        (pa.table({"QID": ["a"], "qid": ["b"]}), "told apart, 'QID' and 'qid'; rename one"),
        (pa.table({"a": [{"x": 1, "X": 2}]}), "told apart, 'x' and 'X'; rename one"),
        (pa.table({}), "is a damaged Parquet file: its list of columns cannot be read"),
        (
            pa.table({"q": pa.array([b"\xff"], pa.binary()).view(pa.string())}),
            "is a damaged Parquet file: its rows cannot be read to the end",
        ),
    ],
    ids=["columns that differ in case", "in a struct", "no column", "text that is not UTF-8"],
)
def test_what_cannot_be_read_rightly_is_refused(
    table: Any, reason: str, duck: Duck, tmp_path: Path
) -> None:
    with pytest.raises(InputError) as error:
        row_of(duck, tmp_path, table, store_schema=False)
    assert reason in str(error.value)


def test_no_row_and_a_column_without_a_name(duck: Duck, tmp_path: Path) -> None:
    assert row_of(duck, tmp_path, pa.table({"qid": pa.array([], pa.string())})) == ""
    assert '"qid":"a"' in row_of(duck, tmp_path, pa.table({"": [float("nan")], "qid": ["a"]}))
