-- One query run as the checks read it: the first ten ids with their ΔS, the ΔS of the hit that was
-- cited first, and what was cited. What no check reads is not kept.
qid,
query,
coalesce(paraphrase::varchar, to_json(query)::varchar, '') as paraphrase,
coalesce(seed::varchar, '') as seed,
list_transform(topk[:10], lambda hit: hit.id) as ids,
list_transform(
    topk[:10], lambda hit: list_position(getvariable('types'), hit.type)::utinyint
) as types,
{delta_s} is not null as measured,
list_transform({delta_s}[:10], lambda each: try_cast(each::varchar as double)) as delta_s_list,
delta_s_list[1] as first_delta_s,
try_cast({delta_s}[case
    when len(topk) <= 10 then list_position(ids, answer_citations[1].id)
    else list_position(list_transform(topk, lambda hit: hit.id), answer_citations[1].id)
end]::varchar as double) as cited_delta_s,
getvariable('states')[{lambda_state}] as state,
anchor,
index_hash,
normalizer,
reranker,
answer_citations is not null as answered,
list_transform(answer_citations, lambda cited: {
    'id': cited.id,
    'b': cited.offsets[1]::bigint,
    'e': cited.offsets[2]::bigint,
    'section': cited.section_id,
    'hash': cited.hash
}) as cites,
