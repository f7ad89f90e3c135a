-- What a person sees of a trace that cost something.
trace.question,
trace.said as claim,
trace.written,
getvariable('markers') as markers,
trace.cites as citations,
trace.seen as retrieved_ids,
trace.locked as constraints,
trace.echo as constraints_echo,
(
    select list(unfound order by sentence, since, until, kind) from unfound
    where unfound.arm = worst.arm and unfound.trace_row = worst.trace_row
) as unfound,
from worst
join {table} as trace on trace.rowid = worst.trace_row
