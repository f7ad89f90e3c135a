-- A gold item as the checks read it. Citations that are absent are not an empty list: no evidence was
-- written down, so nothing about it is tested; an empty list says that nothing may be cited.
qid,
question,
answerable,
coalesce(gold_claim_substr, []) as substrings,
gold_citations is not null as evidenced,
coalesce(gold_citations, []) as gold_citations,
coalesce(constraints, []) as constraints,
