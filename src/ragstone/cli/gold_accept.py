"""Proposed gold items before a person at a terminal: shown, accepted, edited or dropped."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ragstone.cli.common import say
from ragstone.errors import ConfigError
from ragstone.report.text import shown, visible

if TYPE_CHECKING:
    from ragstone.suites.answers.lint import Weakness
    from ragstone.tools.gold_proposals import Item, Proposal

_WIDE, _SHOWN = 200, 3


@dataclass(frozen=True, slots=True)
class Judged:
    """What was accepted, and whether the person broke off."""

    accepted: list[Proposal]
    stopped: bool = False


@dataclass(frozen=True, slots=True)
class Gold:
    """The gold set that proposals are for."""

    items: Mapping[str, Item]
    retrieval: bool


def lint_of(proposal: Proposal, gold: Gold) -> list[Weakness]:
    from ragstone.tools.item_lint import lint_item

    return lint_item(
        proposal.item, gold.items, proposal.seen.texts or None, retrieval=gold.retrieval
    )


def named(qids: Sequence[str], found: Sequence[Proposal]) -> list[Proposal]:
    """The proposals that --accept names; one that a person has to complete is refused."""
    by_qid = {proposal.qid: proposal for proposal in found}
    for qid in qids:
        if qid not in by_qid:
            raise ConfigError(f"--accept {qid}: it was not proposed; --list shows what is")
        if by_qid[qid].lacks:
            raise ConfigError(f"--accept {qid}: {by_qid[qid].lacks}; edit it at a terminal")
    return [proposal for proposal in found if proposal.qid in set(qids)]


def asked(found: Sequence[Proposal], gold: Gold) -> Judged:
    """One proposal after the other, before a person; stopping keeps what was accepted."""
    accepted: list[Proposal] = []
    try:
        for number, proposal in enumerate(found, 1):
            say(f"\n{number} of {len(found)}")
            show(proposal, gold)
            key = ""
            while key not in ("a", "e", "d", "q") or (key == "a" and proposal.lacks):
                if key == "a":
                    say(f"  {proposal.lacks}; edit it (e)")
                key = input("accept (a), edit (e), drop (d), stop (q)? ").strip().casefold()[:1]
            if key == "q":
                break
            if key == "a":
                accepted.append(proposal)
            if key == "e" and (made := edited(proposal, gold)) is not None:
                accepted.append(made)
    except (EOFError, KeyboardInterrupt):
        # The terminal was closed, or the person wants to stop: what was accepted is not lost.
        return Judged(accepted, stopped=True)
    return Judged(accepted)


def show(proposal: Proposal, gold: Gold) -> None:
    """A proposal with what was answered, from which texts, and what lint says of it."""
    seen, item = proposal.seen, proposal.item
    new = "would change" if proposal.old is not None else "new"
    say(visible(f"{proposal.qid}  ({new}; {proposal.why})"))
    say(f"  question   {shown(seen.question, _WIDE)}")
    say(f"  answered   {shown(seen.claim, _WIDE) or '(nothing)'}")
    for id in (*seen.citations, *(each for each in seen.retrieved if each not in seen.citations))[
        :_SHOWN
    ]:
        word = "cited" if id in seen.citations else "retrieved"
        text = shown(" ".join(seen.texts.get(id, "").split()), _WIDE)
        say(f"  {word:<9}  {shown(id, 80)}{': ' if text else ''}{text}")
    if proposal.old is None:
        say(f"  item       {shown(json.dumps(item, ensure_ascii=False), 3 * _WIDE)}")
    else:
        _show_change(proposal.old, item)
    if proposal.lacks:
        say(f"  lacks      {proposal.lacks}")
    for weak in lint_of(proposal, gold):
        say(visible(f"  lint       {weak.rule}: {weak.says}"))


def _show_change(old: Item, item: Item) -> None:
    from ragstone.tools.gold_diff import diff, in_words

    qid = str(item["qid"])
    for change in diff({qid: old}, {qid: item}).fields.get(qid, ()):
        before, after = in_words(change)
        say(f"  changes    {change.name}: {shown(before, _WIDE)} → {shown(after, _WIDE)}")


def edited(proposal: Proposal, gold: Gold) -> Proposal | None:
    """Other words for it; an empty line keeps what stands, and `-` takes it away."""
    from ragstone.tools.gold_draft import draft_of, item_of, wrong_with

    old, retrieval = proposal.old, gold.retrieval
    draft = draft_of(proposal.item, retrieval=retrieval)
    taken = {*gold.items} - ({proposal.qid} if old is not None else set())
    while True:
        made = replace(draft, question=_line("question", draft.question))
        if old is None:
            made = replace(made, qid=_line("qid", draft.qid))
        made = replace(made, citations=_several("evidence", draft.citations))
        if not retrieval:
            answerable = _line("answerable, yes or no", "yes" if draft.answerable else "no")
            made = replace(
                made,
                answerable=answerable[:1].casefold() != "n",
                phrases=_several("words that prove it", draft.phrases),
                answer=_line("typed answer, as JSON", draft.answer),
            )
        made = replace(made, paraphrases=_several("paraphrases", draft.paraphrases)).tidied()
        item = item_of(made, proposal.item, retrieval=retrieval)
        wrong = wrong_with(made, item, taken, retrieval=retrieval)
        if not wrong:
            changed = replace(proposal, item=item, lacks="")
            for weak in lint_of(changed, gold):
                say(visible(f"  lint       {weak.rule}: {weak.says}"))
            key = input("  take it so: yes (y), edit again (e), drop it (d)? ")
            if key.strip().casefold()[:1] == "y":
                return changed
            if key.strip().casefold()[:1] == "d":
                return None
        for sentence in wrong:
            say(visible(f"  {sentence}"))
        draft = made


def _line(name: str, held: str) -> str:
    said = input(f"  {name} [{shown(held, 80)}]  ").strip()
    return "" if said == "-" else said or held


def _several(name: str, held: Sequence[str]) -> tuple[str, ...]:
    said = input(f"  {name}, with | between them [{shown(' | '.join(held), 80)}]  ").strip()
    if said == "-":
        return ()
    return tuple(each.strip() for each in said.split("|")) if said else tuple(held)
