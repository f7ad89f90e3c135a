-- How many distinct ids the first {k} of a run have, and how many of them are relevant.
(case
    when all_different then least({k}, len(ids)) else len(list_distinct(ids[:{k}]))
end)::utinyint as size_{k},
(case
    when relevant_rank is null or relevant_rank > {k} then 0
    when len(relevant) = 1 then 1
    else len(list_filter(list_distinct(ids[:{k}]), lambda id: list_contains(relevant, id)))
end)::utinyint as hits_{k},
