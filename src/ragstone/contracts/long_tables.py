"""Judgments and runs in memory, whatever they come in, as nested dicts of text ids."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Protocol, runtime_checkable

from ragstone.contracts.ids import id_text
from ragstone.contracts.plain_numbers import clipped
from ragstone.contracts.sources import ArrowLike, PandasLike, PolarsLike, frame_rows
from ragstone.errors import InputError

_QID = ("qid", "query_id", "q_id", "query-id", "query", "topic")
_DOC = ("doc", "doc_id", "docid", "docno", "document_id", "corpus-id", "corpus_id")
_VALUE = ("score", "grade", "relevance", "rel", "label", "sim")


@runtime_checkable
class ArrayLike(Protocol):
    """A numpy array, or anything that gives its items as lists."""

    def tolist(self) -> list[object]: ...


Column = Sequence[object] | ArrayLike
Nested = (
    Mapping[str, Mapping[str, float]]
    | Mapping[str, Sequence[str]]
    | ArrowLike
    | PolarsLike
    | PandasLike
    | ArrayLike
    | tuple[Column, Column, Column]
    | Iterable[tuple[object, object, object]]
)
Row = tuple[object, object, object]


def nested(given: Nested, what: str) -> Mapping[str, Mapping[str, float]]:
    """Question → document → number; ids become text, and a repeated document keeps its best.

    >>> nested([(1, "a", 0.5), (1.0, "b", 0.7)], "run")
    {'1': {'a': 0.5, 'b': 0.7}}
    >>> nested({"q": ["a", "b"]}, "run")
    {'q': {'a': -1.0, 'b': -2.0}}
    """
    if isinstance(given, Mapping):
        return _from_mapping(given, what)
    return _from_rows(_rows(given, what), what)


def grades_of(qrels: Mapping[str, Mapping[str, float]]) -> Mapping[str, Mapping[str, int]]:
    """The same with whole numbers for grades; a data frame may hold them as 1.0."""
    return {
        qid: gold if _are_grades(gold.values()) else _whole(gold, qid)  # type: ignore[misc]
        for qid, gold in qrels.items()
    }


def _are_grades(values: Collection[float]) -> bool:
    """Whether all are whole numbers of 32 bits, as the grades of a file are."""
    return not values or (
        set(map(type, values)) <= _INT and -(2**31) <= min(values) <= max(values) < 2**31
    )


def _whole(gold: Mapping[str, float], qid: str) -> dict[str, int]:
    for doc, grade in gold.items():
        # Decimals and the numbers of numpy are no ints and floats, and may be whole all the same.
        try:
            fits = -(2**31) <= grade < 2**31 and float(grade).is_integer()
        except (TypeError, ValueError, ArithmeticError):
            fits = False
        if not fits:
            raise InputError(
                f"qrels: qid {qid!r}: the grade of {doc!r} is {clipped(grade)}, no whole number "
                "of 32 bits"
            )
    return {doc: int(grade) for doc, grade in gold.items()}


def _from_mapping(given: Mapping[str, object], what: str) -> Mapping[str, Mapping[str, float]]:
    made: dict[str, Mapping[str, float]] = {}
    for key, ranking in given.items():
        # Asked for each of many questions, so the common answers come first.
        qid = key if type(key) is str and key[-2:] != ".0" else _text(key, what)
        if qid in made:
            raise InputError(f"{what}: qid {qid!r} is given twice")
        if type(ranking) is dict or isinstance(ranking, Mapping):
            made[qid] = ranking if _all_text(ranking) else _keyed(ranking, qid, what)
        elif isinstance(ranking, Iterable) and not isinstance(ranking, str):
            made[qid] = _in_order(ranking, qid, what)
        else:
            raise InputError(f"{what}: qid {qid!r}: expected a dict or a list of documents")
    return made


_INT = {int}


def _all_text(keys: Iterable[object]) -> bool:
    """Whether all keys are text: joining them is the fastest question to ask."""
    try:
        "".join(keys)  # type: ignore[arg-type]
    except TypeError:
        return False
    return True


def _keyed(ranking: Mapping[object, float], qid: str, what: str) -> dict[str, float]:
    made: dict[str, float] = {}
    for key, value in ranking.items():
        doc = _text(key, what)
        if doc in made:
            raise InputError(f"{what}: qid {qid!r}: document {doc!r} is given twice")
        made[doc] = value
    return made


def _in_order(ranking: Iterable[object], qid: str, what: str) -> dict[str, float]:
    """A list without scores is in rank order; a repeated id keeps its first place."""
    made: dict[str, float] = {}
    for rank, key in enumerate(ranking, 1):
        made.setdefault(_text(key, what), 1.0 if what == "qrels" else -float(rank))
    return made


def _rows(given: object, what: str) -> Iterable[Row]:
    """A long table as rows of question, document and number."""
    rows = frame_rows(given)
    if rows is not None:
        return _picked(rows, what)
    names = getattr(getattr(given, "dtype", None), "names", None)
    if names and isinstance(given, ArrayLike):
        return _picked(
            (dict(zip(names, _triple(r, what, 0), strict=False)) for r in given.tolist()), what
        )
    if isinstance(given, ArrayLike):
        return (_triple(row, what, n) for n, row in enumerate(given.tolist(), 1))
    if isinstance(given, tuple) and len(given) == 3 and all(_is_column(c) for c in given):
        columns = [c.tolist() if isinstance(c, ArrayLike) else c for c in given]
        if len(set(map(len, columns))) > 1:
            raise InputError(f"{what}: expected three columns of one length")
        return zip(*columns, strict=True)
    if isinstance(given, Iterable) and not isinstance(given, str | bytes):
        return (_triple(row, what, n) for n, row in enumerate(given, 1))
    raise InputError(
        f"{what}: expected nested dicts, a data frame or arrays, found {clipped(given)}"
    )


def _is_column(value: object) -> bool:
    return isinstance(value, ArrayLike) or (
        isinstance(value, Sequence) and not isinstance(value, str) and len(value) != 3
    )


def _triple(row: object, what: str, number: int) -> Row:
    if isinstance(row, Sequence) and not isinstance(row, str) and len(row) == 3:
        return row[0], row[1], row[2]
    raise InputError(f"{what}: row {number}: expected question, document and number")


def _picked(rows: Iterable[Mapping[str, object]], what: str) -> Iterable[Row]:
    keys: tuple[str, str, str] | None = None
    for row in rows:
        if keys is None:
            keys = (_named(row, _QID, what), _named(row, _DOC, what), _named(row, _VALUE, what))
        yield row[keys[0]], row[keys[1]], row[keys[2]]


def _named(row: Mapping[str, object], known: Sequence[str], what: str) -> str:
    for name in known:
        if name in row:
            return name
    raise InputError(
        f"{what}: expected a column {' or '.join(known[:3])}, found {', '.join(map(str, row))}"
    )


def _from_rows(rows: Iterable[Row], what: str) -> dict[str, dict[str, float]]:
    made: dict[str, dict[str, float]] = {}
    for number, (question, document, value) in enumerate(rows, 1):
        qid, doc = _text(question, what), _text(document, what)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise InputError(f"{what}: row {number}: expected a number, found {clipped(value)}")
        ranking = made.setdefault(qid, {})
        if doc in ranking and what == "qrels":
            raise InputError(f"{what}: row {number}: {doc!r} is judged twice (qid {qid!r})")
        # NaN is greater than nothing, so it must win here to be found later.
        if doc not in ranking or not value <= ranking[doc]:
            ranking[doc] = value
    return made


def _text(key: object, what: str) -> str:
    if isinstance(key, bool) or not isinstance(key, str | int | float):
        item = getattr(key, "item", None)
        if callable(item):
            return _text(item(), what)
        raise InputError(f"{what}: expected an id, found {clipped(key)}")
    try:
        return id_text(key)
    except ValueError:
        # Python writes out no whole number of more than 4,300 digits.
        raise InputError(f"{what}: expected an id, found {clipped(key)}") from None
