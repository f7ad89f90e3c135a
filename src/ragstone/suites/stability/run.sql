-- What a run says beyond a trace.
nullif(run_id, '') as given_id,
seed::varchar as given_seed,
jitter as given_jitter,
paraphrase::varchar as given_paraphrase,
