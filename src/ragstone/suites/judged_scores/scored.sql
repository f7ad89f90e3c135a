-- A trace as a judge's calibration reads it: its name, and what the judge said.
coalesce(
    nullif(qid, ''), nullif(q_id, ''),
    case json_type(trace_id) when 'VARCHAR' then nullif(trace_id->>'$', '') else trace_id::varchar end
) as qid,
