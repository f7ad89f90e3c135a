-- What a person sees of a row that cost something: the question, its evidence, and one of its runs,
-- the first by wording and seed, whatever the order of the lines.
gold.paraphrases[1] as question,
gold.relevant as gold_citations,
shown.ids as retrieved_ids,
list_transform(shown.cites, lambda cited: cited.id) as citations,
from worst
join gold on gold.rowid = worst.gold_row
left join (
    select runs.gold_row, log.ids, log.cites
    from runs_{table} as runs
    join {table} as log on log.rowid = runs.run_row
    where runs.gold_row in (select gold_row from worst)
    qualify row_number() over (
        partition by runs.gold_row order by runs.paraphrase, runs.seed, log.ids, log.cites
    ) = 1
) as shown on shown.gold_row = worst.gold_row
