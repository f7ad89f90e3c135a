-- What a comparison shows of a row: what was asked, said and retrieved, and what gold wanted. The ids
-- are all that gold names, also where one of several is enough.
gold.question as seen_question,
trace.claim as seen_claim,
trace.citations as seen_citations,
trace.retrieved as seen_retrieved,
case
    when gold.gold_answer is null then gold.substrings
    else list_append(gold.substrings, gold.gold_answer)
end as seen_wanted_phrases,
gold.gold_citations as seen_wanted_ids,
from worst
join gold on gold.rowid = worst.gold_row
left join {table} as trace on trace.rowid = worst.trace_row
