-- An answer of LiveRAG: the documents of its passages, in their order, are what was retrieved.
with
answers as (
    select
        file,
        row,
        json->>'$.id' as qid,
        json->>'$.question' as q,
        case when json_type(json, '$.answer') = 'VARCHAR' then json->>'$.answer' end as claim,
        json_extract(json, '$.passages[*]') as passages,
    from raw
),
documents as (
    select
        *,
        flatten(list_transform(
            passages,
            lambda passage: list_transform(
                json_extract_string(passage, '$.doc_IDs[*]'),
                lambda id: {'id': id, 'text': coalesce(passage->>'$.passage', '')}
            )
        )) as every_one,
        list_transform(every_one, lambda document: document.id) as every_id,
        -- a document that comes twice is retrieved once, at its first place
        list_filter(
            every_one, lambda document, place: list_position(every_id, document.id) = place
        ) as retrieved,
    from answers
)
select
    file,
    row,
    case when qid is null then 'no_id' end as lost,
    list_filter(
        [
            case when claim is null then 'no_answer' end,
            'no_citations',
            case when retrieved = [] then 'no_documents' end,
        ],
        lambda why: why is not null
    ) as lacks,
    qid,
    q,
    list_transform(retrieved, lambda document: document.id) as retrieved_ids,
    list_transform(retrieved, lambda document: document.text) as retrieved_texts,
    {'claim': claim} as answer_json,
from documents
