-- A merged pair as the checks read it; what is absent is no citation and no flag.
qid,
replace(scholar.label, 'INVALID', 'REJECT') as scholar,
replace(auditor.label, 'INVALID', 'REJECT') as auditor,
coalesce(scholar.reason, '') as scholar_reason,
coalesce(auditor.reason, '') as auditor_reason,
coalesce(list_concat(
    answer_json.citations,
    flatten(list_transform(answer_json.claims, lambda said: said.citations))
), []) as citations,
coalesce(retrieved_ids, []) as retrieved,
coalesce(flags.provenance_violation, false)
    or coalesce(flags.constraints_mismatch, false) as flagged,
