-- What a person sees of a row that cost something: the question, its evidence, and one of its runs,
-- the first by wording and seed, whatever the order of the lines.
gold.paraphrases[1] as question,
gold.relevant as gold_citations,
shown.ids as retrieved_ids,
list_transform(shown.cites, lambda cited: cited.id) as citations,
from worst
join gold on gold.rowid = worst.gold_row
left join (
    from {table} as log
    where log.qid in (select qid from worst)
    qualify row_number() over (
        partition by log.qid order by log.paraphrase, log.seed, log.ids, log.cites
    ) = 1
) as shown on shown.qid = worst.qid
