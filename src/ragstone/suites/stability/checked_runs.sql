-- Every run with its checks; `broken` names those that it should have met and did not.
select
    answers.arm,
    answers.qid,
    answers.answerable,
    runs.run_id,
    runs.seed,
    runs.jitter,
    answers.missing,
    answers.refused,
    answers.contained and not answers.missing as contained,
    answers.cited and not answers.missing as cited,
    answers.intact,
    runs.claim,
    case when answers.missing then [] else list_distinct(runs.citations) end as citations,
    case
        when answers.missing then ['missing']
        when not answers.answerable then if(answers.refused, [], ['refused'])
        else list_filter(
            [
                if(answers.contained, null, 'contained'),
                if(answers.forbidden, 'forbidden', null),
                if(answers.cited, null, 'cited'),
                if(answers.intact, null, 'intact'),
            ],
            lambda name: name is not null
        )
    end::varchar[] as broken,
from answers_rows as answers
join {table} as runs on runs.rowid = answers.trace_row
where answers.arm = {arm}
