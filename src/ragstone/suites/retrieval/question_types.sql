-- The type of every question: gold's own, else that of a relevant chunk that the manifest knows, else the
-- one that a log gives to a relevant id: in a run of a question that it is relevant to, or, where a
-- question has no such id, in any line. Of several ids, gold's first counts before the others, and these
-- by name.
create or replace temp table question_types as
with
relevant as (
    select rowid as gold_row, first_relevant, unnest(relevant) as id,
    from gold
    where type is null
),
found as (
    select
        gold_row,
        arg_min(manifest.type, case when id = first_relevant then '' else id end) as by_manifest,
        arg_min(seen.type, case when id = first_relevant then '' else id end) as by_log,
    from relevant
    left join manifest using (id)
    left join seen using (id)
    group by gold_row
)
select
    gold.rowid as gold_row,
    coalesce(gold.type, by_manifest, by_log, 'unknown') as type,
    gold.type is null and by_manifest is null and by_log is not null as by_log_alone,
from gold
left join found on found.gold_row = gold.rowid
