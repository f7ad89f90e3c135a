-- One verdict row per question of the reference: what was found, how much of it, and where.

-- chunk level: which of the retrieved chunks belong to a gold document
chunked as (
    select
        reference.qid,
        list_filter(
            list_transform(
                retrieved.docs,
                lambda doc, rank: case when list_contains(list_transform(
                    list_filter(reference.gold, lambda g: g.grade >= getvariable('level')),
                    lambda g: g.doc
                ), doc) then rank end
            ),
            lambda rank: rank is not null
        ) as gold_chunks
    from reference join retrieved using (qid)
),
counted as (
    select
        *,
        n_ret as retrieved_docs,
        n_rel as gold_docs,
        len(relevant) as correct_docs,
        coalesce(correct_docs / nullif(gold_docs, 0), 0) as context_recall,
        coalesce(correct_docs / nullif(retrieved_docs, 0), 0) as context_precision,
        coalesce(
            2 * (context_precision * context_recall)
                / nullif(context_precision + context_recall, 0),
            0
        ) as context_f1,
        correct_docs > 0 as any_ref,
        correct_docs = gold_docs as all_refs,
        -- ideal over the gold chunks that were retrieved: what was missed costs nothing
        coalesce(
            list_sum(list_transform(
                list_filter(gold_chunks, lambda rank: rank <= 10),
                lambda rank: 1 / discount(rank)
            )) / list_sum(list_transform(
                gold_chunks[:10], lambda _, rank: 1 / discount(rank)
            )),
            0
        )::double as "ndcg@10_retrieved",
    from placed left join chunked using (qid)
    where judged
)
