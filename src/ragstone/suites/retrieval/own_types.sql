-- The types of relevant ids, as the runs of their own questions show them.
select id, min(getvariable('type_names')[type]) as type
from (
    select
        unnest(gold.relevant) as id,
        unnest(list_transform(
            gold.relevant, lambda id: log.types[list_position(log.ids, id)]
        )) as type,
    from ({logs}) as log
    join gold using (qid)
    where gold.type is null
)
where type is not null
group by id
