"""List the runs that --record has kept, newest first. RUN is the first 8 or more characters of a
digest, an accepted name, `last`, or the folder of a run."""

from __future__ import annotations

import argparse
import datetime
import re
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragstone.cli.common import as_json, config_of, say
from ragstone.cli.flags import add_json, flag
from ragstone.cli.which_recordings import add_filters, fitting, warn, whole_count
from ragstone.errors import ConfigError, InputError
from ragstone.gates.gate import Status

if TYPE_CHECKING:
    from ragstone.ledger.recording import Recording
    from ragstone.ledger.run_store import FoundRun, RunStore

SHOWN = 20
_AGE = re.compile(r"([1-9][0-9]{0,5})([hdw])")
_HOURS = {"h": 1, "d": 24, "w": 168}


def add_ledger(parser: argparse._ActionsContainer) -> None:
    flag(parser, "--ledger PLACE", "the folder or URL of the ledger (.ragstone)")


def store_of(arguments: argparse.Namespace) -> RunStore:
    """The ledger that a flag or ragstone.toml names, else the usual one."""
    from ragstone.ledger.run_store import RunStore

    return RunStore(arguments.ledger or config_of(arguments).ledger)


def configure(parser: argparse.ArgumentParser) -> None:
    add_filters(parser)
    add_ledger(parser)
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    store = store_of(arguments)
    damaged: list[str] = []
    every = store.recordings(damaged)
    warn(damaged)
    names = _names_by_run(store)
    found = fitting(every, arguments)
    if arguments.json:
        shown = found[: arguments.limit]
        listed = [{**asdict(each), "names": names.get(each.run, [])} for each in shown]
        say(as_json({"recordings": listed, "total": len(found), "damaged": damaged}))
        return 0
    if not found:
        say(f"no recording in {store.place}" if not every else "no recording fits")
        return 0
    limit = arguments.limit or SHOWN
    say(table([_row(each, names.get(each.run, [])) for each in found[:limit]]))
    if len(found) > limit and not arguments.quiet:
        say(f"... and {len(found) - limit:,} older; --limit {len(found)} shows all")
    return 0


def _names_by_run(store: RunStore) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, accepted in store.names().items():
        found.setdefault(accepted.run, []).append(name)
    return found


def _row(each: Recording, names: Sequence[str]) -> tuple[str, ...]:
    passing = sum(gate.get("status") == "PASS" for gate in each.gates.values())
    tested = sum(gate.get("status") != "NOT TESTED" for gate in each.gates.values())
    gates = f"{passing} of {tested}" if each.gates else ""
    labels = " ".join(f"{name}={text}" for name, text in each.labels.items())
    made_at = f"{each.at[:10]} {each.at[11:16]}"
    verdict = each.decision or "NO GATES"
    return (
        made_at,
        each.short,
        each.suite,
        verdict,
        gates,
        commit_of(each),
        labels,
        *[", ".join(names)],
    )


def commit_of(each: Recording) -> str:
    """`main 1a2b3c4`, with a star where the tree differed from the commit."""
    if each.commit is None:
        return ""
    return " ".join(filter(None, (each.branch, each.commit[:7] + ("*" if each.dirty else ""))))


_HEAD = ("when (UTC)", "run", "suite", "decision", "pass", "commit", "labels", "accepted as")


def table(rows: Sequence[tuple[str, ...]]) -> str:
    """Lines with columns as wide as they must be; columns without a word are left out."""
    from ragstone.report.text import shown

    plain = [_HEAD, *(tuple(shown(cell, 40) for cell in row) for row in rows)]
    kept = [at for at in range(len(_HEAD)) if any(row[at] for row in plain[1:])]
    wide = {at: max(len(row[at]) for row in plain) for at in kept}
    return "\n".join("  ".join(row[at].ljust(wide[at]) for at in kept).rstrip() for row in plain)


def add_run(parser: argparse.ArgumentParser) -> None:
    """The word for a run, and where the ledger is."""
    says = "a digest's first characters, an accepted name, last, or a folder"
    parser.add_argument("run_word", metavar="RUN", help=says)
    add_ledger(parser)


def _configure_show(parser: argparse.ArgumentParser) -> None:
    add_run(parser)
    add_json(parser)


def run_and_store(arguments: argparse.Namespace) -> tuple[FoundRun, RunStore]:
    """The run that the word means, and the ledger that it was looked for in."""
    from ragstone.ledger.run_words import find_run

    store = store_of(arguments)
    return find_run(arguments.run_word, store), store


def show(arguments: argparse.Namespace) -> int:
    run, store = run_and_store(arguments)
    files, recordings = run.hashes(), run.recordings()
    if not recordings:
        raise InputError(f"{run.named('seen')} holds no recording: this is no whole run")
    names = sorted(name for name, each in store.names().items() if each.run == run.digest)
    if arguments.json:
        every = [asdict(each) for each in recordings]
        say(as_json({"run": run.digest, "names": names, "files": files, "recordings": every}))
        return 0
    from ragstone.report.text import visible

    say(visible("\n".join(_shown(run, recordings, names)), lines=True))
    return 0


