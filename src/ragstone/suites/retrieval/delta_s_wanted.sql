-- The question and the chunks of each run whose ΔS is computed from their texts: all that it
-- retrieved by rank, and the one that counts for the run as rank 0.
create or replace temp table wanted as
with asked as (
    select
        runs.run_row,
        coalesce(log.query, gold.paraphrases[1]) as query,
        {target} as target,
        log.ids,
    from runs_{log} as runs
    join {log} as log on log.rowid = runs.run_row
    join gold on gold.rowid = runs.gold_row
)
select run_row, 0 as rank, query, target as id from asked
union all
select run_row, unnest(range(1, len(ids) + 1)), query, unnest(ids) from asked
