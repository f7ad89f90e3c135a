-- The type of each question's first relevant id, as its own runs show it; a manifest knows better.
create temp table seen as
select gold.first_relevant as id, min(getvariable('type_names')[
    log.types[list_position(log.ids, gold.first_relevant)]
]) as type
from ({logs}) as log
join gold using (qid)
group by gold.first_relevant
having type is not null;

-- Where they do not, the runs of other questions may.
insert into seen
select id, min(getvariable('type_names')[type])
from (
    select unnest(ids) as id, unnest(types) as type
    from ({logs})
    where exists (
        select 1 from gold
        where first_relevant not in (select id from seen union all select id from manifest)
    )
)
where type is not null
    and id in (select first_relevant from gold)
    and id not in (select id from seen)
group by id
