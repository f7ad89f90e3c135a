-- The kernel's relations from lists: reference(qid, gold), retrieved(qid, chunks, docs).

-- the judgments of a question
gold as (
    select
        qid,
        list_transform(gold, lambda g: g.doc) as wanted,
        list_transform(gold, lambda g: g.grade) as grades,
        list_reverse_sort(list_filter(
            list_transform(gold, lambda g: g.grade), lambda grade: grade > 0
        )) as gains,
        len(list_filter(gold, lambda g: g.grade >= getvariable('level'))) as n_rel,
        len(list_filter(gold, lambda g: g.grade >= 0 and g.grade < getvariable('level')))
            as n_nonrel,
        false as twice
    from reference
),
-- a list has no scores: its order is the ranking
listed as (
    select
        qid,
        list_transform(docs, lambda d, rank: (-rank)::float) as scores,
        docs
    from retrieved
),
