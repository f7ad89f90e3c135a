-- What a person sees of the listed questions. Of repeats, each side shows its worst row: one that is
-- wrong where there is one, then by the step that it was lost at and by its words, in any order of lines.
with
wanted as (
    select *, row_number() over (partition by list order by protected desc, turn, qid) as place
    from first_turned qualify place <= {most}
),
a as (
    select * from rows_a where qid in (select qid from wanted)
    qualify row_number() over (
        partition by qid order by is_right, not_passed, claim, citations, retrieved
    ) = 1
),
b as (
    select * from rows_b where qid in (select qid from wanted)
    qualify row_number() over (
        partition by qid order by is_right, not_passed, claim, citations, retrieved
    ) = 1
)
select
    wanted.list,
    wanted.qid,
    wanted.protected,
    wanted.rows_a,
    wanted.right_a,
    wanted.rows_b,
    wanted.right_b,
    -- where the wrong answer of the two was lost: at the first step that the right one passed
    case
        when wanted.list in ('mended', 'only_a') then lost_at(a.is_right, a.not_passed, b.not_passed)
        else lost_at(b.is_right, b.not_passed, a.not_passed)
    end as lost_at,
    coalesce(b.question, a.question) as question,
    coalesce(b.wanted_phrases, a.wanted_phrases) as wanted_phrases,
    coalesce(b.wanted_ids, a.wanted_ids) as wanted_ids,
    a.claim as claim_a,
    a.citations as citations_a,
    a.retrieved as retrieved_a,
    b.claim as claim_b,
    b.citations as citations_b,
    b.retrieved as retrieved_b,
from wanted
left join a on a.qid = wanted.qid
left join b on b.qid = wanted.qid
order by wanted.list, wanted.place
