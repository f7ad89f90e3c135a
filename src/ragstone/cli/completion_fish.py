"""The completion script for fish: a file for its folder `completions`, or one to source."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ragstone.cli.completion import Flag, Place

_HEAD = """\
# Completes `ragstone` in fish: as ~/.config/fish/completions/ragstone.fish, or sourced.

# The command and the action that stand before the cursor.
function __ragstone_place
    set -l place
    for word in (commandline -opc)[2..]
        switch "$place/$word"
@INNER@
                set -a place $word
        end
    end
    echo "$place"
end

function __ragstone_at
    test (__ragstone_place) = "$argv[1]"
end

# Whether the last flag is one of these, each of which takes all words up to the next flag.
function __ragstone_behind
    __ragstone_at $argv[1]; or return
    set -l flags (string match -- '-*' (commandline -opc))
    contains -- "$flags[-1]" $argv[2..]
end

complete -c ragstone -f
"""


def script(places: Sequence[Place]) -> str:
    """A line for each thing that can be completed, with the place where it can."""
    inner = " ".join(_quoted(f"{place.name}/{name}") for place in places for name, _ in place.inner)
    head = _HEAD.replace("@INNER@", f"            case {inner}")
    return head + "\n".join(line for place in places for line in ("", *_lines(place))) + "\n"


def _lines(place: Place) -> Iterator[str]:
    here = f"complete -c ragstone -n {_quoted(f'__ragstone_at {_quoted(place.name)}')}"
    for name, says in place.inner:
        yield f"{here} -a {_quoted(name)} -d {_quoted(says)}"
    for value in place.arguments:
        if value.words:
            yield f"{here} -a {_quoted(' '.join(value.words))}"
        elif value.files:
            yield f"{here} -F"
    for flag in place.listed:
        yield f"{here} {_names(flag)}{_takes(flag)} -d {_quoted(flag.says)}"
    many = [flag for flag in place.listed if flag.value and flag.value.many and flag.value.files]
    if many:
        names = " ".join(name for flag in many for name in flag.names)
        behind = _quoted(f"__ragstone_behind {_quoted(place.name)} {names}")
        yield f"complete -c ragstone -n {behind} -F"


def _names(flag: Flag) -> str:
    return " ".join(
        f"-l {name.removeprefix('--')}" if name.startswith("--") else f"-s {name[1:]}"
        for name in flag.names
    )


def _takes(flag: Flag) -> str:
    if flag.value is None:
        return ""
    if flag.value.words:
        return f" -x -a {_quoted(' '.join(flag.value.words))}"
    return " -r -F" if flag.value.files else " -x"


def _quoted(text: str) -> str:
    marked = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{marked}'"
