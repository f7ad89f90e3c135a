-- What a run says beyond a trace.
nullif(json_extract_string(run_id, '$'), '') as given_id,
json_extract_string(seed, '$') as given_seed,
json_extract_string(jitter, '$') as given_jitter,
json_extract_string(paraphrase, '$') as given_paraphrase,