def _shown(run: FoundRun, recordings: Sequence[Recording], names: Sequence[str]) -> list[str]:
    last = recordings[-1]
    lines = [
        f"run       {run.digest}",
        f"suite     {last.suite}, ragstone {last.version}, texts: {last.texts}",
        f"decision  {last.decision or 'NO GATES'}",
        *([f"names     {', '.join(names)}"] if names else []),
    ]
    for name, gate in last.gates.items():
        value = "not measured" if gate["value"] is None else f"{gate['value']:.4f}"
        limit = f"{gate['op']} {gate['threshold']:g}"
        lines.append(f"gate      {name}: {gate['status']}, {value} (wanted {limit})")
    for suite, held in last.held.items():
        for name, given in held["inputs"].items():
            for file in given["files"]:
                where = file["path"] or "not a file"
                lines.append(f"input     {suite} {name}: {where}, sha256 {file['sha256'][:16]}…")
    for each in recordings:
        labels = " ".join(f"{name}={text}" for name, text in each.labels.items())
        said = "  ".join(filter(None, (each.at, commit_of(each), labels)))
        lines.append(f"recorded  {said}")
    return lines


def _configure_export(parser: argparse.ArgumentParser) -> None:
    add_run(parser)
    flag(parser, "-o --output DIR", "a folder that does not exist yet", required=True)


def export(arguments: argparse.Namespace) -> int:
    """Copies a run out of the ledger, into a folder that any command takes for RUN."""
    from ragstone.ledger.run_files import FolderFiles
    from ragstone.ledger.run_store import FILES

    run, _ = run_and_store(arguments)
    target = Path(arguments.output)
    if target.exists():
        raise InputError(f"{target} exists; give the name of a new folder")
    if not target.absolute().parent.is_dir():
        raise InputError(f"{target}: the folder {target.parent} does not exist")
    content: dict[str, bytes | Path] = {name: run.read(name) for name in (*run.hashes(), FILES)}
    content |= {f"seen/{name}": data for name, data in run.seen_files().items()}
    FolderFiles(target.absolute().parent).put_folder(target.name, content, FILES)
    if not arguments.quiet:
        print(f"wrote {target}", file=sys.stderr)
    return 0


def _configure_accept(parser: argparse.ArgumentParser) -> None:
    add_run(parser)
    flag(parser, "--name NAME", "what --baseline calls it from now on", required=True)
    flag(parser, "--replace", "move the name if another run has it")
    flag(parser, "--anyway", "also a run that failed")


def accept(arguments: argparse.Namespace) -> int:
    from ragstone.ledger.record_run import now
    from ragstone.ledger.recording import written_at

    run, store = run_and_store(arguments)
    if not store.has(run.digest):
        raise InputError(
            f"{arguments.run_word} is not in {store.place}; a run is accepted where it was recorded"
        )
    if run.recordings()[-1].decision == Status.FAIL and not arguments.anyway:
        raise ConfigError(
            f"run {run.digest[:8]} failed: a comparison with it would call as bad a run no worse; "
            "to accept it all the same, add --anyway"
        )
    store.accept(arguments.name, run.digest, written_at(now()), replace=arguments.replace)
    if not arguments.quiet:
        say(f"{arguments.name} is {run.digest[:8]}")
    return 0


def _configure_prune(parser: argparse.ArgumentParser) -> None:
    how = parser.add_mutually_exclusive_group(required=True)
    flag(how, "--keep N", "keep the newest N recordings", type=whole_count)
    flag(
        how,
        "--older-than AGE",
        "remove recordings older than this, as in 90d, 12h or 8w",
        type=_age,
    )
    flag(parser, "--dry-run", "say what would go, and remove nothing")
    add_ledger(parser)
    add_json(parser)


def _age(text: str) -> datetime.timedelta:
    found = _AGE.fullmatch(text.strip())
    if found is None:
        raise argparse.ArgumentTypeError(f"expected an age such as 90d, 12h or 8w, found {text!r}")
    return datetime.timedelta(hours=int(found[1]) * _HOURS[found[2]])


def prune(arguments: argparse.Namespace) -> int:
    """Removes old recordings, and runs that have none left; what has a name always stays."""
    from ragstone.ledger.record_run import now

    store = store_of(arguments)
    damaged: list[str] = []
    every = store.recordings(damaged)
    warn(damaged)
    named = {each.run for each in store.names().values()}
    if arguments.keep is not None:
        old = every[arguments.keep :]
    else:
        old = [each for each in every if each.moment < now() - arguments.older_than]
    going = [each for each in old if each.run not in named]
    kept = len(every) - len(going)
    if not arguments.dry_run:
        store.remove(going)
    if arguments.json:
        removed = [{"run": each.run, "at": each.at} for each in going]
        say(as_json({"removed": removed, "kept": kept, "dry_run": arguments.dry_run}))
        return 0
    verb = "would remove" if arguments.dry_run else "removed"
    if not arguments.quiet:
        stay = len(old) - len(going)
        accepted = f"; {stay:,} of accepted runs stay" if stay else ""
        say(f"{verb} {_counted(len(going))}, {kept:,} left{accepted}")
    return 0


def _counted(count: int) -> str:
    return "1 recording" if count == 1 else f"{count:,} recordings"


ACTIONS: dict[str, tuple[str, Any, Any]] = {
    "show": ("show what a run came to, what it was made from, and when", _configure_show, show),
    "export": ("copy a run into a folder of its own", _configure_export, export),
    "accept": ("give a run a name, for --baseline", _configure_accept, accept),
    "prune": ("remove old recordings; accepted runs stay", _configure_prune, prune),
}
