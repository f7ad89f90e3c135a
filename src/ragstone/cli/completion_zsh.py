"""The completion script for zsh: a file for a folder of `fpath`, or one to source."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ragstone.cli.completion import Flag, Place, Value

_HEAD = """\
#compdef ragstone
# Completes `ragstone` in zsh: the file _ragstone of a folder in $fpath, or sourced after compinit.
"""
_TAIL = """
# As a file of $fpath this is the body of the function, which has just defined itself.
if [[ $funcstack[1] == _ragstone ]]; then
    _ragstone "$@"
else
    compdef _ragstone ragstone
fi
"""


def script(places: Sequence[Place]) -> str:
    """A function for each place; one that has inner places hands on to theirs."""
    return _HEAD + "".join(f"\n{_function(place)}" for place in places) + _TAIL


def _name(words: Sequence[str]) -> str:
    return "_".join(("_ragstone", *words))


def _function(place: Place) -> str:
    specs = [spec for flag in place.listed for spec in _flag(flag)]
    if not place.inner:
        specs += _arguments(place.arguments)
        return "\n".join(
            (f"{_name(place.words)}() {{", "    _arguments -s \\", _listed(specs), "}\n")
        )
    names = "\n".join(f"        {_quoted(_choice(*each))}" for each in place.inner)
    onward = "\n".join(
        f"            {name}) {_name((*place.words, name))} ;;" for name, _ in place.inner
    )
    return f"""\
{_name(place.words)}() {{
    local curcontext=$curcontext context state state_descr line
    typeset -A opt_args
    local -a inner=(
{names}
    )
    _arguments -C \\
{_listed([*specs, "1: :->inner", "*:: :->onward"])}
    case $state in
        inner) _describe {"action" if place.words else "command"} inner ;;
        onward)
            case $line[1] in
{onward}
            esac
            ;;
    esac
}}
"""


def _listed(specs: Sequence[str]) -> str:
    return " \\\n".join(f"        {_quoted(spec)}" for spec in specs)


def _flag(flag: Flag) -> Iterator[str]:
    """A spec for each name; `*` in front, because a flag may be given again."""
    for name in flag.names:
        spec = f"*{name}[{_plain(flag.says)}]"
        if flag.value:
            # Of a flag that takes several words, all up to the next flag are its own.
            spec += f":{'*-*:' if flag.value.many else ''}{_value(flag.value)}"
        yield spec


def _arguments(values: Sequence[Value]) -> Iterator[str]:
    for number, value in enumerate(values, start=1):
        yield f"{'*' if value.many else number}:{_value(value)}"


def _value(value: Value) -> str:
    action = f"({' '.join(value.words)})" if value.words else "_files" if value.files else " "
    return f"{_plain(value.called)}:{action}"


def _choice(name: str, says: str) -> str:
    return f"{name}:{says}"


def _plain(text: str) -> str:
    """Text inside a spec: brackets and colons end it there."""
    for mark in ("\\", "[", "]", ":"):
        text = text.replace(mark, f"\\{mark}")
    return text


def _quoted(text: str) -> str:
    marked = text.replace("'", "'\\''")
    return f"'{marked}'"
