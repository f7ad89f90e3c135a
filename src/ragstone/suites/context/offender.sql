-- What a person sees of a question that cost something: its gold documents and the retrieved ones.
coalesce(reference.question, results.question) as question,
nullif(results.answer, '') as claim,
list_sort(list_filter(
    reference.docs, lambda doc, i: reference.grades[i] >= getvariable('level')
)) as gold_citations,
results.docs as retrieved_ids,
from worst
join reference on reference.qid = worst.qid
left join {table} as results on results.qid = worst.qid
