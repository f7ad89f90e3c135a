-- The type of ids that the runs of their own questions do not show, as those of other questions do.
select id, min(getvariable('type_names')[type]) as type
from (select unnest(ids) as id, unnest(types) as type from ({logs}))
where type is not null and id in (select id from untyped)
group by id
