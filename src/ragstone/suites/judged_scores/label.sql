-- What a person says of one answer.
qid,
label,
