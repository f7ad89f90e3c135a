-- The runs of one wording and seed in both indexes, side by side: how alike the two rankings are.
create or replace temp table alike as
with
both_logs as (
    select 'live' as arm, runs.*, log.ids
    from runs_live as runs join live as log on log.rowid = runs.run_row
    union all
    select 'shadow', runs.*, log.ids
    from runs_shadow as runs join shadow as log on log.rowid = runs.run_row
),
turns as (
    select *, row_number() over (partition by arm, gold_row, paraphrase, seed order by ids) as turn
    from both_logs
),
-- how many ids the two rankings share in their first d, for every depth d
compared as (
    select
        gold_row,
        live.relevant_rank as live_rank,
        shadow.relevant_rank as shadow_rank,
        greatest(len(live.ids), len(shadow.ids)) as depth,
        list_transform(
            range(1, depth + 1),
            lambda d: len(list_intersect(live.ids[:d], shadow.ids[:d]))
        ) as shared,
        live.ids as live_ids,
        shadow.ids as shadow_ids,
    from turns as live
    join turns as shadow using (gold_row, paraphrase, seed, turn)
    where live.arm = 'live' and shadow.arm = 'shadow'
),
-- rank-biased overlap with p = 0.9, extrapolated from the depth that was seen
biased as (
    select
        *,
        case when depth = 0 then 1.0::double else
            shared[depth]::double / depth * pow(0.9::double, depth)
            + (0.1::double / 0.9::double) * list_sum(list_transform(
                range(1, depth + 1), lambda d: shared[d]::double / d * pow(0.9::double, d)
            ))
        end as rbo,
    from compared
)
select
    'shadow' as arm,
    rows.qid,
    rows.type,
    count(*) as runs,
    {overlaps}
    list_sum(list_sort(list(least(rbo, 1.0)))) / count(*) as rbo,
    case when count(live_rank + shadow_rank) > 0 then
        sum(shadow_rank::int - live_rank::int)::double / count(live_rank + shadow_rank)
    end as displacement,
from biased
join rows using (gold_row)
where rows.arm = 'live'
group by rows.qid, rows.type
