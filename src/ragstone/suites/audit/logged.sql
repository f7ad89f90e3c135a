-- What an audit reads of a trace beyond what the checks of an answer do. A line without a qid may hold
-- both shapes: its `answer_json` then says what was answered, and `chunks` only brings texts.
case json_type(trace_id)
    when 'VARCHAR' then nullif(trace_id->>'$', '')
    when 'UBIGINT' then trace_id::varchar
    when 'BIGINT' then trace_id::varchar
    when 'DOUBLE' then trace_id::varchar
end as trace_id,
q as question,
nullif(answer_json.claims, []) as spoken,
case
    when spoken is null then coalesce(answer_json.claim, claim, answer)
    else array_to_string(list_transform(spoken, lambda sentence: sentence.text), ' ')
end as said,
case
    when spoken is not null
    then list_concat(
        answer_json.citations, flatten(list_transform(spoken, lambda sentence: sentence.citations))
    )
    when answer_json.claim is null then citations
    else coalesce(answer_json.citations, [])
end as cites,
case when retrieved_ids is null then retrieved else retrieved_ids end as seen,
case
    when retrieved_texts is not null then retrieved_ids
    when chunks is not null then json_extract_string(chunks, '$[*].id')
end as text_ids,
coalesce(retrieved_texts, json_extract_string(chunks, '$[*].text')) as own_texts,
coalesce(constraints, []) as locked,
latency_ms::varchar::double as latency_ms,
cost_usd::varchar::double as cost_usd,
