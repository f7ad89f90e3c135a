"""Which columns of a Parquet file are read: those that somebody asks for, and those of its path."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ragstone.contracts.diagnose import OLDER_KEYS
from ragstone.contracts.near_keys import nearest
from ragstone.contracts.path_columns import path_columns
from ragstone.contracts.record import FieldMap, Record
from ragstone.contracts.record_lines import record_lines
from ragstone.contracts.sources import Source


@dataclass(frozen=True, eq=False)
class Wanted:
    """What is read of the files of a record: columns with these names, or, if `whole`, all.

    A column whose name is nearly that of a field is read too, for it may be a mistake.

    Columns of a path are read if they are among the names; those in `mapped` are read by the user's
    own word. `mapping` is what all of these come from.
    """

    record: Record
    names: frozenset[str]
    mapped: frozenset[str] = frozenset()
    whole: bool = False
    mapping: FieldMap = field(default_factory=dict)

    def reads(self, name: str) -> bool:
        return self.whole or name in self.names or bool(nearest(self.record.keys, name))

    def of_path(self, name: str) -> Mapping[str, str]:
        """The columns of a file's path that are read; their values are texts.

        One that has the name of a field which takes no such text is not that field: whoever sorts
        runs into `seed=3/` has not said that a seed is "3".
        """
        return {
            key: value
            for key, value in path_columns(name).items()
            if key in self.mapped or (key in self.names and self._takes(key, value))
        }

    def lines_of(self, source: Source) -> Iterator[bytes]:
        """The records of a source that is no Parquet file, with the columns of its path."""
        return record_lines(source, self.record, self.mapping, self.of_path(source.name))

    def _takes(self, name: str, value: str) -> bool:
        fields = [each for each in self.record.fields if each.path[0] == name]
        return all(len(each.path) == 1 and each.values.fits(value) for each in fields)


def wanted(
    record: Record, mapping: FieldMap, extra: Sequence[str] = (), *, whole: bool = False
) -> Wanted:
    """The columns that the fields of a record are read from, and `extra` ones."""
    mapped = {each.path[0] for each in mapping.values() if each.given and each.path}
    names = frozenset({step for step in mapped if isinstance(step, str)})
    # A path such as `[0]` leads into the line itself, and a message then shows all of it.
    whole = whole or len(names) < len(mapped)
    own = {each.path[0] for each in record.fields}
    every = frozenset({*own, *names, *extra, *OLDER_KEYS})
    return Wanted(record, every, names, whole, mapping)
