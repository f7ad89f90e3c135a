-- How often each ΔS occurs at each rank, over every item of every run.
with items as ({items})
select {arm} as arm, rank::int as rank, delta_s, count(*) as times
from items
where delta_s is not null
group by rank, delta_s
