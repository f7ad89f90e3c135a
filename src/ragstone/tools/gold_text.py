"""A gold file as text: an item is put into it, and every other byte stays where it is."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from ragstone.contracts.diagnose import BLANKS, BOM, Rules, good_lines
from ragstone.contracts.record import EVERY_KEY, Allowing, Record, problems
from ragstone.contracts.records.gold_record import GOLD
from ragstone.contracts.records.retrieval_records import RETRIEVAL_GOLD
from ragstone.contracts.strict_json import NotJson, parse, written
from ragstone.errors import Diagnostics, InputError
from ragstone.progress import counting

Item = dict[str, object]


@dataclass(frozen=True, slots=True)
class GoldText:
    """The bytes of a gold file, its items by their qids, and the bytes at which each stands."""

    data: bytes
    retrieval: bool
    items: Mapping[str, Item]
    places: Mapping[str, tuple[int, int]]
    allowed: Collection[str] = ()

    @property
    def record(self) -> Record:
        return RETRIEVAL_GOLD if self.retrieval else GOLD


def is_retrieval_item(item: Mapping[str, object]) -> bool:
    """Whether an item has what only a retrieval gold set has.

    >>> is_retrieval_item({"qid": "A", "paraphrases": ["Why?"], "relevant": ["p1"]})
    True
    """
    # Answers gold may have other wordings too, for `ragstone run --paraphrases`.
    return "relevant" in item or ("paraphrases" in item and "answerable" not in item)


def gold_text(name: str, data: bytes, allowed: Collection[str] = ()) -> GoldText:
    """The items of a gold file of JSON Lines; ContractError lists every bad line.

    A file without a line is one to which a first item can be added.
    """
    lines = data.split(b"\n")
    retrieval = _is_retrieval(lines)
    told = counting(lines, f"reading {name}", "lines")
    bad = Diagnostics()
    record = RETRIEVAL_GOLD if retrieval else GOLD
    found = [*good_lines(record, [(name, told)], Allowing({}, allowed), bad, Rules("qid"))]
    bad.must_be_none()
    spans = [*_spans(lines)]
    items = {str(item["qid"]): item for _, _, item in found}
    places = {str(item["qid"]): spans[number - 1] for _, number, item in found}
    return GoldText(data, retrieval, items, places, allowed)


def _is_retrieval(lines: Iterable[bytes]) -> bool:
    for line in lines:
        text = line.removeprefix(BOM).strip(BLANKS)
        if text:
            try:
                first = parse(text, explain=False)
            except NotJson:
                return False
            return isinstance(first, dict) and is_retrieval_item(first)
    return False


def _spans(lines: Iterable[bytes]) -> Iterable[tuple[int, int]]:
    """Where the value of each line stands: without a byte-order mark and the blanks around it."""
    at = 0
    for number, line in enumerate(lines):
        inside = line.removeprefix(BOM) if number == 0 else line
        begin = at + len(line) - len(inside.lstrip(BLANKS))
        yield begin, begin + len(inside.strip(BLANKS))
        at += len(line) + 1


def with_items(text: GoldText, items: Iterable[Mapping[str, object]]) -> bytes:
    """The file with these items: each in the place of the one with its qid, else at the end.

    >>> held = gold_text("gold.jsonl", b'{"qid":"A","answerable":true}')
    >>> with_items(held, [{"qid": "B", "answerable": False}])
    b'{"qid":"A","answerable":true}\\n{"qid": "B", "answerable": false}'
    """
    data, added = text.data, []
    changed: list[tuple[int, int, bytes]] = []
    for item in items:
        line = line_of(item, text.record)
        place = text.places.get(str(item["qid"]))
        if place is None:
            added.append(line)
        else:
            changed.append((*place, line))
    # From the last to the first, so that places before it stay what they are.
    for begin, end, line in sorted(changed, reverse=True):
        data = data[:begin] + line + data[end:]
    return _appended(data, added)


def line_of(item: Mapping[str, object], record: Record) -> bytes:
    """An item as a line, which says exactly what the item says and keeps the contract."""
    # Which keys it may have was said when its file was read.
    found = problems(record, item, Allowing({}, (EVERY_KEY,)))
    wrong = "; ".join(f"{field}: {reason}" for field, reason in found)
    if wrong:
        raise InputError(f"the item cannot be saved: {wrong}")
    try:
        line = written(item).encode()
        same = parse(line) == item
    except (NotJson, UnicodeEncodeError):
        same = False
    if not same:
        says = "a text or a number of it cannot be written as JSON"
        raise InputError(f"the item {item['qid']!r} cannot be saved: {says}")
    return line


def _appended(data: bytes, lines: list[bytes]) -> bytes:
    """The lines at the end; a file whose last line has no line end goes on without one."""
    if not lines:
        return data
    ending = b"\r\n" if data[: data.rfind(b"\n") + 1].endswith(b"\r\n") else b"\n"
    joined = ending.join(lines)
    if data.removeprefix(BOM) and not data.endswith(b"\n"):
        return data + ending + joined
    return data + joined + ending
