"""Which system's answers are read, where files hold those of several: they are never mixed."""

from __future__ import annotations

import shlex
from collections.abc import Collection

from ragstone.engine.duck import Duck, quoted, text
from ragstone.errors import ConfigError, InputError
from ragstone.formats.declared_format import Format, first_of

OTHER_SYSTEM = {"other_system": "the answer of another system than the one that was chosen"}
_SHOWN = 20


def of_one_system(format: Format, said: str) -> str:
    """The rows that a format's SQL said, those of systems that were not chosen as lost."""
    if not format.system:
        return said
    (other,) = OTHER_SYSTEM
    chosen = f"case when system = {quoted(format.system)} then from_lost else {quoted(other)} end"
    return f"(select * replace ({chosen} as from_lost) from {said})"


def must_be_one_system(
    duck: Duck, format: Format, said: str, columns: Collection[str], files: str
) -> None:
    """Refuses answers of several systems of which none was chosen, and a choice that is not there.

    A format tells systems apart by the column `system`; `--from NAME:SYSTEM` chooses one.
    """
    if "system" not in columns:
        if format.system:
            raise ConfigError(
                f"{format.name} does not say whose answers are whose: leave out :{format.system}"
            )
        return
    found = duck.query(f"select distinct coalesce(system, '(no name)') from {said} order by 1")
    names = [text(name) for (name,) in found]
    if format.system and format.system not in names:
        there = first_of(names, _SHOWN)
        raise InputError(f"{files}: no system is called {format.system!r}; there are {there}")
    if len(names) > 1 and not format.system:
        one = shlex.quote(f"{format.name}:{names[-1]}")
        raise InputError(
            f"{files}: {len(names):,} systems answered, {first_of(names, _SHOWN)}; choose one, as "
            f"in --from {one}"
        )
