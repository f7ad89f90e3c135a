-- The type of each question's first relevant id, as a log shows it; a manifest knows better.
create temp table seen as
select id, min(getvariable('type_names')[type]) as type
from (
    select unnest(ids) as id, unnest(types) as type
    from ({logs})
)
where type is not null and id in (select first_relevant from gold)
group by id
