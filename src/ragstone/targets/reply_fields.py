"""`--reply claim=output.text citations=sources[].id`: where a reply has the fields of a trace."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from ragstone.contracts.json_paths import BadPath, spelled
from ragstone.contracts.kinds import KINDS, Kind
from ragstone.contracts.mapped_fields import Ids, Mapped, parse_mapped
from ragstone.contracts.mapped_values import read_mapped
from ragstone.contracts.record import Field, Given, mapping_of
from ragstone.contracts.records.trace_records import TRACE
from ragstone.errors import ConfigError
from ragstone.gates.judge import suggestion
from ragstone.suites.checked_maps import misfits_of

# What the runner knows itself, and what has no meaning in a reply.
_NOT_REPLIED = ("qid", "q_id", "q", "ts", "latency_ms", "chunks", "answer", "ok", "reason")
_WHOLE = ("answer_json", "stage_ms", "tokens", "topk")
_ABSENT = object()

Read = Callable[[object], object]


class NotThere(Exception):
    """A path that leads to nothing in a reply."""


def reader(reply: Mapping[str, str], ids: Ids = "", cite_base: int = 1) -> Read:
    """A function that gives a reply the form of our own contract, or raises NotThere.

    Only what is named is read; without names a reply is taken as it is.

    >>> reader({"claim": "out.text", "refused": "!ok"})({"out": {"text": "X."}, "ok": True})
    {'answer_json': {'claim': 'X.'}, 'refused': False}
    """
    places = tuple(_places(reply, ids, cite_base))
    if not places:
        return lambda value: value

    def read(value: object) -> object:
        made: dict[str, object] = {}
        for at, mapped, kind in places:
            _put(made, at, _found(value, mapped, kind))
        return made

    return read


def _put(made: dict[str, object], at: tuple[str, ...], found: object) -> None:
    if len(at) == 1:
        made[at[0]] = found
        return
    inside = made.setdefault(at[0], {})
    if isinstance(inside, dict):
        inside[at[1]] = found


def _found(value: object, mapped: Mapped, kind: Kind) -> object:
    found, blocked, wrong = read_mapped(mapped, value, kind, _ABSENT)
    name = spelled(mapped.path)
    if wrong:
        raise NotThere(f"{name} of the reply: {wrong}")
    if found is _ABSENT:
        at = "" if blocked is None else f": {spelled(blocked) or 'it'} is of another kind"
        raise NotThere(f"the reply has no {name}{at}")
    return found


def _places(
    reply: Mapping[str, str], ids: Ids, cite_base: int
) -> Iterator[tuple[tuple[str, ...], Mapped, Kind]]:
    """Where each named field is put, and how it is read."""
    known: dict[str, tuple[str, ...]] = {name: (name,) for name in _WHOLE}
    for each in TRACE.fields:
        if each.name not in _NOT_REPLIED:
            known[each.name] = each.path
            known.setdefault(each.leaf, each.path)
    fields = {each.path: each for each in TRACE.fields}
    taken: dict[tuple[str, ...], str] = {}
    for name, text in reply.items():
        at = known.get(name)
        if at is None:
            raise ConfigError(f"--reply {name}: no such field{suggestion(name, list(known))}")
        if any(at[: len(one)] == one or one[: len(at)] == at for one in taken):
            raise ConfigError(f"--reply {name}: it is given twice")
        taken[at] = name
        _must_fit(fields.get(at), name, text)
    words = {".".join(at): reply[name] for at, name in taken.items() if at in fields}
    mapping = mapping_of(TRACE, Given(words, ids, cite_base))
    for at, name in taken.items():
        field = fields.get(at)
        mapped = parse_mapped(reply[name]) if field is None else mapping[field.name]
        if mapped.positions_in and not any(place.given for place in mapped.listing):
            says = f"{mapped.positions_in} is not read from the reply; name it too"
            raise ConfigError(f"--reply {name}: {says}")
        yield at, mapped, KINDS["any"] if field is None else field.values


def _must_fit(field: Field | None, name: str, text: str) -> None:
    """Refuses what cannot be read, or can never be what the field asks for."""
    try:
        mapped = parse_mapped(text)
    except BadPath as error:
        raise ConfigError(f"--reply {name}: {error}") from None
    for reason in () if field is None else misfits_of(TRACE, field, mapped, text):
        raise ConfigError(f"--reply {name}: {reason}")
