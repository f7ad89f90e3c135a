"""The completion script for bash. It needs no package beside bash itself."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from itertools import groupby

from ragstone.cli.completion import Flag, Place, Value

_SCRIPT = """\
# Completes `ragstone` in bash: source this file from ~/.bashrc.
_ragstone() {
    local cur=${COMP_WORDS[COMP_CWORD]} place='' last='' behind=0 i word
    local flags='' words='' files='' takes='' offered='' offered_files=''
    # A `=` is a word of its own to bash.
    [ "$cur" = '=' ] && cur=''
    for ((i = 1; i < COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        case "$place/$word" in
@INNER@) place="${place:+$place }$word" ;;
        esac
        case "$word" in
            -*) last=$word behind=0 ;;
            '=') ;;
            *) behind=$((behind + 1)) ;;
        esac
    done
    case "$place" in
@PLACES@
    esac
    COMPREPLY=()
    if [ "$takes" = many ] || { [ "$takes" = one ] && [ "$behind" = 0 ]; }; then
        words=$offered files=$offered_files
        case "$cur" in -*) words=$flags files='' ;; esac
    elif [ -z "$words$files" ] || [ "${cur#-}" != "$cur" ]; then
        words=$flags files=''
    fi
    while IFS= read -r word; do
        COMPREPLY+=("$word")
    done < <(
        [ -n "$words" ] && compgen -W "$words" -- "$cur"
        [ -n "$files" ] && compgen -f -- "$cur"
    )
    if [ -n "$files" ]; then
        compopt -o filenames 2>/dev/null
    fi
    return 0
}
complete -F _ragstone ragstone
"""


def script(places: Sequence[Place]) -> str:
    """One function: it finds the command and the last flag, and looks up what may follow them."""
    inner = [
        f"{' ' * 12}{shlex.quote(f'{place.name}/{name}')}"
        for place in places
        for name, _ in place.inner
    ]
    tables = "\n".join(line for place in places for line in _table(place))
    return _SCRIPT.replace("@INNER@", " | \\\n".join(inner)).replace("@PLACES@", tables)


def _table(place: Place) -> Iterator[str]:
    """What a place offers, and of each flag that takes something, what it takes."""
    words = [name for name, _ in place.inner]
    words += [word for each in place.arguments for word in each.words]
    files = any(each.files for each in place.arguments)
    yield f"        {shlex.quote(place.name)})"
    yield f"            flags={shlex.quote(' '.join(n for f in place.listed for n in f.names))}"
    if words:
        yield f"            words={shlex.quote(' '.join(words))}"
    if files:
        yield "            files=yes"
    taking = sorted((flag for flag in place.listed if flag.value), key=_what)
    if taking:
        yield '            case "$last" in'
        for what, flags in groupby(taking, _what):
            names = " | ".join(name for flag in flags for name in flag.names)
            yield f"                {names}) {what} ;;"
        yield "            esac"
    yield "            ;;"


def _what(flag: Flag) -> str:
    value = flag.value or Value()
    takes = f"takes={'many' if value.many else 'one'}"
    if value.words:
        return f"{takes} offered={shlex.quote(' '.join(value.words))}"
    return f"{takes} offered_files=yes" if value.files else takes
