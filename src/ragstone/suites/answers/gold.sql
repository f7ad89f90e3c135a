-- A gold item as the checks read it.
qid,
question,
answerable,
coalesce(gold_claim_substr, []) as substrings,
coalesce(gold_citations, []) as gold_citations,
coalesce(constraints, []) as constraints,
