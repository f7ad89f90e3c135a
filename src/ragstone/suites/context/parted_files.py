"""Results and references whose lines several machines read: an arm per file, named by all of it."""

from __future__ import annotations

from ragstone.suites.context.options import ContextOptions
from ragstone.suites.context.question_files import (
    is_divisible,
    no_question,
    read_reference,
    read_some,
)
from ragstone.suites.declaration import Arm, Work
from ragstone.suites.ranking import ranked_arms
from ragstone.suites.ranking.kernel import prepare_kernel
from ragstone.suites.surveys import OnSpark, Survey

# The columns that `read_some` adds.
_TOLD = ("system_name", "repeated", "fields")


def arrange(work: Work[ContextOptions]) -> None:
    """A table for each file; what its system is called is known once all of it is read."""
    work.arms = tuple(
        Arm(name, f"results_{number}", (source,))
        for number, (name, source) in enumerate(ranked_arms.files_of(work, "results"))
    )


def look(work: Work[ContextOptions]) -> None:
    """The names of systems, the ids that are repeated, and the fields of the reference."""
    duck, gathered = work.duck, work.gathered
    for arm in work.arms:
        unnamed, repeated = duck.counts(f"""
            select count(*) filter (system_name is null), coalesce(sum(repeated), 0)::bigint
            from {arm.table}
        """)
        gathered.count(f"unnamed lines of {arm.table}", unnamed)
        gathered.count(f"repeated ids of {arm.table}", repeated)
        # Of several names none is the file's.
        names = "select distinct system_name from {} where system_name is not null limit 2"
        gathered.keep_all(f"names of {arm.table}", duck.texts(names.format(arm.table)))
    gathered.count("questions of the reference", duck.count("select count(*) from reference"))
    fields = duck.texts("select distinct unnest(fields) from reference")
    gathered.keep_all("fields of the reference", fields)


def settle(work: Work[ContextOptions]) -> None:
    """An arm per file; or what is wrong with the reference as a whole."""
    gathered, (reference,) = work.gathered, work.sources["reference"]
    if not gathered.counted("questions of the reference"):
        raise no_question(reference)
    if set(work.options.slice_fields) - gathered.sets["fields of the reference"]:
        # It says which fields there are, in the order of the lines.
        read_reference(work, reference)
    names = []
    for arm in work.arms:
        found = gathered.sets[f"names of {arm.table}"]
        one = len(found) == 1 and not gathered.counted(f"unnamed lines of {arm.table}")
        names.append(arm.name or (min(found) if one else ranked_arms.stem(arm.sources[0])))
    ranked_arms.set_arms(work, "results", names, [arm.sources[0] for arm in work.arms])
    for arm in work.arms:
        work.notes[arm.name] = gathered.counted(f"repeated ids of {arm.table}")


def ready(work: Work[ContextOptions]) -> None:
    """Makes an engine ready for `rows`, of tables in which only the questions are left."""
    prepare_kernel(work.duck, work.options.measures, work.options.grade)
    for table in ("reference", *(arm.table for arm in work.arms)):
        for column in _TOLD:
            work.duck.run(f"alter table if exists {table} drop column if exists {column}")


ON_SPARK = OnSpark(
    ready,
    surveys=(Survey(look, settle),),
    arranges=arrange,
    reads=read_some,
    divides=is_divisible,
)
