-- Each system's answers as the gate and as people see them.
select
    system,
    count(*) as answers,
    count(*) filter (gate = 'right') / count(*) as right,
    count(*) filter (people = 'correct') / count(*) as correct,
    count(*) filter (agree) / count(*) as agreement,
from rows
where not missing
group by system
order by system
