-- The first {k} of a question's runs, summed.
sum(case when size_{k} > 0 then 2520 * hits_{k}::int // size_{k} else 0 end)::bigint as precise_{k},
sum(hits_{k})::bigint as recalled_{k},
count(*) filter (anchor_rank <= {k}) as anchor_{k},
count(*) filter (relevant_rank <= {k}) as found_{k},
count(*) filter (
    negative_rank <= {k} and negative_rank < coalesce(relevant_rank, 255)
) as negative_{k},
