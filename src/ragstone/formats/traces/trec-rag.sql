-- An answer of a TREC RAG run, sentence by sentence. `references` is all that a run tells of its retrieval.
with
answers as (
    select
        file,
        row,
        coalesce(json->>'$.run_id', json->>'$.metadata.run_id') as system,
        coalesce(
            json->>'$.topic_id', json->>'$.metadata.topic_id', json->>'$.metadata.narrative_id',
            json->>'$.metadata.request_id'
        ) as qid,
        coalesce(json->>'$.topic', json->>'$.metadata.narrative') as q,
        json_extract_string(json, '$.references[*]') as listed,
        list_concat(
            json_extract(json, '$.answer[*]'), json_extract(json, '$.responses[*]')
        ) as sentences,
    from raw
),
-- citations are positions from 0 on, ids, or the keys of an object of scores
cited as (
    select
        *,
        list_transform(
            list_filter(sentences, lambda sentence: json_type(sentence, '$.text') = 'VARCHAR'),
            lambda sentence: {
                'text': sentence->>'$.text',
                'citations': case json_type(sentence, '$.citations')
                    when 'OBJECT' then json_keys(sentence, '$.citations')
                    else list_transform(
                        json_extract(sentence, '$.citations[*]'),
                        lambda cite: case json_type(cite)
                            when 'VARCHAR' then cite->>'$'
                            when 'UBIGINT' then listed[try_cast(cite as int) + 1]
                        end
                    )
                end
            }
        ) as answered,
        flatten(list_transform(answered, lambda sentence: sentence.citations)) as every_cite,
        list_filter(every_cite, lambda id: id is not null) as cites,
        list_contains(
            list_transform(sentences, lambda sentence: json_type(sentence, '$.citations')), 'OBJECT'
        ) as scored,
        -- an id that is listed twice is retrieved once, at its first place
        list_filter(listed, lambda id, place: list_position(listed, id) = place) as ids,
    from answers
)
select
    file,
    row,
    case when qid is null then 'no_id' end as lost,
    list_filter(
        [
            case when answered = [] then 'no_answer' end,
            case when ids = [] then 'no_references' end,
            case when ids <> [] and list_has_all(cites, ids) then 'only_cited' end,
            case when len(cites) < len(every_cite) then 'no_such_position' end,
            case when scored then 'scores' end,
        ],
        lambda why: why is not null
    ) as lacks,
    system,
    qid,
    q,
    ids as retrieved_ids,
    {
        'claims': list_transform(
            answered,
            lambda sentence: {
                'text': sentence.text,
                'citations': list_filter(sentence.citations, lambda id: id is not null)
            }
        )
    } as answer_json,
from cited
