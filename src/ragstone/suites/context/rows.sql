-- One verdict row per question of the reference: what was found of its gold, how much else was
-- retrieved, and where it was ranked. A question without a result scores 0.
-- The kernel's relations gold and ranking; a list without scores is in rank order.
with
gold as (
    select qid, docs as wanted, grades, false as twice
    from reference
),
ranking as (
    select qid, len(docs) as n_lines, docs, range(len(docs), 0, -1)::float[] as scores
    from {table}
),
{kernel},
-- the gold documents of each question, and the places of their chunks in what was retrieved: no level
-- decides what counts in an nDCG
chunked as (
    select
        reference.qid,
        list_filter(docs, lambda doc, i: grades[i] >= 1) as gold_ids,
        list_filter(
            list_transform(
                retrieved.chunks_or_docs,
                lambda doc, i: case when list_contains(gold_ids, doc) then i end
            ),
            lambda i: i is not null
        ) as places
    from reference
    left join (select qid, coalesce(chunks, docs) as chunks_or_docs from {table}) as retrieved
        on retrieved.qid = reference.qid
)
select
    {arm} as arm,
    placed.qid,
    missing,
    n_graded > 0 as scored,
    n_ret as retrieved_docs,
    n_rel as gold_docs,
    len(relevant) as correct_docs,
    correct_docs > 0 as any_ref,
    any_ref and correct_docs = gold_docs as all_refs,
    coalesce(correct_docs / nullif(gold_docs, 0), 0)::double as context_recall,
    coalesce(correct_docs / nullif(retrieved_docs, 0), 0)::double as context_precision,
    case
        when correct_docs > 0
        then 2 * (context_precision * context_recall) / (context_precision + context_recall)
        else 0
    end::double as context_f1,
    -- chunk by chunk, against the best order of the gold chunks retrieved: a miss costs nothing
    coalesce(
        list_sum(list_transform(
            list_filter(places, lambda i: i <= 10), lambda i: 1 / discount(i)
        ))
        / list_sum(list_transform(places[:10], lambda i, nth: 1 / discount(nth))),
        0
    )::double as "ndcg@10_retrieved",
    {measures},
from placed
join chunked on chunked.qid = placed.qid
