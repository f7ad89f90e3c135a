-- Every first citation that has a text and a hash, its own or the chunk's, and its bytes in the text.
select distinct
    log.qid,
    log.cites[1].id as id,
    texts.text,
    manifest.hash,
    log.cites[1].hash as cited_hash,
    case when getvariable('unit') = 'bytes' then log.cites[1].b - coalesce(manifest.b, 0)
        else converted.nb end as b,
    case when getvariable('unit') = 'bytes' then log.cites[1].e - coalesce(manifest.b, 0)
        else converted.ne end as e,
from {log} as log
join chunk_texts as texts on texts.id = log.cites[1].id
left join manifest on manifest.id = log.cites[1].id
left join converted on converted.id = log.cites[1].id
    and converted.b = log.cites[1].b and converted.e = log.cites[1].e
where manifest.hash is not null or log.cites[1].hash is not null
order by all
