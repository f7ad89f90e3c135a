"""Says so when a pipeline refuses in other words than those that count as a refusal.

Nothing is judged by this: it proposes the line for ragstone.toml. Of a large input some claims are
looked at, chosen by a hash of their questions and so the same in any order of the lines.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ragstone.engine.duck import quoted, text, whole
from ragstone.report.text import quoted as from_the_data
from ragstone.suites.answers.refusal_rules import found_in_pack, refusal_rules
from ragstone.suites.declaration import Arm, Work
from ragstone.suites.offenders import count_rows

if TYPE_CHECKING:
    from ragstone.suites.answers.options import AnswersOptions

# With more refusals than this the rules in force are those of the pipeline.
_FEW = 0.01
_MANY = 0.05
# Five in a hundred of fewer claims than this is one claim, which repeats nothing.
_LEAST = 20
_LOOKED_AT = 10_000
# Nobody refuses with a longer text, word for word.
_LONGEST = 200
# What needs letters outside of ASCII is not looked for where there are none.
_LATIN = ("en", "de", "es", "fr")


@dataclass(frozen=True, slots=True)
class Proposal:
    """What should count as a refusal too, each with its share of the claims."""

    packs: Mapping[str, float]
    said: Mapping[str, float]


def propose_refusals(work: Work[AnswersOptions], arm: Arm) -> None:
    """Warns where few claims are refusals and many look like one."""
    claims, refused = count_rows(work.duck, arm.name, ["not missing", "refused"])
    if claims < _LEAST or refused >= _FEW * claims:
        return
    if not work.parted:
        gather_claims(work, arm)
    proposal = _proposal(work, arm)
    if proposal.packs or proposal.said:
        work.warnings.append(_sentence(work, arm, proposal, f"{refused:,} of {claims:,}"))


def gather_claims(work: Work[AnswersOptions], arm: Arm) -> None:
    """The claims that are looked at: those whose questions come first by a hash.

    These are chosen before any claim is read: to carry all claims along takes three times as long.
    """
    found = work.duck.query(f"""
        with first as (
            select md5_number_lower(qid) as place, qid, trace_row,
                answerable and found as answered,
            from rows
            where arm = {quoted(arm.name)} and not missing
                and trace_row not in (select rowid from {arm.table} where flag is not null)
            order by place, qid, trace_row limit {_LOOKED_AT}
        )
        select
            place,
            first.qid,
            row_number() over (partition by first.qid order by trace_row),
            strip(trace.claim) as said,
            fold(said),
            answered,
        from first join {arm.table} as trace on trace.rowid = first.trace_row
    """)
    work.gathered.keep_first(_claims(arm.name), found, _LOOKED_AT)


def _claims(arm: str) -> str:
    return f"claims of {arm}"


def _proposal(work: Work[AnswersOptions], arm: Arm) -> Proposal:
    seen = work.gathered.rows(_claims(arm.name))
    work.duck.run(
        "create or replace temp table looked_at as select unnest($said::varchar[]) as said, "
        "unnest($claims::varchar[]) as claim, unnest($answered::boolean[]) as answered",
        {
            "said": [said for *_, said, _, _ in seen],
            "claims": [claim for *_, claim, _ in seen],
            "answered": [answered for *_, answered in seen],
        },
    )
    total = work.duck.count("select count(*) from looked_at")
    packs = _packs(work, total)
    known = " or ".join(found_in_pack(language) for language in packs) or "false"
    found = work.duck.query(f"""
        select min(said), count(*) from looked_at
        where not answered and length(claim) <= {_LONGEST} and not ({known})
        group by claim having count(*) > {_MANY * total!r} order by count(*) desc, claim limit 1
    """)
    return Proposal(
        {f"@{language}": count / total for language, count in packs.items()},
        {text(said): whole(count) / total for said, count in found},
    )


def _packs(work: Work[AnswersOptions], total: int) -> dict[str, int]:
    """The packs that would fire on many claims: the one that does so most, then what it leaves."""
    from ragstone.matching.language_packs import LANGUAGES

    ascii_only = not work.duck.count(
        "select count(*) from looked_at where strlen(claim) <> length(claim)"
    )
    used = {each.language for each in refusal_rules(work.options.refusal).packs}
    languages = [each for each in (_LATIN if ascii_only else LANGUAGES) if each not in used]
    fired = ", ".join(f"{found_in_pack(each)} as {each}" for each in languages)
    found = work.duck.query(
        f"select {fired}, count(*) from looked_at where not answered group by all"
    )
    rows = [(row[:-1], whole(row[-1])) for row in found]
    chosen: dict[str, int] = {}
    while True:
        counts = [sum([n for fires, n in rows if fires[at]]) for at in range(len(languages))]
        best = max(range(len(languages)), key=lambda at: counts[at], default=0)
        if not counts or counts[best] <= _MANY * total:
            return chosen
        chosen[languages[best]] = counts[best]
        rows = [(fires, n) for fires, n in rows if not fires[best]]


def _sentence(work: Work[AnswersOptions], arm: Arm, proposal: Proposal, refused: str) -> str:
    words: Sequence[str] = (*work.options.refusal, *proposal.said, *proposal.packs)
    whose = f" of {arm.name}" if arm.name else ""
    seen = [
        f"the language pack {name} would fire on {part:.0%} of them"
        for name, part in proposal.packs.items()
    ]
    seen += [
        f"{part:.0%} of them are {from_the_data(said)}" for said, part in proposal.said.items()
    ]
    line = f"refusal = {json.dumps(list(words), ensure_ascii=False)}"
    return (
        f"{refused} claims{whose} are refusals, but {' and '.join(seen)}; if these are refusals, "
        f"put under [answers] in ragstone.toml: {from_the_data(line)}"
    )
