"""The report on one screen, the verdict last: what a command prints when nothing else is asked.

However long names and texts are, and however many gates, systems and warnings there are, it takes
no more lines than a small terminal has. What does not fit is counted, and `-v` shows it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.text import Text

from ragstone.gates.gate import Status
from ragstone.report import words
from ragstone.report.formats import summary_gates
from ragstone.report.formats import summary_lines as lines_of
from ragstone.report.formats.screen import Screen
from ragstone.report.formats.summary_text import COLOR, TEXT, Item
from ragstone.report.model import Report
from ragstone.report.text import shown, visible

# A terminal has 24 lines; one is for the shell's next prompt, and one for a note before all this.
LINES = 22
QUIET_LINES = 12
QUIET_LINES_OF_SUITES = 20
# So much of the digest tells two runs apart; the long text has all 64.
DIGITS = 12

_ALL = 100
_REST = "-v shows all"
_NOTICE = 2
_VERDICT = 2


@dataclass(frozen=True, slots=True)
class Part:
    """Items under a title, the most important first; those that fit on the screen are shown.

    `least` is how many of them come before the other parts get a second one; `total` counts them
    all, also those that are not here. What comes `last` gets the room that the others leave.
    `rest` says how to see those that do not fit, and `none` stands where not one of them does.
    """

    items: Sequence[Item]
    title: str = ""
    least: int = 1
    total: int = 0
    last: bool = False
    rest: str = ""
    none: Sequence[Text] = ()

    def lines(self, count: int) -> list[Text]:
        """The first `count` items under the title, which says where these are not all."""
        found = [line for item in self.items[:count] for line in item]
        if not found:
            return [*self.none]
        if not self.title:
            return found
        total = self.total or len(self.items)
        title = self.title
        if count < total:
            title += f", {count:,} of {total:,}" + (f" ({self.rest})" if self.rest else "")
        return [Text(title, "bold"), *found]


def render(
    report: Report,
    *,
    color: bool,
    width: int,
    quiet: bool = False,
    files: Sequence[str] = (),
    more: str = "",
    most: int = LINES,
    head: bool = True,
    rest: str = _REST,
) -> str:
    """The summary for a screen `width` cells wide and `most` lines high.

    `files` is where the report was written, `more` how to see more of it, and `rest` where all
    gates and warnings are, if there are too many of them. Where it follows something else, it
    needs no `head`.
    """
    screen = Screen(color=color, width=width)
    if quiet:
        made = _quiet(report, screen, files, rest)
    else:
        top = _head(report, screen) if head else []
        made = _whole(report, screen, top, files, more, most, rest)
    for line in made:
        # What is too long for its line is cut, whatever it is.
        line.truncate(screen.width, overflow="ellipsis")
    return "".join(f"{each}\n" for line in made for each in screen.text(line))


def _whole(
    report: Report,
    screen: Screen,
    head: list[Text],
    files: Sequence[str],
    more: str,
    most: int,
    rest: str,
) -> list[Text]:
    last = _verdict(report, screen)
    room = most - len(head) - len(last)
    # The likely cause is left out where it takes the room of a gate or an offender.
    for cause in (True, False):
        parts = [
            Part(summary_gates.suites(report, screen.width), least=_ALL),
            _gates(report, screen, rest),
            Part(*lines_of.numbers(report, screen, rest)),
            Part(*lines_of.offenders(report)),
            _warnings(report, screen, rest),
            Part(lines_of.lines_to_copy(report, screen), least=_ALL),
            Part(lines_of.notes(report, files, more, screen, cause=cause), least=_ALL),
        ]
        counts = _fitting(parts, room)
        whole = [count == len(part.items) for count, part in zip(counts, parts, strict=True)]
        if all(fits for fits, part in zip(whole, parts, strict=True) if not part.last):
            break
    drawn = [part.lines(count) for part, count in zip(parts, counts, strict=True)]
    return _spaced([head, *drawn, last], most)


def _gates(report: Report, screen: Screen, rest: str) -> Part:
    items = summary_gates.gates(report, screen)
    title = _title(report)
    none = Text(f"{title}: {len(items):,} ({rest})", "bold")
    return Part(items, title, rest=rest, none=(none,) if items else ())


def _warnings(report: Report, screen: Screen, rest: str) -> Part:
    """One at least, where that takes no room of a gate; else how many there are."""
    items, total = lines_of.warnings(report, screen), len(lines_of.plain_warnings(report))
    counted = lines_of.warned(report, rest, screen)
    return Part(items, "Warnings", 0, total, last=True, rest=rest, none=counted)


def _quiet(report: Report, screen: Screen, files: Sequence[str], rest: str) -> list[Text]:
    """The suites, the gates that do not pass, and the verdict."""
    named = summary_gates.suites(report, screen.width)
    last = _verdict(report, screen)
    room = (QUIET_LINES_OF_SUITES if named else QUIET_LINES) - len(last)
    parts = [
        Part(named, least=_ALL),
        _gates(report, screen, rest),
        Part(lines_of.counted(report, files, rest, screen), least=_ALL),
    ]
    counts = _fitting(parts, room)
    drawn = [part.lines(count) for part, count in zip(parts, counts, strict=True)]
    return [*(line for lines in drawn for line in lines), *last]


def _spaced(parts: Sequence[list[Text]], most: int) -> list[Text]:
    """The parts with blank lines between them, as far as there is room: the verdict's first."""
    *others, last = [part for part in parts if part]
    spare = most - sum(map(len, parts))
    made: list[Text] = []
    for place, part in enumerate(others):
        made += [*([Text()] if 0 < place < spare else []), *part]
    return [*made, *([Text()] if others and spare > 0 else []), *last]


def _fitting(parts: Sequence[Part], room: int) -> list[int]:
    """How many items of each part there is room for: what must be, then one of each in turns."""
    counts = [0] * len(parts)
    room -= sum(len(part.lines(0)) for part in parts)

    def add(place: int, left: int) -> int:
        part, count = parts[place], counts[place]
        if count == len(part.items):
            return left
        wanted = len(part.lines(count + 1)) - len(part.lines(count))
        if wanted > left:
            return left
        counts[place] += 1
        return left - wanted

    # The notes before the gates: there are few of them, and gates may be many.
    for place in sorted(range(len(parts)), key=lambda place: -parts[place].least):
        for _ in range(min(parts[place].least, len(parts[place].items))):
            room = add(place, room)
    for last in (False, True):
        before = -1
        while room != before:
            before = room
            for place in (place for place, part in enumerate(parts) if part.last is last):
                room = add(place, room)
    return counts


def _head(report: Report, screen: Screen) -> list[Text]:
    made_by = f"{visible(report.suite)}, ragstone {report.version}, digest {report.digest[:DIGITS]}"
    head = [Text(made_by, "dim")]
    if report.provenance:
        head.append(Text(shown(report.provenance, TEXT), "dim"))
    notice = Text(shown(report.notice, TEXT))
    return [*head, *(screen.folded(notice, _NOTICE) if report.notice else ())]


def _title(report: Report) -> str:
    if not words.not_passed(report):
        return "Gates"
    return "Failing gates" if report.decision is Status.FAIL else "Gates without a decision"


def _verdict(report: Report, screen: Screen) -> list[Text]:
    """The last of all: the decision, and how many gates made it."""
    style = COLOR[report.signal]
    said = Text(words.verdict(report), f"bold reverse {style}")
    decided = summary_gates.decided(report)
    if decided:
        said = Text.assemble(said, (f": {decided}", f"bold {style}"))
    return screen.folded(said, _VERDICT)
