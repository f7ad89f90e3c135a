-- One verdict row per question: its runs are averaged first. Sums are of whole numbers, or of
-- decimals with 18 places, so they are exact in any order.
with
-- what the runs of a question come to; 2520 is divisible by every size up to ten
summed as (
    select
        gold_row,
        count(*) as runs,
        {sums}
        count(*) filter (answered) as answers,
        count(*) filter (covered) as covered,
        count(*) filter (accurate) as accurate,
        sum(proximity) as steps,
        count(proximity) as walked,
        sum(iou::decimal(38, 18)) as iou_sum,
        count(iou) as ious,
        sum({delta_s}::decimal(38, 18)) as delta_s_sum,
        count({delta_s}) as delta_s_count,
        count(*) filter (relevant_rank = 1) as on_top,
        count(relevant_rank) as ranked,
        bool_or(drifted) as drifted,
        bool_or(leaks) as leaks,
        bool_or(answered and cited_id is not null and not cited_known)
            and (select count(*) > 0 from manifest) as cites_unknown,
        bool_or(answered and not cited_relevant and proximity = 0) as beside_gold,
        min(relevant_rank) <> max(relevant_rank) or count(relevant_rank) not in (0, count(*))
            as moves,
    from runs_{log}
    group by gold_row
),
-- questions whose runs reach nothing in common, over all of them or within a seed
scattered as (
    select gold_row from questions_{log} where scatters or (logged = 0 and computed = '×')
    union
    select gold_row from triplets_{log} where scatters or (logged = 0 and computed = '×')
)
select
    {arm} as arm,
    gold.qid,
    gold.rowid as gold_row,
    question_types.type,
    gold.anchor,
    gold.anchor is not null and gold.rowid not in (from placeless_{log}) as anchored,
    gold.negatives <> [] as has_negatives,
    coalesce(runs, 0) as runs,
    runs is null as missing,
    {shares}
    coalesce(answers, 0) > 0 as answered,
    coalesce(covered::double / runs, 0) as coverage,
    case when answers > 0 then accurate::double / answers end as accuracy,
    -- a run without an answer has no accurate citation
    coalesce(accurate::double / runs, 0) as accuracy_all,
    case when walked > 0 then steps::double / walked end as proximity,
    case when ious > 0 then iou_sum::double / ious end as iou,
    case when delta_s_count > 0 then delta_s_sum::double / delta_s_count end as delta_s,
    getvariable('scale')::double as scale,
    coalesce(on_top, 0) as on_top,
    coalesce(ranked, 0) as ranked,
    coalesce(drifted, false) as drifted,
    coalesce(leaks, false) as leaks,
    -- a citation of an id or a text that the manifest does not have
    coalesce(cites_unknown, false) or gold.qid in (select qid from broken_{log}) as outdated,
    coalesce(beside_gold, false) as beside_gold,
    coalesce(moves, false) as moves,
    gold.rowid in (from scattered) as scattered,
from gold
left join summed on summed.gold_row = gold.rowid
join question_types on question_types.gold_row = gold.rowid
order by gold.qid
