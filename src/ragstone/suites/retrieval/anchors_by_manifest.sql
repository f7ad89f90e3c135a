-- The first rank whose id stands in the anchor section, as the manifest says.
create or replace temp table anchors_{log} as
with hits as (
    select
        log.rowid as run_row,
        gold.anchor,
        unnest(log.ids) as id,
        generate_subscripts(log.ids, 1) as rank,
    from {log} as log
    join gold using (qid)
    where gold.anchor is not null
)
select hits.run_row, min(hits.rank) as anchor_rank
from hits
left join manifest on manifest.id = hits.id
where within(coalesce(manifest.section, section_of(hits.id)), hits.anchor)
group by hits.run_row
