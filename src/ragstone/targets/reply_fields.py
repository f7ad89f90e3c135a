"""`--reply claim=output.text citations=sources[].id`: where a reply has the fields of a trace."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from ragstone.contracts.json_paths import BadPath, Path, parse_path, spelled, walk
from ragstone.contracts.records.trace_records import TRACE
from ragstone.errors import ConfigError
from ragstone.gates.judge import suggestion

# What the runner knows itself, and what has no meaning in a reply.
_NOT_REPLIED = ("qid", "q_id", "q", "ts", "latency_ms", "chunks", "answer", "ok", "reason")
_WHOLE = ("answer_json", "stage_ms", "tokens", "topk")
_ABSENT = object()

Read = Callable[[object], object]


class NotThere(Exception):
    """A path that leads to nothing in a reply."""


def reader(reply: Mapping[str, str]) -> Read:
    """A function that gives a reply the form of our own contract, or raises NotThere.

    Only what is named is read; without names a reply is taken as it is.

    >>> reader({"claim": "out.text"})({"out": {"text": "X."}, "more": 1})
    {'answer_json': {'claim': 'X.'}}
    """
    places = tuple(_places(reply))
    if not places:
        return lambda value: value

    def read(value: object) -> object:
        made: dict[str, dict[str, object] | object] = {}
        for at, path in places:
            found = _found(value, path)
            if len(at) == 1:
                made[at[0]] = found
            else:
                inside = made.setdefault(at[0], {})
                if isinstance(inside, dict):
                    inside[at[1]] = found
        return made

    return read


def _found(value: object, path: Path) -> object:
    found, blocked = walk(value, path, _ABSENT)
    if found is _ABSENT or (isinstance(found, list) and any(item is _ABSENT for item in found)):
        at = "" if blocked is None else f": {spelled(blocked) or 'it'} is of another kind"
        raise NotThere(f"the reply has no {spelled(path)}{at}")
    return found


def _places(reply: Mapping[str, str]) -> Iterator[tuple[tuple[str, ...], Path]]:
    """Where each named field is put, and the path that it is read from."""
    known: dict[str, tuple[str, ...]] = {name: (name,) for name in _WHOLE}
    for each in TRACE.fields:
        if each.name not in _NOT_REPLIED:
            known[each.name] = each.path
            known.setdefault(each.leaf, each.path)
    taken: list[tuple[str, ...]] = []
    for name, text in reply.items():
        at = known.get(name)
        if at is None:
            raise ConfigError(f"--reply {name}: no such field{suggestion(name, list(known))}")
        if any(at[: len(one)] == one or one[: len(at)] == at for one in taken):
            raise ConfigError(f"--reply {name}: it is given twice")
        taken.append(at)
        try:
            yield at, parse_path(text)
        except BadPath as error:
            raise ConfigError(f"--reply {name}: {error}") from None
