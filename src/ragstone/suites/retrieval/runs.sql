-- One row per query run: ranks, counts and the citation check, all of them whole numbers or yes/no.
create or replace temp table runs_{log} as
with
-- runs that cite something in the anchor section: asked only of those that cite nothing relevant,
-- and several things, for the section of the first citation is known anyway
anchored as (
    select distinct run_row
    from (
        select log.rowid as run_row, gold.anchor, unnest(log.cites).id as id
        from {log} as log
        join gold using (qid)
        where gold.anchor is not null and len(log.cites) > 1 and not list_has_any(
            gold.relevant, list_transform(log.cites, lambda each: each.id)
        )
    ) as cites
    left join manifest using (id)
    where within(coalesce(manifest.section, section_of(cites.id)), cites.anchor)
),
-- the run beside its gold item, and the chunk it cited first
beside as (
    select
        log.rowid as run_row,
        gold.rowid as gold_row,
        log.*,
        gold.relevant,
        gold.negatives,
        gold.anchor as gold_anchor,
        gold.spans,
        log.cites[1] as cited,
        list_contains(gold.relevant, log.cites[1].id) as cited_relevant,
        log.rowid in (from anchored) as cites_anchor,
    from {log} as log
    join gold using (qid)
),
-- where the first relevant id, the first hard negative and the anchor section stand
ranked as (
    select
        beside.*,
        {anchor_rank} as anchor_rank,
        case
            when len(relevant) = 1 then list_position(ids, relevant[1])
            else list_position(
                list_transform(ids, lambda id: list_contains(relevant, id)), true
            )
        end as relevant_rank,
        case
            when len(negatives) = 0 then null
            when len(negatives) = 1 then list_position(ids, negatives[1])
            else list_position(
                list_transform(ids, lambda id: list_contains(negatives, id)), true
            )
        end as negative_rank,
        list_unique(ids) = len(ids) as all_different,
    from beside
    {anchor_join}
),
-- the cited chunk's own section, the span that was cited and the gold span
placed as (
    select
        ranked.*,
        coalesce(chunk.section, section_of(cited.id)) as cited_section,
        chunk.id is not null as cited_known,
        chunk.b as chunk_b,
        chunk.e as chunk_e,
        coalesce(spans[cited.id], [chunk.b, chunk.e]) as gold_span,
    from ranked
    left join manifest as chunk on chunk.id = cited.id
),
-- the same spans in bytes, whatever unit they were written in
in_bytes as (
    select
        placed.*,
        {spans}
),
checked as (
    select
        *,
        greatest(0, least(ce, ge) - greatest(cb, gb)) as shared_bytes,
        (ce - cb) + (ge - gb) - shared_bytes as joint_bytes,
        coalesce(cited.section = cited_section, true) as own_section,
        coalesce(cb < ge + 30 and ce > gb - 30, false) as meets,
    from in_bytes
)
select
    run_row,
    gold_row,
    qid,
    paraphrase,
    seed,
    len(ids)::utinyint as retrieved,
    state as logged_state,
    answered,
    relevant_rank::utinyint as relevant_rank,
    negative_rank::utinyint as negative_rank,
    anchor_rank::utinyint as anchor_rank,
    {counts}
    answered and (
        cited_relevant
        or cites_anchor
        or coalesce(within(cited_section, gold_anchor), false)
        or list_has_any(relevant, list_transform(cites, lambda each: each.id))
    ) is true as covered,
    cited.id as cited_id,
    coalesce(cited_relevant, false) as cited_relevant,
    cited_section,
    cited_known,
    coalesce(cited_relevant and gb is null, false) as span_unknown,
    coalesce(cited_relevant and own_section and not meets, false) as drifted,
    coalesce(cb < chunk_b or ce > chunk_e, false) and getvariable('unit') = 'bytes' as leaks,
    coalesce(cited_relevant and own_section and meets, false) as accurate,
    case
        when not cited_relevant or cb is null or gb is null then null
        when joint_bytes = 0 then 1.0::double
        else shared_bytes::double / joint_bytes
    end as iou,
    case
        when gold_anchor is null or cited_section is null then null
        when cited_section = gold_anchor then 0
        else tree_distance(cited_section, gold_anchor)
    end as proximity,
    -- λ looks at what was cited, and without an answer at what was retrieved
    case
        when answered then
            list_filter(list_transform(cites, lambda each: each.id),
                        lambda id: list_contains(relevant, id))[1]
        else ids[relevant_rank]
    end as hit,
    case when answered then len(cites) else len(ids) end = 0 as collapsed,
    first_delta_s,
    cited_delta_s,
from checked
