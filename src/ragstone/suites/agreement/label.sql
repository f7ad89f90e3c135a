-- One validator's label as the checks read it.
json_extract_string(qid, '$') as qid,
replace(json_extract_string(label, '$'), 'INVALID', 'REJECT') as label,
coalesce(json_extract_string(reason, '$'), '') as reason,
