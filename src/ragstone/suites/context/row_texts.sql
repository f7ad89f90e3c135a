-- What a comparison shows of a row: what was asked and retrieved, and the gold documents.
coalesce(reference.question, results.question) as seen_question,
nullif(results.answer, '') as seen_claim,
null as seen_citations,
results.docs as seen_retrieved,
null as seen_wanted_phrases,
list_sort(list_filter(
    reference.docs, lambda doc, i: reference.grades[i] >= getvariable('level')
)) as seen_wanted_ids,
from worst
join reference on reference.qid = worst.qid
left join {table} as results on results.qid = worst.qid
