-- A trace as the checks read it, from any shape. Without a qid, `asked` joins it to gold. Such a line
-- may be of the older shape: its ids then come from `chunks`, and claim and citations are lines of one
-- text, `answer`. With `claims`, one entry a sentence, the claim is their text joined, and what they
-- cite is cited. Where a case is chosen, the usual one comes first: if it is that of every row, nothing
-- is copied.
coalesce(nullif(qid, ''), nullif(q_id, '')) as qid,
case when coalesce(qid, '') = '' and coalesce(q_id, '') = '' then nullif(q, '') end as asked,
case
    when asked is null or retrieved_ids is not null or chunks is null
    then coalesce(retrieved_ids, [])
    else coalesce(json_extract_string(chunks, '$[*].id'), [])
end as retrieved,
nullif(answer_json.claims, []) as claims,
case
    when claims is null and (asked is null or answer is null or answer_json.claim is not null)
    then answer_json.claim
    when claims is not null
    then array_to_string(list_transform(claims, lambda said: said.text), ' ')
    else regexp_replace(
        regexp_replace(answer, '(?im)^[\s*•-]*citations?\s*:.*$', '', 'g'),
        '(?m)^\s*[*•-]\s+', '', 'g'
    )
end as claim,
case
    when claims is null and (asked is null or answer is null or answer_json.claim is not null)
    then coalesce(answer_json.citations, [])
    when claims is not null
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
