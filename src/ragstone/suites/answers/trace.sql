-- A trace as the checks read it, from any shape. In the older one, `asked` joins it to gold, the ids
-- come from `chunks`, and claim and citations are lines of one text. With `claims`, one entry a
-- sentence, the claim is their text joined, and what they cite is cited. Where a case is chosen, the
-- usual one comes first: if it is that of every row, nothing is copied.
coalesce(nullif(qid, ''), nullif(q_id, '')) as qid,
case
    when coalesce(qid, '') = '' and coalesce(q_id, '') = ''
        and (answer is not null or chunks is not null)
    then q
end as asked,
case
    when asked is null then coalesce(retrieved_ids, [])
    else coalesce(json_extract_string(chunks, '$[*].id'), [])
end as retrieved,
case when asked is null then nullif(answer_json.claims, []) end as claims,
case
    when asked is null and claims is null then answer_json.claim
    when asked is null
    then array_to_string(list_transform(claims, lambda said: said.text), ' ')
    else regexp_replace(
        regexp_replace(answer, '(?im)^[\s*•-]*citations?\s*:.*$', '', 'g'),
        '(?m)^\s*[*•-]\s+', '', 'g'
    )
end as claim,
case
    when asked is null and claims is null then coalesce(answer_json.citations, [])
    when asked is null
    then list_concat(
        answer_json.citations,
        flatten(list_transform(claims, lambda said: said.citations))
    )
    else list_filter(
        list_transform(
            string_split(
                regexp_extract(
                    answer, '(?im)^[\s*•-]*citations?\s*:\s*\[?([^\]\n]*)', 1
                ), ','
            ),
            lambda id: trim(id, ' ''"`')
        ),
        lambda id: id <> ''
    )
end as citations,
-- the claim with its markers, where they were taken out of it (inline_markers.sql)
null::varchar as written,
coalesce(answer_json.constraints_echo, []) as echo,
-- the pipeline's own word; null where it says nothing
coalesce(answer_json.refused, refused) as flag,
