-- One person's label of one system's answer, as it was written.
qid,
coalesce(system, '') as system,
label,
