-- A gold item as the checks read it. Citations that are absent are not an empty list: no evidence was
-- written down, so nothing about it is tested; an empty list says that nothing may be cited.
qid,
question,
answerable,
coalesce(gold_claim_substr, []) as substrings,
-- typed answers, nuggets and what must not be said, as JSON text; an empty list is the same as none
nullif(gold_answer::varchar, '[]') as gold_answer,
nullif(nuggets::varchar, '[]') as nuggets,
nullif(must_not::varchar, '[]') as must_not,
case when nuggets is null then 0 else json_array_length(nuggets) end::uinteger as nugget_count,
-- a nugget is vital unless it says otherwise
case
    when nuggets is null then 0
    else nugget_count - len(list_filter(
        json_extract_string(nuggets, '$[*].vital'), lambda vital: vital = 'false'
    ))
end::uinteger as vital_count,
gold_citations is not null as evidenced,
coalesce(gold_citations, []) as gold_citations,
coalesce(constraints, []) as constraints,
