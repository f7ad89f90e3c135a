-- Every span of a first citation, of gold and of the manifest whose chunk has a text, with that text
-- and where the chunk begins.
with spans as (
    select cites[1].id as id, cites[1].b as b, cites[1].e as e from {log}
    union
    select key, span[1], span[2] from (
        select unnest(map_keys(spans)) as key, unnest(map_values(spans)) as span from gold
    )
    union
    select id, b, e from manifest
)
select spans.id, spans.b, spans.e, texts.text, coalesce(manifest.b, 0)
from spans
join chunk_texts as texts using (id)
left join manifest using (id)
where spans.b is not null
order by all
