-- The runs of the questions that are drawn: those that fail come first, then those with most broken
-- runs.
with
counted as (
    select
        qid,
        qid not in (select unnest($failed::varchar[])) as passes,
        count(*) filter (broken <> []) as broken_runs,
    from checked_runs
    where arm = $arm
    group by qid
),
chosen as (
    from counted
    order by passes, broken_runs desc, qid
    limit $most
)
select qid, seed, jitter, broken, list_contains(reworded, run_id) as reworded,
from (from checked_runs where qid in (select qid from chosen)) as runs
join wording using (arm, qid)
join chosen using (qid)
where arm = $arm
order by passes, broken_runs desc, {order}
