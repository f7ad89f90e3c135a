"""Says so when a pipeline refuses in other words than those that count as a refusal.

Nothing is judged by this: it proposes the line for ragstone.toml. Of a large input some claims are
looked at, chosen by a hash of their questions and so the same in any order of the lines.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ragstone.engine.duck import quoted, text, whole
from ragstone.report.text import WITH_LINE, clipped_words
from ragstone.report.text import quoted as from_the_data
from ragstone.suites.answers.refusal_rules import LATIN, found_in_pack, refusal_rules
from ragstone.suites.declaration import Arm, Work

# A text that is more of the claims than this, and comes to several questions, may be a refusal.
_MANY = 0.05
_LOOKED_AT = 10_000
# Nobody refuses with a longer text, word for word.
_LONGEST = 200
# So much of a claim is enough to know it by.
_SHOWN = 60


@dataclass(frozen=True, slots=True)
class Where:
    """Where the claims of an arm stand: the verdict rows, and the lines that these are of.

    `there` are the rows with a claim, `open` those that ship one which holds nothing that gold
    expects; `asked` names a row's question.
    """

    rows: str = "rows"
    claim: str = "claim"
    there: str = "not missing"
    open: str = "shipped and not missing and not (answerable and found)"
    asked: str = "rows.qid"


@dataclass(frozen=True, slots=True)
class Proposal:
    """What should count as a refusal too: packs and texts, each with its number of claims."""

    packs: Mapping[str, int]
    said: Mapping[str, int]
    first: str


def gather_claims(work: Work[Any], arm: Arm, where: Where = Where()) -> None:  # noqa: B008
    """The claims that are looked at: those whose questions come first by a hash.

    They are chosen before any claim is read: to carry all claims along takes a third longer.
    """
    own = f"from {where.rows} as rows where rows.arm = {quoted(arm.name)}"
    claims, wanted = work.duck.counts(
        f"select count(*) filter ({where.there}), count(*) filter ({where.open}) {own}"
    )
    work.gathered.count(f"all {_claims(arm)}", claims)
    work.gathered.count(f"open {_claims(arm)}", wanted)
    found = work.duck.query(f"""
        with first as (
            select md5_number_lower(qid) as place, qid, trace_row
            {own} and {where.open}
                and trace_row not in (select rowid from {arm.table} where flag is not null)
            order by place, qid, trace_row limit {_LOOKED_AT}
        )
        select
            place,
            rows.qid,
            row_number() over (partition by rows.qid order by trace_row),
            strip(trace.{where.claim}) as said,
            fold(said),
            {where.asked},
        from first as rows join {arm.table} as trace on trace.rowid = rows.trace_row
    """)
    work.gathered.keep_first(_claims(arm), found, _LOOKED_AT)


def _claims(arm: Arm) -> str:
    return f"claims of {arm.name}"


def propose_refusals(work: Work[Any], arm: Arm) -> None:
    """Warns where a claim reads like a refusal, and where one text is the answer to many."""
    seen = work.gathered.rows(_claims(arm))
    if not seen:
        return
    claims, wanted = (work.gathered.counted(f"{what} {_claims(arm)}") for what in ("all", "open"))
    work.duck.run(
        "create or replace temp table looked_at as select unnest($said::varchar[]) as said, "
        "unnest($claims::varchar[]) as claim, unnest($asked::varchar[]) as asked",
        {
            "said": [said for *_, said, _, _ in seen],
            "claims": [claim for *_, claim, _ in seen],
            "asked": [asked for *_, asked in seen],
        },
    )
    # Of more claims than are looked at, their share stands for all.
    proposal = _proposal(work, wanted / len(seen), claims)
    if proposal.packs or proposal.said:
        work.warnings.insert(0, _sentence(work, arm, proposal, claims))


def _proposal(work: Work[Any], scale: float, claims: int) -> Proposal:
    packs = _packs(work)
    known = " or ".join(found_in_pack(language) for language in packs) or "false"
    first = work.duck.texts(f"select min(said) from looked_at where {known} having count(*) > 0")
    found = work.duck.query(f"""
        select min(said), count(*) from looked_at
        where length(claim) <= {_LONGEST} and not ({known})
        group by claim
        having count(distinct asked) > 1 and count(*) * {scale!r} > {_MANY * claims!r}
        order by count(*) desc, claim limit 1
    """)
    return Proposal(
        {f"@{language}": round(count * scale) for language, count in packs.items()},
        {text(said): round(whole(count) * scale) for said, count in found},
        first[0] if first else "",
    )


def _packs(work: Work[Any]) -> dict[str, int]:
    """The packs that fire on any claim: the one that does so most, then what it leaves."""
    from ragstone.matching.language_packs import LANGUAGES

    ascii_only = not work.duck.count(
        "select count(*) from looked_at where strlen(claim) <> length(claim)"
    )
    used = {each.language for each in refusal_rules(work.options.refusal).packs}
    languages = [each for each in (LATIN if ascii_only else LANGUAGES) if each not in used]
    if not languages:
        return {}
    fired = ", ".join(f"{found_in_pack(each)} as {each}" for each in languages)
    found = work.duck.query(f"select {fired}, count(*) from looked_at group by all")
    rows = [(row[:-1], whole(row[-1])) for row in found]
    chosen: dict[str, int] = {}
    while True:
        counts = [sum([n for fires, n in rows if fires[at]]) for at in range(len(languages))]
        best = max(range(len(languages)), key=lambda at: counts[at])
        if not counts[best]:
            return chosen
        chosen[languages[best]] = counts[best]
        rows = [(fires, n) for fires, n in rows if not fires[best]]


def _sentence(work: Work[Any], arm: Arm, proposal: Proposal, claims: int) -> str:
    words: Sequence[str] = (*work.options.refusal, *proposal.said, *proposal.packs)
    whose = f" of {arm.name}" if arm.name else ""
    of = f"of {claims:,} {'claim' if claims == 1 else 'claims'}{whose}"
    seen = []
    if count := sum(proposal.packs.values()):
        packs = " and ".join(proposal.packs)
        reads = "reads like a refusal and counts as an answer"
        if count > 1:
            reads = "read like refusals and count as answers"
        example = from_the_data(clipped_words(proposal.first, _SHOWN))
        seen.append(f"{count:,} {of} {reads} (language pack {packs}), such as {example}")
    for said, count in proposal.said.items():
        one = from_the_data(clipped_words(said, _SHOWN))
        seen.append(f"{count:,} {'' if seen else f'{of} '}are one and the same text, {one}")
    line = f"refusal = {json.dumps(list(words), ensure_ascii=False)}"
    # Whoever asks for a report without texts gets none by this line either.
    copied = from_the_data(line) if proposal.said else line
    return (
        f"{'; '.join(seen)}; if refusals are meant, put under [answers] in ragstone.toml:"
        f"{WITH_LINE}{copied}"
    )
