-- A question of SQuAD 2.0: any of its answers is right. Its paragraph is `title#number`, which nobody but we
-- call it: it is no evidence that a system could cite, but a field beside.
with
articles as (
    select file, row, json->>'$.title' as title, json_extract(json, '$.paragraphs[*]') as paragraphs,
    from raw
),
paragraphs as (
    select
        file,
        row,
        generate_subscripts(paragraphs, 1) as number,
        title || '#' || number as paragraph,
        json_extract(paragraphs[number], '$.qas[*]') as questions,
    from articles
),
questions as (
    select file, row, number, paragraph, unnest(questions) as json, from paragraphs
),
answers as (
    select
        *,
        json->>'$.id' as qid,
        json->>'$.question' as question,
        (json->>'$.is_impossible') is distinct from 'true' as answerable,
        json_extract_string(json, '$.answers[*].text') as every_answer,
        list_filter(
            every_answer,
            lambda answer, place: list_position(every_answer, answer) = place
        ) as answers,
    from questions
)
select
    file,
    row,
    qid as named,
    case
        when qid is null then 'no_id' when answerable and answers = [] then 'no_answer'
    end as lost,
    qid,
    question,
    answerable,
    case when answerable then answers end as gold_claim_substr,
    case when paragraph is not null then [paragraph] end as paragraphs,
from answers
