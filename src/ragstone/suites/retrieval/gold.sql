-- A gold item as the checks read it. Ids stay in their JSON spelling: it is unique, so they can be
-- compared as they are.
json_extract_string(qid, '$') as qid,
list_transform(paraphrases, lambda wording: json_extract_string(wording, '$')) as paraphrases,
list_distinct(relevant::varchar[]) as relevant,
relevant[1]::varchar as first_relevant,
nullif(json_extract_string(anchor_section, '$'), '') as anchor,
coalesce(negatives::varchar[], []) as negatives,
relevant_offsets::map(varchar, bigint[]) as spans,
