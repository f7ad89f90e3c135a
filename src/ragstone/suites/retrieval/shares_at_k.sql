-- The same as averages over a question's runs.
coalesce(precise_{k}::double / (2520 * runs), 0) as p_{k},
coalesce(recalled_{k}::double / (len(gold.relevant) * runs), 0) as r_{k},
coalesce(anchor_{k}::double / runs, 0) as anchor_{k},
coalesce(found_{k}::double / runs, 0) as found_{k},
coalesce(negative_{k}::double / runs, 0) as negative_{k},
