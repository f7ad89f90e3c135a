"""Says so when a pipeline refuses in other words than those that count as a refusal.

Nothing is judged by this: it proposes the line for ragstone.toml. Of a large input some claims are
looked at, chosen by a hash of their questions and so the same in any order of the lines.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from ragstone.engine.duck import quoted, text, whole
from ragstone.report.text import WITH_LINE, clipped_words
from ragstone.report.text import quoted as from_the_data
from ragstone.suites.answers.refusal_rules import (
    found_in_packs,
    holds_refusal_word,
    packs_not_in_force,
)
from ragstone.suites.declaration import Arm, Work

# A text that is more than one in so many claims, and comes to several questions, may be a refusal.
_ONE_IN = 20
_LOOKED_AT = 10_000
# Nobody refuses with a longer text, word for word.
_LONGEST = 200
# So much of a claim is enough to know it by.
_SHOWN = 60


@dataclass(frozen=True, slots=True)
class Where:
    """Where the claims of an arm stand: the verdict rows, and the lines that these are of.

    `there` are the rows with a claim, `open` those that ship one which holds nothing that gold
    expects; `asked` names a row's question, and `cites` are the citations of a line.
    """

    rows: str = "rows"
    claim: str = "claim"
    there: str = "not missing"
    open: str = "shipped and not missing and not (answerable and found)"
    asked: str = "rows.qid"
    cites: str = "citations"


class Claim(NamedTuple):
    """A claim as it was written and as it is compared, the question that it answers, whether it
    cites nothing, and the languages, parted by blanks, whose packs may call it a refusal."""

    said: str
    folded: str
    asked: str
    uncited: bool
    near: str


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
    others = packs_not_in_force(work.options.refusal)
    near = [f"case when {holds_refusal_word([each])} then '{each.language}' end" for each in others]
    found = work.duck.query(f"""
        with counted as (
            select count(*) filter ({where.there}) as claims, count(*) filter ({where.open}) as open
            {own}
        ),
        first as (
            select md5_number_lower(qid) as place, qid, trace_row
            {own} and {where.open}
                and trace_row not in (select rowid from {arm.table} where flag is not null)
            order by place, qid, trace_row limit {_LOOKED_AT}
        ),
        folded as (
            select
                place,
                rows.qid,
                row_number() over (partition by rows.qid order by trace_row),
                strip(trace.{where.claim}) as said,
                fold(said) as claim,
                {where.asked},
                coalesce(len(trace.{where.cites}), 0) = 0,
            from first as rows join {arm.table} as trace on trace.rowid = rows.trace_row
        )
        select counted.*, folded.*, concat_ws(' ', {", ".join(near) or "''"})
        from counted left join folded on true
    """)
    claims, wanted = map(whole, found[0][:2])
    work.gathered.count(f"all {_claims(arm)}", claims)
    work.gathered.count(f"open {_claims(arm)}", wanted)
    first = [row[2:] for row in found if row[2] is not None]
    work.gathered.keep_first(_claims(arm), first, _LOOKED_AT)


def _claims(arm: Arm) -> str:
    return f"claims of {arm.name}"


def propose_refusals(work: Work[Any], arm: Arm) -> None:
    """Warns where a claim reads like a refusal, and where one text is the answer to many."""
    seen = [Claim(*row[3:]) for row in work.gathered.rows(_claims(arm))]
    if not seen:
        return
    claims, wanted = (work.gathered.counted(f"{what} {_claims(arm)}") for what in ("all", "open"))
    proposal = _proposal(work, seen, claims, wanted)
    if proposal.packs or proposal.said:
        work.warnings.insert(0, _sentence(work, arm, proposal, claims))


def _proposal(work: Work[Any], seen: Sequence[Claim], claims: int, wanted: int) -> Proposal:
    """What is proposed; of more claims than are looked at, their share stands for all."""
    fired = _fired(work, seen)
    repeated: dict[str, list[Claim]] = {}
    for each in seen:
        # What cites evidence answers something, however often it is said.
        if each.uncited and each.folded not in fired and len(each.folded) <= _LONGEST:
            repeated.setdefault(each.folded, []).append(each)
    many = [
        some
        for some in repeated.values()
        if len({each.asked for each in some}) > 1
        and len(some) * wanted * _ONE_IN > claims * len(seen)
    ]
    most = min(many, key=lambda some: (-len(some), some[0].folded), default=[])
    scale = wanted / len(seen)
    return Proposal(
        {f"@{name}": round(n * scale) for name, n in _packs(seen, fired).items()},
        {min(each.said for each in most): round(len(most) * scale)} if most else {},
        min((each.said for each in seen if each.folded in fired), default=""),
    )


def _fired(work: Work[Any], seen: Sequence[Claim]) -> dict[str, frozenset[str]]:
    """The claims on which packs fire that are not in force, each with their languages.

    A pack costs more to make ready than to look with, so only those are asked whose words occur.
    """
    near = {each.folded: each.near.split() for each in seen if each.near}
    languages = {language for some in near.values() for language in some}
    packs = [x for x in packs_not_in_force(work.options.refusal) if x.language in languages]
    if not packs:
        return {}
    fires = [f"case when {found_in_packs([x])} then '{x.language}' end" for x in packs]
    found = work.duck.query(
        f"select claim, concat_ws(' ', {', '.join(fires)}) "
        "from (select unnest($claims::varchar[]) as claim)",
        {"claims": [*near]},
    )
    return {text(claim): frozenset(text(names).split()) for claim, names in found if names}


def _packs(seen: Sequence[Claim], fired: Mapping[str, frozenset[str]]) -> dict[str, int]:
    """The packs that fire on any claim: the one that does so most, then what it leaves."""
    from ragstone.matching.language_packs import LANGUAGES

    left = [fired[each.folded] for each in seen if each.folded in fired]
    chosen: dict[str, int] = {}
    while left:
        best = max(LANGUAGES, key=lambda language: sum([language in fires for fires in left]))
        chosen[best] = sum([best in fires for fires in left])
        left = [fires for fires in left if best not in fires]
    return chosen


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
