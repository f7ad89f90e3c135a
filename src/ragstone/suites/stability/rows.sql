-- One row per question: its numbers over all its runs, null where it has none.
with
questions as (
    select distinct gold_row, qid, answerable, constrained, phrased, evidenced
    from answers_rows
    where arm = {arm}
),
shares as (
    select
        qid,
        count(*) as runs,
        count(*) filter (refused) as refused,
        count(*) filter (contained) / count(*) as acr,
        count(*) filter (cited) / count(*) as cghc,
        bool_and(intact) as intact,
    from checked_runs
    where arm = {arm}
    group by qid
),
-- each id that some run of a question cites, with how many of them do
cites as (
    select qid, id, count(*) as runs
    from (select qid, unnest(citations) as id from checked_runs where arm = {arm})
    group by qid, id
),
stable as (
    select cites.qid, count(*) filter (cites.runs = shares.runs) / count(*) as css
    from cites
    join shares on shares.qid = cites.qid
    group by cites.qid
)
select
    {arm} as arm,
    questions.*,
    coalesce(shares.runs, 0) as runs,
    coalesce(refused, 0) as refused,
    acr,
    cghc,
    if(runs > 0, coalesce(css, 1), null)::double as css,
    ned50,
    greatest(refused, runs - refused) / runs as rcr,
    refused / runs as refusal_share,
    if(constrained, intact::int::double, null) as scu_cons,
    iaa,
    reworded,
from questions
left join shares on shares.qid = questions.qid
left join stable on stable.qid = questions.qid
left join wording on wording.arm = {arm} and wording.qid = questions.qid
