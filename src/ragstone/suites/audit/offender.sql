-- What a person sees of a trace that cost something.
trace.question,
trace.said as claim,
trace.written,
getvariable('markers') as markers,
trace.cites as citations,
trace.seen as retrieved_ids,
trace.locked as constraints,
trace.echo as constraints_echo,
{unfound} as unfound,
from worst
join {table} as trace on trace.rowid = worst.trace_row
