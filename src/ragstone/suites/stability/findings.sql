-- The questions that were fine as asked and are not under a jitter, by jitter; without a jitter those
-- that some seeds break and others do not, in the same words.
with
judged as (
    select *, list_has_any(broken, {checks}) as bad, jitter = 'none' as plain,
    from checked_runs
    where arm = {arm}
),
asked as (
    select
        qid,
        bool_or(bad) as bad,
        count(distinct seed) as seeds,
        count(distinct seed) filter (bad) as bad_seeds,
    from judged
    where plain
    group by qid
)
select jitter, list(distinct qid order by qid) as qids,
from judged
where bad and qid in (select qid from asked where not bad)
group by jitter
union all
select null as jitter, list(qid order by qid) as qids,
from asked
where bad and bad_seeds < seeds
having count(*) > 0
