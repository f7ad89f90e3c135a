-- A gold item as the checks read it. Citations that are absent are not an empty list: no evidence was
-- written down, so nothing about it is tested; an empty list says that nothing may be cited. Ids are
-- sorted, because their order means nothing. `groups` is null where every id is needed: else they are
-- the ids that prove the same, one of each is enough, and `gold_citations` are all of them.
qid,
question,
answerable,
coalesce(gold_claim_substr, []) as substrings,
-- typed answers, nuggets and what must not be said, as JSON text; an empty list is the same as none
nullif(gold_answer::varchar, '[]') as gold_answer,
nullif(nuggets::varchar, '[]') as nuggets,
nullif(must_not::varchar, '[]') as must_not,
gold_citations is not null or gold_citations_any is not null as evidenced,
case
    when len(gold_citations_any) > 0
    then list_sort(list_distinct(list_concat(
        list_transform(gold_citations, lambda id: [id]),
        list_transform(gold_citations_any, lambda ids: list_sort(list_distinct(ids)))
    )))
end as groups,
case
    when groups is null and coalesce(len(gold_citations) < 2, true) then coalesce(gold_citations, [])
    when groups is null then list_sort(gold_citations)
    else list_sort(list_distinct(flatten(groups)))
end as gold_citations,
coalesce(constraints, []) as constraints,
