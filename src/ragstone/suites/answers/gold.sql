-- A gold item as the checks read it. Ids stay in their JSON spelling: it is unique, so they can be
-- compared as they are.
json_extract_string(qid, '$') as qid,
json_extract_string(question, '$') as question,
answerable::varchar = 'true' as answerable,
coalesce(
    list_transform(gold_claim_substr, lambda entry: json_extract_string(entry, '$')), []
) as substrings,
coalesce(gold_citations::varchar[], []) as gold_citations,
coalesce(
    list_transform(constraints, lambda entry: json_extract_string(entry, '$')), []
) as constraints,
