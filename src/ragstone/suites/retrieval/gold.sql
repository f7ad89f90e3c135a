-- A gold item as the checks read it.
qid,
paraphrases,
list_distinct(relevant) as relevant,
relevant[1] as first_relevant,
nullif(anchor_section, '') as anchor,
coalesce(negatives, []) as negatives,
relevant_offsets::map(varchar, bigint[]) as spans,
coalesce(getvariable('type_of')[type], nullif(type, '')) as type,
