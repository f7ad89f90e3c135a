-- Questions of which it is not known whether they met their anchor section: no id that their runs retrieved
-- says in which section it stands.
create or replace temp table placeless_{log} as
with hits as (
    select distinct runs.gold_row, unnest(log.ids) as id
    from runs_{log} as runs
    join gold on gold.rowid = runs.gold_row
    join {log} as log on log.rowid = runs.run_row
    where gold.anchor is not null
        and runs.gold_row not in (
            select gold_row from runs_{log} where anchor_rank is not null
        )
)
select hits.gold_row
from hits
left join manifest using (id)
group by hits.gold_row
having count(coalesce(manifest.section, section_of(hits.id))) = 0
