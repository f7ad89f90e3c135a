-- λ of each group of runs of one question: {by} is the question, or the question and the seed.
create or replace temp table {name}_{log} as
with
grouped as (
    select
        {by},
        count(*) as runs,
        count(distinct paraphrase) as paraphrases,
        count(distinct seed) as seeds,
        count(hit) as hits,
        count(hit) = count(*) and min(hit) = max(hit) as same_hit,
        bool_and(collapsed) as collapsed,
        count(logged_state) as logged,
        bool_and(coalesce(logged_state = '→', false)) as all_converge,
        bool_or(coalesce(logged_state = '×', false)) as scatters,
    from runs_{log}
    group by all
),
-- ids that every run of a group without a hit has; only such groups are taken apart
basis as (
    select
        {by},
        run_row,
        unnest(list_distinct(case
            when runs.answered then list_transform(log.cites, lambda each: each.id) else log.ids
        end)) as id,
    from runs_{log} as runs
    join grouped using ({by})
    join (select rowid as run_row, ids, cites from {log}) as log using (run_row)
    where grouped.hits = 0
),
shared as (
    select distinct {by}
    from (
        select {by}, id, count(*) as runs from basis group by all
    ) as common
    join grouped using ({by}, runs)
)
select
    grouped.*,
    case
        when runs < 2 then null
        when same_hit then '→'
        when collapsed then '←'
        when hits > 0 then '<>'
        when shared.gold_row is null then '×'
        else '<>'
    end as computed,
    case when logged > 0 then all_converge else computed = '→' end as converges,
from grouped
left join shared using ({by})
