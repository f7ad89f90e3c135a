"""The watched canary on one screen: conditions, the questions that show why, the verdict last."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from ragstone._version import __version__
from ragstone.report.formats.screen import Screen
from ragstone.report.text import short, shown
from ragstone.serve.canary_chart import wealth
from ragstone.serve.canary_conditions import CONDITIONS
from ragstone.serve.canary_evidence import Verdict
from ragstone.serve.canary_page import CanaryPage, ConditionShown, LostShown

LINES = 22
_COLOR = {Verdict.PROMOTE: "green", Verdict.ROLL_BACK: "red", Verdict.HOLD: "yellow"}
_STATE = {"proven": "green", "refuted": "red"}
_WORST = 3
_TEXT = 300
_LABEL = 10
# From the left: the plain name, then numbers, which stand under one another.
_WIDTHS = (18, 7, 6, 13, 8, 6, 7)
# A line of them has room for the question that settled a condition, too.
_ROOMY = 90
_HEADS = ("condition", "value", "n", "interval", "line", "for", "against")


def render(
    page: CanaryPage,
    digest: str,
    *,
    color: bool,
    width: int,
    quiet: bool = False,
    files: Sequence[str] = (),
) -> str:
    """At most 22 lines: what does not fit is cut."""
    screen = Screen(color=color, width=width)
    last = _verdict(page, screen)
    conditions = [_row(each, roomy=width >= _ROOMY) for each in page.conditions]
    titles = (each.title for each in CONDITIONS if each.name in page.off)
    off = [Text(f"{title:{_WIDTHS[0]}} off", "dim") for title in titles]
    if quiet:
        made = [*conditions, *off, *last]
    else:
        notes = _notes(page, files, screen)
        head = [*_head(page, digest), Text(), _heads(), *conditions, *off, Text()]
        room = LINES - len(head) - len(notes) - len(last) - 1
        worst = _worst(page, room)
        made = [*head, *worst, *notes, Text(), *last]
    for line in made:
        line.truncate(screen.width, overflow="ellipsis")
    return "".join(f"{each}\n" for line in made for each in screen.text(line))


def _head(page: CanaryPage, digest: str) -> list[Text]:
    run = shown(page.run, _TEXT)
    made_by = f"canary, run {run}, ragstone {__version__}, digest {digest[:12]}"
    indexes = f"index {_builds(page.live_index)} live, {_builds(page.shadow_index)} shadow"
    counted = (
        f"{_count(page.questions, 'question')}, {page.repeats:,} asked again; "
        f"{page.failures:,} without a shadow answer; {indexes}"
    )
    return [Text(made_by, "dim"), Text(counted)]


def _builds(hashes: Sequence[str]) -> str:
    return " and ".join(short(each, 12) for each in hashes[:2]) or "unknown"


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _heads() -> Text:
    return Text(_aligned(_HEADS) + " state", "bold")


def _aligned(cells: Sequence[str]) -> str:
    first, *others = cells
    parts = [f"{first:{_WIDTHS[0]}}"]
    parts += [f"{each:>{wide}}" for each, wide in zip(others, _WIDTHS[1:], strict=True)]
    return " ".join(parts)


def _row(each: ConditionShown, *, roomy: bool) -> Text:
    """A condition on one line."""
    cells = (
        each.title,
        "–" if each.value is None else f"{each.value:.4f}",
        f"{each.questions:,}",
        "–" if each.low is None else f"{each.low:.3f} {each.high:.3f}",
        each.line,
        _short(each.proving),
        _short(each.refuting),
    )
    state = each.state if each.value is not None else "–"
    said = f" {state}" + (f" at {each.at:,}" if each.at and roomy else "")
    return Text.assemble(_aligned(cells), (said, _STATE.get(each.state, "yellow")))


def _short(power: float) -> str:
    return "> 1e5" if power >= 5 else wealth(power)


def _worst(page: CanaryPage, room: int) -> list[Text]:
    """The questions that show why: two lines each, as many as there is room for."""
    many = min(_WORST, len(page.worst), max(0, (room - 1) // 2))
    if page.verdict == Verdict.PROMOTE or not many:
        return []
    made = [Text("Questions that show why", "bold")]
    for each in page.worst[:many]:
        made += _lost(each)
    return made


def _lost(each: LostShown) -> list[Text]:
    name = short(each.qid or f"question {each.number}", 24)
    line = Text.assemble("  ", (name, "bold"), f"  {shown(each.question, _TEXT)}")
    cites = f"live cites {_cited(each.live_citations)}, shadow "
    if each.failure:
        cites += f"gave no answer: {shown(each.failure, _TEXT)}"
    else:
        cites += _cited(each.shadow_citations)
    return [line, Text(f"    {cites}; worse: {', '.join(each.lost)}", "dim")]


def _cited(ids: Sequence[str]) -> str:
    """What is cited first, and how much else."""
    more = f" and {len(ids) - 1} more" if len(ids) > 1 else ""
    return short(ids[0], 24) + more if ids else "nothing"


def _notes(page: CanaryPage, files: Sequence[str], screen: Screen) -> list[Text]:
    mirror = page.mirror
    counted = (
        f"{mirror.seen:,} seen, {mirror.left_out:,} left out, {mirror.unread:,} unread, "
        f"{mirror.dropped:,} dropped, {mirror.answered:,} answered, {mirror.failed:,} failed, "
        f"{mirror.waiting:,} waiting"
    )
    later = [f"{each.title}: {each.later}" for each in page.conditions if each.later]
    said = {
        "mirror": counted if mirror.mirrors else "no mirror has reported what it dropped",
        "proof": f"proven at {page.to_prove:g} for, refuted at {page.to_refute:g} against",
        "waits": "" if page.waits in page.because else page.waits,
        "planned": "" if page.decided_at and page.verdict != Verdict.HOLD else page.plan,
        "later": "; ".join(later),
        "warning": "; ".join(shown(each, _TEXT) for each in page.warnings),
        "report": ", ".join(shown(name, _TEXT) for name in files),
    }
    made = []
    for label, text in said.items():
        if text:
            first, *rest = screen.folded(Text(text), 3, indent=_LABEL)
            made.append(Text.assemble((f"{label:{_LABEL}}", "dim"), first))
            made += [Text.assemble(" " * _LABEL, line) for line in rest]
    return made


def _verdict(page: CanaryPage, screen: Screen) -> list[Text]:
    style = _COLOR[Verdict(page.verdict)]
    said = Text(page.verdict, f"bold reverse {style}")
    return screen.folded(Text.assemble(said, (f": {page.because}", f"bold {style}")), 3)
