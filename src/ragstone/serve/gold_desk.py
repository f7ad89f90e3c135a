"""The gold set of a server on which people work: what was asked, drafts of items, and saving them.

No path of a request is ever opened: there is one gold file, which whoever started the server named.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from ragstone.contracts.not_json import NotJson
from ragstone.contracts.strict_json import parse
from ragstone.engine.duck import Duck
from ragstone.files import sha256_of, target_of
from ragstone.scratch import sweep
from ragstone.serve.asked import Asked
from ragstone.serve.gold_form import Filled
from ragstone.serve.known_runs import KnownRuns
from ragstone.serve.live_source import LiveSource
from ragstone.serve.page_fields import Missing
from ragstone.serve.question_history import question_page
from ragstone.serve.seen_questions import lines_of_records, seen_questions
from ragstone.suites.answers.lint import Weakness
from ragstone.suites.lock_place import lock_beside
from ragstone.tools.gold_diff import GoldDiff, diff
from ragstone.tools.gold_draft import (
    Draft,
    accepted,
    draft_of,
    item_of,
    merged,
    proposed_qid,
    wrong_with,
)
from ragstone.tools.gold_proposals import Seen, proposals
from ragstone.tools.gold_save import (
    GoldChanged,
    OpenGold,
    Saved,
    SignOff,
    changed_by,
    open_gold,
    save,
)
from ragstone.tools.item_lint import lint_item

# Versions of the gold set that are kept, to say what changed since somebody began.
_VERSIONS = 8
# The spans of a trace may have begun so long before its root ended.
_BEFORE = 10 * 60_000


@dataclass(frozen=True, slots=True)
class Looked:
    """What lint and the contract say of a draft, and the item that it is."""

    item: dict[str, object]
    wrong: tuple[str, ...]
    weak: tuple[Weakness, ...]


@dataclass(frozen=True, slots=True)
class Turned:
    """A draft on top of a gold set that others have changed: what they did, and what clashes."""

    filled: Filled
    theirs: GoldDiff | None
    both: tuple[str, ...]


class GoldDesk:
    """One gold file, the runs and records that its questions come from, and texts of chunks."""

    def __init__(
        self,
        name: str,
        runs: KnownRuns,
        live: LiveSource | None = None,
        texts: Mapping[str, str] | None = None,
        allowed: tuple[str, ...] = (),
    ) -> None:
        self.name, self._runs, self._live = name, runs, live
        self._texts, self._allowed = texts or {}, allowed
        self._versions: dict[str, OpenGold] = {}
        self._lock = threading.Lock()
        self._last: tuple[tuple[str, str], OpenGold | None] = ("", ""), None
        # A save that was killed may have left its half beside the gold set.
        sweep(target_of(name).parent)

    def gold(self) -> OpenGold:
        """The gold set as it is now; one that is as it was is not read again."""
        path, lock = Path(self.name), lock_beside(self.name)
        try:
            key = sha256_of(path), sha256_of(lock) if lock is not None else ""
        except OSError:
            key = "", ""
        with self._lock:
            if key[0] and key == self._last[0] and self._last[1] is not None:
                return self._last[1]
        gold = self._kept(open_gold(self.name, allowed=self._allowed))
        with self._lock:
            self._last = key if key[0] == gold.digest else ("", ""), gold
        return gold

    def _kept(self, gold: OpenGold) -> OpenGold:
        with self._lock:
            self._versions.pop(gold.digest, None)
            self._versions[gold.digest] = gold
            for old in [*self._versions][:-_VERSIONS]:
                del self._versions[old]
        return gold

    def with_live(self, live: LiveSource) -> GoldDesk:
        return GoldDesk(self.name, self._runs, live, self._texts, self._allowed)

    # --- what was asked ---

    def seen(self, place: Mapping[str, str]) -> Seen:
        """The question or record that the editor is opened from; Missing where there is none."""
        if place.get("record"):
            return self._record(place["record"], place.get("at", ""))
        return self._question(place.get("qid", ""))

    def _record(self, id: str, at: str) -> Seen:
        if self._live is None or not (at.isascii() and at.isdigit() and len(at) <= 15):
            raise Missing(404, "there is no such record; /live lists alerts and their rows")
        moment = int(at)
        records = self._live.records(moment - _BEFORE, moment + 1)
        near = [each for each in records if each.kind == "span" or each.id == id]
        with Duck(1) as duck:
            lines = [line for line in lines_of_records(near) if line.id == id]
            found = seen_questions(duck, lines, self._live.judging, self._texts)
        if not found:
            raise Missing(404, "this record is not kept any more")
        return found[0]

    def _question(self, qid: str) -> Seen:
        gold = self.gold()
        try:
            page, card = question_page(self._runs, Asked({"qid": qid}), "all")
        except Missing:
            if qid not in gold.items:
                raise
            # It was added since the last run, which cannot have it.
            return Seen("gold", draft_of(gold.items[qid], retrieval=gold.retrieval).question, qid)
        last = next((each for each in page.history if each.state == "wrong"), page.history[0])
        texts = {chunk.id: chunk.text for chunk in (card.chunks if card else ()) if chunk.text}
        known = self.texts_of(last.retrieved)
        return Seen(
            id=f"run {last.short}",
            question=page.question,
            qid=qid,
            claim=last.claim,
            citations=last.citations,
            retrieved=last.retrieved or last.citations,
            texts={**known, **texts},
            wrong=last.failed,
            by_gold=True,
        )

    # --- drafts ---

    def begun(self, seen: Seen, place: tuple[tuple[str, str], ...]) -> Filled:
        """A form to begin with: the item of the gold set, or what is proposed for a new one."""
        gold = self.gold()
        old = gold.items.get(seen.qid)
        if old is not None:
            draft = draft_of(old, retrieval=gold.retrieval)
            return Filled(draft, gold.digest, json.dumps(old, ensure_ascii=False), place)
        plain = replace(seen, by_gold=False, wrong=seen.wrong or ("it was asked",))
        made = [each for each in proposals({}, [plain], retrieval=gold.retrieval) if not each.old]
        qid = seen.qid if seen.by_gold else proposed_qid(seen.question, gold.items)
        draft = Draft(qid, seen.question)
        if made:
            draft = replace(draft_of(made[0].item, retrieval=gold.retrieval), qid=qid)
        return Filled(draft, gold.digest, "", place)

    def looked(self, filled: Filled, texts: Mapping[str, str] | None = None) -> Looked:
        """What is to be said of a draft on top of the gold set as it is now."""
        gold, draft = self.gold(), filled.draft
        old = self._old(filled, gold)
        if old is not None:
            # An item that exists keeps its name: runs and traces know it by that.
            draft = replace(draft, qid=str(old["qid"]))
        item = item_of(draft, old, retrieval=gold.retrieval)
        taken = {*gold.items} - ({draft.qid} if old is not None else set())
        wrong = wrong_with(draft, item, taken, retrieval=gold.retrieval)
        known = {**self.texts_of(draft.citations), **(texts or {})}
        named = {"qid": "", "answerable": True, **item}
        weak = lint_item(named, gold.items, known or None, retrieval=gold.retrieval)
        return Looked(item, tuple(wrong), tuple(weak))

    def texts_of(self, ids: Iterable[str]) -> dict[str, str]:
        """The texts of chunks, as far as the server was given them."""
        return {id: self._texts[id] for id in ids if id in self._texts}

    def _old(self, filled: Filled, gold: OpenGold) -> Mapping[str, object] | None:
        """The item that is edited; None of a new one, and of one that is gone."""
        base = _object(filled.base)
        return gold.items.get(str(base.get("qid"))) if base else None

    def current(self, filled: Filled) -> Filled:
        """A form on top of the gold set as it is now, where its own item is as it was.

        What others saved of other items does not concern who wrote it.
        """
        gold, base = self.gold(), _object(filled.base)
        qid = str(base.get("qid")) if base else filled.draft.qid
        untouched = gold.items.get(qid) == (base or None)
        return replace(filled, since=gold.digest) if untouched else filled

    def turned(self, filled: Filled) -> Turned:
        """A draft whose gold set has changed, on top of the new one; what was typed stays."""
        gold = self.gold()
        before = self._versions.get(filled.since)
        theirs = _between(before, gold) if before is not None else None
        base = _object(filled.base)
        now = gold.items.get(str(base.get("qid"))) if base else None
        if not base or now is None:
            return Turned(replace(filled, since=gold.digest), theirs, ())
        drafts = (draft_of(each, retrieval=gold.retrieval) for each in (base, now))
        draft, both = merged(filled.draft, *drafts)
        held = json.dumps(now, ensure_ascii=False)
        return Turned(
            replace(filled, draft=draft, since=gold.digest, base=held), theirs, tuple(both)
        )

    def change(self, filled: Filled, item: Mapping[str, object]) -> GoldDiff:
        """What a save would change."""
        return changed_by(self.gold(), [item])

    def save(self, filled: Filled, from_: str) -> Saved:
        """The draft in the gold file, with who and when; GoldChanged where its item has changed."""
        while True:
            try:
                return self._saved(filled, from_)
            except GoldChanged:
                # Somebody has saved meanwhile; if it was another item, this one is next.
                again = self.current(filled)
                if again == filled:
                    raise
                filled = again

    def _saved(self, filled: Filled, from_: str) -> Saved:
        item = self.looked(filled).item
        moment = now()
        signed = accepted(item, filled.by, moment.strftime("%Y-%m-%dT%H:%M:%SZ"), from_)
        why = filled.why or f"{item['qid']} was taken over from {from_}"
        sign = SignOff(filled.by, why, moment.date().isoformat())
        saved = save(
            *(self.name, [signed], filled.since, sign),
            freeze=filled.freeze,
            allowed=self._allowed,
        )
        self._kept(saved.gold)
        return saved


def _between(before: OpenGold, after: OpenGold) -> GoldDiff:
    """What changed from one version to another; fields are compared only where items differ."""
    old = {qid: each for qid, each in before.items.items() if after.items.get(qid) != each}
    new = {qid: each for qid, each in after.items.items() if before.items.get(qid) != each}
    return diff(old, new)


def now() -> datetime:
    """The moment of a save."""
    return datetime.now(UTC)


def _object(text: str) -> dict[str, object]:
    try:
        found = parse(text.encode("utf-8", "replace")) if text else None
    except NotJson:
        return {}
    return found if isinstance(found, dict) and isinstance(found.get("qid"), str) else {}
