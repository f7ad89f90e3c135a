-- The first rank whose id stands in the anchor section, as the id itself says. Hardly any id holds
-- the anchor's name, so that is asked first: it is a hundred times cheaper than the dialects.
create temp table anchors_{side} as
select
    log.rowid as run_row,
    list_position(list_transform(
        log.ids,
        lambda id: case
            when contains(id, gold.anchor) then coalesce(within(dialect(id), gold.anchor), false)
            else false
        end
    ), true) as anchor_rank,
from log_{side} as log
join gold using (qid)
where gold.anchor is not null
