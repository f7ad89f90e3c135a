-- The question and the chunk of each run whose ΔS is computed from their texts.
create or replace temp table wanted as
select
    runs.run_row,
    coalesce(log.query, gold.paraphrases[1]) as query,
    {target} as id,
from runs_{log} as runs
join {log} as log on log.rowid = runs.run_row
join gold on gold.rowid = runs.gold_row
