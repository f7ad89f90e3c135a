-- A trace as the checks read it, from either shape. In the older one, `asked` joins it to gold, the
-- ids come from `chunks`, and claim and citations are lines of one text.
coalesce(
    nullif(json_extract_string(qid, '$'), ''), nullif(json_extract_string(q_id, '$'), '')
) as qid,
case
    when coalesce(json_extract_string(qid, '$'), '') = ''
        and coalesce(json_extract_string(q_id, '$'), '') = ''
        and coalesce(answer, chunks) is not null
    then json_extract_string(q, '$')
end as asked,
case
    when asked is null then coalesce(retrieved_ids::varchar[], [])
    else coalesce(json_extract(chunks, '$[*].id')::varchar[], [])
end as retrieved,
case
    when asked is null then json_extract_string(answer_json.claim, '$')
    else regexp_replace(
        regexp_replace(
            json_extract_string(answer, '$'), '(?im)^[\s*•-]*citations?\s*:.*$', '', 'g'
        ),
        '(?m)^\s*[*•-]\s+', '', 'g'
    )
end as claim,
case
    when asked is null then coalesce(answer_json.citations::varchar[], [])
    else list_transform(
        list_filter(
            list_transform(
                string_split(
                    regexp_extract(
                        json_extract_string(answer, '$'),
                        '(?im)^[\s*•-]*citations?\s*:\s*\[?([^\]\n]*)', 1
                    ), ','
                ),
                lambda id: trim(id, ' ''"`')
            ),
            lambda id: id <> ''
        ),
        lambda id: to_json(id)::varchar
    )
end as citations,
coalesce(
    list_transform(answer_json.constraints_echo, lambda entry: json_extract_string(entry, '$')), []
) as echo,
