-- What is known of a log beyond its rows.
select
    count(*) as runs,
    (select count(*) from {log} where qid not in (select qid from gold)) as unknown_qid,
    count(*) - (
        select count(*) from (select distinct gold_row, paraphrase, seed from runs_{log})
    ) as repeats,
    count(*) filter (answered) as answers,
    count(*) filter (cited_id is not null and cited_section is null) as unknown_sections,
    count(*) filter (span_unknown) as unknown_spans,
    count(*) filter (cited_relevant and not span_unknown) as known_spans,
    (
        select count(*) from {log} as log join gold using (qid) where log.anchor <> gold.anchor
    ) as other_anchor,
    (select count(*) from gold where anchor is not null) as anchors,
    (select count(*) from placeless_{log}) as placeless,
    (select count(*) from question_types where by_log_alone) as types_from_log,
from runs_{log}
