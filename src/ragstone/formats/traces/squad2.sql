-- A prediction for SQuAD 2.0: the empty text is a refusal, and no other is.
select
    file,
    row,
    case when json_type(json) <> 'VARCHAR' then 'no_answer' end as lost,
    ['no_citations'] as lacks,
    key as qid,
    {'claim': json->>'$', 'refused': (json->>'$') = ''} as answer_json,
from raw
