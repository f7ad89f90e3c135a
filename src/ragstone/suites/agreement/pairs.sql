-- A merged pair as the checks read it; what is absent is no citation and no flag.
json_extract_string(qid, '$') as qid,
replace(json_extract_string(scholar.label, '$'), 'INVALID', 'REJECT') as scholar,
replace(json_extract_string(auditor.label, '$'), 'INVALID', 'REJECT') as auditor,
coalesce(json_extract_string(scholar.reason, '$'), '') as scholar_reason,
coalesce(json_extract_string(auditor.reason, '$'), '') as auditor_reason,
coalesce(answer_json.citations::varchar[], []) as citations,
coalesce(retrieved_ids::varchar[], []) as retrieved,
coalesce(flags.provenance_violation::varchar = 'true', false)
    or coalesce(flags.constraints_mismatch::varchar = 'true', false) as flagged,
