"""Questions that were asked, with what is wrong with their answers: by the audit's own checks, and
by the gold set where it has them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from ragstone.comparison.row_sets import reading_rows
from ragstone.contracts.answer_texts import citations_of, claim_of
from ragstone.contracts.records.live_record import is_live, plainly_spelled
from ragstone.engine.duck import Duck, quoted
from ragstone.errors import InputError
from ragstone.ledger.run_store import FoundRun
from ragstone.scratch import folder
from ragstone.serve.batch_reader import as_line
from ragstone.serve.frames import Stored, batches_in
from ragstone.serve.judged_records import ANSWERS, AUDIT
from ragstone.serve.live_store import journals_in
from ragstone.serve.minute_rows import Judging, Line, judged_lines
from ragstone.serve.segments import records_in, segments_in
from ragstone.serve.stored_lines import lines_of, value_of
from ragstone.serve.window_spool import joined_traces
from ragstone.suites.answers.lint import texts_in
from ragstone.suites.declaration import AnySuite
from ragstone.tools.gold_proposals import Seen

# So much of a store is looked at: the newest records.
MOST = 20_000


def seen_questions(
    duck: Duck, lines: Iterable[Line], judging: Judging, texts: Mapping[str, str] | None = None
) -> list[Seen]:
    """Each record as a question that was asked; `texts` are those of chunks that it lacks."""
    kept = [*lines]
    if not kept or not judged_lines(duck, kept, judging):
        return []
    by_id = {line.id: line for line in kept}
    return [_seen(by_id[str(row["id"])], row, texts or {}) for row in _judged(duck, judging)]


def _judged(duck: Duck, judging: Judging) -> list[dict[str, Any]]:
    """What is wrong with each record, by gold where it knows the question, else by the audit."""
    by_gold = "select null::bigint as trace_row, null as wrong, null as qid limit 0"
    if judging.answers is not None:
        right = ANSWERS.right(judging.answers) if ANSWERS.right else "true"
        wrong = f"case when ({right}) then [] else {_failed(ANSWERS)} end"
        by_gold = f"select trace_row, qid, {wrong} as wrong from by_gold"
    return duck.dicts(
        f"""
        with audited as (select trace_row, refused, {_failed(AUDIT)} as wrong from rows),
        by_item as ({by_gold})
        select
            facts.id, refused, by_item.trace_row is not null as by_gold,
            coalesce(by_item.wrong, audited.wrong) as wrong, by_item.qid
        from audited join facts using (trace_row) left join by_item using (trace_row)
        order by facts.trace_row
        """
    )


def _failed(suite: AnySuite) -> str:
    """A list of what does not hold of a row, in the words of the suite's checks."""
    listed = ", ".join(
        f"case when coalesce({check.failed}, false) then {quoted(check.says)} end"
        for check in suite.checks.values()
    )
    return f"list_filter([{listed}], lambda each: each is not null)"


def _seen(line: Line, row: Mapping[str, Any], texts: Mapping[str, str]) -> Seen:
    value = value_of(line.text)
    retrieved = [*texts_in(value, "retrieved_ids"), *_older_ids(value)]
    answer = value.get("answer_json")
    answer = answer if isinstance(answer, dict) else {}
    own = dict(_texts(value))
    return Seen(
        id=line.id,
        question=str(value.get("q") or value.get("question") or ""),
        qid=str(row["qid"] or value.get("qid") or value.get("q_id") or ""),
        claim=claim_of(answer) or str(value.get("answer") or ""),
        citations=tuple(citations_of(answer)),
        retrieved=tuple(dict.fromkeys(retrieved)),
        texts={id: found for id in retrieved if (found := own.get(id) or texts.get(id))},
        refused=bool(row["refused"]),
        wrong=tuple(row["wrong"] or ()),
        by_gold=bool(row["by_gold"]),
    )


def _older_ids(value: Mapping[str, Any]) -> Iterator[str]:
    for chunk in value.get("chunks") or ():
        if isinstance(chunk, dict) and isinstance(chunk.get("id"), str):
            yield chunk["id"]


def _texts(value: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    ids, texts = texts_in(value, "retrieved_ids"), texts_in(value, "retrieved_texts")
    if len(ids) == len(texts):
        yield from zip(ids, texts, strict=True)
    for chunk in value.get("chunks") or ():
        if isinstance(chunk, dict) and isinstance(chunk.get("text"), str):
            yield str(chunk.get("id")), chunk["text"]


def stored_lines(data: Path) -> tuple[list[Line], bool]:
    """The newest records of a server's folder, and whether it has more; the server may run."""
    if not (data / "segments").is_dir() and not (data / "journals").is_dir():
        raise InputError(f"{data} is no folder of `ragstone serve --data`: it has no records")
    seen: dict[str, Stored] = {}
    every = [*records_in(segments_in(data / "segments"), 0, 2**62)]
    for path in journals_in(data / "journals"):
        every += (record for batch in batches_in(path) for record in batch.records)
    for record in every:
        seen.setdefault(record.id, record)
    newest = sorted(seen.values(), key=lambda record: (record.moment, record.id))[-MOST:]
    return [*lines_of_records(newest)], len(seen) > len(newest)


def lines_of_records(records: Iterable[Stored]) -> Iterator[Line]:
    """Records as the lines that are judged, with the texts of chunks that live ones carry."""
    spans: list[str] = []
    for record, line in lines_of(records):
        if record.kind == "span":
            spans.append(f"{line}\n")
        else:
            yield Line(record.moment, record.id, _with_texts(record, line))
    yield from joined_traces(spans, Counter())


def _with_texts(record: Stored, line: str) -> str:
    """The line of a record; windows do not read the texts of a live record's hits."""
    if record.kind != "live":
        return line
    value = value_of(record.text)
    hits = plainly_spelled(value).get("retrieval") if is_live(value) else None
    listed = hits.get("topk") if isinstance(hits, dict) else None
    texts = [hit.get("text") for hit in listed or () if isinstance(hit, dict)]
    made = value_of(line)
    ids = made.get("retrieved_ids") or ()
    if not texts or len(texts) != len(ids) or not all(isinstance(each, str) for each in texts):
        return line
    return as_line({**made, "retrieved_texts": texts})


def run_questions(run: FoundRun, texts: Mapping[str, str]) -> list[Seen]:
    """The questions that a recorded run has wrong by gold, from its rows."""
    found: list[Seen] = []
    with folder() as scratch, Duck(1) as duck:
        for suite in run.suites():
            name = f"{suite}/rows.parquet".lstrip("/")
            path = run.files.local(f"{run.folder}/{name}", scratch)
            with reading_rows(duck, {suite: path}):
                rows = duck.dicts(
                    f"""
                    select qid, question, claim, citations, retrieved, not_passed
                    from read_parquet({quoted(str(path))})
                    where is_right = false and question <> '' order by qid, claim
                    """
                )
            found += [_from_row(run.called, row, texts) for row in rows]
    return found


def _from_row(called: str, row: Mapping[str, Any], texts: Mapping[str, str]) -> Seen:
    retrieved = tuple(row["retrieved"] or ())
    return Seen(
        id=f"run {called}",
        question=str(row["question"]),
        qid=str(row["qid"]),
        claim=str(row["claim"] or ""),
        citations=tuple(row["citations"] or ()),
        retrieved=retrieved,
        texts={id: texts[id] for id in retrieved if id in texts},
        wrong=tuple(f"not {step}" for step in row["not_passed"] or ()) or ("wrong",),
        by_gold=True,
    )
