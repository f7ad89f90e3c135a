-- The type of each question's first relevant id, as the question's own runs show it.
select gold.first_relevant as id, min(getvariable('type_names')[
    log.types[list_position(log.ids, gold.first_relevant)]
]) as type
from ({logs}) as log
join gold using (qid)
group by gold.first_relevant
having type is not null
