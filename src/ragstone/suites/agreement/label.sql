-- One validator's label as the checks read it.
qid,
replace(label, 'INVALID', 'REJECT') as label,
coalesce(reason, '') as reason,
