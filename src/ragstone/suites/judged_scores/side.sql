-- One score of a side file; where a line has a number and a label, the number is the score.
qid,
coalesce(system, '') as system,
name,
case when score is null then to_json(label) else score end::varchar as said,
