-- What a comparison shows of a row: what was asked, what its runs retrieved between them, and what was
-- relevant.
gold.paraphrases[1] as seen_question,
null as seen_claim,
logged.citations as seen_citations,
logged.ids as seen_retrieved,
null as seen_wanted_phrases,
gold.relevant as seen_wanted_ids,
from worst
join gold on gold.rowid = worst.gold_row
left join (
    select
        runs.gold_row,
        list_sort(list_distinct(flatten(list(log.ids)))) as ids,
        list_sort(list_distinct(flatten(list(
            list_transform(log.cites, lambda cited: cited.id)
        )))) as citations,
    from runs_{table} as runs
    join {table} as log on log.rowid = runs.run_row
    group by runs.gold_row
) as logged on logged.gold_row = worst.gold_row
