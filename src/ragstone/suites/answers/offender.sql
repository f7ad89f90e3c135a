-- What a person sees of a row that cost something: the question, the claim and the evidence.
gold.question,
trace.claim,
trace.written,
getvariable('markers') as markers,
gold.substrings as gold_claim_substr,
gold.gold_answer,
gold.nuggets,
gold.must_not,
getvariable('decimal') as decimal_mark,
case
    when gold.groups is null then gold.gold_citations
    else list_transform(gold.groups, lambda ids: array_to_string(ids, ' or '))
end as gold_citations,
trace.citations,
trace.retrieved as retrieved_ids,
gold.constraints,
trace.echo as constraints_echo,
worst.answerable,
{unfound} as unfound,
from worst
join gold on gold.rowid = worst.gold_row
left join {table} as trace on trace.rowid = worst.trace_row
